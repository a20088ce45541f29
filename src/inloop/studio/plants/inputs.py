"""The inputs of a plant while a person drives one of them.

The mailbox has one writer of inputs. The studio becomes the writer when a client takes the inputs,
refreshes them periodically so that they do not become stale, and releases them after it has put
them to rest, where they may stay. A studio that is stopped or killed does neither: the plant then
uses safe values. Among clients, the first that takes the inputs keeps them.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from inloop.errors import InputError, MailboxError
from inloop.native.library import Reals
from inloop.realtime.elements import led_inputs
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.messaging.client import Client
from inloop.studio.messaging.frames import InputFrame

LIMIT = 1e6  # of an input without a known range
REST = 0.5  # [s] at rest before the inputs are released
REMEMBERED = 512  # inputs on their way to the loop


class OccupiedError(InputError):
    """Another page is driving."""


class Writer(Protocol):
    """Receives the values: the plant, or a device that holds it."""

    layout: Layout

    @property
    def now(self) -> float:
        """The clock for the age of inputs [s]."""
        ...

    def take_inputs(self) -> None:
        """Become the writer of the inputs."""
        ...

    def write_inputs(self, values: Reals) -> int:
        """Write all inputs; returns the number of this record."""
        ...

    def release_inputs(self) -> None:
        """Release the inputs for another process."""
        ...

    def rest_inputs(self, values: Reals) -> None:
        """Leave these inputs, which do not become stale, and release them for another process."""
        ...


@dataclass(frozen=True)
class Limits:
    """Values that pages may set for inputs, in the order of the layout.

    Attributes:
        rest: values when nobody drives.
        least, most: ranges.
    """

    rest: Reals
    least: Reals
    most: Reals

    def range_of(self, k: int) -> tuple[float | None, float | None]:
        """Minimum and maximum of an input; None if it has no range."""
        limited = self.least[k] > -LIMIT or self.most[k] < LIMIT
        return (float(self.least[k]), float(self.most[k])) if limited else (None, None)


def limits_of(layout: Layout, device: Mapping[str, Any] | None) -> Limits:
    """The limits from plant and exhibit.

    Args:
        layout: layout of the plant.
        device: input that a person drives, as returned by `Device.data`.
    """
    inputs = layout.inputs
    found = Limits(
        np.array([x.default for x in inputs]),
        np.array([max(x.least, -LIMIT) for x in inputs]),
        np.array([min(x.most, LIMIT) for x in inputs]),
    )
    names = [x.name for x in inputs]
    if device is not None and device["input"] in names:
        k = names.index(device["input"])
        found.rest[k], found.least[k] = device["rest"], device["low"]
        found.most[k] = device["high"]
    return found


class Inputs:
    """Which client drives, and the values it has set.

    Attributes:
        owner: the client that drives; None if nobody does.
        used: for the newest input that the loop has used: counter of the page, stamp of the loop
            [s] and time of the page [ms].
    """

    def __init__(self, source: Writer, device: Mapping[str, Any] | None) -> None:
        self._source = source
        self.names = [x.name for x in source.layout.inputs]
        self._led = led_inputs(source.layout)
        self.limits = limits_of(source.layout, device)
        self._values = self.limits.rest.copy()
        self.owner: Client | None = None
        self._held = False
        self._rest_until = 0.0
        self._sent: deque[tuple[int, int, float]] = deque(maxlen=REMEMBERED)
        self.used = (0, 0.0, 0.0)

    def take(self, client: Client) -> None:
        """Let a client drive.

        Raises:
            MailboxError: a controller in another process writes the inputs.
            OccupiedError: another client drives.
        """
        if self.owner is client:
            return
        if self.owner is not None:
            raise OccupiedError(
                f"page {self.owner.number} is driving; this is page {client.number}",
                fix="Wait until it lets go.",
            )
        if not self._held:
            self._source.take_inputs()
            self._held = True
        self.owner = client
        self._sent.clear()

    def set(self, client: Client, frame: InputFrame) -> None:
        """Write a value immediately.

        Raises:
            InputError: unknown input.
            OccupiedError: another client drives.
            MailboxError: a controller in another process writes the inputs, or the plant is gone.
        """
        if frame.index >= len(self.names):
            raise InputError(f"there is no input number {frame.index}", fix="Reload the page.")
        k = frame.index
        if self.names[k] in self._led:
            words = f"input '{self.names[k]}' is set by {self._led[self.names[k]]}"
            raise InputError(words, fix="Change the gains of the controller.")
        self.take(client)
        limits = self.limits
        self._values[k] = min(max(frame.value, limits.least[k]), limits.most[k])
        written = self._source.write_inputs(self._values)
        self._sent.append((written, frame.sequence, frame.page_time))

    def release(self, client: Client) -> None:
        """Put all inputs to rest; they are released a little later."""
        if self.owner is client:
            self.owner = None
            self._values[:] = self.limits.rest
            self._rest_until = self._source.now + REST
            self.refresh()

    def settle(self) -> None:
        """Put the inputs to rest, regardless of their last writer."""
        with contextlib.suppress(MailboxError):
            self._source.take_inputs()
            self._held, self._rest_until = True, self._source.now + REST
            self.refresh()

    def close(self) -> None:
        """Release the inputs immediately."""
        if self._held:
            with contextlib.suppress(MailboxError):
                self._source.release_inputs()
        self._held, self.owner = False, None

    def refresh(self) -> None:
        """Write the inputs again, or release them when they have been at rest for a while."""
        if not self._held:
            return
        try:
            if self.owner is None and self._source.now > self._rest_until:
                self._source.rest_inputs(self._values)
                self._held = False
            else:
                self._source.write_inputs(self._values)
        except MailboxError:
            self._held, self.owner = False, None

    def follow(self, answers: Any, stamps: Any) -> None:
        """Find in the telemetry which inputs the loop has used, and when first."""
        while self._sent and self._sent[0][0] <= answers[-1]:
            written, sequence, page_time = self._sent.popleft()
            row = int(np.searchsorted(answers, written))
            self.used = (sequence, 1e-9 * float(stamps[row]), page_time)
