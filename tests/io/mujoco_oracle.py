"""MuJoCo as an oracle: its accelerations of a file, and the order of its vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

import inloop as il
from inloop.io.mjcf.reader import MjcfData

# what is left out here, and told
LEFT_OUT = (
    mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_LIMIT
    | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
)


@dataclass
class Oracle:
    """A model of MuJoCo, and where each entry of its vectors is in ours."""

    model: mujoco.MjModel
    data: mujoco.MjData
    of_q: list[int]
    of_qd: list[int]

    @classmethod
    def of(cls, path: Path, plant: il.Plant) -> Oracle:
        model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.disableflags |= int(LEFT_OUT)
        # the medium is told as not read
        model.opt.density = model.opt.viscosity = 0.0
        return cls(model, mujoco.MjData(model), *order_of(plant))

    def accelerations(self, q: np.ndarray, qd: np.ndarray, u: np.ndarray) -> np.ndarray:
        """MuJoCo's accelerations, in its order."""
        self.data.qpos[:], self.data.qvel[:] = q[self.of_q], qd[self.of_qd]
        self.data.ctrl[:] = u
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()


def order_of(plant: il.Plant) -> tuple[list[int], list[int]]:
    """Indices of our q and qd in the order of MuJoCo's qpos and qvel."""
    read: MjcfData = plant.mechanism.metadata["mjcf"]
    attitudes = {each.bodies[0]: each.names for each in plant.mechanism.attitudes}
    of_q: list[int] = []
    of_qd: list[int] = []
    for joints in read.coordinates:
        for labels in joints:
            own = [plant.coordinates.index(label) for label in labels]
            of_qd += own
            turned = attitudes[own[-3]] if len(own) > 1 else ()
            of_q += own[:-3] if turned else own
            of_q += [plant.positions.index(name) for name in turned]
    return of_q, of_qd


def random_position(plant: il.Plant, rng: np.random.Generator) -> np.ndarray:
    """Coordinates up to 0.9 rad or m, any attitudes; also what a ball joint has turned so far."""
    q = np.concatenate([rng.uniform(-0.9, 0.9, plant.n), rng.normal(size=plant.nq - plant.n)])
    return plant.configuration.normalized(q)


def compare(path: Path, states: int = 4) -> float:
    """The largest difference of accelerations, relative to the largest of them."""
    plant = il.load(path).compile(backend="python")
    oracle = Oracle.of(path, plant)
    rng = np.random.default_rng(11)
    worst = 0.0
    for _ in range(states):
        q, qd = random_position(plant, rng), rng.uniform(-0.9, 0.9, plant.n)
        # half of the controls are outside of their range
        u = rng.uniform(-2.0, 2.0, len(plant.inputs))
        qdd = plant.direct_dynamics(q, qd, np.zeros(plant.n), u=u)
        theirs = oracle.accelerations(q, qd, u)
        assert np.abs(theirs).max() > 1e-3
        worst = max(worst, np.abs(qdd[oracle.of_qd] - theirs).max() / np.abs(theirs).max())
    return worst
