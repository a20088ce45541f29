"""The bicycle of Whipple on a treadmill, with the data of the benchmark: it balances itself."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import Exhibit, Option, Reference, View, gravity_along

# Meijaard, Papadopoulos, Ruina, Schwab 2007; here x is ahead, y to the left, z up, all from the
# point where the rear wheel touches [m, kg, kg·m²]
WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10
REAR_RADIUS, FRONT_RADIUS = 0.3, 0.35
REAR_HUB, FRONT_HUB = np.array([0.0, 0.0, REAR_RADIUS]), np.array([WHEELBASE, 0.0, FRONT_RADIUS])
FRAME_CENTER, FORK_CENTER = np.array([0.3, 0.0, 0.9]), np.array([0.9, 0.0, 0.7])
STEER_AXIS = np.array([-math.sin(TILT), 0.0, math.cos(TILT)])  # up, leaning back
HEAD = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) + 0.9 * STEER_AXIS  # a point of that axis
# published eigenvalues at some speeds: weave (twice, or two real ones), capsize, castering [1/s]
EIGENVALUES = {
    0.0: (5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393),
    1.0: (
        3.52696170990070 + 0.80774027519930j, 3.52696170990070 - 0.80774027519930j,
        -3.13423125066578, -7.11008014637442,
    ),
    3.0: (
        1.70675605663975 + 2.31582447384325j, 1.70675605663975 - 2.31582447384325j,
        -2.63366137253667, -10.35101467245920,
    ),
    5.0: (
        -0.32286642900409,
        -0.77534188219585 + 4.46486771378823j, -0.77534188219585 - 4.46486771378823j,
        -14.07838969279822,
    ),
    8.0: (
        0.14327879765713,
        -2.69348683581097 + 8.46037971396931j, -2.69348683581097 - 8.46037971396931j,
        -20.27940894394569,
    ),
}  # fmt: skip
WEAVE, CAPSIZE = 4.292382536341, 6.024262015388  # speeds between which it is stable [m/s]
SOURCE = "Meijaard et al. 2007, doi 10.1098/rspa.2007.1857"
# a state far from upright, and its accelerations of yaw, lean, pitch, steer and wheels [rad/s²]
LEANING = {"lean": math.pi / 2 - 0.9501292851472, "steer": 0.2311385135743}
FALLING = {"lean": -0.6068425835418, "steer": 0.4859824687093, "rear_wheel": 8.9129896614890}
ACCELERATIONS = {
    "yaw": 0.8353281706379, "lean": 7.8555281128244, "pitch": 0.1205543897884,
    "steer": -4.6198904039403, "rear_wheel": 1.8472554144217, "front_wheel": 2.4548072904550,
}  # fmt: skip


def bicycle(speed: float = 4.6, push: float = 0.3) -> il.Model:
    """Rear frame with a rigid rider, fork, and two wheels that roll on their edges.

    The belt of a treadmill goes back under them, so that the bicycle stays in view; for its motion
    it is the same as a road.

    Args:
        speed: of the belt, and of the wheels on it at the start [m/s].
        push: rate at which it begins to fall to its right [rad/s].
    """
    m = il.Model("bicycle", gravity=gravity_along("-z"), doc="Whipple's bicycle, benchmark data.")
    steering = m.input("steering", unit="N·m", doc="torque of the rider on the handlebar")
    place = [
        il.prismatic("x", name="x"),
        il.prismatic("y", name="y"),
        il.prismatic("z", name="height", guess=REAR_RADIUS),
        il.revolute("z", name="yaw"),
        il.revolute("x", name="lean", initial=(0.0, push)),
        il.revolute("y", name="pitch"),
    ]
    frame = m.body(
        "frame", on=m.ground, joint=place, mass=85.0, com=tuple(FRAME_CENTER - REAR_HUB),
        inertia=(9.2, 11.0, 2.8, 0.0, -2.4, 0.0),
    )  # fmt: skip
    rear = m.body(
        "rear_wheel", on=frame, joint=il.revolute("y", initial=(0.0, speed / REAR_RADIUS)),
        mass=2.0, inertia=(0.0603, 0.12, 0.0603),
    )  # fmt: skip
    fork = m.body(
        "fork", on=frame.point("head", tuple(HEAD - REAR_HUB)),
        joint=il.revolute(tuple(STEER_AXIS), name="steer"), mass=4.0,
        com=tuple(FORK_CENTER - HEAD), inertia=(0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0),
    )  # fmt: skip
    front = m.body(
        "front_wheel", on=fork.point("hub", tuple(FRONT_HUB - HEAD)), joint=il.revolute("y"),
        mass=3.0, inertia=(0.1405, 0.28, 0.1405),
    )  # fmt: skip
    # without mass it is not drawn: it runs away for ever
    belt = m.body("belt", on=m.ground, joint=il.prismatic("x"), mass=0.0)
    m.drive(belt, lambda t: -speed * t)
    m.joint_force("steer", lambda: steering, name="rider")
    m.rolls(rear, radius=REAR_RADIUS, axis="y", on=belt, name="rear_tire")
    m.rolls(front, radius=FRONT_RADIUS, axis="y", on=belt, name="front_tire")
    m.independent("lean", "steer", "rear_wheel")
    return m


def eigenvalues(plant: il.Plant, speed: float) -> np.ndarray:
    """Of small motions about rolling straight ahead, the four of lean and steer [1/s]."""
    ahead = {"belt": -speed, "rear_wheel": speed / REAR_RADIUS, "lean": 0.0, "steer": 0.0}
    found = plant.linearize(qd=ahead).eigenvalues
    # its place, heading and speed stay as they are: zeros
    return np.sort_complex(found[np.argsort(-np.abs(found))[:4]])[::-1]


def _compared(plant: il.Plant) -> np.ndarray:
    rows = [eigenvalues(plant, speed) for speed in EIGENVALUES]
    return np.array([part for row in rows for value in row for part in (value.real, value.imag)])


def _published() -> tuple[float, ...]:
    values = [np.sort_complex(np.array(row))[::-1] for row in EIGENVALUES.values()]
    return tuple(
        float(part) for row in values for value in row for part in (value.real, value.imag)
    )


def _accelerations(plant: il.Plant) -> np.ndarray:
    run = plant.simulate(t_end=1e-3, step=1e-3, q=LEANING, qd=FALLING)
    return np.array([run[f"{name}.qdd"][0] for name in ACCELERATIONS])


def _critical(plant: il.Plant) -> np.ndarray:
    """Speeds at which weave becomes stable, and capsize unstable, by halving [m/s]."""
    found = []
    for slow, fast, sign in ((4.0, 5.0, 1.0), (5.5, 7.0, -1.0)):
        for _ in range(40):
            middle = 0.5 * (slow + fast)
            grows = sign * eigenvalues(plant, middle).real.max() > 0.0
            slow, fast = (middle, fast) if grows else (slow, middle)
        found.append(slow)
    return np.array(found)


def _wheel(radius: float) -> tuple[il.Visual, ...]:
    spokes = [
        il.rod((0.0, 0.0, 0.0), (radius * math.cos(a), 0.0, radius * math.sin(a)), 0.003, "#b9bec6")
        for a in np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
    ]
    tire = il.visual(il.torus(radius - 0.012, 0.012, "y"), color="#2b2d30")
    hub = il.disc((0.0, -0.03, 0.0), (0.0, 0.03, 0.0), 0.02, "#8a9099")
    return (tire, *spokes, hub)


def _looks(speed: float, push: float) -> Mapping[str, tuple[il.Visual, ...]]:
    crank, saddle = np.array([0.43, 0.0, 0.28]), np.array([0.22, 0.0, 0.92])
    top = HEAD - 0.12 * STEER_AXIS
    hip, shoulder = np.array([0.22, 0.0, 1.0]), np.array([0.52, 0.0, 1.42])
    frame, rider = "#b3402a", "#4a5d78"

    def tube(a: np.ndarray, b: np.ndarray, radius: float, color: str, on: np.ndarray) -> il.Visual:
        return il.rod(tuple(a - on), tuple(b - on), radius, color)

    head = il.visual(il.sphere(0.11), tuple(np.array([0.6, 0.0, 1.62]) - REAR_HUB), "#e0b896")
    grip = np.array([HEAD[0] - 0.02, 0.0, HEAD[2] + 0.12])
    bars = [
        tube(grip, grip + np.array([-0.12, side, 0.0]), 0.012, "#2b2d30", HEAD)
        for side in (-0.24, 0.24)
    ]
    bed = il.visual(il.box((2.2, 0.8, 0.08)), (0.5 * WHEELBASE, 0.0, -0.04), "#d5d8dc")
    return {
        "ground": (bed,),
        "rear_wheel": _wheel(REAR_RADIUS),
        "front_wheel": _wheel(FRONT_RADIUS),
        "frame": (
            tube(REAR_HUB, crank, 0.012, frame, REAR_HUB),
            tube(REAR_HUB, saddle, 0.012, frame, REAR_HUB),
            tube(crank, saddle, 0.018, frame, REAR_HUB),
            tube(crank, top, 0.02, frame, REAR_HUB),
            tube(saddle - np.array([0.0, 0.0, 0.12]), top, 0.018, frame, REAR_HUB),
            tube(hip, shoulder, 0.11, rider, REAR_HUB),
            tube(hip, np.array([0.62, 0.0, 0.78]), 0.075, rider, REAR_HUB),
            tube(np.array([0.62, 0.0, 0.78]), crank, 0.055, rider, REAR_HUB),
            tube(shoulder, grip, 0.04, rider, REAR_HUB),
            head,
        ),
        "fork": (
            tube(top, HEAD + 0.12 * STEER_AXIS, 0.02, "#6f767f", HEAD),
            tube(HEAD - 0.1 * STEER_AXIS, FRONT_HUB, 0.014, "#6f767f", HEAD),
            *bars,
        ),
    }


EXHIBIT = Exhibit(
    name="bicycle",
    title="Bicycle that balances itself (benchmark of Whipple's model)",
    look_at="It steers into the fall and rights itself; below 4.3 m/s it weaves ever more, above "
    "6.0 m/s it slowly falls over.",
    make=bicycle,
    start="upright on a treadmill at 4.6 m/s, falling to its right at 0.3 rad/s",
    seconds=6.0,
    view=View("xz", (("lean.q", "steer.q"), "rear_wheel.qd", "y.q"), until=4.0),
    options={
        "speed": Option(
            4.6, "of the belt, and of the wheels on it at the start [m/s]", (0.0, 15.0)
        ),
        "push": Option(0.3, "rate at which it begins to fall [rad/s]", (-1.0, 1.0)),
    },
    references=(
        Reference(
            what="eigenvalues at 0, 1, 3, 5, 8 m/s, real and imaginary parts",
            value=_published(),
            unit="1/s",
            tolerance=1e-11,
            source=SOURCE,
            measure=_compared,
        ),
        Reference(
            what="speeds between which it is stable",
            value=(WEAVE, CAPSIZE),
            unit="m/s",
            tolerance=1e-9,
            source=SOURCE,
            measure=_critical,
        ),
        Reference(
            what="accelerations of yaw, lean, pitch, steer and wheels, leaning 36°, steering 13°",
            value=tuple(ACCELERATIONS.values()),
            unit="rad/s²",
            tolerance=1e-11,
            source="Basu-Mandal et al. 2007, doi 10.1098/rspa.2007.1849, table 1",
            measure=_accelerations,
        ),
    ),
    looks=_looks,
)
