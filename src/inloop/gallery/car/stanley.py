"""Stanley's driver (Hoffmann et al. 2007): heading and offset of the front axle, no preview.

    angle = (heading of the course - yaw) - atan(k offset / (V + V0)),

with the offset of the front axle to the left of the course.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from inloop.gallery.car.course import Course
from inloop.gallery.car.drivers import STEERING, speed_of


@dataclass
class Stanley:
    """Steers along a course.

    Attributes:
        course: the line.
        gain: k [1/s].
        softness: V0 [m/s].
        most: largest angle of the steering wheel [rad].
    """

    course: Course
    gain: float = 1.5
    softness: float = 1.0
    most: float = 6.0

    def reset(self) -> None:
        """Start at the first point of the course."""
        self.course.reset()

    def __call__(self, outputs: Mapping[str, float]) -> float:
        """Angle of the steering wheel [rad]."""
        # the frame of the chassis is at the front axle
        offset, heading = self.course.place(outputs["chassis_tx.q"], outputs["chassis_ty.q"])
        turn = math.remainder(heading - outputs["chassis_rz.q"], 2.0 * math.pi)
        angle = turn - math.atan(self.gain * offset / (speed_of(outputs) + self.softness))
        return min(max(angle / STEERING, -self.most), self.most)
