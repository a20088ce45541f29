"""Whether the steps of a run were short enough for the motion, if nothing was unstable.

The energy balance does not detect errors that conserve energy, such as phase errors, nor errors
that the motion amplifies. So the run is repeated with coarser steps, and the local errors of a few
fixed steps are summed up. If either looks visible, the run is repeated with finer steps, and that
difference decides: either the steps are too long, or, if their local errors are small, the
motion amplifies them, as near an unstable position or in chaos.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import AdaptiveSteps, FixedSteps, Method, Status
from inloop.plant import Array, BarePlant
from inloop.simulate.judging.local_errors import Make, local_errors
from inloop.simulate.judging.settled_modes import unresolved_swing
from inloop.simulate.pieces import Outcome, run_in_pieces
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples
from inloop.simulate.schedules import step_of

SUSPECT = 0.005  # sum of local errors, relative to the longest path of a joint: repeat the run
VISIBLE = 0.01  # difference to half the step, relative to the same
USELESS = 0.3  # difference above which nothing of the run is trustworthy
AIM = 1e-3  # target error of a proposed step
COARSE = 4  # fixed steps that become one
LOOSE = 30.0  # times the tolerance of adaptive steps
TIGHT = 0.1  # of that tolerance
COARSE_SUSPECT = 0.02  # difference to coarser steps, three times the error for order 1, else more
FEWEST = 8  # fewer coarse steps say nothing
STILL = 1e-10  # of its characteristic size: what moves less stands still
ORDERS = {
    Method.EULER: 1,
    Method.RK4: 4,
    Method.DOPRI: 5,
    Method.RODAS: 4,
    Method.IMPLICIT: 2,
    Method.ALPHA: 2,
}

Schedule = FixedSteps | AdaptiveSteps


@dataclass(frozen=True)
class Inaccuracy:
    """A run that differs visibly from one with finer steps.

    Attributes:
        told: explanation as text.
        useless: nothing of the run is trustworthy.
        amplified: the steps are accurate, but the motion amplifies their errors.
    """

    told: str
    useless: bool = False
    amplified: bool = False


@dataclass(frozen=True)
class _Difference:
    """Where two runs differ most.

    Attributes:
        joint: index of the coordinate.
        t: time [s].
        apart: difference [rad or m].
        share: difference relative to the longest path of a joint.
        since: time from which on the difference is visible [s].
    """

    joint: int
    t: float
    apart: float
    share: float
    since: float


def inaccuracy(
    plant: BarePlant, found: Samples, schedule: Schedule, begin: End, u: Array, make: Make
) -> Inaccuracy | None:
    """How far a run is from one with finer steps, if that is visible.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        schedule: schedule of the run.
        begin: initial state.
        u: initial inputs.
        make: returns a factory of systems for a step [s], None if adaptive.

    Raises:
        KeyboardInterrupt: Ctrl-C during the check.
    """
    if schedule.method not in ORDERS or begin.back is not None or len(found.t) < 2:
        return None
    # contacts switch at steps: different steps give different results, and neither is wrong
    if plant.mechanism.touches:
        return None
    accurate = True
    if isinstance(schedule, FixedSteps):
        swinging = unresolved_swing(plant, found, u, schedule, make)
        if swinging is not None:
            return Inaccuracy(swinging, useless=True)
        accurate = not local_errors(plant, found, schedule, make) > SUSPECT
    if accurate and not _differs_from_coarse(plant, found, schedule, begin, make):
        return None
    finer = _repeated(plant, _finer(schedule), schedule, begin, make)
    if finer.status != Status.OK:
        return None
    worst = _difference(plant, found, finer.samples, _grid(schedule))
    if not worst.share > VISIBLE:
        return None
    if accurate:
        return Inaccuracy(_amplified(plant, worst, schedule), amplified=True)
    assert isinstance(schedule, FixedSteps)
    return Inaccuracy(_too_long(plant, worst, schedule), useless=worst.share > USELESS)


def _differs_from_coarse(
    plant: BarePlant, found: Samples, schedule: Schedule, begin: End, make: Make
) -> bool:
    """Whether a run with coarser steps is elsewhere, or not possible."""
    coarser = _coarser(schedule)
    if isinstance(coarser, FixedSteps) and (begin.steps % COARSE or coarser.steps < FEWEST):
        return False
    coarse = _repeated(plant, coarser, schedule, begin, make)
    if coarse.status != Status.OK:
        return True
    return _difference(plant, found, coarse.samples, _grid(schedule)).share > COARSE_SUSPECT


def _coarser(schedule: Schedule) -> Schedule:
    if isinstance(schedule, AdaptiveSteps):
        return replace(schedule, rtol=LOOSE * schedule.rtol, atol=LOOSE * schedule.atol)
    step, steps = COARSE * schedule.step, schedule.steps // COARSE
    # the samples that both have
    return replace(
        schedule, step=step, steps=steps, stride=math.lcm(schedule.stride, COARSE) // COARSE
    )


def _finer(schedule: Schedule) -> Schedule:
    if isinstance(schedule, AdaptiveSteps):
        return replace(schedule, rtol=TIGHT * schedule.rtol, atol=TIGHT * schedule.atol)
    step, steps, stride = 0.5 * schedule.step, 2 * schedule.steps, 2 * schedule.stride
    return replace(schedule, step=step, steps=steps, stride=stride)


def _with_finer(schedule: Schedule) -> str:
    adaptive = isinstance(schedule, AdaptiveSteps)
    return "with a tenth of the tolerance" if adaptive else "with half the step"


def _grid(schedule: Schedule) -> float:
    """Time of which all samples are multiples [s]."""
    if isinstance(schedule, AdaptiveSteps):
        return schedule.sample or schedule.t_end
    return schedule.step


def _repeated(
    plant: BarePlant, other: Schedule, schedule: Schedule, begin: End, make: Make
) -> Outcome:
    """The same run by another schedule; Ctrl-C ends it like any other."""
    if isinstance(other, FixedSteps) and isinstance(schedule, FixedSteps):
        # steps are counted from t = 0
        count = round(begin.steps * schedule.step / other.step)
        begin = End(
            begin.t, begin.q, begin.qd, begin.z, None, count, begin.partition, None,
            formulation=begin.formulation,
        )  # fmt: skip
    done = run_in_pieces(plant, other, begin, make(step_of(other)), doing="checking the steps")
    if done.status == Status.STOPPED:
        raise KeyboardInterrupt
    return done


def _difference(plant: BarePlant, found: Samples, other: Samples, grid: float) -> _Difference:
    """Compare the samples that two runs have in common, at multiples of a time [s]."""
    here, there = (np.round(each.t / grid).astype(int) for each in (found, other))
    _, rows, others = np.intersect1d(here, there, return_indices=True)
    n, units = plant.n, plant.coordinate_sizes
    apart = np.abs(found.q[rows, :n] - other.q[others, :n]) / units
    reached = found.q[:, :n] / units
    way = max(np.ptp(reached, axis=0).max(), STILL * max(1.0, np.abs(reached).max()))
    row, joint = np.unravel_index(int(np.argmax(apart)), apart.shape)
    visible = np.nonzero(apart.max(axis=1) > VISIBLE * way)[0]
    since = float(found.t[rows[visible[0]]]) if len(visible) else math.inf
    most = float(apart[row, joint])
    at = float(found.t[rows[row]])
    return _Difference(int(joint), at, most * float(units[joint]), most / way, since)


def _elsewhere(plant: BarePlant, worst: _Difference, schedule: Schedule) -> str:
    unit = plant.mechanism.bodies[worst.joint].joint.kind.dimension.unit
    return (
        f"{_with_finer(schedule)} '{plant.coordinates[worst.joint]}' is elsewhere by "
        f"{worst.apart:.3g} {unit}, {100.0 * worst.share:.2g} % of the way"
    )


def _too_long(plant: BarePlant, worst: _Difference, schedule: FixedSteps) -> str:
    shorter = schedule.step * (AIM / min(worst.share, 1.0)) ** (1.0 / ORDERS[schedule.method])
    return (
        f"t = {worst.t:.6g} s: {_elsewhere(plant, worst, schedule)}: steps of "
        f"{schedule.step:.4g} s are too long for {schedule.method.name.lower()}. "
        f'Use step <= {shorter:.1g}, or method="rodas" with tolerance=1e-6.'
    )


def _amplified(plant: BarePlant, worst: _Difference, schedule: Schedule) -> str:
    what, better = "step", 'A shorter step, or method="rodas" with tolerance=1e-9,'
    if isinstance(schedule, AdaptiveSteps):
        what, better = "tolerance", "A smaller tolerance"
    return (
        f"t = {worst.since:.6g} s: from here on the motion depends on the {what}, though each step "
        f"is accurate: at t = {worst.t:.6g} s {_elsewhere(plant, worst, schedule)}. This motion "
        "amplifies small errors, those of start values and parameters too. "
        f"{better} postpones that."
    )
