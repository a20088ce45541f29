"""Cost of checks during runs: `simulate` against the native loop alone, in one run.

python -m benchmarks judged
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

import inloop as il
from benchmarks.loops_mechanisms import four_bar
from benchmarks.report import Bar, Findings, note, progress, show
from inloop import gallery
from inloop.gallery import strokes
from inloop.gallery.puma560.model import POSES, puma560
from inloop.native import FixedSteps, MachineSnapshot, Method, Status, run_machine
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.start import first_internal_states, start_of
from inloop.simulate.systems import Conditions, make_system

STEPS, ROUNDS, REPEATS = 20_000, 5, 3
FEW = 20  # samples of a run with few samples
FEW_BAR = 1.6

HEADERS = ["run", "method", "native µs", "few samples", "ratio", "every step", "ratio"]
LEGEND = """\
CPU time of the process per step, {steps} steps, best of {runs} runs, the three in turn. native: the
loop of steps in C alone, without samples. few samples: `plant.simulate` with {few} samples; every
step: with one at each step, energies and outputs of laws included. Both are judged: energy balance,
step against stiffness. What a run costs whatever its length, 1 to 5 ms, is part of them."""

METHODS = {"rk4": Method.RK4, "implicit": Method.IMPLICIT}


@dataclass(frozen=True)
class Contestant:
    """A run.

    Attributes:
        name: of the mechanism.
        plant: compiled.
        method: the integrator.
        step: [s].
        q: initial coordinates; None: as declared.
        inputs: of the run.
    """

    name: str
    plant: il.Plant
    method: str
    step: float
    q: np.ndarray | None = None
    inputs: Mapping[str, Callable[..., object]] = field(default_factory=dict)

    def simulated(self, samples: int) -> float:
        """Processor time of a checked run [s]."""
        t_end = self.step * STEPS
        begin = time.process_time()
        result = self.plant.simulate(
            t_end=t_end, step=self.step, method=self.method, q=self.q, inputs=self.inputs,
            sample=t_end / samples,
        )  # fmt: skip
        seconds = time.process_time() - begin
        if result.doubts:
            raise RuntimeError(f"{self.name}: {result.doubts[0]}")
        return seconds

    def native(self) -> Callable[[], float]:
        """Return a function that measures the processor time of the same steps in C [s]."""
        plant, signals = self.plant, read_inputs(self.plant, self.inputs)
        u, drives = signals.at(0.0), read_drives(plant, {})
        z = first_internal_states(plant, u)
        start = start_of(plant, self.q, None, drives, u, z)
        method = METHODS[self.method]
        conditions = Conditions(np.zeros(plant.n), signals, drives)
        system = make_system(plant, conditions, method, plant.formulation, self.step)
        # one choice of independent coordinates for the whole run
        x = system.start(0.0, start.q, start.qd, z, guarded=False)
        schedule = FixedSteps(method, self.step, STEPS, stride=STEPS)

        def once() -> float:
            begin = time.process_time()
            done = run_machine(system.table, MachineSnapshot(0, x), schedule)
            seconds = time.process_time() - begin
            if done.status != Status.OK:
                raise RuntimeError(f"{self.name}: the run ended with {Status(done.status).name}")
            return seconds

        return once


def contestants() -> list[Contestant]:
    """With friction, contacts, loops, flexible links, and without any of them."""
    rough, pose = puma560(friction=True).compile(), np.array(POSES["q_n"])
    piano = gallery.get("piano").build().compile()
    finger = {"finger": lambda t: strokes(t, [(0.02, 0.06, 9.4e-3), (0.14, 0.08, -9.4e-3)])[0]}
    pendulum = gallery.get("double_pendulum").build().compile()
    link = gallery.get("flexlink").build().compile()
    return [
        Contestant("double pendulum", pendulum, "rk4", 1e-3),
        Contestant("PUMA 560 with friction", rough, "rk4", 1e-4, pose),
        Contestant("PUMA 560 with friction", rough, "implicit", 1e-4, pose),
        Contestant("four-bar", four_bar().compile(), "rk4", 1e-3),
        Contestant("piano, a blow", piano, "rk4", 2.5e-5, inputs=finger),
        Contestant("piano, a blow", piano, "implicit", 1e-4, inputs=finger),
        Contestant("flexible link", link, "rk4", 2e-5),
    ]


def run(rounds: int = ROUNDS) -> Findings:
    """Measure, print, and return the figures."""
    progress("judged: compiling")
    findings, lines = Findings(), []
    for each in contestants():
        progress(f"judged: {each.name}, {each.method}")
        native = each.native()
        best = [np.inf] * 3
        for _ in range(rounds * REPEATS):
            taken = native(), each.simulated(FEW), each.simulated(STEPS)
            best = [min(pair) for pair in zip(best, taken, strict=True)]
        alone, few, every = (1e6 * seconds / STEPS for seconds in best)
        name = f"{each.name}, {each.method}"
        findings.rows.append({"run": name, "native": alone, "few": few, "every": every})
        ratios = f"{few / alone:.2f}", f"{every / alone:.2f}"
        times = [f"{value:.3f}" for value in (alone, few, every)]
        lines.append([each.name, each.method, *times[:2], ratios[0], times[2], ratios[1]])
        what = f"{name}: judged run to native loop"
        findings.bars.append(Bar(what, few / alone, FEW_BAR, at_least=False))
    show(HEADERS, lines, left=2)
    note(LEGEND.format(steps=STEPS, runs=rounds * REPEATS, few=FEW))
    return findings


if __name__ == "__main__":
    found = run()
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
