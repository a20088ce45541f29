"""Every exhibit without hard contacts in both formulations: what they agree to.

    python tests/formalisms/both_formulations.py [exhibit ...]

prints the table of docs/redundant.md. Accelerations, multipliers and forces in joints belong to
states at random closed positions; trajectories are compared at their ends, those of the
generalized-alpha method extrapolated from steps h and h/2. So are forces in joints there.

Some motions are not known over a second to eight digits, in either formulation: runs of them are
divided into parts, each of which begins where the reduced formulation has come to.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inloop as il
from inloop import gallery
from inloop.symbolic import evaluate

STATES = 3


@dataclass(frozen=True)
class Case:
    """How an exhibit is run.

    Attributes:
        step: h of the redundant formulation [s].
        t_end: [s].
        options: of the exhibit.
        method: of the reduced formulation.
        tolerance: of it.
        parts: that the run is divided into.
        speeds_up: as it gets faster with time, later parts and their steps are shorter; `step` is
            that of the last one.
    """

    step: float = 5e-4
    t_end: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    method: str = "dopri"
    tolerance: float = 1e-12
    parts: int = 1
    speeds_up: bool = False

    @property
    def spans(self) -> list[tuple[float, float]]:
        """How long each part lasts, and its step [s]."""
        power = 0.5 if self.speeds_up else 1.0
        times = self.t_end * (np.arange(self.parts + 1) / self.parts) ** power
        steps = self.step * self.t_end / times[1:] if self.speeds_up else [self.step] * self.parts
        return [*zip(np.diff(times), steps, strict=True)]


STIFF: dict[str, Any] = {"method": "rodas", "tolerance": 1e-11}
CASES: dict[str, Case] = {
    "pendulum": Case(),
    "double_pendulum": Case(),
    "satellite": Case(),
    "puma560": Case(),
    "robot": Case(**STIFF),
    "four_bar": Case(),
    "bricard": Case(),
    "suspension": Case(**STIFF),
    "piano": Case(**STIFF),
    "chain": Case(1e-4),
    "n_pendulum": Case(1e-4),
    "stewart": Case(1e-4),
    "slider_crank": Case(1e-4),
    "heavy_top": Case(25e-6),
    # 950 turns, at up to 1,800 per second: runs of the reduced formulation with tolerances of 1e-13
    # and 2e-14 are 1e-7 apart after 1 s
    "andrews": Case(2e-7, parts=100, speeds_up=True),
    "rolling_disc": Case(1e-4),
    "flexible_four_bar": Case(2e-5, 1.0, {"elements": 6}, "rodas", 1e-10),
    "car": Case(5e-4, **STIFF),
    "stick_slip": Case(5e-5, **STIFF),
    "incline": Case(1e-4, **STIFF),
    "bouncing_ball": Case(1e-4),
    "cart_pendulum": Case(1e-4),
    "simple_action": Case(1e-4, **STIFF),
    "bicycle": Case(1e-4, **STIFF),
    # nobody holds it: it falls into its stop after 0.649 s, see test_both_formulations.py
    "tilting_vehicle": Case(2e-5, 0.6, **STIFF),
    "kart": Case(1e-4, **STIFF),
    "flexlink": Case(2e-5, **STIFF),
    "rotor": Case(2e-5, 1.0, {"blades": 2, "elements": 2}, **STIFF),
    "truss": Case(1e-4, 1.0, {"bays": 2}),
    "chain_fountain": Case(2e-5, 0.1, {"n": 24}, **STIFF),
}


@dataclass
class Agreement:
    """Largest differences, in parts of what is compared."""

    accelerations: float = 0.0
    multipliers: float = 0.0
    forces: float = 0.0
    forces_after: float = 0.0
    coarse: float = 0.0
    trajectory: float = 0.0
    drift: float = 0.0


def part(found: Any, expected: Any) -> float:
    """The largest difference of two arrays, in parts of the largest entry, or of 1."""
    a, b = np.asarray(found, float), np.asarray(expected, float)
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def closed_state(reduced: il.Plant, seed: int) -> dict[str, np.ndarray]:
    """A position at which loops are closed, and velocities that fit."""
    f, random = reduced.formulation, np.random.default_rng(seed)
    units = reduced.size.units
    wish = reduced.configuration.moved(f.home(), 0.02 * random.normal(size=reduced.n) * units)
    q = f.positions.keep(wish, ()).found.q
    speeds = {k: float(random.normal() * units[k]) for k in f.partition.independent}
    qd = f.keep_velocities(q, {}, speeds).qd
    return {"q": q, "qd": qd, "tau": random.normal(size=reduced.n)}


def reactions_of(plant: il.Plant, found: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Wrenches of all bodies as forces and moments about their origins in world axes."""
    forces, moments = [], []
    skeleton = plant.equations.derivation.skeleton
    symbols = plant.equations.derivation.parameters.symbols
    known = dict(zip(symbols, plant.parameters.values_array, strict=True))
    for k, wrench in zip(plant.formulation.code.about.links, found["wrench"], strict=True):
        link = skeleton.links[k]
        R_BC = np.array([evaluate(row, known) for row in link.R_BC])
        p_BC = np.array(evaluate(link.p_BC, known))
        R_WC = plant.pose(link.name, found["q"])[1] @ R_BC
        forces.append(R_WC @ wrench[:3])
        moments.append(R_WC @ (wrench[3:] + np.cross(R_BC.T @ p_BC, wrench[:3])))
    return np.array(forces), np.array(moments)


