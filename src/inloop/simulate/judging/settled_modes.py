"""Whether oscillations that an implicit method treats as settled really settle.

Implicit steps treat modes faster than the step as settled, and so do half steps. So the first step
is repeated with steps short enough to resolve them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from inloop.native import FixedSteps, Method
from inloop.plant import Array, BarePlant
from inloop.simulate.judging.local_errors import Make, steps_from
from inloop.simulate.judging.stiffness import find_unstable, motion_size
from inloop.simulate.judging.verdict import L_STABLE
from inloop.simulate.results.samples import Samples

SWINGS = 0.3  # of the path, in the first step: settled modes are closer than that
FOLLOWED = 8.0  # steps per step at the stability limit
MOST_PARTS = 100_000  # of the first step


def unresolved_swing(
    plant: BarePlant, found: Samples, u: Array, schedule: FixedSteps, make: Make
) -> str | None:
    """Doubt about fast oscillations that an implicit method treats as settled, as text.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        u: initial inputs.
        schedule: its steps.
        make: returns a factory of systems for a step [s].
    """
    mechanism, h = plant.mechanism, schedule.step
    if schedule.method not in L_STABLE or not (mechanism.laws or mechanism.flexible_links):
        return None
    at, size = found.rows([0]), motion_size(plant, found, [0])
    fastest = find_unstable(plant, at, u, size, Method.RK4, h)
    count = 0 if fastest is None else math.ceil(FOLLOWED * h / fastest.step)
    if fastest is None or count > MOST_PARTS:
        return None
    once = steps_from(make(h)(plant.formulation), found, 0, replace(schedule, steps=1))
    parts = FixedSteps(Method.RODAS, h / count, count, stride=count)
    short = steps_from(make(parts.step)(plant.formulation), found, 0, parts)
    units = plant.coordinate_sizes[list(plant.formulation.partition.independent)]
    way = np.ptp(found.q[:, : plant.n] / plant.coordinate_sizes, axis=0).max()
    if once is None or short is None:
        return None
    apart = float(np.abs((once - short)[: len(units)] / units).max(initial=0.0))
    if not apart > SWINGS * way:
        return None
    what = f"'{fastest.law}'" if fastest.law else f"joint '{fastest.joint}'"
    return (
        f"t = 0 s: {what} swings faster than steps of {h:.4g} s follow, and "
        f"{schedule.method.name.lower()} takes it for settled: |λ h| = {fastest.product:.3g}. Use "
        f'step <= {fastest.step / FOLLOWED:.1g}, or method="rodas" with tolerance=1e-6.'
    )
