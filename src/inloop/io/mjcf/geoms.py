"""Geoms of MJCF: their appearance and mass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError
from inloop.geometry import (
    Box,
    Capsule,
    Cylinder,
    MassProperties,
    Mesh,
    Shape,
    Sphere,
    Visual,
)
from inloop.io.mjcf.meshes import MeshAsset
from inloop.io.mjcf.poses import along, read_pose
from inloop.io.mjcf.settings import Settings, switch
from inloop.io.remarks import Remarks
from inloop.io.values import number, number_attribute, numbers
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.names import quoted, suggestion

Color = tuple[float, float, float, float]
WATER = 1000.0  # [kg/m³], MuJoCo's default density
PLATE = 0.002  # thickness of a drawn plane [m]
# count of numbers in `size`; with fromto, the length is not among them
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3, "plane": 3}
BETWEEN = ("capsule", "cylinder", "box", "ellipsoid")


@dataclass(frozen=True)
class Geom:
    """A geom on its body.

    Attributes:
        visual: what to draw, in body axes; None if nothing is drawn, which was noted.
        mass: mass properties in body axes; None if it has none or is not counted.
        touches: whether MuJoCo lets it collide.
        where: file and line.
    """

    visual: Visual | None
    mass: MassProperties | None
    touches: bool
    where: str


class GeomReader:
    """Reads geoms with the given meshes and materials."""

    def __init__(
        self,
        settings: Settings,
        meshes: Mapping[str, MeshAsset],
        materials: Mapping[str, Color],
        remarks: Remarks,
    ) -> None:
        self._settings = settings
        self._meshes = meshes
        self._materials = materials
        self._remarks = remarks

    def read(self, element: Element, X_BF: Pose, weighed: bool) -> Geom:
        """Read a geom in a frame F of a body B.

        Args:
            element: the geom with its defaults.
            X_BF: pose of the frame in which it is written.
            weighed: whether its mass counts.
        """
        try:
            return self._read(element, X_BF, weighed)
        except InputError as error:
            mistake = error.mistakes[0]
            element.fail(f"{_label(element)}: {mistake.what}", mistake.fix)

    def _read(self, element: Element, X_BF: Pose, weighed: bool) -> Geom:
        kind = element.attributes.get("type", "sphere")
        touches = any(number_attribute(element, name, 1.0) for name in ("contype", "conaffinity"))
        if "mesh" in element.attributes and kind != "mesh":
            self._remarks.add(
                f"not read: {_label(element)}, a {kind} fitted to a mesh, is neither drawn nor "
                "weighed", element.where)  # fmt: skip
            return Geom(None, None, touches, element.where)
        if kind in SIZES:
            size, X_FG = _size_and_pose(element, kind, self._settings)
            shape, unit = _primitive(kind, size)
        elif kind == "mesh":
            asset = self._mesh(element)
            X_FG, shape = read_pose(element, self._settings), asset.shape
            unit = asset.unit_mass() if weighed and self._has_mass(element) else None
        elif kind in ("hfield", "sdf"):
            self._remarks.add(f"not read: geoms of type {kind}", element.where)
            return Geom(None, None, touches, element.where)
        else:
            element.fail(
                f"{_label(element)}: unknown type {quoted(kind)}",
                f"Use one of: {', '.join((*SIZES, 'mesh', 'hfield', 'sdf'))}.",
            )
        X_BG = X_BF @ X_FG
        mass = self._mass(element, unit, X_BG) if weighed and unit is not None else None
        visual = None if shape is None else Visual(shape, X_BG.p, X_BG.R, self._color(element))
        return Geom(visual, mass, touches, element.where)

    def _mesh(self, element: Element) -> MeshAsset:
        name = element.attribute("mesh")
        if name not in self._meshes:
            element.fail(
                f"{_label(element)}: there is no mesh {quoted(name)}",
                suggestion(name, self._meshes),
            )
        return self._meshes[name]

    def _has_mass(self, element: Element) -> bool:
        low, high = self._settings.inertia_groups
        if not low <= number_attribute(element, "group", 0.0) <= high:
            return False
        name = "mass" if "mass" in element.attributes else "density"
        value = number_attribute(element, name, WATER)
        if value < 0.0:
            element.fail(f"{_label(element)}: {name} is {value:g}", f"A {name} is not negative.")
        return value > 0.0

    def _mass(self, element: Element, unit: MassProperties, X_BG: Pose) -> MassProperties | None:
        """Mass properties from mass or density, given those for 1 kg/m³."""
        if not self._has_mass(element):
            return None
        if switch(element, "shellinertia", False):
            self._remarks.add(
                "shellinertia is not read: these geoms are weighed as solids", element.where
            )
        if "mass" in element.attributes:
            factor = number_attribute(element, "mass") / unit.mass
        else:
            factor = number_attribute(element, "density", WATER)
        scaled = MassProperties(factor * unit.mass, unit.com, factor * unit.inertia)
        return scaled.moved(np.array(X_BG.p, dtype=np.float64), np.array(X_BG.R, dtype=np.float64))

    def _color(self, element: Element) -> Color | None:
        if "rgba" in element.attributes:
            return read_color(element)
        return self._materials.get(element.attributes.get("material", ""))


def read_color(element: Element) -> Color:
    """Return the color of an element: red, green, blue, opacity in 0..1."""
    rgba = numbers(element, element.attributes["rgba"], f"rgba of <{element.tag}>", count=4)
    red, green, blue, opacity = (min(max(value, 0.0), 1.0) for value in rgba)
    return red, green, blue, opacity


def _label(element: Element) -> str:
    name = element.attributes.get("name")
    return f"geom {quoted(name)}" if name else "a geom without name"


def _size_and_pose(
    element: Element, kind: str, settings: Settings
) -> tuple[tuple[float, ...], Pose]:
    """Return the size as MuJoCo has it, and the pose of the geom in its frame."""
    words = element.attributes.get("size", "").split()
    size = [number(element, word, f"size of <{element.tag}>") for word in words]
    if "fromto" in element.attributes and kind in BETWEEN:
        ends = numbers(element, element.attributes["fromto"], "fromto of <geom>", count=6)
        way = [a - b for a, b in zip(ends[:3], ends[3:], strict=True)]
        length = math.hypot(*way)
        if length < 1e-14 or not size:
            element.fail(f"{_label(element)}: its ends coincide, or it has no size", "Write both.")
        middle = tuple(0.5 * (a + b) for a, b in zip(ends[:3], ends[3:], strict=True))
        R = along((way[0] / length, way[1] / length, way[2] / length))
        across = size[:1] if SIZES[kind] == 2 else [size[0], size[0]]
        return (*across, 0.5 * length), Pose((middle[0], middle[1], middle[2]), R)
    if len(size) < SIZES[kind]:
        element.fail(
            f"{_label(element)}: size has {len(size)} numbers, a {kind} needs {SIZES[kind]}",
            "Sizes are radii and half lengths.",
        )
    return tuple(size[: SIZES[kind]]), read_pose(element, settings)


def _primitive(kind: str, size: tuple[float, ...]) -> tuple[Shape | None, MassProperties | None]:
    """Return the shape to draw, and mass properties for 1 kg/m³."""
    if kind == "plane":
        if min(size[:2]) <= 0.0:
            return None, None
        # a thin plate just below the plane
        return Box((2.0 * size[0], 2.0 * size[1], PLATE)), None
    if kind == "ellipsoid":
        return _ellipsoid(size)
    shape: Shape
    if kind == "sphere":
        shape = Sphere(size[0])
    elif kind == "capsule":
        shape = Capsule(size[0], 2.0 * size[1])
    elif kind == "cylinder":
        shape = Cylinder(size[0], 2.0 * size[1])
    else:
        shape = Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
    return shape, shape.mass_properties(1.0)


def _ellipsoid(size: tuple[float, ...]) -> tuple[Shape, MassProperties]:
    ball = Sphere(1.0).surface()
    if not min(size) > 0.0:
        raise InputError("an ellipsoid has a half axis of length zero", fix="Give three of them.")
    a, b, c = size
    mass = 4.0 / 3.0 * math.pi * a * b * c
    inertia = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 5.0
    shape = Mesh(np.asarray(ball.vertices) * np.array(size), np.asarray(ball.triangles))
    return shape, MassProperties(mass, np.zeros(3), inertia)
