"""What a person writes about velocities: mistakes in three parts, and what is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import inloop as il
from inloop.errors import ModelError


def cart() -> il.Model:
    m = il.Model("cart")
    plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
    about = (0.1, 0.2, 0.25)
    m.body("cart", on=m.ground, joint=plane, mass=1.2, com=(0.3, 0.0, 0.0), inertia=about)
    m.body("hull", on=m.ground, joint=il.free(), mass=2.0, inertia=about)
    return m


Write = Callable[[il.Model], object]
MISTAKES: list[tuple[Write, str, str]] = [
    (
        lambda m: m.velocity_constraint("c", lambda qd: qd["cart_tx"] * qd["cart_ty"] - 1.0),
        "constraint 'c': row 1 is not linear in qd[\"cart_tx\"]",
        "Return sums of velocities times functions of q and t",
    ),
    (
        lambda m: m.velocity_constraint("c", lambda qd: [qd["cart_tx"], il.sin(qd["cart_ty"])]),
        'row 2 is not linear in qd["cart_ty"]',
        "write a law",
    ),
    (
        lambda m: m.velocity_constraint("c", lambda q, qd: [qd["cart_tx"], q["cart_ty"]]),
        "constraint 'c': row 2 does not depend on any velocity",
        'Return expressions of qd["..."]',
    ),
    (
        lambda m: m.velocity_constraint("c", lambda qd: qd["cat_tx"]),
        "there is no joint 'cat_tx'",
        "cart_tx",
    ),
    (
        lambda m: m.velocity_constraint("c", lambda qd: qd[0]),
        "qd has no entry '0': velocities are named after their joint",
        'Write qd["crank"].',
    ),
    (
        lambda m: m.constraint("c", lambda q: q["hull_wx"]),
        "constraint 'c': uses q of joint 'hull_wx', which defines no attitude",
        "Use the quaternion",
    ),
    (
        lambda m: m.constraint("c", lambda q: q["cart.qx"]),
        "constraint 'c': body 'cart' has no quaternion",
        "ball or free joints",
    ),
    (
        lambda m: m.rolls("hull", radius=0.0, name="rim"),
        "loop 'rim': radius must be > 0 m, got 0",
        "from the center to the surface",
    ),
    (
        lambda m: m.rolls("hull", radius="wide", axis="y", name="rim"),  # type: ignore[arg-type]
        "rolls 'rim': radius",
        "",
    ),
    (
        lambda m: m.rolls("hull", radius=0.2, axis=(0.0, 0.0, 0.0)),
        "axis has length zero",
        "(0, 0, 1)",
    ),
    (
        lambda m: m.rolls("hull", radius=0.2, on="hull", name="rim"),
        "loop 'rim': 'hull' and 'hull' are on the same rigid body",
        "two bodies",
    ),
    (lambda m: m.rolls("wheel", radius=0.2), "loop 'wheel_rolls': ends at 'wheel'", ""),
    (lambda m: m.knife_edge("cart", "up"), "knife edge 'cart_edge': unknown axis", ""),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("write", "what", "fix"), MISTAKES)
def test_mistakes_are_told_in_three_parts(write: Write, what: str, fix: str) -> None:
    m = cart()
    write(m)
    with pytest.raises(ModelError) as caught:
        m.build()
    (mistake,) = caught.value.mistakes
    assert what in mistake.what
    assert "test_velocity_constraints.py" in mistake.where
    assert fix in mistake.fix


def test_names_are_made_and_told() -> None:
    m = cart()
    assert m.rolls("hull", radius=0.25) == "hull_rolls"
    assert m.rolls("hull", radius=0.25) == "hull_rolls_2"
    assert m.knife_edge("cart", "y") == "cart_edge"
    m.velocity_constraint("slow", lambda q, qd: qd["cart_tx"] - q["hull.qw"], unit="m/s")
    told = " ".join(m.build().describe().split())
    assert "hull_rolls sphere ground, hull 0.25" in told
    assert "cart_edge knife edge ground, cart y" in told
    assert "m/s" in told


def test_a_radius_may_be_live() -> None:
    m = cart()
    m.rolls("hull", radius=m.parameter("r", 0.3, unit="m"), axis="y", name="rim")
    plant = m.compile(backend="python")
    height = plant.coordinates.index("hull_tz")
    assert plant.formulation.positions.first.q[height] == pytest.approx(0.3, abs=1e-15)
    plant.parameters["r"] = 0.4
    assert plant.formulation.assemble(plant.formulation.home()).q[height] == pytest.approx(0.4)
