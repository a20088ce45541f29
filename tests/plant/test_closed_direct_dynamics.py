"""Accelerations of mechanisms with loops: against Newton-Euler with multipliers, written apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery

CRANK, COUPLER, ROCKER, BASE = 0.2, 0.6, 0.4, np.array([0.5, 0.05])
MASS = np.array([0.7, 0.9, 0.8])
INERTIA = np.array([2.9e-3, 2.5e-3, 2.4e-3])
COM = np.array([[0.1, 0.01], [0.3, 0.02], [0.2, 0.03]])
GRAVITY = np.array([0.3, -9.81])
TAU = np.array([0.7, -0.4, 1.3])


def linkage(drive: Any = None, *, live: bool = False) -> il.Plant:
    """A planar four-bar of bodies with general numbers."""
    m = il.Model("linkage", gravity=(*GRAVITY, 0.0))
    common = [
        {"mass": MASS[k], "com": (*COM[k], 0.0), "inertia": (1e-3, 2e-3, INERTIA[k])}
        for k in range(3)
    ]
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(1.0, 0.0)), **common[0])
    pin = crank.point("pin", (CRANK, 0, 0))
    coupler = m.body("coupler", on=pin, joint=il.revolute("z", guess=-0.5), **common[1])
    base = m.ground.point("base", (*BASE, 0))
    rocker = m.body("rocker", on=base, joint=il.revolute("z", guess=1.2), **common[2])
    m.close(coupler.point("end", (COUPLER, 0, 0)), rocker.point("tip", (ROCKER, 0, 0)))
    if drive is not None:
        m.drive(crank, drive)
    elif live:
        m.drive(crank)
    return m.compile()


def turned(angle: float, v: Any) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.asarray(v)


def state(crank: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed position by the intersection of two circles, and velocities by two equations."""
    pin = turned(crank, (CRANK, 0))
    away = BASE - pin
    d = np.linalg.norm(away)
    along = (COUPLER**2 - ROCKER**2 + d**2) / (2 * d)
    up = np.sqrt(COUPLER**2 - along**2)
    end = pin + (along * away + up * np.array([-away[1], away[0]])) / d
    a2 = np.arctan2(*(end - pin)[::-1])
    a3 = np.arctan2(*(end - BASE)[::-1])
    arms = [turned(crank, (0, CRANK)), turned(a2, (0, COUPLER)), turned(a3, (0, ROCKER))]
    w2, w3 = np.linalg.solve(np.column_stack([arms[1], -arms[2]]), -speed * arms[0])
    return np.array([crank, a2 - crank, a3]), np.array([speed, w2 - speed, w3])


def newton_euler(q: np.ndarray, qd: np.ndarray, prescribed: float | None = None) -> np.ndarray:
    """Accelerations of the joints from those of three free bodies that four pins tie together."""
    angle = np.array([q[0], q[0] + q[1], q[2]])
    w = np.array([qd[0], qd[0] + qd[1], qd[2]])
    # pins: (body or ground, point on it), twice
    pins = [
        (0, (0, 0), None, None), (0, (CRANK, 0), 1, (0, 0)),
        (2, (0, 0), None, None), (1, (COUPLER, 0), 2, (ROCKER, 0)),
    ]  # fmt: skip
    G, right = np.zeros((8, 9)), np.zeros(8)
    for k, (i, p, j, r) in enumerate(pins):
        for body, point, sign in ((i, p, 1.0), (j, r, -1.0)):
            if body is None:
                continue
            arm = turned(angle[body], np.asarray(point) - COM[body])
            rows, columns = slice(2 * k, 2 * k + 2), slice(3 * body, 3 * body + 3)
            G[rows, columns] += sign * np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
            right[rows] += sign * w[body] ** 2 * arm
    M = np.diag([x for k in range(3) for x in (MASS[k], MASS[k], INERTIA[k])])
    force = np.concatenate([[*(MASS[k] * GRAVITY), 0.0] for k in range(3)])
    force[[2, 5, 8]] += [TAU[0] - TAU[1], TAU[1], TAU[2]]
    if prescribed is not None:
        G = np.vstack([G, np.eye(9)[2]])
        right = np.append(right, prescribed)
    K = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    alpha = np.linalg.solve(K, np.concatenate([force, right]))[[2, 5, 8]]
    return np.array([alpha[0], alpha[1] - alpha[0], alpha[2]])


