"""Joints with several coordinates, as chains of single ones, cost what they must and are right."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import inloop as il

BODY = {"mass": 0.9, "com": (-0.12, 0.07, 0.2), "inertia": (0.03, 0.04, 0.05, -0.004, 0.006, 0.01)}


def peer(joint: object) -> pin.Model:
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    number = model.addJoint(0, joint, pin.SE3.Identity(), "j")
    a, b, c, d, e, f = BODY["inertia"]
    matrix = np.array([[a, d, e], [d, b, f], [e, f, c]])
    body = pin.Inertia(BODY["mass"], np.array(BODY["com"]), matrix)
    model.appendBodyToJoint(number, body, pin.SE3.Identity())
    return model


@pytest.mark.parametrize("seed", range(3))
def test_a_cross_is_pinocchios_universal_joint(seed: int) -> None:
    m = il.Model("cross")
    m.body("b", on=m.ground, joint=il.universal("x", "y"), **BODY)
    plant = m.compile()
    model = peer(pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])))
    data = model.createData()
    q, qd, tau = np.random.default_rng(seed).uniform(-1.2, 1.2, (3, 2))
    expected = pin.aba(model, data, q, qd, tau)
    assert plant.direct_dynamics(q, qd, tau) == pytest.approx(expected, rel=1e-11)


def test_a_plane_by_hand() -> None:
    m = il.Model("disc")
    m.body("b", on=m.ground, joint=il.planar("xy"), **BODY)
    plant = m.compile()
    assert plant.coordinates == ("b_tx", "b_ty", "b_rz")
    (x, y, _), mass, inertia = BODY["com"], BODY["mass"], BODY["inertia"][2]
    angle, rate = 0.7, 1.9
    c, s = np.cos(angle), np.sin(angle)
    e, across = np.array([c * x - s * y, s * x + c * y]), np.array([-s * x - c * y, c * x - s * y])
    tau = np.array([0.3, -0.8, 0.5])
    # in the plane nothing but tau acts on the center: m (a + across w' - e w²) = f
    M = np.zeros((3, 3))
    M[:2, :2], M[:2, 2], M[2, :2] = mass * np.eye(2), mass * across, mass * across
    M[2, 2] = inertia + mass * (x**2 + y**2)
    bias = np.array([*(-mass * e * rate**2), 0.0])
    found = plant.direct_dynamics([0.1, 0.2, angle], [0.4, -0.3, rate], tau)
    assert found == pytest.approx(np.linalg.solve(M, tau - bias), rel=1e-12)


def test_a_cylinder_by_hand() -> None:
    m = il.Model("cylinder")
    m.body("b", on=m.ground, joint=il.cylindrical("z"), **BODY)
    plant = m.compile()
    about_axis = BODY["inertia"][2] + BODY["mass"] * (0.12**2 + 0.07**2)
    found = plant.direct_dynamics([0.1, 0.7], [0.4, -0.3], [1.3, 0.2])
    assert found == pytest.approx([1.3 / 0.9 - 9.81, 0.2 / about_axis], rel=1e-12)
    # the two do not feel each other: a sum and a product, and a product
    assert plant.operations["direct_dynamics"]["total"] <= 3


def test_a_list_of_joints_is_a_chain() -> None:
    one, two = il.Model("one"), il.Model("two")
    one.body("b", on=one.ground, joint=il.planar("xz"), **BODY)
    two.chain("b", on=two.ground, joints=il.planar("xz"), **BODY)
    assert one.describe().replace("one", "two") == two.describe()