def forces_apart(plant: il.Plant, motion: dict[str, Any], told: dict[str, Any]) -> float:
    """Forces and moments in joints at a state, against those of the reduced formulation."""
    names = [plant.coordinates[k] for k in plant.formulation.code.about.links]
    if not names:
        return 0.0
    found = reactions_of(plant, motion)
    expected = ([told[f"{c}.{kind}"] for c in names] for kind in ("force", "moment"))
    return max(part(a, b) for a, b in zip(found, expected, strict=True))


def compare_states(reduced: il.Plant, plant: il.Plant, seen: Agreement) -> None:
    """Accelerations, multipliers and forces in joints at some states of one mode."""
    for seed in range(STATES):
        state = closed_state(reduced, seed)
        found, expected = plant.formulation.motion(**state), reduced.formulation.motion(**state)
        seen.accelerations = max(seen.accelerations, part(found["a"], expected["a"]))
        seen.multipliers = max(seen.multipliers, part(found["lam"], expected["lam"]))
        told = reduced.joint_reactions(state["q"], state["qd"], tau=state["tau"])
        seen.forces = max(seen.forces, forces_apart(plant, found, told))


def compare_runs(reduced: il.Plant, plant: il.Plant, case: Case, seen: Agreement) -> None:
    """Where runs lead to, part by part."""
    first: dict[str, Any] = {}
    for t_end, h in case.spans:
        run = {"t_end": t_end, "sample": t_end, "reactions": "all", **first}
        expected = reduced.simulate(**run, method=case.method, tolerance=case.tolerance)
        units = np.ones(expected.q.shape[1])
        units[: plant.n] = plant.coordinate_sizes
        far, near = (plant.simulate(**run, step=step) for step in (h, h / 2))
        better = (4.0 * near.q[-1] - far.q[-1]) / 3.0
        apart = [np.nanmax(np.abs(q - expected.q[-1]) / units) for q in (far.q[-1], better)]
        seen.coarse = max(seen.coarse, float(apart[0]))
        seen.trajectory = max(seen.trajectory, float(apart[1]))
        if near.violation is not None:
            seen.drift = max(seen.drift, float(np.nanmax(near.violation)))
        for kind in ("force", "moment"):
            names = [f"{c}.{kind}.{axis}" for c in reduced.coordinates for axis in "xyz"]
            coarse, fine, known = ([run[n][-1] for n in names] for run in (far, near, expected))
            found = (4.0 * np.array(fine) - np.array(coarse)) / 3.0
            seen.forces_after = max(seen.forces_after, part(found, known))
        first = {"q": expected.q[-1], "qd": expected.qd[-1]}


def compare(name: str, case: Case) -> Agreement:
    """Both formulations of an exhibit."""
    model, seen = gallery.get(name).build(**case.options), Agreement()
    reduced, plant = model.compile(), model.compile(formulation="redundant")
    modes = reduced.by_mode or {name: reduced}
    for mode, each in modes.items():
        compare_states(each, plant.by_mode.get(mode, plant), seen)
    compare_runs(reduced, plant, case, seen)
    return seen


def main(names: list[str]) -> None:
    """Print the table."""
    states = "accelerations | multipliers | forces in joints"
    print(f"| exhibit | {states} | h | at h | extrapolated | forces in joints | drift |")
    for name in names or CASES:
        begin = time.process_time()
        try:
            seen = compare(name, CASES[name])
        except (il.InloopError, ValueError, KeyError) as error:
            print(f"| {name} | {type(error).__name__}: {str(error)[:300]} |", flush=True)
            continue
        figures = (seen.accelerations, seen.multipliers, seen.forces, CASES[name].step,
                   seen.coarse, seen.trajectory, seen.forces_after, seen.drift)  # fmt: skip
        row = " | ".join(f"{figure:.1e}" for figure in figures)
        print(f"| {name} | {row} | {time.process_time() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
