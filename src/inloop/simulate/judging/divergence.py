"""Runs that end with open loops because their steps are too long, not because of the loops."""

from __future__ import annotations

from inloop.native import FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.simulate.results.result import End
from inloop.simulate.systems import System, table_of_all

PARTS = 64  # of the step, which a stable method tries once more
TURN = 1.0  # in one step [rad or characteristic lengths]: no method follows that


def lost_by_the_step(systems: tuple[System, ...], mode: int, now: End, step: float | None) -> bool:
    """Whether loops that opened in a step stay closed in shorter ones.

    Where they do, the integrator had run away and took the loops along. The shorter steps are
    those of RODAS, which stiff laws do not mislead.

    Args:
        systems: the modes of what moves.
        mode: number of the one that the run got to.
        now: the last good state.
        step: of the run, if it is always the same [s].
    """
    system = systems[mode]
    if step is None or not system.formulation.partition.rows:
        return False
    if system.speed(now.qd) * step > TURN:
        return True
    for each in systems:
        each.pull = PARTS / step
    x = system.start(now.t, now.q, now.qd, now.z)
    shorter = FixedSteps(Method.RODAS, step / PARTS, PARTS)
    done = run_machine(table_of_all(systems), MachineSnapshot(mode, x, now.t), shorter)
    return done.status != Status.LOOP_OPEN
