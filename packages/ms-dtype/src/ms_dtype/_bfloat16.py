"""Where bfloat16 comes from: ml_dtypes' NumPy type, if the installed NumPy can hold it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np


def _warn(message: str) -> None:
    import logging  # only here: a healthy start should not pay for it

    logging.getLogger("ms_dtype").warning(message)


def _load() -> Any:
    try:
        from ml_dtypes import bfloat16
    except ImportError as error:  # a NumPy whose C interface ml_dtypes was not built for
        _warn(f"bfloat16 is not available: {error}")
        return None
    return bfloat16


np_bfloat16: Final[Any] = _load()


def np_version_valid(verbose: bool) -> bool:
    """Tell whether the installed NumPy can hold bfloat16.

    Args:
        verbose: log a warning when it cannot.

    >>> np_version_valid(True)
    True
    """
    valid = np_bfloat16 is not None and np.can_cast(np_bfloat16, np.float32)
    if verbose and not valid:
        _warn(f"NumPy {np.__version__} cannot hold ml_dtypes' bfloat16.")
    return valid
