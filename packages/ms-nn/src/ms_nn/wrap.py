"""Cells that put network, loss and optimizer together."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_kernels import ParameterTuple, Tensor, stop_gradient, value_and_grad
from ms_kernels.opdef.errors import fail
from ms_kernels.tape.grad import GradOperation
from ms_nn.cell import Cell
from ms_nn.layers.linear import Identity

__all__ = [
    "ForwardValueAndGrad",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]


class WithLossCell(Cell):
    """``loss_fn(backbone(data), label)`` (``mindspore.nn.WithLossCell``).

    >>> from ms_nn import Dense, MSELoss
    >>> from ms_kernels import Tensor
    >>> net = WithLossCell(Dense(2, 1, "ones", "zeros"), MSELoss())
    >>> print(net(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
    4.0
    """

    def __init__(self, backbone: Any, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        if isinstance(backbone, Cell) and isinstance(loss_fn, Cell):
            self.training = backbone.training
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        """The loss."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Any:
        """The network without the loss."""
        return self._backbone


class WithEvalCell(Cell):
    """(loss, outputs, label) for metrics (``mindspore.nn.WithEvalCell``).

    Args:
        network: called with the data.
        loss_fn: called with outputs and label.
        add_cast_fp32: convert both to float32 for the loss.
    """

    def __init__(self, network: Any, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(add_cast_fp32, bool):
            fail(TypeError, "WithEvalCell", "'add_cast_fp32'", "be a bool", type(add_cast_fp32).__name__)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data: Any, label: Any) -> Any:
        """Loss, outputs and label."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            label, outputs = (x.astype(mstype.float32) if x.dtype.kind == "f" else x for x in (label, outputs))
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """The gradients of the loss by the network's weights (``mindspore.nn.WithGradCell``).

    Args:
        network: with a loss inside, or beside `loss_fn`.
        loss_fn: called with outputs and label; None: the network computes the loss.
        sens: the gradient of the loss itself; None: 1.
    """

    def __init__(self, network: Any, loss_fn: Any = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self._whole: Any = network if loss_fn is None else WithLossCell(network, loss_fn)
        self._gradient = GradOperation(get_by_list=True, sens_param=sens is not None)

    def construct(self, *inputs: Any) -> Any:
        """One gradient for each weight."""
        gradient = self._gradient(self._whole, self.weights)
        return gradient(*inputs) if self.sens is None else gradient(*inputs, self.sens)


class ForwardValueAndGrad(Cell):
    """(result, gradients) of a network (``mindspore.nn.ForwardValueAndGrad``).

    Args:
        network: what is called.
        weights: Parameters to differentiate by, with `get_by_list`.
        get_all: differentiate by all inputs.
        get_by_list: differentiate by `weights`.
        sens_param: the last input is the gradient of the result.
    """

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            fail(TypeError, "ForwardValueAndGrad", "'network'", "be a function or a Cell", type(network).__name__)
        for arg, value in (("get_all", get_all), ("get_by_list", get_by_list)):
            if not isinstance(value, bool):
                fail(TypeError, "ForwardValueAndGrad", f"'{arg}'", "be a bool", type(value).__name__)
        if get_by_list and not weights:
            fail(TypeError, "ForwardValueAndGrad", "'weights'", "be Parameters when 'get_by_list' is True")
        self.network = network
        object.__setattr__(self, "weights", weights)  # they are the network's own: not registered again
        self._gradient = GradOperation(get_all, get_by_list, sens_param)
        self.sens_param = sens_param

    def construct(self, *inputs: Any) -> Any:
        """Result and gradients."""
        kept: list[Any] = []

        def forward(*args: Any) -> Any:
            kept.append(self.network(*args))
            return kept[-1]

        grads = self._gradient(forward, self.weights)(*inputs)
        return stop_gradient(kept[-1]), grads


class TrainOneStepCell(Cell):
    """Forward, gradients and update in one call, which returns the loss (``mindspore.nn.TrainOneStepCell``).

    Args:
        network: gives the loss.
        optimizer: updates its parameters.
        sens: the gradient of the loss itself: a number or Tensor; None: 1.
        return_grad: return (loss, {name: gradient}).

    >>> from ms_nn import SGD, Dense, MSELoss
    >>> from ms_kernels import Tensor
    >>> net = WithLossCell(Dense(2, 1, "ones", "zeros"), MSELoss())
    >>> step = TrainOneStepCell(net, SGD(net.trainable_params(), 0.05))
    >>> x, y = Tensor([[1.0, 1.0]]), Tensor([[1.0]])
    >>> print(step(x, y), step(x, y).asnumpy().round(4))
    1.0 0.49
    """

    def __init__(self, network: Any, optimizer: Any, sens: Any = None, return_grad: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.grad_reducer = Identity()
        self.weights = optimizer.parameters
        self.sens = 1.0 if sens is None else sens
        self.return_grad = return_grad

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "weights":
            object.__setattr__(self, name, value)  # the network's own parameters: not registered a second time
        else:
            super().__setattr__(name, value)

    def construct(self, *inputs: Any) -> Any:
        """The loss before the update."""
        loss, grads = value_and_grad(self.network, None, self.weights)(*inputs)
        if isinstance(self.sens, Tensor) or self.sens != 1.0:
            grads = tuple(grad * self.sens for grad in grads)
        grads = self.grad_reducer(grads)
        self.optimizer(grads)
        if self.return_grad:
            return loss, {param.name: grad for param, grad in zip(self.weights, grads)}
        return loss
