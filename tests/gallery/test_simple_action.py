"""The simplified piano actions: model A1 against Kane's equations written out in SymPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import inloop as il
from inloop.gallery.simple_action.model import simple_action

INCH = 0.0254


@pytest.fixture(scope="module")
def rigid() -> il.Plant:
    return simple_action(springs=False).compile()


@pytest.fixture(scope="module")
def soft() -> il.Plant:
    return simple_action(springs=True).compile()


def kane() -> Callable[..., Any]:
    """Force between key and hammer and torque of the hand, from s and its derivatives.

    Two generalized speeds, of key and hammer; those that the constraints take away act as
    auxiliary speeds that bring the force in S and the torque of the hand into evidence.
    """
    h, k, uh, uk = dynamicsymbols("h k u_h u_k")
    F, T, g, t = sp.symbols("F T g t")
    L1, L2, L3, L4, M1, M2 = sp.symbols("L1 L2 L3 L4 M1 M2")
    N = ReferenceFrame("N")
    K, H = N.orientnew("K", "Axis", [k, -N.y]), N.orientnew("H", "Axis", [h, -N.y])
    K.set_ang_vel(N, -uk * N.y)
    H.set_ang_vel(N, -uh * N.y)
    P1 = Point("P1")
    P1.set_vel(N, 0)
    P2 = P1.locatenew("P2", L3 * N.z)
    P2.set_vel(N, 0)
    K_com, H_com = P1.locatenew("Kc", L4 * K.x), P2.locatenew("Hc", L2 * H.x)
    S_key = P1.locatenew("Sk", L1 * K.x)
    # where the hammer is touched, as a point of the hammer: q2 along it
    q2 = sp.symbols("q2")
    S_hammer = P2.locatenew("Sh", q2 * H.x)
    for point, pivot, frame in (
        (K_com, P1, K), (H_com, P2, H), (S_key, P1, K), (S_hammer, P2, H)
    ):  # fmt: skip
        point.v2pt_theory(pivot, N, frame)
    key = RigidBody("key", K_com, K, M1, (inertia(K, 0, M1 * L1**2 / 3, M1 * L1**2 / 3), K_com))
    hammer = RigidBody(
        "hammer", H_com, H, M2, (inertia(H, 0, M2 * L2**2 / 3, M2 * L2**2 / 3), H_com)
    )
    loads = [
        (K_com, -M1 * g * N.z), (H_com, -M2 * g * N.z),
        (S_hammer, F * H.z), (S_key, -F * H.z), (K, -T * N.y),
    ]  # fmt: skip
    method = KanesMethod(N, q_ind=[h, k], u_ind=[uh, uk], kd_eqs=[h.diff(t) - uh, k.diff(t) - uk])
    fr, fr_star = method.kanes_equations([key, hammer], loads)
    equations = [sp.expand(a + b) for a, b in zip(fr, fr_star, strict=True)]
    ah, ak, vh, vk, hs, ks = sp.symbols("a_h a_k v_h v_k h_s k_s")
    known = [(uh.diff(t), ah), (uk.diff(t), ak), (uh, vh), (uk, vk), (h, hs), (k, ks)]
    equations = [e.subs(known) for e in equations]
    solved = sp.solve(equations, [F, T], dict=True)[0]
    arguments = (hs, ks, vh, vk, ah, ak, q2, L1, L2, L3, L4, M1, M2, g)
    return sp.lambdify(arguments, [solved[F], solved[T]])  # type: ignore[no-any-return]


def follow(s: float, sd: float, sdd: float, L1: float, L3: float) -> tuple[float, ...]:
    """Angle, rate and acceleration of a hammer on the key, and where it is touched: q2.

    P1 S = L1 (cos s, sin s) = (0, L3) + q2 (cos h, sin h), differentiated twice.
    """
    x, z = L1 * np.cos(s), L1 * np.sin(s) - L3
    h, q2 = np.arctan2(z, x), np.hypot(x, z)
    v = L1 * sd * np.array([-np.sin(s), np.cos(s)])
    a = L1 * sdd * np.array([-np.sin(s), np.cos(s)]) - L1 * sd**2 * np.array([np.cos(s), np.sin(s)])
    e, n = np.array([np.cos(h), np.sin(h)]), np.array([-np.sin(h), np.cos(h)])
    hd, q2d = v @ n / q2, v @ e
    hdd = (a @ n - 2.0 * q2d * hd) / q2
    return h, hd, hdd, q2


def test_coupled_motion_is_that_of_kane(rigid: il.Plant) -> None:
    forces = kane()
    p = rigid.parameters
    L1, L3 = p["L1"], p["L3"]
    plant = rigid.by_mode["A1"]
    rng = np.random.default_rng(4)
    worst = 0.0
    for s, sd, sdd in rng.uniform((-0.2, -5.0, -100.0), (0.6, 5.0, 100.0), (50, 3)):
        h, hd, hdd, q2 = follow(s, sd, sdd, L1, L3)
        F, T = forces(h, s, hd, sd, hdd, sdd, q2, *(p[n] for n in ("L1", "L2", "L3", "L4")),
                      p["M1"], p["M2"], p["g"])  # fmt: skip
        found = plant.formulation.motion(
            plant.vector(key=s, hammer=h), plant.vector(key=sd), np.zeros(2),
            qdd=plant.vector(key=sdd), u=[s, sd, sdd],
        )  # fmt: skip
        worst = max(worst, abs(found["q"][1] - h), abs(found["v"][1] - hd))
        worst = max(worst, abs(found["a"][1] - hdd) / (1 + abs(hdd)))
        worst = max(worst, abs(found["lam"][0] - F) / (1 + abs(F)))
        worst = max(worst, abs(found["effort"][0] - T) / (1 + abs(T)))
    assert worst < 1e-10


def test_a_throw_follows_from_the_force(rigid: il.Plant) -> None:
    """The hammer leaves where the force of the key on it vanishes, then it is a pendulum."""
    forces = kane()
    p = rigid.parameters
    # the hand lifts the key by 0.25 rad in 1/20 s and brakes it
    w = 40.0
    result = rigid.simulate(t_end=0.3, step=1e-4, key=lambda t: il.where(
        t < np.pi / w, 0.125 * (1.0 - il.cos(w * t)), 0.25))  # fmt: skip
    release = result.events[0]
    assert release.name == "release"

    # the same zero, by bisection on Kane's force
    def force(t: float) -> float:
        s, sd = 0.125 * (1 - np.cos(w * t)), 0.125 * w * np.sin(w * t)
        sdd = 0.125 * w**2 * np.cos(w * t)
        h, hd, hdd, q2 = follow(s, sd, sdd, p["L1"], p["L3"])
        return float(forces(h, s, hd, sd, hdd, sdd, q2, *(p[n] for n in ("L1", "L2", "L3", "L4")),
                            p["M1"], p["M2"], p["g"])[0])  # fmt: skip

    low, high = 0.01, np.pi / w
    assert force(low) > 0 > force(high - 1e-9)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if force(middle) > 0 else (low, middle)
    assert release.t == pytest.approx(low, abs=1e-8)
    # in flight: I h'' = -M2 g L2 cos h, I = 4/3 M2 L2²
    fly = (result.modes == "A2") & (result["hammer.q"] < 0.44)
    expected = -0.75 * p["g"] / p["L2"] * np.cos(result["hammer.q"])
    np.testing.assert_allclose(result["hammer.qdd"][fly], expected[fly], rtol=1e-12)


def test_springs_bring_the_forces_of_the_source(soft: il.Plant) -> None:
    """F_KH = k2 q4 along the normal of the key, and the hand feels k1 (s - q2)."""
    result = soft.simulate(t_end=1.0, step=1e-3, hand=lambda t: 0.15 * (1 - il.cos(9 * t)))
    p = soft.parameters
    coupled = result.modes == "B1"
    turn = result["hammer.q"] - result["key.q"]
    # the pad has no mass: the contact's part along its guide balances the spring
    pad = p["k2"] * result["pad.q"]
    np.testing.assert_allclose(
        (result["lam.contact.row_1"] * np.cos(turn))[coupled], -pad[coupled], atol=1e-9
    )
    hand = p["k1"] * p["L1"] ** 2 * (result["hand.q"] - result["key.q"])
    np.testing.assert_allclose(result["hand.effort"], hand, atol=1e-9)
    flying = result.modes == "B2"
    assert flying.any() and np.all(result["pad.q"][flying] == 0.0)
