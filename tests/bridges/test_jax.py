"""Plants as functions of JAX: against CasADi's expressions, and gradients through a run."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from bridged_plants import cart_pole, crane, four_bar

import inloop as il

RNG = np.random.default_rng(11)


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(il.InputError, match=r"pip install inloop\[jax\]"):
        cart_pole().to_jax()


@pytest.mark.long
@pytest.mark.parametrize("make", [cart_pole, crane, four_bar], ids=lambda make: make.__name__)
def test_rates_and_closure_are_those_of_casadi(make: object) -> None:
    """A large download: not part of the packages of the tests."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    plant = make()
    here, there = plant.to_jax(), plant.to_casadi()
    x = there.x0 + 0.1 * RNG.normal(size=len(there.x0))
    u = RNG.normal(size=len(there.u0))
    at = (x, there.z0, u, there.p0, 0.3)
    rates = jax.jit(here.rates)(x, u, here.p0, here.z0, 0.3)
    assert np.array(rates) == pytest.approx(np.array(there.rates(*at)).ravel(), rel=1e-10)
    closure = here.closure(x, u, here.p0, here.z0, 0.3)
    assert np.array(closure) == pytest.approx(np.array(there.closure(*at)).ravel(), abs=1e-12)


@pytest.mark.long
def test_gradients_go_through_a_run() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    plant, h, steps = cart_pole(), 2e-3, 200
    system = plant.to_jax(inputs=["rail.tau"])

    def end(force: object) -> object:
        def step(x: object, _: None) -> object:
            def f(state: object) -> object:
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
    assert np.array(end(jax.numpy.array([0.7]))) == pytest.approx(ends[1], abs=1e-10)
    slope = np.array(jax.jacobian(end)(jax.numpy.array([0.7])))[:, 0]
    assert slope == pytest.approx((ends[2] - ends[0]) / 2e-4, rel=1e-6)
