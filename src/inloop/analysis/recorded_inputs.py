"""How the inputs in a run were held between its samples."""

from __future__ import annotations

from typing import Literal

from inloop.simulate import Result

Held = Literal["from", "until", "smooth"]


def held(run: Result, name: str) -> Held:
    """Whether an input was held after each sample, before it, or was a function of time."""
    if name not in run.inputs:  # set by a controller
        return "from"
    return "until" if run.recorded else "smooth"
