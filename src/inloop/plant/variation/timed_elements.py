"""Elements of a mechanism that depend on time explicitly, not through inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inloop.model import Mechanism
from inloop.symbolic import Expr, Scalar, reachable


@dataclass(frozen=True)
class TimedElement:
    """An element that depends on time.

    Attributes:
        kind: "law", "event", "drive", "constraint" or "controller".
        name: name of the element; of the joint, for a drive.
    """

    kind: str
    name: str


def timed_elements(mechanism: Mechanism) -> tuple[TimedElement, ...]:
    """All elements that depend on time; a controller in C is assumed to."""

    def timed(values: Sequence[Scalar]) -> bool:
        exprs = [value for value in values if isinstance(value, Expr)]
        return mechanism.time in reachable(exprs)

    elements = [element for element, values in _values(mechanism) if timed(values)]
    controller = mechanism.controller
    if controller is not None and controller.code is not None:
        elements.append(TimedElement("controller", controller.name))
    return tuple(elements)


def _values(mechanism: Mechanism) -> Iterator[tuple[TimedElement, Sequence[Scalar]]]:
    """Elements that may depend on time, with all expressions that they compute."""
    for law in mechanism.laws:
        rates, outputs = [s.rate for s in law.states], [o.value for o in law.outputs]
        yield TimedElement("law", law.name), (*law.value, *rates, *outputs)
    for event in mechanism.events:
        sets = (value for _, value in (*event.row_restitution, *event.sets))
        yield TimedElement("event", event.name), (event.indicator, event.restitution, *sets)
    for drive in mechanism.drives:
        joint = mechanism.coordinates[drive.body]
        yield TimedElement("drive", joint), (drive.position,)
    for constraint in mechanism.constraints:
        yield TimedElement("constraint", constraint.name), constraint.rows
    controller = mechanism.controller
    if controller is not None:
        following = (state.following for state in controller.states)
        yield TimedElement("controller", controller.name), (*controller.values, *following)
