"""A slider-crank whose slider has clearance in its guide (Flores, Leine & Glocker 2010).

Digits are those of an event-driven solution, whose slider chatters between corners 8 µm apart; the
first impact is exact, the end good to some 1e-3 rad/s, and Siconos with h = 1e-5 misses it by 0.13.
"""

from __future__ import annotations

import numpy as np
import pytest

from inloop.gallery.slider_clearance import slider_clearance

START = {"q": np.zeros(3), "qd": np.array([150.0, -225.0, 74.99])}


def test_the_first_impact_and_the_end() -> None:
    plant = slider_clearance().compile()
    fine = plant.simulate(t_end=0.0027, step=2e-7, sample=2e-6, **START)
    # angles are absolute there
    after = np.cumsum(fine.qd[np.searchsorted(fine.t, 0.0026915)])
    assert after[1:] == pytest.approx([-49.38581964, 23.28744769], abs=2e-2)
    result = plant.simulate(t_end=0.02, step=1e-5, **START)
    assert not result.doubts
    corners = ("upper_left", "upper_right", "lower_left", "lower_right")
    assert min(result[f"{corner}.gap"].min() for corner in corners) > -1e-7
    end, speeds = np.cumsum(result.q[-1]), np.cumsum(result.qd[-1])
    assert end == pytest.approx([1.613208419, -0.5199068535, 0.0], abs=1e-3)
    assert speeds == pytest.approx([71.67350101, 1.378111903, 0.0], abs=6e-2)
    # the sum of impulses at the upper wall
    given = sum(result[f"{corner}.normal"].sum() for corner in corners[:2]) * 1e-5
    assert given == pytest.approx(0.0881 + 0.0872, rel=2e-2)
