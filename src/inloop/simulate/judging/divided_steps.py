"""Steps of bodies by themselves that had to be divided: told by whoever runs them."""

from __future__ import annotations

from collections.abc import Iterable

from inloop.errors import counted
from inloop.simulate.systems import System


def divided_notes(systems: Iterable[System]) -> tuple[str, ...]:
    """What is worth telling of Newton's method, in words.

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
