"""Hard points of the car and the live parameters that move them.

Axes of the chassis: x ahead, y to the left, z up; the origin lies in the source's front axle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import inloop as il
from inloop.gallery.suspension.model import (
    DAMPING,
    PIVOT_Y,
    SPRING_ON_ARM,
    SPRING_ON_CHASSIS,
    STEERING_ARM,
    STIFFNESS,
    UPPER_Z,
    WHEEL_CENTER,
)

Point = tuple[Any, Any, Any]
Side = Literal["left", "right"]
HALF = 0.5 * UPPER_Z  # from the wheel's center up to the upper ball, and down to the lower one
DEGREE = math.pi / 180.0
AXLES = ("front", "rear")
SIDES: dict[Side, int] = {"left": 1, "right": -1}
# of the source, by axle: x of wheel centers and springs, free lengths of springs [m]
WHEEL_X = {"front": -0.02, "rear": -2.78}
SPRING_X = {"front": 0.0, "rear": -2.78}
FREE_LENGTH = {"front": 0.6825387, "rear": 0.6378827}
BAR_STIFFNESS = {"front": 4000.0, "rear": 1100.0}  # [N·m/rad]
CASTER, KINGPIN_AHEAD = math.atan(0.1), 0.01  # [rad], [m]


@dataclass(frozen=True)
class Axle:
    """Data of an axle; all but its name and position are live.

    Attributes:
        name: "front" or "rear".
        x: of the wheel centers [m].
        caster: lean of the kingpins to the rear [rad].
        kingpin_ahead: distance by which the kingpins pass ahead of the wheel centers [m].
        camber: of the wheels, positive if they lean out at the top [rad].
        toe: of each wheel, positive if it points inward [rad].
        pivots: height by which the arms' pivots on the chassis are raised, and roll centers [m].
        stiffness: of a spring [N/m].
        damping: of a damper [N·s/m].
        free_length: of a spring [m].
        bar: stiffness of the anti-roll bar [N·m/rad].
    """

    name: str
    x: float
    caster: Any
    kingpin_ahead: Any
    camber: Any
    toe: Any
    pivots: Any
    stiffness: Any
    damping: Any
    free_length: Any
    bar: Any


@dataclass(frozen=True)
class Corner:
    """Hard points of a wheel.

    Attributes:
        axle: its axle.
        side: "left" or "right".
    """

    axle: Axle
    side: Side

    @property
    def name(self) -> str:
        """Such as "front_left"."""
        return f"{self.axle.name}_{self.side}"

    @property
    def sign(self) -> int:
        """+1 left, -1 right."""
        return SIDES[self.side]

    @property
    def lean(self) -> Any:
        """Offset along x from the middle of a kingpin to a ball, due to caster [m]."""
        return HALF * il.tan(self.axle.caster) if self.axle.name == "front" else 0.0

    @property
    def upper_x(self) -> Any:
        """x of the upper arm [m]."""
        return self.axle.x + self.axle.kingpin_ahead - self.lean

    @property
    def lower_x(self) -> Any:
        """x of the lower arm [m]."""
        return self.axle.x + self.axle.kingpin_ahead + self.lean

    def outward(self, y: Any, x: Any = 0.0) -> Point:
        """A vector given by its outward and forward components."""
        return x, self.sign * y, 0.0

    def pivot(self, arm: str) -> Point:
        """Pivot of the "lower" or "upper" arm, on the chassis."""
        x, z = (self.upper_x, UPPER_Z) if arm == "upper" else (self.lower_x, 0.0)
        return x, self.sign * PIVOT_Y, z + self.axle.pivots

    @property
    def spring_on_chassis(self) -> Point:
        """Upper end of the spring."""
        return SPRING_X[self.axle.name], self.sign * PIVOT_Y, SPRING_ON_CHASSIS

    @property
    def spring_on_arm(self) -> Point:
        """Lower end of the spring, on the lower arm; independent of the caster in space."""
        return self.outward(SPRING_ON_ARM, SPRING_X[self.axle.name] - self.lower_x)

    @property
    def lower_ball(self) -> Point:
        """Lower ball on the knuckle, whose origin is the upper ball."""
        return 2.0 * self.lean, 0.0, -2.0 * HALF

    @property
    def hub(self) -> Point:
        """Center of the wheel, on the knuckle; independent of the caster in space."""
        return self.axle.x - self.upper_x, 0.0, WHEEL_CENTER[2]

    @property
    def steering_arm(self) -> Point:
        """Outer end of the tie rod, on the knuckle; independent of the caster in space."""
        return self.axle.x + STEERING_ARM[0] - self.upper_x, 0.0, STEERING_ARM[2]

    @property
    def wheel_rotation(self) -> Any:
        """Rotation of the hub on the knuckle: camber about x, then toe about z."""
        return il.rpy(-self.sign * self.axle.camber, 0.0, -self.sign * self.axle.toe)


def add_axles(m: il.Model) -> dict[str, Axle]:
    """Parameters of both axles."""
    caster = m.parameter("caster", CASTER, unit="rad", range=(-5.0 * DEGREE, 15.0 * DEGREE),
                         doc="lean of the front kingpins to the rear")  # fmt: skip
    ahead = m.parameter("kingpin_ahead", KINGPIN_AHEAD, unit="m", range=(-0.05, 0.08),
                        doc="front kingpins before the wheels: trail without caster")  # fmt: skip
    return {
        "front": _axle(m, "front", caster, ahead),
        "rear": _axle(m, "rear", 0.0, 0.0),
    }


def _axle(m: il.Model, name: str, caster: Any, kingpin_ahead: Any) -> Axle:
    """An axle with the parameters that both axles have."""

    def live(what: str, value: float, unit: str, most: tuple[float, float], doc: str) -> Any:
        return m.parameter(f"{name}_{what}", value, unit=unit, range=most, doc=f"{name} {doc}")

    small = (-5.0 * DEGREE, 5.0 * DEGREE)
    return Axle(
        name,
        WHEEL_X[name],
        caster,
        kingpin_ahead,
        live("camber", 0.0, "rad", small, "wheels lean out at the top"),
        live("toe", 0.0, "rad", small, "wheels point inward, each by this"),
        live("pivots", 0.0, "m", (-0.05, 0.1), "pivots of the arms raised: roll center up"),
        live("stiffness", STIFFNESS, "N/m", (1e4, 1e5), "springs"),
        live("damping", DAMPING, "N*s/m", (0.0, 2e4), "dampers"),
        live("length", FREE_LENGTH[name], "m", (0.5, 0.8), "springs without load"),
        live("bar", BAR_STIFFNESS[name], "N*m/rad", (0.0, 1e4), "anti-roll bar"),
    )
