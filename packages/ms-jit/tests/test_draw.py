"""Graphs to look at: pictures, and files that the compiler writes on request."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ms_jit import draw, jit
from ms_kernels import Tensor, functional

X = Tensor(np.ones((2, 3), np.float32))


@jit
def wave(x: Any) -> Any:
    y = functional.sin(x) * 2
    return functional.matmul(y, Tensor(np.ones((3, 2), np.float32))), y.sum()


def test_a_picture_shows_every_node_and_edge(tmp_path: Path) -> None:
    wave(X)
    picture = draw(wave, tmp_path / "wave.svg")
    assert (tmp_path / "wave.svg").read_text(encoding="utf-8") == picture
    root = ET.fromstring(picture)
    spaces = {"s": "http://www.w3.org/2000/svg"}
    graph = wave.graphs()[0]
    assert len(root.findall("s:rect", spaces)) == len(graph.nodes) + len(graph.inputs) + len(graph.captured)
    assert len(root.findall("s:path", spaces)) == sum(len(node.operands) for node in graph.nodes)
    bold = [box for box in root.findall("s:rect", spaces) if box.get("stroke-width") == "3"]
    assert len(bold) == 2
    texts = [item.text for item in root.findall("s:text", spaces)]
    assert {"sin", "mul", "sum"} <= set(texts)


def test_there_must_be_a_graph() -> None:
    with pytest.raises(ValueError, match="was not called yet"):
        draw(jit(lambda x: x))
    python = jit(lambda x: x * float(x.sum().item()))
    python(X)
    with pytest.raises(ValueError, match="value of a tensor"):
        draw(python)
    with pytest.raises(TypeError, match="jit made"):
        draw(len)  # type: ignore[arg-type]


@pytest.mark.parametrize(("level", "files"), [("0", 0), ("1", 2), ("2", 4), ("3", 4)])
def test_graphs_are_written_on_request(level: str, files: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", level)
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path / "graphs"))
    jit(lambda x: functional.exp(x))(X)
    written = sorted(tmp_path.glob("graphs/*"))
    assert len(written) == files
    for path in written:
        content = path.read_text(encoding="utf-8")
        assert "exp" in content and (__file__ in content) == (level == "3" and path.suffix == ".ir")


def test_the_peak_of_memory_is_known() -> None:
    compiled = jit(lambda x: functional.exp(functional.sin(functional.cos(x))))
    compiled(Tensor(np.ones(1 << 16, np.float32)))
    assert compiled.peaks() == [2 * 4 << 16]
