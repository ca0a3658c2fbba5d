"""Checkpoints between ours and MindSpore itself, in both formats and directions, bit by bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ms_fs
from ms_fs.types import CKPT_NAMES, SAFETENSORS_NAMES

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif("MS26_PYTHON" not in os.environ, reason="MS26_PYTHON is not set"),
]

KEY = b"0123456789ABCDEF"
OPTIONS: dict[str, dict[str, Any]] = {
    "ckpt": {},
    "crc": {"crc": True},
    "gcm": {"key": KEY, "mode": "AES-GCM"},
    "cbc": {"key": KEY, "mode": "AES-CBC"},
    "sm4": {"key": KEY, "mode": "SM4-CBC"},
    "safetensors": {},
    "safetensors-crc": {"crc": True},
}
CALLS = {
    "ckpt": ({}, {}),
    "crc": ({"crc_check": True}, {"crc_check": True}),
    "gcm": ({"enc_key": KEY}, {"dec_key": KEY}),
    "cbc": ({"enc_key": KEY, "enc_mode": "AES-CBC"}, {"dec_key": KEY, "dec_mode": "AES-CBC"}),
    "sm4": ({"enc_key": KEY, "enc_mode": "SM4-CBC"}, {"dec_key": KEY, "dec_mode": "SM4-CBC"}),
    "safetensors": ({"format": "safetensors"}, {"format": "safetensors"}),
    "safetensors-crc": ({"format": "safetensors", "crc_check": True}, {"format": "safetensors", "crc_check": True}),
}


def suffix(kind: str) -> str:
    return "safetensors" if kind.startswith("safetensors") else "ckpt"


def arrays(kind: str) -> dict[str, Any]:
    """Every type and some shapes, of random bits; in .ckpt no empty ones, which 2.6 leaves out."""
    rng = np.random.default_rng(3)
    shapes = [(), (1,), (3, 4), (2, 1, 5)] + ([(0, 3)] if suffix(kind) == "safetensors" else [])
    made = {}
    for dtype in SAFETENSORS_NAMES if suffix(kind) == "safetensors" else CKPT_NAMES:
        if kind == "safetensors-crc" and dtype == ml_dtypes.bfloat16:
            continue  # the wheel's checksum fails on it
        for shape in shapes:
            count = int(np.prod(shape, dtype=int))
            data = rng.integers(0, 2 if dtype == np.bool_ else 256, count * dtype.itemsize, np.uint8)
            made[f"{dtype.name}/ü.{len(shape)}"] = np.frombuffer(data.tobytes(), dtype).reshape(shape)
        if kind == "safetensors-crc" and dtype.kind in "iu":  # as many zeros are summed up: no negative or huge ones
            made[f"{dtype.name}/ü.0"] = np.array(100, dtype)
    return made


def pack(path: Path, items: dict[str, Any]) -> None:
    """As an .npz file that any NumPy reads: bytes, with types and shapes as a text."""
    entries = [[name, a.dtype.name, list(a.shape)] for name, a in items.items()]
    blobs = {f"b{i}": np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8) for i, a in enumerate(items.values())}
    np.savez(path, entries=np.array(json.dumps(entries)), **blobs)


PACKING = '''
import json, os, sys
import numpy as np
import mindspore as ms
from mindspore import Tensor, Parameter, nn, ops

def unpack(path):
    """Tensors with these very bits; a bfloat16 one is made out of float32 numbers that are none less."""
    file = np.load(path)
    made = []
    for i, (name, kind, shape) in enumerate(json.loads(str(file["entries"]))):
        blob = file[f"b{i}"]
        if kind == "bfloat16":
            wide = (blob.view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(shape)
            data = Tensor(wide, ms.bfloat16)
        else:
            data = Tensor(blob.view(np.dtype(kind)).reshape(shape))
        made.append({"name": name, "data": data})
    return made

def pack(path, items):
    entries, blobs = [], {}
    for i, (name, value) in enumerate(items.items()):
        kind = str(value.dtype).lower().replace("bool", "bool_").replace("bool__", "bool")
        if kind == "bfloat16":
            bits = (value.astype(ms.float32).asnumpy().view(np.uint32) >> 16).astype(np.uint16)
        else:
            bits = value.asnumpy()
        entries.append([name, kind.rstrip("_"), list(value.shape)])
        blobs[f"b{i}"] = np.frombuffer(np.ascontiguousarray(bits).tobytes(), np.uint8)
    np.savez(path, entries=np.array(json.dumps(entries)), **blobs)
'''


def unpack(path: Path) -> dict[str, Any]:
    file = np.load(path)
    found = {}
    for i, (name, kind, shape) in enumerate(json.loads(str(file["entries"]))):
        dtype = np.dtype(ml_dtypes.bfloat16) if kind == "bfloat16" else np.dtype(kind)
        found[name] = file[f"b{i}"].view(dtype).reshape(shape)
    return found


def run(python: str, program: str, folder: Path, *args: str) -> str:
    """The output of a program; the wheel leaves files in the working folder."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    command = [python, str(file), *args]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:  # only the message, not what stands around it
        pytest.fail(done.stderr.strip().splitlines()[-1], pytrace=False)
    return done.stdout


