"""Assembly from bad guesses: a cut closes on its right side, or the error says that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

GUESSES, MANY_GUESSES = 12, 30
LENGTHS, AXES = (0.31, 0.27, 0.42, 0.23, 0.36, 0.29), "zyxzyx"
CLOSED = np.array([0.4, -0.7, 0.9, 0.5, -1.1, 0.3])  # where the loop was measured


def arm(m: il.Model, guess: np.ndarray | None = None) -> il.BodyHandle:
    """Six links in general position."""
    on: il.Handle = m.ground
    for k, (length, axis) in enumerate(zip(LENGTHS, AXES, strict=True)):
        joint = il.revolute(axis, guess=0.0 if guess is None else float(guess[k]))
        link = m.body(f"link_{k}", on=on, joint=joint, mass=1.0 + 0.1 * k, com=(0.1, 0.02, 0.01),
                      inertia=(0.01, 0.02, 0.03))  # fmt: skip
        on = link.point("end", (length, 0.03 * k, 0.0))
    return link


def hand_pose(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and axes of the hand, by products of plain rotations."""
    p, R = np.zeros(3), np.eye(3)
    for k, (length, axis) in enumerate(zip(LENGTHS, AXES, strict=True)):
        c, s = np.cos(q[k]), np.sin(q[k])
        turn = {
            "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
        R = R @ np.array(turn)
        p = p + R @ np.array([length, 0.03 * k, 0.0])
    return p, R


def closed_arm(kind: str) -> il.Plant:
    m = il.Model(f"arm_{kind}")
    hand = arm(m, CLOSED)
    p, R = hand_pose(CLOSED)
    seat = m.ground.frame("seat", tuple(p), R.tolist())
    grip = hand.frame("grip", (LENGTHS[-1], 0.03 * 5, 0.0))
    if kind == "hinge":
        m.close(grip, seat, kind="hinge", axis=(0.36, 0.48, 0.8), name="grip")
    else:
        m.close(grip, seat, kind=kind, name="grip")
    return m.compile()


@pytest.mark.parametrize("guesses", [GUESSES, pytest.param(MANY_GUESSES, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["solid", "hinge", "ball"])
def test_bad_guesses_close_on_the_right_side(kind: str, guesses: int) -> None:
    plant = closed_arm(kind)
    np.testing.assert_allclose(plant.formulation.positions.first.q, CLOSED, atol=1e-9)
    goal_p, goal_R = hand_pose(CLOSED)
    axis = np.array([0.36, 0.48, 0.8])
    rng, closed = np.random.default_rng(6), 0
    for _ in range(guesses):
        guess = CLOSED + rng.uniform(-2.5, 2.5, 6)
        try:
            q = plant.formulation.assemble(guess).q
        except il.ModelError as error:
            assert "loop 'grip' cannot close" in str(error)
            continue
        closed += 1
        p, R = hand_pose(q)
        np.testing.assert_allclose(p, goal_p, atol=1e-10)
        if kind == "solid":
            np.testing.assert_allclose(R, goal_R, atol=1e-10)
        elif kind == "hinge":
            np.testing.assert_allclose(R @ axis, goal_R @ axis, atol=1e-10)
    # a solid cut leaves no freedom: only isolated positions close
    assert closed > (0.5 if kind == "solid" else 0.8) * guesses


def test_a_hinge_keeps_its_side_in_the_plane() -> None:
    """Two parallel bars and a hinge about x between their ends: half a turn is a solution too."""
    m = il.Model("flip")
    a = m.body("a", on=m.ground, joint=il.revolute("z"), mass=1.0, com=(0.1, 0, 0))
    b = m.body("b", on=a.point("tip", (0.5, 0, 0)), joint=il.revolute("z"), mass=1.0,
               com=(0.1, 0, 0))  # fmt: skip
    c = m.body("c", on=b.point("tip", (0.4, 0, 0)), joint=il.revolute("z"), mass=1.0,
               com=(0.1, 0, 0))  # fmt: skip
    m.close(c, m.ground.point("far", (0.7, 0.1, 0.0)), kind="hinge", axis="x", name="pin")
    plant = m.compile()
    for off in np.linspace(-2.5, 2.5, 41):
        q = plant.formulation.assemble(np.array([0.6, -1.1, 0.5 + off])).q
        assert np.cos(q.sum()) == pytest.approx(1.0, abs=1e-12)


def test_newton_does_not_end_on_the_other_side() -> None:
    """The closure of dependent coordinates in functions of the plant keeps the side as well."""
    m = il.Model("turned")
    a = m.body("a", on=m.ground, joint=il.revolute("z", initial=0.2), mass=1.0, com=(0.1, 0, 0))
    b = m.body("b", on=a, joint=il.revolute("z"), mass=1.0, com=(0.1, 0, 0))
    m.close(b, m.ground, kind="hinge", axis="x", name="pin")
    plant = m.compile()
    assert plant.formulation.close(np.array([0.2, -0.6]))[1] == pytest.approx(-0.2, abs=1e-12)
    with pytest.raises(il.SimulationError, match="cannot be closed"):
        plant.formulation.close(np.array([0.2, -0.2 + 2.9]))
