"""Double-wishbone suspension: a front corner of the car, steered by its rack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import gravity_along

SOURCE = "github.com/huensf/vsd, dataR/Car.mbs (UCLouvain)"
# hard points in axes of the chassis: x forward, y to the left, origin in the front axle [m]
PIVOT_Y, UPPER_X, UPPER_Z, ARM = 0.35, -0.02, 0.2, 0.40
LOWER_BALL = (0.02, 0.0, -0.2)  # from the upper ball, in axes of the knuckle
WHEEL_CENTER = (0.0, 0.0, -0.1)
STEERING_ARM = (-0.1, 0.0, -0.1)
RACK = (-0.2, 0.0, 0.1)
RACK_HALF = 0.2
SPRING_ON_CHASSIS, SPRING_ON_ARM = 0.3, 0.3  # above the lower pivot; along the lower arm
STIFFNESS, DAMPING, FREE_LENGTH = 33.3e3, 9.16e3, 0.66
WHEEL_MASS, WHEEL_INERTIA, KNUCKLE_MASS, RACK_MASS = 15.0, (0.1, 0.8, 0.1), 1.0, 3.0
TYRE_RADIUS, TYRE_STIFFNESS = 0.3, 200e3
SPRUNG = 370.0  # a quarter of the chassis [kg]
# with a quarter of the car on the tyre: its radius, and the height of the chassis frame
LOADED_RADIUS = TYRE_RADIUS - 4040.0 / TYRE_STIFFNESS
HEIGHT = LOADED_RADIUS - (UPPER_Z + WHEEL_CENTER[2])


@dataclass(frozen=True)
class Corner:
    """Position of a wheel.

    Attributes:
        name: such as "front_left".
        side: +1 left, -1 right.
        x: of its axle, in axes of the chassis [m].
    """

    name: str
    side: int
    x: float

    @property
    def axle(self) -> str:
        """The first part of its name."""
        return self.name.partition("_")[0]

    def at(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """A point of the chassis, given relative to the axle and for the left side."""
        return self.x + x, self.side * y, z

    def along(self, y: float) -> tuple[float, float, float]:
        """A vector outward."""
        return 0.0, self.side * y, 0.0


def suspension() -> il.Model:
    """A quarter of a car that moves up and down, on a double wishbone with tie rod and tyre.

    The arms and the tie rod have no mass. The loops are cut at the lower ball joint and at the
    outer end of the tie rod. The motion of the rack is prescribed; its force is a result.
    """
    m = il.Model(
        "suspension",
        gravity=gravity_along("-z"),
        doc=f"Double wishbone of a front wheel. Data: {SOURCE}.",
        # the wheels of the source have less transverse inertia than a real disc
        strict_inertia=False,
    )
    throw = m.parameter("throw", 0.01, unit="m", range=(0.0, 0.03), doc="amplitude of the rack")
    pace = m.parameter("pace", 3.0, unit="rad/s", range=(0.0, 20.0), doc="angular rate of the rack")
    chassis = m.body(
        "chassis", on=m.ground, joint=il.prismatic("z", initial=(HEIGHT, 0.0)), mass=SPRUNG
    )
    corner = Corner("left", 1, 0.0)
    rack = add_rack(m, chassis)
    lower, upper = add_arms(m, chassis, corner)
    knuckle = add_front_knuckle(m, (lower, upper), rack, corner)
    add_wheel(m, knuckle, corner)
    add_spring(m, chassis, lower, corner)
    m.drive(rack, lambda t: throw * il.sin(pace * t))
    m.independent(chassis, lower, "spin_left")
    return m


def add_rack(m: il.Model, chassis: Any) -> Any:
    """The steering rack; positive to the left."""
    return m.body(
        "rack", on=chassis.point("rack_seat", RACK), joint=il.prismatic("y"), mass=RACK_MASS
    )


def add_arms(m: il.Model, chassis: Any, corner: Corner) -> tuple[Any, Any]:
    """Massless lower and upper arm."""
    arms = []
    for name, seat in (("lower", (0.0, 0.0)), ("upper", (UPPER_X, UPPER_Z))):
        pivot = chassis.point(f"{name}_pivot_{corner.name}", corner.at(seat[0], PIVOT_Y, seat[1]))
        arms.append(m.body(f"{name}_{corner.name}", on=pivot, joint=il.revolute("x")))
    return arms[0], arms[1]


def add_front_knuckle(m: il.Model, arms: tuple[Any, Any], rack: Any, corner: Corner) -> Any:
    """Knuckle on the ball of the upper arm, closed at the lower arm and at a tie rod."""
    lower, upper = arms
    ball = corner.along(ARM)
    knuckle = m.chain(
        f"knuckle_{corner.name}",
        on=upper.point("ball", ball),
        joints=[il.revolute("z"), il.revolute("x"), il.revolute("y")],
        mass=KNUCKLE_MASS,
    )
    m.close(
        knuckle.point("lower", LOWER_BALL),
        lower.point("ball", ball),
        name=f"lower_ball_{corner.name}",
    )
    # length for straight wheels with the rack centered
    end = np.add(corner.at(UPPER_X, PIVOT_Y + ARM, UPPER_Z), STEERING_ARM)
    tie = end - np.add(RACK, corner.along(RACK_HALF))
    rod = m.chain(
        f"tie_{corner.name}",
        on=rack.point(f"end_{corner.name}", corner.along(RACK_HALF)),
        joints=il.universal("z", "x"),
    )
    m.close(
        rod.point("end", tuple(tie)),
        knuckle.point("steer", STEERING_ARM),
        name=f"tie_rod_{corner.name}",
    )
    return knuckle


def add_wheel(m: il.Model, knuckle: Any, corner: Corner) -> None:
    """Wheel on a knuckle, carried by its tyre: a vertical spring on the plane z = 0."""
    wheel = m.body(
        f"wheel_{corner.name}",
        on=knuckle.point("hub", WHEEL_CENTER),
        joint=il.revolute("y", name=f"spin_{corner.name}"),
        mass=WHEEL_MASS,
        inertia=WHEEL_INERTIA,
    )
    m.force(
        wheel,
        lambda p: (0.0, 0.0, TYRE_STIFFNESS * il.max0(TYRE_RADIUS - p[2])),
        name=f"tyre_{corner.name}",
    )


def tyre_force(plant: il.Plant, corner: str, q: np.ndarray) -> float:
    """Vertical force of the tyre at a corner [N]."""
    height = plant.position(f"wheel_{corner}", q)[2]
    return float(TYRE_STIFFNESS * max(TYRE_RADIUS - height, 0.0))


def add_spring(m: il.Model, chassis: Any, lower: Any, corner: Corner) -> None:
    """Spring and damper between chassis and lower arm."""
    m.spring(
        chassis.point(f"spring_{corner.name}", corner.at(0.0, PIVOT_Y, SPRING_ON_CHASSIS)),
        lower.point("spring", corner.along(SPRING_ON_ARM)),
        STIFFNESS,
        DAMPING,
        free_length=FREE_LENGTH,
        name=f"spring_{corner.name}",
    )


def load_at_rest(plant: il.Plant) -> float:
    """Force of the tyre after the car has settled, with the rack held [N]."""
    plant.parameters["throw"] = 0.0
    end = plant.simulate(t_end=5.0, step=1e-3)
    plant.parameters["throw"] = 0.01
    return tyre_force(plant, "left", end.q[-1])
