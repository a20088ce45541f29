# Written by `python -m inloop.model.written_stubs`: add a file to kinds/ instead.

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

__all__ = [
    "acceleration",
    "contact_force",
    "distance",
    "encoder",
    "imu",
    "joint_torque",
    "orientation",
    "position",
    "strain",
    "velocity",
]
