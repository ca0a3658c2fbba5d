"""grad, value_and_grad and what belongs to them: functions of functions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import is_recording, scope
from ms_kernels.core.tensor import Node, TensorBase, from_array, next_sequence
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.backward import backward
from ms_kernels.tape.batched import constant, detached

__all__ = ["GradOperation", "get_grad", "grad", "stop_gradient", "value_and_grad"]


class _Alias:
    """The op of a node that stands for another tensor: the gradient passes through."""

    @staticmethod
    def backward(_node: Node, given: Any) -> list[Any]:
        return [given]


def _leaf(x: TensorBase) -> Any:
    """Return x under a new node, which a gradient can be asked for; an outer tape still sees x behind it."""
    parents: tuple[Node, ...] = ()
    indices: tuple[int, ...] | None = None
    if x._tape is not None and is_recording():
        parents, indices = (x._tape,), (x._tape_index,)
    out = detached(x)
    node = Node(_Alias, (), parents, indices)
    hooks = getattr(x, "_hooks", None)
    if hooks is not None:
        node.hooks = {0: hooks}
    out._set_tape(node)
    return out


def _positions(grad_position: Any, name: str) -> tuple[int, ...] | None:
    if grad_position is None:
        return None
    items = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int):
            fail(TypeError, name, "'grad_position'", "be None, an int or a tuple of ints", describe(item))
        if item < 0:
            fail(ValueError, name, "'grad_position'", "be non-negative", str(item))
    if not items:
        fail(RuntimeError, name, "'grad_position'", "not be empty", "()")
    return items


def _flat(value: Any) -> list[TensorBase]:
    """The tensors inside nested tuples, lists and dicts, in order."""
    if isinstance(value, TensorBase):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in _flat(item)]
    if isinstance(value, dict):
        return [t for item in value.values() for t in _flat(item)]
    return []


def _map(value: Any, function: Callable[[TensorBase], Any]) -> Any:
    if isinstance(value, TensorBase):
        return function(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_map(item, function) for item in value)
    if isinstance(value, dict):
        return {key: _map(item, function) for key, item in value.items()}
    return value


def _weight_list(weights: Any) -> list[Any]:
    found = [weights] if isinstance(weights, TensorBase) else list(weights)
    for item in found:
        if not isinstance(item, TensorBase):
            fail(TypeError, "value_and_grad", "'weights'", "be Parameters", describe(item))
    return found


class _Leaves:
    """The weights' places on the tape during one call: a weight that has none gets one for that time.

    Calls in several threads share a place that was lent: the last to end takes it back.
    """

    _lock = threading.Lock()
    _users: dict[int, int] = {}  # id of a weight with a lent place -> how many calls use it

    def __init__(self, weights: Sequence[TensorBase]) -> None:
        self.lent: list[TensorBase] = []
        self.nodes: list[Any] = []
        for weight in weights:
            with self._lock:
                if weight._tape is None:
                    weight._set_tape(Node(None))
                    self._users[id(weight)] = 0
                if id(weight) in self._users:
                    self._users[id(weight)] += 1
                    self.lent.append(weight)
                self.nodes.append(weight._tape)

    def release(self) -> None:
        for weight in self.lent:
            with self._lock:
                self._users[id(weight)] -= 1
                if not self._users[id(weight)]:
                    del self._users[id(weight)]
                    weight._set_tape(None)


def _zeros(x: TensorBase) -> Any:
    return from_array(np.zeros(x.shape, x._kind))


def run(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    positions: tuple[int, ...] | None,
    weights: Sequence[TensorBase] | None,
    has_aux: bool,
    seeds: Sequence[TensorBase] | None = None,
    name: str = "grad",
) -> tuple[Any, Any, Any]:
    """Call fn and return (value, gradients of the positions' inputs, gradients of the weights)."""
    outer = is_recording()
    since = next_sequence()
    args_list = list(args)
    inputs: list[Any] = []
    for position in positions or ():
        if position >= len(args):
            rule = f"be less than the number of inputs, {len(args)}"
            fail(RuntimeError, name, "'grad_position'", rule, str(position))
        if not _flat(args[position]):
            got = describe(args[position])
            fail(TypeError, name, f"input {position} of 'fn'", "be or hold Tensors to differentiate by", got)
        args_list[position] = _map(args[position], _leaf)
        inputs.append(args_list[position])
    leaves = _Leaves(weights or ())
    try:
        with scope(recording=True):
            value = fn(*args_list, **kwargs)
        if has_aux and not (isinstance(value, tuple) and len(value) > 1):
            fail(ValueError, name, "output of 'fn'", "be a tuple of two or more with 'has_aux'", describe(value))
        main = value[0] if has_aux else value
        outputs = [out for out in _flat(main) if seeds is not None or out.dtype.kind != "b"]
        if not _flat(main):
            fail(TypeError, name, "output of 'fn'", "be a Tensor or hold Tensors", describe(main))
        given = [_ones(out) for out in outputs] if seeds is None else seeds
        targets = [leaf._tape for item in inputs for leaf in _flat(item)] + leaves.nodes
        with scope(recording=outer):
            found = iter(backward(outputs, given, targets, since))
            by_input = [_map(item, lambda leaf: _or_zeros(next(found), leaf)) for item in inputs]
            by_weight = [_or_zeros(next(found), weight) for weight in weights or ()]
    finally:
        leaves.release()
    if not outer:
        value = _map(value, _off)
    return value, by_input, by_weight


def _off(x: TensorBase) -> TensorBase:
    """Drop a result's tape: nothing outside will walk it, and its memory can go."""
    if x._tape is not None and x._tape.op is not None:
        x._set_tape(None)
    return x


def _ones(out: TensorBase) -> Any:
    return from_array(np.ones(out.shape, out._kind))


def _or_zeros(grad: Any, like: TensorBase) -> Any:
    return _zeros(like) if grad is None else grad


def _packed(by_input: list[Any], by_weight: list[Any], positions: Any, weights: Any, ids: bool, single: bool) -> Any:
    """Give gradients the form that 2.6 documents for the forms of `grad_position` and `weights`."""
    first: Any = None
    if positions is not None:
        items = [(p, g) for p, g in zip(positions, by_input)] if ids else by_input
        first = items[0] if single else tuple(items)
    if weights is None:
        return first
    many = _weight_list(weights)
    named = [(w.name, g) for w, g in zip(many, by_weight)] if ids else by_weight
    second = named[0] if isinstance(weights, TensorBase) else tuple(named)
    return second if positions is None else (first, second)


def _transform(
    name: str, fn: Any, grad_position: Any, weights: Any, has_aux: bool, return_ids: bool, with_value: bool
) -> Callable[..., Any]:
    if not callable(fn):
        fail(TypeError, name, "'fn'", "be a function or a Cell", describe(fn))
    if grad_position is None and weights is None:
        fail(ValueError, name, "'grad_position' and 'weights'", "not both be None")
    positions = _positions(grad_position, name)
    single = not isinstance(grad_position, tuple) or len(grad_position) == 1  # as 2.6: one position, one gradient
    for key, flag in (("has_aux", has_aux), ("return_ids", return_ids)):
        if not isinstance(flag, bool):
            fail(TypeError, name, f"'{key}'", "be a bool", describe(flag))

    def after_grad(*args: Any, **kwargs: Any) -> Any:
        many = None if weights is None else _weight_list(weights)
        value, by_input, by_weight = run(fn, args, kwargs, positions, many, has_aux, name=name)
        grads = _packed(by_input, by_weight, positions, weights, return_ids, single)
        if with_value:
            return value, grads
        return (grads, value[1:]) if has_aux else grads

    return after_grad


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes fn and its gradient (``mindspore.value_and_grad``).

    Args:
        fn: a function or Cell; the gradient is that of the sum of all its results.
        grad_position: the positional inputs to differentiate by: an int gives one gradient, a tuple a tuple, None none.
        weights: a Parameter, or a list or ParameterTuple, to differentiate by as well.
        has_aux: only fn's first result is differentiated, the others are passed on.
        return_ids: give (position or name, gradient) in place of each gradient.

    Returns:
        A function returning (value, gradients): by inputs, by weights, or a pair of both.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: `grad_position` and `weights` are both None, or a position is out of range.

    Examples:
        >>> from ms_kernels import Tensor, value_and_grad
        >>> value, gradient = value_and_grad(lambda x: x * x)(Tensor(3.0))
        >>> print(value, gradient)
        9.0 6.0
    """
    return _transform("value_and_grad", fn, grad_position, weights, has_aux, return_ids, True)


def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the gradient of fn (``mindspore.grad``); arguments as `value_and_grad`.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> print(grad(grad(lambda x: x * x * x))(Tensor(2.0)))
        12.0
    """
    return _transform("grad", fn, grad_position, weights, has_aux, return_ids, False)


def get_grad(gradients: Any, identifier: Any) -> Any:
    """Pick one gradient from those that ``return_ids=True`` gave, by position or by Parameter (``mindspore.get_grad``).

    Raises:
        RuntimeError: it is not among them.

    Examples:
        >>> from ms_kernels import Tensor, grad, get_grad
        >>> found = grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(2.0), Tensor(5.0))
        >>> print(get_grad(found, 1))
        2.0
    """
    key = identifier.name if isinstance(identifier, TensorBase) and hasattr(identifier, "name") else identifier

    def pairs(value: Any) -> Any:
        if isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], (tuple, TensorBase)):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                yield from pairs(item)

    for name, found in pairs(gradients):
        if name == key:
            return found
    raise RuntimeError(f"For 'get_grad', the identifier must be one of those in the gradients, but got {key!r}.")


