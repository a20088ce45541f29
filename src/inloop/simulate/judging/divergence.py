"""Why runs end before their time: too long steps that open loops, equations without a solution."""

from __future__ import annotations

import numpy as np

from inloop.native import FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.plant import BarePlant
from inloop.plant.law_stiffness import law_stiffness
from inloop.simulate.inputs import InputsOverTime
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import System, table_of_all

PARTS = 64  # of the step, which a stable method tries once more
SINGULAR = 1e-13  # least eigenvalue of the mass matrix with ones on its diagonal
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


def without_solution(plant: BarePlant, found: Samples, inputs: InputsOverTime) -> str:
    """What leaves the accelerations at the last sample without a value, in words.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        inputs: the vector u.

    Returns:
        Empty if they have one there, so that the steps after it are to blame.
    """
    at = found.rows([len(found.t) - 1])
    if not (np.isfinite(at.q).all() and np.isfinite(at.qd).all()):
        return ""
    t = float(at.t[0])
    M = plant.evaluate("mass_matrix", ready=True, q=at.q)["M"][0]
    size = np.sqrt(np.abs(np.diag(M)))
    with np.errstate(all="ignore"):
        alike = np.nan_to_num(M / np.outer(size, size))
    values, vectors = np.linalg.eigh(alike)
    if plant.formulation.unconstrained and values[0] < SINGULAR:
        joint = plant.coordinates[int(np.argmax(np.abs(vectors[:, 0])))]
        return f"the mass matrix is singular at t = {t:.6g} s: nothing resists joint '{joint}'"
    laws = law_stiffness(plant, at.q[0], at.qd[0], at.z[0], inputs.over(at.t)[0], t)
    for name, parts in laws.items():
        if not all(np.isfinite(part).all() for part in parts):
            return f"law '{name}' has no finite value or slope at t = {t:.6g} s"
    return ""
