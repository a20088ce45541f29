"""Fixed tendons of MJCF: linear combinations of coordinates, with springs and dampers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inloop.io.mjcf.defaults import Defaults
from inloop.io.remarks import Remarks
from inloop.io.values import number, number_attribute
from inloop.io.xml import Element
from inloop.model.names import quoted, suggestion


@dataclass(frozen=True)
class FixedTendon:
    """A fixed tendon: l = Σ coefficient q.

    Attributes:
        name: its name in the file, "" if it has none.
        joints: names of the joints with their coefficients.
        stiffness: stiffness of its spring [N/m].
        damping: coefficient of its damper [N·s/m].
        rest: range of lengths with a relaxed spring [m]; None: where all joint springs are relaxed.
        where: file and line.
    """

    name: str
    joints: Mapping[str, float]
    stiffness: float
    damping: float
    rest: tuple[float, float] | None
    where: str


def read_fixed_tendons(
    root: Element, defaults: Defaults, single: Mapping[str, bool], remarks: Remarks
) -> list[FixedTendon]:
    """Return the fixed tendons of joints with one coordinate; the others are noted."""
    return [
        tendon
        for section in root.all("tendon")
        for element in section.all("fixed")
        for tendon in _read(element, defaults, single, remarks)
    ]


def _read(
    written: Element, defaults: Defaults, single: Mapping[str, bool], remarks: Remarks
) -> Iterator[FixedTendon]:
    # defaults of all tendons are kept under <tendon>
    element = defaults.complete(Element("tendon", written.attributes, written.where))
    name = element.attributes.get("name", "")
    joints: dict[str, float] = {}
    for joint in written.all("joint"):
        other = joint.attribute("joint")
        if other not in single:
            joint.fail(
                f"tendon {quoted(name)}: there is no joint {quoted(other)}",
                suggestion(other, single),
            )
        joints[other] = joints.get(other, 0.0) + number_attribute(joint, "coef")
    if not joints or not all(single[joint] for joint in joints):
        remarks.add(
            f"not read: tendon <fixed> {quoted(name)}: it has no joints, or ball or free ones",
            written.where,
        )
        return
    values = {}
    for quantity in ("stiffness", "damping"):
        words = element.attributes.get(quantity, "0").split()
        values[quantity] = number(element, words[0] if words else "", quantity)
        if any(number(element, word, quantity) for word in words[1:]):
            remarks.add(f"{quantity} of tendons is read as far as it is linear", written.where)
    yield FixedTendon(name, joints, **values, rest=_rest(element), where=written.where)


def _rest(element: Element) -> tuple[float, float] | None:
    words = element.attributes.get("springlength", "").split()
    values = [number(element, word, "springlength") for word in words[:2]]
    if not values or values[0] == -1.0:
        return None
    return values[0], values[-1]
