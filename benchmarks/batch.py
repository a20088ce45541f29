"""Many states at once: lanes of vector registers against the scalar function in a C loop."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass

import numpy as np

import inloop as il
from benchmarks.native import native_program
from benchmarks.ours import (
    FUNCTIONS,
    REFERENCE,
    command,
    compiled,
    prepared_text,
    states_file,
    written,
)
from benchmarks.peers.run import ROUNDS, Contestant, race
from benchmarks.peers.states import COUNT, read_states
from benchmarks.peers.toolchain import BENCHMARKS
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop.codegen import emit_lanes, emit_library

MODELS = ("ur5", "panda7", "talos")
ROWS = 4096
MANY_ROWS = 16 * ROWS
LANES_FLAGS = ("-O3",)  # flags with which the product compiles lanes
BAR = 3.0
REPEATS = 20
ARRAYS = {"q": "S.q", "qd": "S.qd", "qdd": "S.qdd", "tau": "S.tau"}
HEADERS = [
    "model", "function", "scalar ns", "lanes ns", "ratio", "bar", "million states/s", "bytes/state",
]  # fmt: skip
LEGEND = """\
Nanoseconds per state, {rows:,} states per call, one core, best of all rounds; {lanes} lanes.
The scalar function already computes sines and cosines four at a time in vector registers, so the
ratio cannot reach the number of lanes. Bytes per state are read and written: where they are many,
memory sets the pace, not arithmetic."""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure and print."""
    findings = Findings()
    public: list[Row] = []
    for model in MODELS:
        progress(f"batch: {model}")
        plant = compiled(model)
        findings.rows += [_measured(model, function, plant, rounds) for function in FUNCTIONS]
        public.append(_public(model, plant))
    findings.bars = [_bar(row) for row in findings.rows]
    show(HEADERS, [_cells(row) for row in findings.rows], left=2)
    note(LEGEND.format(rows=ROWS, lanes=lanes()))
    _show_public(public, findings.rows)
    findings.rows += public
    return findings


def lanes() -> int:
    """Number of states per call, as chosen by `il_scalar.h`."""
    words = [*command(), "-dM", "-E", "-x", "c", "/dev/null"]
    macros = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return 8 if "__AVX512F__" in macros else 4


# one core, called from C


@dataclass(frozen=True)
class Loop:
    """A C function over rows of states: its name, its files, how it is compiled."""

    label: str
    name: str
    sources: dict[str, str]
    command: list[str]


def _measured(model: str, function: str, plant: il.Plant, rounds: int) -> Row:
    loops = (_scalar_loop(function, plant), _lanes_loop(function, plant))
    contestants = [_contestant(model, function, plant, loop) for loop in loops]
    best = {c.name: own["hot"]["best"] for c, own in race(contestants, rounds=rounds)}
    # the timing program assumes COUNT calls per pass; here it is one call over all rows
    ns = {f"{label}_ns": value * COUNT / ROWS for label, value in best.items()}
    program = plant.program(FUNCTIONS[function])
    size = sum(len(block.symbols) for block in program.inputs[1:]) + len(program.exprs)
    return {"model": model, "function": program.name, **ns, "bytes": 8 * size}


def _scalar_loop(function: str, plant: il.Plant) -> Loop:
    files = emit_library([plant.program(FUNCTIONS[function])], plant.name, (), {})
    name = f"{plant.name}_{FUNCTIONS[function]}_rows"
    return Loop("scalar", name, {**files.sources, **files.headers}, command())


def _lanes_loop(function: str, plant: il.Plant) -> Loop:
    sources = emit_lanes(plant.program(FUNCTIONS[function]), plant.name, ())
    name = f"{plant.name}_lanes_{FUNCTIONS[function]}_rows"
    return Loop("lanes", name, sources, command(LANES_FLAGS))


def _contestant(model: str, function: str, plant: il.Plant, loop: Loop) -> Contestant:
    label = f"{model}-{function}-{loop.label}"
    files = [*written(label, loop.sources), BENCHMARKS / "rows.h"]
    program = native_program(label, _calls(plant, function, loop), files, loop.command)
    return Contestant(loop.label, function, (program, states_file(model, plant)))


def _calls(plant: il.Plant, function: str, loop: Loop) -> str:
    """Code with which the timing program calls a function over rows: all at the first state."""
    program = plant.program(FUNCTIONS[function])
    blocks = [block.name for block in program.inputs if block.name != "pre"]
    prototype = ", ".join(["int64_t", *["const double *"] * len(program.inputs), "double *"])
    size = len(program.exprs)
    fill = [f"all_{b} = repeated_rows({ARRAYS[b]}, S.count, {ROWS}, {plant.n})" for b in blocks]
    inputs = ", ".join(f"all_{name}" for name in blocks)
    return "\n".join(
        [
            '#include "rows.h"',
            f"void {loop.name}({prototype});",
            prepared_text(plant, program.name),
            *(f"static double * all_{name};" for name in blocks),
            "static double * out;",
            f"#define SETUP() ({', '.join(fill)}, out = new_rows({ROWS}, {size}))",
            f"#define CALL(i) if (i == 0) {loop.name}({ROWS}, pre, {inputs}, out)",
            f"#define RESULT(i) (out + (long)(i) * {size})",
            f"#define ERROR(i) relative_error(RESULT(i), {REFERENCE[function]}, {size})",
            "",
        ]
    )


def _bar(row: Row) -> Bar:
    what = f"{row['model']} {row['function']}: lanes against scalar, one core"
    return Bar(what, row["scalar_ns"] / row["lanes_ns"], BAR)


def _cells(row: Row) -> list[str]:
    scalar, many = row["scalar_ns"], row["lanes_ns"]
    times = [f"{scalar:.1f}", f"{many:.1f}", f"{scalar / many:.2f}", f"≥{BAR:.1f}"]
    return [row["model"], row["function"], *times, f"{1e3 / many:.1f}", f"{row['bytes']:,}"]


# all cores, called from Python


def _public(model: str, plant: il.Plant) -> Row:
    """`plant.inverse_dynamics` over arrays, everything included: threads, checks, new arrays."""
    states = read_states(states_file(model, plant))
    row: Row = {"model": model, "function": "inverse_dynamics, from Python"}
    for rows in (ROWS, MANY_ROWS):
        q, qd, qdd = (np.tile(a, (rows // COUNT, 1)) for a in (states.q, states.qd, states.qdd))
        row[f"ns_{rows}"] = _best_ns(plant, q, qd, qdd) / rows
    return row


def _best_ns(plant: il.Plant, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    plant.inverse_dynamics(q, qd, qdd)  # builds the lanes
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter_ns()
        plant.inverse_dynamics(q, qd, qdd)
        times.append(time.perf_counter_ns() - start)
    return float(min(times))


def _show_public(public: list[Row], native: list[Row]) -> None:
    scalar = {row["model"]: row["scalar_ns"] for row in native[:: len(FUNCTIONS)]}
    headers = ["model", "call"]
    for rows in (ROWS, MANY_ROWS):
        headers += [f"ns at {rows:,}", "ratio", "million states/s"]
    lines = []
    for row in public:
        cells = [row["model"], row["function"]]
        for rows in (ROWS, MANY_ROWS):
            ns = row[f"ns_{rows}"]
            cells += [f"{ns:.1f}", f"{scalar[row['model']] / ns:.2f}", f"{1e3 / ns:.1f}"]
        lines.append(cells)
    note("\nAll cores through plant.inverse_dynamics(Q, QD, QDD); ratio to the scalar loop above.")
    show(headers, lines, left=2)
