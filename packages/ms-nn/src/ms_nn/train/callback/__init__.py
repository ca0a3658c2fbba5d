"""Callbacks of trainings and evaluations (``mindspore.train.callback``)."""

from __future__ import annotations

from ms_nn.train.callback._base import Callback, RunContext
from ms_nn.train.callback._monitors import History, LossMonitor, TimeMonitor
from ms_nn.train.callback._others import LambdaCallback, LearningRateScheduler
from ms_nn.train.callback._plateau import EarlyStopping, ReduceLROnPlateau
from ms_nn.train.callback._progress import ProgressBar

__all__ = [
    "Callback",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "TimeMonitor",
]
