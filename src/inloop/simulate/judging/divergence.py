"""Why runs end early: steps too long for the loops, equations without a solution."""

from __future__ import annotations

import numpy as np

from inloop.native import FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.plant import BarePlant
from inloop.plant.law_stiffness import law_stiffness
from inloop.simulate.inputs import InputsOverTime
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import System, table_of_all

PARTS = 64  # substeps with which a stable method repeats the step
SINGULAR = 1e-13  # minimum eigenvalue of the mass matrix scaled to a unit diagonal
TURN = 1.0  # in one step [rad or characteristic lengths]: too much for any method


def lost_by_the_step(systems: tuple[System, ...], mode: int, now: End, step: float | None) -> bool:
    """Whether loops that opened in a step stay closed with shorter ones.

    If so, the integrator had diverged and opened the loops. The shorter steps use RODAS, which is
    stable for stiff laws.

    Args:
        systems: the modes of the instance.
        mode: index of the current mode.
        now: the last valid state.
        step: step of the run, if fixed [s].
    """
    system = systems[mode]
    if step is None or not system.formulation.partition.rows:
        return False
    x = system.start(now.t, now.q, now.qd, now.z)
    accelerations = system.motion(np.array([now.t]), x[None, :]).qdd
    gained = 0.0 if accelerations is None else step * system.speed(accelerations)
    if (system.speed(now.qd) + gained) * step > TURN:
        return True
    for each in systems:
        each.pull = PARTS / step
    shorter = FixedSteps(Method.RODAS, step / PARTS, PARTS)
    done = run_machine(table_of_all(systems), MachineSnapshot(mode, x, now.t), shorter)
    return done.status != Status.LOOP_OPEN


def without_solution(plant: BarePlant, found: Samples, inputs: InputsOverTime) -> str:
    """Why the accelerations at the last sample are undefined, as text.

    Args:
        plant: the compiled mechanism.
        found: samples of the run.
        inputs: the vector u.

    Returns:
        Empty if they are defined there, so that the following steps are to blame.
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
