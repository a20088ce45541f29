"""`inloop studio`: a running mechanism in the browser: view, control, tune."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Any

from inloop import gallery
from inloop.cli.commands.studio_catalog import GalleryCatalog
from inloop.cli.ending import end_with_parent
from inloop.cli.formulations import add_formulation, formulation_of
from inloop.cli.output import print_json
from inloop.cli.setting_files import add_settings
from inloop.cli.starting import add_start
from inloop.cli.subject import add_base
from inloop.errors import InputError
from inloop.native import require_compiler

PORT = 8750
RECORDED = ".mcap"
FIRST = ("piano", "double_pendulum")  # shown by default: the first one available


def add_parser(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Add the command to the command line."""
    text = "run a mechanism in real time and open a page in the browser to watch, drive and tune it"
    parser = commands.add_parser("studio", parents=[shared], help=text, description=text)
    parser.add_argument(
        "mechanism",
        nargs="?",
        metavar="NAME|FILE",
        help="a name of `inloop list`, or a file; a recording (.mcap) is replayed",
    )
    parser.add_argument(
        "--replay",
        metavar="FILE.mcap",
        help="show a recording of the mechanism instead of running it",
    )
    add_settings(
        parser,
        "--option",
        help="set a parameter or an option; may be repeated; @FILE reads them from a file",
    )
    add_base(parser)
    add_start(parser)
    add_formulation(parser)
    _add_run(parser)
    _add_page(parser)
    parser.set_defaults(call=call)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """How the plant runs, and what acts on it."""
    parser.add_argument("--rate", type=float, metavar="HZ", help="steps per simulated second")
    parser.add_argument(
        "--speed", type=float, help="simulated seconds per second of wall-clock time"
    )
    parser.add_argument(
        "--clock",
        choices=("system", "held"),
        default="system",
        help="held: time advances only when another program says so",
    )
    parser.add_argument("--name", help="name under which others attach; default: the model's")
    parser.add_argument(
        "--attach",
        metavar="PLANT",
        help="show a plant that is already running; if it came from a file, name the file too",
    )
    parser.add_argument(
        "--controller",
        metavar="NAME",
        help="controller to start with: one of the exhibit, or a function or class in the "
        "file; default: none",
    )
    parser.add_argument(
        "--period",
        type=float,
        metavar="S",
        help="time between two calls of the controller in the file [s]",
    )
    parser.add_argument(
        "--observer", metavar="NAME",
        help="an il.observer(...) in the file, or a function that returns one, to run "
             "inside the loop; its estimates become signals observer.NAME",
    )  # fmt: skip
    parser.add_argument("--stage", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--framed", action="store_true", help=argparse.SUPPRESS)


def _add_page(parser: argparse.ArgumentParser) -> None:
    """Where the page is, who may see it, and where it writes."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; default: 127.0.0.1"
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help=f"port to listen on; default: {PORT}, or a free one"
    )
    parser.add_argument(
        "--token",
        metavar="T",
        help="token that visitors need; default: a new one, part of the printed address",
    )
    parser.add_argument("--no-token", action="store_true", help="let every user of this machine in")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--recordings",
        default="recordings",
        metavar="DIR",
        help="directory for recordings; default: recordings",
    )


def call(args: argparse.Namespace) -> int:
    """Start the plant and the server; both end with Ctrl-C."""
    from inloop.studio.plants.recordings import Recordings
    from inloop.studio.server.gate import Gate, new_token
    from inloop.studio.server.server import listen, serve
    from inloop.studio.server.session import Session
    from inloop.studio.server.vendor_files import check_vendor

    if args.with_parent:
        end_with_parent()
    check_vendor()
    require_compiler()
    if args.no_token and args.token is not None:
        raise InputError("--token and --no-token contradict each other", fix="Remove one of them.")
    wanted = args.token if args.token not in (None, "auto") else new_token()
    token = "" if args.no_token else wanted
    gate = Gate(args.host, token, frozenset({socket.gethostname().lower()}), args.framed)
    catalog = GalleryCatalog(args.rate, args.speed, args.name, args.clock, formulation_of(args))
    if args.mechanism is not None and args.mechanism.endswith(RECORDED) and not args.replay:
        args.mechanism, args.replay = None, args.mechanism
    if args.replay:
        if args.attach:
            raise InputError(
                "--replay and --attach contradict each other", fix="Remove one of them."
            )
        choice = catalog.recorded(Path(args.replay), args)
    elif args.attach:
        choice = catalog.attached(args.attach, Path(args.stage) if args.stage else None, args)
        choice = replace(choice, ours=args.with_parent)
    else:
        args.mechanism = args.mechanism or next(n for n in FIRST if n in gallery.names())
        choice = catalog.subject(args)
    place = listen(args.host, args.port, PORT)
    address = _address(args.host, place.getsockname()[1], token)

    def ready() -> None:
        if args.json:
            print_json({"address": address, "plant": choice.plant, "process": os.getpid()})
        else:
            print(f"the studio shows '{choice.plant}' at {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not args.no_browser:
            webbrowser.open(address)

    async def main() -> None:
        session = Session(catalog, Recordings(Path(args.recordings)))
        await serve(session, gate, place, lambda: session.running.open(choice), ready)

    asyncio.run(main())
    # the server handles Ctrl-C and shuts down without re-raising it
    raise KeyboardInterrupt


def _address(host: str, port: int, token: str) -> str:
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
