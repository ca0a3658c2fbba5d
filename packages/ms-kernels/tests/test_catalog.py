"""The catalog of op families: what it loads, when, and that its written index tells the truth."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import ms_kernels
from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.opdef.catalog import INDEX, SURFACES, Catalog, catalog, describe_families
from ms_kernels.opdef.register import all_ops

FOLDER = Path(ms_kernels.__file__).parent / "ops"


def fresh(source: str) -> str:
    """What an interpreter of its own prints for some source."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_written_index_fits_the_families() -> None:
    assert (FOLDER / INDEX).read_text(encoding="utf-8") == describe_families(), "run tools/op_index.py"
    assert catalog.fits


def test_the_index_gives_what_loading_everything_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    blind = Catalog()
    monkeypatch.setattr(Catalog, "_index", None)
    everything = {kind: sorted(blind.names(kind)) for kind in SURFACES}
    found = {kind: {name: blind.ops(kind, name) for name in names} for kind, names in everything.items()}
    monkeypatch.undo()
    assert {kind: sorted(catalog.names(kind)) for kind in SURFACES} == everything
    for kind, names in found.items():
        for name, ops in names.items():
            assert catalog.ops(kind, name) == ops


def test_families_load_when_they_are_needed() -> None:
    watch = "import sys\ndef loaded(): return {m[15:] for m in sys.modules if m.startswith('ms_kernels.ops.')}\n"
    source = watch + (
        "import ms_kernels\nbefore = loaded()\nx = ms_kernels.Tensor([1.0, 2.0])\n"
        "ms_kernels.functional.LayerNorm\nx.erfinv\nprint(len(before) < 25, sorted(loaded() - before) != [])"
    )
    assert fresh(source) == "True True"
    assert int(fresh("from ms_kernels.opdef.register import all_ops; print(len(all_ops()))")) == len(all_ops())


def test_an_index_that_does_not_fit_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ms_kernels.opdef import catalog as module

    for text in ("", "family arithmetic 1\nname add\n", "family arithmetic x\n", "nonsense\n", "family\n"):
        (tmp_path / INDEX).write_text(text, encoding="utf-8")
        (tmp_path / "arithmetic.py").touch()
        monkeypatch.setattr(module, "_FOLDER", str(tmp_path))
        assert not Catalog().fits


def test_an_op_is_found_by_name_and_pickled_whether_its_family_is_loaded_or_not() -> None:
    name = "erfinv"
    data = pickle.dumps(ops_by_name[name])
    assert pickle.loads(data) is ops_by_name[name]
    assert fresh(f"import pickle; print(pickle.loads({data!r}).name)") == name
    with pytest.raises(KeyError, match="no_such_op"):
        ops_by_name["no_such_op"]
