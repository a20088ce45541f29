"""Random states with reference results, in a binary file that `../states.h` reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

COUNT = 64
ARRAYS = ("q", "qd", "qdd", "tau", "tau_ref", "qdd_ref", "mass_ref")


@dataclass(frozen=True)
class States:
    """Random states of a model, one per row, and Pinocchio's results for them.

    Attributes:
        joints: names in the order of the columns (the free flyer is one name, several columns).
        q: positions, shape (count, nq).
        qd: velocities, shape (count, nv).
        qdd: accelerations given to inverse dynamics, shape (count, nv).
        tau: joint efforts given to direct dynamics, shape (count, nv).
        tau_ref: inverse dynamics of (q, qd, qdd), shape (count, nv).
        qdd_ref: direct dynamics of (q, qd, tau), shape (count, nv).
        mass_ref: symmetric mass matrix at q, shape (count, nv, nv).
    """

    joints: tuple[str, ...]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    tau_ref: np.ndarray
    qdd_ref: np.ndarray
    mass_ref: np.ndarray

    def in_order(self, joints: list[str]) -> States:
        """The same states, columns in another order; only for joints of one degree of freedom."""
        at = [self.joints.index(name) for name in joints]
        vectors = {name: getattr(self, name)[:, at] for name in ARRAYS[:-1]}
        mass = self.mass_ref[:, at][:, :, at]
        return States(joints=tuple(joints), **vectors, mass_ref=mass)

    def with_free_base(self, coordinates: list[str]) -> States:
        """The same states of a robot on a free flyer, in the convention of inloop's free base.

        The linear velocity is along axes of the world, not of the root link, and the quaternion
        (w, x, y, z) is at the end of q.

        Args:
            coordinates: the six of the base, then joints of one degree of freedom in any order.
        """
        at = [*range(6), *(5 + self.joints.index(name) for name in coordinates[6:])]
        quaternions = self.q[:, 3:7]  # x, y, z, w
        R = np.array([pin.Quaternion(p).toRotationMatrix() for p in quaternions])
        drift = np.cross(self.qd[:, 3:6], self.qd[:, :3])  # om × v, in axes of the link

        def turned(vectors: np.ndarray, more: np.ndarray | None = None) -> np.ndarray:
            found = vectors.copy()
            own = found[:, :3] if more is None else found[:, :3] + more
            found[:, :3] = np.einsum("kij,kj->ki", R, own)
            return found[:, at]

        T = np.tile(np.eye(self.qd.shape[1]), (len(R), 1, 1))
        T[:, :3, :3] = R.transpose(0, 2, 1)
        mass = T.transpose(0, 2, 1) @ self.mass_ref @ T
        # q of the joints is one entry behind their velocity; rotations of the base are not read
        angles = self.q[:, [k + 1 for k in at[6:]]]
        base = [self.q[:, :3], np.zeros((len(R), 3))]
        return States(
            joints=tuple(coordinates),
            q=np.hstack([*base, angles, np.roll(quaternions, 1, axis=1)]),
            qd=turned(self.qd),
            qdd=turned(self.qdd, drift),
            tau=turned(self.tau),
            tau_ref=turned(self.tau_ref),
            qdd_ref=turned(self.qdd_ref, drift),
            mass_ref=mass[:, at][:, :, at],
        )

    def write(self, path: Path) -> None:
        """Write the file described in `states.h`, and a file with the joint names."""
        head = np.array([*self.q.shape, self.qd.shape[1]], dtype=np.int64)
        with path.open("wb") as file:
            file.write(head.tobytes())
            for name in ARRAYS:
                file.write(np.ascontiguousarray(getattr(self, name), dtype=float).tobytes())
        path.with_suffix(".joints").write_text("\n".join(self.joints) + "\n")


def read_states(path: Path) -> States:
    """Read what `States.write` wrote."""
    data = path.read_bytes()
    count, nq, nv = (int(x) for x in np.frombuffer(data, np.int64, 3))
    widths = [nq, nv, nv, nv, nv, nv, nv * nv]
    ends = np.cumsum([count * width for width in widths])[:-1]
    blocks = np.split(np.frombuffer(data, float, offset=24), ends)
    arrays: list[np.ndarray] = [block.reshape(count, -1) for block in blocks[:-1]]
    arrays.append(blocks[-1].reshape(count, nv, nv))
    return States(tuple(path.with_suffix(".joints").read_text().split()), *arrays)


def random_states(model: pin.Model, seed: int = 1) -> States:
    """Random states in Pinocchio's order: positions within ±2, everything else within ±1."""
    random = np.random.default_rng(seed)
    q = np.array([pin.normalize(model, random.uniform(-2, 2, model.nq)) for _ in range(COUNT)])
    qd, qdd, tau = random.uniform(-1, 1, (3, COUNT, model.nv))
    data = model.createData()
    tau_ref = [pin.rnea(model, data, *x).copy() for x in zip(q, qd, qdd, strict=True)]
    qdd_ref = [pin.aba(model, data, *x).copy() for x in zip(q, qd, tau, strict=True)]
    upper = [np.triu(pin.crba(model, data, x)) for x in q]
    mass = [U + np.triu(U, 1).T for U in upper]
    names = tuple(model.names[1:])
    return States(names, q, qd, qdd, tau, np.array(tau_ref), np.array(qdd_ref), np.array(mass))
