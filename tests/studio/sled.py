"""A sled on a straight road, with all that one who rides along may have."""

from __future__ import annotations

import inloop as il
from inloop.gallery import (
    BlindTest,
    Camera,
    Cockpit,
    Gauge,
    Lever,
    Obstacle,
    Outline,
    Scenery,
    Surprise,
    road_ribbons,
)

MASS, DRAG = 10.0, 4.0  # [kg], [N·s/m]
HIGH, FIELD = 1.5, 50.0  # of the camera: above the ground [m], what it sees [deg]
WIDTH = 7.5  # of the road [m]
DRAGS = (2.0, 6.0)  # of the blind test
CONE, BOX = (14.0, -1.2, 0.0), (20.0, 2.0, 0.0)

m = il.Model("sled", gravity=(0.0, 0.0, -9.81))
sled = m.chain(
    "sled", on=m.ground, joints=[il.prismatic("x"), il.prismatic("y"), il.revolute("z")],
    mass=MASS, inertia=(1.0, 2.0, 3.0),
)  # fmt: skip
drive, turn = m.input("drive", "N"), m.input("turn", "N*m")
drag = m.parameter("drag", DRAG, unit="N*s/m", range=(0.0, 20.0))
m.joint_force("sled_tx", lambda q, qd: drive - drag * qd)
m.joint_force("sled_rz", lambda q, qd: turn - DRAG * qd)
sled.point("nose", (0.3, 0.0, 0.1))

SPEED = ("sled_tx.qd", "sled_ty.qd")
cockpit = Cockpit(
    cameras=(
        Camera("Ahead", "sled", (0.0, 0.0, HIGH), (10.0, 0.0, HIGH), FIELD),
        Camera("Behind", "sled", (-5.0, 0.0, 2.0), (0.0, 0.0, 0.5), follow="heading"),
    ),
    gauges=(
        Gauge("Speed", SPEED, 0.0, 40.0, "km/h", 3.6, "size", "dial"),
        Gauge("Push", ("drive",), -60.0, 60.0, "N", look="bar", red=50.0),
    ),
    levers=(
        Lever(
            "Drive",
            "drive",
            -60.0,
            60.0,
            more=("KeyW",),
            less=("KeyS",),
            rise=600.0,
            fall=600.0,
            axis="button7",
        ),
        Lever(
            "Turn", "turn", -2.0, 2.0, more=("KeyA",), less=("KeyD",), axis="-axis0", high_at="left"
        ),
    ),
    scenery=Scenery(
        ribbons=road_ribbons([(-20.0 + 4.0 * k, 0.0, 0.0) for k in range(100)], WIDTH),
        cones=(CONE, (60.0, 3.0, 0.0)),
        obstacles=(Obstacle(BOX, (1.0, 1.0, 1.4), "#1040ff"),),
        outline=Outline("sled", -0.6, 0.3, 1.6, 0.0),
        surprise=Surprise(3.0, 1.0, 0.1, 0.2, (1.0, 1.2, 1.0), "#ff10c0"),
    ),
    blind=BlindTest("drag", DRAGS, "drag", 2.0, "kg/s", "sled_rz.q", "drive", "Drive on."),
)
