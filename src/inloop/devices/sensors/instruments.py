"""Real or simulated devices between the sensors of a plant, which are ideal, and a controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from inloop.devices.sensors.sensor import Sensor
from inloop.errors import InputError

Devices = Callable[[int], Sequence[Sensor]]


class Signals(Protocol):
    """Whatever holds signals by name: outputs of a mailbox, a stepper, a mapping."""

    def __getitem__(self, signal: str, /) -> float:
        """The signal now."""


class Instruments:
    """What a controller gets to know of a plant, once per period.

        fitted = {"hull": lambda k: [Noise(0.02, seed=k), Delay(2)]}
        instruments = Instruments(plant.mechanism.signals_by_sensor, fitted)
        measured = instruments.read(outputs)  # {"hull.accel.x": ..., "crank": ...}

    Sensors that have no devices are passed on as they are. A device is any object with a method
    `read`: one that asks real hardware need not look at the value it is given.
    """

    def __init__(
        self, sensors: Mapping[str, Iterable[str]], fitted: Mapping[str, Devices] | None = None
    ) -> None:
        """Fit devices to sensors.

        Args:
            sensors: names of the signals by name of the sensor: `mechanism.signals_by_sensor`, or
                of a running plant `signals_by_sensor(layout)` of inloop.realtime.
            fitted: functions that make the devices of one signal, from the plant to the
                controller, by name of a sensor, for each of its signals, or of one signal. They
                take the number of the signal, a seed that no other one has.

        Raises:
            InputError: there is no such sensor or signal.
        """
        self._devices: dict[str, Sequence[Sensor]] = {}
        wanted = dict(fitted or {})
        known = {sensor: tuple(signals) for sensor, signals in sensors.items()}
        names = {*known, *(signal for signals in known.values() for signal in signals)}
        for name in wanted:
            if name not in names:
                raise InputError(
                    f"there is no sensor '{name}' to fit a device to",
                    fix=f"Sensors are: {', '.join(known) or 'none'}.",
                )
        for sensor, signals in known.items():
            for signal in signals:
                # what is said of one signal goes before what is said of the sensor
                make = wanted.get(signal, wanted.get(sensor))
                number = len(self._devices)
                self._devices[signal] = () if make is None else tuple(make(number))

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of what is read."""
        return tuple(self._devices)

    def read(self, signals: Signals) -> dict[str, float]:
        """What all devices measure now, by name of the signal; call it once per period."""
        return {signal: self._read(signal, float(signals[signal])) for signal in self._devices}

    def _read(self, signal: str, value: float) -> float:
        for device in self._devices[signal]:
            value = device.read(value)
        return value
