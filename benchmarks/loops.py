"""Closed mechanisms: steps per second against Exudyn and hand-written C, accelerations.

python -m benchmarks.loops MECHANISM
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.loops_mechanisms import (
    ANGLE,
    GROUND_LENGTH,
    LENGTHS,
    MASSES,
    MECHANISMS,
    RATE,
    along,
    closed_angles,
)
from benchmarks.loops_planar import GRAVITY, Planar, reference_angle
from benchmarks.peers.cache import cached, content_key
from benchmarks.peers.toolchain import BENCHMARKS, C_COMPILERS, compiler_identity, run_compiler
from benchmarks.processes import measured_apart
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop.native import FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import Inputs
from inloop.simulate.start import start_of
from inloop.simulate.systems import Conditions, make_system

STEP = 1e-3  # [s]
NEARLY_CLOSED = 1e-5  # as IL_NEARLY_CLOSED of il_instance.h
LONG, SHORT = 10_000, 1_000  # steps: for timing, and until the accuracy is evaluated
ROUNDS = 5
REPEATS = 4  # of our own runs in each round, which are short
EXUDYN_BAR, FLOOR_BAR, STEWART_BAR, CAR_BAR_US = 20.0, 2.0, 50_000.0, 40.0
EVALUATIONS = 4  # of RK4 in a step
OURS, SIMULATE = "inloop RK4", "inloop plant.simulate"
FLOOR = "C by hand, RK4, one correction"
PEER = "generalized-alpha"  # solver of Exudyn to which the bar refers

RACE_HEADERS = [
    "mechanism, 1 ms steps",
    "µs per step",
    "steps/s",
    "ratio",
    "bar",
    "error at 1 s",
    "loop",
]
RACE_LEGEND = """\
Best of {rounds} rounds in turn, runs of {seconds:g} s on one core. ratio: the time of that line
over that of plant.simulate. error: of the crank angle [rad], against DOP853 at 1e-12 on equations
with multipliers. loop: largest error of a pin then [m]. plant.simulate also changes the independent
coordinates where they become a bad choice; the line above it does not. Exudyn: without range
checks."""
COST_HEADERS = [
    "mechanism", "joints", "rows", "dropped", "constrained", "newton", "deriving", "compiling",
    "µs per acceleration", "per second", "bar",
]  # fmt: skip
COST_LEGEND = """\
constrained, newton: operations of the motion at a closed position and of one Newton step. Seconds
in a fresh process with an empty cache; deriving: model, equations, assembly and passes. An
acceleration is one evaluation of the rates within RK4 at 1 ms steps: Newton until the loops are
closed, then all velocities, accelerations, multipliers and efforts."""


# the contestants


class OurRun:
    """A compiled mechanism that can be run repeatedly from its start."""

    def __init__(self, plant: il.Plant) -> None:
        drives = read_drives(plant, {})
        start = start_of(plant, None, None, drives)
        self._start = (start.q, start.qd, plant.first_states)
        conditions = Conditions(np.zeros(plant.n), Inputs(plant.first_inputs), drives)
        self._system = make_system(plant, conditions)

    def run(self, steps: int) -> Row:
        """Time of a number of steps [s], angle of the crank [rad] and loop error [m] after them."""
        # without the guard, which would switch to another choice of independent coordinates
        x = self._system.start(0.0, *self._start)
        self._system.guard = 0.0 * self._system.guard
        schedule = FixedSteps(Method.RK4, STEP, steps, stride=steps)
        start = time.perf_counter()
        done = run_machine(self._system.table, MachineSnapshot(0, x), schedule)
        seconds = time.perf_counter() - start
        if done.status != Status.OK:
            raise RuntimeError(f"the run ended with {Status(done.status).name}")
        violation = self._system.expand(done.t, done.x).violation
        assert violation is not None
        # the crank is the first independent coordinate
        return {"seconds": seconds, "angle": float(done.x[-1][0]), "loop": float(violation[-1])}


def whole_run(plant: il.Plant) -> Callable[[int], Row]:
    """The same through `plant.simulate`: changes of coordinates and the last sample included."""

    def contestant(steps: int) -> Row:
        start = time.perf_counter()
        result = plant.simulate(t_end=steps * STEP, step=STEP, sample=steps * STEP)
        seconds = time.perf_counter() - start
        angle = result.q[-1][plant.coordinates.index("crank")]
        assert result.violation is not None
        return {"seconds": seconds, "angle": float(angle), "loop": float(result.violation[-1])}

    return contestant


@cache
def _hand_written() -> ctypes.CDLL:
    source = BENCHMARKS / "loops_four_bar.c"
    numbers = {"D": GROUND_LENGTH, "G": GRAVITY, "TOLERANCE": NEARLY_CLOSED}
    numbers |= {f"L{k}": length for k, length in enumerate(LENGTHS)}
    numbers |= {f"M{k}": mass for k, mass in enumerate(MASSES)}
    defines = [f"-D{name}={value!r}" for name, value in numbers.items()]
    command = [*C_COMPILERS["gcc"], "-shared", "-fPIC", *defines]
    key = content_key(compiler_identity("gcc"), " ".join(command), source)

    def make(work: Path) -> None:
        run_compiler([*command, str(source), "-o", str(work / "four_bar.so"), "-lm"])

    return ctypes.CDLL(str(cached("four-bar", key, make) / "four_bar.so"))


def _floor(name: str) -> Callable[[int], Row]:
    """A hand-written function as a contestant."""
    call = getattr(_hand_written(), name)
    call.argtypes, call.restype = (ctypes.c_void_p, ctypes.c_double, ctypes.c_long), None

    def contestant(steps: int) -> Row:
        y = np.array([ANGLE, RATE, *closed_angles()])
        start = time.perf_counter()
        call(y.ctypes.data, STEP, steps)
        seconds = time.perf_counter() - start
        tip = along(LENGTHS[0], y[0]) + along(LENGTHS[1], y[2])
        gap = tip - along(LENGTHS[2], y[3]) - np.array([GROUND_LENGTH, 0.0])
        return {"seconds": seconds, "angle": float(y[0]), "loop": float(np.abs(gap).max())}

    return contestant


# the section


def run(rounds: int = ROUNDS) -> Findings:
    """Measure and print.

    Args:
        rounds: number of runs of each contestant.
    """
    findings = Findings()
    lines = []
    for name in ("four_bar", "slider_crank"):
        progress(f"loops: {MECHANISMS[name].what}")
        row = _race(name, rounds)
        findings.rows.append(row)
        findings.bars += _race_bars(row)
        lines += _race_lines(row)
    show(RACE_HEADERS, lines)
    note(RACE_LEGEND.format(rounds=rounds, seconds=LONG * STEP))
    note("")
    costs = []
    for name, mechanism in MECHANISMS.items():
        progress(f"loops: cost of {mechanism.what}")
        found = _cost(name, rounds)
        if found is not None:
            costs.append(found)
            findings.bars += _cost_bars(found)
    findings.rows += costs
    show(COST_HEADERS, [_cost_cells(row) for row in costs])
    note(COST_LEGEND)
    return findings


def _race(name: str, rounds: int) -> Row:
    """Times per step [µs] and errors at 1 s of all contestants."""
    mechanism = MECHANISMS[name]
    assert mechanism.planar is not None
    planar = mechanism.planar()
    # a run may change the coordinates of its plant: each run has its own plant
    runs: dict[str, Callable[[int], Row]] = {
        OURS: OurRun(mechanism.make().compile()).run,
        SIMULATE: whole_run(mechanism.make().compile()),
    }
    if name == "four_bar":
        runs[FLOOR] = _floor("four_bar_once")
        runs["C by hand, RK4, loops closed as ours"] = _floor("four_bar_closed")
    runs |= _exudyn_runs(planar)
    best = dict.fromkeys(runs, math.inf)
    for _ in range(rounds):
        for label, contestant in runs.items():
            for _ in range(1 if "Exudyn" in label else REPEATS):
                best[label] = min(best[label], contestant(LONG)["seconds"] / LONG)
    exact = reference_angle(planar, SHORT * STEP)
    ends = {label: contestant(SHORT) for label, contestant in runs.items()}
    for label in (OURS, SIMULATE):
        ends[label]["angle"] *= mechanism.sign
    return {
        "mechanism": name,
        "us_per_step": {label: 1e6 * seconds for label, seconds in best.items()},
        "error_at_1s": {label: abs(end["angle"] - exact) for label, end in ends.items()},
        "loop": {label: end["loop"] for label, end in ends.items()},
    }


def _exudyn_runs(planar: Planar) -> dict[str, Callable[[int], Row]]:
    try:
        peer = import_module("benchmarks.loops_exudyn")
    except ImportError as error:
        note(f"Exudyn is left out: '{error.name}' is missing (pip install inloop[bench]).")
        return {}
    system = peer.ExudynRun(planar)

    def contestant(solver: str) -> Callable[[int], Row]:
        return lambda steps: system.run(solver, STEP, steps)

    return {f"Exudyn, {solver}": contestant(solver) for solver in peer.SOLVERS}


def _race_bars(row: Row) -> list[Bar]:
    what, times = MECHANISMS[row["mechanism"]].what, row["us_per_step"]
    # the figure is that of the call available to users
    bars = [
        Bar(f"{what}, steps/s of plant.simulate over {label}", value / times[SIMULATE], EXUDYN_BAR)
        for label, value in times.items()
        if PEER in label
    ]
    if FLOOR in times:
        ratio = times[SIMULATE] / times[FLOOR]
        label = f"{what}, time of plant.simulate over hand-written C"
        bars.append(Bar(label, ratio, FLOOR_BAR, at_least=False))
    return bars


def _race_lines(row: Row) -> list[list[str]]:
    ours = row["us_per_step"][SIMULATE]
    lines = []
    for label, value in row["us_per_step"].items():
        bar = f"≥{EXUDYN_BAR:g}" if PEER in label else ""
        bar = f"≥{1.0 / FLOOR_BAR:g}" if label == FLOOR else bar
        what = f"{MECHANISMS[row['mechanism']].what}: {label}"
        errors = [f"{row[key][label]:.1e}" for key in ("error_at_1s", "loop")]
        speeds = [f"{value:.3f}", f"{1e6 / value:,.0f}", f"{value / ours:.2f}"]
        lines.append([what, *speeds, bar, *errors])
    return lines


def _cost(name: str, rounds: int) -> Row | None:
    """Operations, build times, time of one acceleration; None if the model is missing."""
    try:
        plant = MECHANISMS[name].make().compile()
    except (ImportError, il.InputError) as error:
        note(f"{MECHANISMS[name].what} is left out: {str(error).splitlines()[0]}")
        return None
    with tempfile.TemporaryDirectory(prefix="inloop-bench-") as empty:
        built = measured_apart("benchmarks.loops", [name], {"INLOOP_CACHE": empty})
    ours, steps = OurRun(plant), SHORT
    seconds = min(ours.run(steps)["seconds"] for _ in range(REPEATS * rounds))
    return {"mechanism": name, **built, "us_per_acceleration": 1e6 * seconds / steps / EVALUATIONS}


def _cost_bars(row: Row) -> list[Bar]:
    cost = row["us_per_acceleration"]
    if row["mechanism"] == "stewart":
        what = "Stewart platform, constrained accelerations"
        return [Bar(what, 1e6 / cost, STEWART_BAR, "per second")]
    if row["mechanism"] == "car":
        return [Bar("car, constrained acceleration", cost, CAR_BAR_US, "µs", at_least=False)]
    return []


def _cost_cells(row: Row) -> list[str]:
    cost, bar = row["us_per_acceleration"], ""
    if row["mechanism"] == "stewart":
        bar = f"≥{STEWART_BAR:,.0f}/s"
    elif row["mechanism"] == "car":
        bar = f"≤{CAR_BAR_US:g} µs"
    counts = [f"{row[key]:,}" for key in ("joints", "rows", "dropped", "constrained", "newton")]
    times = [f"{row[key]:.2f}" for key in ("derive_s", "compile_s")]
    what = MECHANISMS[row["mechanism"]].what
    return [what, *counts, *times, f"{cost:.3f}", f"{1e6 / cost:,.0f}", bar]


# in the fresh process


def build(name: str) -> Row:
    """Derive and compile a mechanism; sizes, operations and times [s]."""
    start = time.perf_counter()
    plant = MECHANISMS[name].make().compile()
    seconds = time.perf_counter() - start
    parts = plant.formulation.partition
    compiling = sum(value for key, value in plant.times.items() if key.startswith("build "))
    return {
        "joints": plant.n,
        "rows": len(parts.rows) + len(parts.dropped),
        "dropped": len(parts.dropped),
        "constrained": plant.operations["constrained"]["total"],
        "newton": plant.operations["newton"]["total"],
        "derive_s": seconds - compiling,
        "compile_s": compiling,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanism", choices=MECHANISMS)
    print(json.dumps(build(parser.parse_args().mechanism)))


if __name__ == "__main__":
    main()
