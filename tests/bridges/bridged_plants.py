"""Plants for other programs, with numbers that show a mistake."""

from __future__ import annotations

from functools import cache

import inloop as il

CART, POLE, OFFSET, PITCH = 1.3, 0.37, 0.42, 0.021  # [kg], [kg], [m], [kg m²]


@cache
def cart_pole() -> il.Plant:
    m = il.Model("cart_pole")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=CART)
    pole = m.body(
        "pole", on=cart, joint=il.revolute("y", name="hinge", initial=(0.2, 0.1)), mass=POLE,
        com=(0, 0, OFFSET), inertia=(0.018, PITCH, 0.004),
    )  # fmt: skip
    pole.point("tip", (0.03, 0, 0.9))
    return m.compile(live=["pole.mass"])


@cache
def crane() -> il.Plant:
    """Laws with a state, a table, time and an input of the model."""
    m = il.Model("crane")
    push = m.input("push")
    trolley = m.body("trolley", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.3)), mass=2.5)
    m.body(
        "hook", on=trolley, joint=il.revolute("y", initial=(0.5, -0.2)), mass=1.5,
        com=(0.01, 0, -0.6), inertia=(0.02, 0.023, 0.004),
    )  # fmt: skip
    m.lugre(trolley, stiffness=2e2, damping=10.0, coulomb=3.0, static=3.6, stribeck=1e-2)
    places, forces = [-1.0, -0.2, 0.3, 0.9], [-4.0, -0.5, 0.7, 6.0]

    def law(q: il.Expr, t: il.Expr) -> il.Expr:
        return push * 0.7 + 0.4 * il.sin(3.0 * t) - il.table(q, places, forces, "cubic")

    m.joint_force("trolley", law)
    return m.compile()


@cache
def four_bar(driven: bool = False) -> il.Plant:
    m = il.Model("four_bar")
    joint = il.revolute("y", initial=(0.9, 0.0 if driven else 2.0))
    inertia = (0.01, 0.02, 0.03)
    crank = m.body("crank", on=m.ground, joint=joint, mass=0.7, com=(0.2, 0, 0), inertia=inertia)
    coupler = m.body(
        "coupler", on=crank.point("pin", (0.4, 0, 0)), joint=il.revolute("y"), mass=1.1,
        com=(0.5, 0, 0.1), inertia=(0.02, 0.11, 0.1),
    )  # fmt: skip
    rocker = m.body(
        "rocker", on=m.ground.point("right", (1.2, 0, 0.1)), joint=il.revolute("y", guess=-1.2),
        mass=0.9, com=(0.4, 0, 0), inertia=(0.02, 0.07, 0.06),
    )  # fmt: skip
    m.close(coupler.point("end", (1.0, 0, 0)), rocker.point("end", (0.8, 0, 0)))
    if driven:
        m.drive("crank", lambda t: 0.9 + 0.3 * il.sin(2.0 * t))
    return m.compile()
