"""Compiles every C file with all warnings as errors, by gcc and by clang where they exist; writes nothing.

-pedantic and -Wvla keep out what MSVC would not accept.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["-fsyntax-only", "-std=gnu11", "-Wall", "-Wextra", "-pedantic", "-Wvla", "-Werror"]
AVX2 = ["-mavx2", "-mfma", "-mf16c"]


def main() -> int:
    compilers = [c for c in ("gcc", "clang") if shutil.which(c)]
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    files = [f for f in sorted(ROOT.glob("packages/*/src/**/*.c")) if x86 or not f.stem.endswith("_avx2")]
    headers = [f"-I{folder}" for folder in sorted(ROOT.glob("packages/*/src/*/simd"))]
    bad = 0
    for compiler in compilers:
        for file in files:
            isa = AVX2 if file.stem.endswith("_avx2") else []
            bad += subprocess.run([compiler, *FLAGS, *isa, *headers, str(file)], check=False).returncode != 0
    print(f"{len(files)} C files, compilers: {', '.join(compilers) or 'none'}, with warnings: {bad}")
    return 1 if bad or not compilers else 0


if __name__ == "__main__":
    sys.exit(main())
