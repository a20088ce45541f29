"""The part of the builder that declares sensors."""

from __future__ import annotations

from inloop.model.draft import Draft, SensorDraft
from inloop.model.handles import read_path
from inloop.model.laws.coefficients import coefficients
from inloop.model.names import quoted
from inloop.model.sensors.sensor import SensorSpec


class SensorBuilder:
    """Declares sensors: what they tell is held by results, the real-time loop and recordings."""

    _draft: Draft

    def sensor(self, name: str, measures: SensorSpec) -> str:
        """Put a sensor on the mechanism; it is ideal.

            m.sensor("hull", il.sensors.imu(hull))

        Results then hold "hull.accel.x", ..., "hull.gyro.z". What a real sensor adds is a device
        in front of the plant: `il.devices.Instruments`.

        Args:
            name: name of the sensor.
            measures: il.sensors.position(...), velocity(...), acceleration(...),
                orientation(...), imu(...), encoder(...), joint_torque(...), distance(...),
                contact_force(...) or strain(...).

        Returns:
            The name of the sensor.
        """
        draft = self._draft
        read = draft.intake(f"sensor {quoted(name)}")
        name = read.name(name)
        if not isinstance(measures, SensorSpec):
            read.complain(
                f"a sensor cannot be {quoted(measures)}", "Write il.sensors.imu(body), say."
            )
            return name
        paths = [read_path(read, draft, place, "place") for place in measures.at]
        for number, value in coefficients(measures.kind).items():
            read.scalar(value, number)
        if all(path is not None for path in paths):
            known = tuple(path or "" for path in paths)
            draft.sensors.append(SensorDraft(name, measures.kind, known, read.where))
        return name
