"""How C runs in this process: compiled, or translated to Python where there is no compiler.

Compiled code and translated code cannot call each other, so the decision holds for all of it. It is
fixed when the runtime is loaded, which every run needs.
"""

from __future__ import annotations

import warnings

from inloop.errors import BuildError
from inloop.native.building.compiler import (
    Compiler,
    explain_no_compiler,
    find_compiler,
    python_compiler,
)

_settled: list[bool] = []  # True: as Python
_told: list[str] = []


def runs_as_python() -> bool:
    """True if C runs as translated Python in this process."""
    return _settled[0] if _settled else find_compiler() is None


def settle_way() -> None:
    """Fix the decision for this process, regardless of later changes of compilers."""
    if not _settled:
        _settled.append(runs_as_python())


def usable_compiler() -> Compiler | None:
    """The compiler for libraries that this process can use; None if it has disappeared."""
    return python_compiler() if runs_as_python() else find_compiler()


def require_compiler() -> None:
    """Raise an error if there is no compiler, for features that must run in real time.

    Raises:
        BuildError: C runs as Python here.
    """
    if runs_as_python():
        raise BuildError(
            "running in real time needs a C compiler, and no working one was found",
            fix="Install one: pip install inloop[cc], or sudo apt-get install gcc libc6-dev.",
        )


def tell_slowness() -> None:
    """Warn once per process that there is no compiler, and what to do."""
    if runs_as_python() and not _told:
        _told.append("told")
        warnings.warn(
            f"{explain_no_compiler()} Until then, everything runs as Python, several "
            "hundred times slower.",
            stacklevel=3,
        )
