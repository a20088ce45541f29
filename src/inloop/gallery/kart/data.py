"""Data of the kart bench, chosen so that each wheel has a load of 50 N and 500 N/rad.

The source describes the bench (a belt, a frame that holds the kart by a load cell, Bowden cables
from a remote steering wheel) without its dimensions.
"""

from __future__ import annotations

import math

CORNERS = {
    "front_left": (1.0, 1.0), "front_right": (1.0, -1.0),
    "rear_left": (-1.0, 1.0), "rear_right": (-1.0, -1.0),
}  # fmt: skip
HALF_BASE, HALF_TRACK = 0.35, 0.28  # [m]
RADIUS, WIDTH = 0.10, 0.075  # of the wheels [m]
LOAD, GRAVITY = 50.0, 9.81  # of a wheel [N], [m/s²]
MASS, WHEEL_MASS, KNUCKLE_MASS = 4.0 * LOAD / GRAVITY, 0.6, 0.2  # in all, and of parts [kg]
COLUMN_MASS = 0.3
WHEEL_INERTIA = (0.002, 0.003, 0.002)  # [kg m²]
CHASSIS_INERTIA = (0.5, 1.1, 1.5)
CENTER = 0.14  # height of the center of mass of the kart above the belt [m]
STIFFNESS, DAMPING = 20e3, 80.0  # of a tyre [N/m], [N·s/m]
CORNERING, FRICTION, RELAXATION = 10.0, 0.9, 0.06  # per load [1/rad], [1], [m]
# cables: drum radii at the hand and at the column [m]; spring and damper
HAND_DRUM, COLUMN_DRUM = 0.02, 0.06
CABLE, CABLE_DAMPING = 20e3, 40.0  # [N/m], [N·s/m]
SLACK, SHEATH, WRAP = 5e-4, 3.0, 0.15  # [m], [N], [1]
COLUMN_INERTIA = 0.006  # [kg m²]
ROLLER, ROLLER_AHEAD, ROLLER_LAG = 0.08, 0.75, 5e-3  # radius, position [m], lag [s]
SPEED = 2.0  # of the belt [m/s]
PULSES = 500.0  # of the optical sensor, per meter of belt
GAUGE = 4e-3  # displacement of a needle per force [m/N]
CELL_NOISE, CROSS_TALK = 0.05, 0.02  # of the load cell [N], [1]
TOE_SET = math.radians(1.0)  # inward, of each front wheel
