"""Equality constraints of MJCF: closed loops and joint couplings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inloop.io.mjcf.defaults import Defaults
from inloop.io.mjcf.settings import switch
from inloop.io.poses import from_quaternion, inverse
from inloop.io.remarks import Remarks
from inloop.io.values import number, numbers, vector_attribute
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.names import quoted, suggestion

Place = tuple[str, Pose]  # name of a body, and a frame in body axes


@dataclass(frozen=True)
class Closure:
    """Two frames on bodies held together: "connect" their origins, "weld" also their axes."""

    name: str
    kind: str
    first: Place
    second: Place
    where: str


@dataclass(frozen=True)
class Coupling:
    """q_first - ref = Σ a_k (q_second - ref)ᵏ; without a second joint the first one is fixed."""

    name: str
    first: str
    second: str | None
    coefficients: tuple[float, ...]
    where: str


@dataclass(frozen=True)
class Named:
    """Named elements that equality constraints may refer to.

    Attributes:
        poses: world pose of each body, as written.
        sites: body of each site, and its pose there.
        single: for each joint, whether it has one coordinate.
    """

    poses: Mapping[str, Pose]
    sites: Mapping[str, Place]
    single: Mapping[str, bool]


def read_equalities(
    root: Element, defaults: Defaults, named: Named, remarks: Remarks
) -> list[Closure | Coupling]:
    """Return the supported constraints; the others are noted."""
    found: list[Closure | Coupling] = []
    for section in root.all("equality"):
        for written in section.children:
            element = defaults.complete(_as_equality(written))
            element.tag = written.tag
            label = f"<{element.tag}> {quoted(element.attributes.get('name', 'without name'))}"
            if not switch(element, "active", True):
                remarks.add(f"not read: {label}, which is not active", element.where)
            elif element.tag in ("connect", "weld"):
                found.append(_read_closure(element, named))
            elif element.tag == "joint" and _single(element, named):
                found.append(_read_coupling(element))
            else:
                remarks.add(f"not read: {label} among <equality>", element.where)
    return found


def _as_equality(element: Element) -> Element:
    """The element with the tag under which defaults of all equality constraints are kept."""
    return Element("equality", element.attributes, element.where, element.children)


def _look_up(element: Element, name: str, known: Mapping[str, object], what: str) -> None:
    if name not in known:
        element.fail(f"<{element.tag}>: there is no {what} {quoted(name)}", suggestion(name, known))


def _read_closure(element: Element, named: Named) -> Closure:
    if "site1" in element.attributes:
        sites = element.attribute("site1"), element.attribute("site2")
        for site in sites:
            _look_up(element, site, named.sites, "site")
        return _closure(element, named.sites[sites[0]], named.sites[sites[1]])
    first, second = element.attribute("body1"), element.attributes.get("body2", "world")
    for body in (first, second):
        _look_up(element, body, named.poses, "body")
    X_W1, X_W2 = named.poses[first], named.poses[second]
    if element.tag == "connect":
        # in the poses as written, the points of both bodies coincide
        anchor = numbers(element, element.attribute("anchor"), "anchor of <connect>", count=3)
        X_1A = Pose((anchor[0], anchor[1], anchor[2]))
        return _closure(element, (first, X_1A), (second, Pose((inverse(X_W2) @ X_W1 @ X_1A).p)))
    X_12 = _relative_pose(element) or inverse(X_W1) @ X_W2
    # the anchor is a point of the second body; irrelevant for frames that coincide
    anchor_2 = Pose(vector_attribute(element, "anchor", (0.0, 0.0, 0.0)))
    return _closure(element, (first, X_12 @ anchor_2), (second, anchor_2))


def _closure(element: Element, first: Place, second: Place) -> Closure:
    name = element.attributes.get("name", "")
    return Closure(name, element.tag, first, second, element.where)


def _relative_pose(element: Element) -> Pose | None:
    """Pose of the second body in the first; None if all zero: then as the bodies are written."""
    text = element.attributes.get("relpose")
    if text is None:
        return None
    x, y, z, *quaternion = numbers(element, text, "relpose of <weld>", count=7)
    if not any(quaternion):
        return None
    return Pose((x, y, z), from_quaternion(element, list(quaternion)))


def _single(element: Element, named: Named) -> bool:
    joints = [element.attribute("joint1")]
    if "joint2" in element.attributes:
        joints.append(element.attributes["joint2"])
    for joint in joints:
        _look_up(element, joint, named.single, "joint")
    return all(named.single[joint] for joint in joints)


def _read_coupling(element: Element) -> Coupling:
    words = element.attributes.get("polycoef", "0 1 0 0 0").split()
    if not 1 <= len(words) <= 5:
        element.fail(f"polycoef has {len(words)} numbers", "Write one to five.")
    values = [number(element, word, "polycoef of <joint>") for word in words]
    # missing coefficients keep their defaults
    full = (*values, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(values) :])
    second = element.attributes.get("joint2")
    name = element.attributes.get("name", "")
    return Coupling(name, element.attribute("joint1"), second, full, element.where)
