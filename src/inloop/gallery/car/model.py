"""A car on four suspensions with steering, anti-roll bars and tyres: 44 joints, ten loops."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery.car.anti_roll import add_bar, add_bar_law
from inloop.gallery.car.brakes import add_brakes
from inloop.gallery.car.corners import add_corner
from inloop.gallery.car.engine import add_engine, add_motor
from inloop.gallery.car.hard_points import AXLES, SIDES, WHEEL_X, Corner, add_axles
from inloop.gallery.car.roads import road_of, standing
from inloop.gallery.car.steering import add_steering
from inloop.gallery.suspension import model as suspension
from inloop.gallery.suspension.model import SOURCE, TYRE_RADIUS, TYRE_STIFFNESS, add_rack

CHASSIS_MASS, CHASSIS_COM, CHASSIS_INERTIA = 1480.0, (-1.36, 0.0, 0.35), (389.68, 2436.4, 2641.5)
ADDED_MASS = 100.0
# at rest on level ground: height of the chassis frame [m]; by axle, angle of the left lower arm
# [rad] and load of a tyre [N]
HEIGHT = 0.200002
ARM_AT_REST = {"front": -0.0550290, "rear": -0.0460399}
LOAD = {"front": 4399.682, "rear": 3678.853}
AIR_DENSITY, DRAG_AREA = 1.2, 0.66  # [kg/m³], [m²]
# bump stops of a lower arm: stiffness [N·m/rad], damping, angles [rad]
ARM_STOP = (3e4, 300.0, (-0.2, 0.2))
REAR = ("spin_rear_left", "spin_rear_right")  # joints of the driven wheels
TYRE_FILE = Path(__file__).parent / "passenger_235_60_r16.tir"
# wheel positions of the source, for drawing
CORNERS = tuple(
    suspension.Corner(f"{axle}_{side}", sign, WHEEL_X[axle])
    for axle in AXLES
    for side, sign in SIDES.items()
)


def car(
    *,
    pac2002: bool = False,
    relaxation: float = 0.5,
    aligning: bool = True,
    speed: float = 0.0,
    hands: bool = False,
    bars_as_laws: bool = False,
    pedals: bool = False,
    automatic: bool = True,
    electric: bool = False,
    road: il.tyres.Road | str | Path | None = None,
) -> il.Model:
    """A car on its tyres.

    44 joints: 14 independent (six of the chassis, four lower arms, four wheels), 2 driven (rack and
    added weight), 28 dependent. Ten cuts at balls give 30 constraints. The rear wishbones are
    planar, so one constraint of each rear cut is redundant.

    Args:
        pac2002: tyres of PAC2002 with the numbers of a 235/60 R16; else those of the source, by the
            formula of 1987.
        relaxation: relaxation length of the tyres [m]; 0: none, as in the source, for cars that
            never stand still. PAC2002 uses its own lengths unless this is 0.
        aligning: give the tyres of 1987 an aligning moment, which the source leaves out.
        speed: initial speed [m/s].
        hands: the rack follows the inputs rack.q, rack.qd, rack.qdd instead of a sine.
        bars_as_laws: describe the anti-roll bars by their energy instead of by bodies: 32 joints
            and six loops that move in the same way.
        pedals: engine, brakes, air drag and a steering wheel: it is driven by inputs.
        automatic: with pedals, gears shift automatically.
        electric: with pedals, an electric motor instead of the engine.
        road: road to drive on instead of the plane z = 0, whose grip is a parameter; the road of a
            file is moved so that its first driving lane starts at the origin.
    """
    m = il.Model(
        "car",
        gravity=_gravity,
        doc=f"Car with double wishbones and anti-roll bars. Data: {SOURCE}.",
        # the wheels of the source have less transverse inertia than a real disc
        strict_inertia=False,
    )
    if isinstance(road, str | Path):
        road = road_of(road)
    chassis = _add_chassis(m, speed, standing(road))
    _add_weight(m, chassis)
    rack = add_rack(m, chassis)
    axles = add_axles(m)
    corners = [Corner(axle, side) for axle in axles.values() for side in SIDES]
    added = {c.name: add_corner(m, chassis, rack, c, _start(c, speed)) for c in corners}
    uppers = {name: upper for name, (_, upper, _) in added.items()}
    for axle in axles.values():
        if bars_as_laws:
            add_bar_law(m, uppers, axle)
        else:
            add_bar(m, chassis, uppers, axle)
    if road is None:
        doc = "friction factor of the road"
        grip = m.parameter("grip", 1.0, unit="1", range=(0.05, 2.0), doc=doc)
        road = il.tyres.plane_road(grip=grip)
    for corner in corners:
        _add_tyre(m, added[corner.name][2], corner, road, _formula(pac2002, aligning, relaxation))
    if pedals:
        rolling = _start(corners[-1], speed)[1]
        if electric:
            add_motor(m, REAR)
        else:
            add_engine(m, REAR, automatic=automatic, rolling=rolling)
        _add_pedals(m, chassis, rack)
    else:
        _steer(m, rack, hands)
    m.independent(*(f"chassis_{end}" for end in ("tx", "ty", "tz", "rz", "rx", "ry")))
    m.independent(*(lower for lower, _, _ in added.values()))
    m.independent(*(f"spin_{corner.name}" for corner in corners))
    return m


def _gravity(m: il.Model) -> tuple[Any, Any, Any]:
    """Gravity in axes of the road: slopes are live parameters, and the road stays at z = 0."""
    g = m.parameter("g", 9.81, unit="m/s^2", range=(0.0, 25.0), doc="gravity")
    uphill = m.parameter("uphill", 0.0, unit="1", range=(-0.5, 0.5),
                         doc="how steep the road rises along x: 0.2 is 20 %")  # fmt: skip
    banked = m.parameter("banked", 0.0, unit="1", range=(-0.5, 0.5),
                         doc="how steep it rises to the left")  # fmt: skip
    down = -g / il.sqrt(1.0 + uphill * uphill + banked * banked)
    return down * uphill, down * banked, down


def _add_chassis(m: il.Model, speed: float, on: tuple[float, float, float]) -> Any:
    """Translations, then yaw, roll and pitch; initial height, roll and pitch follow the road."""
    raised, rolled, pitched = on
    return m.chain(
        "chassis",
        on=m.ground,
        joints=[
            il.prismatic("x", initial=(0.0, speed)),
            il.prismatic("y"),
            il.prismatic("z", initial=(HEIGHT + raised, 0.0)),
            il.revolute("z"),
            il.revolute("x", initial=(rolled, 0.0)),
            il.revolute("y", initial=(pitched, 0.0)),
        ],
        mass=CHASSIS_MASS,
        com=CHASSIS_COM,
        inertia=CHASSIS_INERTIA,
    )


def _add_weight(m: il.Model, chassis: Any) -> None:
    """A load that can be moved along the car."""
    mass = m.parameter("load", ADDED_MASS, unit="kg", range=(0.0, 500.0), doc="the added weight")
    ahead = m.parameter("ahead", 0.0, unit="m", range=(-3.0, 0.5),
                        doc="how far before the front axle the added weight sits")  # fmt: skip
    weight = m.body("weight", on=chassis, joint=il.prismatic("x"), mass=mass)
    m.drive(weight, lambda: ahead)


def _start(corner: Corner, speed: float) -> tuple[float, float]:
    """Initial angle of the lower arm [rad] and rate of a rolling wheel [rad/s]."""
    axle = corner.axle.name
    radius = TYRE_RADIUS - LOAD[axle] / TYRE_STIFFNESS
    return corner.sign * ARM_AT_REST[axle], speed / radius


def _formula(pac2002: bool, aligning: bool, relaxation: float) -> dict[str, Any]:
    """Arguments of a tyre: its formula and its relaxation."""
    if pac2002:
        own = {} if relaxation else {"relaxation": 0.0}
        return {"formula": il.load_tyre(TYRE_FILE), **own}
    formula = il.tyres.Formula1987(with_aligning_moment=aligning)
    return {"formula": formula, "relaxation": relaxation}


def _add_tyre(
    m: il.Model, wheel: Any, corner: Corner, road: il.tyres.Road, numbers: dict[str, Any]
) -> None:
    """A tyre with the stiffness and radius of the source."""
    m.tyre(
        wheel,
        **numbers,
        radius=TYRE_RADIUS,
        stiffness=TYRE_STIFFNESS,
        damping=0.0,
        side=corner.side,
        road=road,
        follows="rim",
        name=f"tyre_{corner.name}",
    )


def _steer(m: il.Model, rack: Any, hands: bool) -> None:
    """Drive the rack by inputs, or by a sine."""
    if hands:
        m.drive(rack)
        return
    throw = m.parameter("throw", 0.01, unit="m", range=(0.0, 0.03), doc="amplitude of the rack")
    pace = m.parameter("pace", 3.0, unit="rad/s", range=(0.0, 20.0), doc="angular rate of the rack")
    m.drive(rack, lambda t: throw * il.sin(pace * t))


def _add_pedals(m: il.Model, chassis: Any, rack: Any) -> None:
    """Brakes, steering wheel, bump stops and air drag."""
    add_brakes(m, [corner.name for corner in CORNERS])
    add_steering(m, chassis, rack, REAR)
    m.independent(rack)
    for corner in CORNERS:
        m.joint_stop(f"lower_{corner.name}", *ARM_STOP, name=f"stop_{corner.name}")
    area = m.parameter("drag_area", DRAG_AREA, unit="m^2", range=(0.0, 2.0),
                       doc="drag coefficient times frontal area")  # fmt: skip

    def air(v: Any) -> Any:
        speed = il.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 1e-12)
        return tuple(-0.5 * AIR_DENSITY * area * speed * x for x in v)

    m.force(chassis.point("pressure", CHASSIS_COM), air, name="air")


def tyre_forces(plant: il.Plant, q: np.ndarray) -> np.ndarray:
    """Vertical forces of the tyres on level ground [N], in the order of `CORNERS`."""
    return np.array([_load(plant, corner.name, q) for corner in CORNERS])


def _load(plant: il.Plant, corner: str, q: np.ndarray) -> float:
    """Vertical force of a tyre [N]: depth of its lowest point below the ground, times stiffness."""
    p_WO, R_WB = plant.pose(f"wheel_{corner}", q)
    depth = TYRE_RADIUS * math.hypot(R_WB[0, 1], R_WB[1, 1]) - p_WO[2]
    return float(TYRE_STIFFNESS * max(depth, 0.0))


def count_roles(plant: il.Plant) -> np.ndarray:
    """Numbers of independent, driven and dependent coordinates and of dropped constraints."""
    parts = plant.formulation.partition
    groups = (parts.independent, parts.driven, parts.dependent, parts.dropped)
    return np.array([len(group) for group in groups])


def weight_at_rest(plant: il.Plant) -> float:
    """Sum of the tyre forces after the car has settled [N]."""
    plant.parameters["throw"] = 0.0
    end = plant.simulate(t_end=10.0, step=1e-3)
    plant.parameters["throw"] = 0.01
    return float(tyre_forces(plant, end.q[-1]).sum())
