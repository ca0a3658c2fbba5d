"""The choke point: every op call of every kind passes through `dispatch`."""
cimport numpy as cnp
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF
from ms_kernels.core.runtime cimport empty_dims
from ms_kernels.core.shapes cimport broadcast, equal_shape, fit_key, same_shapes, shapes_of, share
from ms_kernels.core.tensor cimport Node, TensorBase, is_tensor, mark_saved, new_node, wrap
from ms_kernels.loops.elementwise cimport (
    binary_array, binary_code, binary_gives_bool, binary_same, binary_scalar, unary_code, unary_gives_bool, unary_same)

from contextvars import ContextVar

import ms_dtype as mstype
import numpy as np

from ms_kernels.core.tensor import set_watcher, tell, watch
from ms_kernels.opdef import errors

cnp.import_array()

cdef extern from "Python.h":
    int PyContextVar_Get(object var, PyObject* default, PyObject** value) except -1

# what a parameter of an op takes
ATTRIBUTE, TENSOR, OPTIONAL, TENSORS = 0, 1, 2, 3
# what happens to the operands' dtypes before the body runs
KEEP, PROMOTE, PROMOTE_FLOAT = 0, 1, 2
# when the shape rule is asked before the body runs
CHECK_ALWAYS, CHECK_BROADCAST, CHECK_NEVER = 0, 1, 2
cdef int FITTING_MOST = 1024
cdef int C_ATTRIBUTE = 0, C_TENSOR = 1, C_OPTIONAL = 2, C_TENSORS = 3

cdef dict promoted = {}
cdef dict weak = {}
cdef dict kinds_of = {bool: "b", int: "i", float: "f", complex: "c"}


cdef class Mode:
    """The scoped modes of one context.

    Attributes:
        recording: whether calls are written to the tape.
        target: one that overrides the process-wide one, or None.
        observer: what gets every call in place of the dispatcher, or None; see `Observer` in the stub.
        inner: the mode in which the observer itself works.
        quiet: whether the process-wide observer is left out.
        whole: whether composites reach the observer whole.
    """

    def __init__(self, bint recording=False, target=None, observer=None, Mode inner=None, bint quiet=False):
        self.recording = recording
        self.target = target
        self.observer = observer
        self.inner = inner
        self.quiet = quiet
        self.whole = observer is not None and observer.whole


cdef object mode_variable = ContextVar("ms_kernels_mode", default=None)
current_mode_variable = mode_variable


cdef inline Mode current_mode():
    cdef PyObject* value = NULL
    PyContextVar_Get(mode_variable, NULL, &value)
    mode = <object>value
    Py_DECREF(mode)  # the cast above took a second reference
    return <Mode>mode


class scope:
    """Context manager: the calls inside run under changed modes.  It nests, also across threads and coroutines."""

    __slots__ = ("_mode", "_token", "_watches")

    def __init__(self, recording=None, target=None, observer=None):
        cdef Mode old = current_mode()
        if old is None:
            old = Mode()
        if recording is None:
            recording = old.recording
        if target is None:
            target = old.target
        self._watches = observer is not None and observer.watches
        self._mode = with_modes(old, recording, target, observer)

    def __enter__(self):
        self._token = mode_variable.set(self._mode)
        if self._watches:
            watch(1)
        return self

    def __exit__(self, *exc):
        if self._watches:
            watch(-1)
        mode_variable.reset(self._token)


cdef Mode with_modes(Mode old, bint recording, target, observer):
    """The mode `old` with changes, in what its observers work too; `observer` comes on top of them."""
    cdef Mode changed = Mode(recording, target, None, None, old.quiet)
    if old.observer is not None:
        changed = Mode(recording, target, old.observer, with_modes(old.inner, recording, target, None), old.quiet)
    return changed if observer is None else Mode(recording, target, observer, changed, old.quiet)


def _told(tensor, what):
    """Hand a read or change of a tensor to this context's observer; the innermost that watches."""
    cdef Mode mode = current_mode()
    while mode is not None and mode.observer is not None:
        if mode.observer.watches:
            token = mode_variable.set(mode.inner)
            try:
                return mode.observer.told(tensor, what)
            finally:
                mode_variable.reset(token)
        mode = mode.inner
    return None


