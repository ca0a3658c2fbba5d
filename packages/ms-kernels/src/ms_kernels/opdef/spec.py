"""The declaration of an op: what `@op`, `@composite` and `@view` keep of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

__all__ = ["Array", "Form", "Record"]


# Annotation of a body's parameter: a tensor operand (an @op's body gets an ndarray, a @composite's a Tensor)
Array = Any


@dataclass(frozen=True, slots=True)
class Form:
    """One public way to call an op: its parameters, and where each goes among the op's canonical ones.

    Attributes:
        surface: where it appears: "ops", "mint", "tensor", "inplace", "primitive".
        name: the public name there.
        params: (public name, canonical name or constant, default or MISSING, keyword only) of each parameter.
        init: for primitives, the parameters of the constructor, in the same form.
        fixed: canonical parameters that this form gives a value of its own and its caller cannot set.
    """

    surface: str
    name: str
    params: tuple[Param, ...]
    init: tuple[Param, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a public call form; `kinds` restricts what it takes ("" = anything)."""

    name: str
    target: str
    default: Any
    keyword_only: bool = False
    kinds: str = ""


class Missing:
    """Stands for "no default"."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Record:
    """All that is declared of one op beside its body, rules and gradient.

    Attributes:
        family: the module that declares it.
        texts: (surface, signature text) of every public call form, in the order of declaration.
        fuse, ascend, batch: see `ms_kernels.opdef.register.op`.
    """

    def __init__(
        self,
        name: str,
        body: Callable[..., Any],
        texts: tuple[tuple[str, str], ...],
        read: Callable[..., Form],
        fuse: str,
        ascend: str,
        batch: str = "",
    ) -> None:
        self.name, self.fuse, self.ascend, self.batch = name, fuse, ascend, batch
        self.family = body.__module__.rsplit(".", 1)[-1]
        self.texts = texts
        self._body, self._read = body, read

    @cached_property
    def doc(self) -> str:
        """The documentation of the op."""
        return inspect.getdoc(self._body) or ""

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The call forms; read at first use, since a program uses few of them."""
        return tuple(self._read(surface, text) for surface, text in self.texts)

    def public(self, surface: str) -> list[str]:
        """The public names on a surface, one for each call form there."""
        return [text[: text.index("(")] for kind, text in self.texts if kind == surface]
