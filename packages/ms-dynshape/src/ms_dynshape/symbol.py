"""`Symbol`: what a program knows about a dimension whose length is not fixed yet."""

from __future__ import annotations

from typing import Any


class Symbol:
    """A dimension of unknown length with bounds and a congruence (`mindspore.Symbol` of 2.6).

    The length is a positive integer ``divisor * k + remainder``, between ``min`` and ``max``.

    Args:
        max: largest length; a value that is not greater than ``min`` means "no upper bound".
        min: smallest length.
        divisor: the length leaves ``remainder`` when divided by this.
        remainder: in ``[0, divisor)``.
        unique: True: every dimension that this object stands for has one and the same length.
        **kwargs: ignored, as 2.6 does.

    Raises:
        TypeError: `max`, `min`, `divisor` or `remainder` is no int, or `unique` is no bool.
        ValueError: `min` or `divisor` is not positive, or `remainder` is out of range.

    >>> batch = Symbol(max=64, divisor=8)
    >>> print(batch)
    {'max': 64, 'divisor': 8}
    """

    def __init__(
        self, max: int = 0, min: int = 1, divisor: int = 1, remainder: int = 0, unique: bool = False, **kwargs: Any
    ) -> None:
        self._check_args_type(max, min, divisor, remainder, unique)
        if min <= 0:
            raise ValueError(f"For 'Symbol', the 'min' value should be positive, but got {min}")
        if divisor <= 0:
            raise ValueError(f"For 'Symbol', the 'divisor' value should be positive, but got {divisor}")
        if not 0 <= remainder < divisor:
            raise ValueError(
                f"For 'Symbol', the 'remainder' value should be in the range '[0, {divisor})', but got {remainder}"
            )
        self.max = max
        self.min = min
        self.divisor = divisor
        self.remainder = remainder
        self.unique = unique
        self.id = id(self)

    @staticmethod
    def _check_args_type(max: object, min: object, divisor: object, remainder: object, unique: object) -> None:
        numbers = (("max", max), ("min", min), ("divisor", divisor), ("remainder", remainder))
        for name, value, kind in (*((n, v, int) for n, v in numbers), ("unique", unique, bool)):
            if not isinstance(value, kind):
                raise TypeError(f"For 'Symbol', the argument '{name}' must be {kind.__name__}, but got {type(value)}")

    def to_dict(self) -> dict[str, int]:
        """The facts that say more than the defaults.

        `min` is left out where the congruence already says as much; a unique symbol also tells its `id`.

        >>> Symbol(min=3, max=9).to_dict()
        {'max': 9, 'min': 3}
        """
        facts: dict[str, int] = {}
        if self.max > self.min:
            facts["max"] = self.max
        if self.min > self.divisor + self.remainder:
            facts["min"] = self.min
        if self.divisor != 1:
            facts["divisor"] = self.divisor
        if self.remainder != 0:
            facts["remainder"] = self.remainder
        if self.unique:
            facts["id"] = self.id
        return facts

    def __str__(self) -> str:
        return str(self.to_dict())
