"""Large closed mechanisms: unrolled solution compared with the sparse one of the runtime.

python -m benchmarks.loops_large MECHANISM SIZE HOW ROUNDS
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import inloop as il
from benchmarks.loops import OurRun
from benchmarks.processes import measured_apart
from benchmarks.report import Findings, Row, note, progress, show
from inloop.gallery.four_bar import four_bar
from inloop.plant.formulation import partition_code


def ladder(cells: int) -> il.Model:
    """A hanging rope ladder in space: rungs joined by rigid ropes on both sides, one loop per cell.

    The left rope of a cell hangs on two hinges and carries the next rung on three; the right one
    hangs on two and meets the rung in a ball cut: 7 coordinates, of which 3 are dependent.
    """
    m = il.Model("bench_ladder", gravity=(0.0, 0.0, -9.81))
    left, right = m.ground.point("left", (-0.2, 0.0, 0.0)), m.ground.point("right", (0.2, 0.0, 0.0))
    for k in range(1, cells + 1):
        down = (0.0, 0.0, -0.3)
        ropes = []
        for side, seat in (("left", left), ("right", right)):
            swing = m.body(
                f"{side}_{k}_x", on=seat, joint=il.revolute("x", initial=(0.05 * k, 0.0)),
                mass=0.02, inertia=(1e-4, 1e-4, 1e-4),
            )  # fmt: skip
            rope = m.body(
                f"{side}_{k}", on=swing, joint=il.revolute("y"),
                mass=0.1, com=(0.0, 0.0, -0.15), inertia=(8e-4, 8e-4, 1e-5),
            )  # fmt: skip
            ropes.append(rope.point("end", down))
        seat = ropes[0]
        for axis in "xy":
            knuckle = m.body(
                f"rung_{k}_{axis}", on=seat, joint=il.revolute(axis),
                mass=0.02, inertia=(1e-4, 1e-4, 1e-4),
            )  # fmt: skip
            seat = knuckle
        rung = m.body(
            f"rung_{k}", on=seat, joint=il.revolute("z"),
            mass=0.4, com=(0.2, 0.0, 0.0), inertia=(1e-4, 6e-3, 6e-3),
        )  # fmt: skip
        m.close(rung.point("tip", (0.4, 0.0, 0.0)), ropes[1], name=f"loop_{k}")
        left, right = rung.point("left", (0.0, 0.0, 0.0)), rung.point("right", (0.4, 0.0, 0.0))
    return m


@dataclass(frozen=True)
class Series:
    """A mechanism in several sizes; the largest are unrolled only on request."""

    what: str
    make: Callable[[int], il.Model]
    sizes: tuple[int, ...]
    slow_from: int


SERIES = {
    "four_bars": Series("four-bars in a row", four_bar, (10, 20, 40, 80), 100),
    "ladder": Series("rope ladder", ladder, (2, 4, 8, 14, 20), 14),
}
HOW = {"unrolled": 10**9, "sparse": 0}  # operations of the solution up to which it is unrolled
STEPS, EVALUATIONS = 50, 4
ROUNDS = 5
REPEATS = 8  # in each round
HEADERS = [
    "mechanism", "loops", "joints", "dependent", "solution", "how", "operations", "deriving",
    "compiling", "µs per acceleration",
]  # fmt: skip
LEGEND = """\
solution: operations of the solution of Eq. 16 alone, by which the plant decides how it is done:
unrolled up to {limit:,}, marked *. operations: with the terms. Seconds in a fresh process with an
empty cache; compiling: Newton's step and the constrained motion only. An acceleration is one
evaluation of the rates within RK4 at 1 ms steps, least processor time of many short runs."""


def run(rounds: int = ROUNDS, every_size: bool = False) -> Findings:
    """Measure and print.

    Args:
        rounds: number of runs of each.
        every_size: also unroll those that take minutes to compile.
    """
    findings = Findings()
    for name, series in SERIES.items():
        for size in series.sizes:
            for how in HOW:
                if how == "unrolled" and size >= series.slow_from and not every_size:
                    continue
                progress(f"loops_large: {series.what}, {size} loops, {how}")
                with tempfile.TemporaryDirectory(prefix="inloop-bench-") as empty:
                    arguments = [name, str(size), how, str(rounds)]
                    cache = {"INLOOP_CACHE": empty}
                    row = measured_apart("benchmarks.loops_large", arguments, cache)
                findings.rows.append({"mechanism": name, "loops": size, "how": how, **row})
    show(HEADERS, [_cells(row) for row in findings.rows])
    note(LEGEND.format(limit=partition_code.UNROLLED_UP_TO))
    return findings


def _cells(row: Row) -> list[str]:
    chosen = (row["solution"] <= partition_code.UNROLLED_UP_TO) == (row["how"] == "unrolled")
    keys = ("loops", "joints", "dependent", "solution")
    return [
        SERIES[row["mechanism"]].what,
        *(f"{row[key]:,}" for key in keys),
        row["how"] + (" *" if chosen else ""),
        f"{row['operations']:,}",
        f"{row['derive_s']:.2f}",
        f"{row['compile_s']:.2f}",
        f"{row['us']:.2f}",
    ]


# in the fresh process


def measure(name: str, size: int, how: str, rounds: int) -> Row:
    """Derive, compile and run one mechanism; sizes, operations and times."""
    partition_code.UNROLLED_UP_TO = HOW[how]
    start = time.perf_counter()
    plant = SERIES[name].make(size).compile()
    seconds = time.perf_counter() - start
    building = {key: value for key, value in plant.times.items() if key.startswith("build ")}
    ours = OurRun(plant)
    best = math.inf
    for _ in range(REPEATS * rounds):
        # other processes of this machine do not count
        before = time.process_time()
        ours.run(STEPS)
        best = min(best, time.process_time() - before)
    return {
        "joints": plant.n,
        "dependent": len(plant.formulation.partition.dependent),
        "solution": plant.formulation.code.solution_operations,
        "operations": plant.operations["constrained"]["total"],
        "derive_s": seconds - sum(building.values()),
        "compile_s": building["build newton"],
        "us": 1e6 * best / STEPS / EVALUATIONS,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanism", choices=SERIES)
    parser.add_argument("size", type=int)
    parser.add_argument("how", choices=HOW)
    parser.add_argument("rounds", type=int)
    options = parser.parse_args()
    print(json.dumps(measure(options.mechanism, options.size, options.how, options.rounds)))


if __name__ == "__main__":
    main()
