"""The rotor as an exhibit: its frequency fan, and its motion in two formulations."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Exhibit, Experiment, Option, Outcome, Reference, View
from inloop.gallery.rotor.fan import flap_by_ritz, lag_by_hand
from inloop.gallery.rotor.looks import REACH, rotor_looks
from inloop.gallery.rotor.model import SPEED, rotor

SPEEDS = (0.0, 5.0, 10.0, 15.0, 20.0, 25.0)  # [rad/s]


def frequencies(plant: il.Plant, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """First two flap frequencies and the lag frequency of the blades, without gravity [rad/s]."""
    kept = {name: plant.parameters[name] for name in ("g", "speed", "lag")}
    plant.parameters.update({"g": 0.0, "speed": speed, "lag": 0.0})
    try:
        linear = plant.linearize(qd={"hub": speed})
    finally:
        plant.parameters.update(kept)
    n = plant.n
    flap = [k for k, name in enumerate(plant.coordinates) if name.startswith("blade_1_")]
    lag = [k for k, name in enumerate(plant.coordinates) if name in ("blade_1", "blade_2")]

    def of(rows: list[int]) -> np.ndarray:
        """Frequencies of a few coordinates that are decoupled from the others."""
        both = [*rows, *(n + k for k in rows)]
        values = np.linalg.eigvals(linear.A[np.ix_(both, both)])
        return np.unique(np.abs(values[values.imag > 1e-6]).round(9))

    # two blades in opposite motion do not move the hub
    against = linear.A[n + lag[0], lag[0]] - linear.A[n + lag[0], lag[1]]
    return of(flap)[:2], np.sqrt(max(0.0, -against))


def _fan(bench: Bench) -> Outcome:
    """Frequencies over speed, and a spin-up in both formulations."""
    plant = bench.compile()
    results = [frequencies(plant, speed) for speed in SPEEDS]
    flap, lag = np.array([f for f, _ in results]), np.array([g for _, g in results])
    fine = np.linspace(0.0, SPEEDS[-1], 101)
    ritz = np.array([flap_by_ritz(speed) for speed in fine])
    known = np.array([flap_by_ritz(speed) for speed in SPEEDS])
    end = bench.seconds or 1.0
    bodies = bench.compile(formulation="redundant")
    runs = {
        "reduced": plant.simulate(t_end=end, step=5e-4, method="implicit", sample=1e-2),
        "redundant": bodies.simulate(t_end=end, step=5e-4, sample=1e-2),
    }
    tip = max(name for name in plant.coordinates if name.startswith("blade_1_") and name[-1] == "w")
    apart = np.abs(runs["reduced"].q - runs["redundant"].q).max()
    figures: dict[str, float | tuple[float, ...]] = {
        "speeds [rad/s]": SPEEDS,
        "first flap frequency [rad/s]": tuple(map(float, flap[:, 0])),
        "first flap frequency, Ritz [rad/s]": tuple(map(float, known[:, 0])),
        "lag frequency [rad/s]": tuple(map(float, lag)),
        "lag frequency, by hand [rad/s]": tuple(lag_by_hand(speed) for speed in SPEEDS),
        "unknowns of the redundant formulation": float(bodies.formulation.unknowns),
        "largest difference of a coordinate of both formulations [rad or m]": float(apart),
    }

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.plot(fine, ritz, color="0.6", label=["Ritz", ""])
        left.plot(fine, [lag_by_hand(speed) for speed in fine], "--", color="0.6", label="by hand")
        left.plot(SPEEDS, flap, "o", label=["first flap", "second flap"])
        left.plot(SPEEDS, lag, "s", label="lag")
        left.plot(fine, fine, ":", color="0.8")
        left.set_xlabel("speed [rad/s]")
        left.set_ylabel("frequency [rad/s]")
        left.legend(fontsize=8)
        for style, (name, run) in zip(("-", "--"), runs.items(), strict=True):
            right.plot(run.t, run[f"{tip}.q"], style, label=name)
        right.set_xlabel("t [s]")
        right.set_ylabel("tip of a blade [m]")
        right.legend()

    return Outcome(figures, draw, size=(10.0, 4.5), result=runs["redundant"])


def _first_flap(plant: il.Plant) -> float:
    return float(frequencies(plant, SPEED)[0][0])


EXHIBIT = Exhibit(
    name="rotor",
    title="Rotor with flexible blades",
    look_at="Blades droop while it rests; as it spins they rise, pulled straight by their mass.",
    make=rotor,
    start="at rest, blades straight; the motor starts",
    seconds=4.0,
    method="implicit",
    view=View("xyz", ("hub.qd", ("blade_1.q", "blade_2.q"), "blade_1_2_w.q"), times=(0.0, 0.5)),
    options={
        "blades": Option(4, "number of blades", (2, 8)),
        "elements": Option(4, "finite elements of a blade", (2, 12)),
    },
    looks=rotor_looks,
    reach=REACH,
    experiments={"fan": Experiment("frequencies over speed, and both formulations", _fan)},
    references=(
        Reference(
            what="first flap frequency of a blade at 20 rad/s",
            value=(float(flap_by_ritz(SPEED, 1)[0]),),
            unit="rad/s",
            tolerance=0.25,
            source="Rayleigh and Ritz with eight polynomials, in NumPy",
            measure=_first_flap,
        ),
    ),
)
