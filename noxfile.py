"""Sessions: demo, tests, matrix, smoke, clients, lint, types, build, bench, slow, oracle; packages are globbed."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests"]
nox.options.error_on_missing_interpreters = True

ROOT = Path(__file__).resolve().parent
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
PROJECTS = {p.parent.name: nox.project.load_toml(p) for p in sorted(ROOT.glob("packages/*/pyproject.toml"))}
GROUPS = nox.project.load_toml(ROOT / "pyproject.toml")
WHOLE = "whole"  # beside the packages: the tests that cross them
PARTS = nox.parametrize("part", [nox.param(name, id=name) for name in [*PROJECTS, WHOLE]])

os.environ.setdefault("UV_PYTHON_DOWNLOADS", "never")
# pyenv's shims answer only for the versions it has made global: offer the others' own folders before them
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
os.environ["PATH"] = os.pathsep.join([*(str(p) for v in PYTHONS for p in PYENV.glob(f"{v}.*/bin")), os.environ["PATH"]])

# uv does not read pip's settings: what the machine needs to reach its package index is handed on
PIP_TO_UV = {
    "cert": "SSL_CERT_FILE",
    "constraint": "UV_CONSTRAINT",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
}
LISTED = [sys.executable, "-m", "pip", "config", "list"]
for line in subprocess.run(LISTED, capture_output=True, text=True, check=False).stdout.splitlines():
    key, _, value = line.partition("=")
    if target := PIP_TO_UV.get(key.rpartition(".")[2]):
        os.environ.setdefault(target, ("," if "find" in key else " ").join(ast.literal_eval(value).split()))
if "UV_INDEX" in os.environ:
    os.environ.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # pip's: the best of all indexes


def group(name: str) -> list[str]:
    """The requirements of a dependency group."""
    return list(nox.project.dependency_groups(GROUPS, name))


def needed(names: list[str]) -> list[str]:
    """The packages of this repository that names depend on, themselves included."""
    todo, seen = list(names), set[str]()
    while todo:
        name = todo.pop()
        if name in PROJECTS and name not in seen:
            seen.add(name)
            for requirement in PROJECTS[name]["project"].get("dependencies", []):
                todo.append(re.split(r"[^\w.-]", requirement)[0].replace("_", "-").lower())
    return sorted(seen)


def fingerprint(folder: Path) -> str:
    """Changes when anything changes that goes into the wheel of a package."""
    digest = hashlib.sha256()
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = file.relative_to(folder)
        if name.parts[0] in ("tests", "build", "dist") or "__pycache__" in name.parts:
            continue
        if file.suffix not in (".so", ".pyd", ".tmp"):
            digest.update(f"{name}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def uv(session: nox.Session) -> str | None:
    """Where uv is, when the session works with it."""
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return shutil.which("uv", path=here) if session.venv_backend == "uv" else None


def build(session: nox.Session, package: str, out: Path, *, via_sdist: bool = False) -> None:
    """Build a package in isolation: its wheel; with `via_sdist` its sdist, and the wheel from that."""
    folder = str(ROOT / "packages" / package)
    if tool := uv(session):
        python = str(Path(session.bin, "python"))
        kind = [] if via_sdist else ["--wheel"]
        session.run(tool, "build", "-q", *kind, "--python", python, "-o", str(out), folder, external=True)
    elif via_sdist:
        session.install("-q", "build")
        session.run("python", "-m", "build", "-o", str(out), folder, silent=True)
    else:
        session.run("python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), folder)


def wheel(session: nox.Session, package: str) -> Path:
    """The wheel of a package as it is now; built once for all sessions of one Python, once for all when pure."""
    compiled = (ROOT / "packages" / package / "hatch_build.py").exists()
    tag = ""
    if compiled:
        code = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
        tag = (session.run("python", "-c", code, silent=True, log=False) or "").strip()
    home = ROOT / ".nox" / "wheels" / f"{package}{tag}"
    done = home / fingerprint(ROOT / "packages" / package)
    if not done.is_dir():
        fresh = home / f"new-{os.getpid()}"
        build(session, package, fresh)
        if done.is_dir():  # another process was faster
            shutil.rmtree(fresh)
        else:
            fresh.rename(done)
        for old in home.iterdir():
            if old != done and not old.name.startswith("new-"):
                shutil.rmtree(old)
    return next(done.glob("*.whl"))


def install(session: nox.Session, names: list[str], *others: str) -> None:
    """Install the packages names, and of this repository only what they declare."""
    session.install(*(str(wheel(session, name)) for name in needed(names)), *others)


def check(session: nox.Session, part: str) -> None:
    """Run the tests of one package, in an environment with only what it declares, or those that cross packages."""
    pytest = ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=ci"]
    pytest += ["-m", "not oracle and not slow"]
    if part == WHOLE:
        install(session, list(PROJECTS), *group("whole"))
        session.run(*pytest, "tests", *session.posargs)
        return
    install(session, [part], *group("test"), *(group(part) if part in GROUPS["dependency-groups"] else ()))
    # some packages run the examples in their docstrings by a test of their own
    own = any(ROOT.glob(f"packages/{part}/tests/test_*_docs.py"))
    examples = [] if own else ["--doctest-modules", "--pyargs", part.replace("-", "_")]
    with session.chdir(ROOT / "packages" / part):
        session.run(*pytest, *examples, "tests", *session.posargs)


@nox.session
@PARTS
def tests(session: nox.Session, part: str) -> None:
    """Each package's tests, then those that cross packages, on this Python."""
    check(session, part)


