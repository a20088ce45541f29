"""The draw shot: a billiard ball with back-spin strikes another one, stops and comes back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

RADIUS, MASS = 0.0286, 0.17  # pool ball, 2 1/4 inches [m, kg]
SPEED, SPIN = 1.5, -60.0  # of the cue ball when the cue leaves it [m/s, rad/s]
DISTANCE = 0.3  # of the centers at the start [m]
# soft enough for steps of 0.1 ms: a collision takes 1.3 ms, an ivory or resin ball 0.2 ms
CLOTH, BALL = 2e7, 2e7  # stiffness [N/m^1.5]

SOURCE = (
    "rigid balls: constant friction, impulsive collision with the restitution of Hunt and "
    "Crossley's law, rolling at (5 v + 2 r w)/7 after the slip (Coriolis 1835)"
)


def draw_shot() -> il.Model:
    """Two balls in the x-z plane on a cloth: three contacts with friction."""
    m = il.Model(
        "draw_shot",
        gravity=gravity_along("-z"),
        doc="Cue ball with back-spin, object ball, cloth; contacts press and rub.",
    )
    cloth_mu = m.parameter("cloth_mu", 0.2, "1", (0.0, 1.0), "friction of ball and cloth")
    ball_mu = m.parameter("ball_mu", 0.0, "1", (0.0, 0.3), "friction of ball and ball")
    loss = m.parameter("loss", 0.06, "s/m", (0.0, 0.5), "dissipation of a collision")
    press_cloth = il.hunt_crossley(CLOTH, 1.5, 0.5)
    rub_cloth = il.coulomb_contact(cloth_mu, 1e-3)
    # the depth at which the cloth carries a ball, with the default of g
    height = RADIUS - (MASS * 9.81 / CLOTH) ** (2 / 3)
    for name, x, speed, spin in (("cue", 0.0, SPEED, SPIN), ("object", DISTANCE, 0.0, 0.0)):
        joints = [
            il.prismatic("x", initial=(x, speed)),
            il.prismatic("z", initial=(height, 0.0)),
            il.revolute("y", initial=(0.0, spin)),
        ]
        inertia = (0.4 * MASS * RADIUS**2,) * 3
        m.chain(name, on=m.ground, joints=joints, mass=MASS, inertia=inertia)
        m.contact(
            m.ground,
            il.plane(),
            name,
            il.circle(RADIUS, "y"),
            law=press_cloth,
            friction=rub_cloth,
            name=f"{name}_cloth",
        )
    m.contact(
        "cue",
        il.circle(RADIUS, "y"),
        "object",
        il.circle(RADIUS, "y"),
        law=il.hunt_crossley(BALL, 1.5, loss),
        friction=il.coulomb_contact(ball_mu, 1e-2),
        name="collision",
    )
    return m


def _rolling(plant: il.Plant) -> np.ndarray:
    last = plant.simulate(t_end=1.0, step=1e-4, sample=1.0)
    return np.array([last["cue_tx.qd"][-1], last["object_tx.qd"][-1]])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Two balls with stripes, which show how they turn, on cloth between cushions of wood."""

    def pool_ball(color: str, stripe: str) -> tuple[il.Visual, ...]:
        turned = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        spots = [(0.0, 0.0, RADIUS), (0.0, 0.0, -RADIUS), (RADIUS, 0.0, 0.0), (-RADIUS, 0.0, 0.0)]
        return (
            il.visual(il.sphere(RADIUS), color=color, rotation=turned, material="paint"),
            *(
                il.visual(
                    il.sphere(0.32 * RADIUS), tuple(0.72 * x for x in at), stripe, material="paint"
                )
                for at in spots
            ),
        )

    middle, half = 0.4, 0.71
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
    look_at="The cue ball stops at the collision; its back-spin, not used up, draws it back.",
    make=draw_shot,
    start=f"cue ball at {SPEED} m/s with {-SPIN:.0f} rad/s of back-spin, the other one at rest",
    seconds=1.0,
    view=View(
        "xz",
        (("cue_tx.qd", "object_tx.qd"), ("cue_ry.qd", "object_ry.qd"), "cue_cloth.friction"),
    ),
    step=1e-4,
    references=(
        Reference(
            what="speeds of both balls once they roll",
            value=(-0.2146791525, 0.7958220097),
            unit="m/s, m/s",
            # the collision takes 1.3 ms, in which the cloth goes on rubbing
            tolerance=1e-3,
            source=SOURCE,
            measure=_rolling,
        ),
    ),
    looks=_looks,
    reach=((-0.36, -0.18, -0.05), (1.16, 0.18, 0.07)),
)
