"""Transmissions of a URDF file, from actuators to joints; kept and noted."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.io.values import number
from inloop.io.xml import Element
from inloop.model.names import quoted


@dataclass(frozen=True)
class Transmission:
    """A transmission as in the file; not part of the equations.

    Attributes:
        name: its name.
        type: as written, such as "transmission_interface/SimpleTransmission".
        joints: names of the joints.
        actuators: names of the actuators with their reductions, 1 by default.
        where: file and line.
    """

    name: str
    type: str
    joints: tuple[str, ...]
    actuators: tuple[tuple[str, float], ...]
    where: str

    @property
    def summary(self) -> str:
        """Note for the user."""
        joints = ", ".join(map(quoted, self.joints)) or "no joint"
        reductions = ", ".join(f"{quoted(name)} with {ratio:g}" for name, ratio in self.actuators)
        return (
            f"{quoted(self.name)} of {joints} by {reductions or 'no actuator'} is kept in the "
            "metadata; it adds neither inertia nor inputs"
        )


def read_transmission(element: Element) -> Transmission:
    """Read a transmission, in the form of ROS control or of older files."""
    kind = element.child("type")
    joints = tuple(joint.attributes.get("name", "") for joint in element.all("joint"))
    actuators = tuple(
        (actuator.attributes.get("name", ""), _reduction(element, actuator))
        for actuator in element.all("actuator")
    )
    written = element.attributes.get("type", "") if kind is None else kind.text
    name = element.attributes.get("name", "")
    return Transmission(name, written, joints, actuators, element.where)


def _reduction(transmission: Element, actuator: Element) -> float:
    for place in (actuator, transmission):
        for element in place.all("mechanicalReduction"):
            return number(element, element.text, "mechanicalReduction")
    return 1.0
