"""One update of an observer of a robot: prediction and correction, in C."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop.gallery.puma560.model import puma560
from inloop.native import COUNT, POINTER, NativeLibrary, build_library, runtime_headers
from inloop.native.runtime_library import load_runtime

JOINTS = tuple(f"joint_{k}" for k in range(1, 7))
MIDDLE = np.array([0.3, 0.8, 3.0, 0.2, 0.7, 0.1])
PERIOD, UPDATES = 1e-3, 4000
BAR = 10.0  # [µs]
LAGS = (3, 6)  # lag of smoothers [samples]
HORIZONS = (10, 20)  # length of moving horizons [samples]
IN_LOOP = 5.0  # simulated time of a run in the loop [s]
HEADERS = ["observer", "states", "median µs", "p99 µs"]
LEGEND = """\
PUMA 560 on sines, six encoders at 1 kHz, one RK4 step per update; each update timed by itself in
one thread, of all rounds the least of each figure."""


def run(rounds: int = 5) -> Findings:
    """Measure and print.

    Args:
        rounds: number of passes of each observer along the motion.
    """
    findings, plant = Findings(), puma560().compile()
    motion = _motion(plant)
    for what, options in _observers().items():
        progress(f"observers: {what}")
        row = _measure(plant, what, options, motion, rounds)
        findings.rows.append(row)
        if what.startswith("ekf"):
            findings.bars.append(Bar(what, row["median"], BAR, "µs", False))
    cells = [
        [row["what"], str(row["states"]), f"{row['median']:.2f}", f"{row['p99']:.2f}"]
        for row in findings.rows
    ]
    show(HEADERS, cells)
    note(LEGEND)
    progress("observers: in the loop")
    in_loop = _in_loop(plant, rounds)
    show(["step of the loop", "processor time, median µs"], [[k, f"{v:.2f}"] for k, v in in_loop])
    findings.rows += [{"what": f"step {k}", "median": v} for k, v in in_loop]
    return findings


def _observers() -> dict[str, dict[str, Any]]:
    """Settings of each measured observer in addition to its encoders, by name."""
    pushes = {f"{j}.tau": 5.0 for j in JOINTS}
    smooth = {
        lag: {name: il.observers.Unknown(1e3, smooth=True, lag=lag * PERIOD) for name in pushes}
        for lag in (0, *LAGS)
    }
    return {
        "ekf": {"disturbances": pushes},
        "ekf, unknown torques": {"unknown": pushes},
        "ekf, smooth unknown torques": {"unknown": smooth[0]},
        **{f"ekf, smooth, lag of {lag} samples": {"unknown": smooth[lag]} for lag in LAGS},
        "ukf": {"disturbances": pushes, "method": "ukf"},
        "ukf, unknown torques": {"unknown": pushes, "method": "ukf"},
        **{
            f"mhe, {n} samples": {"disturbances": pushes, "method": "mhe", "horizon": n}
            for n in HORIZONS
        },
    }


def _in_loop(plant: il.Plant, rounds: int) -> list[tuple[str, float]]:
    """Processor time of steps of the robot's loop without an observer and with one [µs]."""
    start = dict(zip(JOINTS, MIDDLE, strict=True))
    common = {"measured": {f"{j}.q": 1e-5 for j in JOINTS}, "period": PERIOD, "q": start}
    pushes = {f"{j}.tau": 5.0 for j in JOINTS}
    observers = {
        "without observer": None,
        "with ekf": il.observer(plant, disturbances=pushes, **common),
        "with ukf": il.observer(plant, disturbances=pushes, method="ukf", **common),
        "with ekf and unknown torques": il.observer(plant, unknown=pushes, **common),
    }
    least = dict.fromkeys(observers, np.inf)
    for _ in range(rounds):
        for name, observer in observers.items():
            options = {"rate": 1.0 / PERIOD, "mode": "free", "seconds": IN_LOOP, "q": start}
            with il.start(plant, name="bench-observers", observer=observer, **options) as loop:
                loop.wait()
                took = loop.report().times("step_cpu")["p50"]
            least[name] = min(least[name], took)
    return list(least.items())


def _motion(plant: il.Plant) -> tuple[np.ndarray, np.ndarray]:
    """Torques for sinusoidal motions, and the encoder readings."""
    t = PERIOD * np.arange(UPDATES)[:, None]
    rate = np.array([1.1, 1.7, 2.3, 2.9, 3.5, 4.1])
    q, qd = MIDDLE + 0.4 * np.sin(rate * t), 0.4 * rate * np.cos(rate * t)
    tau = plant.inverse_dynamics(q, qd, -0.4 * rate**2 * np.sin(rate * t))
    noise = 1e-5 * np.random.default_rng(1).normal(size=q.shape)
    return np.ascontiguousarray(tau), np.ascontiguousarray(q + noise)


def _measure(
    plant: il.Plant,
    what: str,
    options: dict[str, Any],
    motion: tuple[np.ndarray, np.ndarray],
    rounds: int,
) -> Row:
    inputs, measured = motion
    files = {"observer_updates.c": (Path(__file__).parent / "observer_updates.c").read_text()}
    library, runtime = NativeLibrary(build_library(files, runtime_headers())), load_runtime()
    go = library.function("bench_updates", *[POINTER] * 3, COUNT, POINTER, COUNT, POINTER, POINTER,
                          returns=ctypes.c_int)  # fmt: skip
    halves = [runtime.address(f"il_observer_{half}") for half in ("predict", "correct")]
    observer = il.observer(
        plant, measured={f"{j}.q": 1e-5 for j in JOINTS}, period=PERIOD,
        q=dict(zip(JOINTS, MIDDLE, strict=True)), **options,
    )  # fmt: skip
    median, late, each = np.inf, np.inf, np.zeros(UPDATES)
    for _ in range(rounds):
        observer.reset()
        status = go(*halves, observer.address, UPDATES, inputs.ctypes.data, inputs.shape[1],
                    measured.ctypes.data, each.ctypes.data)  # fmt: skip
        assert status == 0, status
        median, late = min(median, np.median(each)), min(late, np.quantile(each, 0.99))
    return {"what": what, "states": len(observer.states), "median": median / 1e3, "p99": late / 1e3}
