"""Tensors, ops, gradients and random numbers with MindSpore 2.6's names, on native loops."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ms_kernels._version import __version__
from ms_kernels.core.dispatch import is_recording

from ms_kernels.tensor.tensor import Tensor, from_numpy, tensor  # isort: skip  (before the ops: they make tensors)
from ms_kernels.opdef.catalog import catalog as _catalog
from ms_kernels.opdef.surface import install as _install
from ms_kernels.tensor import indexing as _indexing

_catalog.load("arithmetic", "bitwise", "compare", "division", "elementary", "linalg")  # the operators' ops
_install(Tensor, "ms_kernels.tensor.tensor")
Tensor.__getitem__, Tensor.__setitem__ = _indexing.getitem, _indexing.setitem
from ms_kernels._settings import settings  # noqa: E402
from ms_kernels.tensor.parameter import Parameter, ParameterTuple  # noqa: E402

if TYPE_CHECKING:
    from ms_kernels import functional, mint, mint_functional, mint_linalg
    from ms_kernels.opdef.primitive import Primitive
    from ms_kernels.tape.function import _Function
    from ms_kernels.tape.grad import GradOperation, get_grad, grad, stop_gradient, value_and_grad
    from ms_kernels.tape.jacobian import jacfwd, jacrev
    from ms_kernels.tape.modes import no_grad
    from ms_kernels.tape.products import jvp, vjp
    from ms_kernels.tape.recompute import recompute
    from ms_kernels.tape.vmap import vmap

# where the names are that not every program needs: each is imported when it is first looked up
_LATER = {
    **dict.fromkeys(("functional", "mint", "mint_functional", "mint_linalg"), ""),
    "Primitive": "opdef.primitive",
    "_Function": "tape.function",
    **dict.fromkeys(("GradOperation", "get_grad", "grad", "stop_gradient", "value_and_grad"), "tape.grad"),
    **dict.fromkeys(("jacfwd", "jacrev"), "tape.jacobian"),
    "no_grad": "tape.modes",
    **dict.fromkeys(("jvp", "vjp"), "tape.products"),
    "recompute": "tape.recompute",
    "vmap": "tape.vmap",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'ms_kernels' has no attribute '{name}'")
    home = _LATER[name]
    found: Any = import_module(f"ms_kernels.{home or name}")
    if home:
        found = getattr(found, name)
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "GradOperation",
    "Parameter",
    "ParameterTuple",
    "Primitive",
    "Tensor",
    "_Function",
    "__version__",
    "from_numpy",
    "functional",
    "get_grad",
    "grad",
    "is_recording",
    "jacfwd",
    "jacrev",
    "jvp",
    "mint",
    "mint_functional",
    "mint_linalg",
    "no_grad",
    "recompute",
    "settings",
    "stop_gradient",
    "tensor",
    "value_and_grad",
    "vjp",
    "vmap",
]