set_watcher(_told)


def effect(fn, *args):
    """Call ``fn(*args)``, which changes tensors outside of any op, so that an observer can repeat it later."""
    cdef Mode mode = current_mode()
    while mode is not None and mode.observer is not None:
        if mode.observer.watches:
            token = mode_variable.set(mode.inner)
            try:
                return mode.observer.effect(fn, args)
            finally:
                mode_variable.reset(token)
        mode = mode.inner
    return fn(*args)


def is_recording():
    """Tell whether calls in this context are written to the tape."""
    tell(None, "recording")  # a graph fits only a context that answers alike
    cdef Mode mode = current_mode()
    return mode is not None and mode.recording


def is_plain():
    """Tell whether calls in this context compute on the CPU and nothing else: no tape, observer or other target."""
    cdef Mode mode = current_mode()
    if process.observer is not None or process.target is not None:
        return False
    return mode is None or not (mode.recording or mode.observer is not None or mode.target is not None)


cdef class Settings:
    """What holds for the whole process.

    Attributes:
        target: None for the CPU, else an object with `run`, `same` and `composites` (see `targets.registry`).
        observer: None, or what gets every call of every context (but its own).
        graph: whether Cells compile themselves when they are called (2.6's GRAPH_MODE).
        ran: whether an op has run.
    """


cdef Settings process = Settings()
process_target = process


cdef class Op:
    """One op, as the dispatcher needs it; `record` holds the rest of its declaration."""

    def __init__(self, *, name, label, params, kinds, defaults, body, vjp=None, saves=b"", saves_out=False, shape=None,
                 dtype=None, promote=KEEP, accepts=None, nondiff="", view=False, composite=False, check=CHECK_ALWAYS,
                 record=None):
        self.name = name
        self.label = label
        self.params = tuple(params)
        self.kinds = kinds
        self.defaults = tuple(defaults)
        self.arity = len(params)
        self.required = len(params) - len(defaults)
        self.promote = promote
        self.body = body
        self.vjp = vjp
        self.saves = saves
        self.saves_out = saves_out
        self.shape = shape
        self.dtype = dtype
        self.accepts = accepts
        self.nondiff = nondiff
        self.is_view = view
        self.is_composite = composite
        self.check = check
        self.record = record
        self.blank = None
        self.fitting = set()
        self.code = -1
        self.fast = 0

    def __repr__(self):
        return f"<op {self.name}>"

    def __reduce__(self):
        return (_find_op, (self.name,))

    def __call__(self, *args, **kwargs):
        if len(args) == self.arity and not kwargs:
            return dispatch(self, args)
        return dispatch(self, self.complete(args, kwargs))

    def complete(self, tuple args, dict kwargs):
        """Return all arguments in the canonical order, defaults filled in."""
        cdef int given = len(args), i
        if given > self.arity:
            errors.too_many(self.label, self.arity, given)
        if not kwargs and given >= self.required:
            return args + self.defaults[given - self.required:]
        left = dict(kwargs)
        out = list(args)
        for i in range(given, self.arity):
            name = self.params[i]
            if name in left:
                out.append(left.pop(name))
            elif i >= self.required:
                out.append(self.defaults[i - self.required])
            else:
                errors.missing(self.label, name)
        if left:
            errors.unexpected(self.label, next(iter(left)))
        return tuple(out)


class Registry(dict):
    """The ops by canonical name; one that is not loaded yet is, by `load`, which the catalog of the families sets."""

    def __missing__(self, name):
        self.load(name)
        return dict.__getitem__(self, name)


cdef object registry = Registry()
ops_by_name = registry


def _find_op(name):
    return registry[name]


cdef object common_dtype(object a, object b):
    """The NumPy dtype that two tensors of NumPy dtypes a and b meet in."""
    if a is b:
        return a
    cdef object found = promoted.get((a, b))
    if found is None:
        found = mstype.promote(mstype.from_numpy(a), mstype.from_numpy(b)).np
        promoted[(a, b)] = found
    return found


