"""A notebook's kernel: the alias is switched on in a cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def execute(kernel: Any, code: str) -> tuple[str, list[str]]:
    """The status of a cell, and what it printed, displayed or raised."""
    shown: list[str] = []

    def hook(message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "stream":
            shown.append(content["text"])
        elif message["msg_type"] in ("execute_result", "display_data"):
            shown.append(content["data"]["text/plain"])
        elif message["msg_type"] == "error":
            shown.append(f"{content['ename']}: {content['evalue']}")

    reply = kernel.execute_interactive(code, timeout=60, output_hook=hook)
    return reply["content"]["status"], shown


def test_cells(kernel: Any) -> None:
    status, shown = execute(kernel, "import ms_common\nms_common.activate()\nimport mindspore as ms\nms.__version__")
    assert (status, shown) == ("ok", ["'2.6.0'"])
    status, shown = execute(kernel, "from mindspore import nn, ops, Tensor\nops.add(Tensor([1, 2]), 1)")
    assert (status, shown) == ("ok", ["Tensor(shape=[2], dtype=Int64, value= [2, 3])"])
    status, shown = execute(
        kernel,
        "class Net(nn.Cell):\n    def construct(self, x):\n        return x * 2\n\n"
        "import inspect\nprint(inspect.getsource(Net.construct).split()[0], Net()(Tensor(4)))",
    )
    assert (status, "".join(shown)) == ("ok", "def 8\n")
    status, shown = execute(kernel, "import mindspore.nosuch")
    assert status == "error"
    assert shown[0].startswith("ModuleNotFoundError: No module named 'mindspore.nosuch'")


def test_completion_and_help(kernel: Any) -> None:
    execute(kernel, "import ms_common\nms_common.activate()\nimport mindspore as ms")
    reply = kernel.complete("ms.nn.Den", reply=True, timeout=60)
    assert any(match.endswith("Dense") for match in reply["content"]["matches"])
    reply = kernel.inspect("ms.nn.Dense", reply=True, timeout=60)
    assert reply["content"]["found"]
    assert "Dense" in reply["content"]["data"]["text/plain"]


def test_log_goes_to_the_cell(kernel: Any) -> None:
    status, shown = execute(
        kernel, "import ms_common\nms_common.activate()\nfrom mindspore import log\nlog.warning('seen %d', 1)"
    )
    assert status == "ok"
    assert "".join(shown).endswith("seen 1\n")


def test_worker_processes(kernel: Any, tmp_path: Any) -> None:
    (tmp_path / "cell_worker.py").write_text(
        "import mindspore as ms\n\n\ndef work(x):\n    return x + ms.Tensor(1)\n", encoding="utf-8"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import ms_common\nms_common.activate()\nimport multiprocessing, mindspore as ms\n"
        "from cell_worker import work\n"
        "with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "    print(pool.apply(work, (ms.Tensor([1, 2]),)))"
    )
    assert execute(kernel, code) == ("ok", ["[2 3]\n"])
