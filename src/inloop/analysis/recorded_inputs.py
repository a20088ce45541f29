"""How the inputs that a run tells were held between its samples."""

from __future__ import annotations

from typing import Literal

from inloop.simulate import Result

Held = Literal["from", "until", "smooth"]


def held(run: Result, name: str) -> Held:
    """Whether an input was held from a sample on, up to it, or was a function of time."""
    if name not in run.inputs:  # of a controller
        return "from"
    return "until" if run.recorded else "smooth"
