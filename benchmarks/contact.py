"""Contacts with dry friction: the solver alone, compared with Siconos' NSGS, Pinocchio's ADMM."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.contact_peers import CONTESTANTS, PeerError, times_of
from benchmarks.contact_problems import (
    Problem,
    Scene,
    feet,
    rover,
    rover_plant,
    stack,
    wall,
)
from benchmarks.report import Bar, Findings, note, progress, show
from inloop.native import (
    COUNT,
    POINTER,
    REAL,
    RUNTIME_FLAGS,
    BuildOptions,
    NativeLibrary,
    build_library,
    load_runtime,
    runtime_headers,
    runtime_sources,
)
from inloop.native.mirror import mirror

TOLERANCE = 1e-8
STEPS = 20  # of each scene
SWEEPS, NEWTONS = 300, 60
SMALL = 60  # rows; larger problems are repeated less often
PEER_BAR = 10.0  # times as fast
PROBLEMS = Path(__file__).parents[2] / "shared" / "data" / "siconos_fc3d_small.npz"

HEADERS = ["contact problems, residual 1e-8", "contacts", "cold µs", "most", "warm µs", "most",
           "missed"]  # fmt: skip
PEER_HEADERS = ("µs", "missed", "ratio")
LEGEND = """\
CPU time of one thread, median over the problems of a set. missed: problems left with a larger
residual. Sets have {steps} steps of 1 ms or more. Contacts have a stiffness of 1e7 N/m with
memory unless they are rigid. Warm starts are the impulses of the step before. Peers start cold, in
2000 iterations at most: Siconos with NSGS, Pinocchio with ADMM in its fastest settings, each with
the loosest of its own tolerances that leaves this residual; of those missed no time counts. ratio:
to our cold start. MuJoCo solves another, softened problem, so that it is not here: see `rover`."""


@dataclass
class Measured:
    """One set of problems.

    Attributes:
        name: its name.
        problems: the problems.
        cold: time of each without a warm start [µs].
        warm: time of each from the previous impulses [µs].
        missed: number of problems that were not solved.
        peers: time of each problem [µs] by peer, NaN where it missed the residual.
    """

    name: str
    problems: list[Problem]
    cold: np.ndarray
    warm: np.ndarray
    missed: int
    peers: dict[str, np.ndarray] = field(default_factory=dict)

    def ratio(self, name: str) -> float:
        """Time of a peer over ours, median over the problems that it solved."""
        return float(np.nanmedian(self.peers[name]) / np.median(self.cold))

    def cells(self) -> list[str]:
        """The line of the table."""
        counts = [len(p.mu) for p in self.problems]
        warm = ["–", "–"]
        if len(self.warm):
            warm = [f"{np.median(self.warm):.1f}", f"{self.warm.max():.1f}"]
        shown = [
            self.name,
            f"{min(counts)}–{max(counts)}" if len(set(counts)) > 1 else str(counts[0]),
        ]
        shown += [f"{np.median(self.cold):.1f}", f"{self.cold.max():.1f}", *warm, str(self.missed)]
        for name, times in self.peers.items():
            missed = int(np.isnan(times).sum())
            if missed == len(times):
                shown += ["–", str(missed), "–"]
            else:
                shown += [f"{np.nanmedian(times):.0f}", str(missed), f"{self.ratio(name):.1f}x"]
        return shown


class Timer:
    """Times single problems in C."""

    def __init__(self) -> None:
        source = Path(__file__).with_name("contact_solves.c")
        sources = {**runtime_sources(), source.name: source.read_text()}
        library = NativeLibrary(
            build_library(
                sources, runtime_headers(), options=BuildOptions(extra_flags=RUNTIME_FLAGS)
            )
        )
        types = (*[POINTER] * 5, COUNT, COUNT, POINTER)
        self._run = library.function("bench_contacts", *types, returns=REAL)
        self._size = load_runtime().function("il_contact_work_size", COUNT, COUNT, returns=COUNT)

    def time(self, problem: Problem, start: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Time [µs], residual and impulses."""
        count, rows = len(problem.mu), len(problem.q)
        arrays = {
            "first": 3 * np.arange(count + 1, dtype=np.int64),
            **{
                name: np.ascontiguousarray(getattr(problem, name)) for name in ("mu", "W", "R", "q")
            },
        }
        posed = mirror("il_contact_problem")(
            count=count, stride=rows, **{name: array.ctypes.data for name, array in arrays.items()}
        )
        effort = mirror("il_contact_effort")(tolerance=TOLERANCE, sweeps=SWEEPS, newtons=NEWTONS)
        report, r, work = (
            mirror("il_contact_report")(),
            start.copy(),
            np.zeros(self._size(count, rows)),
        )
        repeats = 20 if rows <= SMALL else 2
        ns = self._run(
            ctypes.addressof(posed),
            ctypes.addressof(effort),
            start.ctypes.data,
            r.ctypes.data,
            work.ctypes.data,
            10,
            repeats,
            ctypes.addressof(report),
        )
        return 1e-3 * ns, float(report.residual), r

    def measure(self, name: str, runs: list[list[Problem]]) -> Measured:
        """All problems of a set, which are steps of runs: warm starts use the previous step."""
        cold, warm = [], []
        for problems in runs:
            found = [self.time(p, np.zeros(len(p.q))) for p in problems]
            warm += [self.time(p, r) for p, (*_, r) in zip(problems[1:], found[:-1], strict=True)]
            cold += found
        missed = sum(residual > TOLERANCE for _, residual, _ in (*cold, *warm))
        times = [np.array([time for time, *_ in each]) for each in (cold, warm)]
        return Measured(name, [p for problems in runs for p in problems], *times, missed)


