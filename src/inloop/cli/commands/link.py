"""`inloop link`: couples a running plant to another machine or to ROS, in its own process."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inloop as il
from inloop.cli.attaching import add_attachment
from inloop.cli.commands.links.serial import add_serial
from inloop.cli.commands.links.wheel import add_wheel
from inloop.cli.output import heading, paragraph, print_json, table
from inloop.links import Address, MirrorEnd, PlantEnd
from inloop.links.ros1 import SYSTEM_PYTHON, Ros1Link
from inloop.links.udp import HEARTBEAT, MIRROR_PORT, PLANT_PORT, UdpEnd, warn_of_open_door
from inloop.realtime.signals import ended_by_sigterm

STOPPED = 130
SHORTEST_KEY = 16  # [bytes]


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "connect a running plant to another machine, to ROS or to hardware"
    parser = commands.add_parser("link", help=text, description=text)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    _add_udp(kinds, shared)
    _add_ros1(kinds, shared)
    _add_ros2(kinds, shared)
    text = "a force-feedback steering wheel on this machine: angle and pedals in, torque out"
    add_wheel(_parser_of(kinds, shared, "wheel", text))
    text = "a board on a serial line: measurements in, outputs out"
    add_serial(kinds.add_parser("serial", parents=[shared], help=text, description=text))


def _parser_of(
    kinds: Any, shared: argparse.ArgumentParser, kind: str, text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(
        kind, parents=[shared], help=text, description=text
    )
    parser.add_argument("name", help="name of the running plant")
    add_attachment(parser)
    return parser


# UDP


def _add_udp(kinds: Any, shared: argparse.ArgumentParser) -> None:
    text = "another machine over UDP: outputs out, inputs in"
    parser = _parser_of(kinds, shared, "udp", text)
    parser.add_argument(
        "--mirror",
        action="store_true",
        help="run on the controller's machine: create a mailbox NAME that mirrors the "
        "remote plant's",
    )
    here, there = f"127.0.0.1:{PLANT_PORT}", f"127.0.0.1:{MIRROR_PORT}"
    for option, text in {
        "--listen": f"local address for incoming packets; default: {here}, with --mirror {there}",
        "--peer": f"address of the other end; default: {there}, with --mirror {here}",
    }.items():
        parser.add_argument(option, metavar="HOST:PORT", default="", help=text)
    parser.add_argument(
        "--key-file", metavar="FILE", type=Path, help="file with the key that both ends share"
    )
    parser.add_argument(
        "--oldest", type=float, default=1.0, metavar="S", help="ignore packets older than this [s]"
    )
    parser.set_defaults(call=call_udp)


def call_udp(args: argparse.Namespace) -> int:
    """Run one end until the plant ends, the time is over, or Ctrl-C."""
    ports = (MIRROR_PORT, PLANT_PORT) if args.mirror else (PLANT_PORT, MIRROR_PORT)
    listen, peer = (
        Address.parse(text, port)
        for text, port in zip((args.listen, args.peer), ports, strict=True)
    )
    least = 4 * HEARTBEAT
    if not least <= args.oldest <= 3600.0:
        raise il.InputError(
            f"--oldest {args.oldest:g} is out of range", fix=f"Use {least:g} to 3600 s."
        )
    key = _key(args.key_file)
    warning = warn_of_open_door(listen, key)
    if warning is not None:
        _say(f"note: {warning}")
    seconds = _seconds(args)
    options: dict[str, Any] = {"key": key, "oldest": args.oldest}
    with ended_by_sigterm():
        if args.mirror:
            with MirrorEnd(args.name, listen, peer, **options) as mirror:
                _say(f"listening on {listen}, waiting for the plant at {peer}")
                ready = f"mirror '{args.name}' of the plant at {peer} is ready"
                stopped = _until_ctrl_c(lambda: mirror.run(seconds, lambda: _say(ready)))
                return _tell(mirror, args, stopped)
        with PlantEnd(args.name, listen, peer, wait=args.wait, **options) as end:
            _say(f"plant '{args.name}' listens on {listen} for the mirror at {peer}")
            stopped = _until_ctrl_c(lambda: end.run(seconds))
            return _tell(end, args, stopped)


def _key(path: Path | None) -> bytes:
    """The shared key; its file must not be readable by others."""
    if path is None:
        return b""
    key = path.read_bytes().strip()
    if len(key) < SHORTEST_KEY:
        raise il.InputError(
            f"the key in {str(path)!a} is too short: {len(key)} bytes",
            fix=f"Use at least {SHORTEST_KEY} bytes: head -c 32 /dev/urandom | base64 > FILE",
        )
    if path.stat().st_mode & 0o077:
        raise il.InputError(
            f"other users can read the key in {str(path)!a}", fix=f"Protect it: chmod 600 {path}"
        )
    return key


def _tell(end: UdpEnd, args: argparse.Namespace, stopped: bool) -> int:
    statistics = end.session.statistics
    if args.json:
        print_json({"link": "udp", "name": args.name, "mirror": args.mirror, **statistics.data()})
    else:
        heading(f"udp link of '{args.name}'")
        paragraph(f"packets: {statistics.sentence()}")
        table(("time [µs]", "p50", "p99", "p99.9", "max"), statistics.rows())
    return STOPPED if stopped else 0


# ROS


def _ros_parser_of(
    kinds: Any, shared: argparse.ArgumentParser, kind: str, text: str
) -> argparse.ArgumentParser:
    parser = _parser_of(kinds, shared, kind, text)
    parser.add_argument(
        "--namespace", metavar="NS", help="namespace of the topics; default: the plant's name"
    )
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="rate of the joint states; default: every step"
    )
    return parser


def _add_ros1(kinds: Any, shared: argparse.ArgumentParser) -> None:
    parser = _ros_parser_of(kinds, shared, "ros1", "a ROS 1 node: joint states out, efforts in")
    parser.add_argument(
        "--python",
        metavar="PROGRAM",
        default=SYSTEM_PYTHON,
        help="the Python interpreter that has rospy",
    )
    parser.set_defaults(call=call_ros1)


def _add_ros2(kinds: Any, shared: argparse.ArgumentParser) -> None:
    text = "topics of ROS 2 over DDS: joint states out, efforts in"
    parser = _ros_parser_of(kinds, shared, "ros2", text)
    parser.add_argument(
        "--domain", type=int, metavar="N", help="DDS domain; default: ROS_DOMAIN_ID, or 0"
    )
    parser.set_defaults(call=call_ros2)


def call_ros1(args: argparse.Namespace) -> int:
    """Run a node until the plant ends, the time is over, or Ctrl-C."""
    with (
        ended_by_sigterm(),
        Ros1Link(args.name, python=args.python, **_ros_options(args)) as link,
    ):
        return _run_ros(link, args)


def call_ros2(args: argparse.Namespace) -> int:
    """Run a participant until the plant ends, the time is over, or Ctrl-C."""
    from inloop.links.ros2 import Ros2Link

    with (
        ended_by_sigterm(),
        Ros2Link(args.name, domain=args.domain, **_ros_options(args)) as link,
    ):
        return _run_ros(link, args)


def _ros_options(args: argparse.Namespace) -> dict[str, Any]:
    return {"namespace": args.namespace, "rate": args.rate, "wait": args.wait}


def _run_ros(link: Any, args: argparse.Namespace) -> int:
    ready = f"{args.kind} link of '{args.name}': {link.namespace}/joint_states"
    stopped = _until_ctrl_c(lambda: link.run(_seconds(args), lambda: _say(ready)))
    counts = link.port.counts.data()
    if args.json:
        print_json({"link": args.kind, "name": args.name, "namespace": link.namespace, **counts})
    else:
        heading(f"{args.kind} link of '{args.name}'")
        paragraph("messages: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    return STOPPED if stopped else 0


# common to all


def _seconds(args: argparse.Namespace) -> float:
    return float("inf") if args.seconds is None else float(args.seconds)


def _until_ctrl_c(run: Callable[[], None]) -> bool:
    """Run; return True after Ctrl-C."""
    try:
        run()
    except KeyboardInterrupt:
        return True
    return False


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
