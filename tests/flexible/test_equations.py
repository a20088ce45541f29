"""The equations of flexible links against Lagrange's, derived by CasADi from the shapes alone."""

from __future__ import annotations

import numpy as np
import pytest
from lagrangian import Lagrangian, rpy, turn

import inloop as il

GRAVITY = (0.7, -1.1, -9.81)
DATA = {"L": 1.3, "rho": 0.8, "EI": 20.0, "EA": 3e3}
BENDS_ABOUT = (0.6, 0.8, 0.0)


def gimbal(damping: tuple[float, float] = (0.0, 0.0)) -> il.Model:
    """A link on a gimbal, askew in all axes, with bodies at its tip and at its first node."""
    m = il.Model("gimbal", gravity=GRAVITY)
    a = m.body("a", on=m.ground, joint=il.revolute("x"), mass=0.7, com=(0.1, 0.2, -0.1),
               inertia=(0.02, 0.03, 0.025))  # fmt: skip
    b = m.body("b", on=a.point("p", (0.2, -0.1, 0.3)), joint=il.revolute("z"))
    c = m.body("c", on=b, joint=il.prismatic("y"))
    askew = c.frame("f", (0.05, 0.1, -0.2), rotation=il.rpy(0.3, -0.5, 0.9))
    link = m.flexible_link(
        "l", on=askew, joint=il.revolute("y"), length=DATA["L"], mass_per_length=DATA["rho"],
        EI=DATA["EI"], EA=DATA["EA"], elements=3, along="z", bends_about=BENDS_ABOUT,
        damping=damping,
    )  # fmt: skip
    m.body("load", on=link.tip.point("e", (0.03, 0.02, 0.05)), joint=il.revolute("x"), mass=0.4,
           com=(0.1, -0.05, 0.2), inertia=(0.01, 0.012, 0.008))  # fmt: skip
    m.body("clip", on=link.nodes[0], joint=il.fixed(), mass=0.15, com=(0.02, 0.03, 0.0),
           inertia=(1e-3, 1.1e-3, 1.2e-3))  # fmt: skip
    return m


def oracle(coordinates: tuple[str, ...]) -> Lagrangian:
    """The same mechanism, written once more."""
    found = Lagrangian(coordinates, GRAVITY)
    q = found.at
    R = turn((1, 0, 0), q["a"])
    found.body(R, 0.0 * R[:, 0], 0.7, (0.1, 0.2, -0.1), (0.02, 0.03, 0.025))
    p = R @ np.array([0.2, -0.1, 0.3])
    R = R @ turn((0, 0, 1), q["b"])
    p = p + R @ np.array([0.05, 0.1, -0.2]) + R[:, 1] * q["c"]
    R = R @ rpy(0.3, -0.5, 0.9) @ turn((0, 1, 0), q["l"])
    x, z = np.array([0.0, 0.0, 1.0]), np.array(BENDS_ABOUT)
    nodes = found.beam("l", R, p, np.array([x, np.cross(z, x), z]), DATA, 3)
    p, R = nodes[-1]
    load = R @ turn((1, 0, 0), q["load"])
    found.body(load, p + R @ np.array([0.03, 0.02, 0.05]), 0.4, (0.1, -0.05, 0.2),
               (0.01, 0.012, 0.008))  # fmt: skip
    p, R = nodes[0]
    found.body(R, p, 0.15, (0.02, 0.03, 0.0), (1e-3, 1.1e-3, 1.2e-3))
    return found


def test_mass_matrix_bias_and_energy_are_those_of_lagrange() -> None:
    plant = gimbal().compile()
    equations = oracle(plant.coordinates).function()
    rng = np.random.default_rng(3)
    for _ in range(3):
        # displacements as large as 0.3 m: the equations are exact, not small
        q, qd = 0.3 * rng.normal(size=plant.n), rng.normal(size=plant.n)
        M, c, T, V = (np.array(a).squeeze()[()] for a in equations(q, qd))
        assert plant.mass_matrix(q) == pytest.approx(M, abs=1e-13)
        assert plant.bias(q, qd) == pytest.approx(c, abs=1e-12 * np.abs(c).max())
        assert plant.energy(q, qd) == pytest.approx([T, V], rel=1e-12)
        tau = rng.normal(size=plant.n)
        qdd = plant.direct_dynamics(q, qd, tau)
        assert M @ qdd + c == pytest.approx(tau, abs=1e-10 * np.abs(c).max())


def test_damping_takes_the_power_that_rayleigh_says() -> None:
    alpha, beta = 0.3, 2e-3
    damped, free = (gimbal(d).compile(backend="python") for d in ((alpha, beta), (0.0, 0.0)))
    nodes = [k for k, name in enumerate(free.coordinates) if name.startswith("l_")]
    rng = np.random.default_rng(4)
    # straight, frame at rest: the beam's own matrices are those of small vibrations
    q, qd = np.zeros(free.n), np.zeros(free.n)
    qd[nodes] = rng.normal(size=len(nodes))
    step = 1e-6
    K = np.array([
        (free.bias(q + step * e, 0 * q) - free.bias(q - step * e, 0 * q)) / (2 * step)
        for e in np.eye(free.n)
    ]).T[np.ix_(nodes, nodes)]  # fmt: skip
    bare = il.Model("bare")
    bare.flexible_link("l", on=bare.ground, length=DATA["L"], mass_per_length=DATA["rho"],
                       EI=DATA["EI"], EA=DATA["EA"], elements=3, along="z",
                       bends_about=BENDS_ABOUT)  # fmt: skip
    M = bare.compile(backend="python").mass_matrix(np.zeros(len(nodes)))
    extra = damped.bias(q, qd) - free.bias(q, qd)
    v = qd[nodes]
    # gravity on the clip and the load adds to K beyond the beam's own stiffness
    assert extra[nodes] @ v == pytest.approx(v @ (alpha * M + beta * K) @ v, rel=2e-3)
    # damping per mass acts on the frame too, as in Sᵀ α M ud of the source
    assert abs(extra[free.coordinates.index("l")]) > 1e-3
