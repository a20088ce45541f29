"""`inloop demo`: the whole workflow from a description to a moving mechanism, in 30 s."""

from __future__ import annotations

import argparse
import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop import gallery
from inloop.cli.commands.check import verdict
from inloop.cli.commands.demo_piece import play_piece
from inloop.cli.output import duration, heading, paragraph, print_json, table
from inloop.cli.timing import batch_nanoseconds, hot_nanoseconds
from inloop.cli.trace import can_draw, draw_curve
from inloop.errors import counted
from inloop.gallery import Exhibit
from inloop.native import explain_no_compiler, find_compiler, runs_as_python
from inloop.plant import NativeEngine

EXHIBITS = ("puma560", "double_pendulum")
TIMED = ("inverse_dynamics", "direct_dynamics", "mass_matrix")
SECONDS = 10.0
CACHED = 0.15  # a build that takes less time comes from the cache [s]
EXCERPT = 9  # lines of generated C to show
WIDTH = 92  # maximum width of such a line
LEGEND = """
operations: as derived, after factoring, and after moving everything that depends only on
parameters into 'prepare', which runs when a parameter changes; hot: one state after another
on one core; batch: per state, for 20,000 states in one call from Python, on all cores"""
NEXT = """\
inloop list                                        the other mechanisms
inloop describe puma560                            bodies, joints, parameters
inloop derive puma560 --out puma_c                 the generated C, ready to embed
inloop run double_pendulum --seconds 20 --plot pendulum.png
inloop studio piano                                play it in the browser
inloop run n_pendulum --set n=40 --set length=0.05"""


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "derive, compile and simulate a robot and a pendulum, and show the results"
    parser = commands.add_parser("demo", parents=[shared], help=text, description=text)
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the double pendulum")
    parser.add_argument(
        "--play",
        action="store_true",
        help="finish with a finger playing a piece on the piano action",
    )
    parser.add_argument(
        "--studio",
        action="store_true",
        help="finish in the studio, with the piano action in the browser",
    )
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Show mechanisms of the gallery one by one."""
    start = time.perf_counter()
    compiler = find_compiler()
    told: dict[str, Any] = {"version": il.__version__, "mechanisms": {}}
    shown = not args.json
    if shown:
        heading(f"inloop {il.__version__}: a mechanism you can touch")
        cores = len(os.sched_getaffinity(0))
        paragraph(f"{cores} cores, {compiler.version if compiler else explain_no_compiler()}")
    for name in EXHIBITS:
        exhibit = gallery.get(name)
        told["mechanisms"][name] = _exhibit(
            exhibit, shown, args.plot if name == EXHIBITS[-1] else None
        )
    if args.play:
        told["piece"] = play_piece(shown)
    told["seconds"] = time.perf_counter() - start
    if shown:
        heading("What to try next")
        paragraph(NEXT)
        paragraph(f"\nThat took {duration(told['seconds'])}.")
    else:
        print_json(told)
    if args.studio:
        heading("The piano action, in the browser")
        from inloop.cli.main import main

        return main(["studio", "piano"])
    return 0 if all(m["ok"] for m in told["mechanisms"].values()) else 1


def _exhibit(exhibit: Exhibit, shown: bool, figure: str | None) -> dict[str, Any]:
    """Process one mechanism, from its description to a run, with progress output."""
    if shown:
        heading(exhibit.title)
        paragraph(exhibit.look_at)
    plant = exhibit.build().compile()
    data: dict[str, Any] = {"title": exhibit.title, **_times(plant)}
    if shown:
        paragraph(_built_text(plant, data))
        paragraph()
    data["functions"] = _functions(plant)
    if shown:
        _show_functions(data["functions"])
        if exhibit.name == EXHIBITS[0]:
            paragraph(LEGEND)
    data["checks"] = _checks(exhibit, plant, shown)
    data["run"] = _run(plant, shown, figure)
    data["sources"] = _sources(plant, shown)
    data["ok"] = all(item["ok"] for item in data["checks"])
    return data


def _times(plant: il.Plant) -> dict[str, float]:
    build = sum(s for step, s in plant.times.items() if step.startswith("build"))
    return {"derive_seconds": sum(plant.times.values()) - build, "build_seconds": build}


def _built_text(plant: il.Plant, data: dict[str, Any]) -> str:
    how = "compiled in" if data["build_seconds"] > CACHED else "taken from the build cache in"
    if find_compiler() is None:
        how = "written as Python in"
    return (
        f"{counted(plant.n, 'coordinate')}, "
        f"{counted(len(plant.parameters), 'parameter')} to tune; derived in "
        f"{duration(data['derive_seconds'])}, {how} {duration(data['build_seconds'])}"
    )


def _functions(plant: il.Plant) -> dict[str, Any]:
    """Operations by pass, and times, of each function."""
    found: dict[str, Any] = {}
    for entry in plant.passes:
        name = entry.function
        found[name] = {"passes": entry.totals, "operations": plant.operations[name]}
        if name in TIMED and not runs_as_python():
            found[name]["hot_ns"] = hot_nanoseconds(plant, name)
            found[name]["batch_ns"] = batch_nanoseconds(plant, name)
    return found


def _show_functions(functions: dict[str, Any]) -> None:
    passes = list(next(iter(functions.values()))["passes"])
    header = ("function", *passes, "mul", "add", "sincos", "hot [ns]", "batch")
    rows = []
    for name, entry in functions.items():
        times = [f"{entry[kind]:.1f}" if kind in entry else "" for kind in ("hot_ns", "batch_ns")]
        counts = [f"{entry['operations'][kind]}" for kind in ("mul", "add", "sincos")]
        rows.append((name, *(f"{entry['passes'][p]}" for p in passes), *counts, *times))
    table(header, rows)


def _checks(exhibit: Exhibit, plant: il.Plant, shown: bool) -> list[dict[str, Any]]:
    found = exhibit.compare(plant)
    if shown and found:
        rows = [(c.reference.what, f"{c.error:.0e}", c.reference.unit, verdict(c)) for c in found]
        paragraph()
        table(("compared with published values", "error", "unit", ""), rows)
    return [{"what": c.reference.what, "error": c.error, "ok": c.ok} for c in found]


def _run(plant: il.Plant, shown: bool, figure: str | None) -> dict[str, Any]:
    """Simulate from the initial state and check the energy."""
    plant.simulate(t_end=0.5, step=1e-3)  # triggers builds of the first run
    start = time.perf_counter()
    result = plant.simulate(t_end=SECONDS, step=1e-3)
    seconds = time.perf_counter() - start
    drift = result.energy_drift()
    if shown:
        paragraph()
        paragraph(
            f"released for {SECONDS:g} s, {len(result.t) - 1} steps of 1 ms: "
            f"{duration(seconds)} of computing,\n"
            f"{SECONDS / seconds:.0f} times faster than real time; the energy drifted by "
            f"{drift:.1e} of the peak kinetic energy"
        )
        if plant.name == "double_pendulum" and can_draw():
            _draw_tip(plant, result)
    if figure:
        result.plot("upper.q", "lower.q", "energy.total", file=figure)
    return {"seconds": seconds, "energy_drift": drift, "status": result.status, "figure": figure}


def _draw_tip(plant: il.Plant, result: il.Result) -> None:
    p_WQ = plant.position("lower.tip", result.q)
    paragraph("\nthe path of its tip:\n")
    paragraph("\n".join(draw_curve(np.array(p_WQ[:, 0]), np.array(p_WQ[:, 1]))))


def _sources(plant: il.Plant, shown: bool) -> str | None:
    """Directory of the generated C; shows an excerpt."""
    engine = plant.equations.engine("inverse_dynamics")
    if not isinstance(engine, NativeEngine):
        return None
    directory = engine.library.path.parent
    if shown:
        paragraph(f"\nthe generated C is in\n  {directory}")
        if plant.name == EXHIBITS[0]:
            paragraph("\n".join(["", *_excerpt(directory / f"{plant.name}_inverse_dynamics.c")]))
    return str(directory)


def _excerpt(file: Path) -> list[str]:
    """A few lines of a generated file, starting at the section of a body."""
    lines = file.read_text(encoding="utf-8").splitlines()
    starts = [k for k, line in enumerate(lines) if "----" in line]
    # the longest section without long lines at its start
    spans = [
        (end - start, start)
        for start, end in pairwise(starts)
        if all(len(line) <= WIDTH for line in lines[start : start + EXCERPT])
    ]
    first = max(spans, default=(0, len(lines) // 2))[1]
    return lines[first : first + EXCERPT]
