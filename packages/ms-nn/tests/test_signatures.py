"""Classes are made and called with 2.6's names, in its order, with its defaults."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import ms_nn
from ms_nn import train
from ms_nn.mint import nn as mint_nn
from ms_nn.mint import optim as mint_optim

VECTORS = Path(__file__).parent / "vectors"
RECORDED = json.loads((VECTORS / "signatures.json").read_text())
MODULES: dict[str, Any] = {"nn": ms_nn, "mint.nn": mint_nn, "mint.optim": mint_optim, "train": train}
HIDDEN = "*args, **kwargs"  # 2.6 hides what the class takes
# of our own: more is taken; or names and defaults that nobody can rely on
OTHER = {
    ("nn", "Cell", "register_forward_hook"),
    ("nn", "Cell", "register_forward_pre_hook"),
    ("nn", "Optimizer", "construct"),
    ("nn", "LossBase", "construct"),
    ("nn", "TripletMarginLoss", "construct"),
}
# 2.6's classes have these for distributed training, or as helpers
WITHOUT = {"broadcast_params", "build", "infer_predict_layout", "infer_train_layout", "shard"} | {
    "check_axis_valid",
    "check_types_valid",
    "get_mbuf_queue_size",
    "get_send_info",
    "init_ada_factor_state",
    "reset_parameters",
}


def _program() -> Any:
    spec = importlib.util.spec_from_file_location("make_signatures", VECTORS / "make_signatures.py")
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def _rows() -> list[tuple[str, str]]:
    return [
        (m, name) for m, kinds in RECORDED.items() for name in kinds if isinstance(getattr(MODULES[m], name, 0), type)
    ]


@pytest.mark.parametrize(("module", "name"), _rows())
def test_as_recorded(module: str, name: str) -> None:
    shown = _program().shown
    kind = getattr(MODULES[module], name)
    for method, wanted in RECORDED[module][name].items():
        if (module, name, method) in OTHER or method in WITHOUT or wanted == HIDDEN:
            continue
        if name == "Cell" and not hasattr(kind, method):
            continue  # what is about distributed training and compiling
        found = shown(getattr(kind, method) if method else kind)
        assert found.replace("*_", "*").replace(" _", " ") == wanted.replace("*_", "*").replace(" _", " "), method


def test_most_of_2_6_is_here() -> None:
    missing = {m: [name for name in kinds if not hasattr(MODULES[m], name)] for m, kinds in RECORDED.items()}
    assert missing["mint.nn"] == missing["mint.optim"] == []
    distributed = {"DistributedGradReducer", "PipelineGradReducer", "OptTFTWrapper", "GetNextSingleOp", "GraphCell"}
    for name in missing["nn"]:
        known = name in distributed or "Thor" in name or "AdaSum" in name or hasattr(train, name)
        assert known or name.endswith(("LossScaleCell", "UpdateCell")), name
