"""`@op`, `@composite`, `@view`: one declaration per op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core import dispatch as core
from ms_kernels.core.dispatch import Op, ops_by_name
from ms_kernels.core.operators import bind_operator
from ms_kernels.opdef.catalog import catalog
from ms_kernels.opdef.forms import parse
from ms_kernels.opdef.spec import Record

__all__ = ["COMPLEX", "FLOATS", "INTS", "NUMBERS", "REALS", "all_ops", "composite", "op", "view"]

Names = str | Sequence[str]


def _np(*names: str) -> frozenset[Any]:
    return frozenset(np.dtype(getattr(mstype, name).np) for name in names)


FLOATS = _np("float16", "bfloat16", "float32", "float64")
INTS = _np("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = _np("complex64", "complex128")
REALS = FLOATS | INTS
NUMBERS = REALS | COMPLEX

_KINDS = {"Array": core.TENSOR, "Array | None": core.OPTIONAL, "list[Array]": core.TENSORS}


def all_ops() -> dict[str, Op]:
    """Every declared op by its canonical name (a copy); loads all families."""
    catalog.load()
    return dict(ops_by_name)


def op(
    *,
    shape: Callable[..., Any] | None = None,
    dtype: Callable[..., Any] | None = None,
    promote: int | None = None,
    accepts: frozenset[Any] | None = None,
    vjp: Callable[..., Any] | None = None,
    nondiff: str = "",
    fuse: str = "",
    ascend: str = "",
    batch: str = "",
    loop: str = "",
    name: str | None = None,
    label: str | None = None,
    ops: Names = (),
    mint: Names = (),
    mintf: Names = (),
    mintl: Names = (),
    tensor: Names = (),
    inplace: Names = (),
    primitive: Names = (),
    dunder: str = "",
    rename: dict[str, str] | None = None,
    check: int | None = None,
    composite: bool = False,
    view: bool = False,
) -> Callable[[Callable[..., Any]], Op]:
    """Declare the decorated body as an op.

    Args:
        shape: rule giving the result's shape (a list of shapes for several results) from the operands' shapes; it
            raises for shapes that do not fit, before the body runs.
        dtype: rule giving the result's dtype from the operands' dtypes.
        promote: whether operands are brought to one dtype first: `core.KEEP`, `core.PROMOTE`, `core.PROMOTE_FLOAT`
            (integers become float32).  By default as the dtype rule says: `rules.promote`, `rules.floating`.
            Of a composite: whether numbers may stand for its operands (any but `core.KEEP`).
        accepts: the NumPy dtypes that operands may have; None for all.
        vjp: gradient rule ``(g, out, *parameters)`` in tensor ops, giving one gradient per tensor operand (a callable
            entry is only called when that gradient is wanted).  Names with a leading "_" are not kept for it.
        nondiff: why there is no gradient.  One of the two must be given.
        fuse: what a graph compiler may do with it: "elementwise", "reduce", "view" or "".
        ascend: the named rounding policy of the Ascend target.
        batch: the rule by which `vmap` does it for all samples at once (see `tape.batching`); by default as the shape
            rule implies: operands that meet element by element, reductions over `dim`. Without one, and for calls that
            the rule does not serve, it is done for each sample. Composites need none.
        loop: the native loop that computes it for equal-shaped floats.
        label: the name in error texts; by default that of the primitive.
        ops, mint, mintf, mintl, tensor, inplace, primitive: public call forms, as signature texts (mintf:
            ``mint.nn.functional``, mintl: ``mint.linalg``).
        dunder: the Python operator that calls it.
        rename: public parameter name -> canonical one, where the common table of spellings does not tell.
        check: when the shape rule is asked; by default always, for broadcasting only when shapes differ.
    """

    def declare(body: Callable[..., Any]) -> Op:
        known = name or body.__name__
        if known in ops_by_name:
            raise ValueError(f"op '{known}' is declared twice")
        names = body.__code__.co_varnames[: body.__code__.co_argcount]
        kinds = bytes(_KINDS.get(body.__annotations__.get(p, ""), core.ATTRIBUTE) for p in names)
        if not composite and (vjp is None) == (not nondiff):
            raise ValueError(f"op '{known}' needs either a gradient rule or the reason why it has none")
        saves, saves_out = _saved(known, vjp, names)
        surfaces = {
            "ops": ops,
            "mint": mint,
            "mintf": mintf,
            "mintl": mintl,
            "tensor": tensor,
            "inplace": inplace,
            "primitive": primitive,
        }
        texts = tuple(
            (surface, text)
            for surface, given in surfaces.items()
            for text in ((given,) if isinstance(given, str) else given)
        )
        record = Record(
            known,
            body,
            texts,
            lambda surface, text: parse(surface, text, names, rename or {}),
            fuse,
            ascend,
            batch,
        )
        public = record.public("primitive") or [text[: text.index("(")] for _, text in texts] or [known]
        made = Op(
            name=known,
            label=label or public[0],
            params=names,
            kinds=kinds,
            defaults=body.__defaults__ or (),
            body=body,
            vjp=vjp,
            saves=saves,
            saves_out=saves_out,
            shape=shape,
            dtype=dtype,
            promote=_promotion(dtype) if promote is None else promote,
            accepts=accepts,
            nondiff=nondiff,
            view=view,
            composite=composite,
            check=_checking(shape) if check is None else check,
            record=record,
        )
        made.__doc__ = body.__doc__
        made.__name__ = known
        made.__module__ = body.__module__
        made.dunder = dunder
        if loop:
            core.bind_loop(made, loop)
        if dunder:
            bind_operator(dunder, made)
        ops_by_name[known] = made
        return made

    return declare


def composite(**declaration: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare a body written in tensor ops: gradient, shape and dtype follow from them."""
    return op(composite=True, **declaration)


def view(**declaration: Any) -> Callable[[Callable[..., Any]], Op]:
    """Declare a body that gives a view of its first operand's array."""
    return op(view=True, fuse="view", ascend="copy", **declaration)


def _promotion(rule: Callable[..., Any] | None) -> int:
    kind = getattr(rule, "__name__", "")
    return {"promote": core.PROMOTE, "floating": core.PROMOTE_FLOAT}.get(kind, core.KEEP)


def _checking(rule: Callable[..., Any] | None) -> int:
    if rule is None or getattr(rule, "__name__", "") == "same":
        return int(core.CHECK_NEVER)
    return int(core.CHECK_BROADCAST if getattr(rule, "broadcasts", False) else core.CHECK_ALWAYS)


def _saved(name: str, vjp: Callable[..., Any] | None, params: tuple[str, ...]) -> tuple[bytes, bool]:
    """Which operands the gradient rule uses, read from its own parameter names."""
    if vjp is None:
        return bytes(len(params)), False
    takes = vjp.__code__.co_varnames[: vjp.__code__.co_argcount]
    if [t.removeprefix("_") for t in takes[2:]] != [p.removeprefix("_") for p in params]:
        raise ValueError(f"the gradient rule of '{name}' must take (g, out, {', '.join(params)}), not {takes}")
    return bytes(not t.startswith("_") for t in takes[2:]), not takes[1].startswith("_")
