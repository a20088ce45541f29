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

SMALLEST, LARGEST = 1e-100, 1e100  # deviations whose squares are numbers
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
                    f"unknown '{name}' has both smooth=True and time=",
                    fix="Give only one of them.",
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

    What acts or is added comes first, then rates, then copies, those of one sample ago before
    those of two: neighbors go the same way, which C makes use of.

    Args:
        unknown: by name of an input; a number stands for `Unknown(change=number)`.
        offsets: by name of what is measured.
        inputs: number of each input.
        measured: number of each measured output.
        period: [s].
    """
    wanted: list[tuple[str, Unknown, tuple[int, int]]] = []
    for given, known, kind, tail in (
        (by_name(unknown, "unknown"), inputs, ADDS_TO_INPUT, "unknown"),
        (by_name(offsets, "offsets"), measured, ADDS_TO_MEASURED, "offset"),
    ):
        for name, value in given.items():
            if name not in known:
                raise unknown_name("input" if kind == ADDS_TO_INPUT else "sensor", name, known)
            what = value if isinstance(value, Unknown) else Unknown(real(value, f"'{name}'"))
            wanted.append((f"{name}.{tail}", what.checked(name), (kind, known[name])))
    found = [_itself(name, what, place, period) for name, what, place in wanted]
    found += [
        _rate(name, what, at, period) for at, (name, what, _) in enumerate(wanted) if what.smooth
    ]
    lags = {at: _samples(name, what.lag, period) for at, (name, what, _) in enumerate(wanted)}
    sources = {at: at for at in lags}  # where each one of a sample less ago is
    for ago in range(1, max(lags.values(), default=0) + 1):
        for at in (at for at, lag in lags.items() if lag >= ago):
            copy = ExtraState(COPY_OF_EXTRA, sources[at], 1.0, 0.0)
            sources[at] = len(found)
            found.append(Extra(f"{wanted[at][0]}.ago_{ago}", copy, 0.0))
    return found


def white(name: str, number: int, deviation: float) -> Extra:
    """Noise beside an input as a state, where what is measured feels it at once."""
    return Extra(f"{name}.noise", ExtraState(ADDS_TO_INPUT, number, 0.0, deviation**2), 0.0)


def _itself(name: str, what: Unknown, place: tuple[int, int], period: float) -> Extra:
    """The state that acts, or is added to what is measured."""
    keeps, wanders = 1.0, what.change**2 * period
    if what.smooth:
        wanders = 0.0  # its rate does
    elif what.time is not None:
        keeps = math.exp(-period / what.time)
        wanders = what.change**2 * (1.0 - keeps**2)
    return Extra(name, ExtraState(*place, keeps, wanders), what.doubt)


def _rate(name: str, what: Unknown, at: int, period: float) -> Extra:
    """Of a smooth one at a place."""
    state = ExtraState(RATE_OF_EXTRA, at, 1.0, what.change**2 * period)
    return Extra(f"{name}.rate", state, 0.0)


def _samples(name: str, lag: float, period: float) -> int:
    """Of a lag.

    Raises:
        InputError: it is no whole number of periods, or too long.
    """
    count = round(lag / period)
    if abs(count * period - lag) > 1e-6 * period or count > MOST_COPIES:
        raise InputError(
            f"a lag of {lag:g} s of '{name}' is not a whole number of up to {MOST_COPIES} "
            f"periods of {period:g} s",
            fix="Round it, or choose another period.",
        )
    return count


def positive(value: float, what: str) -> float:
    """A number above 0, whose square is one, too.

    Raises:
        InputError: it is none.
    """
    number = real(value, what)
    if not SMALLEST <= number <= LARGEST:
        raise InputError(
            f"{what} is {number:g}", fix=f"Give a number from {SMALLEST:g} to {LARGEST:g}."
        )
    return number


def not_negative(value: float, what: str) -> float:
    """A number, 0 or more, whose square is finite.

    Raises:
        InputError: it is none.
    """
    number = real(value, what)
    if not 0.0 <= number <= LARGEST:
        raise InputError(f"{what} is {number:g}", fix=f"Give a number from 0 to {LARGEST:g}.")
    return number
