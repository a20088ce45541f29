"""The elements of a URDF file, read one by one, independent of their connections."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from inloop.io.urdf.transmissions import Transmission, read_transmission
from inloop.io.urdf.unread import unread_notes
from inloop.io.urdf.visuals import Material, UrdfShape, read_materials, read_shapes
from inloop.io.values import MOST_BODIES, Triple, limit, number_attribute, pose, vector_attribute
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.geometry import NO_INERTIA, Matrix3, rotated_inertia, symmetric
from inloop.model.names import quoted

# types that require limits
LIMITED = ("revolute", "prismatic")
UrdfJointType = Literal["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
SHORTEST_AXIS = 1e-9
# irrelevant for the motion
_GEOMETRY_ONLY = {"self_filter", "collision_checking", "contact", "surface"}


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another one: q = multiplier * q_joint + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class UrdfLink:
    """A link as in the file.

    Attributes:
        name: its name in the file.
        mass: [kg], 0 if not given.
        com: center of mass in link axes [m].
        inertia: about the center of mass, in link axes [kg·m²].
        visuals: shapes to draw.
        collisions: shapes for collision.
        has_inertial: whether the file gives its mass.
        where: file and line.
    """

    name: str
    mass: float
    com: Triple
    inertia: Matrix3
    visuals: tuple[UrdfShape, ...]
    collisions: tuple[UrdfShape, ...]
    has_inertial: bool
    where: str

    @property
    def is_weightless(self) -> bool:
        """Whether the link has neither mass nor inertia."""
        return self.mass == 0.0 and self.inertia == NO_INERTIA


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as in the file.

    Attributes:
        name: its name in the file.
        type: its type in the file.
        parent: name of the parent link.
        child: name of the child link.
        X_PJ: pose of the joint frame in the parent link.
        axis: in the joint frame, as written.
        limits: lowest and highest q [rad or m], or None.
        effort: maximum effort [N or N·m], infinite if not given.
        velocity: maximum rate [rad/s or m/s], infinite if not given.
        damping: [N·s/m or N·m·s/rad].
        friction: dry friction [N or N·m].
        mimic: the joint that it mimics, or None.
        where: file and line.
    """

    name: str
    type: UrdfJointType
    parent: str
    child: str
    X_PJ: Pose
    axis: Triple
    limits: tuple[float, float] | None
    effort: float
    velocity: float
    damping: float
    friction: float
    mimic: Mimic | None
    where: str


@dataclass(frozen=True)
class Robot:
    """Content of a URDF file.

    Attributes:
        name: name of the robot.
        links: in file order.
        joints: in file order.
        transmissions: in file order.
        ignored: count of each kind of element that is not read.
        unread: sentences about unread elements and attributes inside links and joints.
        where: file and line.
    """

    name: str
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]
    transmissions: tuple[Transmission, ...]
    ignored: Mapping[str, int]
    unread: tuple[str, ...]
    where: str


def read_robot(root: Element) -> Robot:
    """Read the root element of a URDF file."""
    refuse_macros(root)
    name = root.attribute("name")
    materials = read_materials(root)
    for tag, least in (("link", 1), ("joint", 0)):
        count = sum(1 for _ in root.all(tag))
        if not least <= count <= MOST_BODIES:
            root.fail(
                f"the robot has {count} {tag}s",
                f"From {least} to {MOST_BODIES} {tag}s can be read.",
            )
    links = tuple(_read_link(element, materials) for element in root.all("link"))
    joints = tuple(_read_joint(element) for element in root.all("joint"))
    transmissions = tuple(map(read_transmission, root.all("transmission")))
    unread = tuple(unread_notes(root))
    return Robot(name, links, joints, transmissions, _ignored(root), unread, root.where)


