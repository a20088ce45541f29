"""`inloop link wheel`: a force-feedback steering wheel for a running plant."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

import inloop as il
from inloop.cli.output import heading, paragraph, print_json
from inloop.devices.estimators.differences import BackwardDifferences
from inloop.devices.haptics.sampled_loop import SampledLoop
from inloop.errors import LinkError, MailboxError
from inloop.links.wheel import EventDevice, Feel, WheelLink, WheelProfile, find_wheels
from inloop.links.wheel.calibration import calibrate
from inloop.links.wheel.link import Driven, PlantPort
from inloop.links.wheel.profile import PEDALS, profile_path, usual_profile
from inloop.links.wheel.switches import TOGGLES
from inloop.realtime.signals import ended_by_sigterm

STOPPED = 130
SHOWN = 40.0  # stiffness of the car's steering at 75 km/h without assistance [N·m/rad]
SPARE = 0.7  # fraction of the stiffness at which the loop becomes unstable
OTHERS = (*PEDALS, "gear", *TOGGLES)  # inputs other than the steering angle
MARGIN = math.radians(10.0)  # from the simulated end stops to those of the wheel
RANGES = {
    "gain": (0.0, 5.0), "limit": (0.05, 30.0), "damping": (0.0, 5.0), "range": (90.0, 3600.0),
    "rate": (20.0, 1000.0), "full": (0.1, 60.0), "ramp": (0.1, 10.0), "stop": (20.0, 1800.0),
}  # fmt: skip


def add_wheel(parser: argparse.ArgumentParser) -> None:
    """Add the options of the link."""
    parser.add_argument("--device", metavar="FILE", type=Path, help="/dev/input/eventN; found")
    parser.add_argument(
        "--calibrate", action="store_true", help="ask for the properties of the wheel and keep them"
    )
    feel = Feel()
    for name, default, unit, text in (
        ("gain", feel.gain, "X", "gain of the torque feedback"),
        ("limit", feel.limit, "N·m", "maximum torque on the wheel"),
        ("damping", feel.damping, "N·m·s/rad", "added"),
        ("ramp", feel.ramp, "S", "time over which the torque fades in"),
        ("stop", None, "DEG", "end stops, on either side; default: 10° before those of the wheel"),
        ("range", None, "DEG", "rotation of the wheel from end to end; default: from its profile"),
        ("full", None, "N·m", "torque of the wheel at full force; default: from its profile"),
        ("rate", None, "HZ", "update rate of the force; default: from its profile"),
    ):
        told = text if default is None else f"{text}; {default:g}"
        parser.add_argument(f"--{name}", type=float, metavar=unit, default=default, help=told)
    parser.add_argument(
        "--ros2", action="store_true",
        help="the plant is on another machine, behind `inloop link ros2`; the torque is the "
             "effort of the steering joint, and buttons act only on inputs given here",
    )  # fmt: skip
    parser.add_argument(
        "--domain", type=int, help="with --ros2: DDS domain; default: ROS_DOMAIN_ID"
    )
    parser.add_argument("--steering", default="steering.q", help="input that follows the angle")
    parser.add_argument("--torque", default="column.hand", help="output fed back as torque")
    for what in OTHERS:
        told = "input for this pedal" if what in PEDALS else "input changed by buttons"
        parser.add_argument(f"--{what}", metavar="INPUT", help=told)
    parser.set_defaults(call=call_wheel)


def call_wheel(args: argparse.Namespace) -> int:
    """Drive with the wheel until the plant ends, the time is over, or Ctrl-C."""
    _check(args)
    path = args.device or _only_wheel()
    device = EventDevice.open(path)
    try:
        profile = _profile(device, args)
    finally:
        device.close()
    feel = _feel(args, profile)
    _say(f"{profile.name}: {profile.turn:g}°, {profile.torque:g} N·m, {profile.rate:g} Hz")
    _say(stability(profile, feel))
    with ended_by_sigterm(), ExitStack() as stack:
        box = None if args.ros2 else stack.enter_context(il.attach(args.name, wait=args.wait))
        port = (
            _far(args) if box is None else PlantPort(box, args.steering, args.torque, _named(args))
        )
        link = WheelLink(port, profile, feel, lambda: _reopen(path, profile.name), _say)
        stopped = False
        try:
            link.run(math.inf if args.seconds is None else args.seconds)
        except KeyboardInterrupt:
            stopped = True
        except MailboxError:
            if box is None or not box.gone:
                raise
        _tell(link, args)
        return STOPPED if stopped else 0


def _named(args: argparse.Namespace) -> dict[str, str]:
    """Inputs by pedal and switch; default: their own names."""
    return {what: getattr(args, what) or what for what in OTHERS}


def _far(args: argparse.Namespace) -> Driven:
    """A plant on another machine; it must have every input sent, so only named switches count."""
    from inloop.links.wheel.ros2_port import Ros2Port

    given = {what: getattr(args, what) for what in OTHERS if getattr(args, what)}
    pedals = {what: name for what, name in _named(args).items() if what in PEDALS}
    return Ros2Port(args.name, args.steering, {**pedals, **given}, domain=args.domain)


def bearable(profile: WheelProfile, feel: Feel) -> float:
    """Stiffness at the stability limit of the sampled loop, hands off [N·m/rad]."""
    loop = SampledLoop(
        mass=profile.inertia,
        damping=profile.friction,
        period=1.0 / profile.rate,
        estimator=BackwardDifferences(1.0 / profile.rate).linear(),
        delay=profile.delay,
    )
    return loop.stiffness_limit(feel.damping)


def stability(profile: WheelProfile, feel: Feel) -> str:
    """The hands-off stability limit, compared with the stiffness at the chosen gain."""
    limit, shown = bearable(profile, feel), feel.gain * SHOWN
    verdict = "stable" if shown < limit else "softer once released"
    return (
        f"hands off, the wheel is stable up to {limit:.3g} N·m/rad; gain {feel.gain:g} "
        f"displays {shown:.3g} N·m/rad for a car at 75 km/h: {verdict}"
        + ("" if shown < limit else f"; a gain of {SPARE * limit / SHOWN:.2g} is calm")
    )


def _check(args: argparse.Namespace) -> None:
    for name, (low, high) in RANGES.items():
        value = getattr(args, name)
        if value is not None and not low <= value <= high:
            raise il.InputError(
                f"--{name} {value:g} is out of range", fix=f"Use {low:g} to {high:g}."
            )


def _only_wheel() -> Path:
    found = find_wheels()
    if not found:
        raise LinkError(
            "no wheel with force feedback is plugged in, or you may not open it",
            fix="Plug one in, or name it: --device /dev/input/eventN. Only members of the "
            "group 'input' may open it.",
        )
    if len(found) > 1:
        raise LinkError(
            f"{len(found)} wheels are plugged in", fix=f"Name one: --device {found[0]}."
        )
    return found[0]


def _profile(device: EventDevice, args: argparse.Namespace) -> WheelProfile:
    """Profile from a stored or new calibration, or typical values; options take precedence."""
    path = profile_path(device.name)
    if args.calibrate:
        profile = calibrate(device, input)
        profile.save(path)
        _say(f"saved in {path}")
    elif path.exists():
        profile = WheelProfile.load(path)
    else:
        profile = usual_profile(device.name, device.axes, device.keys)
        _say("this wheel has not been calibrated; run once with --calibrate")
    given = {"turn": args.range, "torque": args.full, "rate": args.rate}
    return replace(profile, **{k: v for k, v in given.items() if v is not None})


def _feel(args: argparse.Namespace, profile: WheelProfile) -> Feel:
    ends = math.radians(0.5 * profile.turn) - MARGIN
    stop = ends if args.stop is None else min(math.radians(args.stop), ends)
    limit = min(args.limit, profile.torque)
    feel = Feel(args.gain, limit, args.damping, stop, ramp=args.ramp)
    shown = max(feel.gain * SHOWN, 1e-9)
    return replace(feel, calm=min(1.0, SPARE * bearable(profile, feel) / shown))


def _reopen(path: Path, name: str) -> EventDevice | None:
    """The wheel, if connected; it may return with a different device number."""
    for place in dict.fromkeys([path, *sorted(path.parent.glob("event*"))]):
        try:
            device = EventDevice.open(place)
        except LinkError:
            continue
        if device.name == name:
            return device
        device.close()
    return None


def _tell(link: WheelLink, args: argparse.Namespace) -> None:
    counts = asdict(link.statistics)
    if args.json:
        print_json({"link": "wheel", "name": args.name, **counts})
    else:
        heading(f"wheel link of '{args.name}'")
        paragraph(", ".join(f"{count} {name}" for name, count in counts.items()))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
