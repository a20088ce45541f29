"""The boom as an exhibit: it swings like one body, and the force in each bar is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Option, Outcome, Reference, View
from inloop.gallery.truss.looks import reach, truss_looks
from inloop.gallery.truss.model import MOST_BAYS, START, as_one_body, period, truss

BAYS = 3


def _bays(plant: il.Plant) -> int:
    return len(plant.mechanism.loops) // 5


def half_a_swing(plant: il.Plant) -> float:
    """Angle after half of the period of one equivalent body [rad]."""
    half = 0.5 * period(_bays(plant))
    return float(plant.simulate(t_end=half, step=half / 1000.0, sample=half)["frame_0.q"][-1])


def _swing(bench: Bench) -> Outcome:
    """One swing in both formulations, compared with one body; forces in the first bay."""
    plant, bodies = bench.compile(), bench.compile(formulation="redundant")
    bays = _bays(plant)
    end = bench.seconds or period(bays)
    runs = {
        "reduced": plant.simulate(t_end=end, step=1e-3, sample=1e-2),
        "redundant": bodies.simulate(t_end=end, step=1e-3, sample=1e-2),
    }
    first, about = as_one_body(bays)
    angle = runs["reduced"]["frame_0.q"]
    energy = 0.5 * about * runs["reduced"]["frame_0.qd"] ** 2 - first * 9.81 * np.cos(angle)
    loops = [f"lam.joint_1_{k}.{axis}" for k in (3, 4, 5) for axis in "xyz"]
    forces = {
        name: [np.sqrt(sum(run[row] ** 2 for row in loops[3 * k : 3 * k + 3])) for k in range(3)]
        for name, run in runs.items()
    }
    figures: dict[str, float | tuple[float, ...]] = {
        "coordinates": float(plant.n),
        "loop constraints": float(len(plant.formulation.partition.rows)),
        "unknowns of the redundant formulation": float(bodies.formulation.unknowns),
        "angle after one period of one body [rad]": float(angle[-1]),
        "angle of one body then [rad]": START,
        "variation of the energy as one body [J]": float(np.ptp(energy)),
        "largest difference of a coordinate of both formulations [rad]": float(
            np.abs(runs["reduced"].q - runs["redundant"].q).max()
        ),
        "largest difference of a force in a joint [N]": float(
            np.abs(np.array(forces["reduced"]) - np.array(forces["redundant"])).max()
        ),
        "largest force in a joint [N]": float(np.max(forces["reduced"])),
    }

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        for style, (name, run) in zip(("-", "--"), runs.items(), strict=True):
            left.plot(run.t, run["frame_0.q"], style, label=name)
            for k in range(3):
                label = f"diagonal {k + 1}, {name}"
                right.plot(run.t, forces[name][k], style, color=f"C{k}", label=label)
        left.set_xlabel("t [s]")
        left.set_ylabel("angle of the boom [rad]")
        left.legend()
        right.set_xlabel("t [s]")
        right.set_ylabel("force in lower joints [N]")
        right.legend(fontsize=7)

    return Outcome(figures, draw, size=(10.0, 4.5), result=runs["redundant"])


EXHIBIT = Exhibit(
    name="truss",
    title="Boom of bars and frames",
    look_at="Six bars in each bay, with joints at both ends: together they form one rigid body.",
    make=truss,
    start=f"pulled aside by {START:g} rad, at rest",
    seconds=5.0,
    view=View("xz", ("frame_0.q", ("lam.joint_1_3.z", "lam.joint_1_4.z")), times=(0.0, 0.3, 0.6)),
    options={"bays": Option(BAYS, "bays of six bars", (1, MOST_BAYS))},
    looks=truss_looks,
    reach=reach(BAYS),
    experiments={"swing": Experiment("one swing in two formulations and as one body", _swing)},
    references=(
        Reference(
            what="angle after half a period",
            value=(-START,),
            unit="rad",
            tolerance=1e-8,
            source="one body of the same mass; its period by the arithmetic-geometric mean",
            measure=half_a_swing,
        ),
    ),
)
