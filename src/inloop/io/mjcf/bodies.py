"""Bodies of MJCF with their contents, base to tip; nested frames are resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inloop.geometry import MassProperties
from inloop.io.mjcf.defaults import Defaults
from inloop.io.mjcf.geoms import Color, Geom, GeomReader, read_color
from inloop.io.mjcf.inertia import NOTHING, body_mass, scaled_to
from inloop.io.mjcf.joints import MjcfJoint, read_joint
from inloop.io.mjcf.meshes import read_meshes
from inloop.io.mjcf.poses import read_pose
from inloop.io.mjcf.settings import Settings, switch
from inloop.io.remarks import Remarks
from inloop.io.values import MOST_BODIES, number_attribute
from inloop.io.xml import Element
from inloop.model import Pose

WORLD = -1


@dataclass(frozen=True)
class Site:
    """A site: a named frame on a body."""

    name: str
    X_BS: Pose
    where: str


@dataclass(frozen=True)
class MjcfBody:
    """A body as in the file.

    Attributes:
        name: its name in the file, "" if it has none.
        parent: index of the parent body, or WORLD.
        X_PB: pose in the parent body, as written: with all joints at their ref.
        X_WB: pose in the world, likewise.
        mass: mass properties in body axes.
        joints: joints of the body, base to tip.
        geoms: geoms of the body.
        sites: named frames.
        gravcomp: compensated fraction of its weight.
        where: file and line.
    """

    name: str
    parent: int
    X_PB: Pose
    X_WB: Pose
    mass: MassProperties
    joints: tuple[MjcfJoint, ...]
    geoms: tuple[Geom, ...]
    sites: tuple[Site, ...]
    gravcomp: float
    where: str

    @property
    def is_free(self) -> bool:
        """Whether it has a free joint."""
        return bool(self.joints) and self.joints[0].type == "free"


@dataclass
class _Contents:
    """Contents of a body, including those of its frames."""

    joints: list[MjcfJoint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    inertials: list[tuple[Element, Pose]] = field(default_factory=list)
    bodies: list[tuple[Element, Pose, str | None]] = field(default_factory=list)


def read_bodies(
    root: Element, defaults: Defaults, settings: Settings, remarks: Remarks
) -> tuple[list[MjcfBody], MjcfBody]:
    """Return all bodies, parents first, and the world with the contents fixed to it."""
    meshes = read_meshes(root, defaults, settings, remarks)
    geoms = GeomReader(settings, meshes, dict(_materials(root, defaults)), remarks)
    return _Reader(defaults, settings, geoms, remarks).read(root)


def _materials(root: Element, defaults: Defaults) -> Iterator[tuple[str, Color]]:
    for asset in root.all("asset"):
        for material in map(defaults.complete, asset.all("material")):
            if "rgba" in material.attributes and "name" in material.attributes:
                yield material.attributes["name"], read_color(material)


class _Reader:
    """Traverses the body tree."""

    def __init__(
        self, defaults: Defaults, settings: Settings, geoms: GeomReader, remarks: Remarks
    ) -> None:
        self._defaults = defaults
        self._settings = settings
        self._geoms = geoms
        self._remarks = remarks
        self._bodies: list[MjcfBody] = []

    def read(self, root: Element) -> tuple[list[MjcfBody], MjcfBody]:
        contents = _Contents()
        for world in root.all("worldbody"):
            childclass = self._defaults.check_class(world, "childclass")
            self._collect(world, Pose(), childclass, contents, weighed=False)
        for joint in contents.joints:
            self._remarks.add("not read: <joint> of the world, which does not move", joint.where)
        fixed = tuple(contents.geoms), tuple(contents.sites)
        ground = MjcfBody("world", WORLD, Pose(), Pose(), NOTHING, (), *fixed, 0.0, root.where)
        for element, X_WF, childclass in contents.bodies:
            self._add(element, WORLD, X_WF, childclass)
        if not self._bodies:
            root.fail("the model has no body", "Add <body> to <worldbody>.")
        if self._settings.total_mass is not None:
            masses = scaled_to([body.mass for body in self._bodies], self._settings.total_mass)
            pairs = zip(self._bodies, masses, strict=True)
            self._bodies = [replace(body, mass=mass) for body, mass in pairs]
        return self._bodies, ground

    def _add(self, element: Element, parent: int, X_PF: Pose, childclass: str | None) -> None:
        if len(self._bodies) >= MOST_BODIES:
            element.fail(f"more than {MOST_BODIES} bodies", f"Up to {MOST_BODIES} can be read.")
        X_PB = X_PF @ read_pose(element, self._settings)
        X_WP = Pose() if parent == WORLD else self._bodies[parent].X_WB
        contents = _Contents()
        childclass = self._defaults.check_class(element, "childclass") or childclass
        self._collect(element, Pose(), childclass, contents, weighed=self._is_weighed(element))
        if len(contents.inertials) > 1:
            contents.inertials[1][0].fail("a body has a second <inertial>", "Keep one of them.")
        inertial, X_BF = contents.inertials[0] if contents.inertials else (None, Pose())
        self._check_joints(contents.joints, parent, element)
        if switch(element, "mocap", False):
            self._remarks.add("a mocap body stays at its initial position", element.where)
        self._bodies.append(
            MjcfBody(
                name=element.attributes.get("name", ""),
                parent=parent,
                X_PB=X_PB,
                X_WB=X_WP @ X_PB,
                mass=body_mass(inertial, X_BF, contents.geoms, self._settings),
                joints=tuple(contents.joints),
                geoms=tuple(contents.geoms),
                sites=tuple(contents.sites),
                gravcomp=number_attribute(element, "gravcomp", 0.0),
                where=element.where,
            )
        )
        index = len(self._bodies) - 1
        for inner, X_BG, inner_class in contents.bodies:
            self._add(inner, index, X_BG, inner_class)

    def _is_weighed(self, element: Element) -> bool:
        """Whether the mass of a body is computed from its geoms."""
        rule = self._settings.inertiafromgeom
        if rule == "auto":
            return not any(True for _ in _all_inside(element, "inertial"))
        return rule == "true"

    def _check_joints(self, joints: list[MjcfJoint], parent: int, element: Element) -> None:
        for joint in joints:
            if joint.type == "free" and (parent != WORLD or len(joints) > 1):
                element.fail(
                    "a free joint must be the only joint of a body attached to the world",
                    "Write hinge, slide or ball, or move the body out.",
                )

    def _collect(
        self,
        element: Element,
        X_BF: Pose,
        childclass: str | None,
        contents: _Contents,
        weighed: bool,
    ) -> None:
        """Read the contents of a body, or of a frame F in it."""
        for child in element.children:
            if child.tag == "frame":
                X_BG = X_BF @ read_pose(child, self._settings)
                inner = self._defaults.check_class(child, "childclass") or childclass
                self._collect(child, X_BG, inner, contents, weighed)
            elif child.tag == "body":
                contents.bodies.append((child, X_BF, childclass))
            elif child.tag == "inertial":
                contents.inertials.append((child, X_BF))
            elif child.tag in ("joint", "freejoint", "geom", "site"):
                self._take(self._defaults.complete(child, childclass), X_BF, contents, weighed)

    def _take(self, element: Element, X_BF: Pose, contents: _Contents, weighed: bool) -> None:
        if element.tag == "geom":
            contents.geoms.append(self._geoms.read(element, X_BF, weighed))
        elif element.tag != "site":
            contents.joints.append(read_joint(element, X_BF, self._settings, self._remarks))
        elif "name" in element.attributes:
            X_BS = X_BF @ read_pose(element, self._settings)
            contents.sites.append(Site(element.attributes["name"], X_BS, element.where))


def _all_inside(element: Element, tag: str) -> Iterator[Element]:
    """Yield elements of a body and of its frames."""
    for child in element.children:
        if child.tag == tag:
            yield child
        elif child.tag == "frame":
            yield from _all_inside(child, tag)
