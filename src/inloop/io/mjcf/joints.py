"""Joints of MJCF as written, and converted to joints of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from inloop.io.mjcf.poses import unit_vector
from inloop.io.mjcf.settings import Settings, limited
from inloop.io.poses import Quaternion, attitude_of
from inloop.io.remarks import Remarks
from inloop.io.values import Triple, number, number_attribute, numbers, vector_attribute
from inloop.io.xml import Element
from inloop.joints import JointSpec
from inloop.joints.quaternion import IDENTITY
from inloop.model import Pose, ball, free, prismatic, revolute
from inloop.model.geometry import scaled, times_vector
from inloop.model.joints import chain_suffixes
from inloop.model.names import quoted
from inloop.model.rotations import about

MjcfJointType = Literal["hinge", "slide", "ball", "free"]
Polynomial = tuple[float, float, float]
NONE: Polynomial = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MjcfJoint:
    """A joint as in the file, angles in radians.

    Attributes:
        name: its name in the file, "" if it has none.
        type: hinge, slide, ball or free.
        anchor: anchor point in body axes [m].
        axis: unit vector in body axes.
        limits: lowest and highest q [rad or m], or None.
        ref: q where the body is as written [rad or m].
        springref: q where the spring is relaxed [rad or m].
        stiffness: k0, k1, k2 of the effort -(k0 x + k1 x² + k2 x³), x = q - springref.
        damping: d0, d1, d2 of the effort -qd (d0 + d1 |qd| + d2 qd²).
        armature: added to the diagonal of M [kg·m² or kg].
        frictionloss: dry friction [N or N·m]; see `MjcfOptions.friction_deflection`.
        where: file and line.
    """

    name: str
    type: MjcfJointType
    anchor: Triple
    axis: Triple
    limits: tuple[float, float] | None
    ref: float
    springref: float
    stiffness: Polynomial
    damping: Polynomial
    armature: float
    frictionloss: float
    where: str

    @property
    def is_single(self) -> bool:
        """Whether it has one coordinate."""
        return self.type in ("hinge", "slide")


@dataclass(frozen=True)
class Start:
    """Initial state of a joint, in MuJoCo's coordinates.

    Attributes:
        qpos: hinge or slide: q [rad or m]; ball joint: quaternion w, x, y, z; free joint: x, y, z
            in the world [m], then the quaternion.
        qvel: their rates; for quaternions the angular velocity in body axes [rad/s].
    """

    qpos: tuple[float, ...]
    qvel: tuple[float, ...]


@dataclass(frozen=True)
class Step:
    """One coordinate of a joint chain.

    Attributes:
        X_FJ: pose of the joint frame in the previous frame.
        spec: the joint.
        suffix: suffix of its name, "" if the joint has one coordinate.
    """

    X_FJ: Pose
    spec: JointSpec
    suffix: str


def read_joint(element: Element, X_BF: Pose, settings: Settings, remarks: Remarks) -> MjcfJoint:
    """Read a joint, with its defaults applied, written in a frame F of a body B."""
    kind = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
    if kind not in get_args(MjcfJointType):
        element.fail(
            f"{_label(element)}: unknown type {quoted(kind)}",
            f"Use one of: {', '.join(get_args(MjcfJointType))}.",
        )
    unit = math.pi / 180.0 if settings.degrees and kind in ("hinge", "ball") else 1.0
    anchor = X_BF.apply(vector_attribute(element, "pos", (0.0, 0.0, 0.0)))
    axis = vector_attribute(element, "axis", (0.0, 0.0, 1.0))
    single = kind in ("hinge", "slide")
    direction = unit_vector(element, axis) if single else (0.0, 0.0, 1.0)
    for name in ("springdamper", "springyield"):
        if name in element.attributes:
            remarks.add(f"{name} of <joint> is not read", element.where)
    armature = number_attribute(element, "armature", 0.0)
    if armature < 0.0:
        element.fail(f"{_label(element)}: armature is {armature:g}", "It is not negative.")
    ref = number_attribute(element, "ref", 0.0) * unit if single else 0.0
    return MjcfJoint(
        name=element.attributes.get("name", ""),
        type=cast(MjcfJointType, kind),
        anchor=cast(Triple, anchor if kind in ("hinge", "ball") else (0.0, 0.0, 0.0)),
        axis=cast(Triple, times_vector(X_BF.R, direction)),
        limits=_read_limits(element, kind, unit, settings, remarks),
        ref=ref,
        springref=number_attribute(element, "springref", 0.0) * unit,
        stiffness=_polynomial(element, "stiffness"),
        damping=_polynomial(element, "damping"),
        armature=armature,
        frictionloss=number_attribute(element, "frictionloss", 0.0),
        where=element.where,
    )


def chain_of(
    joint: MjcfJoint, X_FB: Pose, X_WB: Pose, start: Start | None
) -> tuple[list[Step], Pose]:
    """Return the model joints that represent a joint, and the body's pose in the last frame.

    Args:
        joint: the joint.
        X_FB: pose of the body B in the frame F before the joint, as in the file.
        X_WB: world pose of the body, as in the file.
        start: initial state from a keyframe, or None: as in the file.
    """
    if joint.type == "free":
        return _chain(Pose(), _free(joint, X_WB, start)), Pose()
    if joint.type == "ball":
        return (
            _chain(X_FB @ Pose(joint.anchor), _ball(joint, start)),
            Pose(scaled(-1.0, joint.anchor)),
        )
    if joint.type == "slide":
        # at q = ref the body has its pose in the file
        X_FJ = X_FB @ Pose(scaled(-joint.ref, joint.axis))
        return [Step(X_FJ, _single(joint, start), "")], Pose()
    X_FJ = X_FB @ Pose(joint.anchor, about(joint.axis, -joint.ref))
    return [Step(X_FJ, _single(joint, start), "")], Pose(scaled(-1.0, joint.anchor))


def _chain(X_FJ: Pose, specs: list[JointSpec]) -> list[Step]:
    """A chain of joints, the first of them at J."""
    places = [X_FJ, *(Pose() for _ in specs[1:])]
    return [
        Step(X, spec, suffix)
        for X, spec, suffix in zip(places, specs, chain_suffixes(specs), strict=True)
    ]


def _single(joint: MjcfJoint, start: Start | None) -> JointSpec:
    make = revolute if joint.type == "hinge" else prismatic
    spec = make(_plain_axis(joint.axis), limits=joint.limits, armature=joint.armature)
    if start is not None:
        return replace(spec, initial=(start.qpos[0], start.qvel[0]))
    return replace(spec, initial=joint.ref) if joint.ref else spec


def _ball(joint: MjcfJoint, start: Start | None) -> list[JointSpec]:
    if start is None:
        return ball(armature=joint.armature)
    return ball(initial=_four(start.qpos), rate=_three(start.qvel), armature=joint.armature)


def _free(joint: MjcfJoint, X_WB: Pose, start: Start | None) -> list[JointSpec]:
    """Translations along world axes and rotation of the body, as in MuJoCo."""
    qpos = written_qpos(joint, X_WB) if start is None else start.qpos
    specs = free(
        position=qpos[:3],
        velocity=None if start is None else start.qvel[:3],
        attitude=_four(qpos[3:]),
        rate=None if start is None else _three(start.qvel[3:]),
    )
    return [replace(spec, armature=joint.armature) for spec in specs]


def written_qpos(joint: MjcfJoint, X_WB: Pose) -> tuple[float, ...]:
    """MuJoCo's coordinates of a joint where its body is as written, X_WB in the world."""
    if joint.type == "free":
        return (*(float(cast(float, x)) for x in X_WB.p), *attitude_of(X_WB.R))
    return IDENTITY if joint.type == "ball" else (joint.ref,)


