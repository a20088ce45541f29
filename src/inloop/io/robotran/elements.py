"""The elements of a ROBOTRAN file (.mbs), as MBsysPad writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inloop.io.robotran.extras import (
    MbsCut,
    MbsEnd,
    MbsLink,
    MbsSensor,
    UserModel,
    UserVariable,
    read_cuts,
    read_end,
    read_links,
    read_sensors,
    read_user_models,
    read_user_variables,
    unread,
)
from inloop.io.values import MOST_BODIES, Triple, number
from inloop.io.xml import Element
from inloop.model.geometry import NO_INERTIA, Matrix3, symmetric
from inloop.model.names import quoted

# T translates along, R rotates about axis 1, 2 or 3
JOINT_TYPES = ("T1", "T2", "T3", "R1", "R2", "R3")
# natures of joints; "forced" is the older word for "driven"
INDEPENDENT, DEPENDENT, DRIVEN = "independent", "dependent", ("driven", "forced")


@dataclass(frozen=True)
class MbsJoint:
    """A joint as in the file.

    Attributes:
        name: its name in the file.
        type: "T1" ... "R3".
        nature: "independent", "dependent" (on loops), "driven" or "forced".
        initial: (q, qd) at the start [rad or m, per s].
        symbols: which of q, qd, qdd are requested as symbols.
        where: file and line.
    """

    name: str
    type: str
    nature: str
    initial: tuple[float, float]
    symbols: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class MbsPoint:
    """A point of a body [m], with its sensors and the names of its external forces."""

    name: str
    position: Triple
    sensors: tuple[MbsSensor, ...]
    forces: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class MbsBody:
    """A body as in the file.

    Attributes:
        name: its name in the file.
        parent: the point to which it is attached.
        joints: base to tip; none: welded.
        mass: [kg].
        com: center of mass in body axes [m].
        inertia: about the center of mass, in body axes [kg·m²].
        points: in file order.
        where: file and line.
    """

    name: str
    parent: MbsEnd
    joints: tuple[MbsJoint, ...]
    mass: float
    com: Triple
    inertia: Matrix3
    points: tuple[MbsPoint, ...]
    where: str


@dataclass(frozen=True)
class MbsSystem:
    """All elements read from a ROBOTRAN file; `ignored` counts the others."""

    name: str
    gravity: Triple
    base_points: tuple[MbsPoint, ...]
    bodies: tuple[MbsBody, ...]
    cuts: tuple[MbsCut, ...]
    links: tuple[MbsLink, ...]
    user_models: tuple[UserModel, ...]
    user_variables: tuple[UserVariable, ...]
    ignored: Mapping[str, int]
    where: str


def read_system(root: Element) -> MbsSystem:
    """Read the root element of a ROBOTRAN file."""
    base = root.need("base")
    tree = root.need("bodytree")
    count = sum(1 for _ in tree.all("body"))
    if not 1 <= count <= MOST_BODIES:
        root.fail(f"the system has {count} bodies", f"From 1 to {MOST_BODIES} can be read.")
    bodies = tuple(_read_body(body) for body in tree.all("body"))
    return MbsSystem(
        name=_text(root, "mbsname"),
        gravity=_coordinates(base.need("gravity")),
        base_points=tuple(_read_point(point) for point in base.all("point")),
        bodies=bodies,
        cuts=tuple(read_cuts(root.child("cuts"))),
        links=tuple(read_links(root.child("links"))),
        user_models=tuple(read_user_models(root.child("user_models"))),
        user_variables=tuple(read_user_variables(root.child("user_variables"))),
        ignored=unread(root),
        where=root.where,
    )


def _read_body(element: Element) -> MbsBody:
    com = element.child("com")
    return MbsBody(
        name=_text(element, "bodyname"),
        parent=read_end(element.need("parent")),
        joints=tuple(_read_joint(joint) for joint in element.all("joint")),
        mass=_number(element, "mass"),
        com=(0.0, 0.0, 0.0) if com is None else _coordinates(com),
        inertia=_read_inertia(element.child("inertia")),
        points=tuple(_read_point(point) for point in element.all("point")),
        where=element.where,
    )


def _read_inertia(element: Element | None) -> Matrix3:
    if element is None:
        return NO_INERTIA
    # ROBOTRAN stores entries of the matrix about the center of mass, Ixy = -∫ x y dm, as the
    # model does (its reader copies them to In[1..9], its generated code adds In[2] OMp2 to the
    # moments: TimotheeHabra/coman_robotran); products of zero may be omitted
    xx, yy, zz, xy, xz, yz = (
        _number(element, name) for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    )
    return symmetric(xx, yy, zz, xy, xz, yz)


def _read_joint(element: Element) -> MbsJoint:
    kind = _text(element, "type")
    if kind not in JOINT_TYPES:
        element.fail(
            f"joint {quoted(_text(element, 'jointname'))}: unknown type {quoted(kind)}",
            f"Use one of: {', '.join(JOINT_TYPES)}.",
        )
    nature = element.child("nature")
    initial = element.child("initialvalue")
    symbols = element.child("symbols")
    return MbsJoint(
        name=_text(element, "jointname"),
        type=kind,
        nature=INDEPENDENT if nature is None else nature.text,
        initial=(0.0, 0.0) if initial is None else (_number(initial, "q"), _number(initial, "qd")),
        symbols=() if symbols is None else tuple(child.tag for child in symbols.children),
        where=element.where,
    )


def _read_point(element: Element) -> MbsPoint:
    return MbsPoint(
        name=_text(element, "pointname"),
        position=_coordinates(element),
        sensors=tuple(read_sensors(element)),
        forces=tuple(force.attribute("name") for force in element.all("extforce")),
        where=element.where,
    )


def _coordinates(element: Element) -> Triple:
    coordinates = element.child("coordinates")
    # the editor omits zeros
    if coordinates is None:
        return 0.0, 0.0, 0.0
    x, y, z = (_number(coordinates, axis) for axis in "xyz")
    return x, y, z


def _number(element: Element, tag: str) -> float:
    """Return the number in a child, 0 if the child is missing."""
    child = element.child(tag)
    return 0.0 if child is None else number(child, child.text, f"<{tag}>")


def _text(element: Element, tag: str) -> str:
    """Return the text in a child, which is required."""
    child = element.need(tag)
    if not child.text:
        child.fail(f"<{tag}> is empty", "Fill it in.")
    return child.text
