"""Sensors of a mechanism, ideal in the plant: `m.sensor("hull", il.sensors.imu(hull))`."""

from inloop.model.sensors.kinds import KINDS, WRITTEN
from inloop.model.sensors.kinds.acceleration import acceleration
from inloop.model.sensors.kinds.contact_force import contact_force
from inloop.model.sensors.kinds.distance import distance
from inloop.model.sensors.kinds.encoder import encoder
from inloop.model.sensors.kinds.imu import imu
from inloop.model.sensors.kinds.joint_torque import joint_torque
from inloop.model.sensors.kinds.orientation import orientation
from inloop.model.sensors.kinds.position import position
from inloop.model.sensors.kinds.strain import strain
from inloop.model.sensors.kinds.velocity import velocity
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Sensor, SensorKind, SensorSpec, Signal

__all__ = [
    "KINDS", "Seen", "Sensor", "SensorKind", "SensorSpec", "Signal", "acceleration",
    "contact_force", "distance", "encoder", "imu", "joint_torque", "orientation", "position",
    "strain", "velocity",
]  # fmt: skip

# sensors of every kind that there is a file for: type checkers find those that are imported above
globals().update(WRITTEN)
__all__ += [name for name in WRITTEN if name not in __all__]
