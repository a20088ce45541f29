"""Inputs, outputs and reference of a controller of the flexible link."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

ENCODER, STRAIN, COMMAND = "encoder", "strain", "motor.command"  # [rad], [V], [V]
UPRIGHT = math.pi / 2.0  # angle at which gravity exerts no torque [rad]
LIMIT = 10.0  # of the analog command [V]


@dataclass(frozen=True)
class Reference:
    """A step, or a square wave.

    Attributes:
        first, second: angles [rad].
        at: time of the step from the first to the second [s].
        turn: interval after which it switches back, and forth again [s]; infinite for one step.
    """

    first: float
    second: float
    at: float = 0.5
    turn: float = math.inf

    def __call__(self, t: float) -> float:
        """Desired angle at time t [s]."""
        if t < self.at:
            return self.first
        turns = 0 if math.isinf(self.turn) else math.floor((t - self.at) / self.turn + 1e-9)
        return self.second if turns % 2 == 0 else self.first

    @property
    def words(self) -> list[str]:
        """The equivalent command line options."""
        pairs = {"from": math.degrees(self.first), "to": math.degrees(self.second), "at": self.at}
        if not math.isinf(self.turn):
            pairs["turn"] = self.turn
        return [word for name, value in pairs.items() for word in (f"--{name}", repr(value))]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a reference to a command line."""
    parser.add_argument("--from", dest="first", type=float, default=90.0, help="angle [deg]; 90")
    parser.add_argument("--to", dest="second", type=float, default=94.0, help="angle [deg]; 94")
    parser.add_argument("--at", type=float, default=0.5, help="time of the step [s]; 0.5")
    parser.add_argument("--turn", type=float, default=math.inf, help="then back and forth [s]")


def read_options(args: argparse.Namespace) -> Reference:
    """The reference of a parsed command line."""
    return Reference(math.radians(args.first), math.radians(args.second), args.at, args.turn)
