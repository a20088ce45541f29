"""Real or simulated devices between the ideal sensors of a plant and a controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from inloop.devices.sensors.sensor import Sensor
from inloop.errors import InputError

Devices = Callable[[int], Sequence[Sensor]]


class Signals(Protocol):
    """Any source of signals by name: outputs of a mailbox, a stepper, a mapping."""

    def __getitem__(self, signal: str, /) -> float:
        """The current value of a signal."""


class Instruments:
    """Measurements of a plant for a controller, once per period.

        fitted = {"hull": lambda k: [Noise(0.02, seed=k), Delay(2)]}
        instruments = Instruments(plant.mechanism.signals_by_sensor, fitted)
        measured = instruments.read(outputs)  # {"hull.accel.x": ..., "crank": ...}

    Sensors without devices are passed through. A device is any object with a method `read`: one
    that queries real hardware may ignore the value it is given.
    """

    def __init__(
        self, sensors: Mapping[str, Iterable[str]], fitted: Mapping[str, Devices] | None = None
    ) -> None:
        """Fit devices to sensors.

        Args:
            sensors: names of the signals by name of the sensor: `mechanism.signals_by_sensor`, or
                of a running plant `signals_by_sensor(layout)` of inloop.realtime.
            fitted: functions that create the chain of devices of one signal, from the plant to the
                controller, by name of a sensor (for each of its signals) or of a signal. They take
                the index of the signal, for use as a unique seed.

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
                # settings of a signal override those of its sensor
                make = wanted.get(signal, wanted.get(sensor))
                number = len(self._devices)
                self._devices[signal] = () if make is None else tuple(make(number))

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the measured signals."""
        return tuple(self._devices)

    def read(self, signals: Signals) -> dict[str, float]:
        """Current measurements of all devices, by signal name; call it once per period."""
        return {signal: self._read(signal, float(signals[signal])) for signal in self._devices}

    def _read(self, signal: str, value: float) -> float:
        for device in self._devices[signal]:
            value = device.read(value)
        return value
