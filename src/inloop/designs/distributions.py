"""Distributions of one quantity, defined by their quantile functions."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array
from inloop.plant.arguments import real, reals

_CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Distribution:
    """How the values of a quantity are distributed.

    Attributes:
        words: its text, such as "normal(1.2, 0.05)".
        low, high: bounds of all values; infinite if unbounded.
        quantile: maps probabilities, 0 to 1, to values, both of shape (N,).
        probability: cumulative distribution function.
    """

    words: str
    low: float
    high: float
    quantile: Callable[[Array], Array] = field(repr=False, compare=False)
    probability: Callable[[float], float] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.words


def uniform(low: float, high: float) -> Distribution:
    """All values from `low` to `high` are equally likely."""
    a, b = _range(low, high, "uniform")
    return Distribution(
        f"uniform({a!r}, {b!r})",
        a,
        b,
        lambda u: np.clip(a + (b - a) * u, a, b),
        lambda x: min(max((x - a) / (b - a), 0.0), 1.0),
    )


def loguniform(low: float, high: float) -> Distribution:
    """Log-uniform between `low` and `high`, which are positive."""
    a, b = _range(low, high, "loguniform")
    if a <= 0.0:
        raise InputError(f"loguniform begins at {a:g}", fix="Use positive numbers.")
    span = math.log(b / a)
    return Distribution(
        f"loguniform({a!r}, {b!r})",
        a,
        b,
        lambda u: np.clip(a * np.exp(span * u), a, b),
        lambda x: min(max(math.log(x / a) / span, 0.0), 1.0) if x > 0.0 else 0.0,
    )


def normal(
    mean: float, deviation: float, low: float = -math.inf, high: float = math.inf
) -> Distribution:
    """A normal distribution, truncated at `low` and `high` if they are given.

    Args:
        mean: mean of the untruncated distribution.
        deviation: its standard deviation.
        low: smallest value.
        high: largest value.
    """
    m, s = _finite(mean, "the mean"), _positive(deviation, "the standard deviation")
    a, b = real(low, "low"), real(high, "high")
    if not a < b:
        raise InputError(f"normal: no value is above {a:g} and below {b:g}", fix="Use low < high.")
    below, above = _below((a - m) / s), _below((b - m) / s)
    if not above - below > 1e-9:
        raise InputError(
            f"normal({m:g}, {s:g}) has next to no values between {a:g} and {b:g}",
            fix="Move the bounds towards the mean.",
        )
    bounds = "" if math.isinf(a) and math.isinf(b) else f", {a!r}, {b!r}"

    def probability(x: float) -> float:
        part = (_below((x - m) / s) - below) / (above - below)
        return min(max(part, 0.0), 1.0)

    return Distribution(
        f"normal({m!r}, {s!r}{bounds})",
        a,
        b,
        lambda u: np.clip(m + s * _normal_quantile(_inside(below + (above - below) * u)), a, b),
        probability,
    )


def lognormal(median: float, deviation: float) -> Distribution:
    """The logarithm is normal: `deviation` 0.1 is about 10 % of the median."""
    m, s = _positive(median, "the median"), _positive(deviation, "the deviation")
    return Distribution(
        f"lognormal({m!r}, {s!r})",
        0.0,
        math.inf,
        lambda u: m * np.exp(s * _normal_quantile(_inside(u))),
        lambda x: _below(math.log(x / m) / s) if x > 0.0 else 0.0,
    )


def triangular(low: float, mode: float, high: float) -> Distribution:
    """From `low` to `high`, most likely at `mode`."""
    a, b = _range(low, high, "triangular")
    c = _finite(mode, "the mode")
    if not a <= c <= b:
        raise InputError(f"triangular: {c:g} is not from {a:g} to {b:g}", fix="Move the mode.")
    turn = (c - a) / (b - a)

    def quantile(u: Array) -> Array:
        rising = a + np.sqrt(u * (b - a) * (c - a))
        falling = b - np.sqrt((1.0 - u) * (b - a) * (b - c))
        return np.clip(np.where(u < turn, rising, falling), a, b)

    def probability(x: float) -> float:
        if x <= a or x >= b:
            return float(x >= b)
        if x < c:
            return (x - a) ** 2 / ((b - a) * (c - a))
        return 1.0 - (b - x) ** 2 / ((b - a) * (b - c))

    return Distribution(f"triangular({a!r}, {c!r}, {b!r})", a, b, quantile, probability)


def choice(*values: float) -> Distribution:
    """One of several values, each equally likely."""
    known = reals(values, "choice")
    if known.ndim != 1 or not len(known) or not np.all(np.isfinite(known)):
        raise InputError(
            "choice needs finite values", fix="Write choice(1.0, 2.0, 5.0), for example."
        )
    count = len(known)
    return Distribution(
        f"choice({', '.join(repr(float(x)) for x in known)})",
        float(known.min()),
        float(known.max()),
        lambda u: known[np.minimum((u * count).astype(int), count - 1)],
        lambda x: float(np.mean(known < x)),
    )


KINDS: dict[str, Callable[..., Distribution]] = {
    each.__name__: each for each in (uniform, loguniform, normal, lognormal, triangular, choice)
}


def read_distribution(text: str) -> Distribution:
    """Parse a text such as "normal(1.2, 0.05)".

    Raises:
        InputError: it is not a distribution.
    """
    match = _CALL.fullmatch(text)
    if match is None:
        raise InputError(
            f"{text[:60]!a} is not a distribution",
            fix=f"Write normal(1.2, 0.05), for example; known are {', '.join(KINDS)}.",
        )
    name, inner = match.groups()
    if name not in KINDS:
        raise InputError(f"there is no distribution {name[:40]!a}", fix=name_hint(name, KINDS))
    try:
        numbers = [float(part) for part in inner.split(",")] if inner.strip() else []
    except ValueError:
        raise InputError(
            f"{text[:60]!a} contains something that is not a number", fix=_usage(name)
        ) from None
    try:
        inspect.signature(KINDS[name]).bind(*numbers)
    except TypeError:
        raise InputError(f"{text[:60]!a} has {len(numbers)} numbers", fix=_usage(name)) from None
    return KINDS[name](*numbers)


def _usage(name: str) -> str:
    taken = inspect.signature(KINDS[name]).parameters.values()
    words = [f"[{p.name}]" if p.default is not p.empty else p.name for p in taken]
    return f"Write {name}({', '.join(words)})."


def _below(x: float) -> float:
    """Standard normal cumulative distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _normal_quantile(u: Array) -> Array:
    """Standard normal quantile function."""
    from scipy.special import ndtri  # slow to import

    return np.asarray(ndtri(u))


def _inside(u: Array) -> Array:
    """Probabilities clipped so that their normal quantile is finite."""
    tiny = np.finfo(np.float64).tiny
    return np.clip(u, tiny, np.nextafter(1.0, 0.0))


def _finite(value: Any, what: str) -> float:
    number = real(value, what)
    if not math.isfinite(number):
        raise InputError(f"{what} is {number}", fix="Give a finite number.")
    return number


def _positive(value: Any, what: str) -> float:
    number = _finite(value, what)
    if number <= 0.0:
        raise InputError(f"{what} is {number:g}", fix="Give a positive number.")
    return number


def _range(low: Any, high: Any, name: str) -> tuple[float, float]:
    a, b = _finite(low, "low"), _finite(high, "high")
    if not a < b:
        raise InputError(f"{name} from {a:g} to {b:g} makes no sense", fix="Use low < high.")
    return a, b
