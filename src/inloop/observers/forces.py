"""Contact force at a point of a robot, from the unknown joint efforts of an observer.

A force f at a point acts on the joints as Jᵀ f. With the unknown efforts d of an observer and their
covariance D,

    f = (J D⁻¹ Jᵀ)⁻¹ J D⁻¹ d

is the best-fitting force, and the residual of d shows whether it acts at this point at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.observers.consistency import band
from inloop.observers.estimate import Estimate
from inloop.observers.unknowns import Unknown
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import one_name, whole

RANK = 1e-6  # singular values of J below this fraction of the largest count as zero
SURE = 1e-12  # regularization of D, relative to the largest variance
TAIL = ".tau.unknown"
LEAST_LEVER = 0.02  # minimum lever, relative to the largest: allows for other efforts


@dataclass(frozen=True)
class ContactForce:
    """A force on a body at a point.

    Attributes:
        force: force on the body, in world axes [N], shape (3,).
        covariance: covariance of its error [N²], shape (3, 3).
        rest: normalized square of the unknown efforts that no force at this point explains.
        freedom: degrees of freedom of `rest`.
    """

    force: Array
    covariance: Array
    rest: float
    freedom: int

    @property
    def fits(self) -> bool:
        """Whether a force at this point explains the unknown efforts (99.9 %)."""
        return self.freedom == 0 or self.rest <= band(self.freedom, 1, 0.998)[1]


def unknown_efforts(
    plant: BarePlant, point: str, force: Unknown, q: Mapping[str, float] | Array
) -> dict[str, Unknown]:
    """Joint efforts due to an unknown force at a point, for `unknown=` of an observer.

    Each effort is scaled by the lever of the force. Joints without a lever get a small fraction of
    the largest one.

    Args:
        plant: a robot.
        point: point of a body, such as "link_6.flange".
        force: how the force may change, along any axis, such as `Unknown.rising(100.0, 0.05)`.
        q: position at which the levers are computed, by name or as a vector.

    Raises:
        InputError: no joint moves the point.
    """
    at = plant.vector(**q) if isinstance(q, Mapping) else np.asarray(q, dtype=np.float64)
    J = plant.jacobian(one_name(point, "point"), at)[:3]
    levers = np.linalg.norm(J, axis=0)
    if not levers.any():
        raise InputError(f"no joint moves point '{point}'", fix="Choose another one.")
    levers = np.maximum(levers, LEAST_LEVER * levers.max())
    known = zip(plant.coordinates, levers.tolist(), strict=True)
    return {f"{name}.tau": force.times(lever) for name, lever in known}


def contact_force(
    plant: BarePlant, estimate: Estimate, point: str, *, ago: int = 0
) -> ContactForce:
    """Estimate the force at a point from unknown efforts.

    Args:
        plant: the robot; its observer has `unknown` efforts, "<joint>.tau", of all joints that move
            the point.
        estimate: estimate of that observer.
        point: point of a body, such as "link_6.flange".
        ago: number of samples ago, for an observer with `Unknown(..., lag=...)`; levers are the
            current ones.

    Raises:
        InputError: the observer estimates no such efforts, or they do not determine a force there.
    """
    tail = TAIL + (f".ago_{whole(ago, 'ago')}" if ago else "")
    felt = [name for name in plant.coordinates if name + tail in estimate.extras]
    J = plant.jacobian(one_name(point, "point"), estimate.q)[:3]
    deaf = [
        name for k, name in enumerate(plant.coordinates) if np.any(J[:, k]) and name not in felt
    ]
    if deaf or not felt:
        raise InputError(
            f"the observer does not estimate efforts of {', '.join(deaf) or 'any joint'}"
            + (f", {ago} samples ago" if ago else ""),
            fix='Declare them as unknown: unknown={"<joint>.tau": Unknown(..., lag=...)}.'
            if ago
            else 'Declare them as unknown: unknown={"<joint>.tau": ...}.',
        )
    J = J[:, [plant.coordinates.index(name) for name in felt]]
    at = [estimate.states.index(name + tail) for name in felt]
    d = np.array([estimate.extras[name + tail] for name in felt])
    D = estimate.covariance[np.ix_(at, at)]
    sizes = np.linalg.svd(J, compute_uv=False)
    if len(felt) < 3 or sizes[-1] <= RANK * sizes[0]:
        raise InputError(
            f"not every force at '{point}' can be determined from the joints here",
            fix="Move away from the singular position, or choose another point.",
        )
    most = float(np.diag(D).max())
    if most == 0.0:  # at the start, before there is any uncertainty
        return ContactForce(np.zeros(3), np.zeros((3, 3)), 0.0, len(felt) - 3)
    D = D + SURE * most * np.eye(len(D))
    weighted = np.linalg.solve(D, np.stack([*J, d]).T)
    information = J @ weighted[:, :3]
    force = np.asarray(np.linalg.solve(information, J @ weighted[:, 3]), dtype=np.float64)
    left = d - J.T @ force
    rest = float(left @ np.linalg.solve(D, left))
    covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
    return ContactForce(force, covariance, rest, len(felt) - 3)
