"""The namespaces `mindspore.mint.nn` and `mindspore.mint.optim` of 2.6."""

from __future__ import annotations

from ms_nn.mint import nn, optim

__all__ = ["nn", "optim"]
