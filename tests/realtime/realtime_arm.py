"""A small arm to run, under names that do not collide and of which nothing is left behind."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import inloop as il
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import INPUTS, realtime_function
from inloop.realtime import Loop, Mailbox, Outputs

_numbers = itertools.count()
HANG = 60.0  # [s] after which something that should happen never will
RATE = 1024.0  # a step that is a power of two: no rounding when runs are put together


def arm() -> il.Model:
    """Two links with a spring, a viscous law, a law with a state of its own and an input."""
    m = il.Model("arm", gravity=(0.3, 0.0, -9.81))
    upper = m.body(
        "upper",
        on=m.ground,
        joint=il.revolute("y", name="shoulder", initial=(0.4, 0.1)),
        mass=2.3,
        com=(0.21, 0.01, -0.02),
        inertia=(0.02, 0.05, 0.045),
    )
    m.body(
        "lower",
        on=upper.point("elbow", (0.43, 0.0, 0.02)),
        joint=il.revolute("y", name="elbow", initial=(-0.7, 0.3)),
        mass=1.1,
        com=(0.17, -0.01, 0.03),
        inertia=(0.01, 0.03, 0.025),
    )
    k = m.parameter("stiffness", 7.0, unit="N*m/rad", range=(0.0, 90.0))
    d = m.parameter("damping", 0.4, unit="N*m*s/rad")
    push = m.input("push", unit="N*m")
    m.joint_force("upper", lambda q, qd, t: -k * q - d * qd + push)
    m.joint_force("lower", lambda q, qd, t: -0.3 * qd + 0.2 * il.sin(5 * t))
    return m


@contextlib.contextmanager
def own_name(word: str) -> Iterator[str]:
    """A name for a running plant; nothing of it may be left at the end."""
    chosen = f"{word}_{os.getpid()}_{next(_numbers)}"
    yield chosen
    left = list(Path("/dev/shm").glob(f"inloop.{os.geteuid()}.{chosen}*"))
    for path in left:
        path.unlink()
    assert not left


def all_records(box: Mailbox) -> list[Outputs]:
    """Every record of the telemetry that was not read yet."""
    return list(iter(box.next, None))


def newest_inputs(box: Mailbox) -> list[float]:
    """What was written last, in the order of `box.inputs`, before the plant has used it."""
    record, values = mirror("inloop_record")(), np.zeros(len(box.inputs))
    place = (ctypes.addressof(record), values.ctypes.data)
    realtime_function("il_mailbox_newest")(box._use().address, INPUTS, *place)
    return values.tolist()


def do_steps(box: Mailbox, count: int) -> Outputs:
    """So many steps of a plant that is paused, on a scripted clock."""
    box.step(count)
    box.clock.settle()
    return box.read()


def advance_with_controller(loop: Loop, count: int) -> None:
    """So many periods on a scripted clock, each after a controller elsewhere has answered."""
    start, period = loop.clock.now, loop.options.period / loop.options.speed
    for k in range(1, count + 1):
        assert loop.mailbox.answered(HANG)
        # not before the wake-up, whichever way its time was rounded
        loop.clock.advance_to(start + k * period + 1e-9)
