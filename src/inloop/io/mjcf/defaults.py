"""Default classes of MJCF: what an element has that does not write it itself."""

from __future__ import annotations

from collections.abc import Mapping

from inloop.io.xml import Element
from inloop.model.names import quoted, suggestion

MAIN = "main"
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor", "plugin", "pid", "orientation",
)  # fmt: skip
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
Attributes = Mapping[str, str]


class Defaults:
    """Attributes by class and element.

    The defaults of actuators are kept as they were written, one after the other: all kinds of
    actuators share one set of values (see `mjcf_actuators`).
    """

    def __init__(self, root: Element) -> None:
        self._classes: dict[str, dict[str, Attributes]] = {MAIN: {}}
        self._actuators: dict[str, tuple[Element, ...]] = {MAIN: ()}
        for section in root.all("default"):
            # the outermost class may have a name of its own
            name = section.attributes.get("class", MAIN)
            self._classes.setdefault(name, self._classes[MAIN])
            self._actuators.setdefault(name, self._actuators[MAIN])
            self._read(section, name)
            self._classes[MAIN] = self._classes[name]
            self._actuators[MAIN] = self._actuators[name]

    def _read(self, section: Element, name: str) -> None:
        values = dict(self._classes[name])
        for element in section.children:
            if element.tag in ACTUATORS:
                self._actuators[name] += (element,)
            elif element.tag != "default":
                values[element.tag] = _merged(values.get(element.tag, {}), element.attributes)
        self._classes[name] = values
        # classes inside inherit all of it, wherever they stand
        for inner in section.all("default"):
            inner_name = inner.attribute("class")
            self._classes[inner_name] = values
            self._actuators[inner_name] = self._actuators[name]
            self._read(inner, inner_name)

    def complete(self, element: Element, childclass: str | None = None) -> Element:
        """Return an element with the defaults of its class, or of the body that it is in."""
        values = self._classes[self._class_of(element, childclass)].get(element.tag, {})
        attributes = _merged(values, element.attributes)
        return Element(element.tag, attributes, element.where, element.children, element.text)

    def of_actuator(self, element: Element) -> tuple[Element, ...]:
        """Return the defaults that an actuator has, to be taken one after the other."""
        return self._actuators[self._class_of(element, None)]

    def check_class(self, element: Element, attribute: str) -> str | None:
        """Return the class that an element names, if it does; one that is not there is wrong."""
        name = element.attributes.get(attribute)
        if name is not None and name not in self._classes:
            element.fail(
                f"{element.label}: there is no default class {quoted(name)}",
                suggestion(name, self._classes),
            )
        return name

    def _class_of(self, element: Element, childclass: str | None) -> str:
        return self.check_class(element, "class") or childclass or MAIN


def _merged(values: Attributes, own: Attributes) -> dict[str, str]:
    """Return defaults and own attributes; an own orientation replaces one written otherwise."""
    kept = dict(values)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            kept.pop(name, None)
    return {**kept, **own}