cdef object weak_dtype(object a, str kind):
    """The NumPy dtype that a tensor of NumPy dtype a and a Python number of a kind meet in."""
    cdef object found = weak.get((a, kind))
    if found is None:
        found = mstype.promote_scalar(mstype.from_numpy(a), kind).np
        weak[(a, kind)] = found
    return found


cdef dict scalar_dtype = {"b": np.dtype(bool), "i": np.dtype(np.int64), "f": np.dtype(np.float32), "c": np.dtype(np.complex64)}
cdef object float32 = np.dtype(np.float32)
cdef object BOOL = np.dtype(bool)
cdef object BF16 = np.dtype(mstype.np_bfloat16)
cdef int BF16_NUM = BF16.num
cdef int HALF_NUM = np.dtype(np.float16).num


cdef str scalar_kind(object value):
    """The kind letter of a Python or NumPy number, or None."""
    cdef object kind = kinds_of.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, np.generic):
        kind = value.dtype.kind
        return "i" if kind == "u" else kind if kind in "bifc" else "f" if isinstance(value, mstype.np_bfloat16) else None
    if isinstance(value, (bool, int, float, complex)):  # subclasses, such as IntEnum
        return "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f" if isinstance(value, float) else "c"
    return None


def as_scalar(value, dtype):
    """Return a Python number as a 0-d array of a NumPy dtype; integers wrap."""
    try:
        return np.array(value, dtype)
    except OverflowError:
        return np.array(value & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(dtype)


cdef inline cnp.ndarray data_of(TensorBase t):
    if t._pending is not None:
        t._fill()
    return t._array


cdef object as_array(Op op, int i, object value):
    """An operand that is no Tensor: a number stays as it is, an array is taken, all else is an error."""
    if scalar_kind(value) is not None:
        if op.promote == 0:
            errors.operand(op.label, op.params[i], value)
        return value
    if op.promote and isinstance(value, np.ndarray):
        mstype.from_numpy(value.dtype)
        return value
    if op.promote and isinstance(value, (list, tuple)) and value and all(scalar_kind(v) is not None for v in value):
        found = np.asarray(value)
        return found.astype(np.float32) if found.dtype == np.float64 else found
    errors.operand(op.label, op.params[i], value, op.promote != 0)


cdef list promote_operands(Op op, list values, object target):
    """Bring all operands (arrays, numbers) to one dtype; lists of operands count item by item."""
    cdef object common = None
    cdef int i
    cdef object v, item
    for i in range(op.arity):
        v = values[i]
        if op.kinds[i] == C_ATTRIBUTE or v is None:
            continue
        for item in (v if op.kinds[i] == C_TENSORS else (v,)):
            if isinstance(item, cnp.ndarray):
                common = (<cnp.ndarray>item).dtype if common is None else common_dtype(common, (<cnp.ndarray>item).dtype)
    for i in range(op.arity):
        v = values[i]
        if op.kinds[i] == C_ATTRIBUTE or v is None or isinstance(v, (cnp.ndarray, list)):
            continue
        kind = scalar_kind(v)
        common = scalar_dtype[kind] if common is None else weak_dtype(common, kind)
    if op.promote == 2 and common.kind in "iub":
        common = float32
    for i in range(op.arity):
        v = values[i]
        if op.kinds[i] == C_ATTRIBUTE or v is None:
            continue
        if op.kinds[i] == C_TENSORS:
            values[i] = [_to(item, common, target) for item in v]
        else:
            values[i] = _to(v, common, target)
    return values


cdef object _to(object value, object dtype, object target):
    if isinstance(value, cnp.ndarray):
        if (<cnp.ndarray>value).dtype is dtype:
            return value
        if target is not None and (<cnp.ndarray>value).dtype != dtype:
            return target.cast(value, dtype)
        return (<cnp.ndarray>value).astype(dtype, copy=False)
    return as_scalar(value, dtype)


def common_of(values):
    """Return the NumPy dtype in which tensors and Python numbers meet."""
    cdef object common = None
    for value in values:
        if is_tensor(value):
            dtype = (<TensorBase>value)._array.dtype
            common = dtype if common is None else common_dtype(common, dtype)
    for value in values:
        if not is_tensor(value):
            kind = scalar_kind(value)
            if kind is None:
                errors.operand("promotion", "value", value)
            common = scalar_dtype[kind] if common is None else weak_dtype(common, kind)
    return common


cpdef object dispatch(Op op, tuple args):
    """Run one op: check, promote, infer, compute, record.

    `args` are all the op's arguments in its canonical order.  Returns a Tensor, or a tuple of Tensors.
    """
    cdef Mode mode = current_mode()
    cdef int i, kind
    cdef object value, item, result
    cdef list values, operands
    cdef bint recorded = False
    if mode is not None and mode.observer is not None and (mode.whole or not op.is_composite):
        return observed(mode.observer, mode.inner, op, args)
    if process.observer is not None and (mode is None or not mode.quiet) and (
            not op.is_composite or process.observer.whole):
        return observed(process.observer, loud_mode(mode), op, args)
    cdef object target = mode.target if mode is not None and mode.target is not None else process.target
    process.ran = True
    if op.fast and (target is None or op.name in target.same):
        result = fast_call(op, args, mode is not None and mode.recording)
        if result is not None:
            return result
    if op.is_composite:
        return composed(op, args, target)
    values = []
    operands = []
    for i in range(op.arity):
        kind = op.kinds[i]
        value = args[i]
        if kind == C_ATTRIBUTE:
            values.append(value)
        elif is_tensor(value):
            if kind == C_TENSORS:
                errors.operand(op.label, op.params[i], value)
            operands.append(value)
            recorded |= (<TensorBase>value)._node is not None
            values.append(data_of(<TensorBase>value))
        elif kind == C_TENSORS:
            if not isinstance(value, (list, tuple)):
                errors.operand(op.label, op.params[i], value)
            arrays = []
            for item in value:
                if not is_tensor(item):
                    errors.operand(op.label, op.params[i], item)
                operands.append(item)
                recorded |= (<TensorBase>item)._node is not None
                arrays.append(data_of(<TensorBase>item))
            values.append(arrays)
        elif value is None and kind == C_OPTIONAL:
            operands.append(None)
            values.append(None)
        else:
            operands.append(None)
            values.append(as_array(op, i, value))
    if op.accepts is not None:
        for i in range(op.arity):
            if op.kinds[i] != C_ATTRIBUTE:
                check_dtype(op, i, values[i])
    if op.promote:
        values = promote_operands(op, values, target)
    if op.check == 0 or (op.check == 1 and not same_shapes(op.kinds, values)):
        check_shapes(op, values)
    result = op.body(*values) if target is None else target.run(op, values)
    recorded = recorded and mode is not None and mode.recording and not op.nondiff
    if isinstance(result, tuple):
        outs = tuple([wrap(np.asarray(item)) for item in result])
        if op.is_view:
            for item in outs:
                adopt(<TensorBase>item, operands)
        if recorded:
            record(op, args, operands, outs, True)
        return outs
    out = wrap(result if isinstance(result, cnp.ndarray) else np.asarray(result))
    if op.is_view:
        adopt(out, operands)
    if recorded:
        record(op, args, operands, (out,), False)
    return out


def decompose(Op op not None, tuple args not None):
    """Run a composite: its body, on checked operands, or what the target has in its place."""
    cdef Mode mode = current_mode()
    return composed(op, args, mode.target if mode is not None and mode.target is not None else process.target)


cdef object composed(Op op, tuple args, object target):
    cdef int i
    for i in range(op.arity):
        value = args[i]
        if op.kinds[i] == C_TENSOR and not is_tensor(value) and (op.promote == 0 or scalar_kind(value) is None):
            errors.operand(op.label, op.params[i], value, op.promote != 0)
    own = None if target is None else target.composites.get(op.name)
    return op.body(*args) if own is None else own(op, args)


cdef Mode loud_mode(Mode mode):
    """The mode for the process-wide observer's own work."""
    return Mode(quiet=True) if mode is None else Mode(mode.recording, mode.target, None, None, True)


cdef object observed(object observer, Mode inner, Op op, tuple args):
    """Give a call to an observer, which works in the mode `inner`."""
    token = mode_variable.set(inner)
    try:
        return observer.call(op, args)
    finally:
        mode_variable.reset(token)


cdef void adopt(TensorBase out, list operands):
    """Note that a view shares its operand's memory (a reshape may have had to copy)."""
    cdef TensorBase parent = operands[0]
    if share(out._array, parent._array):
        out._owner = parent._owner if parent._owner is not None else parent
        out._owner._viewed = True


cdef int check_dtype(Op op, int i, object value) except -1:
    if isinstance(value, cnp.ndarray):
        if (<cnp.ndarray>value).dtype not in op.accepts:
            errors.dtype(op.label, op.params[i], mstype.from_numpy((<cnp.ndarray>value).dtype), op.accepts)
    elif isinstance(value, list):
        for item in value:
            check_dtype(op, i, item)
    return 0


cdef int check_shapes(Op op, list values) except -1:
    """Ask the shape rule whether a call fits; not again for what it has let through."""
    cdef object key = fit_key(op.kinds, values)
    if key is not None and key in op.fitting:
        return 0
    op.shape(*shapes_of(op.kinds, values))
    if key is not None:
        if len(op.fitting) >= FITTING_MOST:
            op.fitting.clear()
        op.fitting.add(key)
    return 0


cdef int record(Op op, tuple args, list operands, tuple outs, bint several) except -1:
    """Write one call to the tape: nothing if no result can carry a gradient."""
    cdef list saved = [], parents = [], indices = [], versions = [], metas = []
    cdef TensorBase t, out = outs[0]
    cdef cnp.ndarray array = out._array
    cdef bint other_index = False, changed = False, other_meta = several
    cdef int i
    cdef long change
    cdef Node node
    for i in range(op.arity):
        item = args[i]
        if op.kinds[i] == C_ATTRIBUTE:
            saved.append(item)
        elif op.saves[i]:
            saved.append(item)
            if is_tensor(item):
                mark_saved(<TensorBase>item)
            elif op.kinds[i] == C_TENSORS:
                for part in item:
                    mark_saved(<TensorBase>part)
        else:
            saved.append(None)
    for item in operands:
        if item is None:
            parents.append(None)
            indices.append(0)
            metas.append(None)
            versions.append(0)
            continue
        t = <TensorBase>item
        parents.append(t._node)
        indices.append(t._index)
        other_index |= t._index != 0
        other_meta = other_meta or not equal_shape(t._array, array) or t._array.dtype is not array.dtype
        change = t._owner._version if t._owner is not None else t._version
        versions.append(change)
        changed |= change != 0
    node = new_node(op, tuple(saved), tuple(parents))
    if other_index:
        node.indices = tuple(indices)
    if other_meta:
        node.metas = tuple([None if item is None else ((<TensorBase>item).shape, (<TensorBase>item)._array.dtype)
                            for item in operands])
    if changed:
        node.versions = tuple(versions)
    if op.saves_out:
        node.saved_out = tuple([(<TensorBase>item)._array for item in outs])
    if several:
        node.out_metas = tuple([((<TensorBase>item).shape, (<TensorBase>item)._array.dtype) for item in outs])
    for i in range(len(outs)):
        out = outs[i]
        if not cnp.PyArray_ISBOOL(out._array):
            out._node = node
            out._index = i
    return 0


def bind_loop(Op op, str loop):
    """Let a native loop serve the op's plain calls."""
    op.loop = loop
    cdef int count = sum([1 for kind in op.kinds if kind])
    if count == 2:
        op.code = binary_code(loop)
    elif count == 1:
        op.code = unary_code(loop)
    op.fast = count if op.code >= 0 else 0
    if not any(op.saves) and op.arity == op.required + len(op.defaults):
        op.blank = (None,) * op.required + op.defaults


cdef inline cnp.ndarray empty_like(cnp.ndarray array, int type_num, size_t item_size):
    """A new packed array of the same shape."""
    if cnp.PyArray_SIZE(array) * item_size < 32768:
        return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), type_num, 0)
    return empty_dims(cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), <cnp.dtype>(array.dtype if type_num != cnp.NPY_BOOL else BOOL))


