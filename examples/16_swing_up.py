"""16: swing up a pole with minimum effort, by optimal control.

Objective: pass the equations of a plant to CasADi, let IPOPT find the force that swings up a pole
within two seconds, and apply it to the compiled plant.

Equations: xd = f(x, u) are the equations of the plant, as expressions (`plant.to_casadi`).
Hermite-Simpson collocation with nodes h apart, and a force that is linear between them,

    x_c = (x_k + x_k+1) / 2 + h (f_k - f_k+1) / 8,
    x_k+1 - x_k = h (f_k + 4 f_c + f_k+1) / 6,

reduces the optimal control problem to finitely many unknowns: minimize the integral of u², with
|u| <= 20 N and the cart within 0.8 m. First and second derivatives are exact.

Run it with `python examples/16_swing_up.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse

import casadi as ca
import numpy as np

import inloop as il

CART, POLE, LENGTH = 1.0, 0.3, 0.5  # [kg], [kg], [m]
T_END, NODES = 2.0, 50  # [s]
MOST_FORCE, MOST_WAY = 20.0, 0.8  # [N], [m]


def cart_pole() -> il.Model:
    """A point mass on a rod, on a cart; it hangs at 0 and is upright at pi."""
    m = il.Model("cart_pole")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=CART)
    joint = il.revolute("y", name="hinge")
    m.body("pole", on=cart, joint=joint, mass=POLE, com=(0, 0, -LENGTH))
    return m


def swing_up(f: ca.Function) -> tuple[np.ndarray, np.ndarray]:
    """States and forces at the nodes, shapes (4, NODES + 1) and (NODES + 1,)."""
    h, problem = T_END / NODES, ca.Opti()
    x, u = problem.variable(4, NODES + 1), problem.variable(1, NODES + 1)
    cost = 0.0
    for k in range(NODES):
        a, b = (f(x=x[:, i], u=u[i])["xd"] for i in (k, k + 1))
        middle = (x[:, k] + x[:, k + 1]) / 2 + h * (a - b) / 8
        c = f(x=middle, u=(u[k] + u[k + 1]) / 2)["xd"]
        problem.subject_to(x[:, k + 1] - x[:, k] == h * (a + 4 * c + b) / 6)
        cost += h * (u[k] ** 2 + u[k] * u[k + 1] + u[k + 1] ** 2) / 3
    problem.minimize(cost)
    problem.subject_to(x[:, 0] == 0)
    problem.subject_to(x[:, NODES] == ca.DM([0, np.pi, 0, 0]))
    problem.subject_to(problem.bounded(-MOST_FORCE, u, MOST_FORCE))
    problem.subject_to(problem.bounded(-MOST_WAY, x[0, :], MOST_WAY))
    problem.set_initial(x[1, :], np.linspace(0, np.pi, NODES + 1))
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = problem.solve()
    return np.array(found.value(x)), np.array(found.value(u))


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<42} {found:.9g}  expected {expected:.9g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(nodes: np.ndarray, x: np.ndarray, u: np.ndarray, run: il.Result, file: str) -> None:
    figure = il.blank_figure((7.0, 5.0), file)
    axes = figure.subplots(3, 1, sharex=True)
    for axis, name, values in zip(axes, ("rail.q", "hinge.q"), x[:2], strict=False):
        axis.plot(run.t, run[name], label="plant")
        axis.plot(nodes, values, ".", label="nodes")
    axes[2].plot(nodes, u)
    for axis, label in zip(axes, ("cart [m]", "pole [rad]", "force [N]"), strict=True):
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[0].legend()
    axes[2].set_xlabel("t [s]")
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="A pole swings up.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the motion")
    file = parser.parse_args().plot
    model = cart_pole()
    push = model.input("push", unit="N")
    model.joint_force("rail", lambda: push)
    plant = model.compile()
    x, u = swing_up(plant.to_casadi(inputs=["push"]).rates)

    # the compiled plant under the same force
    nodes = np.linspace(0.0, T_END, NODES + 1)
    force = {"push": lambda t: il.table(t, nodes, u)}
    run = plant.simulate(t_end=T_END, step=1e-3, inputs=force)
    check("angle of the pole at the end [rad]", run["hinge.q"][-1], np.pi, 5e-3)
    check("cart at the end [m]", run["rail.q"][-1], 0.0, 1e-3)
    check("largest force beyond the bound [N]", max(abs(u).max() - MOST_FORCE, 0.0), 0.0, 1e-6)
    # the work of the force becomes energy: the pole is 2 LENGTH higher and at rest
    check("work of the force [J]", run.work[-1], 2 * POLE * 9.81 * LENGTH, 1e-2)
    if file:
        draw(nodes, x, u, run, file)


if __name__ == "__main__":
    main()
