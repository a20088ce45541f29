"""Data of the rover: the set "trasys" of github.com/siconos/rover (MechTests), SI units.

Left is +y. All centers of mass are at the origins of their frames.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "siconos/rover, set trasys (MechTests/TrMechTest1)"
GRAVITY = 3.69  # of Mars [m/s²]
RADIUS = 0.129  # of a wheel [m]
REST_HEIGHT = 0.57875  # of the trunk at rest on a plane [m]
TRUNK_MASS, TRUNK_INERTIA = 50.0, (4.677526, 3.450664, 5.463271)
STEER_MASS, STEER_INERTIA = 1.0, (0.005937903, 0.00565356, 0.002928831)
WHEEL_MASS, WHEEL_INERTIA = 0.1, (0.000423525, 0.00083205, 0.000423525)
WHEEL_BELOW = (0.0, 0.0, -0.221908)  # from its steering bracket [m]
TOTAL_MASS = 64.6


@dataclass(frozen=True)
class Bogie:
    """A beam on the trunk that carries two wheels.

    Attributes:
        name: name of the body.
        axis: axis of its joint on the trunk.
        at: position of the joint on the trunk [m].
        mass: [kg].
        inertia: about its axes [kg·m²].
        wheels: names of its wheels, and positions of their brackets on it [m].
    """

    name: str
    axis: str
    at: tuple[float, float, float]
    mass: float
    inertia: tuple[float, float, float]
    wheels: dict[str, tuple[float, float, float]]


def _side(name: str, way: float) -> Bogie:
    return Bogie(
        f"front_{name}_bogie",
        "y",
        (0.40250009999999997, way * 0.4705, -0.23375),
        2.0,
        (0.06451467, 0.00335217, 0.0636855),
        {
            f"center_{name}": (-0.32, way * 0.130703, 0.005908),
            f"front_{name}": (0.32, way * 0.130703, 0.005908),
        },
    )


BOGIES = (
    Bogie(
        "rear_bogie",
        "-x",
        (-0.41399990000000003, 0.0, -0.16375),
        4.0,
        (0.3746322, 0.0340272, 0.386019),
        {
            "rear_left": (-0.2235, 0.601203, -0.064092),
            "rear_right": (-0.2235, -0.601203, -0.064092),
        },
    ),
    _side("left", 1.0),
    _side("right", -1.0),
)
WHEELS = tuple(name for bogie in BOGIES for name in bogie.wheels)
