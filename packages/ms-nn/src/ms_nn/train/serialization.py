"""Checkpoints: saving, loading, converting (``mindspore.train.serialization``)."""

from __future__ import annotations

from ms_nn.train._converting import ckpt_to_safetensors, safetensors_to_ckpt
from ms_nn.train._loading import (
    ParamDictFuture,
    check_checkpoint,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    load_segmented_checkpoints,
)
from ms_nn.train._saving import async_ckpt_thread_status, save_checkpoint

__all__ = [
    "ParamDictFuture",
    "async_ckpt_thread_status",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "load_segmented_checkpoints",
    "safetensors_to_ckpt",
    "save_checkpoint",
]
