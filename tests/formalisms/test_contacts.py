"""Contacts in the equations: against virtual work, derivatives, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

PRESS = il.felt(2.5e7, 2, 0.2, 1e-3)
COULOMB = il.coulomb_contact(0.3)
LUGRE = il.lugre_contact(0.3, stiffness=1e4, damping=30.0)


def action(
    shape: il.Shape | None, friction: object = COULOMB, other: il.Shape | None = None
) -> il.Model:
    """A lever with a pad and a hammer with a knuckle, side by side; planar."""
    m = il.Model("action")
    lever = m.body(
        "lever",
        on=m.ground,
        joint=il.revolute("y"),
        mass=0.018,
        com=(0.05, 0.0, 0.01),
        inertia=(9e-6, 9e-5, 9e-5),
    )
    hammer = m.body(
        "hammer",
        on=m.ground.point("flange", (0.069, 0.0, 0.132)),
        joint=il.revolute("y"),
        mass=0.011,
        com=(0.12, 0.0, 0.02),
        inertia=(9e-6, 9e-5, 9e-5),
    )
    top = lever.frame("top", (0.084, 0.0, 0.122), il.rpy(0, 0.3, 0))
    knuckle = hammer.point("knuckle", (0.017, 0.0, -0.005))
    if shape is not None:
        round_ = other or il.circle(0.005, "y")
        m.contact(top, shape, knuckle, round_, law=PRESS, friction=friction, name="c")  # type: ignore[arg-type]
    return m


def cost(model: il.Model) -> int:
    return model.compile(backend="python").operations["direct_dynamics"]["total"]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("shape", "friction", "most"),
    [
        (il.plane(), None, 50),
        (il.plane(), COULOMB, 80),
        (il.plane(), LUGRE, 105),
        (il.segment(0.005), COULOMB, 105),
        (il.circle(0.004, "y"), COULOMB, 105),
    ],
)
def test_a_planar_contact_costs_little(shape: il.Shape, friction: object, most: int) -> None:
    assert cost(action(shape, friction)) - cost(action(None)) <= most


def test_out_of_plane_components_fold_away() -> None:
    """A sphere on a plane has two directions of slip; in a planar mechanism one is zero."""
    flat = cost(action(il.plane(), COULOMB))
    assert cost(action(il.plane(), COULOMB, il.sphere(0.005))) == flat


PAIRS = [
    (il.plane(), None),
    (il.segment(0.005), None),
    (il.circle(0.004, "y"), None),
    (il.plane(), il.sphere(0.005)),
    (il.capsule(0.003, 0.004, "x"), il.sphere(0.005)),
]


QD = np.array([0.31, -0.23])


def pressed(plant: il.Plant) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates with the knuckle about half a millimeter deep, and states of the laws."""
    z = 1e-6 * np.arange(1, len(plant.mechanism.states) + 1)
    angles = np.linspace(-1.0, 1.0, 4001)
    rows = np.column_stack([np.zeros_like(angles), angles])
    outputs = plant.law_outputs(rows, np.tile(QD, (len(rows), 1)), np.tile(z, (len(rows), 1)))
    best = int(np.argmin(np.abs(outputs["c.gap"] + 5e-4)))
    assert outputs["c.gap"][best] == pytest.approx(-5e-4, abs=1e-5)
    assert outputs["c.force"][best] > 1.0
    return rows[best], z


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("shape", "other"), PAIRS)
def test_virtual_work(shape: il.Shape, other: il.Shape | None) -> None:
    """A smooth contact does its force times the change of the gap, on every coordinate."""
    plant = action(shape, None, other).compile(backend="python")
    bare = action(None).compile(backend="python")
    q, z = pressed(plant)
    efforts = bare.bias(q, QD) - plant.evaluate("bias", q=q, qd=QD, z=z)["c"]
    h = 1e-7
    slope = [
        (plant.law_outputs(q + d, QD, z)["c.gap"] - plant.law_outputs(q - d, QD, z)["c.gap"])
        / (2 * h)
        for d in h * np.eye(2)
    ]
    force = plant.law_outputs(q, QD, z)["c.force"]
    assert efforts == pytest.approx(force * np.array(slope), rel=1e-6)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("friction", [COULOMB, LUGRE])
@pytest.mark.parametrize(("shape", "other"), PAIRS)
def test_derivatives(shape: il.Shape, other: il.Shape | None, friction: object) -> None:
    plant = action(shape, friction, other).compile(backend="python")
    q, z = pressed(plant)
    at = {"q": q, "qd": QD, "tau": np.zeros(2), "z": z}
    exact = plant.evaluate("direct_dynamics_derivatives", **at)
    for name, result in (("q", "dqdd_dq"), ("qd", "dqdd_dqd")):
        for k, d in enumerate(1e-7 * np.eye(2)):
            up, down = (
                plant.evaluate("direct_dynamics", **{**at, name: at[name] + s * d})["qdd"]
                for s in (1, -1)
            )
            tolerance = 2e-6 * np.abs(exact[result]).max()
            assert exact[result][:, k] == pytest.approx((up - down) / 2e-7, abs=tolerance)
