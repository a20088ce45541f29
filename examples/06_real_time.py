"""06: a cart in real time, with its controller in another process.

Objective: run a plant in real time, control it from a process that only knows its mailbox, and
check the co-simulation against its closed form.

Equations: m xdd = f, with f = -kp (x - x_d) - kd xd held for a period h. The exact samples are

    x'  = x + h xd + h²/(2 m) f,   xd' = xd + (h/m) f.

Run it with `python examples/06_real_time.py`, and with `--plot FILE` for the deadlines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import inloop as il

RATE, SECONDS = 1000.0, 1.0
MASS, KP, KD, TARGET = 1.3, 90.0, 14.0, 0.25
NAME = f"cart-{os.getpid()}"


def cart() -> il.Model:
    """A mass on a rail."""
    m = il.Model("cart", gravity=(0.0, 0.0, -9.81))
    mass = m.parameter("mass", MASS, unit="kg", range=(0.1, 10.0))
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=mass)
    return m


def control(name: str) -> None:
    """The controller process: answer each output until the plant ends."""
    with il.attach(name) as box:
        try:
            while True:
                outputs = box.wait()
                if outputs is not None:
                    force = -KP * (outputs["rail.q"] - TARGET) - KD * outputs["rail.qd"]
                    box.write({"rail.tau": force})
        except il.MailboxError:
            return


@contextmanager
def controller() -> Iterator[None]:
    """A controller in its own process."""
    process = subprocess.Popen([sys.executable, __file__, "--control", NAME])
    try:
        yield
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def sampled(steps: int) -> np.ndarray:
    """Position and velocity after `steps` periods, by the exact recursion."""
    x, v, h = 0.0, 0.0, 1.0 / RATE
    for _ in range(steps):
        f = -KP * (x - TARGET) - KD * v
        x, v = x + h * v + h * h / (2 * MASS) * f, v + h / MASS * f
    return np.array([x, v])


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.12g}  expected {expected:.12g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A cart against the clock.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the deadlines")
    parser.add_argument("--control", metavar="NAME", help="be the controller of this plant")
    args = parser.parse_args()
    if args.control:
        control(args.control)
        return

    # lock-step: the plant waits for the controller, so the result is always the same
    plant = cart().compile()
    with il.start(plant, name=NAME, rate=RATE, mode="lock-step", seconds=SECONDS) as loop:
        with controller():
            loop.wait()
        outputs = loop.close().outputs
    x, v = sampled(round(RATE * SECONDS))
    check("position after 1 s in lock-step [m]", outputs["rail.q"], x, 1e-12)
    check("velocity after 1 s in lock-step [m/s]", outputs["rail.qd"], v, 1e-12)

    # against the clock: the plant never waits, and accounts for every missed deadline
    with il.start(plant, name=NAME, rate=RATE, seconds=SECONDS, paused=True) as loop:
        with controller():
            while loop.mailbox.writer is None:
                time.sleep(0.01)
            loop.mailbox.resume()
            loop.wait()
        report = loop.close()
    print(report)
    check("steps", report.steps, RATE * SECONDS, 0)
    check("overruns", report.overruns, report.made_up + report.skipped + report.backlog, 0)
    if args.plot:
        report.plot(args.plot)


if __name__ == "__main__":
    main()
