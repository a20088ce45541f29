"""Checks of plants as functions of JAX, run by test_jax.py in a process of its own.

JAX has threads and warns whoever forks beside them, as controllers in their own process do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import jax
import numpy as np
from bridged_plants import cart_pole, crane, four_bar

RNG = np.random.default_rng(11)


def rates_and_closure_are_those_of_casadi(plant: Any) -> None:
    here, there = plant.to_jax(), plant.to_casadi()
    x = there.x0 + 0.1 * RNG.normal(size=len(there.x0))
    u = RNG.normal(size=len(there.u0))
    at = (x, there.z0, u, there.p0, 0.3)
    rates = jax.jit(here.rates)(x, u, here.p0, here.z0, 0.3)
    np.testing.assert_allclose(rates, np.array(there.rates(*at)).ravel(), rtol=1e-10)
    closure = here.closure(x, u, here.p0, here.z0, 0.3)
    np.testing.assert_allclose(closure, np.array(there.closure(*at)).ravel(), atol=1e-12)


def gradients_go_through_a_run() -> None:
    plant, h, steps = cart_pole(), 2e-3, 200
    system = plant.to_jax(inputs=["rail.tau"])

    def end(force: Any) -> Any:
        def step(x: Any, _: None) -> Any:
            def f(state: Any) -> Any:
                return system.rates(state, force)

            k1 = f(x)
            k2 = f(x + h / 2 * k1)
            k3 = f(x + h / 2 * k2)
            k4 = f(x + h * k3)
            return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jax.lax.scan(step, jax.numpy.asarray(system.x0), None, length=steps)[0]

    runs = [
        plant.simulate(t_end=h * steps, step=h, method="rk4", tau={"rail": force})
        for force in (0.7 - 1e-4, 0.7, 0.7 + 1e-4)
    ]
    ends = [np.array([*run.q[-1], *run.qd[-1]]) for run in runs]
    np.testing.assert_allclose(end(jax.numpy.array([0.7])), ends[1], rtol=0, atol=1e-10)
    slope = np.array(jax.jacobian(end)(jax.numpy.array([0.7])))[:, 0]
    np.testing.assert_allclose(slope, (ends[2] - ends[0]) / 2e-4, rtol=1e-6)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    for make in (cart_pole, crane, four_bar):
        rates_and_closure_are_those_of_casadi(make())
        print(make.__name__)
    gradients_go_through_a_run()
    print("gradients")