cdef inline bint plain(object value):
    """Whether a value is a tensor with its data in one packed piece."""
    return is_tensor(value) and (<TensorBase>value)._pending is None and \
        cnp.PyArray_IS_C_CONTIGUOUS((<TensorBase>value)._array)


cdef object fast_call(Op op, tuple args, bint recording):
    """The usual elementwise calls without any Python frame; None when the call is not one of them."""
    cdef TensorBase a = None, b = None, out
    cdef cnp.ndarray x, y, z
    cdef double number
    cdef int type_num
    cdef Node node
    cdef object first = args[0], second
    cdef tuple saved
    cdef bint done
    if op.fast == 1:
        if op.arity != 1 or not plain(first):
            return None
        a = <TensorBase>first
        x = a._array
        type_num = cnp.PyArray_TYPE(x)
        z = empty_like(x, cnp.NPY_BOOL if unary_gives_bool(op.code) else type_num, cnp.PyArray_ITEMSIZE(x))
        if not run_unary(op.code, type_num, x, z):
            return None
        out = wrap(z)
        if recording and a._node is not None and not op.nondiff:
            if a._index != 0 or a._changes_c() != 0:
                record(op, args, [a], (out,), False)
                return out
            if op.saves[0]:
                mark_saved(a)
            node = new_node(op, (a if op.saves[0] else None,), (a._node,))
            if op.saves_out:
                node.saved_out = (z,)
            out._node = node
        return out
    second = args[1]
    if op.arity > 2 and (op.arity > 3 or args[2] is not op.defaults[0]):
        return None
    if is_tensor(first) and is_tensor(second) and not (
            plain(first) and plain(second) and equal_shape((<TensorBase>first)._array, (<TensorBase>second)._array)):
        return strided_call(op, args, <TensorBase>first, <TensorBase>second, recording)
    if plain(first):
        a = <TensorBase>first
        x = a._array
        type_num = cnp.PyArray_TYPE(x)
        if plain(second):
            b = <TensorBase>second
            y = b._array
            if cnp.PyArray_TYPE(y) != type_num or not equal_shape(x, y):
                return None
            z = empty_like(x, cnp.NPY_BOOL if binary_gives_bool(op.code) else type_num, cnp.PyArray_ITEMSIZE(x))
            done = run_binary(op.code, type_num, x, y, z)
        elif type(second) is float or type(second) is int:
            if not is_float(type_num):
                return None
            number = second
            z = empty_like(x, cnp.NPY_BOOL if binary_gives_bool(op.code) else type_num, cnp.PyArray_ITEMSIZE(x))
            done = run_scalar(op.code, type_num, x, number, False, z)
        else:
            return None
    elif (type(first) is float or type(first) is int) and plain(second):
        b = <TensorBase>second
        y = b._array
        type_num = cnp.PyArray_TYPE(y)
        if not is_float(type_num):
            return None
        number = first
        z = empty_like(y, cnp.NPY_BOOL if binary_gives_bool(op.code) else type_num, cnp.PyArray_ITEMSIZE(y))
        done = run_scalar(op.code, type_num, y, number, True, z)
    else:
        return None
    if not done:
        return None
    out = wrap(z)
    if recording and not op.nondiff and ((a is not None and a._node is not None) or (b is not None and b._node is not None)):
        if (a is not None and (a._index != 0 or a._changes_c() != 0)) or (
                b is not None and (b._index != 0 or b._changes_c() != 0)):
            record(op, args, [a, b], (out,), False)
            return out
        if op.blank is not None:
            saved = op.blank
        else:
            saved = (first if op.saves[0] else None, second if op.saves[1] else None)
            if op.saves[0] and a is not None:
                mark_saved(a)
            if op.saves[1] and b is not None:
                mark_saved(b)
            if op.arity > 2:
                saved += args[2:]
        node = new_node(op, saved, (None if a is None else a._node, None if b is None else b._node))
        if op.saves_out:
            node.saved_out = (z,)
        out._node = node
    return out


