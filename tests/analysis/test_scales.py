"""No unit hides in analyses: fast and slow, large and small mechanisms are treated alike."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il


def four_bar(rate: float) -> il.Model:
    """Everything that moves does so faster by the rate: speeds by it, accelerations by rate²."""
    m = il.Model("four_bar", gravity=(0.0, -9.81 * rate**2, 0.0))
    a = m.body("a", on=m.ground, joint=il.revolute("z", initial=(1.0, 0.5 * rate)), mass=1.0,
               com=(0.2, 0.01, 0), inertia=(0.01, 0.02, 0.02))  # fmt: skip
    b = m.body("b", on=a.point("tip", (0.4, 0, 0)), joint=il.revolute("z", guess=-0.5), mass=1.3,
               com=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09))  # fmt: skip
    c = m.body("c", on=m.ground.point("base", (1.1, 0.1, 0)), joint=il.revolute("z", guess=1.2),
               mass=0.7, com=(0.3, 0, 0), inertia=(0.01, 0.04, 0.04))  # fmt: skip
    m.close(b.point("end", (1.0, 0, 0)), c.point("top", (0.7, 0, 0)), name="ring")
    m.joint_force("a", lambda q, qd: rate**2 * (-3.0 * q - 0.9 * il.tanh(qd / rate)))
    return m


@pytest.mark.thinned(3)
@pytest.mark.parametrize("rate", [1e-7, 1e-3, 1e4, 1e9])
def test_linear_equations_do_not_depend_on_the_unit_of_time(rate: float) -> None:
    """With x = (q, qd / rate) and time in 1 / rate, A is the same matrix."""
    reference = four_bar(1.0).compile().linearize().A
    units = np.array([1.0, rate])
    A = four_bar(rate).compile().linearize().A * units / units[:, None] / rate
    assert abs(reference[1, 1]) > 1.0
    np.testing.assert_allclose(A, reference, rtol=1e-9)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("rate", [1e9, 1e-7])
def test_modes_do_not_depend_on_the_unit_of_time(rate: float) -> None:
    one, other = (four_bar(r).compile().eigenmodes().eigenvalues for r in (1.0, rate))
    assert np.abs(one.real).max() > 0.1
    np.testing.assert_allclose(np.sort_complex(other) / rate, np.sort_complex(one), rtol=1e-7)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
def test_states_along_a_trajectory_in_all_sizes(size: float) -> None:
    """A spring behind a damper: zd = p (q - z), with q = a sin(w t), solved by hand."""
    p, w, a = 22.0, 4.3, 0.17 * size
    m = il.Model("solid", gravity=(0.0, 0.0, 0.0))
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x"), mass=1.7)
    m.joint_force(slider, lambda q, z: (-3.0 * q - 200.0 * (q - z), {"z": p * (q - z)}),
                  states={"z": 0.0}, name="maxwell")  # fmt: skip
    t = np.linspace(0.0, 2.0, 401)
    found = m.compile().inverse_dynamics_run(t, {"slider": a * np.sin(w * t)})
    exact = p * np.sin(w * t) - w * np.cos(w * t) + w * np.exp(-p * t)
    exact *= a * p / (p**2 + w**2)
    assert np.abs(found["maxwell.z"] - exact).max() < 1e-8 * a
