"""Optimal control of angle and vibration with an integral and a Kalman filter.

python -m inloop.gallery.flexlink.controllers.lq --tuning 2 --from 90 --to 94 flexlink
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np

import inloop as il
from inloop.gallery.flexlink.controllers.design import PERIOD, TUNINGS, lq
from inloop.gallery.flexlink.controllers.program import serve


@dataclass
class LqController:
    """LQ control with angle and strain."""

    law: il.control.LqgController

    @property
    def period(self) -> float:
        """Time between samples [s]."""
        return self.law.period

    def command(self, angle: float, strain: float, reference: float) -> float:
        """Command [V]."""
        return float(self.law.step(np.array([angle, strain]), np.array([reference, 0.0]))[0])


def make(args: argparse.Namespace) -> LqController:
    """The controller with the tuning of the command line."""
    return LqController(lq(TUNINGS[args.tuning], period=args.period, delay=args.delay))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="LQ control of the flexible link.")
    parser.add_argument("--tuning", choices=list(TUNINGS), default="1", help="weights; 1")
    parser.add_argument("--period", type=float, default=PERIOD, help="[s]")
    parser.add_argument("--delay", type=float, default=0.0, help="assumed in the design [s]")
    sys.exit(serve(make, parser))
