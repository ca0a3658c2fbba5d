"""Python's operators on tensors, as type slots: no Python frame between ``x + y`` and the dispatcher."""
from cpython.object cimport Py_EQ, Py_GT, Py_LE, Py_LT, Py_NE
from ms_kernels.core.dispatch cimport Op, dispatch
from ms_kernels.core.tensor cimport TensorBase, is_tensor

from ms_kernels.opdef import errors

cdef set KNOWN = {int, float, bool, complex, list, tuple, str, type(None)}
cdef object INT = int  # asked through an object, so that what only passes for an int counts too
cdef Op _add, _sub, _mul, _truediv, _floordiv, _mod, _pow, _matmul, _and, _or, _xor, _lshift, _rshift
cdef Op _neg, _abs, _invert, _lt, _le, _eq, _ne, _gt, _ge


def bind_operator(str name, Op op):
    """Let an operator, such as "__add__", call an op."""
    global _add, _sub, _mul, _truediv, _floordiv, _mod, _pow, _matmul, _and, _or, _xor, _lshift, _rshift
    global _neg, _abs, _invert, _lt, _le, _eq, _ne, _gt, _ge
    if name == "__add__": _add = op
    elif name == "__sub__": _sub = op
    elif name == "__mul__": _mul = op
    elif name == "__truediv__": _truediv = op
    elif name == "__floordiv__": _floordiv = op
    elif name == "__mod__": _mod = op
    elif name == "__pow__": _pow = op
    elif name == "__matmul__": _matmul = op
    elif name == "__and__": _and = op
    elif name == "__or__": _or = op
    elif name == "__xor__": _xor = op
    elif name == "__lshift__": _lshift = op
    elif name == "__rshift__": _rshift = op
    elif name == "__neg__": _neg = op
    elif name == "__abs__": _abs = op
    elif name == "__invert__": _invert = op
    elif name == "__lt__": _lt = op
    elif name == "__le__": _le = op
    elif name == "__eq__": _eq = op
    elif name == "__ne__": _ne = op
    elif name == "__gt__": _gt = op
    elif name == "__ge__": _ge = op
    else:
        raise ValueError(f"no operator {name}")


cdef inline object binary(Op op, str sign, str reflected, object a, object b):
    """Call the op; let a foreign right operand that knows the operator have its turn."""
    if op is None:
        return NotImplemented
    if not is_tensor(b) and type(b) not in KNOWN and not isinstance(b, INT) and hasattr(type(b), reflected) and type(b).__module__ != "numpy":
        return NotImplemented
    if op.arity == 2:
        return dispatch(op, (a, b))
    return dispatch(op, (a, b) + op.defaults)


cdef inline object unary(Op op, str sign, object a):
    if op is None:
        errors.no_operator(sign)
    if op.arity == 1:
        return dispatch(op, (a,))
    return dispatch(op, (a,) + op.defaults)


cdef class Operators(TensorBase):
    """A tensor with operators."""

    def __add__(self, other): return binary(_add, "+", "__radd__", self, other)
    def __radd__(self, other): return binary(_add, "+", "__add__", other, self)
    def __sub__(self, other): return binary(_sub, "-", "__rsub__", self, other)
    def __rsub__(self, other): return binary(_sub, "-", "__sub__", other, self)
    def __mul__(self, other): return binary(_mul, "*", "__rmul__", self, other)
    def __rmul__(self, other): return binary(_mul, "*", "__mul__", other, self)
    def __truediv__(self, other): return binary(_truediv, "/", "__rtruediv__", self, other)
    def __rtruediv__(self, other): return binary(_truediv, "/", "__truediv__", other, self)
    def __floordiv__(self, other): return binary(_floordiv, "//", "__rfloordiv__", self, other)
    def __rfloordiv__(self, other): return binary(_floordiv, "//", "__floordiv__", other, self)
    def __mod__(self, other): return binary(_mod, "%", "__rmod__", self, other)
    def __rmod__(self, other): return binary(_mod, "%", "__mod__", other, self)
    def __matmul__(self, other): return binary(_matmul, "@", "__rmatmul__", self, other)
    def __rmatmul__(self, other): return binary(_matmul, "@", "__matmul__", other, self)
    def __and__(self, other): return binary(_and, "&", "__rand__", self, other)
    def __rand__(self, other): return binary(_and, "&", "__and__", other, self)
    def __or__(self, other): return binary(_or, "|", "__ror__", self, other)
    def __ror__(self, other): return binary(_or, "|", "__or__", other, self)
    def __xor__(self, other): return binary(_xor, "^", "__rxor__", self, other)
    def __rxor__(self, other): return binary(_xor, "^", "__xor__", other, self)
    def __lshift__(self, other): return binary(_lshift, "<<", "__rlshift__", self, other)
    def __rlshift__(self, other): return binary(_lshift, "<<", "__lshift__", other, self)
    def __rshift__(self, other): return binary(_rshift, ">>", "__rrshift__", self, other)
    def __rrshift__(self, other): return binary(_rshift, ">>", "__rshift__", other, self)

    def __pow__(self, other, modulo):
        if modulo is not None:
            errors.too_many("pow", 2, 3)
        return binary(_pow, "**", "__rpow__", self, other)

    def __rpow__(self, other, modulo):
        return binary(_pow, "**", "__pow__", other, self)

    def __neg__(self): return unary(_neg, "-", self)
    def __abs__(self): return unary(_abs, "abs", self)
    def __invert__(self): return unary(_invert, "~", self)
    def __pos__(self): return self

    def __hash__(self):
        return <Py_ssize_t><void*>self >> 4

    def __richcmp__(self, other, int how):
        if how == Py_EQ or how == Py_NE:
            if not is_tensor(other) and not isinstance(other, (int, float)):  # as 2.6: equal to no other object
                return how == Py_NE
            return binary(_eq if how == Py_EQ else _ne, "==", "__eq__", self, other)
        if how == Py_LT:
            return binary(_lt, "<", "__gt__", self, other)
        if how == Py_LE:
            return binary(_le, "<=", "__ge__", self, other)
        if how == Py_GT:
            return binary(_gt, ">", "__lt__", self, other)
        return binary(_ge, ">=", "__le__", self, other)
