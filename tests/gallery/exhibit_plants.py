"""The plants of the exhibits: derived once for all tests of a process."""

from __future__ import annotations

import functools
from unittest.mock import patch

import inloop as il
from inloop import gallery
from inloop.simulate import readiness

# half as many elements as shown, or less: the same laws and drawings, less to compile
SMALLER: dict[str, dict[str, int]] = {
    "flexible_four_bar": {"elements": 4},
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


def for_explicit_runs(model: il.Model) -> il.Plant:
    """Compiled without the code of implicit steps, which takes half of the time for a car."""
    with patch.object(readiness, "_starts_stiff", return_value=False):
        return model.compile()


@functools.cache
def driven_car(pac2002: bool = False) -> il.Plant:
    """The car with pedals and steering wheel, for runs by rk4."""
    return for_explicit_runs(
        gallery.get("car").build(pedals=True, bars_as_laws=True, pac2002=pac2002)
    )
