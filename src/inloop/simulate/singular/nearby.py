"""Past a singular position that a motion comes near to, but does not meet.

There the directions that the loops leave free turn within a short way: one branch nearly meets
another, and the motion goes on along that one. Steps that are short enough elsewhere miss such a
turn. So where they would, each step of a run with fixed steps is made of several whose lengths are
chosen by their error.

How fast the loops come near a singular position, or leave it, tells ‖J⁺ J̇‖: its reciprocal is the
time to it if it is met, and the time that the turn takes if it is passed by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import (
    AdaptiveSteps,
    FixedSteps,
    MachineSnapshot,
    Method,
    Status,
    run_machine,
)
from inloop.plant import Array, BarePlant, Formulation
from inloop.simulate.results.result import End
from inloop.simulate.systems import System

NEARLY = 0.1  # smallest singular value of J to its largest: beyond this no position is near
RESOLVED = 0.01  # ‖J⁺ J̇‖ times the step up to which a turn of 2.5 times that is no matter
MISSED = 0.05  # ‖J⁺ J̇‖ times the step from which on such a turn is worth a note
WHOLE_TURN = 2.0  # times the reciprocal of ‖J⁺ J̇‖: to the singular position and as far beyond
TOLERANCE = 1e-9  # relative error per step; a thousandth of it of a unit
MOST_STEPS = 10_000  # in one step of the run
UNRESOLVED = (Status.STEP_TOO_SMALL, Status.TOO_MANY_STEPS)
L_STABLE = (Method.IMPLICIT, Method.RODAS)
INCREMENT = 1e-6  # of differences [rad or characteristic lengths]


def turn_of_step(plant: BarePlant, system: System, now: End, step: float) -> float:
    """‖J⁺ J̇‖ times the step, with what accelerations add soon; 0 far from singular positions.

    Args:
        plant: the compiled mechanism.
        system: what moves.
        now: a state.
        step: [s].
    """
    rank = len(system.formulation.carried.dependent)
    if not rank:
        return 0.0
    J = _free_rows(plant, system, now.q, now.t)
    sizes = np.linalg.svd(J, compute_uv=False) if np.all(np.isfinite(J)) else np.ones(rank)
    if sizes[rank - 1] > NEARLY * sizes[0]:
        return 0.0
    here = system.motion(np.array([now.t]), system.start(now.t, now.q, now.qd, now.z, False)[None])
    if not len(here.t) or here.qdd is None:
        return 0.0
    inverse = np.linalg.pinv(J, rcond=0.5 * sizes[rank - 1] / sizes[0])

    def turn(direction: Array, time: float, longest: float) -> float:
        # differences over a small way, where something moves
        way = INCREMENT / max(system.speed(direction), INCREMENT / longest)
        after, before = (
            _free_rows(
                plant, system, plant.configuration.moved(now.q, s * direction), now.t + s * time
            )
            for s in (way, -way)
        )
        change = inverse @ (after - before) / (2.0 * way)
        return float(np.linalg.norm(change, 2)) if np.all(np.isfinite(change)) else 0.0

    # from rest, an acceleration of a leads through one unit in a time of about 1/√a
    return step * (turn(now.qd, 1.0, step) + math.sqrt(turn(here.qdd[0], 0.0, step**2)))


def steps_nearby(plant: BarePlant, system: System, now: End, step: float) -> int:
    """How many steps [s] from here on are too near a singular position to resolve a turn; or 0."""
    turn = turn_of_step(plant, system, now, step)
    return math.ceil(WHOLE_TURN / turn) if turn > RESOLVED else 0


def misses_turn(plant: BarePlant, system: System, now: End, step: float) -> bool:
    """Whether steps [s] from here on are so near a singular position that they may go wrong."""
    return turn_of_step(plant, system, now, step) > MISSED


def _free_rows(plant: BarePlant, system: System, q: Array, t: float) -> Array:
    """J of coordinates that no drive moves."""
    free = [k for k in range(plant.n) if k not in set(system.formulation.partition.driven)]
    return np.asarray(system.formulation.scaled_rows(q, t)[1][:, free])


@dataclass(frozen=True)
class Nearby:
    """A part of a run, near a singular position.

    Attributes:
        status: how it ended.
        steps: steps of the run that it has led through.
        t: times of the samples [s], shape (N,).
        x: states of the stepper there, shape (N, size).
    """

    status: Status
    steps: int
    t: Array
    x: Array


def run_nearby(system: System, x: Array, now: End, schedule: FixedSteps) -> Nearby:
    """Some steps of a run, each made of steps that are chosen by their error.

    Args:
        system: what moves.
        x: state of the stepper.
        now: where the run got to.
        schedule: the steps to take, and which of them are samples.
    """
    method = Method.RODAS if schedule.method in L_STABLE else Method.DOPRI
    if method == Method.RODAS:
        system.measure()
    atol = 1e-3 * TOLERANCE * system.scales.sizes
    one = AdaptiveSteps(method, now.t, rtol=TOLERANCE, atol=atol, max_steps=MOST_STEPS)
    numbers, states, status = [now.steps], [x], Status.OK
    while status == Status.OK and numbers[-1] < now.steps + schedule.steps:
        here, there = (k * schedule.step for k in (numbers[-1], numbers[-1] + 1))
        begin = MachineSnapshot(0, states[-1], here)
        # Ctrl-C is seen between two steps: a thread for each would take longer than the step
        done = run_machine(system.table, begin, replace(one, t_end=there), short=True)
        status = Status(done.status)
        if status == Status.OK:
            numbers.append(numbers[-1] + 1)
            states.append(done.x[-1])
    ends = (now.steps, numbers[-1])
    rows = [i for i, k in enumerate(numbers) if k % schedule.stride == 0 or k in ends]
    times = schedule.step * np.array(numbers)[rows]
    return Nearby(status, numbers[-1] - now.steps, times, np.array(states)[rows])


def unresolved(formulation: Formulation, now: End) -> str:
    """What to tell where no steps are short enough."""
    loop = formulation.weakest_loop(now.q, now.t)
    return (
        f"t = {now.t:.6g} s: loop '{loop}' is near a singular position that steps do not resolve; "
        'use a smaller step, or method="rodas" with tolerance=1e-6'
    )
