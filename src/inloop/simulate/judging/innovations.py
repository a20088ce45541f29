"""Whether the innovations of an observer are consistent with the specified noise."""

from __future__ import annotations

import math

FEWEST = 200  # minimum number of measurements for a note
MANY_IDLE = 100  # minimum number of samples without used measurements for a note
SURELY = 4.89  # standard deviations of a normal variable, exceeded with probability 1e-6


def innovation_note(squares: float, used: int) -> str:
    """A note on inconsistent innovations; "" if they are consistent.

    Their squares, normalized by their variances, sum to a χ² variable with as many degrees of
    freedom as there are. Its quantiles are those of Wilson and Hilferty (1931).

    Args:
        squares: sum of the normalized squares.
        used: number of innovations.
    """
    if used < FEWEST:
        return ""
    spread = 2.0 / (9.0 * used)
    low, high = (
        used * (1.0 - spread + sign * SURELY * math.sqrt(spread)) ** 3 for sign in (-1.0, 1.0)
    )
    if low <= squares <= high:
        return ""
    size = math.sqrt(squares / used)
    cause = (
        "check measured=, its units, disturbances= and the model; gate= rejects outliers"
        if squares > high
        else "the noise is smaller than specified (sensors of a plant are ideal)"
    )
    told = f"innovations are {size:.3g} times as large as expected from the specified noise"
    return f"{told}: {cause}"


def idle_note(idle: int) -> str:
    """A note on samples without any used measurement; "" if they are few.

    Args:
        idle: number of samples since a measurement was used.
    """
    if idle < MANY_IDLE:
        return ""
    return (
        f"no measurement has been used for {idle} samples: estimates come from the "
        "model alone. If gate= rejects them, give more doubt= or a larger gate="
    )
