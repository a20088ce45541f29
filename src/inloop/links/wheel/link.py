"""A wheel beside a plant that runs: each period reports in, inputs and one force out."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from inloop.errors import InputError, LinkError, MailboxError
from inloop.links.wheel.event_device import ABS, ABS_X, KEY, EventDevice
from inloop.links.wheel.feel import Feel, Hand
from inloop.links.wheel.hands_off import HandsOff
from inloop.links.wheel.profile import PEDALS, WheelProfile
from inloop.links.wheel.switches import Switches
from inloop.realtime import Mailbox

OLD = 0.1  # outputs of the plant that are older are not felt [s]
SEARCH = 0.25  # between two looks for a wheel that is gone [s]
FASTEST = 20.0  # at which the plant's wheel follows one that has come back [rad/s]


class Driven(Protocol):
    """What is asked of a plant; see `PlantPort`."""

    def torque(self) -> float | None:
        """What the plant shows now [N·m]; None if nobody knows."""

    def lead(self, values: dict[str, float]) -> None:
        """Inputs by the names "steering" [rad], those of pedals (0 to 1) and of `Switches`."""

    def reset(self) -> None:
        """Back to the start."""

    def rest(self) -> None:
        """Let others drive."""


@dataclass
class WheelStatistics:
    """What has happened.

    Attributes:
        periods: since the start.
        reports: of the device.
        clipped: periods in which more torque was wanted than the limit.
        lost: how often the device went away.
        late: periods that began more than half a period late.
        hands_off: periods in which nobody held the wheel.
    """

    periods: int = 0
    reports: int = 0
    clipped: int = 0
    lost: int = 0
    late: int = 0
    hands_off: int = 0


class PlantPort:
    """A mailbox as a wheel needs it."""

    def __init__(self, box: Mailbox, steering: str, torque: str, others: dict[str, str]) -> None:
        """Look for inputs and outputs.

        Args:
            box: of the plant.
            steering: input that follows the wheel's angle [rad].
            torque: output that is felt [N·m].
            others: inputs by names of pedals and switches; those that the plant lacks are left out.

        Raises:
            LinkError: the plant has no such input or output.
        """
        for name, known, what in (
            (steering, box.inputs, "input"),
            (torque, box.names, "output"),
        ):
            if name not in known:
                raise LinkError(
                    f"plant '{box.name}' has no {what} {name!a}",
                    fix=f"Name another one: --{'steering' if what == 'input' else 'torque'}; "
                    "the car has them with pedals=yes.",
                )
        self._box, self._torque, self.steering = box, torque, steering
        self.others = {what: name for what, name in others.items() if name in box.inputs}

    def torque(self) -> float | None:
        """What the plant shows now; None if it stands or is late."""
        outputs = self._box.peek()
        if self._box.clock.now - 1e-9 * outputs.stamp > OLD:
            return None
        return float(outputs[self._torque])

    def lead(self, values: dict[str, float]) -> None:
        """Inputs by the names "steering" and those of pedals and switches.

        Raises:
            MailboxError: the plant has ended.
        """
        if self._box.gone:
            raise MailboxError(f"plant '{self._box.name}' has ended", fix="Start it again.")
        named = {"steering": self.steering, **self.others}
        self._box.write({named[name]: value for name, value in values.items() if name in named})

    def reset(self) -> None:
        """Back to the start; if others command the plant just now, it stays as it is."""
        with contextlib.suppress(InputError, MailboxError):
            self._box.reset()

    def rest(self) -> None:
        """Let others drive: pedals released, switches as they are."""
        self._box.rest({name: 0.0 for what, name in self.others.items() if what in PEDALS})


@dataclass
class WheelLink:
    """One wheel and one plant.

    Attributes:
        port: of the plant.
        profile: of the wheel.
        feel: how it is to feel.
        find: opens the wheel; None while it is not there.
        said: is told what a person should know.
        statistics: what has happened.
        angle: of the wheel as the plant has it [rad].
        force: torque on the wheel now [N·m].
    """

    port: Driven
    profile: WheelProfile
    feel: Feel
    find: Callable[[], EventDevice | None]
    said: Callable[[str], None] = lambda text: None
    statistics: WheelStatistics = field(default_factory=WheelStatistics)
    angle: float = 0.0
    force: float = 0.0

    def __post_init__(self) -> None:
        self.period = 1.0 / self.profile.rate
        self._hand = Hand(self.feel, self.period)
        self._hands_off = HandsOff(self.profile, self.period)
        self._switches = Switches(self.profile.buttons)
        self._wheel: EventDevice | None = None
        self._counts: dict[int, int] = {}
        self._searched = -math.inf

    def step(self, now: float) -> None:
        """One period; `now` is the time [s].

        Raises:
            MailboxError: the plant is gone, or somebody else drives it.
        """
        self.statistics.periods += 1
        wheel = self._wheel or self._look_for(now)
        try:
            if wheel is not None:
                self._read(wheel, now)
            self._lead(wheel)
            if wheel is not None:
                self._push(wheel, now)
        except OSError:
            self._lose(now)

    def _look_for(self, now: float) -> EventDevice | None:
        if now - self._searched < SEARCH:
            return None
        self._searched = now
        wheel = self.find()
        if wheel is None:
            return None
        try:
            wheel.begin()
        except OSError:
            wheel.close()
            return None
        self._wheel = wheel
        self._counts = {code: axis.value for code, axis in wheel.axes.items()}
        self._hand.rest()
        self._hands_off.rest()
        if self.statistics.lost:
            self.said("the wheel is there again")
        return wheel

    def _read(self, wheel: EventDevice, now: float) -> None:
        for kind, code, value in wheel.reports():
            if kind == ABS and code in self._counts:
                self._counts[code] = value
                self.statistics.reports += 1
            elif kind == KEY and value == 1 and self._switches.press(code):
                # the plant jumps: the force comes in anew
                wheel.push(0.0, now)
                self._hand.rest()
                self.port.reset()

    def _lead(self, wheel: EventDevice | None) -> None:
        """Inputs of the plant; without a wheel it stays where it is, with pedals released."""
        values = dict.fromkeys(self.profile.pedals, 0.0)
        if wheel is not None:
            wanted = self.profile.angle(wheel.axes[ABS_X], self._counts[ABS_X])
            most = FASTEST * self.period
            self.angle += max(-most, min(wanted - self.angle, most))
            values = {
                name: pedal.part(self._counts.get(pedal.code, pedal.released))
                for name, pedal in self.profile.pedals.items()
            }
        self.port.lead({"steering": self.angle, **values, **self._switches.values})

    def _push(self, wheel: EventDevice, now: float) -> None:
        free = self._hands_off.free
        felt = self._hand.torque(self.port.torque(), self.angle, free=free)
        self.force = felt.torque
        angle = self.profile.angle(wheel.axes[ABS_X], self._counts[ABS_X])
        if self._hands_off.see(felt.torque, angle) != free:
            self.said("somebody holds the wheel" if free else "nobody holds the wheel: less force")
        self.statistics.hands_off += free
        self.statistics.clipped += felt.clipped
        wheel.push(self.profile.push * felt.torque / self.profile.torque, now)

    def _lose(self, now: float) -> None:
        """The device is gone: no force, and it is looked for."""
        self.force = 0.0
        self._hand.rest()
        if self._wheel is not None:
            self._wheel.close()
            self._wheel = None
            self.statistics.lost += 1
            self.said("the wheel is gone: pedals are released, and it is looked for")
        self._searched = now

    def run(self, seconds: float = math.inf) -> None:
        """Keep the period until the plant ends, or so long."""
        begin = due = time.monotonic()
        try:
            while due < begin + seconds:
                try:
                    self.step(time.monotonic())
                except MailboxError:
                    self.force = 0.0
                    raise
                due += self.period
                late = time.monotonic() - due
                if late > 0.5 * self.period:
                    self.statistics.late += 1
                    due += late  # what is late is not made up
                time.sleep(max(0.0, -late))
        finally:
            self.close()

    def close(self) -> None:
        """No force, and let go of the device and the plant."""
        self.force = 0.0
        if self._wheel is not None:
            self._wheel.close()
            self._wheel = None
        with contextlib.suppress(MailboxError):  # it may have ended
            self.port.rest()
