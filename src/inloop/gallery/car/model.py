"""A car on four suspensions with steering and anti-roll bars: 44 joints, ten loops."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import gravity_along
from inloop.gallery.suspension.model import (
    ARM,
    FREE_LENGTH,
    HEIGHT,
    KNUCKLE_MASS,
    LOWER_BALL,
    PIVOT_Y,
    SOURCE,
    UPPER_X,
    Corner,
    add_arms,
    add_front_knuckle,
    add_rack,
    add_spring,
    add_wheel,
    tyre_force,
)

WHEELBASE = 2.78
CHASSIS_MASS, CHASSIS_COM, CHASSIS_INERTIA = 1480.0, (-1.36, 0.0, 0.35), (389.68, 2436.4, 2641.5)
ADDED_MASS = 100.0
BAR_LEVER, BAR_HALF, DROP_LINK = 0.30, 0.55, 0.25  # of the anti-roll bars [m]
BAR_STIFFNESS = {"front": 4000.0, "rear": 1100.0}  # [N·m/rad]
CORNERS = tuple(
    Corner(f"{axle}_{side}", sign, x, upper_x)
    # the rear wishbones have no caster
    for axle, x, upper_x in (("front", 0.0, UPPER_X), ("rear", -WHEELBASE, 0.0))
    for side, sign in (("left", 1), ("right", -1))
)


def car(grip: float = 0.0, *, bars_as_laws: bool = False) -> il.Model:
    """A car on its tyres; these are vertical springs, so nothing holds it along the road.

    44 joints: 14 independent (six of the chassis, four lower arms, four wheels), 2 driven (rack and
    added weight), 28 dependent. Ten cuts at balls give 30 conditions. The rear wishbones are
    planar, so one condition of each rear cut is redundant.

    Args:
        grip: what a tyre resists to sliding sideways [N·s/m]: its cornering stiffness over the
            speed of the car.
        bars_as_laws: describe the anti-roll bars by their energy instead of by bodies: 32 joints
            and six loops that move in the same way.
    """
    m = il.Model(
        "car",
        gravity=gravity_along("-z"),
        doc=f"Car with double wishbones and anti-roll bars. Data: {SOURCE}.",
        # the wheels of the source have less inertia across than a real disc
        strict_inertia=False,
    )
    throw = m.parameter("throw", 0.01, unit="m", range=(0.0, 0.03), doc="amplitude of the rack")
    pace = m.parameter("pace", 3.0, unit="rad/s", range=(0.0, 20.0), doc="angular rate of the rack")
    ahead = m.parameter("ahead", 0.0, unit="m", range=(-3.0, 0.5),
                        doc="how far before the front axle the added weight sits")  # fmt: skip
    chassis = _add_chassis(m)
    weight = m.body(
        "weight",
        on=chassis,
        joint=il.prismatic("x"),
        mass=ADDED_MASS,
    )
    rack = add_rack(m, chassis)
    lengths = {
        axle: m.parameter(
            f"{axle}_length", FREE_LENGTH, unit="m", range=(0.5, 0.8),
            doc=f"free length of the {axle} springs",
        )
        for axle in ("front", "rear")
    }  # fmt: skip
    lowers = {
        corner.name: _add_corner(m, chassis, rack, corner, (lengths[corner.axle], grip))
        for corner in CORNERS
    }
    for axle, x in (("front", 0.0), ("rear", -WHEELBASE)):
        if bars_as_laws:
            _add_anti_roll_law(m, lowers, axle)
        else:
            _add_anti_roll_bar(m, chassis, lowers, (axle, x))
    m.drive(rack, lambda t: throw * il.sin(pace * t))
    m.drive(weight, lambda: ahead)
    spins = (f"spin_{corner.name}" for corner in CORNERS)
    m.independent(*(f"chassis_{end}" for end in ("tx", "ty", "tz", "rz", "ry", "rx")))
    m.independent(*lowers.values(), *spins)
    return m


def _add_chassis(m: il.Model) -> Any:
    """Translations, then yaw, pitch and roll."""
    return m.chain(
        "chassis",
        on=m.ground,
        joints=[
            il.prismatic("x"),
            il.prismatic("y"),
            il.prismatic("z", initial=(HEIGHT, 0.0)),
            *(il.revolute(axis) for axis in "zyx"),
        ],
        mass=CHASSIS_MASS,
        com=CHASSIS_COM,
        inertia=CHASSIS_INERTIA,
    )


def _add_corner(
    m: il.Model, chassis: Any, rack: Any, corner: Corner, numbers: tuple[Any, float]
) -> Any:
    """Arms, knuckle, wheel and spring; returns the lower arm.

    Args:
        m: the model.
        chassis: its chassis.
        rack: its rack.
        corner: where.
        numbers: free length of the spring [m] and grip of the tyre [N·s/m].
    """
    free_length, grip = numbers
    lower, upper = add_arms(m, chassis, corner)
    if corner.axle == "front":
        knuckle = add_front_knuckle(m, (lower, upper), rack, corner)
    else:
        knuckle = _add_rear_knuckle(m, (lower, upper), corner)
    add_wheel(m, knuckle, corner, grip)
    add_spring(m, chassis, lower, corner, free_length)
    return lower


def _add_rear_knuckle(m: il.Model, arms: tuple[Any, Any], corner: Corner) -> Any:
    """Knuckle that turns about x only: the wishbone moves in the y-z plane."""
    lower, upper = arms
    ball = corner.along(ARM)
    knuckle = m.body(
        f"knuckle_{corner.name}",
        on=upper.point("ball", ball),
        joint=il.revolute("x"),
        mass=KNUCKLE_MASS,
    )
    m.close(
        knuckle.point("lower", (0.0, 0.0, LOWER_BALL[2])),
        lower.point("ball", ball),
        name=f"lower_ball_{corner.name}",
    )
    return knuckle


def _add_anti_roll_bar(
    m: il.Model, chassis: Any, lowers: dict[str, Any], axle: tuple[str, float]
) -> None:
    """Two halves of a bar joined by a torsion spring, each with a drop link to its lower arm."""
    name, x = axle
    seat = chassis.point(f"bar_{name}_seat", (x - BAR_LEVER, 0.0, DROP_LINK))
    left = m.body(f"bar_{name}", on=seat, joint=il.revolute("y"))
    right = m.body(f"torsion_{name}", on=left, joint=il.revolute("y"))
    m.torsion_spring(right, BAR_STIFFNESS[name], name=f"anti_roll_{name}")
    for half, (side, sign) in ((left, ("left", 1)), (right, ("right", -1))):
        corner = f"{name}_{side}"
        link = m.chain(
            f"drop_{corner}",
            on=half.point("lever", (BAR_LEVER, sign * BAR_HALF, 0.0)),
            joints=il.universal("x", "y"),
        )
        on_arm = lowers[corner].point("drop", (0.0, sign * (BAR_HALF - PIVOT_Y), 0.0))
        m.close(link.point("end", (0.0, 0.0, -DROP_LINK)), on_arm, name=f"drop_link_{corner}")


def _add_anti_roll_law(m: il.Model, lowers: dict[str, Any], axle: str) -> None:
    """The same bar by its energy: the angles of its levers follow from those of the arms."""
    arms = [lowers[f"{axle}_{side}"] for side in ("left", "right")]

    def energy(q: tuple[Any, Any]) -> Any:
        twist = _lever_angle(q[1], -1) - _lever_angle(q[0], 1)
        return 0.5 * BAR_STIFFNESS[axle] * twist**2

    m.potential(arms, energy, name=f"anti_roll_{axle}")


def _lever_angle(arm: Any, side: int) -> Any:
    """Angle of a lever [rad] whose drop link keeps its length: L cos x + h sin x = c.

    Args:
        arm: angle of the lower arm [rad].
        side: +1 left, -1 right.
    """
    L, r = BAR_LEVER, BAR_HALF - PIVOT_Y
    h, w = DROP_LINK - side * r * il.sin(arm), r * (1.0 - il.cos(arm))
    c = L + (w**2 + h**2 - DROP_LINK**2) / (2.0 * L)
    return il.atan2(h, L) - il.acos(c / il.sqrt(L**2 + h**2))


def tyre_forces(plant: il.Plant, q: np.ndarray) -> np.ndarray:
    """Vertical forces of the tyres [N], in the order of `CORNERS`."""
    return np.array([tyre_force(plant, corner.name, q) for corner in CORNERS])


def count_roles(plant: il.Plant) -> np.ndarray:
    """Independent, driven and dependent coordinates, dropped conditions."""
    parts = plant.formulation.partition
    groups = (parts.independent, parts.driven, parts.dependent, parts.dropped)
    return np.array([len(group) for group in groups])


def weight_at_rest(plant: il.Plant) -> float:
    """Sum of the tyre forces after the car has settled [N]."""
    plant.parameters["throw"] = 0.0
    end = plant.simulate(t_end=10.0, step=1e-3)
    plant.parameters["throw"] = 0.01
    return float(tyre_forces(plant, end.q[-1]).sum())
