"""What a person writes for each kind of sensor: imu(...), encoder(...), ....

They are found where the kinds are. Type checkers and editors read them in `written.pyi`, which
`make format` writes.
"""

from inloop.model.sensors.kinds import WRITTEN

globals().update(WRITTEN)
__all__ = list(WRITTEN)