cdef object strided_call(Op op, tuple args, TensorBase a, TensorBase b, bint recording):
    """Two floats of one dtype that are broadcast or lie in memory with gaps; None for other dtypes."""
    cdef cnp.ndarray x = data_of(a), y = data_of(b)
    cdef TensorBase out
    if cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y) or not is_float(cnp.PyArray_TYPE(x)):
        return None
    if op.check != 1 or not broadcast(x, y):
        op.shape((<object>x).shape, (<object>y).shape, *args[2:])
    cdef cnp.ndarray z = binary_array(op.code, x, y)
    if z is None:
        return None
    out = wrap(z)
    if recording and not op.nondiff and (a._node is not None or b._node is not None):
        record(op, args, [a, b], (out,), False)
    return out


cdef inline bint is_float(int type_num):
    return type_num == cnp.NPY_FLOAT or type_num == cnp.NPY_DOUBLE or type_num == HALF_NUM or type_num == BF16_NUM


cdef inline bint run_unary(int code, int type_num, cnp.ndarray x, cnp.ndarray z):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(x)
    cdef void* source = cnp.PyArray_DATA(x)
    cdef void* target = cnp.PyArray_DATA(z)
    if n < 1024:
        return unary_same(code, type_num, source, target, n)
    with nogil:
        return unary_same(code, type_num, source, target, n)


