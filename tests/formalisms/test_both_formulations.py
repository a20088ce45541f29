"""Reduced and redundant coordinates: two ways to the same accelerations, forces and motions."""

from __future__ import annotations

import pytest
from both_formulations import CASES, compare

SHORT = ("slider_crank", "bricard", "cart_pendulum")


@pytest.mark.parametrize(
    "name",
    [*SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in CASES if name not in SHORT)],
)
def test_both_formulations_agree(name: str) -> None:
    seen = compare(name, CASES[name])
    assert seen.accelerations <= 1e-10
    assert max(seen.multipliers, seen.forces) <= 1e-6
    assert seen.trajectory <= 1e-8
    assert seen.drift <= 1e-9
