"""Drives that jump: the blow that this would be is not computed, and the run says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inloop as il

JUMPS = "the drive of 'cart' jumps"


@pytest.fixture(scope="module")
def crane() -> il.Plant:
    """A light cart that is driven, with a pendulum on it."""
    m = il.Model("crane")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1e-3)
    m.body("rope", on=cart, joint=il.revolute("y"), mass=2.0, com=(0, 0, -0.7))
    m.drive(cart)
    return m.compile()


def triangle(t: Any) -> Any:
    return 0.05 * il.asin(il.sin(7.0 * t))


@pytest.mark.parametrize(
    ("motion", "when", "size"),
    [
        (lambda t: 0.3 * il.max0(t - 0.4117), 0.4117, "in velocity by 0.3 m/s"),
        (lambda t: 0.1 * il.absolute(t - 0.5003), 0.5003, "in velocity by 0.2 m/s"),
        (lambda t: il.where(t > 0.6, 0.02, 0.0), 0.6, "by 0.02 m;"),
        (lambda t: il.sin(3.0 * t) + il.where(t > 0.6, 0.1 * t - 0.06, 0.0), 0.6, "by 0.1 m/s"),
        ((np.linspace(0.0, 0.7, 8), np.linspace(0.0, 0.7, 8) ** 2), 0.7, "in velocity by 1.4 m/s"),
        (triangle, math.pi / 14.0, ", and again later"),
    ],
)
def test_a_jump_is_told_with_its_time_and_size(
    crane: il.Plant, motion: Any, when: float, size: str
) -> None:
    result = crane.simulate(t_end=1.0, step=1e-3, method="rk4", cart=motion)
    (told,) = [note for note in result.notes if JUMPS in note]
    assert told.startswith(f"t = {when:.6g} s: {JUMPS}")
    assert size in told
    # the rope should have been struck; it does not know
    before, after = np.interp([when - 2e-3, when + 2e-3], result.t, result["rope.qd"])
    assert abs(after - before) < 0.05


@pytest.mark.parametrize(
    "motion",
    [
        lambda t: 0.2 * t,
        lambda t: il.sin(40.0 * t),  # six samples per period
        lambda t: 0.5 * il.max0(t - 0.4) ** 2,  # its acceleration jumps
        lambda t: il.tanh(50.0 * (t - 0.5)),
        (np.linspace(0.0, 1.0, 21), np.sin(5.0 * np.linspace(0.0, 1.0, 21))),
    ],
)
def test_smooth_motions_are_no_jumps(crane: il.Plant, motion: Callable[[Any], Any]) -> None:
    result = crane.simulate(t_end=1.0, step=0.025, tolerance=1e-6, cart=motion)
    assert not [note for note in result.notes if JUMPS in note]


def test_live_drives_are_looked_at_and_filtered_ones_do_not_jump() -> None:
    for derivatives in ("given", "filtered"):
        m = il.Model(f"live_{derivatives}")
        cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
        m.drive(cart, derivatives=derivatives)
        ramp = {"cart.q": lambda t: il.max0(t - 0.5)}
        result = m.compile().simulate(t_end=1.0, step=5e-3, inputs=ramp)
        assert any(JUMPS in note for note in result.notes) == (derivatives == "given")


@pytest.fixture(scope="module")
def led_cart() -> il.Plant:
    """The same crane, its cart led by a constraint of time; parameters choose the motion."""
    m = il.Model("led")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1e-3)
    m.body("rope", on=cart, joint=il.revolute("y"), mass=2.0, com=(0, 0, -0.7))
    ramp, step, swing = (m.parameter(name, 0.0) for name in ("ramp", "step", "swing"))
    m.constraint(
        "lead",
        lambda q, t: (
            q["cart"]
            - ramp * il.max0(t - 0.4117)
            - il.where(t > 0.6, step, 0.0)
            - swing * il.sin(40.0 * t)
        ),
    )
    return m.compile()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"ramp": 0.3},
            "t = 0.4117 s: constraint 'lead.row_1' jumps in velocity by 0.3 per second;",
        ),
        ({"step": 1e-4}, "t = 0.6 s: constraint 'lead.row_1' jumps by 0.0001;"),
        ({"ramp": 0.3, "swing": 0.01}, "t = 0.4117 s: constraint 'lead.row_1' jumps in velocity"),
        ({"swing": 0.3}, ""),
        ({}, ""),
    ],
)
def test_constraints_of_time_that_jump_are_told(
    led_cart: il.Plant, values: dict[str, float], said: str
) -> None:
    led_cart.parameters.reset()
    led_cart.parameters.update(values)
    result = led_cart.simulate(t_end=1.0, step=5e-3, method="rk4")
    told = [note for note in result.notes if "jumps" in note]
    assert [note[: len(said)] for note in told] == ([said] if said else [])
