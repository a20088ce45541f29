"""Extra states of an observer: unknown efforts and inputs, sensor offsets."""

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

SMALLEST, LARGEST = 1e-100, 1e100  # deviations whose squares neither underflow nor overflow
MOST_COPIES = 100  # delayed copies of an extra state: each costs as much as a state


@dataclass(frozen=True)
class Unknown:
    """An unmeasured quantity that acts on the plant; it starts at 0.

    Attributes:
        change: standard deviation of its random walk after one second [its unit/√s]; with `time`,
            its own standard deviation [its unit]; if smooth, that of its rate after one second
            [its unit/s/√s].
        doubt: initial standard deviation [its unit].
        time: correlation time (first-order Gauss-Markov process) [s]; None: a random walk.
        smooth: its rate is a random walk, so that ramps are tracked without lag.
        lag: fixed-lag smoothing: its past values up to this lag [s], a multiple of the period, are
            estimated too: "<input>.unknown.ago_3" is its value three samples ago.
    """

    change: float
    doubt: float = 0.0
    time: float | None = None
    smooth: bool = False
    lag: float = 0.0

    @classmethod
    def rising(cls, size: float, time: float, doubt: float = 0.0, *, lag: float = 0.0) -> Unknown:
        """A smooth unknown that may reach a given size within a given time, such as impact forces.

        Its rate changes by size/time in that time: a larger change would pass more sensor noise, a
        smaller one would lag.

        Args:
            size: size that it may reach [its unit].
            time: time in which it may do so [s].
            doubt: initial standard deviation [its unit].
            lag: see `Unknown`.
        """
        size, time = positive(size, "the size of an unknown"), positive(time, "its time")
        return cls(size / time**1.5, doubt, smooth=True, lag=lag)

    def times(self, factor: float) -> Unknown:
        """The same unknown, scaled by a factor."""
        return replace(self, change=factor * self.change, doubt=factor * self.doubt)

    def checked(self, name: str) -> Unknown:
        """The same unknown, after checking its numbers.

        Raises:
            InputError: a number is invalid.
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
        state: data for C.
        doubt: initial standard deviation.
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
    """Extra states of an observer, from the user's arguments.

    Order: unknown inputs and offsets, then rates, then delayed copies, those of one sample ago
    before those of two: C exploits that neighbors are handled alike.

    Args:
        unknown: unknowns by input name; a number means `Unknown(change=number)`.
        offsets: unknowns by name of a measured output.
        inputs: index of each input.
        measured: index of each measured output.
        period: period of the observer [s].
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
    sources = {at: at for at in lags}  # index of the copy that is one sample more recent
    for ago in range(1, max(lags.values(), default=0) + 1):
        for at in (at for at, lag in lags.items() if lag >= ago):
            copy = ExtraState(COPY_OF_EXTRA, sources[at], 1.0, 0.0)
            sources[at] = len(found)
            found.append(Extra(f"{wanted[at][0]}.ago_{ago}", copy, 0.0))
    return found


def white(name: str, number: int, deviation: float) -> Extra:
    """Input noise as an extra state, for direct feedthrough to measured outputs."""
    return Extra(f"{name}.noise", ExtraState(ADDS_TO_INPUT, number, 0.0, deviation**2), 0.0)


def _itself(name: str, what: Unknown, place: tuple[int, int], period: float) -> Extra:
    """The state that is added to an input or a measured output."""
    keeps, wanders = 1.0, what.change**2 * period
    if what.smooth:
        wanders = 0.0  # its rate does
    elif what.time is not None:
        keeps = math.exp(-period / what.time)
        wanders = what.change**2 * (1.0 - keeps**2)
    return Extra(name, ExtraState(*place, keeps, wanders), what.doubt)


def _rate(name: str, what: Unknown, at: int, period: float) -> Extra:
    """The rate of a smooth unknown, which is extra state number `at`."""
    state = ExtraState(RATE_OF_EXTRA, at, 1.0, what.change**2 * period)
    return Extra(f"{name}.rate", state, 0.0)


def _samples(name: str, lag: float, period: float) -> int:
    """A lag in samples.

    Raises:
        InputError: it is not a multiple of the period, or too long.
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
    """A positive number whose square neither underflows nor overflows.

    Raises:
        InputError: the number is out of range.
    """
    number = real(value, what)
    if not SMALLEST <= number <= LARGEST:
        raise InputError(
            f"{what} is {number:g}", fix=f"Give a number from {SMALLEST:g} to {LARGEST:g}."
        )
    return number


def not_negative(value: float, what: str) -> float:
    """A nonnegative number with a finite square.

    Raises:
        InputError: the number is out of range.
    """
    number = real(value, what)
    if not 0.0 <= number <= LARGEST:
        raise InputError(f"{what} is {number:g}", fix=f"Give a number from 0 to {LARGEST:g}.")
    return number
