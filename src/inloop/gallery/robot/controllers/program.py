"""The loop of all controllers of the robot: attach, wait for outputs, answer them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

import inloop as il
from inloop import gallery
from inloop.gallery.robot.controllers.friction import friction
from inloop.gallery.robot.controllers.guide import Guide
from inloop.gallery.robot.controllers.motion import Motion, Reals
from inloop.gallery.robot.controllers.settings import GUIDED, Settings

Wanted = tuple[Reals, Reals, Reals]
Law = Callable[[il.Plant, Reals, Reals, Wanted, Mapping[str, float]], Reals]


def serve(law: Law, arguments: Sequence[str] | None = None) -> int:
    """Control a robot until it ends.

    Args:
        law: takes the controller's model, q, qd, the desired motion and the settings; returns tau.
        arguments: the command line: the name of the plant, and --settings FILE.
    """
    parser = argparse.ArgumentParser(description="A controller for the robot of the gallery.")
    parser.add_argument("name", help="of the running plant")
    parser.add_argument("--settings", metavar="FILE", help="gains and goals, read while it runs")
    parser.add_argument("--piped", action="store_true", help="shown and tuned by the studio")
    args = parser.parse_args(arguments)
    # the controller's model of the robot: no load, no stops, friction only as its settings say
    model = gallery.get("puma560").build().compile()
    model.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))
    with il.attach(args.name, wait=10.0) as box:
        try:
            if args.piped:
                return _guided(law, model, box, il.realtime.Panel())
            _on_tour(law, model, box, Settings(box.coordinates, args.settings))
        except KeyboardInterrupt:
            return 130
        except il.MailboxError:
            if not box.gone:
                raise
    return 0


def _on_tour(law: Law, model: il.Plant, box: il.Mailbox, settings: Settings) -> None:
    """Follow the goals of a file, or the tour."""
    outputs = box.read()
    motion = Motion(box.coordinates, outputs.q, outputs.t)
    while True:
        settings.look(box.clock.now)
        wanted = motion.at(outputs.t, settings.values)
        box.write(tau=law(model, outputs.q, outputs.qd, wanted, settings.values))
        following = box.wait(1.0)
        outputs = outputs if following is None else following


def _guided(law: Law, model: il.Plant, box: il.Mailbox, panel: il.realtime.Panel) -> int:
    """Follow the settings received from the studio."""
    settings = dict(GUIDED)
    outputs = box.read()
    guide = Guide(model, outputs.q, outputs.qd, outputs.t)
    guide.tool(outputs.q)  # built before it takes over
    law(model, outputs.q, outputs.qd, guide.at(outputs.t, settings), settings)
    settings |= {k: x for k, x in panel.heard().items() if k in GUIDED}
    panel.ready()
    il.realtime.take_over(box)
    outputs = box.read()
    last = -1
    while not panel.leaving:
        settings |= {k: x for k, x in panel.heard().items() if k in GUIDED}
        if outputs.flags & il.realtime.Flag.SET or outputs.step < last or last < 0:
            # the state was set from outside: restart the reference there
            guide.begin(outputs.q, outputs.qd, outputs.t)
        last = outputs.step
        wanted = guide.at(outputs.t, settings)
        tau = law(model, outputs.q, outputs.qd, wanted, settings)
        box.write(tau=tau + friction(wanted[1], settings["friction"]))
        if panel.is_due(now := time.monotonic()):
            tool, aim = guide.tool(outputs.q), guide.tool(wanted[0])
            miss = float(np.linalg.norm(tool - aim))
            report = {"tool": tool.tolist(), "wanted": aim.tolist(), "error": miss}
            panel.tell(now, {"t": outputs.t, **report})
        outputs = box.wait(1.0) or box.read()
    if panel.leaving == "rest":
        box.rest(tau=np.zeros(6))
    return 0
