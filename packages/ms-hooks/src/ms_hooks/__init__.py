"""Hooks: weak handles, ordered tables that may change while they run, and the `Hookable` mixin."""

from ms_hooks._version import __version__
from ms_hooks.chain import run_backward, run_backward_pre, run_forward, run_forward_pre, run_tensor
from ms_hooks.handle import HookHandle, _TensorHookHandle
from ms_hooks.hookable import Hookable
from ms_hooks.table import Hook, HookTable, check_hook

__all__ = [
    "Hook",
    "HookHandle",
    "HookTable",
    "Hookable",
    "_TensorHookHandle",
    "__version__",
    "check_hook",
    "run_backward",
    "run_backward_pre",
    "run_forward",
    "run_forward_pre",
    "run_tensor",
]
