"""The draw shot: a billiard ball with backspin hits another one, rolls back, and stops."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

RADIUS, MASS, G = 0.0286, 0.17, 9.81  # pool ball, 2 1/4 inches [m, kg]
SPEED, SPIN = 1.1, -60.0  # initial, of the cue ball [m/s, rad/s]
DISTANCE = 0.2  # of the centers, initially [m]
CLOTH_MU, BALL_E, CUSHION_E = 0.2, 0.93, 0.75
# length of rolling resistance [m], 3.5 % of the radius: thick felt, so that a short table suffices
ROLLING = 1e-3
STEP = 1e-3
LEFT, RIGHT = -0.31, 1.11  # cushions [m]

SOURCE = (
    "rigid balls (Coriolis 1835): friction is constant while a ball slips, momentum and "
    "restitution give the speeds after the collision, and a ball that rolls slows down by "
    "5/7 g c/r; the moment of the cloth, c m g, acts while it slips, too: phases of constant "
    "acceleration in sequence"
)


def draw_shot() -> il.Model:
    """Two balls in the x-z plane between cushions, on a cloth that resists rolling."""
    m = il.Model(
        "draw_shot",
        gravity=gravity_along("-z"),
        doc="Cue ball with back-spin, object ball, cloth; they slip, roll and come to rest.",
    )
    cloth_mu = m.parameter("cloth_mu", CLOTH_MU, "1", (0.0, 1.0), "friction of ball and cloth")
    rolling = m.parameter("rolling", ROLLING, "m", (0.0, 4e-3), "rolling resistance of the cloth")
    ball_mu = m.parameter("ball_mu", 0.0, "1", (0.0, 0.3), "friction of ball and ball")
    e = m.parameter("e", BALL_E, "1", (0.0, 1.0), "restitution of ball and ball")
    ball = il.circle(RADIUS, "y")
    cloth, cushion = il.hard(friction=cloth_mu, rolling=rolling), il.hard(CUSHION_E)
    # cushions, with z pointing to the balls
    sides = {
        side: m.ground.frame(side, (x, 0, 0), rotation=((0, 0, to), (0, 1, 0), (-to, 0, 0)))
        for side, x, to in (("left", LEFT, 1), ("right", RIGHT, -1))
    }
    for name, x, speed, spin in (("cue", 0.0, SPEED, SPIN), ("object", DISTANCE, 0.0, 0.0)):
        joints = [
            il.prismatic("x", initial=(x, speed)),
            il.prismatic("z", initial=(RADIUS, 0.0)),
            il.revolute("y", initial=(0.0, spin)),
        ]
        inertia = (0.4 * MASS * RADIUS**2,) * 3
        m.chain(name, on=m.ground, joints=joints, mass=MASS, inertia=inertia)
        m.contact(m.ground, il.plane(), name, ball, law=cloth, name=f"{name}_cloth")
        for side, frame in sides.items():
            m.contact(frame, il.plane(), name, ball, law=cushion, name=f"{name}_{side}")
    collision = il.hard(restitution=e, friction=ball_mu)
    m.contact("cue", ball, "object", ball, law=collision, name="collision")
    return m


def _slipping(v: float, w: float) -> tuple[float, float, float]:
    """Distance [m], speed [m/s] and time [s] of a ball until it rolls: v = r w."""
    x = t = 0.0
    while abs(v - RADIUS * w) > 1e-12:
        slip = math.copysign(1.0, v - RADIUS * w)
        # friction opposes the slip, the moment of the cloth opposes the rotation
        turn = math.copysign(1.0, w) if w else slip
        a = -slip * CLOTH_MU * G
        alpha = 2.5 * G / RADIUS**2 * (slip * CLOTH_MU * RADIUS - turn * ROLLING)
        # the phase ends when slip or spin vanishes
        rolls = (v - RADIUS * w) / (RADIUS * alpha - a)
        stops = -w / alpha if w * alpha < 0.0 else math.inf
        dt = min(rolls, stops)
        x, v, t = x + v * dt + 0.5 * a * dt**2, v + a * dt, t + dt
        w = 0.0 if stops < rolls else w + alpha * dt
    return x, v, t


def rests() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Rest positions [m] and times [s] of both balls, in closed form."""
    # the cue ball slips until it hits the other one: v² = v0² - 2 μ g d
    way = DISTANCE - 2.0 * RADIUS
    v = math.sqrt(SPEED**2 - 2.0 * CLOTH_MU * G * way)
    hit = (SPEED - v) / (CLOTH_MU * G)
    w = SPIN + 2.5 * G / RADIUS**2 * (CLOTH_MU * RADIUS + ROLLING) * hit
    slows = 5.0 / 7.0 * G * ROLLING / RADIUS
    places, times = [], []
    for start, speed, spin in (
        (way, 0.5 * (1.0 - BALL_E) * v, w),
        (DISTANCE, 0.5 * (1.0 + BALL_E) * v, 0.0),
    ):
        x, rolls, t = _slipping(speed, spin)
        places.append(start + x + math.copysign(rolls**2, rolls) / (2.0 * slows))
        times.append(hit + t + abs(rolls) / slows)
    return tuple(places), tuple(times)


