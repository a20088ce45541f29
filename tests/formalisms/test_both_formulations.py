"""Reduced and redundant coordinates: two ways to the same accelerations, forces and motions."""

from __future__ import annotations

import numpy as np
import pytest
from both_formulations import CASES, compare, forces_apart, part

from inloop import gallery

SHORT = ("slider_crank",)


@pytest.mark.parametrize(
    "name",
    [*SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in CASES if name not in SHORT)],
)
def test_both_formulations_agree(name: str) -> None:
    seen = compare(name, CASES[name])
    assert seen.accelerations <= 1e-10
    assert max(seen.multipliers, seen.forces, seen.forces_after) <= 1e-6
    assert seen.trajectory <= 1e-8
    assert seen.drift <= 1e-9


@pytest.mark.long
def test_both_formulations_agree_where_forces_jump() -> None:
    """A cabin that nobody holds falls into its stop, lifts wheels and comes to lie on its nose.

    Fixed steps miss the instants of the jumps in either formulation; `rodas` finds them.
    """
    model = gallery.get("tilting_vehicle").build()
    reduced, plant = model.compile(), model.compile(formulation="redundant")
    given = {"t_end": 1.0, "sample": 5e-3, "method": "rodas", "tolerance": 1e-10}
    run = reduced.simulate(**given)
    assert np.abs(run["tilt_stop.effort"]).max() > 0.0
    assert min(run[f"tyre_{wheel}.load"].min() for wheel in ("left", "right", "front")) == 0.0
    z = np.stack([run[state.name] for state in reduced.mechanism.states], axis=1)
    for k, t in enumerate(run.t):
        state = {"q": run.q[k], "qd": run.qd[k], "tau": np.zeros(reduced.n), "z": z[k], "t": t}
        found, expected = plant.formulation.motion(**state), reduced.formulation.motion(**state)
        assert part(found["a"], expected["a"]) <= 1e-10
        assert part(found["zd"], expected["zd"]) <= 1e-10
    assert np.abs(plant.simulate(**given).q - run.q).max() <= 1e-8


@pytest.mark.long
def test_both_formulations_agree_along_a_chain_that_falls() -> None:
    """A chain fountain over 1 s, in which rods touch all the time, and small differences grow.

    Fixed steps miss the instants of touches, some 0.2 s after the start. With the same steps of
    Runge and Kutta on the accelerations of either formulation both go wrong in the same way.
    """
    model = gallery.get("chain_fountain").build(**CASES["chain_fountain"].options)
    reduced, plant = model.compile(), model.compile(formulation="redundant")
    given = {"t_end": 1.0, "sample": 1e-2, "method": "rk4", "step": 4e-5}
    run = reduced.simulate(**given)
    # a thousandth of a millionth of a radian becomes a thousand times as much
    start = np.array(run.q[0])
    start[10] += 1e-9
    assert np.abs(reduced.simulate(**given, q=start).q[-1] - run.q[-1]).max() > 1e-6
    for k, t in enumerate(run.t):
        state = {"q": run.q[k], "qd": run.qd[k], "tau": np.zeros(reduced.n), "t": t}
        found, expected = plant.formulation.motion(**state), reduced.formulation.motion(**state)
        assert part(found["a"], expected["a"]) <= 1e-10
        told = reduced.joint_reactions(state["q"], state["qd"], t=t)
        assert forces_apart(plant, found, told) <= 1e-6
    assert np.abs(plant.simulate(**given).q - run.q).max() <= 1e-8
