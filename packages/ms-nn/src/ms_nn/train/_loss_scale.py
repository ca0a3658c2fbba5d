"""The cells of a training step whose loss is scaled."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, settings, value_and_grad
from ms_kernels.opdef.errors import fail
from ms_kernels.tape.grad import GradOperation
from ms_nn.cell import Cell
from ms_nn.wrap import TrainOneStepCell

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell", "are_finite"]


def are_finite(values: Any) -> bool:
    """Whether no number in any of some Tensors is NaN or infinite; on Ascend, whether the chip says so.

    >>> are_finite([Tensor([1.0]), Tensor([np.inf])])
    False
    """
    if settings.device_target == "Ascend":
        from ms_kernels.targets.ascend import all_finite  # a chip that saturates keeps a status instead of infinities

        return all_finite([value.asnumpy() for value in values])
    return all(bool(np.isfinite(value.asnumpy()).all()) for value in values)


class FixedLossScaleUpdateCell(Cell):
    """Keeps the factor as it is (``mindspore.nn.FixedLossScaleUpdateCell``).

    Args:
        loss_scale_value: the factor.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The factor."""
        return self.loss_scale_value

    def construct(self, _loss_scale: Any, overflow: Any) -> Any:
        """Just `overflow`."""
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """Divides the factor on overflow, and multiplies it after a while without (``nn.DynamicLossScaleUpdateCell``).

    Args:
        loss_scale_value: the first factor.
        scale_factor: by what to multiply and divide.
        scale_window: after how many steps without overflow to multiply.
    """

    def __init__(self, loss_scale_value: float, scale_factor: float, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor = scale_factor
        self.scale_window = scale_window
        self._good_steps = 0

    def get_loss_scale(self) -> float:
        """The first factor."""
        return self.loss_scale_value

    def construct(self, loss_scale: Any, overflow: Any) -> Any:
        """Change the Parameter `loss_scale`; returns `overflow`."""
        scale = float(loss_scale.asnumpy())
        self._good_steps = 0 if overflow else self._good_steps + 1
        if overflow:
            scale = max(scale / self.scale_factor, 1.0)
        elif self._good_steps >= self.scale_window:
            scale, self._good_steps = scale * self.scale_factor, 0
        loss_scale.set_data(Tensor(np.array(scale, np.float32)))
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step on a scaled loss that leaves out updates with overflow (``nn.TrainOneStepWithLossScaleCell``).

    Args:
        network: gives the loss.
        optimizer: updates its parameters.
        scale_sense: the factor as a Tensor, or a cell that changes it, as the managers' `get_update_cell` makes.

    Raises:
        TypeError: `scale_sense` is neither.

    >>> from ms_nn import SGD, Dense, MSELoss, WithLossCell
    >>> net = WithLossCell(Dense(1, 1, "ones", "zeros"), MSELoss())
    >>> step = TrainOneStepWithLossScaleCell(net, SGD(net.trainable_params(), 0.1), Tensor(1024.0))
    >>> loss, overflow, scale = step(Tensor([[2.0]]), Tensor([[1.0]]))
    >>> print(loss, overflow, scale)
    1.0 False 1024.0
    """

    def __init__(self, network: Any, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            start: Any = scale_sense.get_loss_scale()
        elif isinstance(scale_sense, Tensor):
            start = scale_sense.asnumpy().reshape(())
        else:
            fail(
                TypeError,
                "TrainOneStepWithLossScaleCell",
                "type of 'scale_sense'",
                "be Cell or Tensor",
                type(scale_sense).__name__,
            )
        self.scale_sense = Parameter(Tensor(np.array(start, np.float32)), name="scale_sense", requires_grad=False)

    # the parts of `construct`, for subclasses that put them together in another way

    def set_sense_scale(self, sens: Any) -> None:
        """Set the factor to a Tensor.

        Raises:
            TypeError: `sens` is none.
        """
        if not isinstance(sens, Tensor):
            fail(TypeError, type(self).__name__, "type of 'sens'", "be Tensor", type(sens).__name__)
        self.scale_sense.set_data(Tensor(sens.asnumpy().reshape(()).astype(np.float32)))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """Just (`pre_cond`, `compute_input`): here the gradients themselves are looked at afterwards."""
        return pre_cond, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Whether the gradients `compute_output` overflowed."""
        grads = compute_output if isinstance(compute_output, (tuple, list)) else (compute_output,)
        return Tensor(not are_finite(grads), mstype.bool_)

    def process_loss_scale(self, overflow: Any) -> Any:
        """Change the factor after a step; returns `overflow`."""
        manager = self.loss_scaling_manager
        return overflow if manager is None else manager(self.scale_sense, bool(overflow))

    def construct(self, *inputs: Any) -> Any:
        """(loss, whether the gradients overflowed, the factor)."""
        scale = self.scale_sense.asnumpy().copy()
        factor = Tensor(scale)

        def scaled(*args: Any) -> Any:
            loss = self.network(*args)
            return loss * factor.astype(loss.dtype), loss

        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is what is looked for below
            (_, loss), grads = value_and_grad(scaled, None, self.weights, has_aux=True)(*inputs)
            grads = tuple(grad / factor.astype(grad.dtype) for grad in grads)
        overflow = self.process_loss_scale(bool(self.get_overflow_status(None, grads)))
        if not overflow:
            self.optimizer(self.grad_reducer(grads))
        return loss, Tensor(overflow, mstype.bool_), factor
