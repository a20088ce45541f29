"""Derivatives of runs: cost relative to the plain run, forward and backward."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, note, progress, show
from inloop.gallery.car.model import car
from inloop.gallery.four_bar import four_bar
from inloop.gallery.stick_slip import stick_slip
from inloop.plant.variation.code import LANES

ROUNDS = 5
REPEATS = 4  # of each contestant in a round
FORWARD_BAR, BACKWARD_BAR = 3.0, 6.0

CAR = (
    "front_stiffness",
    "rear_stiffness",
    "front_damping",
    "rear_damping",
    "load",
    "caster",
    "grip",
    "front_bar",
)
FOUR_BAR = ("mass", "length", "g", "bar_0.q", "bar_0.qd", "bar_0.tau", "bar_1.tau", "bar_2.tau")
STICK_SLIP = ("g", "mass", "spring", "speed", "coulomb", "breakaway", "block.q", "block.tau")

HEADERS = ["run, every step a sample", "derivatives", "plain [ms]", "forwards", "backwards"]
LEGEND = """\
Processor time of plant.simulate; forwards, backwards: that of the same with so many sensitivities,
and of plant.gradient by them, divided by it; the plain run, and all that a result holds, is part of
each. Best of {runs} runs, in turn; code is compiled before."""


def contestants() -> list[tuple[str, il.Plant, tuple[str, ...], tuple[str, ...], dict[str, Any]]]:
    """Name, plant, variables of differentiation, signals of the loss, arguments of the run."""
    loops, on_tyres = four_bar().compile(), car(bars_as_laws=True).compile()
    sticking = stick_slip(elastic=0.0).compile()
    sticking.parameters["speed"] = 1.0
    every = tuple(on_tyres.parameters)
    run = {"method": "rk4"}
    return [
        ("two four-bars, 0.5 s", loops, FOUR_BAR, ("bar_0.q", "bar_2.qd"),
         {**run, "t_end": 0.5, "step": 1e-4}),
        ("car, 0.5 s", on_tyres, CAR, ("chassis_tz.q", "chassis_rx.qd"),
         {**run, "t_end": 0.5, "step": 1e-3}),
        ("car, 0.5 s", on_tyres, every, ("chassis_tz.q", "chassis_rx.qd"),
         {**run, "t_end": 0.5, "step": 1e-3}),
        ("car, 0.2 s, rodas", on_tyres, CAR, ("chassis_tz.q", "chassis_rx.qd"),
         {"method": "rodas", "t_end": 0.2, "step": 1e-3}),
        ("stick-slip, 1.1 s, implicit", sticking, STICK_SLIP, ("block.q",),
         {"method": "implicit", "t_end": 1.1, "step": 5e-4}),
    ]  # fmt: skip


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    findings, lines = Findings(), []
    for name, plant, by, signals, arguments in contestants():
        progress(f"sensitivities: {name}")
        plain, forwards, backwards = _measured(plant, by, signals, arguments, rounds * REPEATS)
        row = {"run": name, "by": len(by), "plain": plain, "forwards": forwards,
               "backwards": backwards}  # fmt: skip
        findings.rows.append(row)
        ratios = f"{forwards / plain:.2f}", f"{backwards / plain:.2f}"
        lines.append([name, str(len(by)), f"{1e3 * plain:.1f}", *ratios])
        # one pass
        if len(by) <= LANES[-1]:
            what = f"{name}: {len(by)} sensitivities to plain run"
            findings.bars.append(Bar(what, forwards / plain, FORWARD_BAR, at_least=False))
        what = f"{name}: gradient by {len(by)} to plain run"
        findings.bars.append(Bar(what, backwards / plain, BACKWARD_BAR, at_least=False))
    show(HEADERS, lines, left=1)
    note(LEGEND.format(runs=rounds * REPEATS))
    return findings


def _measured(
    plant: il.Plant,
    by: tuple[str, ...],
    signals: tuple[str, ...],
    arguments: dict[str, Any],
    runs: int,
) -> tuple[float, float, float]:
    """Best times of the plain run, forward and backward derivatives [s]."""
    samples = len(plant.simulate(**arguments).t)
    loss = {name: np.zeros(samples) for name in signals}

    def forwards() -> None:
        plant.simulate(**arguments, sensitivities=by)

    def backwards() -> None:
        plant.gradient(loss, by, **arguments)

    calls: list[Callable[[], object]] = [lambda: plant.simulate(**arguments), forwards, backwards]
    for call in calls:
        call()
    best = [np.inf] * len(calls)
    for _ in range(runs):
        for k, call in enumerate(calls):
            start = time.process_time()
            call()
            best[k] = min(best[k], time.process_time() - start)
    return best[0], best[1], best[2]


if __name__ == "__main__":
    found = run()
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
