"""What counts as a tensor or a Parameter: told by attributes, so that no tensor class is needed here."""

from __future__ import annotations

from typing import TypeGuard

_Number = int | float


def _is_tensor(value: object) -> bool:
    """NumPy's arrays and the sparse tensors lack `asnumpy`."""
    return all(hasattr(value, name) for name in ("shape", "dtype", "asnumpy"))


def _is_parameter(value: object) -> bool:
    return _is_tensor(value) and hasattr(value, "requires_grad") and hasattr(value, "name")


def _is_number(value: object) -> TypeGuard[_Number]:
    return isinstance(value, (int, float))


def _is_sequence(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, (list, tuple))
