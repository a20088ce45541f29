"""Unknowns of a fit: live parameters and delays by name, with scales and bounds."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, real, reals

DELAY = ".delay"
MOST_DELAY = 10.0  # maximum fitted delay in periods of a recording, unless bounds are given
# parameters with one of these units stay positive if they are positive in the plant
POSITIVE_UNITS = frozenset((
    "kg", "kg/m", "kg*m^2", "N/m", "N*m/rad", "N*s/m", "N*m*s/rad", "Pa", "s", "Hz", "m^2",
))  # fmt: skip


@dataclass(frozen=True)
class Unknowns:
    """Parameters, then delays; this is the order of all arrays with one entry per unknown.

    Attributes:
        names: names of live parameters of the plant.
        channels: names of outputs whose delay is fitted.
        units: units of both.
        first: initial values of the search.
        lower, upper: bounds.
        scale: sizes that scale the values to the order of 1.
    """

    names: tuple[str, ...]
    channels: tuple[str, ...]
    units: tuple[str, ...]
    first: Array
    lower: Array
    upper: Array
    scale: Array

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of parameters and delays, as the user writes them."""
        return (*self.names, *(name + DELAY for name in self.channels))

    def __len__(self) -> int:
        return len(self.first)


def choose_unknowns(
    plant: BarePlant,
    chosen: Sequence[str],
    outputs: Sequence[str],
    period: float,
    delay: Mapping[str, float],
    bounds: Any,
) -> Unknowns:
    """Parameters and delays selected by names and patterns.

    Raises:
        InputError: a name is unknown, or a bound is invalid.
    """
    names, channels = _chosen(plant, chosen, outputs)
    given = _bounds(bounds, (*names, *(channel + DELAY for channel in channels)))
    declared = {p.name: p for p in plant.parameters.declared}
    rows: list[tuple[float, float, float, float]] = []
    for name in names:
        value, allowed = plant.parameters[name], declared[name].range
        low, high = (-np.inf, np.inf) if allowed is None else allowed
        if value > 0.0 and declared[name].unit in POSITIVE_UNITS:
            low = max(low, 0.0)
        low, high = _within((low, high), given.get(name))
        span = high - low
        size = abs(value) or (0.1 * span if np.isfinite(span) else 1.0)
        rows.append((value, low, high, size))
    for channel in channels:
        low, high = _within((0.0, np.inf), given.get(channel + DELAY))
        high = MOST_DELAY * period if np.isinf(high) else high
        rows.append((delay.get(channel, 0.0), low, high, period))
    first, lower, upper, scale = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    for label, low, high in zip((*names, *channels), lower, upper, strict=True):
        if not low < high:
            raise InputError(f"bounds of '{label}' are empty", fix="Give the smaller one first.")
    units = (*(declared[name].unit for name in names), *("s" for _ in channels))
    inside = np.clip(first, lower, upper)
    return Unknowns(names, channels, units, inside, lower, upper, scale)


def _chosen(
    plant: BarePlant, patterns: Sequence[str], outputs: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names: dict[str, None] = {}
    channels: dict[str, None] = {}
    starts = {f"{name}.{kind}" for name in plant.coordinates for kind in ("q", "qd")}
    for pattern in patterns:
        if pattern.endswith(DELAY) and pattern.removesuffix(DELAY) in outputs:
            channels[pattern.removesuffix(DELAY)] = None
            continue
        matches = fnmatch.filter(plant.parameters, pattern)
        if not matches:
            raise InputError(
                f"model '{plant.name}' has no live parameter '{pattern}' to fit",
                fix="Initial states are fitted anyway: leave it out (see start=)."
                if pattern in starts
                else name_hint(pattern, tuple(plant.parameters))
                + " Numbers of the model are live if it is compiled with live=[...].",
            )
        names.update(dict.fromkeys(matches))
    if not names and not channels:
        raise InputError("no parameters are given to fit", fix='Name parameters: fit=["k", "c"].')
    return tuple(names), tuple(channels)


def _bounds(given: Any, labels: Sequence[str]) -> dict[str, tuple[float, float]]:
    bounds = {}
    for name, pair in by_name(given, "bounds").items():
        if name not in labels:
            raise InputError(
                f"bounds of '{name}', which is not fitted", fix=name_hint(name, labels)
            )
        values = reals(pair, f"bounds of '{name}'")
        if values.shape != (2,) or np.isnan(values).any():
            raise InputError(f"bounds of '{name}' are {pair}", fix="Give a pair (low, high).")
        bounds[name] = (float(values[0]), float(values[1]))
    return bounds


def _within(allowed: tuple[float, float], given: tuple[float, float] | None) -> tuple[float, float]:
    if given is None:
        return allowed
    return max(allowed[0], given[0]), min(allowed[1], given[1])


def by_channel(given: Any, what: str, outputs: Sequence[str]) -> dict[str, float]:
    """Nonnegative numbers for some of the channels, by name.

    Raises:
        InputError: a name is not a channel, or a value is invalid.
    """
    values = {}
    for name, value in by_name(given, what).items():
        if name not in outputs:
            raise InputError(
                f"{what} of '{name}', which is not compared", fix=name_hint(name, outputs)
            )
        values[name] = real(value, f"{what} of '{name}'")
        if not (np.isfinite(values[name]) and values[name] >= 0.0):
            raise InputError(
                f"{what} of '{name}' is {value}", fix="Give a number that is not below 0."
            )
    return values