@nox.session(python=PYTHONS)
@PARTS
def matrix(session: nox.Session, part: str) -> None:
    """All tests on every supported Python."""
    check(session, part)


@nox.session(python=PYTHONS)
def smoke(session: nox.Session) -> None:
    """Import everything and compute a little, on every supported Python."""
    install(session, list(PROJECTS))
    session.run("python", "-W", "error", "tools/smoke.py")


@nox.session
def demo(session: nox.Session) -> None:
    """Install everything and train on handwritten digits."""
    install(session, list(PROJECTS), *group("programs"))
    session.run("python", "-m", "ms_common", "run", "examples/digits.py", *session.posargs)


@nox.session
def clients(session: nox.Session) -> None:
    """Networks of other people's packages, unchanged: their logits beside 2.6's, and a training step of each."""
    install(session, ["ms-common"], *group("clients"))
    session.install("--no-deps", "mindcv==0.3.0")  # it asks for what only its data sets and command line need
    session.run(
        "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_client_mindcv.py", *session.posargs
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Static checks of everything, or of the packages named; runs all, then fails."""
    session.install(*group("lint"))
    names = session.posargs or list(PROJECTS)
    places = [f"packages/{name}" for name in names] if session.posargs else ["."]
    sources = os.pathsep.join(str(ROOT / "packages" / name / "src") for name in PROJECTS)
    commands = [
        (ROOT, ["ruff", "check", *places]),
        (ROOT, ["ruff", "format", "--check", *places]),
        (ROOT, ["cython-lint", *(f"packages/{name}/src" for name in names)]),
        (ROOT, ["python", "tools/budget.py", *session.posargs]),
        (ROOT, ["python", "tools/cwarnings.py"]),
    ]
    if not session.posargs:
        commands += [(ROOT, ["lint-imports", "--no-cache"]), (ROOT, ["python", "tools/levels.py"])]
    # deptry knows only what is declared; that all of it is used (cimported, named in a table) is for tools/levels.py
    commands += [(ROOT / "packages" / name, ["deptry", "--ignore", "DEP002", "--no-ansi", "src"]) for name in names]
    failed = []
    for folder, command in commands:
        with session.chdir(folder):
            try:
                session.run(*command, env={"PYTHONPATH": sources}, silent=command[0] == "deptry")
            except nox.command.CommandFailed:
                failed.append(" ".join(command[:2]))
    if failed:
        session.error(f"failed: {', '.join(failed)}")


@nox.session
def types(session: nox.Session) -> None:
    """mypy --strict over everything, or over the packages named."""
    session.install(*group("types"))
    names = session.posargs or list(PROJECTS)
    sources = os.pathsep.join(str(ROOT / "packages" / name / "src") for name in PROJECTS)
    modules = [arg for name in names for arg in ("-p", name.replace("-", "_"))]
    session.run("mypy", "--strict", *modules, env={"MYPYPATH": sources})
    if not session.posargs:
        own = ["noxfile.py", *map(str, sorted(Path("tools").glob("*.py")))]
        session.run("mypy", "--strict", "--follow-imports=silent", *own, env={"MYPYPATH": sources})


@nox.session(name="build")
def build_all(session: nox.Session) -> None:
    """Build sdist and wheel of every package, the wheel out of the sdist, and look at their size."""
    out = ROOT / "dist"
    shutil.rmtree(out, ignore_errors=True)
    for name in session.posargs or PROJECTS:
        build(session, name, out, via_sdist=True)
    session.run("python", "tools/budget.py", "--wheels", str(out))


@nox.session
def bench(session: nox.Session) -> None:
    """Time ours against the peers; name benchmarks to run only those."""
    install(session, list(PROJECTS), *group("bench"))
    for file in sorted((ROOT / "benchmarks").glob("bench_*.py")):
        if not session.posargs or any(text in file.stem for text in session.posargs):
            session.run("python", str(file))


@nox.session
def slow(session: nox.Session) -> None:
    """Tests that take minutes or gigabytes; name folders to run only theirs."""
    install(session, list(PROJECTS), *group("whole"))
    session.run("python", "-m", "pytest", "-q", "-m", "slow", *(session.posargs or ["tests", "packages"]))


@nox.session
def oracle(session: nox.Session) -> None:
    """Differential tests; MS26_PYTHON names the interpreter of an environment that has MindSpore 2.6."""
    if not os.environ.get("MS26_PYTHON"):
        session.skip("set MS26_PYTHON to the Python of an environment with mindspore==2.6.0")
    install(session, list(PROJECTS), *group("whole"))
    session.run("python", "-m", "pytest", "-q", "-m", "oracle", "tests", "packages", *session.posargs)
