"""Records mindcv.json: runs tests/clients/mindcv_models.py with MindSpore 2.6 itself.

Needs mindcv 0.3.0 (installed with --no-deps), tqdm and PyYAML beside MindSpore.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "clients" / "mindcv_models.py"
MODELS = [
    "resnet:resnet18:64:1000",
    "squeezenet:squeezenet1_0:64:1000",
    *(
        f"{name}:10"
        for name in (
            "convit:convit_tiny:224",
            "densenet:densenet121:64",
            "edgenext:edgenext_xx_small:64",
            "efficientnet:efficientnet_b0:64",
            "ghostnet:ghostnet_050:64",
            "googlenet:googlenet:96",
            "mlpmixer:mlp_mixer_s_p32:224",
            "mnasnet:mnasnet_050:64",
            "mobilenetv1:mobilenet_v1_025:64",
            "mobilenetv2:mobilenet_v2_100:64",
            "mobilenetv3:mobilenet_v3_small_100:64",
            "mobilevit:mobilevit_xx_small:64",
            "pit:pit_ti:224",
            "regnet:regnet_x_200mf:64",
            "senet:seresnet18:64",
            "shufflenetv1:shufflenet_v1_g3_05:64",
            "shufflenetv2:shufflenet_v2_x0_5:64",
            "sknet:skresnet18:64",
            "visformer:visformer_tiny:224",
            "xcit:xcit_tiny_12_p16_224:224",
        )
    ),
]

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "mindcv.json"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROGRAM), *MODELS]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=folder, check=True)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            record = json.loads(line)
            found[record.pop("model")] = {k: record[k] for k in ("logits", "loss", "steady", "parameters", "moved")}
    assert list(found) == MODELS
    target.write_text(json.dumps({"mindspore": "2.6.0", "mindcv": "0.3.0", "models": found}) + "\n")
