"""Are the innovations of an observer as large as the noise that it was told lets expect?"""

from __future__ import annotations

import math

FEWEST = 200  # measurements, before which nothing is said
MANY_IDLE = 100  # samples without anything that was used, from which on this is said
SURELY = 4.89  # standard deviations of a normal variable: one in a million lies beyond them


def innovation_note(squares: float, used: int) -> str:
    """What is to be said of innovations; nothing, "", where they fit.

    Their squares, in units of their variances, add up to a χ² variable with as many degrees of
    freedom as there are. Its limits are those of Wilson and Hilferty (1931).

    Args:
        squares: sum of the squares.
        used: how many there are.
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
    """What is to be said of samples of which nothing was used; nothing, "", if they are few.

    Args:
        idle: how many there are since something was used.
    """
    if idle < MANY_IDLE:
        return ""
    return (
        f"no measurement has been used for {idle} samples: estimates come from the "
        "model alone. If gate= rejects them, give more doubt= or a larger gate="
    )
