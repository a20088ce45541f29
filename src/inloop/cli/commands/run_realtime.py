"""`inloop run NAME --rate HZ`: runs a mechanism in real time and reports its timing."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.cli.controllers import own_controller
from inloop.cli.ending import end_with_parent
from inloop.cli.observers import observer_of_file
from inloop.cli.output import duration, heading, paragraph, print_json, table
from inloop.cli.points import point_positions
from inloop.cli.result_files import check_targets, write_files
from inloop.cli.side_processes import SideProcesses
from inloop.cli.starting import prepare, tell_notes
from inloop.cli.subject import find_subject
from inloop.cli.succeeding import prepare_successor
from inloop.native import require_compiler
from inloop.realtime import Collector, Loop, Options, Report
from inloop.realtime.options import MODES
from inloop.simulate.results.energies import with_energy

Group = argparse._ArgumentGroup  # which has no public name
STOPPED, FAILED = 130, 2
ENDINGS = (".json", ".txt", ".png", ".svg", ".pdf")
ONLY_REALTIME: dict[str, Any] = {
    "bare_loop": False, "name": None, "speed": 1.0, "substeps": 1, "report": None, "mode": "clock",
    "stale_after": 0.1, "core": None, "controller": None, "settings": None, "fault": [],
    "record": None, "overwrite": False, "seed": 1, "with_parent": False, "policies": [],
    "clock": "system", "warm": False, "in_place_of": None, "stage_to": None,
    "offer_controller": None, "offer_period": None, "observer": None,
}  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of real-time runs."""
    group = parser.add_argument_group("real time")
    _add_pace(group)
    _add_deadlines(group)
    _add_controller(group)
    _add_records(group)
    _add_hidden(group)


def _add_pace(group: Group) -> None:
    """Steps, and how they follow the clock."""
    group.add_argument(
        "--rate",
        type=float,
        metavar="HZ",
        help="run in real time, with this many steps per simulated second",
    )
    group.add_argument("--name", help="name under which others attach; default: the model's")
    group.add_argument(
        "--speed", type=float, default=1.0, help="simulated seconds per second of wall-clock time"
    )
    group.add_argument("--substeps", type=int, default=1, help="integrator steps per period")
    group.add_argument(
        "--mode",
        choices=list(MODES),
        default="clock",
        help="clock: follow the clock; free: as fast as possible; lock-step: wait for the "
        "controller at each step",
    )
    group.add_argument(
        "--clock",
        choices=("system", "scripted", "held"),
        default="system",
        help="scripted: as fast as possible, with the same deadlines on every machine; "
        "held: time advances only when another program says so",
    )


def _add_deadlines(group: Group) -> None:
    """How deadlines are kept, and what happens when something is late or wrong."""
    group.add_argument(
        "--stale-after",
        type=_age,
        default=0.1,
        metavar="S|never",
        help="age at which inputs are replaced by safe values [s]; default: 0.1",
    )
    group.add_argument(
        "--policy",
        dest="policies",
        type=_policy,
        action="append",
        default=[],
        metavar="WHAT=HOW",
        help="how to react to OVERRUN, DIVERGED, OUT_OF_BOUNDS, LOOP_OPEN, CHATTERING, "
        "CONTROLLER_FAILED or INPUT_STALE: hold, safe or stop; may be repeated",
    )
    group.add_argument(
        "--warm",
        type=_microseconds,
        nargs="?",
        const=True,
        default=False,
        metavar="US",
        help="wake up this long before each period and rehearse its step, to warm the "
        "caches [µs]; without a number: a tenth of the period, at most 100",
    )
    group.add_argument("--core", type=int, metavar="N", help="processor core to run on")
    group.add_argument(
        "--bare-loop",
        action="store_true",
        help="run an empty loop alongside, to measure the machine itself",
    )


def _add_controller(group: Group) -> None:
    """Controller and observer."""
    group.add_argument(
        "--controller",
        metavar="NAME|PROGRAM",
        help="a function or class in the Python file of the mechanism; or a separate "
        "process: a controller of the exhibit (`inloop describe` lists them), none, or "
        "a program that gets the name of the plant as its last argument",
    )
    group.add_argument(
        "--observer",
        metavar="NAME",
        help="an il.observer(...) in the Python file, or a function that returns one, to "
        "run inside the loop; its estimates become signals observer.NAME (to run one "
        "in a separate process: inloop observe)",
    )
    group.add_argument(
        "--period",
        type=float,
        metavar="S",
        help="time between two calls of the controller in the file [s]; default: one period "
        "of the plant",
    )
    group.add_argument(
        "--settings",
        metavar="FILE",
        help="settings of the controller, read again when the file changes",
    )


