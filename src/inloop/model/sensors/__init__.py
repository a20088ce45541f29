"""Sensors of a mechanism, ideal in the plant: `m.sensor("hull", il.sensors.imu(hull))`."""

from inloop.model.sensors import written
from inloop.model.sensors.kinds import KINDS
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Sensor, SensorKind, SensorSpec, Signal
from inloop.model.sensors.written import *  # noqa: F403  its stub names all

__all__ = ["KINDS", "Seen", "Sensor", "SensorKind", "SensorSpec", "Signal"]

# sensors of every kind that there is a file for
__all__ += written.__all__
