"""`inloop observe`: estimates the states of a running plant alongside it, in a C thread."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import inloop as il
from inloop.cli.attaching import add_attachment
from inloop.cli.observers import observer_of_file
from inloop.cli.output import paragraph, print_json, table
from inloop.cli.setting_files import add_settings
from inloop.cli.starting import add_start, prepare
from inloop.cli.subject import Subject, add_base, find_subject, subject_of_facts
from inloop.errors import counted

POLL = 0.05  # [s]
# options, and arguments of il.observer: numbers by name, and others
PAIRS = {
    "measured": "measured", "disturbance": "disturbances", "unknown": "unknown",
    "offset": "offsets", "doubt": "doubt", "state": "states", "delay": "delays",
}  # fmt: skip
SINGLE = ("unobserved", "method", "horizon", "gate", "step", "integrator")
TEXT = "estimate the states of a running plant from measurements"
MORE = """\
The records of the plant are repeated under the name NAME.observed, with estimates, standard
deviations and innovations as additional signals, "observer.<name>":
  inloop observe robot --measured joint_1.q=1e-4 --measured joint_2.q=1e-4 …
  inloop monitor robot.observed --signals "observer.*"
  inloop record robot.observed --to estimates.mcap"""


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "observe", parents=[shared], help=TEXT, description=f"{TEXT}\n\n{MORE}",
        formatter_class=layout,
    )  # fmt: skip
    parser.add_argument("name", help="name of a running plant, or of the mailbox of a real device")
    parser.add_argument(
        "mechanism", nargs="?", metavar="NAME|FILE",
        help="the model of the plant; needed unless it is in the gallery. A Python file may "
             "define `observer`: an il.observer(...), or a function without arguments that "
             "returns one",
    )  # fmt: skip
    for option, what, text in (
        ("measured", "OUTPUT=S", "a measured output, and the standard deviation of its noise"),
        ("disturbance", "INPUT=S",
         "white noise added to an input or effort, and its standard deviation"),
        ("unknown", "INPUT=C",
         "an input or effort with an unknown addition to estimate, and its change in one second"),
        ("offset", "OUTPUT=C",
         "a measured output with an offset to estimate, and its change in one second"),
        ("doubt", "STATE=S", "a state, and its initial standard deviation"),
        ("state", "STATE=S",
         "a state that is disturbed directly, and the standard deviation per sample"),
        ("delay", "OUTPUT=S", "a measured output, and its delay [s], in whole periods"),
    ):  # fmt: skip
        parser.add_argument(
            f"--{option}", action="append", default=[], metavar=what, help=f"{text}; repeatable"
        )
    parser.add_argument(
        "--unobserved", action="append", default=[], metavar="STATE",
        help="accept that the measurements do not determine this state; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=("ekf", "ukf", "mhe"),
        help="extended or unscented Kalman filter, or moving-horizon estimation; default: ekf",
    )  # fmt: skip
    parser.add_argument(
        "--horizon", type=int, metavar="N", help="horizon of mhe, in samples; default: 20"
    )
    parser.add_argument(
        "--gate", type=float, metavar="N",
        help="reject measurements that are off by more than N standard deviations",
    )  # fmt: skip
    parser.add_argument(
        "--step", type=float, metavar="H",
        help="step of the integrator [s]; default: the period of the plant",
    )  # fmt: skip
    parser.add_argument(
        "--integrator", choices=("rk4", "euler", "dopri", "implicit", "rodas"),
        help="implicit or rodas for stiff force laws; default: rk4",
    )  # fmt: skip
    add_settings(
        parser, help="set a parameter of the model; may be repeated; @FILE reads them from a file"
    )
    add_base(parser)
    add_start(parser)
    parser.add_argument(
        "--as",
        dest="as_name",
        metavar="NAME",
        help="publish under this name; default: NAME.observed",
    )
    add_attachment(parser)
    parser.add_argument(
        "--priority", type=int, default=0, metavar="P", help="real-time priority (SCHED_FIFO)"
    )
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Create the observer, follow the plant until it ends, print a report."""
    with il.attach(args.name, wait=args.wait) as box:
        facts, period = dict(box.layout.about), box.layout.period
    observer = _observer(args, facts, period)
    ended = threading.Event()
    stops = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, lambda *_: ended.set())) for number in stops]
    try:
        with il.observe(
            args.name, observer, name=args.as_name, priority=args.priority
        ) as observation:
            if not args.json:
                text = f"observing '{args.name}' as '{observation.name}'; Ctrl-C ends it"
                print(text, file=sys.stderr, flush=True)
            _follow(observation, ended, args.seconds)
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    _tell(observation, args.json)
    return 0


def _follow(
    observation: il.realtime.Observation, ended: threading.Event, most: float | None
) -> None:
    waited = 0.0
    while observation.running and not ended.wait(POLL):
        waited += POLL
        if most is not None and waited >= most:
            break


def _observer(
    args: argparse.Namespace, facts: Mapping[str, str], period: float
) -> il.observers.Observer:
    subject = find_subject(args) if args.mechanism is not None else _running(args, facts)
    given = [name for name in (*PAIRS, *SINGLE, "set") if getattr(args, name) not in (None, [])]
    if "observer" in subject.names and not args.measured:
        if given:
            raise il.InputError(
                f"--{given[0]} does not change the observer that the file defines",
                fix="Change it in the file, or name its outputs here: --measured crank.q=1e-4.",
            )
        return observer_of_file("observer", subject.names)
    if not args.measured:
        raise il.InputError(
            f"observer of '{args.name}': no measured outputs are given",
            fix="Name outputs with the standard deviation of their noise: --measured crank.q=1e-4.",
        )
    prepare(subject, args, held=True)
    pairs: dict[str, Any] = {name: _pairs(getattr(args, option)) for option, name in PAIRS.items()}
    single = {name: getattr(args, name) for name in SINGLE if name in given}
    return il.observer(subject.compile(), period=period, **pairs, **single)


def _running(args: argparse.Namespace, facts: Mapping[str, str]) -> Subject:
    try:
        return subject_of_facts(facts)
    except il.InputError as error:
        raise il.InputError(
            f"the model of '{args.name}' is not known here: {error.mistakes[0].what}",
            fix=f"Name it: inloop observe {args.name} FILE.",
        ) from None


def _pairs(words: Sequence[str]) -> dict[str, float]:
    found = {}
    for word in words:
        name, _, text = word.partition("=")
        if name.strip() in found:
            raise il.InputError(f"{name[:60]!a} is given twice", fix="Give it once.")
        try:
            found[name.strip()] = float(text)
        except ValueError:
            raise il.InputError(
                f"{word[:60]!a} does not assign a number", fix="Write it as crank.q=1e-4."
            ) from None
    return found


def _tell(observation: il.realtime.Observation, as_json: bool) -> None:
    report = observation.report()
    data = {
        "name": observation.name,
        "records": report.steps,
        "lost": observation.lost,
        "step_cpu_us": report.times("step_cpu"),
        "notes": list(observation.notes),
    }
    if as_json:
        print_json(data)
        return
    paragraph(f"{counted(report.steps, 'record')}, {observation.lost} lost")
    for note in observation.notes:
        paragraph(note)
    table(("time [µs]", "p50", "p99", "p99.9", "max"), report.rows())
