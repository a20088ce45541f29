"""Inputs that are held for a step, where bodies have six coordinates each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import inloop as il

MASS = 1.7  # [kg]


def slide(stiffness: float = 0.0, damping: float = 0.0) -> il.Model:
    """A block with an input, and a spring of its own."""
    m = il.Model("slide", gravity=(0.0, 0.0, 0.0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("block", lambda q, qd: -stiffness * q - damping * qd)
    m.joint_input("block")
    return m


def held_by_hand(h: float, forces: np.ndarray, k: float, d: float) -> np.ndarray:
    """Positions and velocities after steps in which forces stay, exactly."""
    A = np.array([[0.0, 1.0, 0.0], [-k / MASS, -d / MASS, 1.0 / MASS], [0.0, 0.0, 0.0]])
    whole, x, found = expm(A * h), np.zeros(2), []
    for force in forces:
        x = whole[:2, :2] @ x + whole[:2, 2] * force
        found.append(x)
    return np.array(found)


def held(stepper: il.Stepper, forces: np.ndarray, by_effort: bool) -> np.ndarray:
    found = []
    for force in forces:
        if by_effort:
            stepper.tau["block"] = force
        else:
            stepper.inputs["block.tau"] = force
        stepper.step()
        found.append((stepper["block.q"], stepper["block.qd"]))
    return np.array(found)


@pytest.mark.parametrize("by_effort", [False, True])
def test_held_forces_act_over_their_step(by_effort: bool) -> None:
    """A block that nothing else acts on: to the last digits, whatever the forces are."""
    plant = slide().compile(formulation="redundant")
    noise = np.random.default_rng(1).normal(size=200)
    begun = np.where(np.arange(200) < 40, 0.0, MASS)
    for forces in (noise, begun):
        found = held(plant.stepper(step=1e-3), forces, by_effort)
        np.testing.assert_allclose(found, held_by_hand(1e-3, forces, 0.0, 0.0), atol=1e-14)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("by_effort", [False, True])
def test_held_forces_leave_the_order_two(by_effort: bool) -> None:
    """Forces that jump, swing, or are noise, beside a spring and a damper."""
    plant = slide(40.0, 3.0).compile(formulation="redundant")
    for forces_at in (
        lambda t: np.where(t < 0.2 - 1e-9, 0.0, 1.0),
        lambda t: np.sin(5.0 * t),
        lambda t: np.random.default_rng(1).normal(size=len(t)),
    ):
        errors = []
        for h in (4e-3, 2e-3, 1e-3):
            forces = forces_at(h * np.arange(round(0.6 / h)))
            found = held(plant.stepper(step=h), forces, by_effort)
            errors.append(np.abs(found - held_by_hand(h, forces, 40.0, 3.0)).max())
        assert errors[2] < 2e-6
        assert errors[0] / errors[2] > 12.0  # 16, as far as so few steps tell


def test_a_controller_in_the_plant_acts_when_it_is_sampled() -> None:
    """A block held by P and D of its samples: the difference equation by hand."""
    P, D, h = 60.0, 9.0, 2e-3
    m = slide()

    def pd(t: il.Expr, outputs: dict[str, il.Expr]) -> dict[str, il.Expr]:
        return {"block.tau": P * (0.1 - outputs["block.q"]) - D * outputs["block.qd"]}

    m.controller(pd, period=h)
    stepper = m.compile(formulation="redundant").stepper(step=h)
    x = np.zeros(2)
    for _ in range(300):
        force = P * (0.1 - x[0]) - D * x[1]
        x = x + np.array([h * x[1] + 0.5 * h * h * force / MASS, h * force / MASS])
        stepper.step()
        assert stepper["block.q"] == pytest.approx(x[0], abs=1e-13)
        assert stepper["block.qd"] == pytest.approx(x[1], abs=1e-13)


def test_what_is_much_faster_than_a_step_is_not_shaken() -> None:
    """A spring of 2e10 N/m: a force that begins bends it, and vibrations stay as small as that."""
    plant = slide(2e10, 0.0).compile(formulation="redundant")
    found = held(plant.stepper(step=1e-3), np.full(100, 50.0), by_effort=False)[:, 0]
    assert np.abs(found).max() < 2.0 * 50.0 / 2e10
    assert found[-1] == pytest.approx(50.0 / 2e10, rel=1e-6)
