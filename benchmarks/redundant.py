"""A robot as bodies with six coordinates each: cost of a 1 ms step against the reduced one."""

from __future__ import annotations

import numpy as np

from benchmarks.friction import STEPS, Contestant, Prepared, puma_with_lugre
from benchmarks.report import Bar, Findings, note, progress, show
from inloop.gallery.puma560.model import puma560
from inloop.native import Method

ROUNDS = 5
REPEATS = 20  # of each contestant in a round
NOISE = 0.5  # of the torques, relative; a general-purpose program stops at this level
# MBDyn's step of the same robot [µs], naive solver, one iteration; measured on another machine
MBDYN = {"without friction": (57.6, 63.5), "LuGre in 6 joints": (114.0, 130.0)}
RATIO_BAR = 40.0

HEADERS = ["PUMA 560, 1 ms steps", "formulation", "noise", "unknowns", "µs per step", "to reduced"]
LEGEND = """\
CPU time of one thread for {steps} steps by il_step, efforts new in each, best of {runs} runs.
reduced: method "implicit"; redundant: method "alpha"; 2 solves: two in every step.
MBDyn took 57.6 to 63.5 µs for this robot without friction and 114 to 130 µs with,
on another machine: the ratio to the lower one is told below and is no comparison in one run."""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    progress("redundant: compiling")
    models = {"without friction": puma560, "LuGre in 6 joints": puma_with_lugre}
    contestants = []
    for name, model in models.items():
        reduced = model().compile(methods="implicit")
        bodies = model().compile(formulation="redundant")
        twice = model().compile(formulation="redundant", solves=2)
        contestants += [
            Contestant(name, "reduced", reduced, Method.IMPLICIT),
            Contestant(name, "redundant", bodies, Method.ALPHA),
            Contestant(name, "redundant", bodies, Method.ALPHA, noise=NOISE),
            Contestant(name, "2 solves", twice, Method.ALPHA),
            Contestant(name, "2 solves", twice, Method.ALPHA, noise=NOISE),
        ]
    ready = [Prepared(contestant) for contestant in contestants]
    best = [np.inf] * len(ready)
    for _ in range(rounds * REPEATS):
        for k, contestant in enumerate(ready):
            best[k] = min(best[k], contestant.run())
    rows, bars, reduced_time = [], [], np.nan
    for c, t in zip(contestants, best, strict=True):
        reduced_time = t if c.label == "reduced" else reduced_time
        unknowns = c.plant.n
        if c.method == Method.ALPHA:
            unknowns = c.plant.formulation.code.about.layout.size  # type: ignore[attr-defined]
            ratio = MBDYN[c.name][0] / t
            bars.append(
                Bar(f"{c.name}, {c.label}, noise {c.noise:g}: MBDyn's over it", ratio, RATIO_BAR)
            )
        rows.append([c.name, c.label, f"{c.noise:g}", str(unknowns), f"{t:.3f}",
                     f"{t / reduced_time:.2f}"])  # fmt: skip
    show(HEADERS, rows, left=2)
    note(LEGEND.format(steps=STEPS, runs=rounds * REPEATS))
    figures = [
        {"model": c.name, "formulation": c.label, "noise": c.noise, "us": t}
        for c, t in zip(contestants, best, strict=True)
    ]
    return Findings(figures, bars)
