"""Parameters with which loops cannot be closed, or masses are negative, are refused by the loop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.realtime import Mailbox, Outputs

CRANK, COUPLER, ROCKER, BASE = 0.1, 0.31, 0.23, 0.35  # [m]


@pytest.fixture(scope="module")
def four_bar() -> il.Plant:
    """A four-bar linkage whose coupler has a live length, and whose crank a live load."""
    m = il.Model("four_bar", gravity=(0, 0, -9.81))
    length = m.parameter("coupler_length", COUPLER, unit="m", range=(0.0, 10.0))
    load = m.parameter("load", 0.15, unit="kg")
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", name="crank", initial=(-1.0, 0.0)),
                   mass=0.25 + load, com=(0.05, 0, 0), inertia=(1e-3, 2e-3, 2e-3))  # fmt: skip
    coupler = m.body("coupler", on=crank.point("pin", (CRANK, 0, 0)),
                     joint=il.revolute("y", name="coupler", guess=0.6),
                     mass=0.3, com=(0.15, 0, 0), inertia=(1e-3, 3e-3, 3e-3))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("base", (BASE, 0, 0)),
                    joint=il.revolute("y", name="rocker", guess=-1.8),
                    mass=0.5, com=(0.11, 0, 0), inertia=(1e-3, 2e-3, 2e-3))  # fmt: skip
    m.close(coupler.point("end", (length, 0, 0)), rocker.point("end", (ROCKER, 0, 0)))
    return m.compile()


def gap(record: Outputs, coupler: float) -> float:
    """Distance of the two ends of the cut [m], by the sines of the angles alone."""
    a, b, c = (record[f"{name}.q"] for name in ("crank", "coupler", "rocker"))
    x = CRANK * math.cos(a) + coupler * math.cos(a + b) - BASE - ROCKER * math.cos(c)
    z = CRANK * math.sin(a) + coupler * math.sin(a + b) - ROCKER * math.sin(c)
    return math.hypot(x, z)


def stepped(box: Mailbox, count: int = 1) -> Outputs:
    wanted = box.read().sequence + count
    box.step(count)
    record = box.read()
    while record.sequence < wanted:
        record = box.wait(10.0) or record
    return record


@pytest.fixture
def loop(four_bar: il.Plant, name: str) -> Iterator[il.realtime.Loop]:
    with il.start(four_bar, name=name, rate=1024.0, mode="free", paused=True) as found:
        yield found


@pytest.mark.parametrize("length", [COUPLER * 1.6, 5.0, 0.02])
def test_a_length_that_cannot_be_met_is_refused_and_nothing_changes(
    loop: il.realtime.Loop, four_bar: il.Plant, length: float
) -> None:
    box = loop.mailbox
    before = stepped(box, 50)
    assert gap(before, COUPLER) < 1e-7
    with pytest.raises(il.InputError, match=r"refuses coupler_length = .*smaller steps"):
        box.parameters["coupler_length"] = length
    assert box.parameters["coupler_length"] == COUPLER
    assert box.statistics()["bad_parameters"] == 1
    after = stepped(box, 50)
    assert after.status_name == "OK"
    assert gap(after, COUPLER) < 1e-7
    # as if nobody had tried: to the last bit
    result = four_bar.simulate(t_end=100 / 1024, step=1 / 1024)
    np.testing.assert_array_equal(after.q, result.q[-1])
    np.testing.assert_array_equal(after.qd, result.qd[-1])
    # a refused record is never told as the one in use
    used = box.parameters_at(after.parameter_sequence)
    assert used is not None and used["coupler_length"] == COUPLER


def test_what_can_be_met_is_taken_and_the_loops_stay_closed(loop: il.realtime.Loop) -> None:
    box = loop.mailbox
    stepped(box, 50)
    for length in (0.98 * COUPLER, 1.01 * COUPLER, 0.95 * COUPLER):
        box.parameters["coupler_length"] = length
        record = stepped(box, 20)
        assert record.status_name == "OK"
        assert gap(record, length) < 1e-7
        assert gap(record, COUPLER) > 1e-4
    assert box.statistics()["bad_parameters"] == 0


@pytest.mark.parametrize("options", [{"clock": il.ScriptedClock()}, {"rate": 1.0, "speed": 1e-3}])
def test_a_plant_whose_time_stands_still_refuses_at_once(
    four_bar: il.Plant, name: str, options: dict[str, Any]
) -> None:
    with il.start(four_bar, name=name, **options) as loop:
        box = loop.mailbox
        with pytest.raises(il.InputError, match="refuses coupler_length = 5"):
            box.parameters["coupler_length"] = 5.0
        assert box.parameters["coupler_length"] == COUPLER
        box.parameters["coupler_length"] = 0.305
        box.reset()
        assert gap(box.read(), 0.305) < 1e-7


def test_a_formula_that_leaves_its_bound_is_refused_and_nothing_changes(
    loop: il.realtime.Loop, four_bar: il.Plant
) -> None:
    box = loop.mailbox
    stepped(box, 20)
    with pytest.raises(il.InputError, match=r"refuses load = -0.5.*'crank': mass must be >= 0"):
        box.parameters["load"] = -0.5
    assert box.parameters["load"] == 0.15
    assert box.statistics()["bad_parameters"] == 1
    after = stepped(box, 20)
    result = four_bar.simulate(t_end=40 / 1024, step=1 / 1024)
    np.testing.assert_array_equal(after.qd, result.qd[-1])
    box.parameters["load"] = -0.2
    assert stepped(box).status_name == "OK"


def test_several_are_taken_together_or_not_at_all(loop: il.realtime.Loop) -> None:
    """As with the parameters of a plant, `update` is one change, and `get` needs no parameter."""
    box = loop.mailbox
    for bad in ({"load": 0.3, "lode": 1.0}, {"load": 0.3, "coupler_length": 5.0}):
        with pytest.raises(il.InputError):
            box.parameters.update(bad)
        assert box.parameters["load"] == 0.15
    box.parameters.update({"load": 0.2}, coupler_length=0.305)
    assert dict(box.parameters) == {"load": 0.2, "coupler_length": 0.305}
    assert box.parameters.get("lode") is None
