"""Notes on redundant steps that had to be divided."""

from __future__ import annotations

from collections.abc import Iterable

from inloop.errors import counted
from inloop.simulate.systems import System


def divided_notes(systems: Iterable[System]) -> tuple[str, ...]:
    """Notes on Newton's method.

    Args:
        systems: all modes of an instance.
    """
    divided = sum(told.divided for system in systems if (told := system.newton) is not None)
    if not divided:
        return ()
    were = "was" if divided == 1 else "were"
    return (
        f"{counted(divided, 'step')} {were} divided, as Newton's method did not converge there",
    )
