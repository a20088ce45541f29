"""Scripted clocks: real-time runs that are the same on every machine.

A scripted clock stands still until it is advanced. Each wake-up of the loop is late, and each step
takes as long, as the script says, and all processes attached to the plant read the same time, which
is used for stamps, ages of inputs and the watchdog.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import InputError, MailboxError
from inloop.native.mirror import constant, mirror
from inloop.native.realtime_functions import realtime_function
from inloop.realtime.checks import is_finite, need, shown, timeout_of
from inloop.realtime.mailboxes.memory import Attached, MemoryAccess

START = 1.0  # [s] start time; not 0, which could be mistaken for no time
SETTLES_WITHIN = 60.0  # [s] of the wall clock
LOOK_EVERY = 0.001  # [s]
LONGEST_WAIT = 0.1  # [s] in one call of C
LONGEST = 1e9  # [s]
FOREVER = 2**63 - 1  # [ns]
LISTS = ("late", "took", "used", "warmed")  # fields of a script, in Python as in C


@dataclass(frozen=True, kw_only=True)
class ScriptedClock:
    """Script of a clock; beyond the end of each list the values are zero.

    Pass it to `il.start(plant, clock=...)` and advance time with `loop.clock.advance(seconds)`;
    `il.run` advances it automatically.

    Attributes:
        late: lateness of each wake-up [s].
        took: duration of each step, including made-up ones [s].
        used: processor time of each step [s]; None: its whole duration.
        warmed: duration of each warm-up [s]; see `Options.warm`.
    """

    late: Sequence[float] = ()
    took: Sequence[float] = ()
    used: Sequence[float] | None = None
    warmed: Sequence[float] = ()

    def __post_init__(self) -> None:
        for name in LISTS:
            given = getattr(self, name)
            if given is None and name == "used":
                continue
            listed = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
            need(listed, f"{name} = {shown(given)}", "Give a list of seconds.")
            for value in given:
                if not (is_finite(value) and 0.0 <= value <= 1e6):
                    raise InputError(
                        f"a scripted clock cannot have {shown(value)} among '{name}'",
                        fix="Use seconds from 0 to 1e6.",
                    )


class Script:
    """A scripted clock in the memory of the loop.

    Attributes:
        functions: address of the table of functions, il_clock.
        address: address of their il_script.
    """

    def __init__(self, clock: ScriptedClock, box: int) -> None:
        used = clock.took if clock.used is None else clock.used
        # the arrays must outlive the structure that points to them
        lists = (clock.late, clock.took, used, clock.warmed)
        self._lists = [nanoseconds(times) for times in lists]
        self._structure = mirror("il_script")(box=box)
        for name, times in zip(LISTS, self._lists, strict=True):
            setattr(self._structure, name, times.ctypes.data)
            setattr(self._structure, f"{name}_count", len(times))
        self.address = ctypes.addressof(self._structure)
        self.functions = realtime_function("il_scripted_clock")()


def nanoseconds(times: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Seconds in whole nanoseconds."""
    return np.array([round(1e9 * time) for time in times], dtype=np.int64)


def standing_still() -> ctypes.Structure:
    """A scripted clock that has not been advanced yet."""
    start = round(1e9 * START)
    return mirror("inloop_clock")(now=start, limit=start, grants=1)


class PlantClock:
    """The clock of a plant, for all attached processes."""

    def __init__(self, plant: str, access: MemoryAccess) -> None:
        self._plant, self._use = plant, access.use

    @property
    def scripted(self) -> bool:
        """Whether it follows a script; otherwise it is CLOCK_MONOTONIC, as `time.monotonic`."""
        return bool(self._use().box.layout.clock_offset)

    @property
    def now_ns(self) -> int:
        """Time [ns], as used in stamps."""
        return int(realtime_function("il_mailbox_time")(self._use().address))

    @property
    def now(self) -> float:
        """Time [s]."""
        return 1e-9 * self.now_ns

    def advance(self, seconds: float) -> None:
        """Advance a scripted clock by some seconds; see `advance_to`."""
        good = is_finite(seconds) and 0.0 <= seconds <= LONGEST
        need(good, f"to advance by {shown(seconds)} s", f"Use 0 to {LONGEST:g}.")
        self._let_pass(self.now_ns + round(1e9 * seconds))

    def advance_to(self, time: float) -> None:
        """Advance a scripted clock to a time [s].

        Returns when the plant has done everything due until then and sleeps again, or has ended.
        The time is then as given, or later if a step took longer.

        Raises:
            InputError: the plant runs on the system clock.
            MailboxError: the plant does not settle.
        """
        good = is_finite(time) and abs(time) <= LONGEST
        need(good, f"to advance to {shown(time)} s", f"Use a time up to {LONGEST:g}.")
        self._let_pass(round(1e9 * time))

    def settle(self) -> None:
        """Wait until the plant sleeps, after it has processed everything written so far."""
        self._let_pass(None)

    def release(self) -> None:
        """Let a scripted clock advance by itself, as fast as the plant can compute."""
        self._grant(FOREVER)

    def hold(self) -> None:
        """Stop a scripted clock that was released; returns when the plant sleeps."""
        self._let_pass(0)

    def sleep_until(self, when: float, timeout: float = math.inf) -> bool:
        """Sleep until a time of this clock.

        Args:
            when: time at which to return [s].
            timeout: maximum wait of the wall clock [s], for a clock that is not advanced.

        Returns:
            False if the time was not reached before the timeout.
        """
        need(is_finite(when), f"to sleep until {shown(when)} s", "Give a time of this clock.")
        end = time.monotonic() + timeout_of(timeout)
        while (left := when - self.now) > 0.0:
            if (rest := end - time.monotonic()) <= 0.0:
                return False
            time.sleep(min(LOOK_EVERY if self.scripted else left, rest))
        return True

    def _let_pass(self, limit: int | None) -> None:
        grant, held = self._grant(limit)
        settle, end = realtime_function("il_mailbox_settle"), time.monotonic() + SETTLES_WITHIN
        # Python handles no signals while it is in C
        while settle(held.address, grant, LONGEST_WAIT) == constant("INLOOP_NOTHING"):
            if time.monotonic() > end:
                raise MailboxError(
                    f"plant '{self._plant}' did not come to rest within {SETTLES_WITHIN:g} s",
                    fix="See whether its process hangs, or hold a clock that was released.",
                )

    def _grant(self, limit: int | None) -> tuple[int, Attached]:
        held = self._use()
        offset = held.box.layout.clock_offset
        if not offset:
            raise InputError(
                f"plant '{self._plant}' runs on the clock of the system, which nobody can advance",
                fix="Start it with clock=il.ScriptedClock().",
            )
        if limit is None:
            limit = mirror("inloop_clock").from_address(held.box.base + offset).limit
        return realtime_function("il_mailbox_grant")(held.address, limit), held
