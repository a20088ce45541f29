"""`inloop device`: a simulated haptic device holds a joint of a running plant."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import select
import time
from collections.abc import Mapping
from typing import Any

import inloop as il
from inloop.cli.ending import end_with_parent
from inloop.cli.output import paragraph, print_json
from inloop.cli.subject import subject_of_facts
from inloop.devices import RANGES, SETUPS, Setup, device_limits, find_setup
from inloop.gallery import Device
from inloop.realtime import Mailbox
from inloop.realtime.signals import ended_by_sigterm
from inloop.studio.plants.device_process import DeviceLoop, Grip

LIFTING = 0.3  # duration of a stroke [s], after an equally long rest
PATIENT = 10  # niceness: other processes go first
LONGEST = 1 << 16  # maximum number of bytes read at once


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "couple a simulated haptic device to a joint of a running plant"
    parser = commands.add_parser("device", parents=[shared], help=text, description=text)
    parser.add_argument("name", nargs="?", help="name of a running plant")
    parser.add_argument(
        "--rig", default="coarse", choices=tuple(SETUPS), help="the device; default: coarse"
    )
    for name, setting in RANGES.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=float, metavar="X", dest=f"setting_{name}",
            help=f"{setting.doc} [{setting.unit}]",
        )  # fmt: skip
    parser.add_argument("--controlled", action="store_true", help="add a passivity controller")
    parser.add_argument(
        "--joint", help="joint to hold, one with a live drive; default: chosen by the gallery"
    )
    parser.add_argument(
        "--arm", type=float, metavar="R", help="distance from the joint's axis to the handle [m]"
    )
    parser.add_argument(
        "--lift", type=float, default=0.0, metavar="Q",
        help="where the finger moves after a while, in the joint's unit",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="duration [s]; default: until Ctrl-C"
    )
    parser.add_argument(
        "--limits",
        action="store_true",
        help="only print the range of stiffness and mass that the device can display",
    )
    # targets and settings come from standard input, panel data go to standard output
    parser.add_argument("--piped", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(call=call)


def call(args: argparse.Namespace) -> int:
    """Hold the joint until the time is over, the input ends, or Ctrl-C."""
    given = {name: getattr(args, f"setting_{name}") for name in RANGES}
    settings = {name: value for name, value in given.items() if value is not None}
    setup = find_setup(args.rig).changed(settings | {"controlled": args.controlled})
    if args.limits:
        os.nice(PATIENT)
        _tell_limits(setup, as_json=args.json)
        return 0
    if args.name is None:
        raise il.InputError("no plant is given", fix="Name a running plant, or use --limits.")
    if args.piped:
        end_with_parent()
    with ended_by_sigterm(), il.attach(args.name) as box:
        grip = _grip(box, args)
        if args.piped:
            _hold_piped(box, grip, setup)
        else:
            _hold(box, grip, setup, args)
    return 0


def _tell_limits(setup: Setup, *, as_json: bool) -> None:
    found = device_limits(setup.rig())
    if as_json:
        print_json(found)
        return
    for name, value in found.items():
        print(f"{name:<12}{math.inf if value is None else value:12.4g} "
              f"{'kg' if name == 'mass' else 'N/m'}")  # fmt: skip


def _grip(box: Mailbox, args: argparse.Namespace) -> Grip:
    """Joint and lever of the device: as requested, else from the gallery."""
    told = gallery_device(box)
    if told is not None and told.haptic is not None and args.joint in (None, told.haptic.joint):
        haptic = told.haptic
        arm = haptic.arm if args.arm is None else args.arm
        return Grip(haptic.joint, arm, told.rest, haptic.stops, haptic.reserve)
    driven = [name.removesuffix(".qdd") for name in box.inputs if name.endswith(".qdd")]
    if args.joint is None or args.joint not in driven:
        shown = ", ".join(driven) or "none"
        raise il.InputError(
            f"plant '{box.name}': it is not known which joint the device holds",
            fix=f"Name a joint with a live drive: --joint J --arm R. Such joints are: {shown}.",
        )
    return Grip(args.joint, 1.0 if args.arm is None else args.arm)


def gallery_device(box: Mailbox) -> Device | None:
    """The haptic device of a gallery plant, if any."""
    try:
        found = subject_of_facts(dict(box.layout.about))
    except il.InloopError:
        return None
    return None if found.exhibit is None else found.exhibit.hand(**found.options)


def _hold(box: Mailbox, grip: Grip, setup: Setup, args: argparse.Namespace) -> None:
    """Lift the joint once with a finger; print the outcome."""
    begin = box.read().sequence
    panels: list[dict[str, Any]] = []
    end = math.inf if args.seconds is None else time.monotonic() + args.seconds

    def target() -> float:
        part = (box.peek().sequence - begin) * box.layout.period / LIFTING - 1.0
        return grip.rest + (float(args.lift) - grip.rest) * min(max(part, 0.0), 1.0)

    loop = DeviceLoop(box, grip, setup, target, panels.append, lambda: time.monotonic() > end)
    with contextlib.suppress(KeyboardInterrupt):
        loop.run()
    found = {
        "most_force": max((p["most_force"] for p in panels), default=0.0),
        "at_limit": sum(p["at_limit"] for p in panels) / max(1, len(panels)),
        "least_energy": min((p["least_energy"] for p in panels), default=0.0),
        "skipped": loop.station.skipped,
        "shown_stiffness": loop.shown.stiffness,
        "shown_mass": loop.shown.mass,
        "handle": loop.station.handle.position,
    }
    if args.json:
        print_json(found)
    else:
        paragraph(
            f"{'unstable' if found['at_limit'] > 0.0 else 'calm'}: peak force "
            f"{found['most_force']:.3g} N, {100 * found['at_limit']:.0f} % of the time at "
            f"the limit of {loop.station.rig.limit:g} N; the plant displays "
            f"{found['shown_stiffness']:.3g} N/m and {found['shown_mass']:.3g} kg; "
            f"{found['skipped']} periods were skipped"
        )


class _Pipe:
    """Messages of the studio: one JSON object per line."""

    def __init__(self, rest: float) -> None:
        self.target, self.settings, self.ended = rest, None, False
        self._text = b""
        os.set_blocking(0, False)
        os.set_blocking(1, False)

    settings: Mapping[str, Any] | None

    def listen(self) -> bool:
        """Read new messages; return True at the end of the input."""
        try:
            data = os.read(0, LONGEST)
        except BlockingIOError:
            return self.ended
        self.ended = not data
        *lines, self._text = (self._text + data).split(b"\n")
        for line in lines:
            said = json.loads(line)
            self.target = said.get("target", self.target)
            self.settings = said.get("settings", self.settings)
        return self.ended

    def say(self, panel: dict[str, Any]) -> None:
        """Send panel data; discard them if the pipe is full."""
        line = json.dumps(panel, separators=(",", ":")).encode() + b"\n"
        # whole lines only: writes of up to PIPE_BUF bytes are atomic
        if len(line) <= select.PIPE_BUF:
            with contextlib.suppress(BlockingIOError):
                os.write(1, line)


def _hold_piped(box: Mailbox, grip: Grip, setup: Setup) -> None:
    pipe = _Pipe(grip.rest)

    def publish(panel: dict[str, Any]) -> None:
        pipe.say(panel)
        settings, pipe.settings = pipe.settings, None
        if settings is not None:
            loop.change(setup.changed(settings))

    loop = DeviceLoop(box, grip, setup, lambda: pipe.target, publish, pipe.listen)
    with contextlib.suppress(BrokenPipeError, il.MailboxError):
        loop.run()
