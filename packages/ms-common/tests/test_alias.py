"""The alias: what every spelling of an import gives, and what happens to names that are not there."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pickle
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ms_common
import ms_dtype
import ms_dynshape
import ms_hooks.handle
from ms_common.alias import finder
from ms_common.alias.module import AliasModule
from ms_common.alias.table import rows


def test_active_and_back() -> None:
    assert not ms_common.is_active()
    ms_common.activate()
    try:
        module = importlib.import_module("mindspore")
        assert module.__version__ == "2.6.0"
        assert ms_common.is_active()
        ms_common.activate()
        assert sum(isinstance(f, finder.AliasFinder) for f in sys.meta_path) == 1
        assert importlib.import_module("mindspore") is module
    finally:
        ms_common.deactivate()
    assert not ms_common.is_active()
    assert not [name for name in sys.modules if name.partition(".")[0] == "mindspore"]
    with pytest.raises(ModuleNotFoundError, match="mindspore"):
        importlib.import_module("mindspore")
    ms_common.deactivate()


def test_every_parent_is_in_the_table() -> None:
    for path in rows:
        parent = path.rpartition(".")[0]
        assert parent in rows or path == "mindspore"
    for row in rows.values():
        assert set(row.links.values()) <= set(rows)
        assert row.sources or row.constants or any(p.startswith(row.path + ".") for p in rows)


@pytest.mark.parametrize("path", sorted(rows))
def test_module(alias: None, path: str) -> None:
    module = importlib.import_module(path)
    spec = module.__spec__
    assert isinstance(module, AliasModule)
    assert spec is not None
    assert (spec.name, spec.has_location, module.__package__) == (path, False, path)
    assert "alias" in repr(module)
    assert sys.modules[path] is module is importlib.import_module(path)
    for source in rows[path].sources:  # the modules behind keep what identifies them
        behind = importlib.import_module(source)
        assert behind.__name__ == source
        assert behind.__spec__ is not None
        assert behind.__spec__.name == source


@pytest.mark.parametrize("path", sorted(rows))
def test_every_listed_name_is_there(alias: None, path: str) -> None:
    module = importlib.import_module(path)
    names = module.__all__
    assert names == sorted(set(names))
    row = rows[path]
    shell = row.constants or row.only or any(p.startswith(path + ".") for p in rows)
    assert names or shell, "no name is served, and none ever will be"
    assert set(names) <= set(dir(module))
    for name in names:
        assert getattr(module, name) is getattr(module, name), name
    namespace: dict[str, object] = {}
    exec(f"from {path} import *", namespace)
    assert set(names) <= set(namespace)


@pytest.mark.parametrize("path", sorted(rows))
def test_no_name_means_two_things(path: str) -> None:
    row = rows[path]
    if path == "mindspore.mint.nn.functional":  # of what is in mint, too, it has call forms of its own
        assert row.sources[0] == "ms_kernels.mint_functional"
        return
    for name in row.names():
        first, *others = row.owners(name)
        assert {id(getattr(other, name)) for other in others} <= {id(getattr(first, name))}, name


def test_imports_nothing_behind_before_a_name_is_asked_for(program) -> None:  # type: ignore[no-untyped-def]
    source = """
