"""The bicycle of Whipple on a treadmill, with the data of the benchmark: it balances itself."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

# Meijaard, Papadopoulos, Ruina, Schwab 2007; here x points ahead, y to the left, z up, from the
# contact point of the rear wheel [m, kg, kg·m²]
WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10
REAR_RADIUS, FRONT_RADIUS = 0.3, 0.35
REAR_HUB, FRONT_HUB = np.array([0.0, 0.0, REAR_RADIUS]), np.array([WHEELBASE, 0.0, FRONT_RADIUS])
FRAME_CENTER, FORK_CENTER = np.array([0.3, 0.0, 0.9]), np.array([0.9, 0.0, 0.7])
STEER_AXIS = np.array([-math.sin(TILT), 0.0, math.cos(TILT)])  # up, leaning back
HEAD = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) + 0.9 * STEER_AXIS  # a point of that axis
# published eigenvalues by speed: weave (a pair, or two real ones), capsize, castering [1/s]
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

    The belt of a treadmill moves backwards under them, so that the bicycle stays in view; its
    motion is the same as on a road.

    Args:
        speed: of the belt, and of the wheels on it at the start [m/s].
        push: initial rate of the fall to its right [rad/s].
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
    # without mass it is not drawn: it moves away forever
    belt = m.body("belt", on=m.ground, joint=il.prismatic("x"), mass=0.0)
    m.drive(belt, lambda t: -speed * t)
    m.joint_force("steer", lambda: steering, name="rider")
    m.rolls(rear, radius=REAR_RADIUS, axis="y", on=belt, name="rear_tire")
    m.rolls(front, radius=FRONT_RADIUS, axis="y", on=belt, name="front_tire")
    m.independent("lean", "steer", "rear_wheel")
    return m


def eigenvalues(plant: il.Plant, speed: float) -> np.ndarray:
    """The four eigenvalues of lean and steer about rolling straight ahead [1/s]."""
    ahead = {"belt": -speed, "rear_wheel": speed / REAR_RADIUS, "lean": 0.0, "steer": 0.0}
    values = plant.linearize(qd=ahead).eigenvalues
    # the others are zeros: position, heading and speed are indifferent
    return np.sort_complex(values[np.argsort(-np.abs(values))[:4]])[::-1]


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
    """Speeds at which weave becomes stable and capsize unstable, by bisection [m/s]."""
    speeds = []
    for slow, fast, sign in ((4.0, 5.0, 1.0), (5.5, 7.0, -1.0)):
        for _ in range(40):
            middle = 0.5 * (slow + fast)
            grows = sign * eigenvalues(plant, middle).real.max() > 0.0
            slow, fast = (middle, fast) if grows else (slow, middle)
        speeds.append(slow)
    return np.array(speeds)


def _wheel(radius: float) -> tuple[il.Visual, ...]:
    """Tyre, rim, crossed spokes from the flanges of the hub."""
    spokes = [
        il.rod((0.018 * math.cos(a + lead), side, 0.018 * math.sin(a + lead)),
               ((radius - 0.025) * math.cos(a), 0.0, (radius - 0.025) * math.sin(a)), 0.0013,
               parts.STEEL, material="metal")
        for k, a in enumerate(np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False))
        for side, lead in (((-0.028, 0.028)[k % 2], (1.3, -1.3)[k // 2 % 2]),)
    ]  # fmt: skip
    return (
        il.visual(il.torus(radius - 0.014, 0.014, "y"), color=parts.RUBBER, material="rubber"),
        il.visual(il.lathe([(radius - 0.032, -0.009), (radius - 0.02, -0.011),
                            (radius - 0.02, 0.011), (radius - 0.032, 0.009)], "y"),
                  color=parts.STEEL, material="metal"),
        *spokes,
        il.disc((0.0, -0.032, 0.0), (0.0, 0.032, 0.0), 0.018, parts.IRON, material="metal"),
    )  # fmt: skip


CRANK, SADDLE = np.array([0.43, 0.0, 0.28]), np.array([0.22, 0.0, 0.92])
HIP, SHOULDER = np.array([0.22, 0.0, 1.02]), np.array([0.52, 0.0, 1.42])
GRIP = np.array([HEAD[0] - 0.14, 0.0, HEAD[2] + 0.12])  # between the hands
HANDS = 0.24  # from the middle to a hand [m]
PAINT, CLOTH, TROUSERS, SKIN = "#b3402a", "#3f6f9c", "#39414d", "#d9a985"


def _tube(
    a: np.ndarray, b: np.ndarray, radius: float, color: str, material: str, on: np.ndarray
) -> il.Visual:
    return il.rod(tuple(a - on), tuple(b - on), radius, color, material=material)


def _looks(speed: float, push: float) -> Mapping[str, tuple[il.Visual, ...]]:
    """Bicycle and rider on the bed of a treadmill."""
    rollers = [
        il.disc((x, -0.36, -0.035), (x, 0.36, -0.035), 0.05, parts.IRON, material="metal")
        for x in (-0.58, WHEELBASE + 0.58)
    ]
    bed = il.visual(il.box((2.18, 0.66, 0.07)), (0.5 * WHEELBASE, 0.0, -0.035), "#4a4e54",
                    material="rubber")  # fmt: skip
    return {
        GROUND: (bed, *rollers),
        "rear_wheel": _wheel(REAR_RADIUS),
        "front_wheel": _wheel(FRONT_RADIUS),
        "frame": (*_frame(), *_rider()),
        "fork": _fork(),
    }


def _frame() -> tuple[il.Visual, ...]:
    """Tubes, saddle, crank and chain wheel; relative to the rear hub."""
    top = HEAD - 0.12 * STEER_AXIS
    aside = np.array([0.0, 0.035, 0.0])
    stays = [
        _tube(REAR_HUB + side * aside, end + 0.4 * side * aside, 0.009, PAINT, "paint", REAR_HUB)
        for side in (-1.0, 1.0)
        for end in (CRANK, SADDLE - np.array([0.0, 0.0, 0.14]))
    ]
    on = tuple(CRANK - REAR_HUB)
    saddle = il.visual(il.convex_hull(_saddle()), tuple(SADDLE - REAR_HUB), parts.DARK,
                       material="leather")  # fmt: skip
    return (
        *stays,
        _tube(CRANK, SADDLE - np.array([0.0, 0.0, 0.1]), 0.016, PAINT, "paint", REAR_HUB),
        _tube(SADDLE - np.array([0.0, 0.0, 0.14]), SADDLE, 0.012, parts.STEEL, "metal", REAR_HUB),
        _tube(CRANK, top, 0.018, PAINT, "paint", REAR_HUB),
        _tube(SADDLE - np.array([0.0, 0.0, 0.13]), top + 0.08 * STEER_AXIS, 0.015, PAINT, "paint",
              REAR_HUB),
        _tube(top - 0.03 * STEER_AXIS, HEAD - 0.01 * STEER_AXIS, 0.022, PAINT, "paint", REAR_HUB),
        il.visual(il.torus(0.085, 0.006, "y"), (on[0], -0.05, on[2]), parts.STEEL,
                  material="metal"),
        il.visual(il.cylinder(0.02, 0.13, "y"), on, parts.IRON, material="metal"),
        saddle,
    )  # fmt: skip


def _saddle() -> list[tuple[float, float, float]]:
    """Corners of a saddle relative to its clamp: narrow in front, wide behind [m]."""
    return [(x, side * y, z) for x, y, z in ((0.15, 0.015, 0.02), (0.0, 0.03, 0.03),
            (-0.1, 0.075, 0.045), (-0.12, 0.06, 0.02), (0.0, 0.025, 0.0), (0.15, 0.01, 0.005))
            for side in (-1.0, 1.0)]  # fmt: skip


def _rider() -> tuple[il.Visual, ...]:
    """Rigid on the frame: both feet on the pedals, both hands at the grips."""
    limbs: list[il.Visual] = []
    for side, down in ((1.0, -1.0), (-1.0, 1.0)):
        aside = np.array([0.0, 0.085 * side, 0.0])
        pedal = CRANK + np.array([0.12 * down, 0.1 * side, 0.1 * down])
        knee = np.array([0.66, 0.1 * side, 0.80 + 0.06 * down])
        hand = GRIP + np.array([0.0, HANDS * side, 0.0])
        elbow = 0.5 * (SHOULDER + hand) + np.array([-0.06, 0.14 * side, -0.06])
        limbs += [
            _tube(HIP + aside, knee, 0.068, TROUSERS, "felt", REAR_HUB),
            _tube(knee, pedal + np.array([-0.02, 0.0, 0.06]), 0.05, TROUSERS, "felt", REAR_HUB),
            _tube(pedal + np.array([-0.05, 0.0, 0.03]), pedal + np.array([0.1, 0.0, 0.03]), 0.032,
                  parts.DARK, "leather", REAR_HUB),
            _tube(CRANK + 0.7 * aside, pedal, 0.01, parts.STEEL, "metal", REAR_HUB),
            _tube(SHOULDER + 1.9 * aside, elbow, 0.042, CLOTH, "felt", REAR_HUB),
            _tube(elbow, hand, 0.034, SKIN, "leather", REAR_HUB),
        ]  # fmt: skip
    head = np.array([0.63, 0.0, 1.64])
    return (
        *limbs,
        _tube(HIP, HIP + 0.5 * (SHOULDER - HIP), 0.115, CLOTH, "felt", REAR_HUB),
        _tube(HIP + 0.4 * (SHOULDER - HIP), SHOULDER, 0.135, CLOTH, "felt", REAR_HUB),
        _tube(SHOULDER, head, 0.05, SKIN, "leather", REAR_HUB),
        il.visual(il.sphere(0.1), tuple(head - REAR_HUB), SKIN, material="leather"),
        il.visual(il.lathe([(0.0, 0.0), (0.118, 0.0), (0.112, 0.05), (0.075, 0.1), (0.0, 0.118)]),
                  tuple(head + np.array([-0.01, 0.0, 0.015]) - REAR_HUB), CLOTH, material="paint"),
    )  # fmt: skip


def _fork() -> tuple[il.Visual, ...]:
    """Two blades, the stem and a handlebar; relative to the head."""
    blades = [
        _tube(HEAD - 0.16 * STEER_AXIS + np.array([0.0, 0.5 * y, 0.0]),
              FRONT_HUB + np.array([0.0, y, 0.0]), 0.011, parts.STEEL, "metal", HEAD)
        for y in (-0.045, 0.045)
    ]  # fmt: skip
    stem = HEAD + 0.14 * STEER_AXIS
    bar = [GRIP + np.array(p) for p in ((0.0, -HANDS - 0.05, 0.0), (0.0, -HANDS + 0.06, 0.0),
           (0.1, -0.08, 0.01), (0.1, 0.08, 0.01), (0.0, HANDS - 0.06, 0.0),
           (0.0, HANDS + 0.05, 0.0))]  # fmt: skip
    grips = [
        il.disc(tuple(GRIP - HEAD + np.array([0.0, y - 0.045, 0.0])),
                tuple(GRIP - HEAD + np.array([0.0, y + 0.045, 0.0])), 0.017, parts.RUBBER,
                material="rubber")
        for y in (-HANDS, HANDS)
    ]  # fmt: skip
    return (
        *blades,
        _tube(HEAD - 0.16 * STEER_AXIS, stem, 0.017, parts.STEEL, "metal", HEAD),
        il.visual(il.tube([(p - HEAD).tolist() for p in bar], 0.011), color=parts.STEEL,
                  material="metal"),
        *grips,
    )  # fmt: skip


EXHIBIT = Exhibit(
    name="bicycle",
    title="Bicycle that balances itself (benchmark of Whipple's model)",
    look_at="It steers into the fall and rights itself; below 4.3 m/s the weave grows, "
    "above 6.0 m/s it slowly falls over.",
    make=bicycle,
    start="upright on a treadmill at 4.6 m/s, falling to its right at 0.3 rad/s",
    seconds=6.0,
    view=View("xz", (("lean.q", "steer.q"), "rear_wheel.qd", "y.q"), until=4.0),
    options={
        "speed": Option(
            4.6, "of the belt, and of the wheels on it at the start [m/s]", (0.0, 15.0)
        ),
        "push": Option(0.3, "initial rate of the fall [rad/s]", (-1.0, 1.0)),
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
    reach=((-0.65, -0.5, -0.09), (1.66, 0.5, 1.8)),
)
