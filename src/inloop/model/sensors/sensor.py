"""A sensor: what is measured where, as signals of the plant. Sensors of a plant are ideal.

Noise, rounding, delay and the rate of a real sensor belong to the device in front of the plant
(inloop.devices.Instruments).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from inloop.model.contacts.contact import Contact
from inloop.model.elements import Body, Frame
from inloop.model.flexible_links.flexible import FlexibleLink
from inloop.model.geometry import Scalar
from inloop.model.laws.coefficients import coefficients
from inloop.model.sensors.seen import Seen

Role = Literal["frame", "joint", "contact", "flexible link"]
Place: TypeAlias = Frame | Body | Contact | FlexibleLink


class SensorKind(ABC):
    """A kind of sensor: one object in one file of `kinds`.

    It is a frozen dataclass whose fields are its numbers.

    Attributes:
        name: what a person calls it, and writes to get one.
        roles: of the places where it sits, in order: "joint" is given as the body that the joint
            moves.
    """

    name: ClassVar[str]
    roles: ClassVar[tuple[Role, ...]]

    @abstractmethod
    def signals(self, at: Sequence[Any]) -> dict[str, str]:
        """Endings and units of its signals; "" for one that is called as the sensor is."""

    @abstractmethod
    def read(self, seen: Seen, at: Sequence[Any]) -> Sequence[Scalar]:
        """What it measures, one value for each signal.

        Args:
            seen: the mechanism at one moment.
            at: the places where it sits.
        """


@dataclass(frozen=True)
class SensorSpec:
    """A sensor as a person writes it: a kind, and handles or names of the places where it sits."""

    kind: SensorKind
    at: tuple[object, ...]


@dataclass(frozen=True)
class Signal:
    """A number that a sensor measures, with the label of its unit."""

    name: str
    unit: str


@dataclass(frozen=True)
class Sensor:
    """A sensor of a finished mechanism.

    Attributes:
        name: name of the sensor.
        kind: what it measures.
        at: the places where it sits, as many as the kind has roles.
        signals: what it measures, in order; outputs of the plant.
        where: file and line.
    """

    name: str
    kind: SensorKind
    at: tuple[Place, ...]
    signals: tuple[Signal, ...]
    where: str

    @property
    def paths(self) -> tuple[str, ...]:
        """Names of the places where it sits."""
        return tuple(place.path if isinstance(place, Frame) else place.name for place in self.at)

    def data(self) -> dict[str, Any]:
        """What there is to know of it as plain data, for files."""
        numbers = {name: str(value) for name, value in coefficients(self.kind).items()}
        signals = {signal.name: signal.unit for signal in self.signals}
        return {"kind": self.kind.name, "at": self.paths, "numbers": numbers, "signals": signals}


def sensor_of(name: str, kind: SensorKind, at: tuple[Place, ...], where: str) -> Sensor:
    """A sensor with its signals, called "<name>" or "<name>.<ending>"."""
    signals = tuple(
        Signal(f"{name}.{ending}" if ending else name, unit)
        for ending, unit in kind.signals(at).items()
    )
    return Sensor(name, kind, at, signals, where)


def of_axes(unit: str, stem: str = "") -> dict[str, str]:
    """Endings "x", "y", "z", or "<stem>.x", ..., with one unit."""
    return {f"{stem}.{axis}" if stem else axis: unit for axis in "xyz"}
