"""set_dump's example and a training step through the alias, and the report on the program that overflows."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import textwrap
from html.parser import HTMLParser

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "attention_overflow.py"


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "ms_common", *words]
    env = {**os.environ, **environ}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=env)


def dump(tmp_path: pathlib.Path, program: str, mode: int = 2) -> list[str]:
    """Run a program with a dump of mode `mode`; the names of the files."""
    common = {"dump_mode": mode, "path": str(tmp_path / "d"), "net_name": "Net", "iteration": "all", "input_output": 0}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"common_dump_settings": common, "e2e_dump_settings": {"enable": True}}))
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    done = run("run", str(script), MINDSPORE_DUMP_CONFIG=str(config))
    assert done.returncode == 0, done.stderr
    return sorted(path.name for path in (tmp_path / "d").rglob("*.npy"))


NET = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn

    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("Ascend")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(5, 6, kernel_size=5, pad_mode="valid")
            self.relu = nn.ReLU()

        def construct(self, x):
            return self.relu(self.conv(x))

    net = Net()
    x = Tensor(np.ones((1, 5, 10, 10), np.float32))
"""


def test_the_example_of_set_dump(tmp_path: pathlib.Path) -> None:  # SF-DUMP-06, 07
    program = NET + "    ms.set_dump(net.conv)\n    assert net(x).shape == (1, 6, 6, 6)\n"
    assert {name.partition(".")[0] for name in dump(tmp_path, program)} == {"Conv2D"}


def test_every_op_of_it(tmp_path: pathlib.Path) -> None:  # SF-DUMP-08
    names = dump(tmp_path, NET + "    net(x)\n", mode=0)
    assert {name.partition(".")[0] for name in names} == {"Conv2D", "ReLU"}
    assert any("_network-Net_conv-Conv2d_Conv2D-op" in name for name in names)


@pytest.mark.parametrize("loss", ["sparse=True, reduction='mean'", "reduction='mean'"])
def test_a_training_step(tmp_path: pathlib.Path, loss: str) -> None:  # SF-DUMP-03
    program = f"""
        import mindspore as ms
        import numpy as np
        from mindspore import Tensor, nn

        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_device("Ascend")
        net, loss_fn = nn.SequentialCell(nn.Dense(4, 3), nn.Tanh()), nn.SoftmaxCrossEntropyWithLogits({loss})
        ms.set_dump(net[0])
        ms.set_dump(loss_fn)
        labels = Tensor(np.array([0, 2], np.int32)) if "sparse" in {loss!r} else Tensor(np.eye(3, dtype=np.float32)[:2])
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), nn.SGD(net.trainable_params(), 0.1))
        step(Tensor(np.ones((2, 4), np.float32)), labels)
    """
    names = dump(tmp_path, program)
    forward = [name for name in names if ".Gradients_" not in name]
    backward = [name for name in names if ".Gradients_" in name]
    assert forward and all("_0-Dense_" in name for name in forward)
    assert any("_0-Dense_" in name for name in backward)
    assert any("SoftmaxCrossEntropyWithLogits_Grad" in name for name in backward)
    assert not any("Tanh" in name for name in names)


def test_a_configuration_that_is_wrong(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import mindspore\n")
    done = run("run", str(script), MINDSPORE_DUMP_CONFIG=str(tmp_path / "none.json"))
    assert done.returncode == 1 and "For 'MINDSPORE_DUMP_CONFIG', the file must be readable" in done.stderr


def test_nothing_is_loaded_without_a_configuration() -> None:
    code = "import ms_common; ms_common.activate(); import mindspore, sys; assert 'ms_dump' not in sys.modules"
    environ = {name: value for name, value in os.environ.items() if name != "MINDSPORE_DUMP_CONFIG"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environ, timeout=100)


# -- the report -------------------------------------------------------------------------------------------------------


def test_the_overflow_is_found_in_one_command(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "report.html"
    done = run("drift", str(EXAMPLE), "--profile", "ascend910", "-o", str(page))
    assert done.returncode == 0, done.stderr
    line = next(i for i, text in enumerate(EXAMPLE.read_text().splitlines(), 1) if "ops.matmul(q, state)" in text)
    assert "First broken: MatMul (forward" in done.stdout and f"attention_overflow.py:{line}" in done.stdout
    assert "LinearAttention" in done.stdout and "AN-OVF-03" in done.stdout
    whole = json.loads(page.with_suffix(".json").read_text())
    row = whole["summary"]["first"]["broken"]
    assert row["source"] == [str(EXAMPLE), line] and row["saturated"] > 0
    text = page.read_text()
    HTMLParser().feed(text)
    assert f'<span class="tag broken">first broken</span> <b>{row["op"]}</b>' in text and "://" not in text


def test_the_new_chip_computes_it_right(tmp_path: pathlib.Path) -> None:
    done = run("drift", str(EXAMPLE), "--profile=ascend910b", "--against=CPU", "-o", str(tmp_path / "r.html"))
    assert done.returncode == 0, done.stderr
    assert "broken 0" in done.stdout and "saturated" not in done.stdout


def test_arguments_and_losses_of_a_training_script(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        textwrap.dedent("""
            import sys

            import mindspore as ms
            import numpy as np
            from mindspore import Tensor, nn

            net, loss_fn = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1)), nn.MSELoss()
            optimizer = nn.Adam(net.trainable_params(), 0.01)
            step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())
            x = Tensor(np.random.rand(16, 4).astype(np.float32))
            for _ in range(int(sys.argv[1])):
                loss, grads = step(x, x.sum(1, keepdims=True))
                optimizer(grads)
        """)
    )
    done = run("drift", "--profile", "ascend910", "-o", str(tmp_path / "r.html"), str(script), "5")
    assert done.returncode == 0, done.stderr
    losses = json.loads((tmp_path / "r.json").read_text())["summary"]["losses"]
    assert len(losses) == 5 and all(abs(ours - theirs) < 0.1 for _, ours, theirs in losses)
    assert losses[-1][1] != losses[-1][2]  # both start from one seed, but the chip rounds
    assert losses[-1][2] < losses[0][2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.py"], "cannot open 'none.py'"),
        ([str(EXAMPLE), "--profile", "ascend1"], "--profile must be one of"),
        ([str(EXAMPLE), "--against", "GPU"], "--against must be one of"),
        ([str(EXAMPLE), "--seed", "x"], "--seed must be a number"),
        ([], "no SCRIPT given"),
    ],
)
def test_wrong_words(words: list[str], said: str, tmp_path: pathlib.Path) -> None:
    done = run("drift", *words)
    assert done.returncode == 2 and said in done.stderr
