"""A gripper that lifts a ball by dry friction: it holds, or it slips, as the grip is firm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inloop as il
from inloop.gallery import (
    GROUND,
    Bench,
    Device,
    Exhibit,
    Experiment,
    Outcome,
    Reference,
    View,
    gravity_along,
    parts,
)
from inloop.gallery.exhibition.strokes import strokes

RADIUS, MASS, G = 0.04, 0.5, 9.81  # of the ball [m, kg, m/s²]
FRICTION = 0.4
HAND_MASS, FINGER_MASS = 1.2, 0.15  # [kg]
GRIP = 10.0  # of each finger [N]
NEEDED = MASS * G / (2.0 * FRICTION)  # that just holds the ball [N]
OPEN = 0.012  # between pad and ball at the start [m]
HOLDING, HOIST = 60.0, 28.0  # damping of a finger [N·s/m], quickness of the hoist [1/s]
CLOSED, RISES, END, STEP = 0.5, 2.0, 3.0, 1e-3  # [s]
HEIGHT, HIGHEST = 0.2, 0.3  # of the experiment, and of the hoist [m]
SIDES = {"left": -1.0, "right": 1.0}


def gripper() -> il.Model:
    """A hand on a hoist with two fingers that close on a ball, which lies on a table.

    Inputs: "lift" [m] leads the hoist, "squeeze" [N] is added to the grip of each finger.
    """
    m = il.Model("gripper", gravity=gravity_along("-z"), doc="Gripper that lifts by friction.")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.5), doc="friction of the pads")
    grip = m.parameter("grip", GRIP, unit="N", range=(0.0, 60.0), doc="force of each finger")
    lift = m.input("lift", "m", "of the hoist, wanted")
    squeeze = m.input("squeeze", "N", "beside the grip, of each finger")
    hand = m.body("hand", on=m.ground, joint=il.prismatic("z"), mass=HAND_MASS)
    # a servo that carries the hand, and gives way by 4 mm under the ball
    carried = HAND_MASS + 2.0 * FINGER_MASS
    m.joint_force(
        hand,
        lambda q, qd: carried * (HOIST**2 * (lift - q) - 2.0 * HOIST * qd + G),
        name="hoist",
    )
    ball = m.body(
        "ball",
        on=m.ground,
        joint=il.free(position=(0.0, 0.0, RADIUS - 1e-9)),
        mass=MASS,
        inertia=(0.4 * MASS * RADIUS**2,) * 3,
    )
    tread = il.sphere(RADIUS)
    m.contact(m.ground, il.plane(), ball, tread, law=il.hard(friction=0.5), name="table")
    for side, way in SIDES.items():
        out = (way, 0.0, 0.0)
        at = hand.point(side, (way * (RADIUS + OPEN), 0.0, RADIUS))
        # positive is open; it does not open farther than the hand is wide
        joint = il.prismatic(out, limits=(-2.0 * OPEN, 0.04), initial=(0.0, 0.0))
        finger = m.body(side, on=at, joint=joint, mass=FINGER_MASS)
        m.hard_stop(finger, 0.0, name=f"{side}_end")
        m.joint_force(finger, lambda q, qd: -(grip + squeeze) - HOLDING * qd, name=f"{side}_motor")
        # the pad's outside is towards the ball
        pad = finger.frame("pad", rotation=_towards(-way))
        m.contact(pad, il.plane(), ball, tread, law=il.hard(friction=mu), name=f"{side}_pad")
    return m


def _towards(way: float) -> tuple[tuple[float, ...], ...]:
    """Axes whose z is along ±x of the finger."""
    return ((0.0, 0.0, way), (0.0, 1.0, 0.0), (-way, 0.0, 0.0))


def lifted(plant: il.Plant, grip: float, end: float = END) -> il.Result:
    """A run in which the fingers close, then the hoist goes up."""
    plant.parameters["grip"] = grip
    return plant.simulate(
        t_end=end,
        step=STEP,
        inputs={"lift": lambda t: strokes(t, [(CLOSED, RISES, HEIGHT)])[0]},
    )


def slipped(run: il.Result) -> float:
    """How far the ball stays behind the hand [m]."""
    behind = run["hand.q"] - run["ball_tz.q"]
    return float(behind[-1] - behind[0])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Yellow hand with two fingers and rubber pads, a leather ball, a table and a mast."""
    top = RADIUS + 0.1
    wide = 2.0 * (RADIUS + OPEN) + 0.11
    hand = (
        il.visual(il.box((wide, 0.06, 0.04)), (0.0, 0.0, top), "#e0a030", material="paint"),
        il.visual(il.box((0.05, 0.05, 0.05)), (0.0, 0.0, top + 0.042), parts.DARK),
        il.rod((0.0, 0.0, top + 0.04), (0.0, 0.0, top + 0.33), 0.012, parts.STEEL,
               material="metal"),
    )  # fmt: skip
    looks: dict[str, tuple[il.Visual, ...]] = {"hand": hand}
    for side, way in SIDES.items():
        looks[side] = (
            il.visual(il.box((0.012, 0.04, 0.05)), (way * 0.006, 0.0, 0.0), parts.RUBBER,
                      material="rubber"),
            il.visual(il.box((0.016, 0.034, 0.12)), (way * 0.02, 0.0, 0.036), parts.STEEL,
                      material="metal"),
        )  # fmt: skip
    seam = (il.visual(il.torus(0.985 * RADIUS, 0.0022, axis=a), color=parts.CREAM)
            for a in ("x", "y"))  # fmt: skip
    looks["ball"] = (il.visual(il.sphere(RADIUS), color="#c0562b", material="rubber"), *seam)
    mast = 0.46
    looks[GROUND] = (
        il.visual(il.box((0.42, 0.34, 0.03)), (0.0, 0.06, -0.015), "#b08968", material="wood"),
        il.visual(il.box((0.05, 0.03, mast)), (0.0, 0.2, 0.5 * mast), parts.IRON,
                  material="metal"),
        il.visual(il.box((0.06, 0.26, 0.05)), (0.0, 0.1, mast), parts.IRON, material="metal"),
    )  # fmt: skip
    return looks


