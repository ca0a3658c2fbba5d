"""The one table behind the `mindspore` alias: public module -> our modules. What is not here does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ms_common.alias import names
from ms_common.alias.names_nn import NN
from ms_common.alias.row import Row

__all__ = ["MINDSPORE_VERSION", "rows"]

MINDSPORE_VERSION = "2.6.0"

# By level, cheap packages first: looking up a data type does not load the kernels.
_COMMON = (
    "ms_dtype",
    "ms_dynshape",
    "ms_kernels",
    "ms_kernels.functional",
    "ms_kernels.tensor.sparse",
    "ms_kernels.tensor.sparse_rows",
    "ms_generator",
    "ms_jit",
    "ms_common.api",
    "ms_dump",
)
_TOP = (
    "ms_common.log",
    *_COMMON,
    "ms_common.context",
    "ms_common.device",
    "ms_common.runtime",
    "ms_nn",
    "ms_nn.train",
    "ms_jit.mindir",
    "ms_common.check",
)
# In ms-dtype, from_numpy is about types; 2.6's name is about tensors.
_DTYPE = {"ms_dtype": names.COMMON - {"from_numpy"}}
_SHADOWED = frozenset({"seed", "tensor", "mutable", "lazy_inline", "no_inline", "recompute"})
# In 2.6 metrics are names of mindspore.nn, too.
_TRAINING = ("ms_nn.train", "ms_nn.train._loss_scale")
_IN_NN = {"ms_nn.train": names.METRICS | {"get_metrics"}, "ms_nn.train._loss_scale": names.LOSS_SCALE_CELLS}
_OPS = ("ms_kernels.functional", "ms_kernels.sparse", "ms_kernels.sparse_primitives", "ms_kernels")
_MINT = ("ms_kernels.mint_functional", "ms_kernels.mint")


def _mirror(path: str, *sources: str) -> Row:
    return Row(path, sources, mirror=True)


def _table() -> Iterable[Row]:
    common, device = "mindspore.common", "mindspore.device_context"
    version = {"__version__": MINDSPORE_VERSION}
    yield Row(
        "mindspore",
        _TOP,
        names.TOP,
        part={**_DTYPE, "ms_kernels.functional": names.TOP - names.METRICS},  # an op and a metric share a name
        functions=frozenset({"run_check"}),
        links={"dtype": f"{common}.dtype"},
        constants=version,
        # Tensor and Parameter say that they live there, and inspect looks for their source in loaded modules.
        loads=(f"{common}.tensor", f"{common}.parameter"),
    )
    yield Row("mindspore.version", constants=version)
    yield Row("mindspore.run_check", ("ms_common.check",))
    yield Row(common, (*_COMMON, "ms_jit.mindir"), names.COMMON, part=_DTYPE, functions=_SHADOWED)
    yield _mirror(f"{common}.dtype", "ms_dtype")
    yield _mirror(f"{common}.symbol", "ms_dynshape.symbol")
    yield _mirror(f"{common}.mutable", "ms_dynshape.mutable")
    yield _mirror(f"{common}.auto_dynamic_shape", "ms_dynshape.auto_dynamic_shape")
    yield _mirror(f"{common}.hook_handle", "ms_hooks.handle")
    yield _mirror(f"{common}.sparse_tensor", "ms_kernels.tensor.sparse", "ms_kernels.tensor.sparse_rows")
    yield Row(f"{common}.recompute", ("ms_kernels.tape.recompute",))
    yield Row(f"{common}._grad_function", ("ms_kernels",), frozenset({"_Function"}))
    yield _mirror(f"{common}.tensor", "ms_kernels.tensor.tensor")
    yield _mirror(f"{common}.parameter", "ms_kernels.tensor.parameter")
    yield Row(f"{common}.api", ("ms_common.api", "ms_jit"), functions=frozenset({"jit"}))
    yield _mirror(f"{common}.jit_config", "ms_jit.config")
    yield _mirror(f"{common}.jit_begin_end", "ms_jit.block")
    yield _mirror(f"{common}.jit_trace", "ms_jit.block", "ms_jit.api", "ms_jit.context")
    yield _mirror(f"{common}.jit_context", "ms_jit.context")
    yield _mirror(f"{common}.file_system", "ms_fs.file_system")
    yield Row(f"{common}.dump", ("ms_dump",), frozenset({"set_dump"}))
    yield _mirror(f"{common}.generator", "ms_generator.generator", "ms_generator.default")
    yield _mirror(f"{common}.seed", "ms_generator.seeds")
    yield _mirror(f"{common}.initializer", "ms_initializer")
    yield _mirror("mindspore.log", "ms_common.log")
    yield _mirror("mindspore.context", "ms_common.context")
    yield Row("mindspore.runtime", ("ms_common.runtime", "ms_common.streams"))
    yield Row("mindspore.numpy", ("ms_common.array",))
    yield Row(device)
    yield Row(f"{device}.cpu", ("ms_common.device",), frozenset({"device_count", "is_available", "threads_num"}))
    yield Row(f"{device}.cpu.op_tuning", ("ms_common.device",), frozenset({"threads_num"}))
    yield Row(f"{device}.cpu.device", ("ms_common.device",), frozenset({"device_count", "is_available"}))
    own = frozenset({"get_profile", "set_choices", "set_profile"})  # the choice of the chip is not 2.6's
    yield Row(f"{device}.ascend", ("ms_common.ascend",), frozenset(names.ASCEND) | own)
    for part in ("op_precision", "op_tuning", "op_debug"):
        yield Row(f"{device}.ascend.{part}", (f"ms_common.ascend.{part}",))
    yield Row(f"{device}.ascend.device", ("ms_common.ascend.queries",))
    yield Row("mindspore.hal", ("ms_common.hal", "ms_common.streams"))
    yield Row("mindspore.nn", ("ms_nn", *_TRAINING), part=_IN_NN)
    yield _mirror("mindspore.nn.cell", "ms_nn.cell")
    yield Row(
        "mindspore.nn.layer", ("ms_nn",), frozenset().union(*(v for k, v in NN.items() if k.startswith("layer.")))
    )
    yield Row("mindspore.nn.loss.loss", ("ms_nn",), NN["loss"])
    for submodule, listed in NN.items():
        yield Row(f"mindspore.nn.{submodule}", ("ms_nn", "ms_nn.train._loss_scale", "ms_nn.optim.own"), listed)
    # ProgressBar is of our own: 2.6 does not have it.
    yield Row("mindspore.train", ("ms_nn.train",), names.TRAIN)
    yield _mirror("mindspore.train.serialization", "ms_nn.train.serialization", "ms_jit.mindir")
    yield Row("mindspore.train.model", ("ms_nn.train.model",))
    yield Row("mindspore.train.callback", ("ms_nn.train.callback",), names.TRAIN)
    yield Row("mindspore.train.metrics", ("ms_nn.train.metrics",), names.TRAIN)
    yield Row("mindspore.train.amp", ("ms_nn.train.amp",))
    yield Row("mindspore.train.loss_scale_manager", ("ms_nn.train.loss_scale_manager",))
    yield Row("mindspore.amp", ("ms_nn.amp",))
    yield Row("mindspore.dataset", ("ms_nn.dataset",), names.DATASET)
    yield Row("mindspore.dataset.config", ("ms_nn.dataset.config",))
    yield Row("mindspore.ops", _OPS, part={"ms_kernels": names.OPS_CORE})
    yield Row("mindspore.ops.operations", _OPS, part={"ms_kernels": frozenset({"Primitive"})})
    yield Row("mindspore.ops.functional", _OPS, part={"ms_kernels": names.OPS_CORE})
    yield Row("mindspore.ops.composite", ("ms_kernels",), frozenset({"GradOperation"}))
    yield Row("mindspore.ops.primitive", ("ms_kernels.opdef.primitive",))
    yield Row("mindspore.mint", ("ms_kernels.mint",), names.MINT)
    yield Row("mindspore.mint.nn", ("ms_nn.mint.nn",), names.MINT_NN)
    yield Row("mindspore.mint.nn.layer", ("ms_nn.mint.nn",), names.MINT_LAYERS)
    yield Row("mindspore.mint.nn.functional", _MINT, names.MINT_FUNCTIONAL)
    yield Row("mindspore.mint.special", _MINT, names.MINT_SPECIAL)
    yield Row("mindspore.mint.linalg", ("ms_kernels.mint_linalg",), names.MINT_LINALG)
    yield Row("mindspore.mint.optim", ("ms_nn.mint.optim",), names.MINT_OPTIM)


rows: Mapping[str, Row] = MappingProxyType({row.path: row for row in _table()})