def _three(values: tuple[float, ...]) -> Triple:
    x, y, z = values
    return x, y, z


def _four(values: tuple[float, ...]) -> Quaternion:
    w, x, y, z = values
    return w, x, y, z


def _plain_axis(axis: Triple) -> Triple:
    """The axis with rounding errors of zeros removed."""
    x, y, z = (0.0 if abs(value) < 1e-15 else value for value in axis)
    return x, y, z


def _label(element: Element) -> str:
    name = element.attributes.get("name")
    return f"joint {quoted(name)}" if name else "a joint without name"


def _read_limits(
    element: Element, kind: str, unit: float, settings: Settings, remarks: Remarks
) -> tuple[float, float] | None:
    if not limited(element, "limited", "range", settings):
        return None
    if kind in ("ball", "free"):
        remarks.add(f"range of {kind} joints is not read", element.where)
        return None
    text = element.attributes.get("range", "0 0")
    low, high = (x * unit for x in numbers(element, text, "range of <joint>", count=2))
    if low >= high:
        element.fail(f"{_label(element)}: range is {text}", "Write the lowest value first.")
    return low, high


def _polynomial(element: Element, name: str) -> Polynomial:
    words = element.attributes.get(name, "0").split()
    if not 1 <= len(words) <= 3:
        element.fail(f"{name} of <joint> has {len(words)} numbers", "Write one to three.")
    values = [number(element, word, f"{name} of <joint>") for word in words]
    a, b, c = (*values, 0.0, 0.0)[:3]
    return a, b, c
