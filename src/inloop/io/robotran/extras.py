"""Elements of a ROBOTRAN file beyond the tree: loops, links, sensors, data of user code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from inloop.io.values import number
from inloop.io.xml import Element

CutKind = Literal["ball", "rod", "solid"]
CUT_KINDS: tuple[CutKind, ...] = get_args(CutKind)
SENSOR_SIGNALS = ("Pos", "Rot", "Vit", "Om", "Acc", "Omp", "Jac")
_GRAPHICS = {"graphics", "x2D", "x3D"}
_ENDS = {"name", "endpoint1", "endpoint2"}
# which elements are read inside which; others are counted, without their contents
_READ: dict[str, set[str]] = {
    "mbsDescR7": {
        "mbsname", "mbsyspad_version", "base", "bodytree", "cuts", "links", "user_models",
        "user_variables",
    },
    "base": {"gravity", "baseBodyName", "point"},
    "bodytree": {"body"},
    "body": {"bodyname", "parent", "joint", "mass", "com", "inertia", "point"},
    "joint": {"jointname", "type", "nature", "initialvalue", "symbols"},
    "initialvalue": {"q", "qd"},
    "inertia": {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"},
    "point": {"pointname", "coordinates", "sensor", "extforce"},
    "cuts": set(CUT_KINDS),
    "links": {"link"},
    **{tag: _ENDS | {"length"} for tag in (*CUT_KINDS, "link")},
    "user_models": {"user_model"},
    "user_model": {"name", "parameter"},
    "parameter": {"name", "type", "value"},
    "user_variables": {"user_variable"},
    "user_variable": {"varname", "type", "size"},
}  # fmt: skip


@dataclass(frozen=True)
class MbsEnd:
    """A point of a body by its names in the file; "base" is the ground, "origin" its origin."""

    body: str
    point: str
    where: str


ORIGIN = MbsEnd("base", "origin", "")


@dataclass(frozen=True)
class MbsCut:
    """A closed loop, cut: a ball joint, a rod of constant length or a rigid joint.

    Attributes:
        kind: "ball", the points coincide; "rod", they keep a distance; "solid", the axes of the
            two bodies coincide too.
        name: its name in the file.
        ends: the two points.
        length: length of a rod [m], 0 if not given; ROBOTRAN's own reader also takes it from
            <length> (TimotheeHabra/coman_robotran, mbs_xml_reader.c).
        where: file and line.
    """

    kind: CutKind
    name: str
    ends: tuple[MbsEnd, MbsEnd]
    length: float
    where: str


@dataclass(frozen=True)
class MbsLink:
    """A force along the line between two points; its law is code outside the file."""

    name: str
    ends: tuple[MbsEnd, MbsEnd]
    where: str


@dataclass(frozen=True)
class MbsSensor:
    """Quantities of a point that the file requests, such as "Pos" or "Jac"."""

    name: str
    signals: tuple[str, ...]


@dataclass(frozen=True)
class UserParameter:
    """A parameter of user code: numbers, or text for non-numeric values."""

    name: str
    type: str
    values: tuple[float | str, ...]


@dataclass(frozen=True)
class UserModel:
    """A group of parameters of user code."""

    name: str
    parameters: tuple[UserParameter, ...]


@dataclass(frozen=True)
class UserVariable:
    """A vector that is an input or output of user code."""

    name: str
    type: str
    size: int


def read_end(element: Element) -> MbsEnd:
    """Read a pair <bodyname>, <pointname>."""
    point = element.child("pointname")
    name = ORIGIN.point if point is None else point.text
    return MbsEnd(element.need("bodyname").text, name, element.where)


def read_cuts(element: Element | None) -> Iterator[MbsCut]:
    """Read the cut loops."""
    for cut in [] if element is None else element.children:
        for kind in CUT_KINDS:
            if cut.tag != kind:
                continue
            length = cut.child("length")
            yield MbsCut(
                kind=kind,
                name=cut.need("name").text,
                ends=_read_ends(cut),
                length=0.0 if length is None else number(length, length.text, "<length>"),
                where=cut.where,
            )


def read_links(element: Element | None) -> Iterator[MbsLink]:
    """Read the links."""
    for link in [] if element is None else element.all("link"):
        yield MbsLink(link.need("name").text, _read_ends(link), link.where)


def _read_ends(element: Element) -> tuple[MbsEnd, MbsEnd]:
    return read_end(element.need("endpoint1")), read_end(element.need("endpoint2"))


def read_sensors(point: Element) -> Iterator[MbsSensor]:
    """Read the sensors on a point."""
    for sensor in point.all("sensor"):
        wanted = (s for s in SENSOR_SIGNALS if sensor.attributes.get(s, "").lower() == "true")
        yield MbsSensor(sensor.attribute("name"), tuple(wanted))


def read_user_models(element: Element | None) -> Iterator[UserModel]:
    """Read the parameters of user code."""
    for model in [] if element is None else element.all("user_model"):
        parameters = tuple(_read_parameter(parameter) for parameter in model.all("parameter"))
        yield UserModel(model.need("name").text, parameters)


def _read_parameter(element: Element) -> UserParameter:
    kind = element.child("type")
    values = tuple(_number_or_text(value.text) for value in element.all("value"))
    return UserParameter(element.need("name").text, "" if kind is None else kind.text, values)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def read_user_variables(element: Element | None) -> Iterator[UserVariable]:
    """Read the inputs and outputs of user code."""
    for variable in [] if element is None else element.all("user_variable"):
        size = variable.need("size")
        yield UserVariable(
            name=variable.need("varname").text,
            type=variable.need("type").text,
            size=int(number(size, size.text, "<size>")),
        )


def unread(element: Element) -> Counter[str]:
    """Count the elements that are neither read nor graphics, as "body/flexible"."""
    counts: Counter[str] = Counter()
    if element.tag not in _READ:
        return counts
    for child in element.children:
        if child.tag in _GRAPHICS:
            continue
        if child.tag in _READ[element.tag]:
            counts += unread(child)
        else:
            counts[f"{element.tag}/{child.tag}"] += 1
    return counts
