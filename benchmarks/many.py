"""Many runs with `simulate_many`, compared with one C process per core that only steps.

python -m benchmarks many
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import inloop as il
from benchmarks.loops_mechanisms import four_bar
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.native.running.many import cores
from inloop.simulate.export import export_c

STEP, ROUNDS, BAR = 1e-3, 5, 0.9
# runs, and steps of each
CONTESTS: dict[str, tuple[Callable[[], il.Model], int, int]] = {
    "double pendulum": (gallery.get("double_pendulum").make, 10_000, 1_000),
    "four-bar": (four_bar, 2_000, 2_000),
}
HEADERS = ["mechanism", "runs", "steps", "C processes, steps/s", "simulate_many", "ratio", "by CPU"]
LEGEND = """\
RK4 steps of 1 ms per second of wall-clock time on {cores} cores, median of the rounds, both in
turn. C processes: exported sources, one process per core, each resets and steps its share of the
runs. simulate_many: the whole call, starts, threads and results included. by CPU: the ratio of the
processor times, which a loaded machine disturbs less."""
MAIN = """
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "il_plant.h"

const il_plant *{name}_plant(void);

int main(int count, char **given)
{{
    const il_plant *plant = {name}_plant();
    const long runs = count > 2 ? atol(given[1]) : 0, steps = count > 2 ? atol(given[2]) : 0;
    char *room = malloc(il_instance_size(plant, IL_RK4) + IL_ALIGNMENT);
    char *memory = room + (IL_ALIGNMENT - (uintptr_t)room % IL_ALIGNMENT) % IL_ALIGNMENT;
    il_instance *instance = il_initialize(memory, plant, IL_RK4, {step});
    long bad = 0;
    for (long run = 0; run < runs; run++) {{
        bad += il_reset(instance) != IL_OK;
        for (long k = 0; k < steps; k++) bad += il_advance(instance) != IL_OK;
    }}
    printf("%ld\\n", bad);
    free(room);
    return bad != 0;
}}
"""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure and print.

    Args:
        rounds: number of runs of each contestant.
    """
    findings = Findings()
    for what in CONTESTS:
        progress(f"many: {what}")
        row = measure(what, rounds)
        findings.rows.append(row)
        name = f"{row['runs']} runs of a {what}: simulate_many to C processes"
        findings.bars.append(Bar(name, row["ratio"], BAR))
    show(HEADERS, [_cells(row) for row in findings.rows])
    note(LEGEND.format(cores=cores()))
    return findings


def _cells(row: Row) -> list[str]:
    rates = f"{row['c_rate'] / 1e6:.2f} million", f"{row['many_rate'] / 1e6:.2f} million"
    ratios = f"{row['ratio']:.2f}", f"{row['cpu_ratio']:.2f}"
    return [row["what"], str(row["runs"]), str(row["steps"]), *rates, *ratios]


def measure(what: str, rounds: int) -> Row:
    """Steps per second, both ways."""
    make, runs, steps = CONTESTS[what]
    plant = make().compile()
    first = plant.coordinates[0]
    home = float(plant.formulation.home()[0])
    q = {first: home + np.linspace(-0.1, 0.1, runs)}
    times: list[tuple[float, float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = _program(plant, Path(folder))
        plant.simulate_many(t_end=steps * STEP, method="rk4", q={first: q[first][:2]})
        for _ in range(rounds):
            c = _timed(lambda: _processes(program, runs, steps))
            many = _timed(lambda: _many(plant, steps, q))
            times.append((*c, *many))
    c_wall, c_cpu, wall, cpu = np.median(np.array(times), axis=0)
    total = runs * steps
    return {
        "what": what,
        "runs": runs,
        "steps": steps,
        "c_rate": total / c_wall,
        "many_rate": total / wall,
        "ratio": c_wall / wall,
        "cpu_ratio": c_cpu / cpu,
    }


def _many(plant: il.Plant, steps: int, q: dict[str, np.ndarray]) -> None:
    found = plant.simulate_many(t_end=steps * STEP, step=STEP, method="rk4", q=q)
    if found.failed:
        raise RuntimeError(f"{plant.name}: {found.reasons[found.failed[0]]}")


def _processes(program: Path, runs: int, steps: int) -> None:
    share = [runs // cores() + (k < runs % cores()) for k in range(cores())]
    started = [
        subprocess.Popen([str(program), str(count), str(steps)], stdout=subprocess.DEVNULL)
        for count in share
    ]
    if any(process.wait() != 0 for process in started):
        raise RuntimeError("a step of a C process failed")


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    """Wall-clock and processor time of a call, including its processes [s]."""
    begin, before = time.perf_counter(), os.times()
    work()
    wall, after = time.perf_counter() - begin, os.times()
    return wall, sum(after[:4]) - sum(before[:4])


def _program(plant: il.Plant, folder: Path) -> Path:
    """The exported plant with a main function that only steps."""
    export_c(plant, folder, method="rk4", step=STEP)
    (folder / "main.c").write_text(MAIN.format(name=plant.name, step=STEP))
    subprocess.run(["make", "-s", "-C", str(folder)], check=True, capture_output=True)
    return folder / plant.name


if __name__ == "__main__":
    run()
