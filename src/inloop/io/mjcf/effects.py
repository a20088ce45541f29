"""Adds actuators, equality constraints and sensors of an MJCF file to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inloop.io.mjcf.actuators import Actuator
from inloop.io.mjcf.equality import Closure, Coupling, Place
from inloop.io.mjcf.laws import add_actuator, add_tendon
from inloop.io.mjcf.tendons import FixedTendon
from inloop.io.mjcf.writer import Writer
from inloop.io.xml import Element
from inloop.model import Handle
from inloop.model.names import quoted
from inloop.symbolic import Expr


class Effects:
    """Adds elements that act on existing bodies."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._model, self._settings, self._remarks = writer.model, writer.settings, writer.remarks

    def add_actuators(self, actuators: Sequence[Actuator]) -> Mapping[str, Actuator]:
        """Add actuators; return them by input name."""
        if "actuation" in self._settings.disabled:
            for actuator in actuators:
                self._remarks.add("actuators are disabled by a flag", actuator.where)
            return {}
        self._writer.names["input"].read(a.name for a in actuators if a.name)
        found = {}
        for actuator in actuators:
            names = self._writer.names["input"]
            label = (
                names[actuator.name]
                if actuator.name
                else names.new("_".join(self._writer.joints[joint][0] for joint in actuator.joints))
            )
            coordinates = [self._writer.joints[joint][0] for joint in actuator.joints]
            with self._model.reading(actuator.where):
                law = self._writer.names["law"].new(label)
                clamped = "clampctrl" not in self._settings.disabled
                add_actuator(self._model, actuator, coordinates, f"{label}.ctrl", law, clamped)
            found[f"{label}.ctrl"] = actuator
        return found

    def add_tendons(self, tendons: Sequence[FixedTendon]) -> None:
        """Add springs and dampers of fixed tendons."""
        off = self._settings.disabled
        for tendon in tendons:
            k = 0.0 if {"spring", "passive"} & off else tendon.stiffness
            d = 0.0 if {"damper", "passive"} & off else tendon.damping
            if k or d:
                found = [self._writer.joints[joint] for joint in tendon.joints]
                labels = [label for label, _ in found]
                name = self._writer.names["law"].new(tendon.name or "_".join(labels))
                # with the springs of all joints relaxed
                length = sum(c * joint.springref for c, (_, joint) in zip(
                    tendon.joints.values(), found, strict=True))  # fmt: skip
                rest = tendon.rest or (length, length)
                with self._model.reading(tendon.where):
                    add_tendon(
                        self._model, labels, list(tendon.joints.values()), (k, d, rest), name
                    )

    def add_equalities(self, equalities: Sequence[Closure | Coupling]) -> None:
        """Add loops and couplings."""
        off = {"equality", "constraint"} & self._settings.disabled
        for number, item in enumerate(equalities, start=1):
            if off:
                self._remarks.add("equality constraints are disabled by a flag", item.where)
                continue
            self._remarks.add("equality constraints hold exactly, without softness", item.where)
            name = self._writer.names["law"].new(item.name or f"equality{number}")
            with self._model.reading(item.where):
                if isinstance(item, Closure):
                    ends = [self._end(name, place, k) for k, place in enumerate(
                        (item.first, item.second), start=1)]  # fmt: skip
                    kind = "ball" if item.kind == "connect" else "solid"
                    self._model.close(*ends, kind=kind, name=name)  # type: ignore[arg-type]
                else:
                    self._couple(name, item)

    def _end(self, name: str, place: Place, number: int) -> Handle:
        handle, X_LB = self._writer.places[place[0]]
        X = X_LB @ place[1]
        return handle.frame(self._writer.names["site"].new(f"{name}_{number}"), X.p, X.R)

    def _couple(self, name: str, item: Coupling) -> None:
        label, first = self._writer.joints[item.first]
        other = None if item.second is None else self._writer.joints[item.second]

        def rest(q: Mapping[str, Expr]) -> Any:
            x: Any = 0.0 if other is None else q[other[0]] - other[1].ref
            value: Any = 0.0
            for coefficient in reversed(item.coefficients):
                value = value * x + coefficient
            return q[label] - first.ref - value

        self._model.constraint(name, rest, unit="rad" if first.type == "hinge" else "m")

    def add_sensors(self, root: Element) -> None:
        """Add sensors of joints as outputs."""
        elements = [
            element
            for section in root.all("sensor")
            for element in section.children
            if element.tag in ("jointpos", "jointvel")
        ]
        self._writer.names["sensor"].read(
            e.attributes["name"] for e in elements if "name" in e.attributes
        )
        for element in elements:
            joint = self._writer.joints.get(element.attribute("joint"))
            if joint is None or not joint[1].is_single:
                self._remarks.add(
                    f"not read: sensor {element.label}: its joint is not there or has "
                    "several coordinates",
                    element.where,
                )
                continue
            label = joint[0]
            wanted = element.attributes.get("name")
            shown = (wanted and self._writer.names["sensor"][wanted]) or f"{label}_{element.tag}"
            name = self._writer.names["law"].new(shown)
            if name != shown:
                self._remarks.add(f"sensor {quoted(shown)} is called {quoted(name)}", element.where)
            unit = "rad" if joint[1].type == "hinge" else "m"
            with self._model.reading(element.where):
                if element.tag == "jointpos":
                    self._model.output(name, label, lambda q: q, unit=unit)
                else:
                    self._model.output(name, label, lambda qd: qd, unit=f"{unit}/s")