def theirs(folder: Path, *args: str) -> Callable[[str], str]:
    return lambda program: run(os.environ["MS26_PYTHON"], PACKING + program, folder, *args)


def ours(folder: Path, *args: str) -> Callable[[str], str]:
    start = "import ms_common; ms_common.activate()\n"
    return lambda program: run(sys.executable, start + PACKING + program, folder, *args)


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype, name
        assert found[name].shape == array.shape, name
        if array.dtype == ml_dtypes.bfloat16:  # the wheel cannot hand all NaNs through
            nan = np.isnan(array.astype(np.float32))
            assert (np.isnan(found[name].astype(np.float32)) == nan).all()
            assert (found[name].view(np.uint16)[~nan] == array.view(np.uint16)[~nan]).all() or array.ndim == 0, name
            continue
        assert found[name].tobytes() == array.tobytes(), name


@pytest.fixture(scope="module")
def their_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The arrays of each kind, written by the wheel."""
    folder = tmp_path_factory.mktemp("theirs")
    program = ""
    for kind, (call, _) in CALLS.items():
        pack(folder / f"{kind}.npz", arrays(kind))
        program += f"ms.save_checkpoint(unpack('{kind}.npz'), '{kind}_', **{call!r})\n"
        program += f"os.rename('{kind}_.{suffix(kind)}', 'x-{kind}')\n"
    theirs(folder)(program)
    return folder


@pytest.mark.parametrize("kind", CALLS)
def test_we_read_theirs(kind: str, their_files: Path) -> None:
    same(ms_fs.load(their_files / f"x-{kind}", suffix(kind), **OPTIONS[kind]), arrays(kind))


@pytest.mark.parametrize("kind", [kind for kind in CALLS if "key" not in OPTIONS[kind]])
def test_our_files_are_theirs(kind: str, their_files: Path, tmp_path: Path) -> None:
    loaded = ms_fs.load(their_files / f"x-{kind}", suffix(kind))
    ms_fs.save(loaded, tmp_path / "x", suffix(kind), **OPTIONS[kind])
    assert (tmp_path / "x").read_bytes() == (their_files / f"x-{kind}").read_bytes()


def test_they_read_ours(tmp_path: Path) -> None:
    """All but complex numbers in .ckpt, which the wheel writes, but does not read."""
    program = ""
    wanted = {
        kind: {name: a for name, a in arrays(kind).items() if a.dtype.kind != "c" or suffix(kind) == "safetensors"}
        for kind in CALLS
    }
    for kind, (_, call) in CALLS.items():
        ms_fs.save(wanted[kind], tmp_path / f"{kind}.{suffix(kind)}", suffix(kind), **OPTIONS[kind])
        program += f"pack('{kind}.npz', ms.load_checkpoint('{kind}.{suffix(kind)}', **{call!r}))\n"
    theirs(tmp_path)(program)
    for kind in CALLS:
        same(unpack(tmp_path / f"{kind}.npz"), wanted[kind])


def test_texts_and_numbers(tmp_path: Path) -> None:
    program = """
