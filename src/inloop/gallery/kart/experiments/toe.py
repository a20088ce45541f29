"""Toe is changed while the belt runs: four lateral forces, and those of the load cell.

At first the wheels point straight ahead: toe presses both front tyres against each other, the cell
measures no lateral force and a little drag. Then the wheels are steered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.kart.bench import PERIOD, BeltSensor, LoadCell, by_hand, sum_of_tyres
from inloop.gallery.kart.data import CORNERS
from inloop.gallery.kart.experiments.plots import BLUE, GRAY, GREEN, ORANGE, PURPLE, dress

# from a time [s] on: toe [rad], angle of the hand wheel [rad], speed of the belt [m/s]
PLAN = (
    (0.0, 0.0, 0.0, 2.0),
    (1.0, math.radians(2.0), 0.0, 2.0),
    (2.5, math.radians(-2.0), 0.0, 2.0),
    (4.0, math.radians(2.0), 0.2, 2.0),
    (6.0, math.radians(2.0), 0.2, -2.0),
)
SECONDS = 8.5
RAMP = 5.0  # of the belt [m/s²]
EACH = 5  # steps between two rows of the figure


@dataclass(frozen=True)
class Reading:
    """Readings of the bench at one time.

    Attributes:
        t: [s].
        tyres: lateral forces, in the order of `CORNERS` [N].
        cell: longitudinal and lateral force, as the cell transmits them [N].
        read: the same as read and calibrated [N].
        summed: sum of the forces of the tyres [N].
        expected: forces of the front tyres, then of the cell, by hand [N].
        belt: measured speed of the belt [m/s].
    """

    t: float
    tyres: tuple[float, ...]
    cell: tuple[float, float]
    read: tuple[float, float]
    summed: tuple[float, float]
    expected: tuple[float, ...]
    belt: float


def change_toe(plant: il.Plant, seconds: float = SECONDS) -> list[Reading]:
    """Run through `PLAN`, changing parameters in the running plant."""
    values = plant.parameters
    cell = LoadCell(values["cell_noise"], values["cross_talk"])
    belt = BeltSensor(values["pulses"])
    before = {name: values[name] for name in ("toe", "belt")}
    stepper, readings = plant.stepper(step=PERIOD), []
    names, numbers = stepper.output_names, np.zeros(len(stepper.output_names))
    try:
        while stepper.t < seconds - 0.5 * PERIOD:
            _, toe, hand, speed = [row for row in PLAN if row[0] <= stepper.t + 0.5 * PERIOD][-1]
            missing, most = speed - values["belt"], RAMP * PERIOD
            now = values["belt"] + min(max(missing, -most), most)
            if (values["toe"], values["belt"]) != (toe, now):
                values.update({"toe": toe, "belt": now})
            stepper.step(**{"hand.q": hand})
            stepper.outputs(numbers)
            outputs = dict(zip(names, numbers.tolist(), strict=True)) | {"t": stepper.t}
            belt_speed = belt.read(outputs["belt_sensor"])
            if round(stepper.t / PERIOD) % EACH == 0:
                setting = toe, math.copysign(1.0, now)
                readings.append(_reading(outputs, cell, setting, belt_speed))
    finally:
        values.update(before)
    return readings


def _reading(
    outputs: Mapping[str, float], cell: LoadCell, setting: tuple[float, float], belt: float
) -> Reading:
    """Readings of the bench; the setting is toe [rad] and the direction of the belt."""
    forces = outputs["cell_longitudinal"], outputs["cell_lateral"]
    read = cell.calibrated(cell.read(*forces))
    loads = {corner: outputs[f"tyre_{corner}.load"] for corner in CORNERS}
    toe, way = setting
    return Reading(
        t=outputs["t"],
        tyres=tuple(outputs[f"tyre_{corner}.lateral"] for corner in CORNERS),
        cell=forces,
        read=(float(read[0]), float(read[1])),
        summed=sum_of_tyres(outputs),
        expected=tuple(by_hand(outputs["steer.q"], toe, loads, way).values()),
        belt=belt,
    )


def _run(bench: Bench) -> Outcome:
    seconds = bench.at_least(PLAN[1][0], SECONDS)  # up to the first change
    readings = change_toe(bench.compile(), seconds)
    ends = [row[0] for row in PLAN[1:]] + [SECONDS]
    done = [end for end in ends if end <= readings[-1].t + PERIOD * 10]
    last = [[r for r in readings if r.t < end][-1] for end in done]
    return Outcome(
        figures={
            "toe [deg]": tuple(math.degrees(row[1]) for row in PLAN[: len(last)]),
            "front left tyre [N]": tuple(r.tyres[0] for r in last),
            "by hand: front left [N]": tuple(r.expected[0] for r in last),
            "front right tyre [N]": tuple(r.tyres[1] for r in last),
            "by hand: front right [N]": tuple(r.expected[1] for r in last),
            "longitudinal cell [N]": tuple(r.cell[0] for r in last),
            "by hand: longitudinal [N]": tuple(r.expected[2] for r in last),
            "lateral cell [N]": tuple(r.cell[1] for r in last),
            "by hand: lateral [N]": tuple(r.expected[3] for r in last),
            "cell less sum of the tyres [N]": tuple(
                float(np.abs(np.subtract(r.cell, r.summed)).max()) for r in last
            ),
            "belt as read [m/s]": tuple(r.belt for r in last),
        },
        draw=lambda figure: _draw(figure, readings),
        size=(9.0, 9.0),
        notes=("relaxation length of the tyres: 60 mm; by hand: in steady slip",),
    )


def _draw(figure: Any, readings: list[Reading]) -> None:
    tyres, lateral, back, belt = figure.subplots(4, 1, sharex=True, height_ratios=(3, 2, 2, 1.2))
    t = [r.t for r in readings]
    for k, (corner, color) in enumerate(zip(CORNERS, (BLUE, ORANGE, GREEN, PURPLE), strict=True)):
        tyres.plot(t, [r.tyres[k] for r in readings], color=color, label=corner.replace("_", " "))
    for k in range(2):
        label = "by hand" if k == 0 else None
        tyres.plot(t, [r.expected[k] for r in readings], "k:", linewidth=1.0, label=label)
    for axis, k in ((lateral, 1), (back, 0)):
        axis.plot(t, [r.read[k] for r in readings], color=GRAY, linewidth=3.0, alpha=0.6,
                  label="cell, as read")  # fmt: skip
        axis.plot(t, [r.summed[k] for r in readings], color=BLUE, label="sum of the tyres")
        axis.plot(t, [r.expected[2 + k] for r in readings], "k:", linewidth=1.0, label="by hand")
    belt.plot(t, [r.belt for r in readings], color=GRAY, linewidth=0.8)
    for axis in (tyres, lateral, back, belt):
        for row in PLAN[1:]:
            axis.axvline(row[0], color=GRAY, linewidth=0.6, alpha=0.6)
    words = ["no toe", "2° toe-in", "2° toe-out", "toe-in, steered", "belt reversed"]
    for row, word in zip(PLAN, words, strict=True):
        tyres.annotate(word, (row[0] + 0.05, 0.94), xycoords=("data", "axes fraction"), fontsize=8)
    tyres.legend(fontsize=8, loc="lower left", ncols=5)
    tyres.margins(y=0.25)
    lateral.legend(fontsize=8, loc="upper left")
    dress(tyres, "", "lateral forces [N]")
    dress(lateral, "", "lateral cell [N]")
    dress(back, "", "longitudinal\ncell [N]")
    dress(belt, "t [s]", "belt [m/s]")


TOE = Experiment("toe is changed while the belt runs: tyres, load cell, and both by hand", _run)
