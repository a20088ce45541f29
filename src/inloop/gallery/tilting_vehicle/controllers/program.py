"""The loop of all controllers of the tilting vehicle: attach, wait for outputs, answer them."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import replace

import inloop as il
from inloop.gallery.tilting_vehicle.controllers.course import ABOVE, PATHS, Driver
from inloop.gallery.tilting_vehicle.controllers.tilting import Gains, TiltControl
from inloop.gallery.tilting_vehicle.data import SIZE

CRUISE = 1.4  # on the paths [m/s]
DARES, HURRIES = 3.0, 9.0  # maximum lateral acceleration [m/s²] and its rate [m/s³]
LONGEST = 0.05  # maximum time step of the driver [s]
TURN = "goal.turn"
SETTINGS = {"path": 1.0, TURN: 0.0, "target.x": 0.0, "target.y": 0.0}
"""Its target: 0 a turn of the curvature `goal.turn` [1/m], -1 a point [m], 1, 2, ... a path."""


class Led:
    """The driver, who follows the settings.

    Attributes:
        settings: as `SETTINGS`.
        aim: the point that he aims at [m]; None in a constant turn.
        off: distance of the vehicle from its target [m].
        now: time of the plant [s].
    """

    def __init__(self) -> None:
        self.settings = dict(SETTINGS)
        self.aim: tuple[float, float] | None = None
        self.off = 0.0
        self._drivers = [Driver(path) for path in PATHS.values()]
        self._last, self._turned = 0, 0.0
        self.now = self._before = 0.0

    def __call__(self, place: tuple[float, float], yaw: float, speed: float) -> float:
        """Desired curvature [1/m], with limited lateral acceleration and jerk."""
        square = max(speed * speed, 0.5)
        since, self._before = min(max(self.now - self._before, 0.0), LONGEST), self.now
        most, step = DARES / square, HURRIES * since / square
        wanted = min(max(self._wanted(place, yaw, speed), -most), most)
        self._turned += min(max(wanted - self._turned, -step), step)
        return self._turned

    def _wanted(self, place: tuple[float, float], yaw: float, speed: float) -> float:
        path = int(self.settings["path"])
        driver = self._drivers[min(max(path - 1, 0), len(self._drivers) - 1)]
        if path != self._last:
            driver.reset()
            self._last = path
        if path == 0:
            self.aim, self.off = None, 0.0
            return self.settings[TURN]
        if path < 0:
            target = self.settings["target.x"], self.settings["target.y"]
            curvature = driver.towards(target, place, yaw)
            self.aim, self.off = target, math.dist(target, place)
            return curvature
        curvature = driver.along(place, yaw, speed)
        self.aim, self.off = driver.aim, driver.off
        return curvature

    def reset(self) -> None:
        """Restart after the vehicle was moved."""
        for driver in self._drivers:
            driver.reset()
        self._turned = 0.0


def serve(gains: Gains, arguments: Sequence[str] | None = None) -> int:
    """Control a tilting vehicle until it ends.

    Args:
        gains: initial gains.
        arguments: the command line: options and the name of the plant.
    """
    parser = argparse.ArgumentParser(description="A controller for the tilting vehicle.")
    parser.add_argument("name", help="of the running plant")
    parser.add_argument("--path", choices=list(PATHS), default=next(iter(PATHS)), help="to follow")
    parser.add_argument("--speed", type=float, default=gains.speed, help="[m/s]")
    parser.add_argument("--size", type=float, default=SIZE, help="relative to CLEVER")
    parser.add_argument("--seed", type=int, default=1, help="of the sensor noise; 1")
    parser.add_argument("--piped", action="store_true", help="shown and tuned by the studio")
    args = parser.parse_args(arguments)
    with il.attach(args.name, wait=10.0) as box:
        led = Led()
        led.settings["path"] = 1.0 + list(PATHS).index(args.path)
        control = TiltControl(
            led, box.parameters, replace(gains, speed=args.speed), size=args.size, seed=args.seed,
            period=box.layout.period,
        )  # fmt: skip
        try:
            _answer(box, control, led, il.realtime.Panel(piped=args.piped))
        except KeyboardInterrupt:
            return 130
        except il.MailboxError:
            if not box.gone:
                raise
    return 0


def _answer(box: il.Mailbox, control: TiltControl, led: Led, panel: il.realtime.Panel) -> None:
    """Answer outputs with inputs, until another controller takes over."""
    panel.ready()
    il.realtime.take_over(box)
    outputs, last = box.read(), -1
    known = outputs.parameter_sequence
    while not panel.leaving:
        for name, value in panel.heard().items():
            if name in led.settings:
                led.settings[name] = value
            elif name in vars(control.gains):
                setattr(control.gains, name, value)
        if outputs.flags & il.realtime.Flag.SET or outputs.step < last:
            control.reset()
            led.reset()
        if outputs.parameter_sequence != known:
            known = outputs.parameter_sequence
            control.sensing.tune(box.parameters)
        last = outputs.step
        led.now = outputs.t
        box.write(control(outputs.t, outputs))
        if panel.is_due(now := time.monotonic()):
            place = [outputs["rear_tx.q"], outputs["rear_ty.q"], ABOVE]
            aim = place if led.aim is None else [*led.aim, ABOVE]
            panel.tell(now, {"t": outputs.t, "tool": place, "wanted": aim, "error": led.off})
        outputs = box.wait(1.0) or box.read()
    if panel.leaving == "rest":
        box.rest([x.default for x in box.layout.inputs])
