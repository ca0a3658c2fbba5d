"""Finds the BLAS of the scipy-openblas32 wheel; loaded at the first product, never at import."""

from __future__ import annotations

import ctypes
import functools
import logging
import os
from pathlib import Path

_NAMES = ("sgemm", "dgemm", "cgemm", "zgemm", "sgemv", "dgemv")


def _library() -> Path:
    import scipy_openblas32  # type: ignore[import-untyped,import-not-found,unused-ignore]

    folder = Path(str(scipy_openblas32.get_lib_dir()))
    file = folder / str(scipy_openblas32.get_library(fullname=True))
    if os.name == "nt":  # there the wheel names the import library
        file = next(iter(sorted(folder.glob("*.dll"))), file)
    return file


@functools.cache
def addresses() -> tuple[int, ...]:
    """The addresses of cblas_sgemm, dgemm, cgemm, zgemm, sgemv, dgemv; zeros, with a warning in the log, without BLAS.

    BLAS is set to one thread: this package's own pool calls it for one tile per thread.

    >>> len(addresses())
    6
    """
    try:
        blas = ctypes.CDLL(str(_library()))
        blas.scipy_openblas_set_num_threads(1)
        found = [ctypes.cast(getattr(blas, f"scipy_cblas_{name}"), ctypes.c_void_p).value or 0 for name in _NAMES]
    except (ImportError, OSError, AttributeError) as error:
        logging.getLogger(__name__).warning(
            "scipy-openblas32 cannot be used (%s): matrix products use the slower built-in kernel", error
        )
        return (0,) * len(_NAMES)
    return tuple(found)
