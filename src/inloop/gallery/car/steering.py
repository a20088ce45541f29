"""Steering wheel, column, pinion and assistance of the car.

The wheel follows the input "steering.q" [rad], left positive; its effort is that of the hand, and
"column.hand" is the torque on the hand.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery.suspension.model import TYRE_RADIUS

PINION = 0.008  # [m]
COLUMN, COLUMN_DAMPING = 150.0, 0.8  # [N·m/rad], [N·m·s/rad]
WHEEL_INERTIA, WHEEL_MASS = 0.04, 1.5
FRICTION, DAMPING = 60.0, 300.0  # of the rack [N], [N·s/m]
RACK_STOP = (1e6, 1e4, (-0.065, 0.065))  # stiffness [N/m], damping, positions [m]
SEAT = (-1.34, 0.23, 0.58)  # position of the wheel on the chassis [m]
LEAN = 0.4  # inclination of the column towards the driver [rad]
# torque of the assist motor, over the torque in the column [N·m] and the speed [m/s]
TORQUES, SPEEDS = (0.0, 0.5, 2.0, 4.0, 8.0), (0.0, 8.0, 20.0, 40.0)
ASSIST = (
    (0.0, 0.0, 0.0, 0.0),
    (0.5, 0.3, 0.1, 0.0),
    (8.0, 5.0, 2.5, 1.0),
    (24.0, 15.0, 8.0, 4.0),
    (60.0, 40.0, 20.0, 12.0),
)  # fmt: skip


def add_steering(m: il.Model, chassis: Any, rack: Any, rear: tuple[str, str]) -> None:
    """A steering wheel that moves the rack.

    Args:
        m: the model.
        chassis: its chassis.
        rack: its rack, free to slide.
        rear: joints of the rear wheels, from which the assistance takes the speed.
    """
    gain = m.parameter("assist", 1.0, unit="1", range=(0.0, 2.0), doc="of the steering; 0: none")
    # about the axis towards the driver, so that left is positive
    axis = (-math.cos(LEAN), 0.0, math.sin(LEAN))
    wheel = m.body(
        "steering_wheel",
        on=chassis.point("column", SEAT),
        joint=il.revolute(axis, name="steering"),
        mass=WHEEL_MASS,
        inertia=(WHEEL_INERTIA, 0.5 * WHEEL_INERTIA, 0.5 * WHEEL_INERTIA),
    )
    m.drive(wheel, derivatives="filtered", cutoff=15.0)

    def column(q: Any, qd: Any) -> Any:
        # the rack moves to the right when the wheel turns left
        twist, rate = q[0] + q[1] / PINION, qd[0] + qd[1] / PINION
        sensed = COLUMN * twist
        torque = sensed + COLUMN_DAMPING * rate
        speed = 0.5 * il.absolute(qd[2] + qd[3]) * TYRE_RADIUS
        size = il.table2(il.absolute(sensed), speed, TORQUES, SPEEDS, ASSIST)
        motor = gain * il.sign(sensed) * size
        values = {"hand": -torque, "assist": motor}
        return (-torque, -(torque + motor) / PINION, 0.0, 0.0), values

    m.coupled_force(
        ["steering", rack, *rear], column, "column", outputs={"hand": "N*m", "assist": "N*m"}
    )
    m.lugre(
        rack, stiffness=2e5, damping=1e3, coulomb=FRICTION, viscous=DAMPING, name="rack_friction"
    )
    m.joint_stop(rack, *RACK_STOP, name="rack_stop")
