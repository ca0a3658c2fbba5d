"""Cells around a network that cut batches into parts or hand values through, as 2.6's distributed training does."""

from __future__ import annotations

from typing import Any

from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell
from ms_nn.containers import CellList

__all__ = [
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "VirtualDatasetCellTriple",
]


class _MicroBatch(Cell):
    """Every so many-th part of the inputs, along their first dimension."""

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.parts = parts

    def construct(self, i: int, *inputs: Any) -> tuple[Any, ...]:
        """Part `i` of each input."""
        return tuple(self._part(i, value) for value in inputs)

    def _part(self, i: int, value: Any) -> Any:
        if not isinstance(value, Tensor) or value.ndim == 0:
            return value
        size = value.shape[0]
        if size % self.parts:
            raise ValueError(
                f"For micro batch initialization, the 0th dimension shape of input({size}) must be divided by micro "
                f"size({self.parts})"
            )
        step = size // self.parts
        return value[i * step : (i + 1) * step]


class _Parts(Cell):
    """The sum of a network's results over the parts of a batch."""

    _arg = "micro_size"
    _list = "micro_inputs"

    def __init__(self, network: Any, parts: Any) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        if not isinstance(network, Cell):
            fail(TypeError, name, "'network'", "be a Cell", type(network).__name__)
        if isinstance(parts, bool) or not isinstance(parts, int):
            raise TypeError(
                f"For '{name}', the argument '{self._arg}' must be integer, but got the type : {type(parts)}."
            )
        if parts < 1:
            raise ValueError(f"For '{name}', the argument '{self._arg}' must be large than 0, but got {parts}.")
        self.network = network
        setattr(self, self._list, CellList([_MicroBatch(parts) for _ in range(parts)]))

    def construct(self, *inputs: Any) -> Any:
        """The sum of the results."""
        total: Any = None
        for i, part in enumerate(getattr(self, self._list)):
            out = self.network(*part(i, *inputs))
            total = out if total is None else total + out
        return total


class MicroBatchInterleaved(_Parts):
    """The network's results on `interleave_num` parts of the batch, added (``mindspore.nn.MicroBatchInterleaved``).

    Raises:
        TypeError, ValueError: `network` is no Cell, or the number no int above 0; in the call, a batch that cannot be
            cut so.

    >>> from ms_nn import ReLU
    >>> print(MicroBatchInterleaved(ReLU(), 2)(Tensor([1.0, 2.0, 10.0, 20.0])))
    [11. 22.]
    """

    _arg = "interleave_num"
    _list = "interleave_inputs"

    def __init__(self, network: Any, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num)
        self.interleave_num = interleave_num


class PipelineCell(_Parts):
    """The network's results on `micro_size` parts of the batch, added (``mindspore.nn.PipelineCell``).

    Args:
        network: a Cell.
        micro_size: the number of parts.
        stage_config: {name of a sub-cell: stage}; kept as their attribute `pipeline_stage`, all run here.

    Raises:
        TypeError, ValueError: as `MicroBatchInterleaved`.
        KeyError: `stage_config` names what is not there.
    """

    def __init__(self, network: Any, micro_size: int, stage_config: dict[str, int] | None = None) -> None:
        super().__init__(network, micro_size)
        self.micro_size = micro_size
        cells = dict(network.cells_and_names())
        for name, stage in (stage_config or {}).items():
            if name not in cells:
                raise KeyError(
                    f"For 'PipelineCell', the argument 'stage_config' : {stage_config} is not found in 'network' : "
                    f"{network}"
                )
            cells[name].pipeline_stage = stage


class GradAccumulationCell(_Parts):
    """The network's results on `micro_size` parts of the batch, added (``mindspore.nn.GradAccumulationCell``).

    So the gradient of the whole is the sum of the parts' gradients.

    Raises:
        TypeError, ValueError: as `MicroBatchInterleaved`.
    """

    def __init__(self, network: Any, micro_size: int) -> None:
        super().__init__(network, micro_size)
        self.micro_size = micro_size


class ParameterUpdate(Cell):
    """Sets a parameter to what it is called with (``mindspore.nn.ParameterUpdate``).

    Raises:
        TypeError: `param` is no Parameter.
        ValueError: (in the call) the shapes differ.

    >>> update = ParameterUpdate(Parameter(Tensor([1.0, 2.0]), name="w"))
    >>> print(update(Tensor([5.0, 6.0])).asnumpy())
    [5. 6.]
    """

    def __init__(self, param: Any) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(f"For 'ParameterUpdate', 'param' must be 'Parameter', but got {type(param)}.")
        self._param = param

    def construct(self, x: Any) -> Any:
        """The parameter."""
        if tuple(x.shape) != tuple(self._param.shape):
            fail(ValueError, "ParameterUpdate", "shape of 'x'", f"be {list(self._param.shape)}", str(list(x.shape)))
        F.assign(self._param, x)
        return self._param


class VirtualDatasetCellTriple(Cell):
    """The backbone, called with three inputs, which are the whole batch here (``nn.VirtualDatasetCellTriple``)."""

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a: Any, b: Any, c: Any) -> Any:
        """The backbone's result."""
        return self._backbone(a, b, c)
