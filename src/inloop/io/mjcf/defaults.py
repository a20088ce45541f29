"""Default classes of MJCF: values of attributes that an element does not write itself."""

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
    """Default attributes by class and element.

    The defaults of actuators are kept as written, in order: all kinds of actuators share one set
    of values (see `actuators`).
    """

    def __init__(self, root: Element) -> None:
        self._classes: dict[str, dict[str, Attributes]] = {MAIN: {}}
        self._actuators: dict[str, tuple[Element, ...]] = {MAIN: ()}
        for section in root.all("default"):
            # the outermost class may be named
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
        # nested classes inherit all of them, wherever they are
        for inner in section.all("default"):
            inner_name = inner.attribute("class")
            self._classes[inner_name] = values
            self._actuators[inner_name] = self._actuators[name]
            self._read(inner, inner_name)

    def complete(self, element: Element, childclass: str | None = None) -> Element:
        """Return an element with the defaults of its class, or of its body's childclass."""
        values = self._classes[self._class_of(element, childclass)].get(element.tag, {})
        attributes = _merged(values, element.attributes)
        return Element(element.tag, attributes, element.where, element.children, element.text)

    def of_actuator(self, element: Element) -> tuple[Element, ...]:
        """Return the defaults of an actuator, to be applied in order."""
        return self._actuators[self._class_of(element, None)]

    def check_class(self, element: Element, attribute: str) -> str | None:
        """Return the class that an element names, if any; an unknown class is an error."""
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
    """Return defaults and own attributes; an own orientation replaces one in any form."""
    kept = dict(values)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            kept.pop(name, None)
    return {**kept, **own}
