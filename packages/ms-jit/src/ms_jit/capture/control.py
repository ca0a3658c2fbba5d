"""What rewritten functions ask while they are captured: where to go, what to call, what they read from outside."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ms_jit.capture.convert.make import converted, is_own
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.flow import branch_over, choose_over, loop_over
from ms_jit.capture.guards import guard_attribute, guard_cell, guard_defaults, guard_has, guard_name, is_cell
from ms_jit.capture.outside import check_builtin, check_unrewritten
from ms_jit.capture.standins import Unbound
from ms_jit.graph.steps import Call
from ms_jit.limits import limits
from ms_kernels.core.dispatch import current_mode_variable, ops_by_name
from ms_kernels.core.program import Compiled
from ms_kernels.core.tensor import TensorBase

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["Control"]

_LIST = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")
_OWN = (list, dict, set, bytearray, collections.OrderedDict, collections.defaultdict)
_CHANGING = frozenset((*_LIST, "add", "discard", "popitem", "setdefault", "update"))


class Control:
    """The side of the tracer that rewritten functions talk to."""

    Unbound = Unbound

    def __init__(self, tracer: Tracer) -> None:
        self._outermost = tracer
        self.depth = 0

    @property
    def tracer(self) -> Tracer:
        """The innermost tracer: that of the branch or loop that is being captured."""
        mode = current_mode_variable.get()
        while mode is not None and mode.observer is not None:
            if isinstance(mode.observer, type(self._outermost)):
                return mode.observer
            mode = mode.inner
        return self._outermost

    def traced(self, value: Any) -> bool:
        """Whether a value is a tensor whose numbers are known only when the graph runs."""
        return isinstance(value, TensorBase) and self.tracer.traced(value)

    # -- truth --------------------------------------------------------------------------------------------------------

    def truth(self, value: Any) -> bool:
        """The truth of a value where Python itself branches on it."""
        return bool(value)

    def surely(self, value: Any) -> bool:
        """Whether a flag is known to be set: one that depends on a tensor is not."""
        return False if self.traced(value) else bool(value)

    def not_(self, value: Any) -> Any:
        if not self.traced(value):
            return not value
        made = ops_by_name["logical_not"](_flag(value))
        self.tracer.numbers.add(made)
        return made

    def and_(self, *thunks: Callable[[], Any]) -> Any:
        return self._lazily(thunks, "logical_and", lambda value: not value)

    def or_(self, *thunks: Callable[[], Any]) -> Any:
        return self._lazily(thunks, "logical_or", bool)

    def _lazily(self, thunks: tuple[Callable[[], Any], ...], op: str, settles: Callable[[Any], bool]) -> Any:
        """Python's ``and`` and ``or``, in which traced tensors join as the ops of tensors do."""
        found: Any = None
        value: Any = None
        for thunk in thunks:
            value = thunk()
            if self.traced(value):
                if value.dtype.kind != "b" or value.ndim:
                    raise Uncapturable("'and' or 'or' of a tensor that is no flag")
                found = _flag(value) if found is None else ops_by_name[op](found, _flag(value))
                continue
            if settles(value):
                return value
            if found is None and thunk is thunks[-1]:
                return value
            if found is not None and type(value) is not bool:
                raise Uncapturable(f"'and' or 'or' of a tensor and a '{type(value).__name__}'")
        return value if found is None else found

    # -- control flow -------------------------------------------------------------------------------------------------

    def branch(self, test: Any, then: Any, other: Any, get: Any = None, put: Any = None, names: Any = ()) -> None:
        """``if``: run a branch, or both of them as parts of the graph."""
        if self.traced(test):
            branch_over(self.tracer, _flag(test), then, other, get, put, names)
        else:
            (then if test else other)()

    def choose(self, test: Any, then: Any, other: Any, get: Any = None, put: Any = None, names: Any = ()) -> Any:
        """``if`` whose branches return: their value."""
        if self.traced(test):
            return choose_over(self.tracer, _flag(test), then, other, get, put, names)
        return (then if test else other)()

    def loop(self, test: Any, body: Any, get: Any = None, put: Any = None, names: Any = ()) -> None:
        """``while``."""
        while True:
            going = test()
            if self.traced(going):
                return loop_over(self.tracer, test, body, get, put, names)
            if not going:
                return None
            body()

    def items(self, values: Iterable[Any]) -> Iterable[Any]:
        """What a ``for`` goes over."""
        return values

    # -- the world outside --------------------------------------------------------------------------------------------

    def name(self, fn: Any, name: str, value: Any) -> Any:
        """A name from outside of a function."""
        guard_name(self.tracer, fn, name, value)
        return value

    def attr(self, holder: Any, name: str) -> Any:
        """An attribute."""
        value = self._found(holder, name)
        guard_attribute(self.tracer, holder, name, value)
        return value

    def _found(self, holder: Any, name: str) -> Any:
        """The value of an attribute; what a property of the user's reads is guarded, too."""
        rule = None if isinstance(holder, (TensorBase, type, types.ModuleType)) else getattr(type(holder), name, None)
        if isinstance(rule, property) and isinstance(rule.fget, types.FunctionType):
            return self.call(rule.fget, holder)
        return getattr(holder, name)

    def sets(self, holder: Any, name: str | None) -> None:
        """Called before an attribute is set, or an item of a container (without a name)."""
        if name is not None:
            raise Uncapturable(f"the attribute '{name}' of a '{type(holder).__name__}' is set")
        if isinstance(holder, TensorBase):
            return
        self._check_inside(holder)
        if self.tracer.guarded(holder) or type(holder) not in _OWN:
            raise Uncapturable(f"an item of a '{type(holder).__name__}' from outside is set")

    def _check_inside(self, holder: Any) -> None:
        """In a part that may not be run, or run often, a container stays as it is."""
        if self.tracer is not self._outermost:
            raise Uncapturable(f"a {type(holder).__name__} is changed where control flow depends on a tensor")

    def call(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        """A call: of a function that is rewritten too, where it can be."""
        if fn is print:
            return self._print(args, kwargs)
        if fn is len and len(args) == 1 and isinstance(args[0], TensorBase) and args[0].ndim:
            return args[0].shape[0]  # Python's own would need the number itself
        if (fn is getattr or fn is hasattr) and len(args) > 1 and not kwargs:
            return self._asked(fn, *args)
        if isinstance(fn, types.BuiltinMethodType) and fn.__name__ in _CHANGING and self.tracer.guarded(fn.__self__):
            raise Uncapturable(f"a {type(fn.__self__).__name__} from outside is changed")
        if isinstance(fn, types.BuiltinMethodType) and fn.__name__ in _CHANGING and isinstance(fn.__self__, _OWN):
            self._check_inside(fn.__self__)
        if type(fn) is functools.partial:
            return self.call(fn.func, *fn.args, *args, **{**fn.keywords, **kwargs})
        own = type(fn).__dict__.get("__call__")
        if isinstance(own, types.FunctionType) and not isinstance(fn, type) and not is_cell(fn) and is_own(own):
            return self.call(own, fn, *args, **kwargs)
        made = converted(original(fn), self)
        if made is None:
            check_builtin(fn)
            check_unrewritten(self.tracer, original(fn), (*args, *kwargs.values()))
            return fn(*args, **kwargs)
        guard_defaults(self.tracer, original(fn))
        self.depth += 1
        try:
            limits.check_depth(self.depth)
            return made(*args, **kwargs)
        finally:
            self.depth -= 1

    def _asked(self, fn: Any, holder: Any, name: str, *default: Any) -> Any:
        """``getattr`` and ``hasattr``."""
        if not isinstance(holder, TensorBase) and not hasattr(holder, name):
            guard_has(self.tracer, holder, name, False)
            return fn(holder, name, *default)
        value = self.attr(holder, name)
        if fn is getattr:
            return value
        guard_has(self.tracer, holder, name, True)
        return True

    def construct(self, cell: Any) -> Any:
        """The rewritten `construct` of a Cell that is called; None when it has none."""
        guard_cell(self.tracer, cell)
        guard_defaults(self.tracer, original(cell.construct))
        return converted(original(cell.construct), self)

    def _print(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Printing is done at each run of the graph, with the numbers of that run."""
        step = Call(_Printing(kwargs))
        given = tuple(self.tracer.value_of(arg) if isinstance(arg, TensorBase) else arg for arg in args)
        self.tracer.later(lambda: print(*args, **kwargs))
        self.tracer.add(step, given, effect=True)


class _Printing:
    """``print`` with its keyword arguments."""

    __qualname__ = "print"

    def __init__(self, kwargs: dict[str, Any]) -> None:
        self.kwargs = kwargs

    def __call__(self, *args: Any) -> None:
        print(*args, **self.kwargs)


def original(fn: Any) -> Any:
    """The function behind a compiled one."""
    return getattr(fn, "fn", fn) if isinstance(fn, Compiled) else fn


def _flag(value: TensorBase) -> Any:
    """A tensor as a bool, in the graph."""
    if value.size != 1:
        return bool(value)  # raises what Python's truth of it raises
    flag = value if value.dtype.kind == "b" else ops_by_name["not_equal"](value, 0)
    return flag if flag.ndim == 0 else ops_by_name["reshape"](flag, ())
