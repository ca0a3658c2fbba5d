"""What an import loads: a quick start is a matter of what is left out."""

from __future__ import annotations

import re
import subprocess
import sys

HEAVY = {
    *("scipy", "sklearn", "pandas", "matplotlib", "torch", "tqdm", "IPython", "pytest", "hypothesis", "cython"),
    *("asyncio", "multiprocessing", "unittest", "concurrent", "http", "ssl", "sqlite3", "tkinter", "xml", "doctest"),
}


def loaded(source: str) -> list[str]:
    """The modules that an interpreter loads for some source, in order."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", source], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return [m[1] for line in done.stderr.splitlines() if (m := re.match(r"import time:.*\|\s+\S+ \| +(\S+)$", line))]


START = "import ms_common; ms_common.activate(); import mindspore as ms; from mindspore import nn, ops, mint\n"


def test_a_program_that_only_imports_loads_none_of_the_packages() -> None:
    roots = {name.partition(".")[0] for name in loaded(START)}
    assert "ms_common" in roots
    assert not roots & {"numpy", "ml_dtypes", "ms_kernels", "ms_nn", "ms_dtype"}


def test_the_first_op_loads_nothing_heavy() -> None:
    names = loaded(START + "ops.add(ms.Tensor([1.0]), 1); mint.exp(ms.Tensor([1.0])); nn.Dense(2, 2)")
    roots = {name.partition(".")[0] for name in names}
    plain = {name.partition(".")[0] for name in loaded("import numpy, ml_dtypes")}
    assert {"ms_kernels", "ms_nn", "numpy"} <= roots
    assert not (roots - plain) & HEAVY
    assert not [name for name in names if name.startswith(("ms_kernels.testing", "numpy.testing", "numpy.f2py"))]


def test_no_module_is_executed_twice() -> None:
    watch = (
        "import sys; seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(args[0].co_filename) if event == 'exec' else None)\n"
    )
    use = "import mindspore.common.dtype, mindspore.common.seed; nn.Dense(2, 2); ms.set_seed(1); ms.Generator()\n"
    show = "print(*(name for name in seen if 'ms_' in name and not name.startswith('<')), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", watch + START + use + show], capture_output=True, text=True, check=True
    )
    files = done.stdout.splitlines()
    assert len(files) > 40
    assert sorted({name for name in files if files.count(name) > 1}) == []
