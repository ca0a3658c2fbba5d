"""What stands for something else while code is captured: doubles of tensors, and names without a value."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.tensor import TensorBase, alias, from_array

__all__ = ["Unbound", "double"]


def double(tensor: TensorBase) -> Any:
    """Return a tensor of the same memory and place on the tape, with an array of its own: what a graph knows it by.

    So it is told from the same tensor that came in twice, or that the code also reaches in another way.
    """
    made = from_array(alias(tensor)._raw.view())
    made._set_owner(tensor)
    made._set_tape(tensor._tape, tensor._tape_index)
    return made


class Unbound:
    """In place of a local variable before its first assignment; every use of it is the error that Python raises."""

    __slots__ = ("_ms_name",)

    def __init__(self, name: str) -> None:
        self._ms_name = name

    def _refuse(self, *_args: Any, **_kwargs: Any) -> Any:
        raise UnboundLocalError(
            f"cannot access local variable '{self._ms_name}' where it is not associated with a value"
        )

    __getattr__ = __call__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = _refuse
    __getitem__ = __iter__ = __len__ = __bool__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse
