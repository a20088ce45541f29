"""Cockpit of the car: cameras, instruments, steering wheel and pedals."""

from __future__ import annotations

import math
from pathlib import Path

import inloop as il
from inloop.gallery import BlindTest, Camera, Cockpit, Gauge, Lever, Voice
from inloop.gallery.car.experiments.caster import CASTERS
from inloop.gallery.car.model import ADDED_MASS, CHASSIS_MASS, CORNERS
from inloop.gallery.car.surroundings import car_scenery
from inloop.gallery.suspension.model import KNUCKLE_MASS, RACK_MASS, WHEEL_MASS

SPEED = ("chassis_tx.qd", "chassis_ty.qd")
WEIGHT = 9.81 * (CHASSIS_MASS + ADDED_MASS + RACK_MASS + 4 * (WHEEL_MASS + KNUCKLE_MASS))  # [N]
MIRROR = ((-1.15, 0.0, 1.0), (-30.0, 0.0, 0.4))
CAMERAS = (
    Camera("Seat", "chassis", (-1.78, 0.23, 0.86), (3.0, 0.16, 0.42), 52.0, mirror=MIRROR),
    Camera("Bonnet", "chassis", (-0.55, 0.0, 0.72), (6.0, 0.0, 0.35), 55.0),
    Camera("Chase", "chassis", (-7.4, 0.0, 2.1), (1.0, 0.0, -0.1), 44.0, "heading"),
)
SPEEDOMETER = Gauge("Speed", SPEED, 0.0, 260.0, "km/h", 3.6, "size", "dial")
REVOLUTIONS = Gauge("Revolutions", ("engine.rpm",), 0.0, 7000.0, "1/min", look="dial", red=6300.0)
GEAR = Gauge("Gear", ("engine.gear", "reverse"), -1.0, 6.0, look="gear")
# reading of a lateral accelerometer, except for roll: tyre forces over weight
ACROSS = Gauge("Across", tuple(f"tyre_{corner.name}.lateral" for corner in CORNERS), -1.2, 1.2, "g",
               1.0 / WEIGHT, look="bar")  # fmt: skip
TORQUE = Gauge("Wheel", ("column.hand",), -12.0, 12.0, "N·m", look="bar", red=8.0)
LEVERS = (
    Lever("Steering", "steering.q", -7.0, 7.0, more=("ArrowLeft", "KeyA"),
          less=("ArrowRight", "KeyD"), rise=7.0, fall=8.0, axis="-axis0", eased=(SPEED, 7.0),
          high_at="left"),
    Lever("Brake", "brake", 0.0, 1.0, more=("ArrowDown", "KeyS"), rise=2.5, fall=6.0,
          axis="button6"),
    Lever("Throttle", "throttle", 0.0, 1.0, more=("ArrowUp", "KeyW"), rise=0.8, fall=3.0,
          axis="button7"),
    Lever("Parking brake", "parking", 0.0, 1.0, way="toggle", more=("KeyX",), buttons=(1, -1)),
    Lever("Reverse", "reverse", 0.0, 1.0, way="toggle", more=("KeyZ",), buttons=(3, -1)),
    Lever("Gear", "gear", -1.0, 6.0, way="step", more=("KeyE",), less=("KeyQ",), buttons=(5, 4)),
)  # fmt: skip

# the casters of the experiment `blind`
BLIND = BlindTest("caster", CASTERS, "caster", math.degrees(1.0), "°", "steering.q", "column.hand",
                  "The caster is hidden. Drive straight on at 75 km/h, go round what appears, to "
                  "the left and back.")  # fmt: skip
CYLINDERS = 6
VOICES = (
    # a four-stroke engine fires every second turn
    Voice("tone", ("throttle",), 0.0, 1.0, 0.1, 0.3, ("engine.rpm",), CYLINDERS / 2 / 60.0),
    # tyres are heard when they slide, from a slip angle of about 0.1 rad each
    Voice("noise", tuple(f"tyre_{corner.name}.alpha" for corner in CORNERS), 0.14, 0.5, 0.0, 0.35,
          pitch=1100.0),
    Voice("noise", SPEED, 5.0, 60.0, 0.0, 0.25, pitch=420.0),
)  # fmt: skip


def car_cockpit(
    *,
    pedals: bool,
    automatic: bool,
    road: il.tyres.Road | str | Path | None = None,
    **_others: object,
) -> Cockpit | None:
    """The cockpit of a car with pedals; None without."""
    if not pedals:
        return None
    gear = GEAR if automatic else Gauge("Gear", ("gear",), -1.0, 6.0, look="gear")
    gauges = (SPEEDOMETER, REVOLUTIONS, gear, ACROSS, TORQUE)
    return Cockpit(CAMERAS, gauges, LEVERS, car_scenery(road), VOICES, BLIND)
