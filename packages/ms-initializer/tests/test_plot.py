"""The picture of an initializer: theory against numbers, the command line, and a machine without matplotlib."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ms_generator import set_seed
from ms_initializer import HeNormal, Initializer, Normal, Orthogonal, TruncatedNormal, Uniform, initializer
from ms_initializer.__main__ import main
from ms_initializer.plot import density, marchenko_pastur, plot


@pytest.mark.parametrize("init", [Normal(2.0, 1.0), Uniform(0.5), TruncatedNormal(1.0, 0.5, -1.0, 1.0), HeNormal()])
def test_density_is_that_of_the_numbers(init: Initializer) -> None:
    set_seed(1)
    x = initializer(init, [200, 300]).init_data().asnumpy()
    curve = density(init, x.shape)
    assert curve is not None
    edges = np.linspace(x.min(), x.max(), 21)
    counts = np.histogram(x, edges)[0]
    grid = np.linspace(x.min(), x.max(), 20001)
    middle = (grid[1:] + grid[:-1]) / 2
    expected = curve(middle).reshape(20, 1000).mean(axis=1) * (edges[1] - edges[0]) * x.size
    assert abs(counts.sum() - expected.sum()) < 0.002 * x.size
    assert (abs(counts - expected) < 5 * np.sqrt(expected) + 5).all()


def test_structures_have_no_density() -> None:
    assert density(Orthogonal(), (3, 3)) is None


@pytest.mark.parametrize("shape", [(200, 200), (100, 300), (400, 100)])
def test_singular_values_follow_marchenko_and_pastur(shape: tuple[int, int]) -> None:
    set_seed(2)
    x = initializer(Normal(0.5), shape).init_data().asnumpy()
    drawn = np.linalg.svd(x, compute_uv=False)
    assert np.allclose(marchenko_pastur(*shape, 0.5), drawn, atol=0.03 * drawn[0])


def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RuntimeError, match=r"plot needs matplotlib: pip install 'ms-initializer\[plot\]'"):
        plot("normal", (4, 4), tmp_path / "x.png")
    assert main(["plot", "normal", "--out", str(tmp_path / "x.png")]) == 1
    assert "plot needs matplotlib" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "he.png"
    assert main(["plot", "he_uniform", "--shape", "64,32", "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    assert out.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert main(["plot", "nothing", "--out", str(out)]) == 1
    assert "must be the name of an initializer" in capsys.readouterr().err
