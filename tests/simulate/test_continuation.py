"""Runs that continue others give the bits of one uninterrupted run.

All methods share the plant of a mechanism: what one run builds is there for the next ones, too.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from four_bar_model import four_bar_with_a_tail
from linkage_pair import linkage_pair
from near_rhombus import near_rhombus

import inloop as il
from inloop import gallery

METHODS = ("euler", "rk4", "dopri", "rodas", "implicit")
SLOW = pytest.param("rodas", marks=pytest.mark.long)
STEP = 1e-3


def check(plant: il.Plant, steps: int, method: str, told: str = "", **options: Any) -> None:
    """Cut a run in many places: some of no meaning, and around what it tells first and last."""
    whole = plant.simulate(t_end=steps * STEP, step=STEP, method=method, **options)
    assert told in "".join(whole.notes)
    times = [float(found) for found in re.findall(r"t = ([\d.e-]+) s", "".join(whole.notes))]
    times += [event.t for event in whole.events]
    told_at = {*sorted(times)[:1], *sorted(times)[-1:]}
    near = [round(t / STEP) + shift for t in told_at for shift in (-1, 0, 1)]
    cuts = sorted({1, 12, steps // 3, steps - 1, *(k for k in near if 0 < k < steps)})
    for cut in cuts:
        first = plant.simulate(t_end=cut * STEP, step=STEP, method=method, **options)
        rest = plant.simulate(t_end=steps * STEP, step=STEP, method=method, start=first, **options)
        assert len(rest.t) == steps - cut + 1
        for name in ("t", "q", "qd", "energy"):
            both = getattr(whole, name)[cut:], getattr(rest, name)
            np.testing.assert_array_equal(*both, err_msg=f"{name}, cut after {cut} steps")


@pytest.fixture(scope="module")
def pushed() -> il.Plant:
    model = il.Model("pushed", gravity=(0.0, -9.81, 0.0))
    push = model.input("push", "N*m")
    model.body("arm", on=model.ground, joint=il.revolute("z", initial=(0.3, 0.0)), mass=1.3,
               com=(0.4, 0.02, 0.0), inertia=(1e-2, 2.1e-2, 3e-2))  # fmt: skip
    model.joint_force("arm", lambda qd: push - 0.3 * qd)
    return model.compile()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", METHODS)
def test_of_a_tree_with_an_input_over_time(pushed: il.Plant, method: str) -> None:
    check(pushed, 300, method, inputs={"push": lambda t: 3.0 * il.sin(9.0 * t)})


@pytest.fixture(scope="module")
def with_a_tail() -> il.Plant:
    return four_bar_with_a_tail().compile()


@pytest.mark.parametrize("method", METHODS)
def test_of_a_mechanism_with_a_drive(with_a_tail: il.Plant, method: str) -> None:
    check(with_a_tail, 200, method)


@pytest.fixture(scope="module")
def four_bars() -> il.Plant:
    return gallery.get("four_bar").build().compile()


@pytest.mark.thinned(5)
@pytest.mark.parametrize("method", METHODS)
def test_over_a_singular_position(four_bars: il.Plant, method: str) -> None:
    """Also where a run ends on the way over it."""
    check(four_bars, 1400, method, "the run passes a singular position")


@pytest.mark.thinned(5)
@pytest.mark.parametrize("method", [*(m for m in METHODS if m != "rodas"), SLOW])
def test_near_a_singular_position(method: str) -> None:
    """Where each step is made of shorter ones."""
    check(near_rhombus(1e-4).compile(), 150, method, "independent coordinates are now")


@pytest.fixture(scope="module")
def pair() -> il.Plant:
    return linkage_pair().compile()


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
def test_with_coordinates_that_change(pair: il.Plant, method: str) -> None:
    check(pair, 600, method, "independent coordinates are now")


@pytest.fixture(scope="module")
def pair_with_modes() -> il.Plant:
    model = linkage_pair()
    free, braked, late = (model.mode(name) for name in ("free", "braked", "late"))
    with model.during(braked):
        model.joint_force("crank_0", lambda qd: -0.05 * qd, name="brake")
    model.event("on", lambda q: q["crank_0"] - 0.9, mode=free, to=braked)
    model.event("off", lambda q: q["crank_1"] + 0.2, mode=braked, to=late)
    return model.compile()


@pytest.mark.thinned(5)
@pytest.mark.parametrize("method", METHODS)
def test_with_modes_and_coordinates_that_change(pair_with_modes: il.Plant, method: str) -> None:
    check(pair_with_modes, 600, method, "independent in mode late are now")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("method", METHODS)
def test_with_impacts(method: str) -> None:
    check(gallery.get("bouncing_ball").build().compile(), 3000, method)


@pytest.mark.parametrize("method", ["rk4", "scipy"])
def test_whatever_is_written_into_a_result(pushed: il.Plant, method: str) -> None:
    """Such as degrees in place of radians: the state to continue from is not part of the arrays."""
    first = pushed.simulate(t_end=0.1)
    expected = pushed.simulate(t_end=0.2, start=first, method=method)
    first.q[:] = np.degrees(first.q)
    first.qd[:] = 0.0
    rest = pushed.simulate(t_end=0.2, start=first, method=method)
    np.testing.assert_array_equal(rest.q, expected.q)
    assert rest.notes == expected.notes


def test_of_adaptive_steps_by_fixed_ones_is_refused(pushed: il.Plant) -> None:
    first = pushed.simulate(t_end=0.1, tolerance=1e-8)
    with pytest.raises(il.InputError, match=r"tolerance=1e-08.*Give tolerance= here as well"):
        pushed.simulate(t_end=0.2, start=first, method="rk4")
    assert pushed.simulate(t_end=0.2, start=first, tolerance=1e-8).status == "OK"


def test_of_runs_that_keep_no_state_is_refused(pushed: il.Plant) -> None:
    def brake(t: float, outputs: dict[str, float]) -> dict[str, float]:
        return {"push": -outputs["arm.qd"]}

    controlled = pushed.simulate(t_end=0.02, controller=brake, period=0.01)
    for first in (controlled, pushed.simulate(t_end=0.02, method="scipy")):
        with pytest.raises(
            il.InputError, match=r"by SciPy or run with a controller.*Give q and qd"
        ):
            pushed.simulate(t_end=0.2, start=first)