def solution(problem: Problem, before: np.ndarray) -> np.ndarray:
    """The impulses of a step, computed as in a run."""
    found = il.solve_contacts(problem.W, problem.q, problem.mu, compliance=problem.R, start=before)
    return found.impulses


def scenes() -> list[tuple[str, list[Scene], float]]:
    """Names, scenes and stiffness of contacts."""
    plant = rover_plant()
    wheels = [rover(plant, k, rough=True, rim_points=False) for k in range(8)]
    rims = [rover(plant, k, rough=False, rim_points=True) for k in range(4)]
    sets = [
        ("rover, six wheels on rough ground", wheels),
        ("rover, 12 rim points, flat", rims),
        ("box on 16 points, turning", [feet(k) for k in range(3)]),
        ("stack of 5, pulled, 20 points", [stack((1.0,) * 5, pulled=1.0)]),
        ("stack of 5, top 100:1", [stack((1.0, 1.0, 1.0, 1.0, 100.0))]),
        ("stack of 5, top 10,000:1", [stack((1.0, 1.0, 1.0, 1.0, 1e4))]),
        ("stack of 5, incline of 15°", [stack((1.0,) * 5, tilt=np.radians(15.0))]),
        ("wall of 10 bricks", [wall()]),
    ]  # fmt: skip
    soft = [(name, posed, 1e7) for name, posed in sets]
    return soft + [(f"{name}, rigid", posed, np.inf) for name, posed in sets]


def rover_files() -> list[Problem]:
    """The problems of Siconos' own rover, if available."""
    if not PROBLEMS.exists():
        return []
    data = np.load(PROBLEMS)
    names = sorted(name[:-2] for name in data.files if name.endswith("_W") and "Rover" in name)
    return [
        Problem(data[f"{n}_W"], data[f"{n}_q"], data[f"{n}_mu"], np.zeros(len(data[f"{n}_q"])))
        for n in names
    ]


def add_peers(sets: list[Measured]) -> list[str]:
    """Let peers solve the same problems; return messages about missing peers."""
    problems, missing = [p for each in sets for p in each.problems], []
    for peer in CONTESTANTS:
        progress(f"contact: {peer.name}")
        try:
            times = times_of(peer, problems, TOLERANCE)
        except PeerError as error:
            missing.append(str(error))
            continue
        for each in sets:
            each.peers[peer.name], times = np.split(times, [len(each.problems)])
    return missing


def run() -> Findings:
    """Measure, print, and return the figures."""
    progress("contact: posing problems")
    timer, sets = Timer(), []
    for name, posed, stiffness in scenes():
        steps = STEPS if len(posed) == 1 else max(STEPS // len(posed), 4)
        runs = [scene.steps(solution, steps, stiffness) for scene in posed]
        sets.append(timer.measure(name, runs))
    files = rover_files()
    if files:
        sets.append(timer.measure("Siconos' rover, 14 files, rigid", [[p] for p in files]))
    missing = add_peers(sets)
    there = sets[0].peers
    show(
        [*HEADERS, *(f"{name} {what}" if what == "µs" else what
                     for name in there for what in PEER_HEADERS)],
        [each.cells() for each in sets],
    )  # fmt: skip
    note("\n".join([LEGEND.format(steps=STEPS), *missing]))
    return Findings([_row(each) for each in sets], _bars(sets))


def _row(each: Measured) -> dict[str, object]:
    return {
        "set": each.name,
        "cold_us": float(np.median(each.cold)),
        "cold_most_us": float(each.cold.max()),
        "warm_us": float(np.median(each.warm)) if len(each.warm) else None,
        "missed": each.missed,
        "peers": {name: times.tolist() for name, times in each.peers.items()},
    }


def _bars(sets: list[Measured]) -> list[Bar]:
    by_name = {each.name: each for each in sets}
    wheels, rims, points = (
        by_name[name]
        for name in (
            "rover, six wheels on rough ground",
            "rover, 12 rim points, flat",
            "stack of 5, pulled, 20 points",
        )
    )
    bars = [
        Bar("rover contacts, cold", float(np.median(wheels.cold)), 20.0, "µs", at_least=False),
        Bar("rover contacts, warm", float(np.median(wheels.warm)), 10.0, "µs", at_least=False),
        Bar("12 rim points, cold", float(np.median(rims.cold)), 60.0, "µs", at_least=False),
        Bar(
            "20 points of a stack, cold", float(np.median(points.cold)), 150.0, "µs", at_least=False
        ),
    ]
    if files := by_name.get("Siconos' rover, 14 files, rigid"):
        bars.append(
            Bar(
                "Siconos' rover files, slowest", float(files.cold.max()), 20.0, "µs", at_least=False
            )
        )
    for each in (wheels, rims):
        for name in each.peers:
            bars.append(Bar(f"{each.name}, over {name}", each.ratio(name), PEER_BAR))
    return bars