def stop_gradient(value: Any) -> Any:
    """Return value, or the tensors nested in it, as constants (``ops.stop_gradient``); a list comes back as a tuple.

    Examples:
        >>> from ms_kernels import Tensor, grad, stop_gradient
        >>> print(grad(lambda x: x * stop_gradient(x))(Tensor(3.0)))
        3.0
    """
    return _map(tuple(value) if isinstance(value, list) else value, constant)


class GradOperation:
    """The older spelling of `grad` (``mindspore.ops.GradOperation``).

    Args:
        get_all: differentiate by all tensor inputs, not by the first alone.
        get_by_list: differentiate by the parameters given beside the function.
        sens_param: the last argument of the call is the gradient of the result.

    Examples:
        >>> from ms_kernels import GradOperation, Tensor
        >>> print(GradOperation(get_all=True)(lambda x, y: x * y)(Tensor(2.0), Tensor(5.0)))
        (Tensor(shape=[], dtype=Float32, value= 5), Tensor(shape=[], dtype=Float32, value= 2))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for key, flag in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(flag, bool):
                fail(TypeError, "GradOperation", f"'{key}'", "be a bool", describe(flag))
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Any, weights: Any = None) -> Callable[..., Any]:
        if not callable(fn):
            fail(TypeError, "GradOperation", "'fn'", "be a function or a Cell", describe(fn))
        if self.get_by_list and weights is None and hasattr(fn, "trainable_params"):
            weights = fn.trainable_params()

        def after_grad(*args: Any, **kwargs: Any) -> Any:
            seeds = None
            if self.sens_param:
                if "sens" in kwargs:
                    given = _flat(kwargs.pop("sens"))
                else:
                    given, args = _flat(args[-1]), args[:-1]
                seeds = given
            tensors = tuple(i for i, arg in enumerate(args) if _flat(arg))
            positions = tensors if self.get_all else () if self.get_by_list else tensors[:1]
            many = _weight_list(weights) if self.get_by_list else None
            _, by_input, by_weight = run(fn, args, kwargs, positions, many, False, seeds, "GradOperation")
            if self.get_by_list:
                return (tuple(by_input), tuple(by_weight)) if self.get_all else tuple(by_weight)
            return tuple(by_input) if self.get_all else by_input[0]

        return after_grad
