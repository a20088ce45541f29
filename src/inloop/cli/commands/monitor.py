"""`inloop monitor`: a live view of a running plant in the terminal."""

from __future__ import annotations

import argparse
import sys
import time
from fnmatch import fnmatchcase
from typing import Any

import inloop as il
from inloop.cli.output import plain_table, print_json
from inloop.errors import name_hint
from inloop.realtime import Mailbox, Outputs, Report, running
from inloop.realtime.observed import FACT

REFRESH = 0.25  # [s]
MOST_SIGNALS = 24
SILENT = 1.0  # [s]


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "watch a running plant: state, deadlines, signals"
    parser = commands.add_parser("monitor", parents=[shared], help=text, description=text)
    parser.add_argument("name", nargs="?", help="name of a running plant; default: list all")
    parser.add_argument(
        "--signals", metavar="NAMES",
        help='comma-separated list of signals, for example "observer.*"; '
             "default: the first ones",
    )  # fmt: skip
    parser.add_argument("--seconds", type=float, metavar="S", help="how long to watch [s]")
    parser.add_argument("--once", action="store_true", help="print the current state and exit")
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Attach and show until the plant ends or Ctrl-C."""
    if args.name is None:
        return _list(args.json)
    with il.attach(args.name) as box:
        if args.json:
            print_json(_data(box))
        elif args.once:
            print("\n".join(_lines(box, None, args.signals)))
        else:
            _watch(box, args.seconds, args.signals)
    return 0


def _list(as_json: bool) -> int:
    names = running()
    if as_json:
        print_json({"running": names})
    else:
        print("\n".join(names) if names else "no plant is running on this machine")
    return 0


def _data(box: Mailbox) -> dict[str, Any]:
    outputs, report = box.peek(), box.report()
    return {
        "name": box.name,
        "model": box.layout.model,
        "state": box.state.name,
        "t": outputs.t,
        "outputs": {name: outputs[name] for name in box.names},
        "parameters": dict(box.parameters),
        "writer": box.writer,
        "realtime": report.data(),
    }


def _watch(box: Mailbox, seconds: float | None, wanted: str | None) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    screen = _rich_screen()
    before: tuple[float, int] | None = None
    try:
        with screen:
            while not box.gone and (end is None or time.monotonic() < end):
                now, steps = time.monotonic(), box.report().steps
                rate = (steps - before[1]) / (now - before[0]) if before is not None else None
                before = (now, steps)
                screen.show("\n".join(_lines(box, rate, wanted)))
                time.sleep(REFRESH)
    except KeyboardInterrupt:
        return
    if box.gone:
        print(f"plant '{box.name}' has ended", file=sys.stderr)


def _lines(box: Mailbox, rate: float | None, wanted: str | None) -> list[str]:
    """The view: state, timing, signals."""
    outputs, report = box.peek(), box.report()
    measured = "" if rate is None else f", {rate:.0f} steps/s"
    head = (
        f"{box.name} ({box.layout.model}): {_state(box, report)}, {outputs.status_name}, "
        f"t = {outputs.t:.3f} s{measured}, inputs by "
        f"{'nobody' if box.writer is None else f'process {box.writer}'}"
    )
    times = plain_table(("time [µs]", "p50", "p99", "p99.9", "max"), report.rows())
    told = [*_counts(report), *_observer(box, outputs)]
    return [head, *told, "", *times, "", *_signals(box, outputs, wanted)]


def _state(box: Mailbox, report: Report) -> str:
    """State of the loop, or the time since its last heartbeat."""
    silence = 1e-9 * (box.clock.now_ns - report.statistics.heartbeat)
    return box.state.name if silence < SILENT else f"SILENT for {silence:.1f} s"


def _counts(report: Report) -> list[str]:
    return [f"  {sentence}" for sentence in report.sentences()[1:]]


def _observer(box: Mailbox, outputs: Outputs) -> list[str]:
    """Status of the observer, if there is one."""
    told = [f"{FACT}.{name}" for name in ("nis", "used", "lost", "restarts", "status")]
    if FACT not in dict(box.layout.about) or any(name not in box.layout.index for name in told):
        return []
    nis, used, lost, restarts, status = (outputs[name] for name in told)
    failed = f", its last update failed with status {status:.0f}" if status else ""
    return [
        f"  observer: NIS {nis:.3g} of {used:.0f} measurements, {lost:.0f} samples lost, "
        f"{restarts:.0f} restarts{failed}"
    ]


def _signals(box: Mailbox, outputs: Outputs, wanted: str | None) -> list[str]:
    names = [name for name in box.names if name != "t"]
    if wanted is not None:
        patterns = [text.strip() for text in wanted.split(",")]
        names = [n for n in names if any(fnmatchcase(n, pattern) for pattern in patterns)]
        if not names:
            raise il.InputError(
                f"plant '{box.name}' has no signal {wanted[:60]!a}",
                fix=name_hint(patterns[0], box.names),
            )
        return plain_table(("signal", "value"), [(n, f"{outputs[n]:.6g}") for n in names])
    rows = [(name, f"{outputs[name]:.6g}") for name in names[:MOST_SIGNALS]]
    rows += [(name, f"{value:.6g}") for name, value in list(box.parameters.items())[:8]]
    lines = plain_table(("signal", "value"), rows)
    left = len(names) - MOST_SIGNALS
    return [*lines, f"  … {left} more"] if left > 0 else lines


class _PlainScreen:
    """Prints views one after the other, for pipes and bare terminals."""

    def __enter__(self) -> _PlainScreen:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def show(self, text: str) -> None:
        print(f"{text}\n", flush=True)


class _RichScreen:
    """Refreshes the view in place."""

    def __init__(self, live: Any) -> None:
        self._live = live

    def __enter__(self) -> _RichScreen:
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._live.__exit__(*error)

    def show(self, text: str) -> None:
        from rich.text import Text

        self._live.update(Text(text), refresh=True)


def _rich_screen() -> _PlainScreen | _RichScreen:
    if not sys.stdout.isatty():
        return _PlainScreen()
    try:
        from rich.live import Live
    except ImportError:
        return _PlainScreen()
    return _RichScreen(Live(auto_refresh=False))
