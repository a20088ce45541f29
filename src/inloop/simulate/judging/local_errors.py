"""Sum of the local errors of fixed steps, from a few that are repeated with half the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inloop.native import FixedSteps, MachineSnapshot, Status, run_machine
from inloop.plant import Array, BarePlant
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import System

LOOKS = 6  # number of steps that are repeated with half the step

# step [s], None if adaptive → formulation → system
Make = Callable[[float | None], Callable[..., System]]


def local_errors(plant: BarePlant, found: Samples, schedule: FixedSteps, make: Make) -> float:
    """Sum of the errors of all steps, relative to the largest range of positions or velocities.

    Growth and decay of errors on the way are ignored.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        schedule: its steps.
        make: returns a factory of systems for a step [s].
    """
    h, free = schedule.step, list(plant.formulation.partition.independent)
    units = plant.coordinate_sizes[free]
    ways = [np.ptp(part[:, free] / units, axis=0).max(initial=0.0) for part in (found.q, found.qd)]
    if not free or not all(np.isfinite(ways)) or not min(ways) > 0.0:
        return 0.0
    whole, half = (make(step)(plant.formulation) for step in (h, 0.5 * h))
    changes = []
    for k in np.unique(np.linspace(0, len(found.t) - 2, LOOKS).astype(int)):
        once = steps_from(whole, found, k, FixedSteps(schedule.method, h, 1))
        twice = steps_from(half, found, k, FixedSteps(schedule.method, 0.5 * h, 2))
        if once is not None and twice is not None:
            n = len(free)
            parts = ((once - twice)[:n] / units, (once - twice)[n : 2 * n] / units)
            changes.append(max(np.abs(x).max() / way for x, way in zip(parts, ways, strict=True)))
    return schedule.steps * float(np.mean(changes)) if changes else 0.0


def steps_from(system: System, found: Samples, k: int, schedule: FixedSteps) -> Array | None:
    """Result of steps from a sample; None if the independent coordinates fail on the way."""
    t = float(found.t[k])
    x = system.start(t, found.q[k], found.qd[k], found.z[k], guarded=False)
    done = run_machine(system.table, MachineSnapshot(0, x, t), schedule, short=True)
    return done.x[-1] if done.status == Status.OK else None