import sys
import ms_common
ms_common.activate()
import mindspore, mindspore.nn, mindspore.ops, mindspore.mint, mindspore.common.dtype, mindspore.common.seed
from mindspore import context, log
print(sorted({m.partition('.')[0] for m in sys.modules if m.startswith('ms_')}), 'numpy' in sys.modules)
assert mindspore.float32 is mindspore.common.dtype.float32
print(sorted({m.partition('.')[0] for m in sys.modules if m.startswith('ms_')}))
"""
    assert program(source).stdout.splitlines() == ["['ms_common'] False", "['ms_common', 'ms_dtype']"]


class TestFunctionsThatShareTheNameOfAModule:
    """As the wheel: an attribute, `from ... import` and `import ... as` give the function, sys.modules the module."""

    @pytest.mark.parametrize("name", ["mutable", "seed", "tensor"])
    @pytest.mark.parametrize("module_first", [False, True])
    def test_common(self, alias: None, name: str, module_first: bool) -> None:
        path = f"mindspore.common.{name}"
        if module_first:
            importlib.import_module(path)
        space: dict[str, object] = {}
        exec(f"from mindspore.common import {name} as first\nimport {path} as second\nimport mindspore\n", space)
        function = getattr(importlib.import_module("mindspore"), name)
        assert callable(function)
        assert not isinstance(function, ModuleType)
        assert space["first"] is space["second"] is function
        assert getattr(importlib.import_module("mindspore.common"), name) is function
        assert isinstance(sys.modules[path], AliasModule)
        assert getattr(sys.modules[path], name, function) is function

    def test_set_seed_is_in_the_module_only(self, alias: None) -> None:
        from mindspore import common  # type: ignore[import-not-found]
        from mindspore.common.seed import set_seed  # type: ignore[import-not-found]

        assert callable(set_seed)
        with pytest.raises(AttributeError, match="set_seed"):
            _ = common.seed.set_seed

    def test_run_check(self, alias: None) -> None:
        import mindspore
        import mindspore.run_check as second

        assert callable(mindspore.run_check)
        assert second is mindspore.run_check
        with pytest.raises(ImportError, match="run_check"):
            from mindspore.common import run_check  # noqa: F401


class TestWrites:
    """A module that stands for one of ours passes writes on."""

    def test_reach_the_module_behind(self, alias: None, monkeypatch: pytest.MonkeyPatch) -> None:
        module = importlib.import_module("mindspore.common.hook_handle")
        original = ms_hooks.handle.HookHandle
        with monkeypatch.context() as patch:
            patch.setattr(module, "HookHandle", int)
            assert ms_hooks.handle.HookHandle is int
            assert module.HookHandle is int
        assert ms_hooks.handle.HookHandle is original
        assert module.HookHandle is original

    def test_and_are_seen_when_made_there(self, alias: None, monkeypatch: pytest.MonkeyPatch) -> None:
        module = importlib.import_module("mindspore.common.hook_handle")
        assert module.HookHandle is ms_hooks.handle.HookHandle
        monkeypatch.setattr(ms_hooks.handle, "HookHandle", int)
        assert module.HookHandle is int

    def test_new_names_and_deletion(self, alias: None) -> None:
        module = importlib.import_module("mindspore.common.hook_handle")
        module.added_by_test = 3
        assert vars(ms_hooks.handle)["added_by_test"] == 3
        assert vars(module) is vars(ms_hooks.handle)
        del module.added_by_test
        assert not hasattr(ms_hooks.handle, "added_by_test")
        with pytest.raises(AttributeError, match="added_by_test"):
            del module.added_by_test

    def test_change_what_the_code_behind_does(self, alias: None, monkeypatch: pytest.MonkeyPatch) -> None:
        module = importlib.import_module("mindspore.common.dtype")
        monkeypatch.setattr(module, "np_version_valid", lambda _verbose: False)
        with pytest.raises(TypeError, match="bfloat16"):
            ms_dtype.dtype_to_nptype(ms_dtype.bfloat16)

    def test_stay_in_a_module_made_of_several(self, alias: None, monkeypatch: pytest.MonkeyPatch) -> None:
        import mindspore

        monkeypatch.setattr(mindspore, "Symbol", int)
        assert mindspore.Symbol is int
        assert ms_dynshape.Symbol is not int


class TestMissing:
    """What is not there is named, and the text says whose fault it is."""

    def test_import_of_a_module(self, alias: None) -> None:
        with pytest.raises(ModuleNotFoundError, match=r"'mindspore\.nosuch' \(ms-common .* does not have it") as caught:
            importlib.import_module("mindspore.nosuch")
        assert caught.value.name == "mindspore.nosuch"

    @pytest.mark.parametrize("path", ["mindspore", "mindspore.common", "mindspore.common.dtype", "mindspore.log"])
    def test_from_import(self, alias: None, path: str) -> None:
        with pytest.raises(
            ImportError, match=f"cannot import name 'nosuch' from '{path}' .ms-common .* not have it"
        ) as caught:
            exec(f"from {path} import nosuch")
        assert type(caught.value) is ImportError

    @pytest.mark.parametrize("path", sorted(rows))
    def test_attribute(self, alias: None, path: str) -> None:
        module = importlib.import_module(path)
        with pytest.raises(AttributeError, match=f"'{path}' has no attribute 'nosuch' .ms-common .* not have it"):
            _ = module.nosuch
        assert not hasattr(module, "__nosuch__")

    def test_asking_without_importing(self, alias: None) -> None:
        assert importlib.util.find_spec("mindspore.nosuch") is None
        assert importlib.util.find_spec("mindspore.nn") is not None

    def test_names_of_our_own_do_not_leak(self, alias: None) -> None:
        import mindspore

        assert not hasattr(mindspore, "from_numpy_dtype")
        for name in ("promote", "broadcast_shapes", "settings", "activate"):
            assert not hasattr(mindspore, name), name


class TestRealMindSpore:
    """One that is installed is not silently replaced."""

    @pytest.fixture
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        (tmp_path / "mindspore").mkdir()
        (tmp_path / "mindspore" / "__init__.py").write_text("__version__ = 'real'\n", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return tmp_path

    def test_refuses(self, installed: Path) -> None:
        with pytest.raises(RuntimeError, match=r"'activate'.*real MindSpore.*force=True") as caught:
            ms_common.activate()
        assert str(installed) in str(caught.value)
        assert not ms_common.is_active()

    def test_force(self, installed: Path) -> None:
        ms_common.activate(force=True)
        try:
            assert importlib.import_module("mindspore").__version__ == "2.6.0"
        finally:
            ms_common.deactivate()
        assert importlib.import_module("mindspore").__version__ == "real"
        with pytest.raises(RuntimeError, match="imported before"):
            ms_common.activate(force=True)
        del sys.modules["mindspore"]

    def test_a_folder_without_code_does_not_count(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "mindspore").mkdir()
        monkeypatch.syspath_prepend(tmp_path)
        ms_common.activate()
        ms_common.deactivate()


def test_reload_and_copies(alias: None) -> None:
    import mindspore

    module = importlib.import_module("mindspore.common.dtype")
    assert importlib.reload(mindspore) is mindspore
    assert mindspore.__version__ == "2.6.0"
    assert pickle.loads(pickle.dumps(module)) is module
    assert copy.deepcopy(module) is module


def test_the_package_has_the_names_itself() -> None:
    assert ms_common.float32 is ms_dtype.float32
    assert ms_common.Symbol is ms_dynshape.Symbol
    assert {"Tensor", "set_context", "activate"} <= set(dir(ms_common))
    with pytest.raises(AttributeError, match="'ms_common' has no attribute 'nosuch'"):
        _ = ms_common.nosuch
    assert not ms_common.is_active()
