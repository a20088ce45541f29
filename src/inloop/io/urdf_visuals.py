"""What a URDF file tells about the looks of its links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.io.values import number_attribute, numbers, pose, vector_attribute
from inloop.io.xml import Element
from inloop.model import Visual
from inloop.model.elements import VisualKind

Color = tuple[float, float, float, float]
_SHAPES: dict[str, VisualKind] = {
    "mesh": "mesh",
    "box": "box",
    "cylinder": "cylinder",
    "sphere": "sphere",
}


def read_materials(root: Element) -> dict[str, Color]:
    """Return all colors by the name of their material, wherever they are defined."""
    colors: dict[str, Color] = {}
    for material in _materials(root):
        color = _read_color(material)
        if color is not None and "name" in material.attributes:
            colors.setdefault(material.attributes["name"], color)
    return colors


def _materials(root: Element) -> Iterator[Element]:
    yield from root.all("material")
    for link in root.all("link"):
        for visual in link.all("visual"):
            yield from visual.all("material")


def read_visuals(link: Element, materials: Mapping[str, Color]) -> tuple[Visual, ...]:
    """Return what to draw on a link; meshes are kept by reference."""
    return tuple(
        visual for element in link.all("visual") for visual in _read_visual(element, materials)
    )


def _read_visual(element: Element, materials: Mapping[str, Color]) -> Iterator[Visual]:
    X_LV = pose(element.child("origin"))
    for shape in element.need("geometry").children:
        # other shapes are extensions of one program or another
        if shape.tag in _SHAPES:
            yield Visual(
                kind=_SHAPES[shape.tag],
                reference=shape.attribute("filename") if shape.tag == "mesh" else "",
                size=_read_size(shape),
                position=X_LV.p,
                rotation=X_LV.R,
                color=_color_of(element.child("material"), materials),
            )


def _read_size(shape: Element) -> tuple[float, ...]:
    if shape.tag == "mesh":
        return vector_attribute(shape, "scale", (1.0, 1.0, 1.0))
    if shape.tag == "box":
        return tuple(numbers(shape, shape.attribute("size"), "size of <box>", count=3))
    radius = number_attribute(shape, "radius")
    return (radius,) if shape.tag == "sphere" else (radius, number_attribute(shape, "length"))


def _color_of(material: Element | None, materials: Mapping[str, Color]) -> Color | None:
    if material is None:
        return None
    own = _read_color(material)
    return own if own is not None else materials.get(material.attributes.get("name", ""))


def _read_color(material: Element) -> Color | None:
    element = material.child("color")
    if element is None:
        return None
    rgba = numbers(element, element.attribute("rgba"), "rgba of <color>", count=4)
    # what some files write beyond 1 means full
    red, green, blue, opacity = (min(max(value, 0.0), 1.0) for value in rgba)
    return red, green, blue, opacity
