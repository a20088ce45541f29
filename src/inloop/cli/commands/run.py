"""`inloop run`: simulates a mechanism, or runs it in real time, and prints the final state."""

from __future__ import annotations

import argparse
import math
import sys
import time
from typing import Any

import inloop as il
from inloop.cli.advice import shell_words
from inloop.cli.commands import run_realtime
from inloop.cli.commands.experiment import try_experiment
from inloop.cli.commands.run_data import run_data
from inloop.cli.controllers import is_unknown, no_controller, own_controller
from inloop.cli.formulations import add_formulation
from inloop.cli.output import duration, heading, paragraph, print_json, table, tell_interrupted
from inloop.cli.result_files import check_targets, write_files
from inloop.cli.starting import add_start, prepare, tell_notes
from inloop.cli.subject import Subject, add_subject, find_subject
from inloop.simulate import schedules

SAMPLES = 10_000  # approximate maximum number of stored states
STOPPED, FAILED = 130, 2
METHODS = (*schedules.METHODS, schedules.SCIPY)


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "simulate a mechanism, or run it in real time with --rate, and print the final state"
    parser = commands.add_parser("run", parents=[shared], help=text, description=text)
    add_subject(parser)
    add_start(parser)
    add_formulation(parser)
    # a run never opens a page, unlike `inloop studio`; the option is accepted without effect
    parser.add_argument("--headless", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, metavar="S", help="duration of the run [s]")
    parser.add_argument("--step", type=float, metavar="H", help="step of the integrator [s]")
    parser.add_argument(
        "--method",
        choices=METHODS,
        help="integrator; default: rk4, or one that suits the mechanism",
    )
    parser.add_argument(
        "--tolerance", type=float, metavar="R", help="relative error per step (dopri, rodas, alpha)"
    )
    parser.add_argument(
        "--experiment",
        metavar="E",
        help="run an experiment of the gallery; `inloop describe` lists them",
    )
    parser.add_argument("--plot", metavar="FILE", help="write a figure: .png, .svg, .pdf")
    parser.add_argument("--save", metavar="FILE", help="write all signals: .csv, .npz, .parquet")
    run_realtime.add_options(parser)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Compile, simulate, print."""
    if args.rate is not None:
        return run_realtime.call(args)
    run_realtime.refuse_options(args, controlled=True)
    check_targets(args)
    subject = find_subject(args)
    controller = own_controller(args.controller, subject.names)
    if controller is None and subject.names and is_unknown(args.controller):
        raise no_controller(args.mechanism, args.controller, subject.names)
    run_realtime.refuse_options(args, controlled=controller is not None)
    run_realtime.check_period(args, controller)
    prepare(subject, args, held=False)
    tell_notes(subject)
    if args.experiment is not None:
        return try_experiment(args, subject)
    plant = subject.compile()
    start = time.perf_counter()
    result, problem = _simulate(args, subject, plant, controller)
    seconds = time.perf_counter() - start
    # files first: results are kept even if the rest fails
    write_files(args, subject, plant, result)
    data = {
        **run_data(result, plant),
        "parameters": dict(plant.parameters),
        "seconds": seconds,
    }
    if args.json:
        print_json(data)
    else:
        _show(subject, result, data)
    if isinstance(problem, KeyboardInterrupt):
        tell_interrupted(_what_is_kept(result, args))
        return STOPPED
    if problem is not None:
        print(f"error: {shell_words(str(problem))}", file=sys.stderr)
        return FAILED
    return 0


def _what_is_kept(result: il.Result, args: argparse.Namespace) -> str:
    files = [name for name in (args.save, args.plot) if name]
    place = f" in {' and '.join(files)}" if files else " above"
    return f"the run reached t = {float(result.t[-1]):g} s; the results up to there are{place}"


def _simulate(
    args: argparse.Namespace, subject: Subject, plant: il.Plant, controller: Any
) -> tuple[il.Result, il.SimulationError | KeyboardInterrupt | None]:
    """The computed result, and why the run ended early, if it did."""
    exhibit = subject.exhibit
    t_end = args.seconds if args.seconds is not None else (exhibit.seconds if exhibit else 10.0)
    step = args.step if args.step is not None else (exhibit.step if exhibit else 1e-3)
    method, tolerance = args.method, args.tolerance
    if args.method is None:
        method, usual = subject.integrator
        tolerance = tolerance or usual
    sample = max(step, t_end / SAMPLES) if math.isfinite(t_end) and step > 0.0 else None
    try:
        return (
            plant.simulate(
                t_end=t_end,
                step=step,
                method=method,
                sample=sample,
                tolerance=tolerance,
                controller=controller,
                period=args.period,
            ),
            None,
        )
    except (il.SimulationError, KeyboardInterrupt) as error:
        result = getattr(error, "result", None)
        if not isinstance(result, il.Result):
            raise
        return result, error


def _show(subject: Subject, result: il.Result, data: dict[str, Any]) -> None:
    heading(subject.exhibit.title if subject.exhibit else result.name)
    paragraph(f"{result.status} at t = {data['t']:g} s, computed in {duration(data['seconds'])}")
    energy = data["energy"]
    balance = "these samples do not allow its balance to be judged"
    if energy["drift"] is not None:
        balance = f"its balance holds within {energy['drift']:.1e} of the energy exchanged"
    paragraph(f"energy {energy['total']:.6g} J; {balance}")
    if result.violation is not None:
        paragraph(f"loops stayed closed within {result.constraint_violation:.1e} m or rad")
    for note in result.notes:
        paragraph(shell_words(note))
    paragraph()
    rows = [(name, f"{data['q'][name]:.9g}", f"{data['qd'][name]:.9g}") for name in data["q"]]
    table(("coordinate", "q", "qd"), rows)
    if data["outputs"]:
        paragraph()
        table(("output", "value"), [(k, f"{v:.9g}") for k, v in data["outputs"].items()])
