"""An inertial measurement unit: accelerometer and gyroscope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Frame
from inloop.model.geometry import Scalar
from inloop.model.handles import Handle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec, of_axes


@dataclass(frozen=True)
class Imu(SensorKind):
    """Tells specific force [m/s²] and turn rate [rad/s], both in its own axes."""

    name: ClassVar[str] = "imu"
    roles: ClassVar[tuple[Role, ...]] = ("frame",)

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return {**of_axes("m/s²", "accel"), **of_axes("rad/s", "gyro")}

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        return (*seen.specific_force(at[0]), *seen.turn_rate(at[0]))


def imu(at: Handle | str) -> SensorSpec:
    """Measure specific force and turn rate in body axes.

    "<name>.accel.x", ".accel.y", ".accel.z" [m/s²]: acceleration less gravity, so that an IMU at
    rest tells 9.81 m/s² upwards; "<name>.gyro.x", ... [rad/s].

    Args:
        at: a frame, whose axes are those of the IMU; a body or a point stands for a frame with
            the axes of the body.
    """
    return SensorSpec(Imu(), (at,))
