"""Programs over tensors as graphs: captured once, run many times."""

from ms_jit._version import __version__
from ms_jit.api import draw, jit
from ms_jit.arguments import JitArguments, check_arguments
from ms_jit.config import JitConfig
from ms_jit.flops import flops_collection
from ms_jit.limits import limits, set_recursion_limit
from ms_jit.marks import jit_class, lazy_inline, no_inline

__all__ = [
    "JitArguments",
    "JitConfig",
    "__version__",
    "check_arguments",
    "draw",
    "flops_collection",
    "jit",
    "jit_class",
    "lazy_inline",
    "limits",
    "no_inline",
    "set_recursion_limit",
]
