"""Newton matrices of exhibits whose bodies have six coordinates each, along a run."""

from __future__ import annotations

import numpy as np

import inloop as il
from benchmarks.sparse_matrices import SETS, Matrices
from inloop.formalisms.redundant.programs import MATRIX, PLACE
from inloop.gallery.car.model import car
from inloop.gallery.rotor.model import rotor

STEP = 1e-3  # [s]
SECONDS = 0.5


def of_gallery() -> list[Matrices]:
    """A car that rolls at 15 m/s, and an accelerating rotor with flexible blades."""
    return [
        along_a_run("our car", car(speed=15.0).compile(formulation="redundant")),
        along_a_run("our rotor", rotor().compile(formulation="redundant")),
    ]


def along_a_run(name: str, plant: il.BarePlant) -> Matrices:
    """The matrix of a step of 1 ms at SETS times of a run.

    Joint forces are those of each state; accelerations of bodies, which enter with a factor of
    2.5e-7 s², and rates of states of laws are left out.
    """
    code = plant.formulation.code  # type: ignore[attr-defined]
    about, sizes = code.about, code.about.layout
    result = plant.simulate(t_end=SECONDS, step=STEP)
    known = [block.name for block in plant.equations.program(MATRIX).inputs]
    sets = []
    for k in np.linspace(0, len(result.t) - 1, SETS).astype(int):
        state = {"q": result.q[k], "qd": result.qd[k], "tau": np.zeros(plant.n)}
        state |= {"t": result.t[k], "u": plant.first_inputs, "z": plant.first_states}
        found = plant.formulation.motion_at(**state)
        state |= {"qdd": found["a"], "lam": found["wrench"].ravel(), "mu": found["lam"]}
        state |= {"accel": np.zeros(6 * sizes.bodies), "zd": np.zeros(sizes.states)}
        state["scales"] = np.array([STEP**2 / 4.0, STEP / 2.0, STEP / 2.0, code.epsilon])
        state |= plant.evaluate(PLACE, q=state["q"], qd=state["qd"])
        given = {name: value for name, value in state.items() if name in known}
        sets.append(plant.evaluate(MATRIX, **given)["A"])
    return _compressed(name, sizes.size, np.array(about.places), np.array(sets))


def _compressed(name: str, n: int, places: np.ndarray, values: np.ndarray) -> Matrices:
    """In compressed columns; entries that are zero in all sets stay, as in the plant."""
    rows, columns = places.T
    order = np.lexsort((rows, columns))
    indptr = np.searchsorted(columns[order], np.arange(n + 1)).astype(np.int32)
    return Matrices(name, indptr, rows[order].astype(np.int32), values[:, order])
