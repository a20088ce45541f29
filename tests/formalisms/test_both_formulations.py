"""Reduced and redundant coordinates: two ways to the same accelerations, forces and motions."""

from __future__ import annotations

import numpy as np
import pytest
from both_formulations import CASES, compare, part

from inloop import gallery

SHORT = ("slider_crank", "bricard", "cart_pendulum")


@pytest.mark.parametrize(
    "name",
    [*SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in CASES if name not in SHORT)],
)
def test_both_formulations_agree(name: str) -> None:
    seen = compare(name, CASES[name])
    assert seen.accelerations <= 1e-10
    assert max(seen.multipliers, seen.forces) <= 1e-6
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
