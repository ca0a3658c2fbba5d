"""What runs under `vmap`: the observer that does each call for all samples at once, by the op's batching rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ms_kernels.core.dispatch import TENSORS, Op, decompose, dispatch, is_recording, ops_by_name, replace, scope
from ms_kernels.core.tensor import Node, TensorBase, next_sequence
from ms_kernels.tape.batched import Batched, NeedsValues, batched_in, sample_of
from ms_kernels.tape.batching import Call, rule_of

__all__ = ["Level"]

# what a rule, or an op called with what a rule made of its arguments, raises for arguments that do not fit
_REFUSALS = (TypeError, ValueError, IndexError, RuntimeError)


class Level:
    """One running call of `vmap`; nested ones lie on top of each other.

    Calls with a tensor of samples go to the op's batching rule, which calls ops on the tensors of all samples; these
    run in the modes outside of this level. Where there is no rule, or where it does not know the answer, the op runs
    for each sample. Gradients that were asked for inside are recorded here, in terms of one sample.

    Attributes:
        size: the number of samples.
        open: whether the call still runs.
        recording: whether calls are recorded outside of this level.
        since: nodes from this number on belong to gradients that were asked for inside.
    """

    whole = True  # a composite that looks at numbers is run for each sample, on its own
    watches = False

    def __init__(self, size: int) -> None:
        self.size, self.open = size, True
        self.recording, self.since = is_recording(), next_sequence()

    def run(self, fn: Callable[..., Any], args: Sequence[Any]) -> Any:
        """Call a function of tensors of samples."""
        try:
            with scope(observer=self):
                return fn(*args)
        finally:
            self.open = False

    def told(self, tensor: TensorBase, what: str) -> Any:
        """Not called: this observer does not watch."""

    def effect(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Not called: this observer does not watch."""

    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Do one call, in the modes outside of this level."""
        if op.is_composite:
            return self._composite(op, args)
        call = self._opened(op, args)
        if call is None:
            return dispatch(op, args)
        asked = is_recording()
        if asked and not self.recording:
            with scope(recording=False):
                result = self._for_all(call, args)
        else:
            result = self._for_all(call, args)
        several = isinstance(result, tuple)
        outs = tuple(sample_of(item, self) for item in (result if several else (result,)))
        if asked and not op.nondiff and self._inside(args):
            self._record(op, args, outs, several)
        return outs if several else outs[0]

    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Put a result into a tensor in place."""
        new, old = batched_in(out, self), batched_in(tensor, self)
        if new is None and old is None:
            replace(tensor, out)
            return
        if old is None or is_recording() or tensor._view_of is not None:
            raise NeedsValues(self)  # all samples change one tensor, or the tape has to learn of it
        replace(old.value, self._spread(out, tensor))
        tensor._touch()

    def _spread(self, out: TensorBase, tensor: TensorBase) -> Any:
        """A result for all samples, of a tensor's shape and dtype."""
        new = batched_in(out, self)
        value = new.value if new is not None else ops_by_name["broadcast_np"](out, (self.size, *out.shape))
        return value if value._kind == tensor._kind else ops_by_name["cast_np"](value, tensor._kind)

    def _composite(self, op: Op, args: tuple[Any, ...]) -> Any:
        try:
            with scope(observer=self):
                return decompose(op, args)
        except NeedsValues as signal:
            if signal.level is not self or (is_recording() and self._inside(args)):
                raise
        return _map(self._one_by_one(op, args), lambda value: sample_of(value, self))

    def _opened(self, op: Op, args: tuple[Any, ...]) -> Call | None:
        """The call with what its tensors of samples stand for; None if it has no such tensor."""
        given: list[Any] = []
        flags: list[Any] = []
        found = False
        for kind, arg in zip(op.kinds, args):
            if kind == TENSORS and isinstance(arg, (tuple, list)):
                pairs = [self._one(item) for item in arg]
                given.append([value for value, _ in pairs])
                flags.append([flag for _, flag in pairs])
                found = found or any(flags[-1])
            elif kind:
                value, flag = self._one(arg)
                given.append(value)
                flags.append(flag)
                found = found or flag
            else:
                given.append(arg)
                flags.append(False)
                found = found or self._holds(arg)
        return Call(op, given, flags, self) if found else None

    def _one(self, arg: Any) -> tuple[Any, bool]:
        waiting = arg._waiting if isinstance(arg, TensorBase) else None
        if isinstance(waiting, Batched) and waiting.level is self:
            return waiting.value, True
        return arg, False

    def _holds(self, arg: Any) -> bool:
        """Whether an attribute, such as a key, is or holds a tensor of samples."""
        if isinstance(arg, (tuple, list)):
            return any(self._holds(item) for item in arg)
        return batched_in(arg, self) is not None

    def _for_all(self, call: Call, args: tuple[Any, ...]) -> Any:
        """The result for all samples at once, by the rule, else from sample to sample."""
        rule = rule_of(call.op)
        found = None
        try:
            if rule is not None:
                found = rule(call)
        except _REFUSALS:
            found = None  # one sample will say what is wrong, in terms of its own shape
        except NeedsValues as signal:
            if signal.level is not self:
                raise
        return self._one_by_one(call.op, args) if found is None else found

    def _one_by_one(self, op: Op, args: tuple[Any, ...]) -> Any:
        with scope(recording=is_recording() and self.recording):
            cut = [self._cut(arg) for arg in args]
            results = [dispatch(op, tuple(part(i) for part in cut)) for i in range(self.size)]
            return self._joined(results)

    def _cut(self, arg: Any) -> Callable[[int], Any]:
        """A function giving an argument's part in sample i."""
        found = batched_in(arg, self)
        if found is not None:
            rows = ops_by_name["unbind"](found.value, 0)
            return lambda i: rows[i]
        if isinstance(arg, (tuple, list)) and self._holds(arg):
            kind, parts = type(arg), [self._cut(item) for item in arg]
            return lambda i: kind(part(i) for part in parts)
        return lambda _: arg

    def _joined(self, results: list[Any]) -> Any:
        first = results[0]
        if isinstance(first, (tuple, list)):
            return type(first)(self._joined([row[i] for row in results]) for i in range(len(first)))
        if not isinstance(first, TensorBase):
            if any(item != first for item in results):
                raise NeedsValues(self)
            return first
        return ops_by_name["stack"](results, 0)

    def _inside(self, args: Any) -> bool:
        """Whether a gradient that was asked for inside of this level concerns an operand."""
        if isinstance(args, TensorBase):
            node = args._tape
            return node is not None and (node.op is None or node.sequence >= self.since)
        return isinstance(args, (tuple, list)) and any(self._inside(item) for item in args)

    def _record(self, op: Op, args: tuple[Any, ...], outs: tuple[Any, ...], several: bool) -> None:
        """Write a call to the tape, as the dispatcher does, in terms of one sample."""
        operands: list[Any] = []
        for kind, arg in zip(op.kinds, args):
            if kind:
                operands.extend(arg if kind == TENSORS else (arg if isinstance(arg, TensorBase) else None,))
        saved = tuple(arg if not kind or keep else None for kind, keep, arg in zip(op.kinds, op.saves, args))
        node = Node(
            op,
            saved,
            tuple(None if t is None else t._tape for t in operands),
            tuple(0 if t is None else t._tape_index for t in operands),
            tuple(None if t is None else (t.shape, t._kind) for t in operands),
            tuple(t._waiting for t in outs) if op.saves_out else None,
            tuple((t.shape, t._kind) for t in outs) if several else None,
            tuple(0 if t is None else t._changes for t in operands),
        )
        for i, out in enumerate(outs):
            if out.dtype.kind != "b":
                out._set_tape(node, i)


def _map(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_map(item, function) for item in value)
    return function(value) if isinstance(value, TensorBase) else value
