"""Callbacks of trainings and evaluations (``mindspore.train.callback``)."""

from __future__ import annotations

from ms_nn.train.callback._backup import BackupAndRestore
from ms_nn.train.callback._base import Callback, RunContext
from ms_nn.train.callback._checkpoint import ModelCheckpoint
from ms_nn.train.callback._checkpoint_config import CheckpointConfig
from ms_nn.train.callback._monitors import History, LossMonitor, TimeMonitor
from ms_nn.train.callback._others import LambdaCallback, LearningRateScheduler
from ms_nn.train.callback._plateau import EarlyStopping, ReduceLROnPlateau
from ms_nn.train.callback._progress import ProgressBar

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "ProgressBar",
    "ReduceLROnPlateau",
    "RunContext",
    "TimeMonitor",
]
