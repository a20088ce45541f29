"""What all controllers of the robot do: attach, wait for outputs, answer them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence

import numpy as np

import inloop as il
from inloop import gallery
from inloop.gallery.robot.controllers.motion import Motion, Reals
from inloop.gallery.robot.controllers.settings import Settings

Wanted = tuple[Reals, Reals, Reals]
Law = Callable[[il.Plant, Reals, Reals, Wanted, Mapping[str, float]], Reals]


def serve(law: Law, arguments: Sequence[str] | None = None) -> int:
    """Control a robot until it ends.

    Args:
        law: takes the controller's model, q, qd, the wanted motion and the settings; returns tau.
        arguments: words of the command line: the name of the plant, and --settings FILE.
    """
    parser = argparse.ArgumentParser(description="A controller for the robot of the gallery.")
    parser.add_argument("name", help="of the running plant")
    parser.add_argument("--settings", metavar="FILE", help="gains and goals, read while it runs")
    args = parser.parse_args(arguments)
    # its own idea of the robot: no friction, no load, no stops
    model = gallery.get("puma560").build().compile()
    model.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))
    with il.attach(args.name, wait=10.0) as box:
        settings = Settings(box.coordinates, args.settings)
        outputs = box.read()
        motion = Motion(box.coordinates, outputs.q, outputs.t)
        try:
            while True:
                settings.look(box.clock.now)
                wanted = motion.at(outputs.t, settings.values)
                box.write(tau=law(model, outputs.q, outputs.qd, wanted, settings.values))
                following = box.wait(1.0)
                outputs = outputs if following is None else following
        except KeyboardInterrupt:
            return 130
        except il.MailboxError:
            if not box.gone:
                raise
    return 0