more = {"epoch": 3, "rate": 0.1, "done": True, "note": "hé\\U0001f600", "g": ms.Generator(), "t": Tensor([1, 2])}
ms.save_checkpoint(nn.Dense(1, 1, "ones", "zeros"), sys.argv[1], append_dict=more)
"""
    theirs(tmp_path, "theirs.ckpt")(program)
    ours(tmp_path, "ours.ckpt")(program)
    mine, their = ms_fs.load(tmp_path / "ours.ckpt"), ms_fs.load(tmp_path / "theirs.ckpt")
    assert mine["note"] == their["note"] == "hé\U0001f600"
    assert [(name, str(v)) for name, v in mine.items()] == [(name, str(v)) for name, v in their.items()]
    assert (tmp_path / "ours.ckpt").read_bytes() == (tmp_path / "theirs.ckpt").read_bytes()


def test_a_large_tensor_is_cut_alike(tmp_path: Path) -> None:
    program = """
data = Tensor(np.arange(150 << 20, dtype=np.uint32).reshape(-1, 4))
ms.save_checkpoint([{"name": "large", "data": data}, {"name": "small", "data": Tensor([1])}], "theirs.ckpt")
"""
    theirs(tmp_path)(program)
    loaded = ms_fs.load(tmp_path / "theirs.ckpt")
    assert (loaded["large"] == np.arange(150 << 20, dtype=np.uint32).reshape(-1, 4)).all()
    ms_fs.save(loaded, tmp_path / "ours.ckpt")
    with open(tmp_path / "theirs.ckpt", "rb") as one, open(tmp_path / "ours.ckpt", "rb") as two:
        while data := one.read(1 << 24):
            assert data == two.read(1 << 24)
        assert two.read(1) == b""


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC"])
def test_encryption_goes_by_blocks(mode: str, tmp_path: Path) -> None:
    """A file of three blocks of 64 MiB."""
    data = np.arange(36 << 20, dtype=np.uint32)
    ms_fs.save({"large": data, "small": np.array([7])}, tmp_path / "ours.ckpt", key=KEY, mode=mode)
    said = theirs(tmp_path)(f"""
keys = {{"dec_key": {KEY!r}, "dec_mode": {mode!r}}}
loaded = ms.load_checkpoint("ours.ckpt", **keys)
print((loaded["large"].asnumpy() == np.arange(36 << 20, dtype=np.uint32)).all(), loaded["small"].asnumpy().tolist())
ms.save_checkpoint(loaded, "theirs.ckpt", enc_key={KEY!r}, enc_mode={mode!r})
""")
    assert "True [7]" in said
    loaded = ms_fs.load(tmp_path / "theirs.ckpt", key=KEY, mode=mode)
    assert (loaded["large"] == data).all()
    assert loaded["small"] == [7]


TRAINING = """
ms.set_seed(1)
net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dense(32, 3))
optimizer = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.01, 0.9, 2))
wrapped = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
if len(sys.argv) > 2:
    print(ms.load_param_into_net(wrapped, ms.load_checkpoint(sys.argv[2], format=sys.argv[3]), strict_load=True))
else:
    wrapped.set_train()
    for i in range(3):
        wrapped(Tensor(np.full((2, 1, 4, 4), i, np.float32)), Tensor(np.ones((2, 3), np.float32)))
