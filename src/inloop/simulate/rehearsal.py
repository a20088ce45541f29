"""Rehearsal: a run that finds which sets of independent coordinates are worth compiling."""

from __future__ import annotations

from typing import Any

from inloop.errors import SimulationError
from inloop.plant import BarePlant
from inloop.simulate.choice import HARD
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS
from inloop.simulate.systems import build_choices


def rehearse(plant: BarePlant, *, method: str = "rk4", **run: Any) -> None:
    """Simulate, and compile the sets of independent coordinates encountered.

    Args:
        plant: the compiled mechanism; trees and mechanisms with modes have nothing to rehearse.
        method: integrator to build code for; "moreau" for hard contacts.
        run: arguments of `simulate`, at least `t_end`.
    """
    closed = not plant.formulation.unconstrained
    if closed and plant.mechanism.hard_contacts:
        # impulses can only be computed by compiled code
        method = HARD
    elif not plant.formulation.chooses_freely or plant.has_events:
        return
    try:
        met = simulate(plant, method=method, **run).partitions
    except SimulationError as error:
        # errors will be reported by the actual run
        met = getattr(getattr(error, "result", None), "partitions", ())
    build_choices(plant, met, METHODS[method])
