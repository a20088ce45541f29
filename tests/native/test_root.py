"""The root finder of events on tame and on hostile curves."""

from __future__ import annotations

import numpy as np
import pytest

from inloop.native import POINTER, REAL, Status, address_of

TAME, FLAT, STEP, STEEP, LOPSIDED = range(5)


def find(problems, which: int, root: float, s_tolerance: float, f_tolerance: float = np.inf):
    """(root, trials)."""
    function = problems.library.function("root_of", POINTER, REAL, REAL, POINTER)
    context, s = np.array([which, root, 0.0]), np.zeros(1)
    status = function(address_of(context), s_tolerance, f_tolerance, address_of(s))
    assert status == Status.OK
    return s[0], int(context[2])


@pytest.mark.parametrize("root", [1e-12, 0.031, 0.5, 2 / 3, 1 - 1e-9])
@pytest.mark.parametrize("which", [TAME, FLAT, STEP, STEEP, LOPSIDED])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-9, 1e-13])
def test_every_root_is_found_in_bounded_trials(problems, which, root, tolerance) -> None:
    s, trials = find(problems, which, root, tolerance)
    assert s == pytest.approx(root, abs=1.0001 * tolerance)
    assert trials <= 24 + np.ceil(np.log2(1 / tolerance))


@pytest.mark.parametrize("which", [TAME, STEEP])
def test_smooth_roots_take_few_trials(problems, which: int) -> None:
    counts = [find(problems, which, root, 1e-12)[1] for root in np.linspace(0.05, 0.95, 19)]
    assert np.mean(counts) <= (8 if which == TAME else 25)


def test_the_value_is_within_its_tolerance_too(problems) -> None:
    """A bracket of 1e-3 is not enough when f must be within 1e-14."""
    s, _ = find(problems, TAME, 0.4321, 1e-3, 1e-14)
    assert abs(s - 0.4321) <= 1e-14
    # one that cannot be reached ends at neighboring numbers
    s, trials = find(problems, STEP, 0.4321, 1e-3, 1e-300)
    assert s == pytest.approx(0.4321, abs=1e-16) and trials <= 100


def test_a_bad_status_ends_the_search(problems) -> None:
    function = problems.library.function("root_of", POINTER, REAL, REAL, POINTER)
    context, s = np.array([7.0, 0.5, 0.0]), np.zeros(1)
    assert function(address_of(context), 1e-9, 1.0, address_of(s)) == 99
