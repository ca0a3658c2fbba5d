"""Build hook: compiles the Cython modules.

`python hatch_build.py [TEXT...]` rebuilds in place what changed (only the modules whose name contains a TEXT).
Every ``src/**/*.pyx`` is one extension module; the C files that belong to it stand in its ``# c-sources:`` header,
each named from this folder.  A C file whose name ends in ``_avx2.c`` is compiled for that instruction set and left out
on other machines.  What is built stays in ``build/``, one folder for each set of tools and flags.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # run as a script
    BuildHookInterface = object

PKG = "ms_kernels"
X86 = platform.machine().lower() in ("x86_64", "amd64")
MSVC = sys.platform == "win32"
# -ffp-contract=off: without it the FMA variants round differently from the baseline
CFLAGS = (
    ["/O2", "/fp:precise", "/std:c11"]
    if MSVC
    else [
        "-O3",
        "-std=gnu11",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-fvisibility=hidden",
        "-g0",
    ]
)
LDFLAGS = [] if MSVC else ["-pthread"]
ISA = {"_avx2.c": ["/arch:AVX2"] if MSVC else ["-mavx2", "-mfma", "-mf16c"]}
# what Cython writes only calls the loops, which are in the C files: -O3 for it doubles the time of a build, for nothing
CYTHON_CFLAGS = {} if MSVC else {"/core/": ["-O2"], "": ["-O1"]}
MACROS = [
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
    ("CYTHON_CLINE_IN_TRACEBACK", "0"),
]
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def sources(pyx: Path, root: Path, build: Path) -> list[str]:
    """The Cython file itself and the C files that its header names."""
    names: list[str] = []
    for line in pyx.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if found := re.match(r"#\s*c-sources\s*:\s*(.*)", line):
            names += found[1].split()
    if not X86:
        names = [n for n in names if not n.endswith(tuple(ISA))]
    return [translated(pyx, root, build).relative_to(root).as_posix(), *names]


def translated(pyx: Path, root: Path, build: Path) -> Path:
    """The C file of a Cython file when nothing it comes from has changed, else the Cython file.

    cythonize looks at the .pxd files of NumPy too, which an isolated build has just unpacked; `build` has one NumPy.
    """
    c = root / build / "c" / pyx.relative_to(root).with_suffix(".c")
    inputs = [pyx, *(root / "src").rglob("*.px[di]")]
    fresh = c.is_file() and all(p.stat().st_mtime_ns < c.stat().st_mtime_ns for p in inputs)
    return c if fresh else pyx


def up_to_date(obj: Path, root: Path) -> bool:
    dep = obj.with_suffix(".d")
    if not (obj.is_file() and dep.is_file()):
        return False
    names = shlex.split(dep.read_text().replace("\\\n", " ").split(":", 1)[1])
    ours = [p for p in ((root / n).resolve() for n in names) if p.is_relative_to(root)]
    return all(p.is_file() and p.stat().st_mtime_ns < obj.stat().st_mtime_ns for p in ours)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One build at a time in a source tree."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows: builds there run one by one anyway
            yield
            return
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_folder() -> Path:
    """Where to build: other tools or flags have another folder, so none spoils another's objects."""
    import Cython
    import numpy

    tag = sysconfig.get_config_var("SOABI") or f"cp{sys.version_info[0]}{sys.version_info[1]}"
    env = {k: os.environ.get(k) for k in ("CC", "CFLAGS", "LDFLAGS")}
    state = [
        Cython.__version__,
        numpy.__version__,
        sys.version,
        CFLAGS,
        LDFLAGS,
        ISA,
        CYTHON_CFLAGS,
        MACROS,
        DIRECTIVES,
        env,
    ]
    return Path("build", f"{tag}-{hashlib.sha256(json.dumps(state).encode()).hexdigest()[:8]}")


