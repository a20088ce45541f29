"""A joint along a curve, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

G = 9.81


def parabola(k: float = 1.7) -> il.Model:
    """A bead on the wire z = k x² / 2."""
    m = il.Model("parabola")
    steep = m.parameter("k", k, unit="1/m")
    wire = il.curve(lambda q: (q, 0.0, 0.5 * steep * q * q), initial=(0.4, 0.3))
    m.body("bead", on=m.ground, joint=wire, mass=0.7)
    return m


def test_a_bead_on_a_parabola() -> None:
    plant = parabola().compile()
    for k in (1.7, 0.6):
        plant.parameters["k"] = k
        for x, v in ((0.4, 0.3), (-0.7, 1.9)):
            # (1 + k² x²) qdd + k² x qd² + g k x = 0
            expected = -(k**2 * x * v**2 + G * k * x) / (1 + k**2 * x**2)
            found = plant.direct_dynamics([x], [v], [0.0])
            assert found == pytest.approx([expected], rel=1e-13)


def test_huygens_pendulum_swings_in_the_same_time_from_everywhere() -> None:
    radius = 0.3
    m = il.Model("cycloid")

    def path(q: object) -> tuple[object, ...]:
        return radius * (q + il.sin(q)), 0.0, radius * (1.0 - il.cos(q))

    m.body("bead", on=m.ground, joint=il.curve(path, unit="rad"), mass=1.3)
    plant = m.compile()
    rate = np.sqrt(G / (4.0 * radius))
    for start in (0.5, 2.5):
        run = plant.simulate(q=[start], qd=[0.0], t_end=2.0, step=1e-3)
        # along the curve s = 4 r sin(q/2), which swings as a spring does
        s = 4.0 * radius * np.sin(run.q[:, 0] / 2.0)
        expected = 4.0 * radius * np.sin(start / 2.0) * np.cos(rate * run.t)
        assert s == pytest.approx(expected, abs=1e-9)
    assert run.units["bead.q"] == "rad"


def test_a_circle_is_a_hinge() -> None:
    r, body = 0.4, {"mass": 0.9, "inertia": (0.02, 0.03, 0.04, 0.001, 0.002, -0.003)}
    m = il.Model("circle")
    circle = il.curve(
        lambda q: (r * il.sin(q), 0.0, -r * il.cos(q)), lambda q: (0.0, -q, 0.0), unit="rad"
    )
    a = m.body("a", on=m.ground, joint=circle, com=(0.05, 0.02, -0.1), **body)
    m.body("b", on=a.point("p", (0.1, 0.0, -0.2)), joint=il.revolute("x"), com=(0, 0.1, 0), **body)
    h = il.Model("hinge")
    a = h.body("a", on=h.ground, joint=il.revolute("-y"), com=(0.05, 0.02, -0.1 - r), **body)
    site = a.point("p", (0.1, 0.0, -0.2 - r))
    h.body("b", on=site, joint=il.revolute("x"), com=(0, 0.1, 0), **body)
    one, two = m.compile(), h.compile()
    q, qd, tau = np.random.default_rng(2).uniform(-2.0, 2.0, (3, 20, 2))
    found, wanted = (plant.direct_dynamics(q, qd, tau) for plant in (one, two))
    assert found == pytest.approx(wanted, abs=1e-9 * np.max(np.abs(wanted)))
    assert one.position("b", q) == pytest.approx(two.position("b", q), abs=1e-14)


def test_mistakes_are_named() -> None:
    m = il.Model("m")
    force = m.input("push")
    wire = il.curve(lambda q: (q, force, 0.0))
    m.body("bead", on=m.ground, joint=wire, mass=0.7)
    with pytest.raises(il.ModelError, match="body 'bead': path of the joint uses more than q"):
        m.build()
    m = il.Model("m")
    m.body("bead", on=m.ground, joint=il.curve(lambda q: (q, 0.0)), mass=0.7)
    with pytest.raises(il.ModelError, match="body 'bead'"):
        m.build()


def test_curves_have_their_own_fingerprint() -> None:
    def wire(k: float) -> str:
        m = il.Model("wire")
        joint = il.curve(lambda q: (q, 0.0, k * il.sin(q) * il.exp(q) * il.cos(k * q)))
        m.body("bead", on=m.ground, joint=joint, mass=0.7)
        return m.compile().digest

    assert wire(1.7) == wire(1.7) != wire(1.7 + 1e-9)


def test_what_presses_a_bead_on_its_wire() -> None:
    radius, mass = 0.4, 0.7
    m = il.Model("ring")

    def path(q: object) -> tuple[object, ...]:
        return radius * il.sin(q), 0.0, -radius * il.cos(q)

    m.body("bead", on=m.ground, joint=il.curve(path, unit="rad"), mass=mass)
    m.joint_force("bead", lambda radial, felt: (0.0, {"felt": radial - felt}), states={"felt": 0.0})
    plant = m.compile()
    for angle, rate in ((0.3, 1.2), (2.1, -0.4), (-1.4, 5.0)):
        found = plant.evaluate("direct_dynamics", q=[angle], qd=[rate], tau=[0.0], z=[0.0])
        # towards the center: m (r w² + g cos q)
        expected = abs(mass * (radius * rate**2 + G * np.cos(angle)))
        assert found["zd"] == pytest.approx([expected], rel=1e-12)
