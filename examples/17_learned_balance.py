"""17: a pole that learns to balance.

Objective: turn a plant into a gymnasium environment, run 64 of them at once on all cores, and find
a linear policy by the cross-entropy method, without a model of the plant.

Equations: u = -K y with y = (x, theta, xd, thetad). The gains of a generation are drawn from a
normal distribution. Each plays one episode, and the best eighth gives the mean and standard
deviation of the next generation. The linearized plant checks the learned policy: all eigenvalues
of A - B K must have negative real parts.

Run it with `python examples/17_learned_balance.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import numpy as np

import inloop as il

SEEN = ("rail.q", "hinge.q", "rail.qd", "hinge.qd")
MOST_FORCE, MOST_ANGLE = 15.0, 0.4  # [N], [rad]
ENVIRONMENTS, BEST, GENERATIONS = 64, 8, 8
Columns = Mapping[str, np.ndarray]


def cart_pole() -> il.Model:
    """A rod of 0.8 m on a cart, upright at 0."""
    m = il.Model("cart_pole")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.0)
    pole = {"mass": 0.2, "com": (0.0, 0.0, 0.4), "inertia": (0.011, 0.011, 0.0)}
    m.body("pole", on=cart, joint=il.revolute("y", name="hinge"), **pole)
    return m


def reward(y: Columns, a: Columns) -> np.ndarray:
    """Reward an upright pole, a centered cart and a small force."""
    return 1.0 - y["hinge.q"] ** 2 - 0.5 * y["rail.q"] ** 2 - 1e-3 * a["rail.tau"] ** 2


def begin(random: np.random.Generator, n: int) -> dict[str, dict[str, np.ndarray]]:
    """Random starts near the upright position."""
    return {"q": {"hinge": random.uniform(-0.1, 0.1, n), "rail": random.uniform(-0.3, 0.3, n)}}


def returns(many: il.gym.VectorEnvironment, gains: np.ndarray, seed: int) -> np.ndarray:
    """The return of an episode for each row of gains."""
    seen, _ = many.reset(seed=seed)
    total, alive = np.zeros(len(gains)), np.ones(len(gains), dtype=bool)
    while np.any(alive):
        actions = -np.sum(gains * seen, axis=1, keepdims=True)
        seen, earned, terminated, truncated, _ = many.step(actions)
        total += alive * earned
        alive &= ~(terminated | truncated)
    return total


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<42} {found:.6g}  expected {expected:.6g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(history: list[np.ndarray], file: str) -> None:
    figure = il.blank_figure((7.0, 3.5), file)
    axis = figure.subplots()
    for k, earned in enumerate(history, 1):
        axis.plot(np.full(len(earned), k), earned, ".", color="tab:blue", alpha=0.4)
    axis.plot(range(1, len(history) + 1), [np.max(e) for e in history], color="tab:orange")
    axis.set(xlabel="generation", ylabel="return of an episode")
    axis.grid(True, alpha=0.3)
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="A pole learns to stand.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of what was earned")
    file = parser.parse_args().plot
    plant = cart_pole().compile()
    task = il.gym.Task(
        plant, observation=SEEN, action={"rail.tau": (-MOST_FORCE, MOST_FORCE)}, reward=reward,
        terminated=lambda y: np.abs(y["hinge.q"]) > MOST_ANGLE, start=begin, seconds=4.0,
    )  # fmt: skip
    many, random = il.gym.VectorEnvironment(task, ENVIRONMENTS), np.random.default_rng(1)
    mean, scatter, history = np.zeros(4), np.array([20.0, 80.0, 20.0, 20.0]), []
    for generation in range(GENERATIONS):
        gains = mean + scatter * random.normal(size=(ENVIRONMENTS, 4))
        history.append(returns(many, gains, seed=generation))
        best = gains[np.argsort(history[-1])[-BEST:]]
        mean, scatter = best.mean(axis=0), best.std(axis=0) + 1.0
    print("gains:", *(f"{name} {k:.1f}" for name, k in zip(SEEN, mean, strict=True)))

    # new random starts all balance for the whole episode; a period earns at most 1
    earned = returns(many, np.tile(mean, (ENVIRONMENTS, 1)), seed=1000)
    check("worst return of 64 episodes", earned.min(), 200.0, 40.0)
    linear = plant.linearize(inputs=["rail.effort"])
    places = [linear.states.index(name) for name in SEEN]
    K = np.zeros((1, 4))
    K[0, places] = mean
    poles = np.linalg.eigvals(linear.A - linear.B @ K)
    check("poles in the right half plane", float(np.sum(poles.real >= 0.0)), 0.0, 0.0)
    if file:
        draw(history, file)


if __name__ == "__main__":
    main()