def _run_out(plant: il.Plant) -> il.Result:
    return plant.simulate(t_end=4.0, step=STEP)


def _places(plant: il.Plant) -> np.ndarray:
    run = _run_out(plant)
    return np.array([run["cue_tx.q"][-1], run["object_tx.q"][-1]])


def _times(plant: il.Plant) -> np.ndarray:
    """Times from which the speeds remain zero up to rounding [s]."""
    run = _run_out(plant)
    moves = (np.flatnonzero(np.abs(run[f"{ball}_tx.qd"]) > 1e-9) for ball in ("cue", "object"))
    return np.array([run.t[k[-1] + 1] for k in moves])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two balls with spots, which show their rotation, on cloth between wooden cushions."""

    def pool_ball(color: str, stripe: str) -> tuple[il.Visual, ...]:
        spots = [(0.0, 0.0, RADIUS), (0.0, 0.0, -RADIUS), (RADIUS, 0.0, 0.0), (-RADIUS, 0.0, 0.0)]
        return (
            il.visual(il.sphere(RADIUS), color=color, material="paint"),
            *(
                il.visual(
                    il.sphere(0.32 * RADIUS), tuple(0.72 * x for x in at), stripe, material="paint"
                )
                for at in spots
            ),
        )

    middle, half = 0.5 * (LEFT + RIGHT), 0.5 * (RIGHT - LEFT)
    sides = [
        il.visual(
            il.box((0.05, 0.34, 0.05)),
            (middle + way * (half + 0.025), 0.0, 0.012),
            "#7a4a26",
            material="wood",
        )
        for way in (-1.0, 1.0)
    ]
    return {
        GROUND: (
            il.visual(il.box((2.0 * half, 0.3, 0.02)), (middle, 0.0, -0.01), "#2f7d5b",
                      material="felt"),
            il.visual(il.box((2.0 * half + 0.1, 0.36, 0.03)), (middle, 0.0, -0.035), "#7a4a26",
                      material="wood"),
            *sides,
        ),
        "cue": pool_ball("#f2ecdc", parts.RED),
        "object": pool_ball("#c22f2f", "#f2ecdc"),
    }  # fmt: skip


EXHIBIT = Exhibit(
    name="draw_shot",
    title="Billiard balls: a draw shot",
    look_at="Backspin draws the cue ball back after the collision; both balls roll to rest.",
    make=draw_shot,
    start=f"cue ball at {SPEED} m/s with {-SPIN:.0f} rad/s of back-spin, the other one at rest",
    seconds=4.0,
    step=STEP,
    method="moreau",
    view=View(
        "xz",
        (("cue_tx.qd", "object_tx.qd"), ("cue_ry.qd", "object_ry.qd"), "cue_cloth.friction"),
    ),
    references=(
        Reference(
            what="where the cue ball and the other one come to rest",
            value=rests()[0],
            unit="m",
            tolerance=1e-6,
            source=SOURCE,
            measure=_places,
        ),
        Reference(
            what="when they come to rest, to a step",
            value=rests()[1],
            unit="s",
            tolerance=STEP,
            source=SOURCE,
            measure=_times,
        ),
    ),
    looks=_looks,
    reach=((LEFT - 0.06, -0.18, -0.05), (RIGHT + 0.06, 0.18, 0.07)),
)
