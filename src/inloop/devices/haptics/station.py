"""A simulated device at a running plant: shows with a mouse what a hand would feel."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from inloop.devices.haptics.chain import DeviceChain
from inloop.devices.haptics.coupling import Coupling
from inloop.devices.haptics.handle import HapticHandle
from inloop.devices.haptics.rig import Rig
from inloop.devices.haptics.stiffness_range import StiffnessRange

MOST_LATE = 20  # periods; later ones are skipped


class Box(Protocol):
    """Access to a plant: `inloop.attach(name)`, or a stepper with the same interface."""

    def write(self, values: Mapping[str, float], /) -> None:
        """Write inputs by name; the others are unchanged."""

    def read(self) -> Any:
        """The newest outputs, by name."""


class Clock(Protocol):
    """Clock of a station: `box.clock`, or the system clock."""

    @property
    def now(self) -> float:
        """Time [s]."""
        ...

    def sleep_until(self, time: float, /) -> object:
        """Sleep until a time [s]."""


class _SystemClock:
    """The system clock."""

    @property
    def now(self) -> float:
        return time.monotonic()

    def sleep_until(self, until: float) -> None:
        time.sleep(max(0.0, until - time.monotonic()))


@dataclass
class Station:
    """Handle, finger and chain at a joint of a plant, stepped period by period.

    Without a coupling the joint is driven and follows the device: its `q`, `qd` and `qdd` are the
    reading and its estimated derivatives, and the device feels the effort of the drive. With a
    coupling the joint is free, and both feel the coupling.

    Attributes:
        box: of the plant.
        joint: a joint with a live drive, or a free one.
        rig: the device.
        arm: distance from the joint's axis to the handle [m]; 1 for a prismatic joint.
        coupling: between the device and a free joint.
        skipped: number of periods skipped because they were late.
    """

    box: Box
    joint: str
    rig: Rig
    arm: float = 1.0
    coupling: Coupling | None = None
    skipped: int = 0
    chain: DeviceChain = field(init=False)
    handle: HapticHandle = field(init=False)
    range: StiffnessRange | None = None

    def __post_init__(self) -> None:
        self.chain, self.handle = self.rig.chain(), self.rig.handle()

    def step(self, target: float, target_velocity: float = 0.0) -> float:
        """One servo period; returns the force on the handle [N].

        Args:
            target: desired position of the handle [m].
            target_velocity: of the finger [m/s].
        """
        command = self._drive() if self.coupling is None else self._couple(self.coupling)
        for _ in range(self.rig.substeps):
            self.handle.step(command, target, target_velocity)
        return command

    def _drive(self) -> float:
        """The joint follows the device; its effort is the force."""
        _, qd, qdd = self.chain.sense(self.handle.position, self.handle.velocity)
        # springs act on the reading: an estimate after a low-pass is delayed, and a loop with a
        # delayed position allows little stiffness
        joint, arm, q = self.joint, self.arm, self.chain.reading
        self.box.write({f"{joint}.q": q / arm, f"{joint}.qd": qd / arm, f"{joint}.qdd": qdd / arm})
        effort = self.box.read()[f"{joint}.effort"] / arm
        # if the plant does not answer, the force is kept
        return self.chain.act(-effort if math.isfinite(effort) else self.chain.wanted)

    def _couple(self, coupling: Coupling) -> float:
        """Device and joint pull on each other."""
        joint, arm, outputs = self.joint, self.arm, self.box.read()
        held = arm * outputs[f"{joint}.q"], arm * outputs[f"{joint}.qd"]
        handle = self.handle
        command = self.chain.step(handle.position, coupling, held, handle.velocity)
        self.box.write({f"{joint}.tau": -arm * self.chain.wanted})
        return command

    def measure(self) -> StiffnessRange:
        """Measure the stiffness range of the device; takes seconds, not for the loop."""
        damping = 0.0 if self.coupling is None else self.coupling.damping
        self.range = StiffnessRange.of(self.rig, damping)
        return self.range

    def panel(self) -> dict[str, Any]:
        """Values for display: energy, action of the controller, stiffness limits [N/m]."""
        rig = self.rig
        return {
            **self.chain.panel(),
            "handle": self.handle.position,
            "motor_work": self.handle.motor_work,
            "rate_hz": 1.0 / rig.period,
            "damping": rig.damping,
            "skipped": self.skipped,
            "stiffness": None if self.range is None else self.range.data(),
        }

    def run(
        self,
        target: Callable[[], float],
        *,
        publish: Callable[[dict[str, Any]], None] = lambda _: None,
        every: float = 0.1,
        stop: Callable[[], bool] = lambda: False,
        seconds: float = math.inf,
        clock: Clock | None = None,
    ) -> None:
        """Step in real time.

        Args:
            target: returns the desired position of the handle [m].
            publish: called with the values of `panel`.
            every: interval of these calls [s].
            stop: polled at the same interval.
            seconds: maximum run time [s].
            clock: clock to use; None: the system clock.
        """
        clock = _SystemClock() if clock is None else clock
        period, start = self.rig.period, clock.now
        due, panel_due = start, start
        while due - start < seconds:
            now = clock.now
            if now - due > MOST_LATE * period:
                missed = int((now - due) / period)
                self.skipped += missed
                due += missed * period
            elif due > now:
                clock.sleep_until(due)
            self.step(target())
            due += period
            if due >= panel_due:
                panel_due = due + every
                publish(self.panel())
                if stop():
                    return
