"""Determines which hard contacts are closed, stick and slip from a state on.

From the problem of dry friction for accelerations (`native/runtime/il_touching_decide.c`): the
force of a slipping disc follows from the normal force; a disc at rest has the whole friction cone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inloop.errors import SimulationError
from inloop.native import solve_contacts
from inloop.plant import Array
from inloop.plant.variation.touched_system import Touching
from inloop.simulate.sensitivities.event_changes import Moment
from inloop.simulate.sensitivities.touching.blow import undefined
from inloop.simulate.sensitivities.touching.phase import Modes, Phase

NOTHING = 1e-8  # accelerations and forces below this fraction of the largest are zero
UNSOLVED = 1e-9
CLOSED = 1e-9  # of the characteristic length: gaps of resting contacts
STILL = 1e-11  # smaller velocities, relative to the largest, are zero


@dataclass(frozen=True)
class Known:
    """Modes that are known beforehand.

    Attributes:
        open: contacts that were just released.
        slips: discs that just started to slip, with their directions.
    """

    open: Sequence[int] = ()
    slips: Mapping[int, Array] = field(default_factory=dict)


def standstill(phase: Phase, u: Array) -> float:
    """Velocities below this are zero [m/s]."""
    return STILL * (phase.length + float(np.abs(u).max(initial=0.0)))


def decide(phase: Phase, at: Moment, known: Known) -> Modes:
    """The modes from a state on, at which no contact hits.

    Raises:
        SimulationError: the problem has no solution, or its solution is on the border of two cases.
    """
    system = phase.system
    state = (at.x, at.dep)
    every = [True] * len(system.contacts)
    answer = phase.answer(at.t, state, every)
    seen, zero = answer.free, standstill(phase, answer.free.u.value)
    closed = [
        i
        for i, normal in enumerate(system.normals)
        if i not in known.open
        and seen.gap.value[i] <= CLOSED * phase.length
        and abs(seen.u.value[normal]) <= zero
    ]
    slips = _slipping(phase, seen, closed, zero, known)
    shut = tuple(i in closed for i in range(len(system.contacts)))
    modes = Modes(shut, tuple(slips.get(j) for j in range(len(system.discs))))
    if not closed:
        return modes
    held, F = phase.unknowns(modes, seen)
    q = seen.ud.value[held]
    counts, turning = system.friction_problem(closed, list(slips))
    mu = [
        0.0 if any(j in slips and system.discs[j].kind == "tangent" for j in system.discs_of(i))
        else seen.friction.value[i]
        for i in closed
    ]  # fmt: skip
    W = answer.accelerations[held] @ F
    solved = solve_contacts(W, q, mu, rows=counts, turning=turning, tolerance=1e-12)
    if not solved.residual <= UNSOLVED:
        raise SimulationError(
            f"contacts of model '{phase.name}' slide at t = {at.t:.9g} s so that no forces are "
            "possible: derivatives end there",
            fix="End the run before it.",
        )
    return _modes(phase, at, closed, slips, counts, W, solved.impulses, solved.velocities)


def _slipping(
    phase: Phase, seen: Touching, closed: Sequence[int], zero: float, known: Known
) -> dict[int, Array]:
    """Discs that slip, with their directions."""
    slips = dict(known.slips)
    for j, disc in enumerate(phase.system.discs):
        u = seen.u.value[list(disc.rows)]
        speed = float(np.linalg.norm(u))
        if disc.contact not in closed or j in slips:
            continue
        if speed > zero:
            slips[j] = u / speed
        elif phase.limit(disc, seen)[0] == 0.0:
            # without friction, discs do not stick
            slips[j] = np.zeros(len(u))
    return {j: d for j, d in slips.items() if phase.system.discs[j].contact in closed}


def _modes(
    phase: Phase, at: Moment, closed: Sequence[int], slips: dict[int, Array],
    counts: Sequence[int], W: Array, force: Array, acceleration: Array,
) -> Modes:  # fmt: skip
    """Modes from the solution: contacts that accelerate apart open, or start to slip."""
    system = phase.system
    largest = float(np.abs(acceleration - W @ force).max(initial=0.0))
    shut, row = [False] * len(system.contacts), 0
    for i, count in zip(closed, counts, strict=True):
        f, a = force[row : row + count], acceleration[row : row + count]
        unit = largest / W[row, row] if W[row, row] > 0.0 else np.inf
        row += count
        opens = f[0] <= NOTHING * unit and a[0] > NOTHING * largest
        shut[i] = not opens
        part = 1
        for j in system.discs_of(i):
            if j in slips:
                if opens:
                    del slips[j]
                continue
            size = len(system.discs[j].rows)
            own, pull = a[part : part + size], f[part : part + size]
            part += size
            speed = float(np.linalg.norm(own))
            if opens:
                continue
            if speed > NOTHING * largest:
                slips[j] = own / speed
            elif _about_to_slip(phase, at, j, f[0], pull, unit):
                raise undefined(
                    f"contact '{system.contacts[i]}' of model '{phase.name}' sticks at "
                    f"t = {at.t:.9g} s and is about to slip"
                )
    return Modes(tuple(shut), tuple(slips.get(j) for j in range(len(system.discs))))


def _about_to_slip(
    phase: Phase, at: Moment, j: int, normal: float, pull: Array, unit: float
) -> bool:
    disc = phase.system.discs[j]
    seen = phase.look(at.t, (at.x, at.dep), at.dx, np.zeros(at.dx.shape[1]))
    most = phase.limit(disc, seen)[0] * normal
    return float(np.linalg.norm(pull)) >= most - NOTHING * unit
