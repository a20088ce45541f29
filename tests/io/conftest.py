"""Files to read, forward kinematics that knows nothing but the data of a mechanism, and MuJoCo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.io import MjcfData
from inloop.model import GROUND, Mechanism

Placement = tuple[np.ndarray, np.ndarray]  # p_WB, R_WB
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def data() -> Path:
    """Our own sample files."""
    return HERE / "data"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """`written(text)`: the path of a file with this content."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "file.xml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(scope="session")
def placements() -> Callable[[Mechanism, np.ndarray], list[Placement]]:
    """`placements(mechanism, q)`: p_WB and R_WB of every body, base to tip."""
    return forward_kinematics


def forward_kinematics(mechanism: Mechanism, q: np.ndarray) -> list[Placement]:
    found: list[Placement] = []
    for body, angle in zip(mechanism.bodies, q, strict=True):
        p_WP, R_WP = (np.zeros(3), np.eye(3)) if body.parent == GROUND else found[body.parent]
        p_WB = p_WP + R_WP @ np.array(body.attachment.p_PJ)
        R_WJ = R_WP @ np.array(body.attachment.R_PJ)
        axis = np.array(body.joint.axis)
        if body.joint.kind.name == "revolute":
            found.append((p_WB, R_WJ @ Rotation.from_rotvec(angle * axis).as_matrix()))
        else:
            found.append((p_WB + R_WJ @ axis * angle, R_WJ))
    return found


@pytest.fixture(scope="session")
def disagreement() -> Callable[..., float]:
    """`disagreement(path)`: how far our accelerations of an MJCF file are from MuJoCo's."""
    return compare


# what is left out here, and told
LEFT_OUT = (
    mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_LIMIT
    | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
)


def turn_rates(angles: np.ndarray) -> np.ndarray:
    """E with omega_B = E (da, db, dc) for R = Rx(a) Ry(b) Rz(c): columns are the axes in B."""
    a, b, c = angles
    R_B = Rotation.from_euler("XYZ", [a, b, c]).as_matrix().T
    second = Rotation.from_euler("XYZ", [0.0, 0.0, c]).as_matrix().T
    return np.stack([R_B[:, 0], second[:, 1], [0.0, 0.0, 1.0]], axis=1)


def turn_rates_rate(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """dE/dt: an axis that is carried by joints before it stays, B turns away under it."""
    E = turn_rates(angles)
    # axis k is fixed in the frame after joint k, which turns against B with the joints after it
    after = [E[:, k + 1 :] @ rates[k + 1 :] for k in range(3)]
    return np.stack([np.cross(E[:, k], after[k]) for k in range(3)], axis=1)


@dataclass
class Oracle:
    """A model of MuJoCo with the coordinates of ours."""

    model: mujoco.MjModel
    data: mujoco.MjData
    read: MjcfData

    @classmethod
    def of(cls, path: Path, read: MjcfData) -> Oracle:
        model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.disableflags |= int(LEFT_OUT)
        # the medium is told as not read
        model.opt.density = model.opt.viscosity = 0.0
        return cls(model, mujoco.MjData(model), read)

    def joints(self) -> Iterator[tuple[str, tuple[str, ...], np.ndarray]]:
        """Type, coordinate names, and attitude as written, joint by joint as in the file."""
        for body, names in zip(self.read.bodies, self.read.coordinates, strict=True):
            for joint, labels in zip(body.joints, names, strict=True):
                yield joint.type, labels, np.array(body.X_WB.R, dtype=float)

    def accelerations(
        self, q: dict, qd: dict, u: np.ndarray, qdd: dict
    ) -> tuple[np.ndarray, np.ndarray]:
        """MuJoCo's accelerations, and ours in its coordinates."""
        qpos, qvel, ours = [], [], []
        for kind, labels, R_WB in self.joints():
            x, v, a = (np.array([d[name] for name in labels]) for d in (q, qd, qdd))
            if kind in ("hinge", "slide"):
                qpos, qvel, ours = [*qpos, *x], [*qvel, *v], [*ours, *a]
                continue
            p, n = (3, R_WB) if kind == "free" else (0, np.eye(3))
            R = Rotation.from_matrix(n @ Rotation.from_euler("XYZ", x[p:]).as_matrix())
            quaternion = R.as_quat()[[3, 0, 1, 2]]
            E, dE = turn_rates(x[p:]), turn_rates_rate(x[p:], v[p:])
            qpos += [*x[:p], *quaternion]
            qvel += [*v[:p], *(E @ v[p:])]
            ours += [*a[:p], *(E @ a[p:] + dE @ v[p:])]
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = qpos, qvel, u
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy(), np.array(ours)


def compare(path: Path, states: int = 4) -> float:
    """The largest difference of accelerations, relative to the largest of them."""
    model = il.load(path)
    plant = model.compile(backend="python")
    oracle = Oracle.of(path, model.metadata["mjcf"])
    rng = np.random.default_rng(11)
    worst = 0.0
    for _ in range(states):
        q, qd = rng.uniform(-0.9, 0.9, (2, plant.n))
        # half of the controls are outside of their range
        u = rng.uniform(-2.0, 2.0, len(plant.inputs))
        qdd = plant.direct_dynamics(q, qd, np.zeros(plant.n), u=u)
        named = [dict(zip(plant.coordinates, x, strict=True)) for x in (q, qd, qdd)]
        theirs, ours = oracle.accelerations(named[0], named[1], u, named[2])
        assert np.abs(theirs).max() > 1e-3
        worst = max(worst, np.abs(ours - theirs).max() / np.abs(theirs).max())
    return worst
