"""A robot with LuGre friction in all joints: cost of a 1 ms step, and the worst step."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, note, progress, show
from inloop.gallery.puma560.model import DH_TABLE, POSES, puma560
from inloop.native import (
    COUNT,
    POINTER,
    REAL,
    Method,
    NativeLibrary,
    Status,
    build_library,
    load_runtime,
    runtime_headers,
    runtime_sources,
)
from inloop.native.mirror import mirror
from inloop.simulate.inputs import Inputs
from inloop.simulate.systems import Conditions, make_system

STEP = 1e-3  # [s]
STEPS = 5_000
ROUNDS = 5
REPEATS = 20  # of each contestant in a round
SINGLES = 40  # rounds of single steps
NOISE = 0.02  # of the torques, relative to them and to the largest push
COST_BAR, WORST_BAR, FRICTION_BAR_US, FREE_BAR_US = 2.0, 3.0, 4.5, 2.6

HEADERS = ["PUMA 560, 1 ms steps", "method", "µs per step", "to frictionless", "to RK4"]
LEGEND = """\
CPU time of one thread for {steps} steps by il_step, efforts new in each, best of {runs} runs.
The arm swings under gravity and noisy torques; with friction it sticks and slides. RK4 with
friction is unstable at 1 ms and not listed. worst step: of each step the best of {singles} runs,
so that what the machine takes away is left out; largest over median, caches warm."""


@dataclass(frozen=True)
class Contestant:
    """A plant with a method.

    Attributes:
        name: type of friction in the joints.
        label: the method in words.
        plant: the compiled arm.
        method: the integrator.
        generated: False uses finite differences for the Jacobian.
        noise: of the torques.
    """

    name: str
    label: str
    plant: il.Plant
    method: Method
    generated: bool = True
    noise: float = NOISE


class Prepared:
    """Memory of one contestant."""

    def __init__(self, contestant: Contestant) -> None:
        plant, method = contestant.plant, contestant.method
        runtime = load_runtime()
        size = runtime.function("il_work_size", COUNT, COUNT, COUNT, returns=COUNT)
        conditions = Conditions(np.zeros(plant.n), Inputs(plant.first_inputs))
        self._system = make_system(plant, conditions, method)
        self._tau = self._system.tau
        mode = mirror("il_mode").from_address(self._system.instance.modes)
        self._structure = system = mirror("il_system").from_buffer_copy(mode.system)
        if not contestant.generated:
            system.jacobian = None
        at = np.array(POSES["q_n"]), np.zeros(plant.n), plant.first_states
        self._start = self._system.start(0.0, *at)
        self._work = np.zeros(size(method, system.n, system.m))
        self._pivots = np.zeros(system.n + system.m, dtype=np.int64)
        self._method = method
        self._torques = noisy_torques(plant, contestant.noise)
        types = (POINTER, COUNT, POINTER, POINTER, REAL, COUNT, *[POINTER] * 5)
        self._steps = _library().function("bench_steps", *types, returns=ctypes.c_int)
        self.each = np.full(STEPS, np.inf)
        self.x = self._start

    def run(self, single: bool = False) -> float:
        """CPU time per step [µs]; or fill `each`."""
        self.x = self._start.copy()
        total = np.zeros(1)
        arrays = (self._torques, self._tau, self.x)
        status = self._steps(
            ctypes.addressof(self._structure),
            self._method,
            self._work.ctypes.data,
            self._pivots.ctypes.data,
            STEP,
            STEPS,
            *(a.ctypes.data for a in arrays),
            self.each.ctypes.data if single else 0,
            total.ctypes.data,
        )
        if status != Status.OK:
            raise RuntimeError(f"the run ended with {Status(status).name}")
        return float(total[0]) / STEPS * 1e-3


def _library() -> NativeLibrary:
    source = Path(__file__).with_name("friction_steps.c")
    sources = {**runtime_sources(), source.name: source.read_text()}
    return NativeLibrary(build_library(sources, runtime_headers()))


def noisy_torques(plant: il.Plant, share: float = NOISE) -> np.ndarray:
    """Torques that nearly carry the arm and move it around, one row per step."""
    rng = np.random.default_rng(5)
    t = STEP * np.arange(STEPS)[:, None]
    rest = np.zeros(plant.n)
    carry = plant.inverse_dynamics(POSES["q_n"], rest, rest)
    push = np.array([25.0, 40.0, 15.0, 2.0, 2.0, 1.0])
    wave = push * np.sin(2.0 * np.pi * t / np.array([1.7, 1.1, 0.9, 0.7, 0.6, 0.5]))
    clean = carry + wave
    noise = rng.standard_normal((STEPS, plant.n))
    return np.ascontiguousarray(clean * (1.0 + share * noise) + share * push * noise)


def puma_with_lugre() -> il.Model:
    """Measured dry friction of the motors; bristle deflection of 50 µrad, Stribeck ratio 1.5."""
    m = puma560()
    for number, row in enumerate(DH_TABLE, start=1):
        coulomb = abs(row.gear * row.coulomb[0])
        stiffness = coulomb / 50e-6
        m.lugre(
            f"joint_{number}",
            stiffness=stiffness,
            damping=0.3 * (stiffness * row.rotor * row.gear**2) ** 0.5,
            viscous=row.gear**2 * row.viscous,
            coulomb=coulomb,
            static=1.5 * coulomb,
            stribeck=0.02,
        )
    return m


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    progress("friction: compiling")
    free, rough = puma560().compile(), puma_with_lugre().compile()
    none, lugre = "without friction", "LuGre in 6 joints"
    contestants = [
        Contestant(none, "rk4", free, Method.RK4),
        Contestant(none, "implicit", free, Method.IMPLICIT),
        Contestant(lugre, "implicit", rough, Method.IMPLICIT),
        Contestant(lugre, "rodas", rough, Method.RODAS),
        Contestant(lugre, "rodas, differences", rough, Method.RODAS, generated=False),
    ]
    ready = [Prepared(contestant) for contestant in contestants]
    best = [np.inf] * len(ready)
    for _ in range(rounds * REPEATS):
        for k, contestant in enumerate(ready):
            best[k] = min(best[k], contestant.run())
    for _ in range(SINGLES):
        for contestant in ready:
            contestant.run()  # warms the caches
            contestant.run(single=True)
    worst = [float(c.each.max() / np.median(c.each)) for c in ready]
    rk4, plain, friction, *_ = best
    rows = [
        [c.name, c.label, f"{t:.3f}", f"{t / plain:.2f}", f"{t / rk4:.2f}", f"{w:.2f}"]
        for c, t, w in zip(contestants, best, worst, strict=True)
    ]
    show([*HEADERS, "worst step"], rows, left=2)
    note(LEGEND.format(steps=STEPS, runs=rounds * REPEATS, singles=SINGLES))
    figures = [
        {"model": c.name, "method": c.label, "us": t, "worst": w}
        for c, t, w in zip(contestants, best, worst, strict=True)
    ]
    name = "PUMA 560, 6 LuGre joints"
    bars = [
        Bar(f"{name}: step over frictionless step", friction / plain, COST_BAR, at_least=False),
        Bar(f"{name}: worst step over median", worst[2], WORST_BAR, at_least=False),
        Bar(f"{name}: 1 ms step", friction, FRICTION_BAR_US, "µs", at_least=False),
        Bar("PUMA 560 without friction: 1 ms step", plain, FREE_BAR_US, "µs", at_least=False),
    ]
    return Findings(figures, bars)