def _threshold(bench: Bench) -> Outcome:
    """Lifted with a little more and a little less than what holds the ball."""
    plant = bench.compile()
    runs = {share: lifted(plant, share * NEEDED, bench.seconds or END) for share in (1.05, 0.95)}
    held, lost = runs[1.05], runs[0.95]
    figures: dict[str, float | tuple[float, ...]] = {
        "grip that just holds, m g / 2 μ [N]": NEEDED,
        "5 % more: ball stays behind [m]": slipped(held),
        "5 % less: ball stays behind [m]": slipped(lost),
        "friction of each pad, 5 % more [N]": float(held["left_pad.friction"][-1]),
        "friction of each pad, 5 % more, known [N]": 0.5 * MASS * G,
        "friction of each pad, 5 % less [N]": float(lost["left_pad.friction"][-1]),
        "friction of each pad, 5 % less, known [N]": 0.95 * NEEDED * FRICTION,
        "table carries, 5 % less [N]": float(lost["table.force"][-1]),
        "table carries, 5 % less, known [N]": 0.05 * MASS * G,
    }

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        for share, run in runs.items():
            above.plot(run.t, run["ball_tz.q"], label=f"ball, {share:g} m g / 2 μ")
            below.plot(run.t, run["left_pad.friction"], label=f"{share:g} m g / 2 μ")
        above.plot(held.t, held["hand.q"] + RADIUS, "k--", linewidth=0.8, label="hand")
        above.set_ylabel("z [m]")
        above.legend()
        below.axhline(0.5 * MASS * G, color="gray", linewidth=0.8)
        below.set_ylabel("friction of a pad [N]")
        below.set_ylim(0.0, 2.0 * MASS * G)
        below.set_xlabel("t [s]")
        below.legend()

    return Outcome(figures, draw, result=held)


def _friction(plant: il.Plant) -> float:
    return float(lifted(plant, 1.05 * NEEDED)["left_pad.friction"][-1])


def _left_behind(plant: il.Plant) -> float:
    return float(lifted(plant, 0.95 * NEEDED)["table.force"][-1])


EXHIBIT = Exhibit(
    name="gripper",
    title="Gripper that lifts a ball by friction",
    look_at="Lift the ball, then loosen the grip: below m g / 2 μ it slips out of the fingers.",
    make=gripper,
    start="open above the ball, which lies on the table",
    seconds=3.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", (("hand.q", "ball_tz.q"), ("left_pad.force", "left_pad.friction"))),
    looks=_looks,
    reach=((-0.21, -0.11, -0.03), (0.21, 0.23, 0.74)),
    device=Device(
        input="lift",
        low=0.0,
        high=HIGHEST,
        rest=0.0,
        body="hand",
        point=(0.0, 0.0, RADIUS + 0.1),
        axis=(0.0, 0.0, HIGHEST),
        hint="Drag the hand up, or hold the up arrow; change the grip with its slider.",
        keys={"ArrowUp": 0.25},
    ),
    experiments={"threshold": Experiment("lifted with 5 % more and 5 % less grip", _threshold)},
    references=(
        Reference(
            what="friction of each pad that holds the ball",
            value=(0.5 * MASS * G,),
            unit="N",
            tolerance=1e-6,
            source="m g / 2",
            measure=_friction,
        ),
        Reference(
            what="what the table still carries with 5 % less than m g / 2 μ",
            value=(0.05 * MASS * G,),
            unit="N",
            tolerance=1e-6,
            source="m g - 2 μ F",
            measure=_left_behind,
        ),
    ),
)
