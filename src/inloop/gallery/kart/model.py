"""The model of the kart bench.

The kart is held at one point, midway between its axles, by a load cell that lets it heave, roll and
pitch on its tyres; a belt runs below it. Two cables, which can only pull, connect a remote wheel to
its steering column; toe is set at the tie rods. Needles next to the wheels show the four lateral
forces.

"cell_longitudinal" is the force that drags the kart backwards, "cell_lateral" the one that pushes
it to the left.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery import gravity_along
from inloop.gallery.kart import data
from inloop.gallery.kart.data import CORNERS, HALF_BASE, HALF_TRACK, RADIUS
from inloop.gallery.kart.tyre import LinearTyre

DESK, LEAN = (-1.05, 0.0, 0.42), 0.5  # position of the remote wheel [m], tilt of its axis [rad]
SETTLED = -data.LOAD / data.STIFFNESS  # heave of the kart at rest on its tyres [m]


def kart(gauges: bool = True) -> il.Model:
    """The kart on its bench.

    Args:
        gauges: needles that show the lateral forces.
    """
    m = il.Model(
        "kart", gravity=gravity_along("-z"), doc="Kart held on a belt, steered through cables."
    )
    belt = m.parameter("belt", data.SPEED, unit="m/s", range=(-4.0, 4.0), doc="speed of the belt")
    grip = m.parameter("grip", 1.0, unit="1", range=(0.05, 2.0), doc="of the belt")
    height = m.parameter(
        "cell_height", 0.12, unit="m", range=(0.0, 0.3), doc="of the load cell above the belt"
    )
    trail = m.parameter(
        "trail", 0.005, unit="m", range=(0.0, 0.03), doc="of the front wheels behind their pins"
    )
    chassis = _add_chassis(m, height)
    column = _add_steering(m, chassis, height)
    road = il.tyres.plane_road(grip=grip, velocity=(-belt, 0.0, 0.0))
    for corner in CORNERS:
        _add_wheel(m, chassis, corner, (height, trail), road)
    _add_toe(m)
    _add_cables(m, column)
    _add_belt(m, belt)
    if gauges:
        for corner in CORNERS:
            _add_gauge(m, corner)
    _add_sensors(m)
    # not the kingpins: adjusting the tie rods turns the wheels, not the column
    free = ["steer", "heave", "roll", "pitch", "roller_front", "roller_rear"]
    free += [f"spin_{corner}" for corner in CORNERS]
    m.independent(*free, *(f"gauge_{corner}" for corner in CORNERS if gauges))
    return m


def _add_chassis(m: il.Model, height: Any) -> Any:
    """Held in x, y and yaw by the cell; free to heave, roll and pitch."""
    wheels, steering = 4.0 * data.WHEEL_MASS, 2.0 * data.KNUCKLE_MASS + data.COLUMN_MASS
    mass = data.MASS - wheels - steering
    # the total center of mass is midway between the wheels: the front parts are counterbalanced
    ahead = -steering * HALF_BASE / mass
    up = (data.MASS * data.CENTER - (wheels + steering) * RADIUS) / mass
    chassis = m.chain(
        "kart",
        on=m.ground.point("cell", (0.0, 0.0, height)),
        joints=[
            il.prismatic("x", name="hold_x"),
            il.prismatic("-y", name="hold_y"),
            il.revolute("z", name="hold_yaw"),
            il.prismatic("z", name="heave", initial=(SETTLED, 0.0)),
            il.revolute("x", name="roll"),
            il.revolute("y", name="pitch"),
        ],
        mass=mass,
        com=(ahead, 0.0, up - height),
        inertia=data.CHASSIS_INERTIA,
    )
    for joint in ("hold_x", "hold_y", "hold_yaw"):
        m.drive(joint, lambda t: 0.0 * t)
    return chassis


def _add_steering(m: il.Model, chassis: Any, height: Any) -> Any:
    """A column that turns with both front wheels, and the remote wheel."""
    column = m.body(
        "column",
        on=chassis.point("column", (HALF_BASE, 0.0, RADIUS - height)),
        joint=il.revolute("z", name="steer"),
        mass=data.COLUMN_MASS,
        inertia=(0.6 * data.COLUMN_INERTIA, 0.6 * data.COLUMN_INERTIA, data.COLUMN_INERTIA),
    )
    hand = m.body(
        "hand_wheel",
        on=m.ground.point("desk", DESK),
        joint=il.revolute((-math.cos(LEAN), 0.0, math.sin(LEAN)), name="hand"),
        mass=0.8,
        inertia=(5e-3, 5e-3, 5e-3),
    )
    m.drive(hand, derivatives="filtered", cutoff=8.0)
    return column


def _add_wheel(
    m: il.Model, chassis: Any, corner: str, places: tuple[Any, Any], road: il.tyres.Road
) -> None:
    height, trail = places
    ahead, side = CORNERS[corner]
    hub = chassis.point(f"hub_{corner}", (ahead * HALF_BASE, side * HALF_TRACK, RADIUS - height))
    if ahead > 0.0:
        knuckle = m.body(
            f"knuckle_{corner}",
            on=hub,
            joint=il.revolute("z", name=f"kingpin_{corner}"),
            mass=data.KNUCKLE_MASS,
            inertia=(2e-4, 2e-4, 3e-4),
        )
        hub = knuckle.point("axle", (-trail, 0.0, 0.0))
    wheel = m.body(
        f"wheel_{corner}",
        on=hub,
        joint=il.revolute("y", name=f"spin_{corner}", initial=(0.0, data.SPEED / RADIUS)),
        mass=data.WHEEL_MASS,
        inertia=data.WHEEL_INERTIA,
    )
    m.tyre(
        wheel,
        LinearTyre(data.CORNERING, data.FRICTION, data.LOAD),
        radius=RADIUS,
        stiffness=data.STIFFNESS,
        damping=data.DAMPING,
        relaxation=data.RELAXATION,
        road=road,
        name=f"tyre_{corner}",
    )


def _add_toe(m: il.Model) -> None:
    """Tie rods: both front wheels turn with the column, plus the toe inward."""
    toe = m.parameter(
        "toe", data.TOE_SET, unit="rad", range=(-0.08, 0.08), doc="of each front wheel, inward"
    )
    for corner, way in (("front_left", -1.0), ("front_right", 1.0)):
        m.couple({f"kingpin_{corner}": 1.0, "steer": -1.0}, offset=way * toe, name=f"tie_{corner}")


def _add_cables(m: il.Model, column: Any) -> None:
    """Two Bowden cables: each pulls in proportion to its stretch, and rubs in its sheath."""
    slack = m.parameter("slack", data.SLACK, unit="m", range=(0.0, 5e-3), doc="of each cable")
    stiffness = m.parameter(
        "cable_stiffness", data.CABLE, unit="N/m", range=(1e3, 5e4), doc="of each cable"
    )
    dry = m.parameter("sheath", data.SHEATH, unit="N", range=(0.0, 20.0), doc="friction at no load")
    wrap = m.parameter(
        "wrap", data.WRAP, unit="1", range=(0.0, 0.5), doc="friction per tension, as of a capstan"
    )

    def pulled(way: Any, rate: Any) -> Any:
        stretch = way - slack
        tension = stiffness * stretch + data.CABLE_DAMPING * rate
        return il.where(stretch > 0.0, il.max0(tension), 0.0)

    def cables(q: Any, qd: Any) -> Any:
        way = data.HAND_DRUM * q[0] - data.COLUMN_DRUM * q[1]
        rate = data.HAND_DRUM * qd[0] - data.COLUMN_DRUM * qd[1]
        left, right = pulled(way, rate), pulled(-way, -rate)
        pull = left - right
        tensions = {"left": left, "right": right}
        return (-data.HAND_DRUM * pull, data.COLUMN_DRUM * pull), tensions

    m.coupled_force(["hand", "steer"], cables, "cables", outputs={"left": "N", "right": "N"})
    m.lugre(
        column,
        stiffness=4e3,
        damping=40.0,
        coulomb=1.0,
        normal=lambda out: dry + wrap * (out["cables.left"] + out["cables.right"]),
        radius=data.COLUMN_DRUM,
        name="sheaths",
    )


def _add_belt(m: il.Model, belt: Any) -> None:
    """Two rollers that turn with the belt; its motor is far stronger than the tyres."""
    for name, x in (("front", data.ROLLER_AHEAD), ("rear", -data.ROLLER_AHEAD)):
        roller = m.body(
            f"roller_{name}",
            on=m.ground.point(f"roller_{name}", (x, 0.0, -data.ROLLER - 0.006)),
            joint=il.revolute("-y", initial=(0.0, data.SPEED / data.ROLLER)),
            mass=4.0,
            inertia=(0.1, 0.013, 0.1),
        )
        m.joint_force(
            roller,
            lambda qd: 0.013 / data.ROLLER_LAG * (belt / data.ROLLER - qd),
            f"belt_motor_{name}",
        )


def _add_gauge(m: il.Model, corner: str) -> None:
    """A light needle that follows the lateral force of a tyre, with a natural frequency of 6 Hz."""
    ahead, side = CORNERS[corner]
    at = (ahead * (HALF_BASE + 0.22), side * HALF_TRACK, 0.015)
    needle = m.body(
        f"needle_{corner}",
        on=m.ground.point(f"gauge_{corner}", at),
        joint=il.prismatic("y", name=f"gauge_{corner}"),
        mass=0.01,
    )
    w = 2.0 * math.pi * 6.0

    def follow(q: Any, qd: Any, out: Any) -> Any:
        wanted = data.GAUGE * out[f"tyre_{corner}.lateral"]
        return 0.01 * (w * w * (wanted - q) - 2.0 * w * qd)

    m.joint_force(needle, follow, f"spring_{corner}")


def _add_sensors(m: il.Model) -> None:
    """Ideal sensors; `bench.py` adds the errors of real ones."""
    m.parameter("cell_noise", data.CELL_NOISE, unit="N", range=(0.0, 5.0), doc="of the load cell")
    m.parameter(
        "cross_talk", data.CROSS_TALK, unit="1", range=(0.0, 0.1),
        doc="of each channel of the load cell in the other",
    )  # fmt: skip
    m.parameter("pulses", data.PULSES, unit="1/m", range=(10.0, 1e5), doc="of the belt's sensor")
    m.sensor("cell_longitudinal", il.sensors.joint_torque("hold_x"))
    m.sensor("cell_lateral", il.sensors.joint_torque("hold_y"))
    m.sensor("belt_sensor", il.sensors.encoder("roller_front"))
    m.sensor("steer_angle", il.sensors.encoder("steer"))
