"""Passing near a singular position without meeting it.

There the null space of J turns within a short distance: one branch nearly meets another, and the
motion continues along that one. Steps that are short enough elsewhere miss such a turn. Where
they would, each fixed step of a run is divided into adaptive substeps.

The rate at which the loops approach or leave a singular position is ‖J⁺ J̇‖: its reciprocal is
the time to the position if it is met, and the duration of the turn if it is passed by.
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

NEARLY = 0.1  # smallest to largest singular value of J: above this, no singularity is near
RESOLVED = 0.01  # ‖J⁺ J̇‖ times the step: up to this, a turn of 2.5 times as much is resolved
MISSED = 0.05  # ‖J⁺ J̇‖ times the step: above this, such a turn deserves a note
WHOLE_TURN = 2.0  # times the reciprocal of ‖J⁺ J̇‖: to the singular position and as far beyond
TOLERANCE = 1e-9  # relative error per step; the absolute one is a thousandth of it, in units
MOST_STEPS = 10_000  # substeps in one step of the run
UNRESOLVED = (Status.STEP_TOO_SMALL, Status.TOO_MANY_STEPS)
L_STABLE = (Method.IMPLICIT, Method.RODAS)
INCREMENT = 1e-6  # of finite differences [rad or characteristic lengths]


def turn_of_step(plant: BarePlant, system: System, now: End, step: float) -> float:
    """‖J⁺ J̇‖ times the step, including accelerations; 0 far from singular positions.

    Args:
        plant: the compiled mechanism.
        system: the system being integrated.
        now: current state.
        step: fixed step [s].
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
        # central differences over a small distance, if anything moves
        way = INCREMENT / max(system.speed(direction), INCREMENT / longest)
        after, before = (
            _free_rows(
                plant, system, plant.configuration.moved(now.q, s * direction), now.t + s * time
            )
            for s in (way, -way)
        )
        change = inverse @ (after - before) / (2.0 * way)
        return float(np.linalg.norm(change, 2)) if np.all(np.isfinite(change)) else 0.0

    # from rest, an acceleration a covers one unit in a time of about 1/√a
    return step * (turn(now.qd, 1.0, step) + math.sqrt(turn(here.qdd[0], 0.0, step**2)))


def steps_nearby(plant: BarePlant, system: System, now: End, step: float) -> int:
    """Number of steps of this length [s], from here on, that would not resolve a turn."""
    turn = turn_of_step(plant, system, now, step)
    return math.ceil(WHOLE_TURN / turn) if turn > RESOLVED else 0


def misses_turn(plant: BarePlant, system: System, now: End, step: float) -> bool:
    """Whether steps of this length [s] are so near a singular position that they may go wrong."""
    return turn_of_step(plant, system, now, step) > MISSED


def _free_rows(plant: BarePlant, system: System, q: Array, t: float) -> Array:
    """Scaled J, without the columns of driven coordinates."""
    free = [k for k in range(plant.n) if k not in set(system.formulation.partition.driven)]
    return np.asarray(system.formulation.rows.scaled(q, t)[1][:, free])


@dataclass(frozen=True)
class Nearby:
    """A part of a run near a singular position.

    Attributes:
        status: how it ended.
        steps: number of fixed steps completed.
        t: times of the samples [s], shape (N,).
        x: stepper states there, shape (N, size).
    """

    status: Status
    steps: int
    t: Array
    x: Array


def run_nearby(system: System, x: Array, now: End, schedule: FixedSteps) -> Nearby:
    """Take fixed steps, each divided into adaptive substeps.

    Args:
        system: the system being integrated.
        x: stepper state.
        now: state reached.
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
        # Ctrl-C is handled between two steps: a thread for each would take longer than the step
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
    """Note on a turn for which no step is short enough."""
    loop = formulation.positions.weakest_loop(now.q, now.t)
    return (
        f"t = {now.t:.6g} s: loop '{loop}' is near a singular position that steps do not resolve; "
        'use a smaller step, or method="rodas" with tolerance=1e-6'
    )
