"""What the driver of the car has: where to look from, instruments, steering wheel and pedals."""

from __future__ import annotations

from inloop.gallery import (
    Camera,
    Cockpit,
    Gauge,
    Lever,
    Scenery,
    road_ribbons,
    rounded_polygon,
)
from inloop.gallery.car.model import ADDED_MASS, CHASSIS_MASS, CORNERS
from inloop.gallery.suspension.model import KNUCKLE_MASS, RACK_MASS, WHEEL_MASS

SPEED = ("chassis_tx.qd", "chassis_ty.qd")
WEIGHT = 9.81 * (CHASSIS_MASS + ADDED_MASS + RACK_MASS + 4 * (WHEEL_MASS + KNUCKLE_MASS))  # [N]
CAMERAS = (
    Camera("Seat", "chassis", (-1.78, 0.23, 0.86), (3.0, 0.16, 0.42), 52.0),
    Camera("Bonnet", "chassis", (-0.55, 0.0, 0.72), (6.0, 0.0, 0.35), 55.0),
    Camera("Chase", "chassis", (-7.2, 0.0, 2.0), (1.0, 0.0, 0.5), 42.0, "heading"),
)
SPEEDOMETER = Gauge("Speed", SPEED, 0.0, 260.0, "km/h", 3.6, "size", "dial")
REVOLUTIONS = Gauge("Revolutions", ("engine.rpm",), 0.0, 7000.0, "1/min", look="dial", red=6300.0)
GEAR = Gauge("Gear", ("engine.gear", "reverse"), -1.0, 6.0, look="gear")
# what an accelerometer across the car would tell, but for lean: forces of the tyres over weight
ACROSS = Gauge("Across", tuple(f"tyre_{corner.name}.lateral" for corner in CORNERS), -1.2, 1.2, "g",
               1.0 / WEIGHT, look="bar")  # fmt: skip
TORQUE = Gauge("Wheel", ("column.hand",), -12.0, 12.0, "N·m", look="bar", red=8.0)
LEVERS = (
    Lever("Steering", "steering.q", -7.0, 7.0, more=("ArrowLeft", "KeyA"),
          less=("ArrowRight", "KeyD"), rise=7.0, fall=8.0, axis="-axis0", eased=(SPEED, 7.0),
          high_at="left"),
    Lever("Brake", "brake", 0.0, 1.0, more=("ArrowDown", "KeyS"), rise=2.5, fall=6.0,
          axis="button6"),
    Lever("Throttle", "throttle", 0.0, 1.0, more=("ArrowUp", "KeyW"), rise=1.6, fall=4.0,
          axis="button7"),
    Lever("Parking brake", "parking", 0.0, 1.0, way="toggle", more=("KeyX",), buttons=(1, -1)),
    Lever("Reverse", "reverse", 0.0, 1.0, way="toggle", more=("KeyZ",), buttons=(3, -1)),
    Lever("Gear", "gear", -1.0, 6.0, way="step", more=("KeyE",), less=("KeyQ",), buttons=(5, 4)),
)  # fmt: skip

LANE = 3.5  # [m]
# corners of a round course and radii of its bends [m]; the car starts in the lane on the right
COURSE = (
    (-270.0, 0.0, 90.0), (470.0, 0.0, 110.0), (640.0, 190.0, 70.0), (520.0, 380.0, 60.0),
    (330.0, 300.0, 45.0), (170.0, 470.0, 80.0), (-90.0, 400.0, 120.0), (-380.0, 420.0, 60.0),
)  # fmt: skip
TRACK = tuple((x, y + 0.5 * LANE, z) for x, y, z in rounded_polygon(COURSE))
# a double lane change after ISO 3888-1: where sections begin and end, middle and width [m]
GATES = ((150.0, 165.0, 0.0, 2.3), (195.0, 220.0, 3.5, 2.5), (245.0, 275.0, 0.0, 2.7))
CONES = tuple(
    (x, middle + side * 0.5 * width, 0.0)
    for begin, end, middle, width in GATES
    for x in (begin + (end - begin) * k / 4 for k in range(5))
    for side in (-1, 1)
)
SCENERY = Scenery(
    ribbons=road_ribbons(TRACK, 2.0 * LANE + 0.5),
    cones=CONES,
    pushed_by=("chassis", -3.3, 0.65, 0.92),
    trees=260,
    posts=25.0,
)


def car_cockpit(*, pedals: bool, automatic: bool, **_others: object) -> Cockpit | None:
    """With pedals, there is something to be driven."""
    if not pedals:
        return None
    gear = GEAR if automatic else Gauge("Gear", ("gear",), -1.0, 6.0, look="gear")
    return Cockpit(CAMERAS, (SPEEDOMETER, REVOLUTIONS, gear, ACROSS, TORQUE), LEVERS, SCENERY)