def refuse_macros(root: Element) -> None:
    """Reject a file with xacro macros."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        # the content of <gazebo> may look like a macro
        if element.tag != "gazebo":
            waiting += reversed(element.children)
        is_macro = element.tag.startswith("xacro:")
        if is_macro or any("${" in text or "$(" in text for text in element.attributes.values()):
            element.fail(
                f"{element.label} {'is' if is_macro else 'has'} a macro: this is a xacro file",
                "Expand it first: xacro file.xacro > file.urdf",
            )


def _ignored(root: Element) -> Mapping[str, int]:
    tags = Counter(element.tag for element in root.children)
    for known in ("link", "joint", "material", "transmission"):
        tags.pop(known, None)
    for link in root.all("link"):
        known_tags = _GEOMETRY_ONLY | {"inertial", "visual", "collision"}
        tags.update(child.tag for child in link.children if child.tag not in known_tags)
    return tags


def _read_link(element: Element, materials: Mapping[str, Material]) -> UrdfLink:
    name = element.attribute("name")
    visuals = read_shapes(element, "visual", materials)
    collisions = read_shapes(element, "collision", materials)
    inertial = element.child("inertial")
    if inertial is None:
        nothing = (0.0, (0.0, 0.0, 0.0), NO_INERTIA)
        return UrdfLink(name, *nothing, visuals, collisions, False, element.where)
    mass = number_attribute(inertial.need("mass"), "value")
    X_LC = pose(inertial.child("origin"))
    inertia = _read_inertia(inertial.need("inertia"))
    # the file gives the inertia in axes of the inertial frame C; the model needs link axes L
    I_L = rotated_inertia(X_LC.R, inertia)
    com = cast(Triple, X_LC.p)
    return UrdfLink(name, mass, com, I_L, visuals, collisions, True, element.where)


def _read_inertia(element: Element) -> Matrix3:
    # products are entries of the matrix: ixy = -∫ x y dm
    xx, yy, zz = (number_attribute(element, f"i{name}") for name in ("xx", "yy", "zz"))
    xy, xz, yz = (number_attribute(element, f"i{name}", 0.0) for name in ("xy", "xz", "yz"))
    return symmetric(xx, yy, zz, xy, xz, yz)


def _read_joint(element: Element) -> UrdfJoint:
    kind = element.attribute("type")
    if kind not in get_args(UrdfJointType):
        element.fail(
            f"joint {quoted(element.attribute('name'))}: unknown type {quoted(kind)}",
            f"Use one of: {', '.join(get_args(UrdfJointType))}.",
        )
    limits = element.child("limit")
    dynamics = element.child("dynamics")
    return UrdfJoint(
        name=element.attribute("name"),
        type=cast(UrdfJointType, kind),
        parent=element.need("parent").attribute("link"),
        child=element.need("child").attribute("link"),
        X_PJ=pose(element.child("origin")),
        axis=(1.0, 0.0, 0.0) if kind == "fixed" else _read_axis(element.child("axis")),
        limits=_read_limits(limits) if kind in LIMITED else None,
        effort=_read_bound(limits, "effort"),
        velocity=_read_bound(limits, "velocity"),
        damping=0.0 if dynamics is None else number_attribute(dynamics, "damping", 0.0),
        friction=0.0 if dynamics is None else number_attribute(dynamics, "friction", 0.0),
        mimic=_read_mimic(element.child("mimic")),
        where=element.where,
    )


def _read_axis(element: Element | None) -> Triple:
    axis = vector_attribute(element, "xyz", (1.0, 0.0, 0.0))
    if element is not None and math.hypot(*axis) < SHORTEST_AXIS:
        element.fail("the axis has length zero", "Write a direction such as 0 0 1.")
    return axis


def _read_limits(element: Element | None) -> tuple[float, float] | None:
    # the format requires limits; without them the joint is considered unlimited
    if element is None or not {"lower", "upper"} & element.attributes.keys():
        return None
    lower, upper = (
        limit(element, element.attributes.get(name, "0"), f"{name} of <limit>")
        for name in ("lower", "upper")
    )
    if lower > upper:
        element.fail(f"lower = {lower:g} is above upper = {upper:g}", "Exchange them.")
    return lower, upper


def _read_bound(element: Element | None, name: str) -> float:
    if element is None or name not in element.attributes:
        return math.inf
    return limit(element, element.attributes[name], f"{name} of <limit>")


def _read_mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(
        joint=element.attribute("joint"),
        multiplier=number_attribute(element, "multiplier", 1.0),
        offset=number_attribute(element, "offset", 0.0),
    )
