"""Visual and collision shapes of the links of a URDF file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inloop.errors import InputError
from inloop.geometry import Box, Cylinder, MeshFile, Shape, Sphere, Visual
from inloop.geometry.mesh_files.picture import Picture
from inloop.io.packages import Packages
from inloop.io.values import Triple, number_attribute, numbers, pose, vector_attribute
from inloop.io.xml import Element
from inloop.model import Pose

Color = tuple[float, float, float, float]
_SHAPES = ("mesh", "box", "cylinder", "sphere")


@dataclass(frozen=True)
class Material:
    """Material of a shape: a color, and the file of a texture as written, or ""."""

    color: Color | None = None
    picture: str = ""
    where: str = ""


@dataclass(frozen=True)
class UrdfShape:
    """A shape as in the file.

    Attributes:
        kind: "mesh", "box", "cylinder" or "sphere".
        reference: file of a mesh as written, else "".
        size: scale of a mesh; edges of a box, (radius, length) of a cylinder along z,
            (radius,) of a sphere [m].
        X_LS: its pose in the link.
        material: its material.
        where: file and line.
    """

    kind: str
    reference: str
    size: tuple[float, ...]
    X_LS: Pose
    material: Material
    where: str

    @property
    def color(self) -> Color | None:
        """Red, green, blue, opacity in 0..1, or None."""
        return self.material.color

    def picture(self, packages: Packages) -> Picture | str | None:
        """Its texture, or as text why it is unavailable."""
        reference = self.material.picture
        found = packages.find(reference) if reference else None
        if isinstance(found, str):
            return f"texture {reference[:200]!a} is not read: {found}"
        return None if found is None else Picture(str(found.path), str(found.folder))

    def visual(self, packages: Packages) -> Visual | str:
        """Its visual without texture, or as text why it cannot be drawn."""
        try:
            shape = self._shape(packages)
        except InputError as error:
            return error.mistakes[0].what
        if isinstance(shape, str):
            return shape
        return Visual(shape, self.X_LS.p, self.X_LS.R, self.color)

    def _shape(self, packages: Packages) -> Shape | str:
        size = self.size
        if self.kind == "box":
            return Box((size[0], size[1], size[2]))
        if self.kind == "cylinder":
            return Cylinder(size[0], size[1])
        if self.kind == "sphere":
            return Sphere(size[0])
        found = packages.find(self.reference)
        if isinstance(found, str):
            return f"mesh {self.reference[:200]!a} is not read: {found}"
        scale: Triple = (size[0], size[1], size[2])
        return MeshFile(str(found.path), str(found.folder), scale)


def read_materials(root: Element) -> dict[str, Material]:
    """Return all materials by name, wherever they are defined."""
    found: dict[str, Material] = {}
    for element in _materials(root):
        material = _read_material(element)
        if material is not None and "name" in element.attributes:
            found.setdefault(element.attributes["name"], material)
    return found


def _materials(root: Element) -> Iterator[Element]:
    yield from root.all("material")
    for link in root.all("link"):
        for visual in link.all("visual"):
            yield from visual.all("material")


def read_shapes(
    link: Element, tag: str, materials: Mapping[str, Material]
) -> tuple[UrdfShape, ...]:
    """Return the shapes of a link: tag is "visual" or "collision"."""
    return tuple(shape for element in link.all(tag) for shape in _read_shapes(element, materials))


def _read_shapes(element: Element, materials: Mapping[str, Material]) -> Iterator[UrdfShape]:
    X_LS = pose(element.child("origin"))
    for shape in element.need("geometry").children:
        # other shapes are extensions of some programs
        if shape.tag in _SHAPES:
            yield UrdfShape(
                kind=shape.tag,
                reference=shape.attribute("filename") if shape.tag == "mesh" else "",
                size=_read_size(shape),
                X_LS=X_LS,
                material=_material_of(element.child("material"), materials),
                where=shape.where,
            )


def _read_size(shape: Element) -> tuple[float, ...]:
    if shape.tag == "mesh":
        return vector_attribute(shape, "scale", (1.0, 1.0, 1.0))
    if shape.tag == "box":
        return tuple(numbers(shape, shape.attribute("size"), "size of <box>", count=3))
    radius = number_attribute(shape, "radius")
    return (radius,) if shape.tag == "sphere" else (radius, number_attribute(shape, "length"))


def _material_of(element: Element | None, materials: Mapping[str, Material]) -> Material:
    if element is None:
        return Material()
    own = _read_material(element)
    return own or materials.get(element.attributes.get("name", ""), Material())


def _read_material(element: Element) -> Material | None:
    """The material that an element defines; None if it only refers to one."""
    color, texture = _read_color(element), element.child("texture")
    # exporters may write an empty <texture/>
    reference = "" if texture is None else texture.attributes.get("filename", "")
    if texture is not None and reference:
        return Material(color, reference, texture.where)
    return None if color is None else Material(color)


def _read_color(material: Element) -> Color | None:
    element = material.child("color")
    if element is None:
        return None
    rgba = numbers(element, element.attribute("rgba"), "rgba of <color>", count=4)
    # some files write values above 1
    red, green, blue, opacity = (min(max(value, 0.0), 1.0) for value in rgba)
    return red, green, blue, opacity
