"""An oracle for flexible links: Lagrange's equations by CasADi, integrals by Gauss's points.

Nothing here knows mass matrices of elements: positions of points of the beam come from the shape
functions, energies from sums over the points, the equations from automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

POINTS, WEIGHTS = (np.asarray(a) for a in np.polynomial.legendre.leggauss(8))


def turn(axis: Sequence[float], angle: ca.SX) -> ca.SX:
    """Rotation about an axis."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = ca.DM([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


def rpy(roll: float, pitch: float, yaw: float) -> ca.DM:
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)


class Lagrangian:
    """Kinetic and potential energy as they are collected."""

    def __init__(self, coordinates: Sequence[str], gravity: Sequence[float]) -> None:
        self.q, self.qd = (ca.SX.sym(name, len(coordinates)) for name in ("q", "qd"))
        self.at = {name: self.q[k] for k, name in enumerate(coordinates)}
        self.gravity = ca.DM(gravity)
        self.T, self.V = ca.SX(0), ca.SX(0)

    def rate(self, value: ca.SX) -> ca.SX:
        """Time derivative of a function of q."""
        return ca.jacobian(value, self.q) @ self.qd

    def mass(self, m: float, p: ca.SX) -> None:
        """Add a point mass."""
        v = self.rate(p)
        self.T += 0.5 * m * ca.dot(v, v)
        self.V -= m * ca.dot(self.gravity, p)

    def body(self, R: ca.SX, p: ca.SX, m: float, com: Sequence[float], I: Sequence[float]) -> None:
        """Add a rigid body with its principal moments of inertia."""
        self.mass(m, p + R @ ca.DM(com))
        W = R.T @ ca.reshape(self.rate(ca.reshape(R, 9, 1)), 3, 3)
        om = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
        self.T += 0.5 * ca.dot(om, ca.DM(I) * om)

    def beam(
        self, name: str, R: ca.SX, p: ca.SX, axes: np.ndarray, data: dict[str, float], count: int
    ) -> list[tuple[ca.SX, ca.SX]]:
        """Add a flexible link whose frame has the pose R, p.

        Args:
            name: name of the link.
            R: rotation of its frame.
            p: its root.
            axes: rows: along, across, about which it bends, in the frame.
            data: L, rho, EI, EA.
            count: number of elements.

        Returns:
            Position and rotation of the nodes.
        """
        x, y, z = axes
        h = data["L"] / count
        u, w, r = ([0.0, *(self.at[f"{name}_{k}_{c}"] for k in range(1, count + 1))] for c in "uwr")
        for k in range(count):
            ends = (w[k], r[k], w[k + 1], r[k + 1])
            slope = 0.0
            for s, weight in zip((POINTS + 1.0) / 2.0, WEIGHTS / 2.0, strict=True):
                H = np.polynomial.Polynomial
                shapes = [H([1, 0, -3, 2]), h * H([0, 1, -2, 1]), H([0, 0, 3, -2]),
                          h * H([0, 0, -1, 1])]  # fmt: skip
                d0, d1, d2 = (
                    sum(a.deriv(n)(s) / h**n * b for a, b in zip(shapes, ends, strict=True))
                    for n in range(3)
                )
                along = (k + s) * h + u[k] * (1 - s) + u[k + 1] * s
                self.mass(data["rho"] * h * weight, p + R @ (ca.DM(x) * along + ca.DM(y) * d0))
                self.V += 0.5 * data["EI"] * h * weight * d2**2
                slope += weight * d1**2
            # one strain per element: the stretch and half the mean square of the slope
            strain = (u[k + 1] - u[k]) / h + 0.5 * slope
            self.V += 0.5 * data["EA"] * h * strain**2
        return [
            (p + R @ (ca.DM(x) * (k * h + u[k]) + ca.DM(y) * w[k]), R @ turn(z, r[k]))
            for k in range(1, count + 1)
        ]

    def function(self) -> ca.Function:
        """M, c, T and V from q and qd."""
        M = ca.hessian(self.T, self.qd)[0]
        momentum = ca.gradient(self.T, self.qd)
        c = self.rate(momentum) - ca.gradient(self.T, self.q) + ca.gradient(self.V, self.q)
        return ca.Function("equations", [self.q, self.qd], [M, c, self.T, self.V])
