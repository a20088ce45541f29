"""The gripper as an exhibit: the ball is held or slips, depending on the grip."""

from __future__ import annotations

from typing import Any

import inloop as il
from inloop.gallery import Bench, Device, Exhibit, Experiment, Outcome, Reference, View
from inloop.gallery.exhibition.strokes import strokes
from inloop.gallery.gripper.looks import gripper_looks
from inloop.gallery.gripper.model import FRICTION, MASS, RADIUS, G, gripper

NEEDED = MASS * G / (2.0 * FRICTION)  # grip that just holds the ball [N]
CLOSED, RISES, END, STEP = 0.5, 2.5, 3.5, 1e-3  # [s]
HEIGHT, HIGHEST = 0.2, 0.3  # of the experiment, and of the hoist [m]


def lifted(plant: il.Plant, grip: float, end: float = END) -> il.Result:
    """A run in which the fingers close, then the hoist rises."""
    plant.parameters["grip"] = grip
    return plant.simulate(
        t_end=end,
        step=STEP,
        inputs={"lift": lambda t: strokes(t, [(CLOSED, RISES, HEIGHT)])[0]},
    )


def slipped(run: il.Result) -> float:
    """Distance by which the ball lags behind the hand [m]."""
    behind = run["hand.q"] - run["ball_tz.q"]
    return float(behind[-1] - behind[0])


def _threshold(bench: Bench) -> Outcome:
    """Lift the ball with slightly more and slightly less than the required grip."""
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
    looks=gripper_looks,
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
            what="force on the table with 5 % less than m g / 2 μ",
            value=(0.05 * MASS * G,),
            unit="N",
            tolerance=1e-6,
            source="m g - 2 μ F",
            measure=_left_behind,
        ),
    ),
)
