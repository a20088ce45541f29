"""Links and joints of an SDF model, read one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from inloop.errors import InputError
from inloop.geometry import Box, Capsule, Cylinder, MeshFile, Shape, Sphere, Visual
from inloop.io.packages import Packages
from inloop.io.poses import inverse
from inloop.io.remarks import Remarks
from inloop.io.sdf.frames import Frames
from inloop.io.values import Triple, limit, number, numbers
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.geometry import Matrix3, rotated_inertia, symmetric, times_vector, transpose
from inloop.model.names import quoted

LIMITLESS = 1e16  # written in SDF for no limit
TYPES = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw")
_LINK = {"pose", "inertial", "visual", "collision", "gravity", "enable_gravity"}
_JOINT = {"pose", "parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch"}
_AXIS = {"xyz", "limit", "dynamics", "use_parent_model_frame", "initial_position"}


@dataclass(frozen=True)
class SdfLink:
    """A link as in the file, in its own axes; see `UrdfLink`."""

    name: str
    X_ML: Pose
    mass: float
    com: Triple
    inertia: Matrix3
    visuals: tuple[Visual, ...]
    falls: bool
    where: str


@dataclass(frozen=True)
class SdfAxis:
    """An axis of a joint.

    Attributes:
        xyz_M: its direction in model axes.
        limits: lowest and highest q [rad or m], or None.
        damping: [N·m·s/rad or N·s/m].
        stiffness: [N·m/rad or N/m].
        rest: q where the spring is relaxed [rad or m].
        friction: dry friction [N·m or N].
    """

    xyz_M: Triple
    limits: tuple[float, float] | None
    damping: float
    stiffness: float
    rest: float
    friction: float


@dataclass(frozen=True)
class SdfJoint:
    """A joint as in the file.

    Attributes:
        name: its name.
        type: its type in the file.
        parent: name of a link, or "world".
        child: name of a link, or "world".
        X_MJ: pose of the joint in the model, with all joints at zero.
        axes: zero, one or two axes.
        pitch: pitch of a screw [m/rad].
        where: file and line.
    """

    name: str
    type: str
    parent: str
    child: str
    X_MJ: Pose
    axes: tuple[SdfAxis, ...]
    pitch: float
    where: str


class ElementReader:
    """Reads links and joints of one model."""

    def __init__(self, frames: Frames, packages: Packages, remarks: Remarks) -> None:
        self._frames = frames
        self._packages = packages
        self._remarks = remarks

    def link(self, element: Element) -> SdfLink:
        """Read a link."""
        self._tell(element, _LINK)
        name = element.attribute("name")
        X_ML = self._frames.pose(name, element)
        mass, com, inertia = self._inertial(element, name, X_ML)
        for collision in element.all("collision"):
            self._remarks.add(
                "collision shapes are not read: contacts are not simulated", collision.where
            )
        visuals = tuple(
            visual
            for shape in element.all("visual")
            if (visual := self._visual(shape, name, X_ML)) is not None
        )
        falls = all(
            _switch(flag) for tag in ("gravity", "enable_gravity") for flag in element.all(tag)
        )
        return SdfLink(name, X_ML, mass, com, inertia, visuals, falls, element.where)

    def joint(self, element: Element) -> SdfJoint | None:
        """Read a joint; None if its type is unsupported, which is noted."""
        name, kind = element.attribute("name"), element.attribute("type")
        if kind not in TYPES:
            self._remarks.add(f"not read: {quoted(kind)} joint {quoted(name)}", element.where)
            return None
        self._tell(element, _JOINT)
        parent, child = (
            self._frames.link_of(element.need(end).text, element) for end in ("parent", "child")
        )
        if parent == child:
            element.fail(f"joint {quoted(name)} joins a link to itself", "Name two links.")
        tags = {"fixed": (), "ball": (), "universal": ("axis", "axis2")}.get(kind, ("axis",))
        tags = ("axis", "axis2") if kind == "revolute2" else tags
        for tag in {"axis", "axis2"}.difference(tags):
            for axis in element.all(tag):
                self._remarks.add(f"not read: <{tag}> of {kind} joint {quoted(name)}", axis.where)
        axes = tuple(self._axis(element.need(tag), name, kind) for tag in tags)
        X_MJ = self._frames.pose(name, element)
        return SdfJoint(name, kind, parent, child, X_MJ, axes, _pitch(element), element.where)

    def _axis(self, element: Element, joint: str, kind: str) -> SdfAxis:
        self._tell(element, _AXIS)
        xyz = element.need("xyz")
        x, y, z = numbers(xyz, xyz.text, "<xyz>", count=3)
        if math.hypot(x, y, z) < 1e-9:
            xyz.fail("the axis has length zero", "Write a direction such as 0 0 1.")
        expressed = xyz.attributes.get("expressed_in") or joint
        if any(_switch(flag) for flag in element.all("use_parent_model_frame")):
            expressed = "__model__"
        R = self._frames.pose(expressed, element).R
        values = dict.fromkeys(("damping", "spring_stiffness", "spring_reference", "friction"), 0.0)
        for dynamics in element.all("dynamics"):
            for child in dynamics.children:
                if child.tag in values:
                    values[child.tag] = number(child, child.text, child.label)
                else:
                    self._remarks.add(f"not read: {child.label} in <dynamics>", child.where)
        return SdfAxis(
            cast(Triple, times_vector(R, (x, y, z))),
            None if kind == "continuous" else self._limits(element),
            *values.values(),
        )

    def _limits(self, axis: Element) -> tuple[float, float] | None:
        element = axis.child("limit")
        if element is None:
            return None
        values = {"lower": -math.inf, "upper": math.inf}
        for child in element.children:
            if child.tag in values:
                value = limit(child, child.text, child.label)
                values[child.tag] = value if abs(value) < LIMITLESS else math.copysign(
                    math.inf, value)  # fmt: skip
            else:
                self._remarks.add(f"not read: {child.label} in <limit>", child.where)
        low, high = values["lower"], values["upper"]
        if low > high:
            element.fail(f"lower = {low:g} is above upper = {high:g}", "Exchange them.")
        return None if math.isinf(low) and math.isinf(high) else (low, high)

    def _inertial(self, link: Element, name: str, X_ML: Pose) -> tuple[float, Triple, Matrix3]:
        element = link.child("inertial")
        if element is None:
            self._remarks.add(
                "links without <inertial> have 1 kg and 1 kg·m², as SDF specifies", link.where
            )
            return 1.0, (0.0, 0.0, 0.0), symmetric(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        self._tell(element, {"pose", "mass", "inertia"})
        if "auto" in element.attributes:
            self._remarks.add("auto of <inertial> is not read", element.where)
        X_LC = inverse(X_ML) @ self._frames.inside(element, name)
        mass = _value(element, "mass", 1.0)
        moments = dict.fromkeys(("ixx", "iyy", "izz"), 1.0)
        moments |= dict.fromkeys(("ixy", "ixz", "iyz"), 0.0)
        inertia = element.child("inertia")
        if inertia is not None:
            self._tell(inertia, set(moments))
            moments = {tag: _value(inertia, tag, value) for tag, value in moments.items()}
        I_L = rotated_inertia(X_LC.R, symmetric(*moments.values()))
        return mass, cast(Triple, X_LC.p), I_L

    def _visual(self, element: Element, link: str, X_ML: Pose) -> Visual | None:
        X_LV = inverse(X_ML) @ self._frames.inside(element, link)
        for kind in element.need("geometry").children:
            try:
                shape = self._shape(kind)
            except InputError as error:
                shape = error.mistakes[0].what
            if not isinstance(shape, str):
                return Visual(shape, X_LV.p, X_LV.R, _color(element))
            self._remarks.add(f"link {quoted(link)}: {shape}", kind.where)
        return None

    def _shape(self, element: Element) -> Shape | str:
        if element.tag == "box":
            x, y, z = numbers(element.need("size"), element.need("size").text, "<size>", count=3)
            return Box((x, y, z))
        if element.tag in ("cylinder", "capsule"):
            radius, length = _value(element, "radius", 0.5), _value(element, "length", 1.0)
            make = Cylinder if element.tag == "cylinder" else Capsule
            return make(radius, length)
        if element.tag == "sphere":
            return Sphere(_value(element, "radius", 1.0))
        if element.tag != "mesh":
            return f"{element.label} is not drawn"
        uri = element.need("uri").text
        # model://name/file is located like packages
        found = self._packages.find(uri.replace("model://", "package://", 1))
        if isinstance(found, str):
            return f"mesh {uri[:200]!a} is not read: {found}"
        scale = element.child("scale")
        x, y, z = (1.0, 1.0, 1.0) if scale is None else numbers(
            scale, scale.text, "<scale>", count=3)  # fmt: skip
        return MeshFile(str(found.path), str(found.folder), (x, y, z))

    def _tell(self, element: Element, known: set[str]) -> None:
        for child in element.children:
            if child.tag not in known:
                self._remarks.add(f"not read: {child.label} in {element.label}", child.where)


def _value(element: Element, tag: str, default: float) -> float:
    child = element.child(tag)
    return default if child is None else number(child, child.text, child.label)


def _switch(element: Element) -> bool:
    if element.text not in ("true", "false", "1", "0"):
        element.fail(f"{element.label} is {quoted(element.text)}", "Write true or false.")
    return element.text in ("true", "1")


def _pitch(joint: Element) -> float:
    """Pitch of a screw [m/rad]."""
    if joint.child("screw_thread_pitch") is not None:
        return _value(joint, "screw_thread_pitch", 1.0) / (2.0 * math.pi)
    old = _value(joint, "thread_pitch", 0.0)
    return -1.0 / old if old else 1.0 / (2.0 * math.pi)


def _color(visual: Element) -> tuple[float, float, float, float] | None:
    material = visual.child("material")
    diffuse = None if material is None else material.child("diffuse")
    if diffuse is None:
        return None
    words = diffuse.text.split()
    values = [number(diffuse, word, "<diffuse>") for word in words[:4]]
    if len(values) < 3:
        diffuse.fail("<diffuse> has fewer than 3 numbers", "Write red, green, blue, opacity.")
    r, g, b, a = (min(max(value, 0.0), 1.0) for value in (*values, 1.0)[:4])
    return r, g, b, a


def in_axes(R_MA: Matrix3, vector_M: Triple) -> Triple:
    """Return a direction given in model axes, in axes A."""
    return cast(Triple, times_vector(transpose(R_MA), vector_M))
