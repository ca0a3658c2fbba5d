"""Dims that differ from run to run, as expressions over the dims of the inputs.

While a graph for many shapes is captured, each such dim of an input is a symbol.  What an op makes of symbols is found
by asking its shape rule about a large prime in place of each: a result dim that is a prime, or a product or sum known
to come from some, is that expression.  What the code asks about them ("is it 1?") becomes a guard on the inputs' dims.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["Dim", "Dims", "Guard"]

_PRIMES = (100003, 100019, 100043, 100049, 100057, 100069, 100103, 100109, 100129, 100151, 100153, 100169, 100183)
OPS: dict[str, Callable[[int, int], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


class Dim:
    """An expression: a dim of an input, or what arithmetic makes of expressions and ints.

    Attributes:
        key: tells equal expressions.
        prime: its value with a prime for each symbol.
        now: its value at the run that is captured.
    """

    __slots__ = ("args", "key", "now", "op", "prime")

    def __init__(self, op: str, args: tuple[Any, ...], now: int, prime: int) -> None:
        self.op, self.args, self.now, self.prime = op, args, now, prime
        self.key: tuple[Any, ...] = (op, *(arg.key if isinstance(arg, Dim) else arg for arg in args))

    def value(self, dims: Mapping[tuple[int, int], int]) -> int:
        """The value for given dims of the inputs."""
        if self.op == "input":
            return dims[self.args]
        left, right = (arg.value(dims) if isinstance(arg, Dim) else arg for arg in self.args)
        return int(OPS[self.op](left, right))

    def symbols(self) -> set[tuple[int, int]]:
        """The (input, axis) pairs that it depends on."""
        if self.op == "input":
            return {self.args}
        return set().union(*(arg.symbols() for arg in self.args if isinstance(arg, Dim)))

    def __repr__(self) -> str:
        if self.op == "input":
            return f"dim{self.args}"
        return f"{self.op}({', '.join(map(repr, self.args))})"


class Guard:
    """What must hold of the inputs' dims for a graph to fit: a comparison came out as it did at the capture."""

    def __init__(self, op: str, left: Dim | int, right: Dim | int, found: bool) -> None:
        self.op, self.left, self.right, self.found = op, left, right, found

    def holds(self, dims: Mapping[tuple[int, int], int]) -> bool:
        """Tell whether it holds for given dims."""
        left, right = (item.value(dims) if isinstance(item, Dim) else item for item in (self.left, self.right))
        return bool(OPS[self.op](left, right)) == self.found

    def __repr__(self) -> str:
        return f"{self.left} {self.op} {self.right} is {self.found}"


class Dims:
    """The symbols of a capture, the expressions over them that were met, and the guards."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self._symbols: list[Dim] = []
        self._fixed: set[tuple[int, int]] = set()
        self._known: dict[int, Dim] = {}
        self._asked: set[Any] = set()

    @property
    def used(self) -> bool:
        """Whether there is any dim that may differ."""
        return bool(self._symbols)

    def symbol(self, place: int, axis: int, now: int) -> Dim:
        """A new symbol, for a dim of an input.

        Raises:
            OverflowError: there are more than the primes suffice for.
        """
        if len(self._symbols) == len(_PRIMES):
            raise OverflowError(f"more than {len(_PRIMES)} dims that may differ")
        made = Dim("input", (place, axis), now, _PRIMES[len(self._symbols)])
        self._symbols.append(made)
        return self._keep(made)

    def fix(self, symbol: Dim) -> None:
        """From here on the graph is for the value that a symbol has now."""
        self.compare("eq", symbol, symbol.now)

    def free(self, dims: Iterable[Dim]) -> list[Dim]:
        """The symbols in some expressions that may still differ."""
        places = set().union(*(dim.symbols() for dim in dims)) - self._fixed
        return [symbol for symbol in self._symbols if symbol.args in places]

    def assignment(self, *fixed: Dim) -> dict[tuple[int, int], int]:
        """A prime for each symbol that may differ, the value of now for the others and for those given."""
        places = self._fixed | {symbol.args for symbol in fixed}
        return {symbol.args: symbol.now if symbol.args in places else symbol.prime for symbol in self._symbols}

    def _keep(self, dim: Dim) -> Dim:
        return self._known.setdefault(dim.prime, dim)

    def combine(self, op: str, left: Dim | int, right: Dim | int) -> Dim | int:
        """The expression of an operation; an int when it does not depend on a symbol."""
        now = [item.now if isinstance(item, Dim) else item for item in (left, right)]
        primes = [item.prime if isinstance(item, Dim) else item for item in (left, right)]
        if not isinstance(left, Dim) and not isinstance(right, Dim):
            return int(OPS[op](left, right))
        if op in ("floordiv", "mod"):
            exact = self._exact(op, left, right)
            if exact is not None:
                return exact
        return self._keep(Dim(op, (left, right), int(OPS[op](*now)), int(OPS[op](*primes))))

    def _exact(self, op: str, left: Dim | int, right: Dim | int) -> Dim | int | None:
        """A product divided by one of its factors."""
        if isinstance(left, Dim) and left.op == "mul":
            for i in (0, 1):
                factor, rest = left.args[i], left.args[1 - i]
                if _same(factor, right):
                    return rest if op == "floordiv" else 0
        if _same(left, right):
            return 1 if op == "floordiv" else 0
        return None

    def compare(self, op: str, left: Dim | int, right: Dim | int) -> bool:
        """The outcome of a comparison now, which becomes a guard unless it is the same for all dims."""
        if _same(left, right):
            return op in ("eq", "le", "ge")
        now = [item.now if isinstance(item, Dim) else item for item in (left, right)]
        found = bool(OPS[op](*now))
        if op == "eq" and found and isinstance(left, Dim) and left.op == "input" and not isinstance(right, Dim):
            self._fixed.add(left.args)
        asked = (op, getattr(left, "key", left), getattr(right, "key", right))
        if asked not in self._asked:
            self._asked.add(asked)
            self.guards.append(Guard(op, left, right, found))
        return found

    def of_prime(self, prime: int, now: int) -> Dim | int | None:
        """The dim that a shape rule gave for primes; None when it is not known how it comes about."""
        known = self._known.get(prime)
        if known is not None:
            return known
        if prime < _PRIMES[0] // 2:
            return prime if prime == now else None
        for symbol in self._symbols:
            times, rest = divmod(prime, symbol.prime)
            if rest == 0:
                inner = self.of_prime(times, now // symbol.now) if symbol.now else None
                return None if inner is None else self.combine("mul", inner, symbol)
        for known in list(self._known.values()):
            apart = prime - known.prime
            if abs(apart) < _PRIMES[0] // 2 and known.now + apart == now:
                return self.combine("add", known, apart)
            other = self._known.get(apart)
            if other is not None and known.now + other.now == now:
                return self.combine("add", known, other)
        return None


def _same(left: Dim | int, right: Dim | int) -> bool:
    if isinstance(left, Dim) and isinstance(right, Dim):
        return left is right or left.key == right.key
    return not isinstance(left, Dim) and not isinstance(right, Dim) and left == right