ms.save_checkpoint(wrapped, sys.argv[1])
"""


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
@pytest.mark.parametrize(("first", "second"), [(ours, theirs), (theirs, ours)], ids=["ours first", "theirs first"])
def test_a_training_changes_sides(first: Any, second: Any, format: str, tmp_path: Path) -> None:
    """Network, moving statistics and the optimizer's state, loaded strictly by the other side and saved again."""
    save = TRAINING if format == "ckpt" else TRAINING.replace("sys.argv[1])\n", "sys.argv[1], format='safetensors')\n")
    first(tmp_path, f"one.{format}")(save)
    said = second(tmp_path, f"two.{format}", f"one.{format}", format)(save)
    assert "([], [])" in said
    one, two = ms_fs.load(tmp_path / f"one.{format}"), ms_fs.load(tmp_path / f"two.{format}")
    same(one, two)
    assert int(one["global_step"][0]) == 3


ERRORS = [
    "ms.save_checkpoint(3, 'x')",
    "ms.save_checkpoint(net, 3)",
    "ms.save_checkpoint(net, '')",
    "ms.save_checkpoint(net, 'x', format='zip')",
    "ms.save_checkpoint(net, 'x', integrated_save=1)",
    "ms.save_checkpoint(net, 'x', async_save='x')",
    "ms.save_checkpoint(net, 'x', append_dict=3)",
    "ms.save_checkpoint(net, 'x', append_dict={'a': None})",
    "ms.save_checkpoint(net, 'x', enc_key='a')",
    "ms.save_checkpoint(net, 'x', enc_key=b'a' * 16, format='safetensors')",
    "ms.save_checkpoint(net, 'x', crc_check=3)",
    "ms.save_checkpoint([3], 'x')",
    "ms.save_checkpoint([{'name': 3, 'data': Tensor([1])}], 'x')",
    "ms.load_checkpoint(3)",
    "ms.load_checkpoint('no.ckpt')",
    "ms.load_checkpoint('x')",
    "ms.load_checkpoint('x.ckpt', format='zip')",
    "ms.load_checkpoint('net.ckpt', 3)",
    "ms.load_checkpoint('net.ckpt', filter_prefix=[])",
    "ms.load_checkpoint('net.ckpt', specify_prefix='zz')",
    "ms.load_checkpoint('net.ckpt', dec_key='a')",
    "ms.load_checkpoint('net.ckpt', net, remove_redundancy=True)",
    "ms.load_param_into_net(3, {})",
    "ms.load_param_into_net(net, 3)",
    "ms.load_param_into_net(net, {'weight': Parameter(Tensor([1.0]), name='weight')})",
    "ms.load_param_into_net(net, {'bias': Parameter(Tensor([1, 2], ms.int32), name='bias')})",
    "ms.CheckpointConfig(-1)",
    "ms.CheckpointConfig(0, 0, 0, 0)",
    "ms.CheckpointConfig(append_info=['x'])",
    "ms.ModelCheckpoint('a/b')",
    "ms.ModelCheckpoint(config=3)",
    "ms.ckpt_to_safetensors('no')",
    "ms.ckpt_to_safetensors('net.ckpt', 'x.ckpt')",
]


def test_errors(tmp_path: Path) -> None:
    """The same exceptions with the same words; ours may be of a type derived from 2.6's."""
    program = f"""
net = nn.Dense(1, 2)
ms.save_checkpoint(net, "net.ckpt")
for line in {ERRORS!r}:
    try:
        eval(line)
    except Exception as error:
        print("SAID", json.dumps([line, [kind.__name__ for kind in type(error).__mro__], str(error)]))
"""

    def answers(side: Any) -> dict[str, Any]:
        said = [json.loads(line[5:]) for line in side(tmp_path)(program).splitlines() if line.startswith("SAID ")]
        return {line: (kinds, text) for line, kinds, text in said}

    mine, their = answers(ours), answers(theirs)
    assert list(mine) == list(their) == ERRORS
    for line in ERRORS:
        assert their[line][0][0] in mine[line][0], line
        assert mine[line][1] == their[line][1], line
