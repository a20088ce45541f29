"""A PUMA 560 with friction, moved along a Fourier series and measured as such robots are.

Efforts come from Pinocchio, with the published table written down joint after joint.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import inloop as il
from inloop.gallery.puma560.model import DH_TABLE, puma560

STEP, PERIOD, PERIODS = 4e-3, 10.0, 2
CUTOFF = 10.0  # the motion has 0.5 Hz at most
COUNTS = 4000  # of the encoders, per turn of the motor
PEAK = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])  # largest efforts of the motors [N·m]
CURRENT_NOISE = 0.01  # of the largest
GEAR = np.array([abs(row.gear) for row in DH_TABLE])


class PumaTrials:
    """Measurements of the same motion, with other noise each time."""

    def __init__(self) -> None:
        self.plant = puma560().compile()
        self.base = il.identify.base_parameters(self.plant, friction="all")
        self.t = np.arange(0.0, PERIODS * PERIOD, STEP)
        self.q, qd, qdd = self._motion()
        self.truth = self._truth()
        viscous, coulomb, offset = self.truth[-18:].reshape(3, 6)
        friction = viscous * qd + coulomb * np.sign(qd) + offset
        self.tau = efforts(self.q, qd, qdd) + friction

    def _motion(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        random = np.random.default_rng(3)
        sines, cosines = random.normal(size=(2, 6, 5))
        first = il.identify.Excitation(self.plant.coordinates, PERIOD, np.zeros(6), sines, cosines)
        scale = 3.0 / np.abs(first(self.t)[1]).max(axis=0)[:, None]
        return il.identify.Excitation(
            self.plant.coordinates, PERIOD, np.zeros(6), scale * sines, scale * cosines
        )(self.t)

    def _truth(self) -> np.ndarray:
        """Parameters of the table, in the order of the regressor: the last 18 are friction."""
        forward, backward = np.abs(GEAR[:, None] * np.array([row.coulomb for row in DH_TABLE])).T
        viscous = GEAR**2 * np.array([row.viscous for row in DH_TABLE])
        friction = [viscous, (forward + backward) / 2, (forward - backward) / 2]
        return np.concatenate([self.base.regressor.values[:-18], *friction])

    def deviations(self, seed: int) -> np.ndarray:
        """Errors of one trial's base parameters, in their own standard deviations."""
        random = np.random.default_rng(seed)
        count = 2.0 * np.pi / (COUNTS * GEAR)
        zero = random.uniform(0.0, 1.0, 6)  # where the encoder happens to begin
        q = (np.round(self.q / count + zero) - zero) * count
        tau = self.tau + CURRENT_NOISE * PEAK * random.normal(size=self.tau.shape)
        found = il.identify.fit(self.plant, self.t, q, tau, cutoff=CUTOFF, base=self.base)
        assert not found.notes, found.notes
        assert len(found.values) == 58
        return (found.values - self.base.grouping @ self.truth) / found.deviations


def efforts(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Efforts of the motors without friction [N·m]."""
    model = pin.Model()
    placement, joint = pin.SE3.Identity(), 0
    for number, row in enumerate(DH_TABLE, start=1):
        joint = model.addJoint(joint, pin.JointModelRZ(), placement, f"joint_{number}")
        R = pin.utils.rotate("x", row.alpha)
        placement = pin.SE3(R, np.array([row.a, 0.0, row.d]))
        com, inertia = placement.act(np.array(row.com)), R @ np.diag(row.inertia) @ R.T
        model.appendBodyToJoint(joint, pin.Inertia(row.mass, com, inertia), pin.SE3.Identity())
    model.armature = np.array([row.rotor * row.gear**2 for row in DH_TABLE])
    data = model.createData()
    return np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
