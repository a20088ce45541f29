"""The plants of the exhibits: derived once for all tests of a process."""

from __future__ import annotations

import functools

import inloop as il
from inloop import gallery

# half as many elements as shown, or less: the same laws and drawings, less to compile
SMALLER: dict[str, dict[str, int]] = {
    "flexible_four_bar": {"elements": 10},
    "rotor": {"blades": 2, "elements": 3},
    "chain_fountain": {"n": 24},
    "truss": {"bays": 1},
}


def plant_of(name: str) -> il.Plant:
    """The plant of an exhibit as it is shown or smaller, with its parameters as declared."""
    plant = _compiled(name)
    plant.parameters.reset()
    return plant


@functools.cache
def _compiled(name: str) -> il.Plant:
    return gallery.get(name).build(**SMALLER.get(name, {})).compile()
