"""Convert between MIDI velocity and hammer speed."""

from __future__ import annotations

import math

SOFTEST, LOUDEST = 1, 127


def midi_velocity(hammer_speed: float) -> int:
    """MIDI velocity, 1 to 127, for the speed of the hammer at the string [m/s].

    52 + 25 log2(speed): the map of the Bösendorfer SE290 in Goebl, "The role of timing and
    intensity in the production and perception of melody in expressive piano performance", Graz
    2003, Eq. 3.2. 1 m/s is 52, each doubling 25 more; hammers strike with 0.2 to 7 m/s.
    """
    if not hammer_speed > 0.0:
        return SOFTEST
    return round(min(max(52.0 + 25.0 * math.log2(hammer_speed), SOFTEST), LOUDEST))


def hammer_speed(velocity: int) -> float:
    """Speed of the hammer [m/s] for a MIDI velocity."""
    return float(2.0 ** ((velocity - 52.0) / 25.0))
