"""A wheel at a running plant: reads the wheel, writes inputs and one force in each period."""

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

OLD = 0.1  # older outputs of the plant are not felt [s]
SEARCH = 0.25  # interval of the search for a lost wheel [s]
FASTEST = 20.0  # rate limit towards a wheel that has returned [rad/s]


class Driven(Protocol):
    """Interface to a plant; see `PlantPort`."""

    def torque(self) -> float | None:
        """Torque shown by the plant [N·m]; None if unknown."""

    def lead(self, values: dict[str, float]) -> None:
        """Inputs by the names "steering" [rad], those of pedals (0 to 1) and of `Switches`."""

    def reset(self) -> None:
        """Back to the start."""

    def rest(self) -> None:
        """Release the inputs for others."""


@dataclass
class WheelStatistics:
    """Counters of a wheel link.

    Attributes:
        periods: since the start.
        reports: of the device.
        clipped: periods with a torque above the limit.
        lost: number of times the device disappeared.
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
        """Find the inputs and outputs.

        Args:
            box: of the plant.
            steering: input that follows the angle of the wheel [rad].
            torque: output that is felt [N·m].
            others: inputs by names of pedals and switches; missing ones are ignored.

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
        """Torque shown by the plant; None if it is paused or late."""
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
        """Reset the plant; has no effect if others command it at the moment."""
        with contextlib.suppress(InputError, MailboxError):
            self._box.reset()

    def rest(self) -> None:
        """Release the inputs: pedals released, switches unchanged."""
        self._box.rest({name: 0.0 for what, name in self.others.items() if what in PEDALS})


@dataclass
class WheelLink:
    """One wheel and one plant.

    Attributes:
        port: of the plant.
        profile: of the wheel.
        feel: torque settings.
        find: opens the wheel; None while it is not connected.
        said: called with messages for the user.
        statistics: what has happened.
        angle: angle of the wheel as seen by the plant [rad].
        force: current torque on the wheel [N·m].
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
            MailboxError: the plant has ended, or another process controls it.
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
                # the plant jumps: ramp the force up again
                wheel.push(0.0, now)
                self._hand.rest()
                self.port.reset()

    def _lead(self, wheel: EventDevice | None) -> None:
        """Write the inputs of the plant; without a wheel it keeps its angle, pedals released."""
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
        """The device is lost: no force, and it is searched for."""
        self.force = 0.0
        self._hand.rest()
        if self._wheel is not None:
            self._wheel.close()
            self._wheel = None
            self.statistics.lost += 1
            self.said("the wheel is gone: pedals are released, and it is looked for")
        self._searched = now

    def run(self, seconds: float = math.inf) -> None:
        """Run periodically until the plant ends, or for some seconds."""
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
                    due += late  # late periods are not made up
                time.sleep(max(0.0, -late))
        finally:
            self.close()

    def close(self) -> None:
        """Remove the force, and release the device and the plant."""
        self.force = 0.0
        if self._wheel is not None:
            self._wheel.close()
            self._wheel = None
        with contextlib.suppress(MailboxError):  # it may have ended
            self.port.rest()
