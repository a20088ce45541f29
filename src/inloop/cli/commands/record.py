"""`inloop record`, `inloop replay`, `inloop report`: recordings of running plants."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import time
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.cli.attaching import add_attachment
from inloop.cli.formulations import formulation_of_facts
from inloop.cli.output import heading, paragraph, print_json, table
from inloop.cli.python_file import Compiled
from inloop.cli.setting_files import add_settings
from inloop.cli.starting import add_start, prepare
from inloop.cli.subject import Subject, add_base, find_subject, subject_of_facts
from inloop.errors import FileFormatError, counted
from inloop.realtime import Flag, Recording, record, repair, replay
from inloop.realtime.observed import FACT
from inloop.realtime.recordings.channels import read_report
from inloop.realtime.recordings.recording_file import check_new
from inloop.realtime.recordings.replay import GOOD

FAILED, DIFFERENT = 2, 1
KEPT = ("sequence", "stamp", "status", "flags")
QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "max": 1.0}


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the three commands to the command line."""
    text = "record all signals of a running plant from now on, for Foxglove and for replay"
    parser = commands.add_parser("record", parents=[shared], help=text, description=text)
    parser.add_argument("name", help="name of a running plant")
    parser.add_argument("--to", required=True, metavar="FILE.mcap", help="file to write")
    add_attachment(parser)
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    parser.add_argument(
        "--history",
        action="store_true",
        help="begin with the oldest records in the telemetry, not with this command",
    )
    parser.add_argument("--begun", type=int, metavar="FD", help=argparse.SUPPRESS)
    parser.set_defaults(call=call_record)

    text = "repeat the steps of a recording and compare every bit"
    parser = commands.add_parser("replay", parents=[shared], help=text, description=text)
    parser.add_argument("file", help="a recording")
    parser.add_argument(
        "mechanism",
        nargs="?",
        metavar="NAME|FILE",
        help="the mechanism; needed unless it is in the gallery",
    )
    add_settings(
        parser,
        help="set an option, as in the recorded run; may be repeated; @FILE reads them from a "
        "file. Parameters follow the recording",
    )
    add_base(parser)
    add_start(parser)
    parser.set_defaults(call=call_replay)

    text = "summarize a recording, and how well the plant met its deadlines"
    parser = commands.add_parser("report", parents=[shared], help=text, description=text)
    parser.add_argument("file", help="a recording, or a report written by `inloop run` (.json)")
    parser.add_argument(
        "--repair",
        metavar="TO.mcap",
        help="repair an incomplete recording and write it to this file",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    parser.set_defaults(call=call_report)


def check_target(target: Path, overwrite: bool) -> None:
    """Report early what would prevent a recorder from writing a file."""
    if target.suffix != ".mcap" or not target.parent.is_dir():
        raise il.InputError(
            f"cannot record to {str(target)!a}",
            fix="Use an existing directory and a name that ends in .mcap.",
        )
    if not overwrite:
        check_new(target)


def call_record(args: argparse.Namespace) -> int:
    """Record until the plant ends, the time is over, or it is stopped."""
    began = time.monotonic_ns()
    target = Path(args.to)
    check_target(target, args.overwrite)
    ended = threading.Event()
    stops = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, lambda *_: ended.set())) for number in stops]
    try:
        with il.attach(args.name, wait=args.wait) as box:
            # the recorder of a new run takes everything
            whole = args.history or args.begun is not None
            since = 0 if whole else box.clock.now_ns - (time.monotonic_ns() - began)
            if not args.json:
                print(f"recording '{args.name}' to {target}", file=sys.stderr, flush=True)
            done = record(
                box,
                target,
                seconds=args.seconds,
                stop=ended.is_set,
                begun=lambda: _tell_begun(args.begun),
                overwrite=args.overwrite,
                since=since,
            )
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    told = {"file": str(target), "records": done.records, "lost": done.lost, "bytes": done.size}
    if args.json:
        print_json({**told, "problem": done.problem})
    else:
        paragraph(
            f"{counted(done.records, 'record')}, {done.lost} lost, "
            f"{counted(done.size, 'byte')} in {target}"
            + (f"; ended early: {done.problem}" if done.problem else "")
        )
    return FAILED if done.problem else 0


def _tell_begun(descriptor: int | None) -> None:
    """Notify the parent process that recording has started."""
    if descriptor is not None:
        with contextlib.suppress(OSError):  # its parent is gone
            os.write(descriptor, b"1")
            os.close(descriptor)


