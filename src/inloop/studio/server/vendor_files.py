"""Third-party libraries of the page, copied here when the package is built."""

from __future__ import annotations

import os
from pathlib import Path

from inloop.errors import InputError

VENDOR = Path(__file__).parents[1] / "vendor"
WITHOUT = "INLOOP_WITHOUT_STUDIO"  # as for hatch_build.py: set deliberately
NEEDED = (
    "three.module.min.js", "three.core.min.js", "uPlot.esm.js", "uPlot.min.css",
)  # fmt: skip


def check_vendor() -> None:
    """Raise InputError, with instructions, if the package was built without them."""
    missing = [name for name in NEEDED if not (VENDOR / name).is_file()]
    if missing and os.environ.get(WITHOUT, "") in ("", "0"):
        raise InputError(
            f"the studio was built without {', '.join(missing)}",
            fix="Install npm (Debian: apt-get install npm), then install inloop again.",
        )
