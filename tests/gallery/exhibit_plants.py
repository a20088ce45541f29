"""The plants of the exhibits as they are shown: derived once for all tests of a process."""

from __future__ import annotations

import functools

import inloop as il
from inloop import gallery


def plant_of(name: str) -> il.Plant:
    """The plant of an exhibit without options, with its parameters as they were declared."""
    plant = _compiled(name)
    plant.parameters.reset()
    return plant


@functools.cache
def _compiled(name: str) -> il.Plant:
    return gallery.get(name).build().compile()