def compile_all(root: Path, build: Path, only: list[str]) -> dict[Path, str]:
    """Compile into `build` (seen from `root`) what is out of date; return {built file: its path inside the wheel}."""
    import numpy
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    jobs = os.cpu_count() or 1

    class BuildExt(build_ext):
        def build_extensions(self) -> None:
            real = self.compiler._compile
            pool = ThreadPoolExecutor(jobs)

            def compile_one(obj: str, source: str, ext: str, cc: list[str], post: list[str], pp: list[str]) -> None:
                if MSVC or not up_to_date(root / obj, root):
                    isa = next((flags for end, flags in ISA.items() if source.endswith(end)), [])
                    if source.startswith(f"{build / 'c'}{os.sep}"):
                        isa = next((flags for part, flags in CYTHON_CFLAGS.items() if part in source), [])
                    real(obj, source, ext, cc, [*post, *isa, *([] if MSVC else ["-MMD"])], pp)

            def compile_sources(sources: list[str], output_dir: str = "", **kw: Any) -> list[str]:
                given = (kw.get(name) for name in ("macros", "include_dirs"))
                more = (kw.get(name) for name in ("depends", "extra_postargs"))
                _macros, objects, extra, pp, table = self.compiler._setup_compile(output_dir, *given, sources, *more)
                cc = self.compiler._get_cc_args(pp, kw.get("debug"), None)
                for done in [pool.submit(compile_one, o, *table[o], cc, extra, pp) for o in objects if o in table]:
                    done.result()
                return list(objects)

            if not MSVC:
                self.compiler.compile = compile_sources
            self.parallel = jobs
            try:
                super().build_extensions()
            finally:
                pool.shutdown()

    here = Path.cwd()
    os.chdir(root)
    try:
        extensions = [
            Extension(
                pyx.relative_to(root / "src").with_suffix("").as_posix().replace("/", "."),
                sources(pyx, root, build),
                include_dirs=[f"src/{PKG}/simd", numpy.get_include()],
                define_macros=MACROS,
                extra_compile_args=CFLAGS,
                extra_link_args=LDFLAGS,
            )
            for pyx in sorted((root / "src" / PKG).rglob("*.pyx"))
            if not only or any(text in pyx.as_posix() for text in only)
        ]
        changed = [e for e in extensions if e.sources[0].endswith(".pyx")]
        modules = [e for e in extensions if e not in changed] + cythonize(
            changed,
            build_dir=str(build / "c"),
            include_path=["src"],
            compiler_directives=DIRECTIVES,
            quiet=True,
            nthreads=jobs if hasattr(os, "fork") else 0,
        )
        cmd = BuildExt(Distribution({"name": PKG, "package_dir": {"": "src"}, "ext_modules": modules}))
        cmd.build_lib, cmd.build_temp, cmd.force = str(build / "lib"), str(build / "obj"), True
        cmd.ensure_finalized()
        cmd.run()
        built = [root / cmd.get_ext_fullpath(e.name) for e in cmd.extensions]
    finally:
        os.chdir(here)
    return {p: p.relative_to(root / build / "lib").as_posix() for p in built}


def copy_in_place(root: Path, built: dict[Path, str]) -> None:
    for file, inside in built.items():
        target = root / "src" / inside
        if target.is_file() and target.stat().st_mtime_ns >= file.stat().st_mtime_ns:
            continue
        shutil.copy2(file, f"{target}.tmp")
        os.replace(f"{target}.tmp", target)  # a running process keeps the file that it has mapped


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    """What hatchling calls for a wheel: the plain one or an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        root = Path(self.root).resolve()
        build = build_folder()
        with locked(root / build):
            built = compile_all(root, build, [])
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            if version == "editable":
                copy_in_place(root, built)
            else:
                build_data["force_include"].update({str(p): inside for p, inside in built.items()})


if __name__ == "__main__":
    top = Path(__file__).resolve().parent
    folder = build_folder()
    with locked(top / folder):
        copy_in_place(top, compile_all(top, folder, sys.argv[1:]))