def _add_records(group: Group) -> None:
    """Faults, recordings and reports."""
    group.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND:SIGNAL[=VALUE][@BEGIN[-END]]",
        help="noise, drop, delay, stuck, or kill:controller@5-6; may be repeated",
    )
    group.add_argument("--seed", type=int, default=1, help="seed of random faults")
    group.add_argument("--record", metavar="FILE", help="record all signals: .mcap")
    group.add_argument("--overwrite", action="store_true", help="replace an existing recording")
    group.add_argument("--report", metavar="FILE", help="write a report: .json, .txt, .png")


def _add_hidden(group: Group) -> None:
    """What programs that start runs need."""
    group.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--in-place-of", metavar="PLANT", help=argparse.SUPPRESS)
    group.add_argument("--stage-to", metavar="FILE", help=argparse.SUPPRESS)
    # from the studio that starts it: initial controller and its period
    group.add_argument("--offer-controller", metavar="NAME", help=argparse.SUPPRESS)
    group.add_argument("--offer-period", type=float, metavar="S", help=argparse.SUPPRESS)


def _policy(text: str) -> tuple[str, str]:
    """Event and action as two words; `Options` validates them."""
    what, _, how = text.partition("=")
    return what, how


def _age(text: str) -> float | None:
    """Seconds, or None for "never"."""
    try:
        return None if text == "never" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!a} is neither seconds nor never") from None


def _microseconds(text: str) -> float:
    """Microseconds, converted to seconds."""
    try:
        return 1e-6 * float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!a} is not a number of microseconds") from None


def refuse_options(args: argparse.Namespace, *, controlled: bool = False) -> None:
    """Reject real-time options for a simulation instead of ignoring them.

    Args:
        args: command-line arguments.
        controlled: whether there is a controller that a simulation can call.
    """
    for name, default in ONLY_REALTIME.items():
        if getattr(args, name) != default and not (controlled and name == "controller"):
            word = name.replace("_", "-")
            raise il.InputError(
                f"--{word} is only for runs in real time", fix="Add a rate, such as --rate 1000."
            )


def check_period(args: argparse.Namespace, own: Any) -> None:
    """Reject a period without a controller function."""
    if args.period is not None and own is None:
        raise il.InputError(
            "--period is only for a controller that is a function in the file",
            fix="Name one with --controller; a program chooses its own period.",
        )


def call(args: argparse.Namespace) -> int:
    """Compile, run, print."""
    _check(args)
    require_compiler()
    if args.with_parent:
        end_with_parent()
    subject = find_subject(args)
    prepare(subject, args, held=True)
    if not args.with_parent:  # else the parent has printed them
        tell_notes(subject)
    plant = subject.compile()
    begin = time.perf_counter()
    known = [name for name in Options.__dataclass_fields__ if name in args]
    options: dict[str, Any] = {name: getattr(args, name) for name in known}
    options["policies"] = dict(args.policies)
    options["clock"] = None if args.clock == "system" else il.ScriptedClock()
    if args.method is None:
        options["method"] = subject.integrator[0]
    if args.observer is not None:
        options["observer"] = observer_of_file(args.observer, subject.names)
    own = own_controller(args.controller, subject.names)
    check_period(args, own)
    beside = SideProcesses(args, subject.exhibit, own)
    about = {"source": args.mechanism, "settings": json.dumps(args.set)}
    successor = None
    if args.in_place_of is not None:
        successor, told = prepare_successor(args, subject, plant, options)
        about = about | told
        options |= {"rehearse": 0.0, "snapshot": successor.snapshot}
    with (
        beside,
        il.start(
            plant, name=args.name, seconds=args.seconds, about=about, **beside.hold_back(options)
        ) as loop,
    ):
        if successor is not None:
            successor.hand_over(loop)
        beside.join(loop)
        wanted = bool(args.save or args.plot)
        scripted = args.clock == "scripted"
        if scripted and not wanted:
            loop.clock.release()
        with _collecting(loop, wanted, scripted) as collector:
            interrupted = _wait(loop, args, beside)
        report = loop.close()
    if args.report:
        report.save(args.report)
    if collector is not None:
        result = il.Result.of(with_energy(collector.result(), plant), plant)
        write_files(args, subject, plant, result)
    if args.json:
        data = _data(plant, report, time.perf_counter() - begin)
        told = {"recording_problem": beside.recording_problem} if args.record else {}
        print_json({**data, **told})
    else:
        _show(report)
    if beside.recording_problem:
        print(f"error: {beside.recording_problem}", file=sys.stderr)
        return FAILED
    if interrupted:
        return STOPPED
    return 0 if report.status == "OK" else FAILED


