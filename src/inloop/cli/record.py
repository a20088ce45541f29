"""`inloop record`, `inloop replay`, `inloop report`: recordings of plants that run."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.cli.output import heading, paragraph, print_json, table
from inloop.cli.subject import apply_settings, find_subject
from inloop.native import Status
from inloop.realtime import Flag, Recording, record, repair, replay

FAILED, DIFFERENT = 2, 1


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the three commands to the command line."""
    text = "record all signals of a plant that runs, at full rate, for Foxglove and for replay"
    parser = commands.add_parser("record", parents=[shared], help=text, description=text)
    parser.add_argument("name", help="of a running plant")
    parser.add_argument("--to", required=True, metavar="FILE.mcap", help="file to write")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long [s]; to its end")
    parser.set_defaults(call=call_record)

    text = "do the steps of a recording again and compare every bit"
    parser = commands.add_parser("replay", parents=[shared], help=text, description=text)
    parser.add_argument("file", help="a recording")
    parser.add_argument("mechanism", nargs="?", metavar="NAME|FILE", help="if it is elsewhere now")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="options")
    parser.set_defaults(call=call_replay)

    text = "tell what a recording holds, and how well the plant kept its deadlines"
    parser = commands.add_parser("report", parents=[shared], help=text, description=text)
    parser.add_argument("file", help="a recording, or a report that inloop run has written (.json)")
    parser.add_argument("--repair", metavar="TO.mcap", help="write a complete file from a torn one")
    parser.set_defaults(call=call_report)


def call_record(args: argparse.Namespace) -> int:
    """Record until the plant ends, the time is over, or somebody stops it."""
    target = Path(args.to)
    if target.suffix != ".mcap" or not target.parent.is_dir():
        raise il.InputError(
            f"cannot record to {str(target)!a}",
            fix="Use a directory that is there and a name that ends in .mcap.",
        )
    ended = threading.Event()
    stops = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, lambda *_: ended.set())) for number in stops]
    try:
        with il.attach(args.name, wait=10.0) as box:
            if not args.json:
                print(f"recording '{args.name}' to {target}", file=sys.stderr, flush=True)
            done = record(box, target, seconds=args.seconds, stop=ended.is_set)
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    told = {"file": str(target), "records": done.records, "lost": done.lost, "bytes": done.size}
    if args.json:
        print_json({**told, "problem": done.problem})
    else:
        paragraph(
            f"{done.records} records, {done.lost} lost, {done.size} bytes in {target}"
            + (f"; ended early: {done.problem}" if done.problem else "")
        )
    return FAILED if done.problem else 0


def call_replay(args: argparse.Namespace) -> int:
    """Build the same mechanism, feed it the recorded inputs, compare."""
    recording = Recording(_there(args.file))
    if args.mechanism is None:
        args.mechanism = recording.facts.get("source", "")
        args.set = args.set or json.loads(recording.facts.get("settings", "[]"))
        if not args.mechanism:
            raise il.InputError(
                "the recording does not tell where its mechanism comes from",
                fix="Name it: inloop replay FILE NAME.",
            )
    subject = find_subject(args)
    plant = subject.model.compile()
    apply_settings(plant, subject.settings)
    found = replay(recording, plant)
    first = found.first
    if args.json:
        data = {name: getattr(found, name) for name in ("samples", "steps", "gaps", "different")}
        print_json({**data, "identical": found.identical, "complete": found.complete})
    else:
        paragraph(
            f"{found.steps} steps done again, {found.different} with other bits; "
            f"{found.gaps} gaps" + ("" if found.complete else "; the end of the file is missing")
        )
        if first is not None:
            paragraph(
                f"first at t = {first.t:g} s: {first.name} was {first.recorded!r}, "
                f"is {first.replayed!r}"
            )
    return 0 if found.identical else DIFFERENT


def call_report(args: argparse.Namespace) -> int:
    """Read a recording once and tell about it."""
    path = _there(args.file)
    if path.suffix == ".json":
        return _show_data(json.loads(path.read_text(encoding="utf-8")), args.json)
    if args.repair:
        repair(path, args.repair)
        path = Path(args.repair)
    data = _summary(Recording(path))
    if args.json:
        print_json(data)
        return 0
    heading(f"{data['name']}: {data['model']}")
    paragraph(
        f"{data['samples']} records over {data['t_end'] - data['t_begin']:g} s at {data['rate']:g} "
        f"Hz ({data['method']}), {data['missing']} missing"
        + ("" if data["complete"] else "; the end of the file is missing")
    )
    paragraph(
        f"{data['safe']} in the safe state, {data['extra']} extra steps to catch up, "
        f"{data['failed']} failed, {data['parameter_changes']} changes of parameters"
    )
    if data["report"]:
        return _show_data(data["report"], False)
    return 0


def _summary(recording: Recording) -> dict[str, Any]:
    counts = [(s.counts, float(s.values[0]), s.parameters is not None) for s in recording]
    if not counts:
        raise il.InputError(f"{recording.path.name} holds no samples", fix="Record for longer.")
    sequence = np.array([c["sequence"] for c, _, _ in counts])
    flags = np.array([c["flags"] for c, _, _ in counts])
    stepped = flags & Flag.SET == 0
    between = np.diff([c["stamp"] for c, _, _ in counts])[stepped[1:]] / 1e3
    facts = recording.facts
    return {
        "file": str(recording.path),
        "name": facts["name"],
        "model": facts["model"],
        "digest": facts.get("digest", ""),
        "rate": 1.0 / recording.layout.period,
        "method": facts.get("method", "unknown"),
        "complete": recording.complete,
        "samples": len(counts),
        "missing": int(sequence[-1] - sequence[0] + 1 - len(counts)),
        "t_begin": counts[0][1],
        "t_end": counts[-1][1],
        "safe": int(np.count_nonzero(flags & Flag.SAFE)),
        "extra": int(np.count_nonzero(flags & Flag.EXTRA)),
        "failed": sum(c["status"] in (Status.DIVERGED, Status.LOOP_OPEN)
                      for c, _, _ in counts),
        "parameter_changes": sum(changed for _, _, changed in counts) - 1,
        "between_records_us": dict(
            zip(("p50", "p99", "p999", "max"),
                np.quantile(between, (0.5, 0.99, 0.999, 1.0)).tolist() if len(between) else (),
                strict=False)
        ),
        "report": recording.report,
    }  # fmt: skip


def _show_data(data: dict[str, Any], as_json: bool) -> int:
    """The account of a run, as numbers."""
    if as_json:
        print_json(data)
        return 0
    times = {k: v for k, v in data.items() if isinstance(v, dict)}
    rows = [(k, str(v)) for k, v in data.items() if k not in times and not isinstance(v, list)]
    table(("count", "value"), rows)
    paragraph()
    cells = [
        (name, *("-" if x is None else f"{x:.1f}" for x in v.values())) for name, v in times.items()
    ]
    table(("time [µs]", "p50", "p99", "p99.9", "max"), cells)
    return 0


def _there(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise il.InputError(f"there is no file {name[:80]!a}", fix="Check the path.")
    return path