def test_of_a_linkage() -> None:
    plant = linkage()
    states = [state(crank, speed) for crank, speed in ((1.0, 2.3), (0.4, -4.1), (2.2, 0.9))]
    for q, qd in states:
        found = plant.direct_dynamics(q, qd, TAU)
        np.testing.assert_allclose(found, newton_euler(q, qd), rtol=1e-10)
        # that of the tree is something else, and has a name of its own
        tree = plant.tree_direct_dynamics(q, qd, TAU)
        residual = plant.mass_matrix(q) @ tree + plant.bias(q, qd) - TAU
        np.testing.assert_allclose(residual, 0.0, atol=1e-12)
        assert np.abs(tree - found).max() > 1.0
    q, qd = (np.stack(part) for part in zip(*states, strict=True))
    expected = [newton_euler(*pair) for pair in states]
    np.testing.assert_allclose(plant.direct_dynamics(q, qd, TAU), expected, rtol=1e-10)


def test_of_a_position_that_is_bad_for_the_coordinates_in_use() -> None:
    """Crank and coupler in one line: the rocker turns back, and the crank is free to go on."""
    plant = linkage()
    reach = CRANK + COUPLER
    cosine = (reach**2 + BASE @ BASE - ROCKER**2) / (2 * reach * np.linalg.norm(BASE))
    crank = float(np.arctan2(BASE[1], BASE[0]) + np.arccos(cosine))
    q, qd = state(crank, 1.7)
    assert abs(q[1]) < 1e-7
    np.testing.assert_allclose(plant.direct_dynamics(q, qd, TAU), newton_euler(q, qd), rtol=1e-6)


def test_of_a_driven_linkage() -> None:
    """The crank turns as it is told, with its acceleration."""
    plant = linkage(lambda t: 1.0 + 0.8 * t + 0.6 * t * t)
    t = 0.7
    q, qd = state(1.0 + 0.8 * t + 0.6 * t * t, 0.8 + 1.2 * t)
    found = plant.direct_dynamics(q, qd, TAU, t=t)
    assert found[0] == pytest.approx(1.2, rel=1e-12)
    np.testing.assert_allclose(found, newton_euler(q, qd, 1.2), rtol=1e-10)
    live = linkage(live=True)
    u = [q[0], qd[0], -3.3]
    np.testing.assert_allclose(
        live.direct_dynamics(q, qd, TAU, u=u), newton_euler(q, qd, -3.3), rtol=1e-10
    )
    with pytest.raises(
        il.InputError, match=r"q of 'crank' is .*, but its drive prescribes 1. Give the time"
    ):
        plant.direct_dynamics(q, qd, TAU)


def test_in_independent_coordinates() -> None:
    plant = linkage()
    q, qd = state(0.4, -4.1)
    found = plant.reduced_equations(q, qd)
    qdd = np.linalg.solve(found["M"], found["T"].T @ TAU - found["c"])
    k = plant.coordinates.index(plant.formulation.independent[0])
    assert qdd == pytest.approx(newton_euler(q, qd)[[k]], rel=1e-10)
    assert 0.5 * qd[[k]] @ found["M"] @ qd[[k]] == pytest.approx(plant.energy(q, qd)[0])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["stewart", "andrews", "suspension"])
def test_of_spatial_mechanisms_as_by_elimination(name: str) -> None:
    """Against the accelerations of a run, which come from independent coordinates."""
    plant = gallery.get(name).build().compile()
    result = plant.simulate(t_end=5e-3, step=1e-4)
    for k in (0, 20, 50):
        found = plant.direct_dynamics(
            result.q[k], result.qd[k], np.zeros(plant.n), t=float(result.t[k])
        )
        expected = [result[f"{c}.qdd"][k] for c in plant.coordinates]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_what_does_not_fit_is_refused() -> None:
    plant = linkage()
    q, qd = state(1.0, 2.3)
    off = np.array([0.1, 0.0, 0.0])
    with pytest.raises(il.InputError, match=r"row '.*' is not satisfied at q"):
        plant.direct_dynamics(q + off, qd, TAU)
    with pytest.raises(il.InputError, match=r"row '.*' is not satisfied by qd"):
        plant.direct_dynamics(q, qd + off, TAU)
    with pytest.raises(
        il.InputError, match="direct_dynamics_derivatives is only for tree structures"
    ):
        plant.direct_dynamics_derivatives(q, qd, TAU)
    with pytest.raises(il.InputError, match="parameter_derivatives is only for tree structures"):
        plant.parameter_derivatives([], q, qd, qdd=qd, tau=TAU)
