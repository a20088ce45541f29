"""A run before the run: it shows which choices of independent coordinates are worth code."""

from __future__ import annotations

from typing import Any

from inloop.errors import SimulationError
from inloop.plant import BarePlant
from inloop.simulate.choice import HARD
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS
from inloop.simulate.systems import build_choices


def rehearse(plant: BarePlant, *, method: str = "rk4", **run: Any) -> None:
    """Simulate, and compile the choices of independent coordinates that are met.

    Args:
        plant: the compiled mechanism; trees and mechanisms with modes have nothing to rehearse.
        method: integrator whose code is built for the choices; "moreau" where contacts are hard.
        run: what the run is like, see `simulate`: `t_end` at least.
    """
    closed = not plant.formulation.unconstrained
    if closed and plant.mechanism.hard_contacts:
        # without code for a choice nobody finds impulses
        method = HARD
    elif not plant.formulation.chooses_freely or plant.has_events:
        return
    try:
        met = simulate(plant, method=method, **run).partitions
    except SimulationError as error:
        # what goes wrong in it shows again in the run
        met = getattr(getattr(error, "result", None), "partitions", ())
    build_choices(plant, met, METHODS[method])
