"""The kinds of sensors, one file each: a file that is put here is found.

A file holds a subclass of `SensorKind` and the function, called as the kind, with which a person
writes such a sensor.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from sys import modules

from inloop.model.sensors.sensor import SensorKind, SensorSpec

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")

KINDS: dict[str, type[SensorKind]] = {kind.name: kind for kind in SensorKind.__subclasses__()}
# what a person writes, by name: imu(...), ...
WRITTEN: dict[str, Callable[..., SensorSpec]] = {
    name: getattr(modules[kind.__module__], name) for name, kind in KINDS.items()
}
