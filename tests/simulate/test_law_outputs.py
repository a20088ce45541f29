"""Outputs of laws in results, against the same quantities by hand."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il


def test_outputs_of_a_tree_over_many_samples() -> None:
    m = il.Model("cart")
    push = m.input("push", unit="N")
    k = m.parameter("k", 31.0, unit="N/m")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.31, -0.2)), mass=1.7)

    def law(q, qd, t, z):  # type: ignore[no-untyped-def]
        force = -k * z + push
        return force, {"z": qd - 2.0 * (z - q)}, {"force": force, "late": q + 0.1 * t}

    outputs = {"force": "N", "late": "m"}
    m.joint_force("cart", law, "slow", states={"z": 0.1}, outputs=outputs)
    tip = cart.point("tip", (0.0, 0.4, 0.0))
    m.spring(m.ground.point("post", (0.2, 0.0, 0.3)), tip, 21.0, 0.7, free_length=0.6, name="coil")
    plant = il.Plant(m.build())
    plant.parameters["k"] = 37.0
    run = plant.simulate(t_end=1.0, step=2e-3, inputs={"push": 0.9})
    assert len(run.t) == 501  # more than one block of samples
    q, qd = run["cart.q"], run["cart.qd"]
    assert np.ptp(q) > 0.1
    np.testing.assert_allclose(run["slow.force"], -37.0 * run["slow.z"] + 0.9, rtol=1e-13)
    np.testing.assert_allclose(run["slow.late"], q + 0.1 * run.t, rtol=1e-13)
    length = np.sqrt((q - 0.2) ** 2 + 0.4**2 + 0.3**2)
    np.testing.assert_allclose(run["coil.length"], length, rtol=1e-13)
    pull = 21.0 * (length - 0.6) + 0.7 * (q - 0.2) * qd / length
    np.testing.assert_allclose(run["coil.force"], pull, rtol=1e-11, atol=1e-13)
    # the law's forces are those that moved the cart
    acceleration = np.gradient(qd, run.t, edge_order=2)
    expected = (run["slow.force"] - run["coil.force"] * (q - 0.2) / length) / 1.7
    np.testing.assert_allclose(acceleration, expected, atol=1e-3 * np.ptp(expected))


def test_outputs_of_a_closed_mechanism() -> None:
    m = il.Model("linkage")
    m.body(
        "crank",
        on=m.ground,
        joint=il.revolute("y", initial=(-0.7, 0.0)),
        mass=0.8,
        com=(0.05, 0.0, 0.0),
        inertia=(1e-3, 2e-3, 2e-3),
    ).point("pin", (0.1, 0.0, 0.0))
    rod = m.body("rod", on="crank.pin", joint=il.revolute("y", guess=0.9), mass=0.6,
                 com=(0.15, 0.0, 0.0), inertia=(1e-3, 5e-3, 5e-3))  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.37), mass=1.1)
    m.close(rod.point("end", (0.3, 0.0, 0.0)), slider.origin, name="pin")
    m.spring(m.ground.point("wall", (0.9, 0.0, 0.0)), slider.origin, 90.0, free_length=0.4,
             name="coil")  # fmt: skip
    plant = il.Plant(m.build())
    run = plant.simulate(t_end=0.5, step=1e-3, sample=0.01)
    assert np.ptp(run["slider.q"]) > 0.01
    length = 0.9 - run["slider.q"]
    np.testing.assert_allclose(run["coil.length"], length, rtol=1e-12)
    np.testing.assert_allclose(run["coil.force"], 90.0 * (length - 0.4), rtol=1e-10, atol=1e-12)
    known = plant.law_outputs(run.q[3], run.qd[3])
    assert known["coil.length"] == pytest.approx(run["coil.length"][3], rel=1e-14)
