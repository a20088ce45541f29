"""Conversion of URDF joints to joints of a model."""

from __future__ import annotations

import math
from collections.abc import Mapping

from inloop.io.urdf.elements import UrdfJoint
from inloop.io.values import Triple
from inloop.joints import KINDS, JointKind
from inloop.model import JointSpec, free, prismatic, revolute
from inloop.model.joints import chain_suffixes

# joint kinds by their type in files
SINGLE: Mapping[str, type[JointKind]] = {t: kind for kind in KINDS.values() for t in kind.urdf}


def free_specs(*, angles: bool = False) -> Mapping[str, JointSpec]:
    """Return the joints of a floating link, by the suffix of their names; see `free`."""
    specs = free(angles=angles)
    return dict(zip(chain_suffixes(specs), specs, strict=True))


def joint_specs(joint: UrdfJoint) -> Mapping[str, JointSpec]:
    """Return the model joints that represent a URDF joint, by the suffix of their names."""
    if joint.type == "floating":
        return free_specs()
    if joint.type == "planar":
        first, second = plane_axes(joint.axis)
        return {"t1": prismatic(first), "t2": prismatic(second), "r": revolute(joint.axis)}
    return {
        "": JointSpec(
            SINGLE[joint.type](),
            joint.axis,
            limits=joint.limits,
            guess=neutral(joint.limits),
            # files write 0 for unknown
            effort=joint.effort if joint.effort > 0.0 else math.inf,
        )
    }


def neutral(limits: tuple[float, float] | None) -> float | None:
    """Return the start of a joint that cannot start at 0: the middle between its limits.

    None means 0. If one limit is infinite, it is the finite one.
    """
    if limits is None or limits[0] <= 0.0 <= limits[1]:
        return None
    low, high = limits
    if math.isinf(low) or math.isinf(high):
        return high if math.isinf(low) else low
    return 0.5 * (low + high)


def plane_axes(normal: Triple) -> tuple[Triple, Triple]:
    """Return two unit vectors that form a right-handed frame with the normal of a plane.

    A normal along z gives x and y, along x gives y and z, along y gives z and x.
    """
    size = math.hypot(*normal)
    n = (normal[0] / size, normal[1] / size, normal[2] / size)
    # the coordinate axis after the one closest to the normal, made perpendicular to it
    nearest = max(range(3), key=lambda k: abs(n[k]))
    along = n[(nearest + 1) % 3]
    e = [-along * component for component in n]
    e[(nearest + 1) % 3] += 1.0
    length = math.hypot(*e)
    x, y, z = (component / length for component in e)
    # second = n × first
    return (x, y, z), (n[1] * z - n[2] * y, n[2] * x - n[0] * z, n[0] * y - n[1] * x)
