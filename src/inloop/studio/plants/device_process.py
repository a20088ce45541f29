"""A simulated haptic device attached to a running plant, in a process of its own.

The device runs in the time of the plant, counted in records: it reads its sensor, writes the
motion, waits for the outputs that respond to it, and advances by one servo period. So no data is
lost, and a plant that runs slowly or is paused is felt slowly or not at all. Periods for which this
process was too slow are skipped and counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inloop.devices import Impedance, Setup, Station
from inloop.realtime import Mailbox
from inloop.realtime.mailboxes.outputs import Outputs

PATIENCE = 0.05  # [s] of one wait for the plant
PANEL_EVERY = 0.1  # [s] of the plant's clock
# steps of q, qd and qdd: small enough not to disturb, large enough to measure
PROBE = (1e-3, 1e-2, 0.1)
HALF = 0.5  # of a record


class LeaveError(Exception):
    """The device is no longer needed."""


class ResetError(Exception):
    """The plant was reset."""


@dataclass
class PromptBox:
    """A mailbox whose outputs always respond to the newest inputs.

    Attributes:
        box: mailbox of the plant.
        leave: whether to stop waiting.
        newest: newest outputs that were read.
    """

    box: Mailbox
    leave: Callable[[], bool]
    newest: Outputs = field(init=False)
    _written: int = 0

    def __post_init__(self) -> None:
        self.newest = self.box.read()

    def write(self, values: Mapping[str, float], /) -> None:
        """Write inputs by name; the others are unchanged."""
        self.box.write(values)
        self._written = self.box.inputs_written

    def read(self) -> Outputs:
        """The first outputs computed with the newest inputs."""
        self._wait(lambda outputs: outputs.input_sequence >= self._written)
        return self.newest

    def wait_until(self, record: float) -> None:
        """Wait for a record, also if steps of the plant fail."""
        self._wait(lambda outputs: outputs.sequence >= record)

    def _wait(self, enough: Callable[[Outputs], bool]) -> None:
        while not enough(self.newest):
            found = self.box.wait(PATIENCE)
            if self.leave():
                raise LeaveError
            if found is None:
                continue
            before, self.newest = self.newest, found
            if found["t"] < before["t"]:
                raise ResetError


@dataclass(frozen=True)
class Grip:
    """Where the device holds the plant.

    Attributes:
        joint: joint with a live drive.
        arm: distance from its axis to the handle [m].
        rest: value of the joint at which the device starts.
        stops: stops of the handle, as values of the joint.
        reserve: energy that the mechanism may deliver [J].
    """

    joint: str
    arm: float = 1.0
    rest: float = 0.0
    stops: tuple[float, float] = (-math.inf, math.inf)
    reserve: float = 0.0


@dataclass
class DeviceLoop:
    """The loop of device and finger, until it is no longer needed.

    Attributes:
        box: mailbox of the plant.
        grip: where it holds the plant.
        setup: parts of the device.
        target: returns the current target of the finger for the joint.
        publish: called with the panel ten times a second.
        leave: whether to end.
    """

    box: Mailbox
    grip: Grip
    setup: Setup
    target: Callable[[], float]
    publish: Callable[[dict[str, Any]], None]
    leave: Callable[[], bool]
    station: Station = field(init=False)
    shown: Impedance = field(init=False, default=Impedance())

    def __post_init__(self) -> None:
        self._plant = PromptBox(self.box, self.leave)
        # the servo cannot be faster than the plant
        self._fastest = 1.0 / self.box.layout.period
        self._panel_due, self._periods, self._at_limit, self._most = 0.0, 0, 0, 0.0
        self._parameters, self._skipped = 0, 0

    def run(self) -> None:
        """Hold the plant from its start until `leave` returns True; the joint is left at rest.

        Raises:
            MailboxError: the plant has ended.
        """
        self.box.reset()
        while True:
            try:
                self._begin()
                self._go_on()
            except ResetError:
                continue
            except LeaveError:
                self._put(self.grip.rest)
                self.box.rest()
                return

    def change(self, setup: Setup) -> None:
        """Continue with another device, at the position of this one."""
        before = self.station
        self.setup = setup
        self.station = self._make(before.rig.finger.carried)
        self.station.handle.position = before.handle.position
        self.station.skipped = before.skipped

    def _begin(self) -> None:
        """Grasp at rest: measure the weight, which the finger supports from now on."""
        arm = self.grip.arm
        self.shown, effort = self._probe()
        self.station, self._skipped = self._make(effort / arm), 0
        self.station.handle.position = arm * self.grip.rest
        self._due = float(self._plant.newest.sequence)

    def _make(self, carried: float) -> Station:
        grip, setup = self.grip, self.setup
        if setup.rate > self._fastest:
            setup = setup.changed({"rate": self._fastest})
        low, high = (grip.arm * stop for stop in grip.stops)
        rig = setup.rig(carried, grip.reserve, (low, high))
        return Station(self._plant, grip.joint, rig, grip.arm)

    def _go_on(self) -> None:
        arm = self.grip.arm
        while not self.leave():
            station = self.station
            records = station.rig.period / self.box.layout.period  # of the plant per servo period
            station.step(arm * self.target())
            self._count(station)
            self._due += records
            self._plant.wait_until(self._due - HALF)
            # skip whole periods only: a device ahead of the plant would wait longer than a period
            missed = int((self._plant.newest.sequence - self._due) / records)
            if missed > 0:
                station.skipped += missed
                self._due += missed * records
            if (now := self.box.clock.now) >= self._panel_due:
                self._panel_due = now + PANEL_EVERY
                self.publish(self.panel())
                self._feel_again()
        raise LeaveError

    def _count(self, station: Station) -> None:
        command = abs(station.chain.command)
        self._periods += 1
        self._at_limit += command >= station.rig.limit
        self._most = max(self._most, command)

    def panel(self) -> dict[str, Any]:
        """Data for the panel of the page; shares and maximum force since the last panel."""
        found = self.station.panel()
        del found["stiffness"]  # computed by another process
        skipped = self.station.skipped - self._skipped
        self._skipped = self.station.skipped
        found |= {
            "left_out": skipped / max(1, skipped + self._periods),
            "t": self._plant.newest["t"],
            "periods": self._periods,
            "at_limit": self._at_limit / max(1, self._periods),
            "most_force": self._most,
            "limit": self.station.rig.limit,
            "shown_stiffness": self.shown.stiffness,
            "shown_damping": self.shown.damping,
            "shown_mass": self.shown.mass,
        }
        self._periods, self._at_limit, self._most = 0, 0, 0.0
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in found.items()
        }

    # impedance of the plant

    def _feel_again(self) -> None:
        """Probe again after a change of parameters, once the handle is at rest."""
        handle, number = self.station.handle, self._plant.newest.parameter_sequence
        rests = abs(handle.position - self.grip.arm * self.grip.rest) < 2e-3
        if number != self._parameters and rests and abs(handle.velocity) < 1e-3:
            q = self.station.chain.motion[0] / self.grip.arm
            self.shown, _ = self._probe(q)

    def _probe(self, q: float | None = None) -> tuple[Impedance, float]:
        """Measured stiffness, damping and mass [N/m, N·s/m, kg], and the effort at rest."""
        self._parameters = self._plant.newest.parameter_sequence
        q, arm = self.grip.rest if q is None else q, self.grip.arm
        effort = self._put(q)
        # upwards only, so that bodies lying on the joint stay in contact
        dq, dv, da = PROBE
        mass = (self._put(q, 0.0, da) - effort) / da
        damping = (self._put(q, dv) - effort) / dv
        stiffness = (self._put(q + dq) - effort) / dq
        self._put(q)
        found = (x / arm**2 for x in (stiffness, damping, mass))
        return Impedance(*(x if math.isfinite(x) else 0.0 for x in found)), effort

    def _put(self, q: float, qd: float = 0.0, qdd: float = 0.0) -> float:
        """Move the joint; returns the effort it takes."""
        joint = self.grip.joint
        self._plant.write({f"{joint}.q": q, f"{joint}.qd": qd, f"{joint}.qdd": qdd})
        try:
            return self._plant.read()[f"{joint}.effort"]
        except LeaveError:
            return 0.0
