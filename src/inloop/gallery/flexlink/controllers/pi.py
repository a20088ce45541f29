"""PI control of the angle, with the torque of gravity fed forward; the strain is not used.

python -m inloop.gallery.flexlink.controllers.pi --from 90 --to 93 flexlink
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import inloop as il
from inloop.gallery.flexlink.controllers.design import PERIOD, pi
from inloop.gallery.flexlink.controllers.program import serve


@dataclass
class PiController:
    """PI control with the angle only."""

    law: il.control.Pi

    @property
    def period(self) -> float:
        """Time between samples [s]."""
        return self.law.period

    def command(self, angle: float, strain: float, reference: float) -> float:
        """Command [V]."""
        return self.law.step(angle, reference)


def make(args: argparse.Namespace) -> PiController:
    """The controller with the gains of the command line."""
    return PiController(pi(args.kp, args.ki, period=args.period))


if __name__ == "__main__":
    from inloop.gallery.flexlink.controllers.design import KI, KP

    parser = argparse.ArgumentParser(description="PI control of the flexible link.")
    parser.add_argument("--kp", type=float, default=KP, help=f"[N m/rad]; {KP:g}")
    parser.add_argument("--ki", type=float, default=KI, help=f"[N m/(rad s)]; {KI:g}")
    parser.add_argument("--period", type=float, default=PERIOD, help="[s]")
    sys.exit(serve(make, parser))
