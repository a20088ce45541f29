"""Drives that pull a mechanism beyond its reach: runs end there, whatever integrates them."""

from __future__ import annotations

from typing import Any

import pytest

import inloop as il
from inloop.simulate import pieces

UPPER, FORE, FIRST, SPEED, STEP = 0.4, 0.3, 0.5, 0.5, 1e-3
MOST_PIECES = 50

METHODS: list[dict[str, Any]] = [
    {"method": "rk4"},
    {"method": "implicit"},
    {"method": "rodas"},
    {"method": "rodas", "tolerance": 1e-6},
    {"method": "rodas", "tolerance": 1e-9},
    {"method": "dopri", "tolerance": 1e-6},
]


@pytest.fixture(scope="module")
def arm() -> il.Plant:
    """Two bars whose tip a slide pulls away: the reach is the sum of their lengths."""
    m = il.Model("pulled_arm")
    on: Any = m.ground
    for name, length, guess in (("upper", UPPER, 0.6), ("fore", FORE, -1.0)):
        body = m.body(
            name, on=on, joint=il.revolute("y", guess=guess), mass=1.3, com=(0.4 * length, 0, 0),
            inertia=(1e-3, 1.1e-2, 1.2e-2),
        )  # fmt: skip
        on = body.point("end", (length, 0, 0))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x", guess=FIRST), mass=0.9)
    m.close(on, slide, name="pin")
    m.drive(slide, lambda t: FIRST + SPEED * t)
    return m.compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("how", METHODS, ids=lambda how: " ".join(map(str, how.values())))
def test_a_run_ends_where_the_reach_does(
    arm: il.Plant, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces lead further, or the run ends; steps to where nothing closes are not counted."""
    begun: list[float] = []
    run = pieces.run_machine

    def counted(system: Any, start: Any, schedule: Any, **more: Any) -> Any:
        begun.append(start.t)
        assert len(begun) < MOST_PIECES, f"the run stays at t = {start.t} s"
        if "tolerance" not in how:
            assert start.t == pytest.approx(start.step * STEP, abs=1e-9)
        return run(system, start, schedule, **more)

    monkeypatch.setattr(pieces, "run_machine", counted)
    with pytest.raises(il.SimulationError, match="loop 'pin' is at a singular position") as caught:
        arm.simulate(t_end=2.0, step=STEP, **how)
    kept = caught.value.result
    stretched = (UPPER + FORE - FIRST) / SPEED
    assert kept.status == "LOOP_OPEN"
    assert stretched - 2.0 * STEP <= kept.t[-1] <= stretched * (1.0 + 1e-9)
    assert kept.constraint_violation < 1e-9