cdef inline bint run_binary(int code, int type_num, cnp.ndarray x, cnp.ndarray y, cnp.ndarray z):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(x)
    cdef void* left = cnp.PyArray_DATA(x)
    cdef void* right = cnp.PyArray_DATA(y)
    cdef void* target = cnp.PyArray_DATA(z)
    if n < 1024:
        return binary_same(code, type_num, left, right, target, n)
    with nogil:
        return binary_same(code, type_num, left, right, target, n)


cdef inline bint run_scalar(int code, int type_num, cnp.ndarray x, double number, bint swapped, cnp.ndarray z):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(x)
    cdef void* source = cnp.PyArray_DATA(x)
    cdef void* target = cnp.PyArray_DATA(z)
    if n < 1024:
        return binary_scalar(code, type_num, source, number, swapped, target, n)
    with nogil:
        return binary_scalar(code, type_num, source, number, swapped, target, n)


cpdef object dispatch_inplace(Op op, tuple args):
    """Run an op and put the result into its first operand, which is returned.

    Raises:
        RuntimeError: the first operand is a view, and the tape records.
        ValueError: the result has another shape.
    """
    cdef TensorBase self = args[0]
    cdef TensorBase out = dispatch(op, args)
    if not equal_shape(self._array, out._array):
        errors.inplace_shape(op.label, self.shape, out.shape)
    store(self, out)
    return self


cdef int store(TensorBase self, TensorBase out) except -1:
    """Copy a result over a tensor, which takes its place on the tape."""
    cdef Mode mode = current_mode()
    if mode is not None and mode.observer is not None:
        token = mode_variable.set(mode.inner)
        try:
            mode.observer.store(self, out)
        finally:
            mode_variable.reset(token)
        return 0
    if out._node is not None or self._node is not None:
        if is_recording():
            if self._owner is not None:
                errors.inplace_view()
            if self._node is not None and self._node.op is None and type(self).__name__ == "Parameter":
                errors.inplace_leaf()
            data_of(self)
            self._keep_past()
            self._node = out._node
            self._index = out._index
    if not cnp.PyArray_ISWRITEABLE(data_of(self)):  # memory of a read-only array, or of one that repeats elements
        self._array = np.array(self._array)
    np.copyto(self._array, data_of(out), casting="unsafe")
    self._touch()
    return 0


def replace(TensorBase self not None, TensorBase out not None):
    """Copy a result over a tensor in place (shapes equal); see `dispatch_inplace`."""
    store(self, out)
    return self
