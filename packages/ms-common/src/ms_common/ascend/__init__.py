"""`mindspore.device_context.ascend`: the settings of the emulated NPU, and the choice of its chip, which is our own."""

from __future__ import annotations

from ms_common.ascend.op_debug import aclinit_config, debug_option, execute_timeout
from ms_common.ascend.op_precision import conv_allow_hf32, matmul_allow_hf32, op_precision_mode, precision_mode
from ms_common.ascend.op_tuning import aoe_job_type, aoe_tune_mode, op_compile
from ms_common.ascend.queries import device_count, is_available
from ms_kernels.targets.ascend import get_profile, set_choices, set_profile

__all__ = [
    "aclinit_config",
    "aoe_job_type",
    "aoe_tune_mode",
    "conv_allow_hf32",
    "debug_option",
    "device_count",
    "execute_timeout",
    "get_profile",
    "is_available",
    "matmul_allow_hf32",
    "op_compile",
    "op_precision_mode",
    "precision_mode",
    "set_choices",
    "set_profile",
]
