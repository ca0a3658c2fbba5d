"""`Model`: training, evaluation and prediction with callbacks and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_nn.train import _arguments, amp
from ms_nn.train.callback._base import CallbackList, InternalCallbackParam, RunContext, as_list, check_names, loss_of
from ms_nn.train.metrics import Loss, get_metrics
from ms_nn.wrap import WithEvalCell, WithLossCell

__all__ = ["Model"]


class Model:
    """A network with its loss, optimizer and metrics, ready to be trained (``mindspore.train.Model``).

    Args:
        network: called with the data; without `loss_fn` with all columns, and gives the loss.
        loss_fn: called with outputs and label.
        optimizer: updates the parameters; None: a training only computes the loss.
        metrics: names of metrics (a set), or metrics by name (a dict).
        eval_network: gives what the metrics see; None: (loss, outputs, label) of `network` and `loss_fn`.
        eval_indexes: where loss, outputs and label are among the results of `eval_network`; None: metrics see all.
        amp_level: see `ms_nn.amp.auto_mixed_precision`.
        boost_level: for 2.6's sake; changes nothing.
        kwargs: `loss_scale_manager` and `keep_batchnorm_fp32`, in place of the level's.

    Raises:
        TypeError, ValueError, KeyError: an argument is something else.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> from ms_nn import SGD, Dense, MSELoss
    >>> from ms_nn.dataset import NumpySlicesDataset
    >>> net = Dense(1, 1, "zeros", "zeros")
    >>> model = Model(net, MSELoss(), SGD(net.trainable_params(), 0.1), metrics={"mae"})
    >>> x = np.array([[1.0], [-1.0]], np.float32)
    >>> data = NumpySlicesDataset((x, 3 * x), shuffle=False).batch(2)
    >>> model.train(20, data)
    >>> print(model.predict(Tensor([[2.0]])).asnumpy().round(1), round(float(model.eval(data)["mae"]), 2))
    [[5.9]] 0.03
    """

    def __init__(
        self,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Any = None,
        eval_indexes: Any = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        _arguments.check_cells(network, loss_fn, optimizer, eval_network)
        _arguments.check_options(kwargs, eval_indexes)
        amp.check_levels(amp_level, boost_level)
        amp.check_scaling(kwargs.get("loss_scale_manager"), kwargs.get("keep_batchnorm_fp32", True))
        self._metrics = get_metrics(metrics) or {}
        if self._metrics and eval_network is None and loss_fn is None:
            raise ValueError(
                "If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you don't want an "
                "evaluation: it needs an `eval_network`, or a `loss_fn` from which one is built."
            )
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        settings = {k: v for k, v in kwargs.items() if k in ("loss_scale_manager", "keep_batchnorm_fp32")}
        self._train_network = self._make_train_network(amp_level, boost_level, settings)
        self._eval_network = eval_network
        self._eval_indexes: list[int] | None = eval_indexes
        if eval_network is None and self._metrics:
            self._eval_network = WithEvalCell(network, loss_fn, amp_level in ("O2", "O3"))
            self._eval_indexes = [0, 1, 2]

    def _make_train_network(self, amp_level: str, boost_level: str, settings: dict[str, Any]) -> Any:
        if self._optimizer is not None:
            return amp.build_train_network(
                self._network, self._optimizer, self._loss_fn, amp_level, boost_level, **settings
            )
        network = amp.auto_mixed_precision(self._network, amp_level)
        return network if self._loss_fn is None else WithLossCell(network, self._loss_fn)

    @property
    def train_network(self) -> Any:
        """The cell that does a step of the training."""
        return self._train_network

    @property
    def eval_network(self) -> Any:
        """The cell that gives what the metrics see, or None."""
        return self._eval_network

    @property
    def predict_network(self) -> Any:
        """The cell that predicts."""
        return self._network

    # -- training -----------------------------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train for some epochs.

        Args:
            epoch: the number of the last epoch.
            train_dataset: gives the batches.
            callbacks: one or a list.
            dataset_sink_mode: for 2.6's sake: on CPU, data goes batch by batch anyhow.
            sink_size: with `dataset_sink_mode`, what callbacks take as the number of batches; -1: the dataset's.
            initial_epoch: the number of epochs that were done before.

        Raises:
            TypeError, ValueError: an argument is something else.
        """
        _arguments.check_epochs("Model.train", epoch, initial_epoch)
        _arguments.check_sink("Model.train", dataset_sink_mode, sink_size)
        _arguments.dataset_size("Model.train", "train_dataset", train_dataset)
        chosen = as_list(callbacks)
        check_names(chosen, fit=False)
        params = self._train_params(epoch - initial_epoch, train_dataset, dataset_sink_mode, sink_size)
        self._run_epochs(CallbackList(chosen), params, train_dataset, initial_epoch, lambda *_: None)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train, and evaluate after epochs.

        Args:
            epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch: see `train`.
            valid_dataset: gives the batches of the evaluations; None: no evaluation.
            valid_frequency: after how many epochs to evaluate, or a list of the epochs after which.
            valid_dataset_sink_mode: for 2.6's sake.

        Raises:
            TypeError, ValueError: an argument is something else, or there are no metrics.
        """
        _arguments.check_epochs("Model.fit", epoch, initial_epoch)
        _arguments.check_sink("Model.fit", dataset_sink_mode, sink_size)
        _arguments.check_sink("Model.fit", valid_dataset_sink_mode, -1)
        _arguments.dataset_size("Model.fit", "train_dataset", train_dataset)
        if valid_dataset is not None:
            _arguments.dataset_size("Model.fit", "valid_dataset", valid_dataset)
            if not self._metrics:
                raise ValueError(
                    "For 'Model.fit', if valid_dataset is not None, the model argument 'metrics' can not be None or "
                    "empty, you should set the argument 'metrics' for model."
                )
        _arguments.check_frequency(valid_frequency)
        chosen = as_list(callbacks)
        check_names(chosen, fit=True)
        params = self._train_params(epoch - initial_epoch, train_dataset, dataset_sink_mode, sink_size)
        listed = CallbackList(chosen)

        def evaluate(context: RunContext, number: int) -> None:
            due = number in valid_frequency if isinstance(valid_frequency, list) else number % valid_frequency == 0
            if valid_dataset is not None and due:
                self._evaluate_within(listed, context, params, valid_dataset)

        self._run_epochs(listed, params, train_dataset, initial_epoch, evaluate)

    def _train_params(self, epochs: int, dataset: Any, sink: bool, sink_size: int) -> InternalCallbackParam:
        steps = sink_size if sink and sink_size != -1 else int(dataset.get_dataset_size())
        parts = {"train_network": self._train_network, "network": self._network, "loss_fn": self._loss_fn}
        scaling = {"optimizer": self._optimizer, "loss_scale_mananger": self._loss_scale_manager}  # 2.6 spells it so
        fixed = {"mode": "train", "parallel_mode": "stand_alone", "device_number": 1, "dataset_sink_mode": False}
        unused = {"is_arf": False, "last_save_ckpt_step": None, "latest_ckpt_file": None}
        counts = {"epoch_num": epochs, "batch_num": steps, "cur_step_num": 0}
        data = {"train_dataset": dataset, "train_dataset_element": None}
        return InternalCallbackParam({**parts, **scaling, **fixed, **unused, **counts, **data})

    def _run_epochs(
        self,
        callbacks: CallbackList,
        params: InternalCallbackParam,
        dataset: Any,
        initial_epoch: int,
        after_epoch: Callable[[RunContext, int], None],
    ) -> None:
        params.list_callback = list(callbacks)
        context = RunContext(params)
        iterator = dataset.create_tuple_iterator(num_epochs=params.epoch_num)
        with callbacks.entered():
            callbacks.call("on_train_begin", context)
            for number in range(initial_epoch + 1, initial_epoch + params.epoch_num + 1):
                self._train_network.set_train()
                params.cur_epoch_num = number
                callbacks.call("on_train_epoch_begin", context)
                self._run_steps(callbacks, context, params, iterator)
                after_epoch(context, number)
                callbacks.call("on_train_epoch_end", context)
                for results in ("eval_results", "metrics"):
                    params.pop(results, None)
                if context.get_stop_requested():
                    break
            callbacks.call("on_train_end", context)

    def _run_steps(
        self, callbacks: CallbackList, context: RunContext, params: InternalCallbackParam, iterator: Any
    ) -> None:
        for batch in iterator:
            _arguments.check_batch("train_dataset", batch, self._loss_fn is not None)
            params.train_dataset_element = batch
            params.cur_step_num += 1
            callbacks.call("on_train_step_begin", context)
            params.net_outputs = self._train_network(*batch)
            callbacks.call("on_train_step_end", context)
            if context.get_stop_requested():
                break

    # -- evaluation ---------------------------------------------------------------------------------------------------

    def eval(self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False) -> dict[str, Any]:
        """The metrics over a dataset, by name.

        Args:
            valid_dataset: gives the batches.
            callbacks: one or a list.
            dataset_sink_mode: for 2.6's sake.

        Raises:
            TypeError, ValueError: an argument is something else, or there are no metrics.
        """
        _arguments.check_sink("Model.eval", dataset_sink_mode, -1)
        if not self._metrics:
            raise ValueError(
                "For Model.eval, the model argument 'metrics' can not be None or empty, you should set the argument "
                "'metrics' for model."
            )
        size = _arguments.dataset_size("Model.eval", "valid_dataset", valid_dataset)
        chosen = as_list(callbacks)
        check_names(chosen, fit=False)
        params = InternalCallbackParam(
            eval_network=self._eval_network,
            valid_dataset=valid_dataset,
            batch_num=size,
            mode="eval",
            cur_step_num=0,
            list_callback=chosen,
            network=self._network,
            dataset_sink_mode=False,
        )
        return self._evaluate(CallbackList(chosen), RunContext(params), params, valid_dataset)

    def _evaluate_within(
        self, callbacks: CallbackList, context: RunContext, params: InternalCallbackParam, dataset: Any
    ) -> None:
        """An evaluation between two epochs; what callbacks know of the training is put back after it."""
        kept = {key: params[key] for key in ("cur_step_num", "batch_num", "mode", "net_outputs") if key in params}
        params.update(
            eval_network=self._eval_network,
            valid_dataset=dataset,
            batch_num=int(dataset.get_dataset_size()),
            mode="eval",
            cur_step_num=0,
        )
        try:
            self._evaluate(callbacks, context, params, dataset)
        finally:
            params.update(kept)
            self._train_network.set_train()

    def _evaluate(
        self, callbacks: CallbackList, context: RunContext, params: InternalCallbackParam, dataset: Any
    ) -> dict[str, Any]:
        self._eval_network.set_train(False)
        for metric in self._metrics.values():
            metric.clear()
        with callbacks.entered():
            callbacks.call("on_eval_begin", context)
            callbacks.call("on_eval_epoch_begin", context)
            for batch in dataset.create_tuple_iterator(num_epochs=1):
                params.cur_step_num += 1
                params.eval_dataset_element = batch
                callbacks.call("on_eval_step_begin", context)
                params.net_outputs = self._eval_network(*batch)
                callbacks.call("on_eval_step_end", context)
                self._update_metrics(params.net_outputs)
                if context.get_stop_requested():
                    break
            callbacks.call("on_eval_epoch_end", context)
            params.metrics = {name: metric.eval() for name, metric in self._metrics.items()}
            if "train_network" in params:
                params.eval_results = {**params.metrics, **self._last_loss(params.net_outputs)}
            callbacks.call("on_eval_end", context)
        results: dict[str, Any] = params.metrics
        return results

    def _last_loss(self, outputs: Any) -> dict[str, float]:
        if self._eval_indexes is None:
            return {}
        return {"eval_loss": float(np.mean(loss_of(outputs[self._eval_indexes[0]])))}

    def _update_metrics(self, outputs: Any) -> None:
        results = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        places = self._eval_indexes
        if places is not None and len(results) < 3:
            raise ValueError(f"The length of 'outputs' must be >= 3, but got {len(results)}")
        for metric in self._metrics.values():
            if places is None or metric.indexes is not None:
                metric.update(*results)
            elif isinstance(metric, Loss):
                metric.update(results[places[0]])
            else:
                metric.update(results[places[1]], results[places[2]])

    # -- prediction ---------------------------------------------------------------------------------------------------

    def predict(self, *predict_data: Any, backend: Any = None, config: Any = None) -> Any:
        """What the network gives for some data, as it runs outside a training.

        Args:
            predict_data: the network's inputs.
            backend, config: not supported.

        Raises:
            TypeError: an input is something else than a Tensor, a number or a string.
            ValueError: a `backend` is asked for.
        """
        if backend is not None or config is not None:
            raise ValueError(f"For 'Model.predict', the 'backend' must be None, but got {backend}.")
        _arguments.check_predict(predict_data)
        self._network.set_train(False)
        return self._network(*predict_data)
