"""A haptic device in a process of its own, in step with a plant whose clock stands."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import inloop as il
from inloop.realtime import Mailbox

HANG = 120.0  # [s] after which something that should happen never will


class InStep:
    """Lets the plant go on by one period of the servo for each motion that the device writes.

    Make it before the device is started: the first motion that it then sees is that of the device.
    A device that may have written already counts from the start of the plant.

    Args:
        box: of the plant.
        period: of the servo, or longer [s].
        started: the device may have written before.
    """

    def __init__(self, box: Mailbox, period: float, *, started: bool = False) -> None:
        self._box, self._period = box, period
        self._written = 0 if started else box.inputs_written

    def period(self) -> None:
        """One period, when the device has written."""
        assert self._box.written(self._written, HANG), "the device writes nothing"
        self._written = self._box.inputs_written
        self._box.clock.advance(self._period)

    def pass_time(self, seconds: float) -> None:
        """So much time of the plant."""
        end = self._box.clock.now + seconds
        while self._box.clock.now < end - 1e-9:
            self.period()

    def pass_until(self, look: Callable[[], bool]) -> None:
        """Until something is true, which takes far less than a minute of the plant's clock."""
        end = self._box.clock.now + 60.0
        while not look():
            assert self._box.clock.now < end, "it did not happen"
            self.period()

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        """Time passes until the end of the `with` statement, as fast as the device can follow."""
        over = threading.Event()

        def go_on() -> None:
            # a mailbox is for one thread
            with il.attach(self._box.name) as box:
                steps = InStep(box, self._period)
                steps._written = self._written
                while not over.is_set():
                    steps.period()
                self._written = steps._written

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
