"""Whether fixed steps were short enough for the motion, if nothing was unstable.

The energy balance does not detect errors that conserve energy, such as phase errors. So a few steps
of the run are repeated with half the step: the change, summed up over all steps, estimates the
error of the run. If that would be visible, the whole run is repeated with half the step, and the
difference decides. Chaotic motion passes: the sum ignores the growth of errors.

Implicit steps treat modes faster than the step as settled, and so do half steps. Whether they
really settle is checked in the first step, repeated with steps short enough to resolve them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import AdaptiveSteps, FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.plant import Array, BarePlant
from inloop.simulate.judging.stiffness import find_unstable, motion_size
from inloop.simulate.judging.verdict import L_STABLE
from inloop.simulate.pieces import run_in_pieces
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import System

SUSPECT = 0.005  # estimated error, relative to the longest path of a joint: repeat the run
VISIBLE = 0.01  # difference to half the step, relative to the same
USELESS = 0.3  # difference above which nothing of the run is trustworthy
AIM = 1e-3  # target error of a proposed step
SWINGS = 0.3  # of the path, in the first step: settled modes are closer than that
FOLLOWED = 8.0  # steps per step at the stability limit
MOST_PARTS = 100_000  # of the first step
LOOKS = 6  # number of steps that are repeated with half the step
ORDERS = {
    Method.EULER: 1,
    Method.RK4: 4,
    Method.DOPRI: 5,
    Method.RODAS: 4,
    Method.IMPLICIT: 2,
    Method.ALPHA: 2,
}

Make = Callable[[float], Callable[..., System]]  # step [s] → formulation → system


@dataclass(frozen=True)
class Inaccuracy:
    """A run that differs visibly from one with half the step.

    Attributes:
        told: explanation as text.
        useless: nothing of the run is trustworthy.
    """

    told: str
    useless: bool


def inaccuracy(
    plant: BarePlant,
    found: Samples,
    schedule: FixedSteps | AdaptiveSteps,
    begin: End,
    u: Array,
    make: Make,
) -> Inaccuracy | None:
    """How far a run is from one with half its step, if that is visible.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        schedule: schedule of the run.
        begin: initial state.
        u: initial inputs.
        make: returns a factory of systems for a step [s].
    """
    if isinstance(schedule, AdaptiveSteps) or schedule.method not in ORDERS:
        return None
    # contacts switch at steps: different steps give different results, and neither is wrong
    if plant.mechanism.touches or len(found.t) < 2 or begin.steps:
        return None
    swinging = _swinging(plant, found, u, schedule, make)
    if swinging is not None or not _estimate(plant, found, schedule, make) > SUSPECT:
        return swinging
    halved = replace(
        schedule, step=0.5 * schedule.step, steps=2 * schedule.steps, stride=2 * schedule.stride
    )
    finer = run_in_pieces(plant, halved, begin, make(halved.step))
    if finer.status != Status.OK or finer.samples.q.shape != found.q.shape:
        return None
    return _difference(plant, found, finer.samples, schedule)


def _estimate(plant: BarePlant, found: Samples, schedule: FixedSteps, make: Make) -> float:
    """Estimated error at the end of a run, relative to its largest positions or velocities."""
    h, free = schedule.step, list(plant.formulation.partition.independent)
    units = plant.coordinate_sizes[free]
    ways = [np.ptp(part[:, free] / units, axis=0).max(initial=0.0) for part in (found.q, found.qd)]
    if not free or not all(np.isfinite(ways)) or not min(ways) > 0.0:
        return 0.0
    whole, half = (make(step)(plant.formulation) for step in (h, 0.5 * h))
    changes = []
    for k in np.unique(np.linspace(0, len(found.t) - 2, LOOKS).astype(int)):
        once = _moved(whole, found, k, FixedSteps(schedule.method, h, 1))
        twice = _moved(half, found, k, FixedSteps(schedule.method, 0.5 * h, 2))
        if once is not None and twice is not None:
            n = len(free)
            parts = ((once - twice)[:n] / units, (once - twice)[n : 2 * n] / units)
            changes.append(max(np.abs(x).max() / way for x, way in zip(parts, ways, strict=True)))
    return schedule.steps * float(np.mean(changes)) if changes else 0.0


def _moved(system: System, found: Samples, k: int, schedule: FixedSteps) -> Array | None:
    """Result of steps from a sample; None if the independent coordinates fail on the way."""
    t = float(found.t[k])
    x = system.start(t, found.q[k], found.qd[k], found.z[k], guarded=False)
    done = run_machine(system.table, MachineSnapshot(0, x, t), schedule, short=True)
    return done.x[-1] if done.status == Status.OK else None


def _difference(
    plant: BarePlant, found: Samples, finer: Samples, schedule: FixedSteps
) -> Inaccuracy | None:
    n, units = plant.n, plant.coordinate_sizes
    apart = np.abs(found.q[:, :n] - finer.q[:, :n]) / units
    way = np.ptp(finer.q[:, :n] / units, axis=0).max()
    row, joint = np.unravel_index(int(np.argmax(apart)), apart.shape)
    share = float(apart[row, joint] / way) if way > 0.0 else 0.0
    if not share > VISIBLE:
        return None
    unit = plant.mechanism.bodies[joint].joint.kind.dimension.unit
    shorter = schedule.step * (AIM / min(share, 1.0)) ** (1.0 / ORDERS[schedule.method])
    told = (
        f"t = {found.t[row]:.6g} s: with half the step '{plant.coordinates[joint]}' is elsewhere "
        f"by {apart[row, joint] * units[joint]:.3g} {unit}, {100.0 * share:.2g} % of the way: "
        f"steps of {schedule.step:.4g} s are too long for {schedule.method.name.lower()}. Use "
        f'step <= {shorter:.1g}, or method="rodas" with tolerance=1e-6.'
    )
    return Inaccuracy(told, share > USELESS)


def _swinging(
    plant: BarePlant, found: Samples, u: Array, schedule: FixedSteps, make: Make
) -> Inaccuracy | None:
    """Doubt about fast oscillations that an implicit method treats as settled."""
    mechanism, h = plant.mechanism, schedule.step
    if schedule.method not in L_STABLE or not (mechanism.laws or mechanism.flexible_links):
        return None
    at, size = found.rows([0]), motion_size(plant, found, [0])
    fastest = find_unstable(plant, at, u, size, Method.RK4, h)
    count = 0 if fastest is None else math.ceil(FOLLOWED * h / fastest.step)
    if fastest is None or count > MOST_PARTS:
        return None
    once = _moved(make(h)(plant.formulation), found, 0, replace(schedule, steps=1))
    parts = FixedSteps(Method.RODAS, h / count, count, stride=count)
    short = _moved(make(parts.step)(plant.formulation), found, 0, parts)
    units = plant.coordinate_sizes[list(plant.formulation.partition.independent)]
    way = np.ptp(found.q[:, : plant.n] / plant.coordinate_sizes, axis=0).max()
    if once is None or short is None:
        return None
    apart = float(np.abs((once - short)[: len(units)] / units).max(initial=0.0))
    if not apart > SWINGS * way:
        return None
    what = f"'{fastest.law}'" if fastest.law else f"joint '{fastest.joint}'"
    told = (
        f"t = 0 s: {what} swings faster than steps of {h:.4g} s follow, and "
        f"{schedule.method.name.lower()} takes it for settled: |λ h| = {fastest.product:.3g}. Use "
        f'step <= {fastest.step / FOLLOWED:.1g}, or method="rodas" with tolerance=1e-6.'
    )
    return Inaccuracy(told, useless=True)
