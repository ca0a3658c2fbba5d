"""`python -m ms_common`."""

from __future__ import annotations

import sys

from ms_common.cli import main

sys.exit(main())