def call_replay(args: argparse.Namespace) -> int:
    """Rebuild the mechanism, feed it the recorded inputs, compare."""
    recording = Recording(_there(args.file))
    subject = find_subject(args) if args.mechanism is not None else _told(recording, args.set)
    if args.set and subject.settings:
        names = ", ".join(subject.settings)
        print(
            f"note: --set {names} changes nothing: parameters follow the recording", file=sys.stderr
        )
    prepare(subject, args, held=True)  # as in the recorded run
    if not isinstance(subject.model, Compiled):
        subject = replace(subject, formulation=formulation_of_facts(recording.facts))
    plant = subject.compile()
    observer, reason = _observer(recording, plant)
    found = replay(recording, plant, observer=observer)
    first = found.first
    if args.json:
        counts = ("samples", "steps", "gaps", "different", "observed")
        data = {name: getattr(found, name) for name in counts}
        print_json({**data, "identical": found.identical, "complete": found.complete})
    else:
        paragraph(
            f"{counted(found.steps, 'step')} repeated, {found.different} with different "
            f"bits; {counted(found.gaps, 'gap')}"
            + (f"; estimates compared in {found.observed} of them" if observer else "")
            + ("" if found.complete else "; the end of the file is missing")
        )
        if reason:
            paragraph(f"estimates were not compared: {reason}")
        if first is not None:
            paragraph(
                f"first at t = {first.t:g} s: {first.name} was {first.recorded!r}, "
                f"is {first.replayed!r}"
            )
    return 0 if found.identical else DIFFERENT


def _observer(recording: Recording, plant: il.Plant) -> tuple[il.observers.Observer | None, str]:
    """The observer of the recorded loop, recreated; or why that is not possible."""
    facts = recording.facts.get(FACT)
    if facts is None:
        return None, ""
    try:
        return il.observers.observer_again(plant, facts), ""
    except (il.InputError, FileFormatError) as error:
        return None, error.mistakes[0].what


def _told(recording: Recording, words: list[str]) -> Subject:
    """The gallery mechanism named by a recording, with changed settings if given."""
    given = {"settings": json.dumps(words)} if words else {}
    try:
        return subject_of_facts({**recording.facts, **given})
    except il.InputError as error:
        name = recording.path.name
        raise il.InputError(
            f"{name} does not say which mechanism to replay: {error.mistakes[0].what}",
            fix=f"If you trust the file of the mechanism, name it: inloop replay {name} FILE.",
        ) from None


def call_report(args: argparse.Namespace) -> int:
    """Read a recording once and summarize it."""
    path = _there(args.file)
    if path.suffix == ".json":
        text = path.read_text(encoding="utf-8", errors="replace")
        return _show_data(read_report(text), args.json)
    if args.repair:
        repair(path, args.repair, overwrite=args.overwrite)
        path = Path(args.repair)
    data = _summary(Recording(path))
    if args.json:
        print_json(data)
        return 0
    heading(f"{data['name']}: {data['model']}")
    paragraph(
        f"{counted(data['samples'], 'record')} over {data['t_end'] - data['t_begin']:g} s "
        f"at {data['rate']:g} Hz ({data['method']}), {data['missing']} missing"
        + ("" if data["complete"] else "; the end of the file is missing")
    )
    paragraph(
        f"{data['safe']} in the safe state, {counted(data['extra'], 'extra step')} to "
        f"catch up, {data['failed']} failed, "
        f"{counted(data['parameter_changes'], 'parameter change')}"
    )
    if data["report"]:
        return _show_data(data["report"], False)
    return 0


def _summary(recording: Recording) -> dict[str, Any]:
    kept = array("q")  # compact, as a long recording has millions of samples
    times = array("d")
    changes = 0
    for sample in recording:
        kept.extend(sample.counts[name] for name in KEPT)
        times.append(float(sample.values[0]))
        changes += sample.parameters is not None
    if not times:
        raise il.InputError(
            f"{recording.path.name} holds no samples", fix="Record again, for longer."
        )
    sequence, stamps, status, flags = np.frombuffer(kept, dtype=np.int64).reshape(-1, 4).T
    stepped = flags & Flag.SET == 0
    between = np.diff(stamps)[stepped[1:]] / 1e3
    quantiles = np.quantile(between, list(QUANTILES.values())).tolist() if len(between) else []
    facts = recording.facts
    return {
        "file": str(recording.path),
        "name": facts["name"],
        "model": facts["model"],
        "digest": facts.get("digest", ""),
        "rate": 1.0 / recording.layout.period,
        "method": facts.get("method", "unknown"),
        "complete": recording.complete,
        "samples": len(times),
        "missing": int(sequence[-1]) - int(sequence[0]) + 1 - len(times),
        "t_begin": times[0],
        "t_end": times[-1],
        "safe": int(np.count_nonzero(flags & Flag.SAFE)),
        "extra": int(np.count_nonzero(flags & Flag.EXTRA)),
        "failed": int(np.count_nonzero(~np.isin(status, [s.value for s in GOOD]))),
        "parameter_changes": changes - 1,
        "between_records_us": dict(zip(QUANTILES, quantiles, strict=False)),
        "report": recording.report,
    }


def _show_data(data: dict[str, Any], as_json: bool) -> int:
    """Print the statistics of a run."""
    if as_json:
        print_json(data)
        return 0
    times = {k: v for k, v in data.items() if isinstance(v, dict)}
    rows = [(k, str(v)) for k, v in data.items() if k not in times and not isinstance(v, list)]
    table(("count", "value"), rows)
    paragraph()
    cells = [(name, *map(_cell, map(found.get, QUANTILES))) for name, found in times.items()]
    table(("time [µs]", "p50", "p99", "p99.9", "max"), cells)
    return 0


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _there(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        shown = f"{name[:80]!a}"
        what = f"{shown} is a folder" if path.is_dir() else f"there is no file {shown}"
        raise il.InputError(what, fix="Check the path.")
    return path
