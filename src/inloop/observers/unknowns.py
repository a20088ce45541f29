"""What an observer estimates beside the states of a plant: efforts, inputs, offsets of sensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inloop.errors import InputError
from inloop.native.running.observer import (
    ADDS_TO_INPUT,
    ADDS_TO_MEASURED,
    COPY_OF_EXTRA,
    RATE_OF_EXTRA,
    ExtraState,
)
from inloop.plant.arguments import by_name, real
from inloop.simulate.controlled.sampled import unknown_name

MOST_COPIES = 100  # of an extra state: each costs as much as a state


@dataclass(frozen=True)
class Unknown:
    """Something that acts and that nobody tells; it starts at 0.

    Attributes:
        change: standard deviation of what it changes by in one second [its unit/√s]; of a steady
            one, see `time`, its own standard deviation [its unit]; of a smooth one that of its
            rate [its unit/s/√s].
        doubt: standard deviation at the start [its unit].
        time: in which it forgets where it was [s]; None: it wanders.
        smooth: its rate wanders, and it follows: ramps are met without lag.
        lag: what it was up to so long ago is estimated as well [s], whole periods, from all that
            was measured since: "<input>.unknown.ago_3" is what it was three samples ago.
    """

    change: float
    doubt: float = 0.0
    time: float | None = None
    smooth: bool = False
    lag: float = 0.0

    @classmethod
    def rising(cls, size: float, time: float, doubt: float = 0.0, *, lag: float = 0.0) -> Unknown:
        """A smooth one that may become as large as a size within a time, as forces at impacts do.

        Its rate wanders by size/time in that time: a larger change would only let more noise of
        the sensors through, a smaller one would lag behind.

        Args:
            size: what it may become [its unit].
            time: in which [s].
            doubt: standard deviation at the start [its unit].
            lag: see `Unknown`.
        """
        size, time = positive(size, "the size of an unknown"), positive(time, "its time")
        return cls(size / time**1.5, doubt, smooth=True, lag=lag)

    def times(self, factor: float) -> Unknown:
        """The same, so many times as large."""
        return replace(self, change=factor * self.change, doubt=factor * self.doubt)

    def checked(self, name: str) -> Unknown:
        """The same, if its numbers make sense.

        Raises:
            InputError: they do not.
        """
        positive(self.change, f"the change of unknown '{name}'")
        not_negative(self.doubt, f"the doubt of unknown '{name}'")
        not_negative(self.lag, f"the lag of unknown '{name}'")
        if self.time is not None:
            positive(self.time, f"the time of unknown '{name}'")
            if self.smooth:
                raise InputError(
                    f"unknown '{name}' is smooth and forgets",
                    fix="Give either smooth=True or time=.",
                )
        return self


@dataclass(frozen=True)
class Extra:
    """An extra state with its name.

    Attributes:
        name: "<input>.unknown", "<input>.unknown.rate", "<input>.unknown.ago_1",
            "<output>.offset" or "<input>.noise".
        state: as C has it.
        doubt: standard deviation at the start.
    """

    name: str
    state: ExtraState
    doubt: float


def read_extras(
    unknown: Mapping[str, Unknown | float],
    offsets: Mapping[str, Unknown | float],
    inputs: Mapping[str, int],
    measured: Mapping[str, int],
    period: float,
) -> list[Extra]:
    """Extra states of an observer, from what a user says.

    Args:
        unknown: by name of an input; a number stands for `Unknown(change=number)`.
        offsets: by name of what is measured.
        inputs: number of each input.
        measured: number of each measured output.
        period: [s].
    """
    found: list[Extra] = []
    for given, known, kind, tail in (
        (by_name(unknown, "unknown"), inputs, ADDS_TO_INPUT, "unknown"),
        (by_name(offsets, "offsets"), measured, ADDS_TO_MEASURED, "offset"),
    ):
        for name, value in given.items():
            if name not in known:
                raise unknown_name("input" if kind == ADDS_TO_INPUT else "sensor", name, known)
            what = value if isinstance(value, Unknown) else Unknown(real(value, f"'{name}'"))
            at = len(found)
            found += _states(f"{name}.{tail}", what.checked(name), (kind, known[name]), period, at)
            found += _copies(f"{name}.{tail}", what.lag, period, at, len(found))
    return found


def white(name: str, number: int, deviation: float) -> Extra:
    """Noise beside an input as a state, where what is measured feels it at once."""
    return Extra(f"{name}.noise", ExtraState(ADDS_TO_INPUT, number, 0.0, deviation**2), 0.0)


def _states(
    name: str, what: Unknown, place: tuple[int, int], period: float, before: int
) -> list[Extra]:
    """One state, or two of a smooth one."""
    if what.smooth:
        rate = ExtraState(RATE_OF_EXTRA, before, 1.0, what.change**2 * period)
        return [
            Extra(name, ExtraState(*place, 1.0, 0.0), what.doubt),
            Extra(f"{name}.rate", rate, 0.0),
        ]
    if what.time is None:
        return [Extra(name, ExtraState(*place, 1.0, what.change**2 * period), what.doubt)]
    keeps = math.exp(-period / what.time)
    wanders = what.change**2 * (1.0 - keeps**2)
    return [Extra(name, ExtraState(*place, keeps, wanders), what.doubt)]


def _copies(name: str, lag: float, period: float, at: int, before: int) -> list[Extra]:
    """What the extra state at a place was one sample ago, two samples ago, and so on."""
    count = round(lag / period)
    if abs(count * period - lag) > 1e-6 * period or count > MOST_COPIES:
        raise InputError(
            f"a lag of {lag:g} s of '{name}' is no whole number of up to {MOST_COPIES} periods of "
            f"{period:g} s",
            fix="Round it, or choose another period.",
        )
    sources = [at, *range(before, before + count - 1)]
    return [
        Extra(f"{name}.ago_{k}", ExtraState(COPY_OF_EXTRA, source, 1.0, 0.0), 0.0)
        for k, source in enumerate(sources[:count], start=1)
    ]


def positive(value: float, what: str) -> float:
    """A finite number above 0.

    Raises:
        InputError: it is none.
    """
    number = real(value, what)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError(f"{what} is {number:g}", fix="Give a finite number > 0, if a small one.")
    return number


def not_negative(value: float, what: str) -> float:
    """A finite number, 0 or more.

    Raises:
        InputError: it is none.
    """
    number = real(value, what)
    if not (math.isfinite(number) and number >= 0.0):
        raise InputError(f"{what} is {number:g}", fix="Give a finite number, 0 or more.")
    return number