def _check(args: argparse.Namespace) -> None:
    for option in ("experiment", "tolerance", "step"):
        if getattr(args, option) is not None:
            raise il.InputError(
                f"--{option} is only for simulations", fix="Remove --rate or this option."
            )
    check_targets(args)
    if args.method == "scipy":
        raise il.InputError("--method scipy cannot run in real time", fix="Use --method rk4.")
    if args.report:
        target = Path(args.report)
        if target.suffix not in ENDINGS or not target.parent.is_dir():
            raise il.InputError(
                f"--report cannot write to {str(target)!a}",
                fix=f"Use an existing directory and a name that ends in {' or '.join(ENDINGS)}.",
            )


def _collecting(
    loop: Loop, wanted: bool, scripted: bool
) -> contextlib.AbstractContextManager[Collector | None]:
    """A collector of all records, if requested."""
    return Collector(loop, advance=scripted) if wanted else contextlib.nullcontext()


def _announce(loop: Loop, seconds: float | None) -> None:
    end = "until Ctrl-C" if seconds is None else f"for {seconds:g} s"
    print(
        f"running '{loop.name}' at {loop.options.rate:g} Hz {end}; watch it with: "
        f"inloop monitor {loop.name}",
        file=sys.stderr,
    )


def _wait(loop: Loop, args: argparse.Namespace, beside: SideProcesses) -> bool:
    """Wait until the end; return True after Ctrl-C."""
    try:
        if not args.json:
            _announce(loop, args.seconds)
        beside.watch(loop)
    except KeyboardInterrupt:
        return True
    return False


def _data(plant: il.Plant, report: Report, seconds: float) -> dict[str, Any]:
    data: dict[str, Any] = {"model": plant.name, "status": report.status}
    outputs = report.outputs
    if outputs is not None:
        quaternions = [outputs[name] for name in plant.positions[plant.n :]]
        q = np.concatenate([outputs.q, quaternions])
        kinetic, potential = plant.energy(q, outputs.qd)
        found = point_positions(plant, q)
        positions = {f"{p}.{a}": v for p, x in found.items() for a, v in zip("xyz", x, strict=True)}
        skipped = {"t", *(f"{c}.{k}" for c in plant.coordinates for k in ("q", "qd"))}
        named = {n: outputs[n] for n in outputs.names if n not in skipped}
        data |= {
            "t": outputs.t,
            "q": dict(zip(plant.coordinates, outputs.q, strict=True)),
            "qd": dict(zip(plant.coordinates, outputs.qd, strict=True)),
            "outputs": {**positions, **named},
            "energy": {
                "kinetic": kinetic, "potential": potential, "total": kinetic + potential,
            },
            "constraint_violation": _violation(plant, q, outputs.qd, outputs.t),
        }  # fmt: skip
    more = {"notes": list(report.notes), "parameters": dict(plant.parameters), "seconds": seconds}
    return {**data, **more, "realtime": report.data()}


def _violation(plant: il.Plant, q: Any, qd: Any, t: float) -> float:
    """Maximum constraint violation [m or rad]; 0 without loops."""
    return float(plant.formulation.rows.violation(q, qd, t))


def _show(report: Report) -> None:
    heading(report.name)
    for sentence in report.sentences():
        paragraph(sentence)
    if report.outputs is not None:
        paragraph(f"ended at t = {report.outputs.t:g} s; one period is {duration(report.period)}")
    paragraph()
    table(("time [µs]", "p50", "p99", "p99.9", "max"), report.rows())
