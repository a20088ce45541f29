"""Runs over singular positions: the right branch to full accuracy, or an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.formalisms import Derivation
from inloop.gallery.four_bar import four_bar

# IFToMM A02, regular branch, integrated independently: x, y of B0 after 10 s by number of loops
TIP = {1: (0.478385057760971, 0.878150178791209), 2: (0.328458111540815, 0.944518538178601)}
# wishes by number of loops; the others of two loops are tried in formalisms/test_sparse_motion.py
NAMES = {1: ("bar_0", "coupler_1", "bar_1"), 2: ("bar_0", "bar_1", "coupler_2")}


def compiled(loops: int, wish: str) -> il.Plant:
    model = four_bar(loops)
    model._draft.independent.clear()
    model.independent(wish)
    return model.compile()


@pytest.mark.thinned(5)
@pytest.mark.parametrize(("loops", "wish"), [(n, name) for n in NAMES for name in NAMES[n]])
def test_all_links_flat(loops: int, wish: str) -> None:
    """Eight passages of the singular position in 10 s, whatever the wish and the step."""
    plant = compiled(loops, wish)
    for step in (1e-2, 4e-3, 1e-3):
        result = plant.simulate(t_end=10.0, step=step, sample=0.1)
        tip = plant.position("bar_0.B", result.q[-1])[:2]
        # RK4 at 1e-2 s is worth 1e-6
        np.testing.assert_allclose(tip, TIP[loops], atol=2e-6)
        assert result.energy_drift() < 1e-7
        assert result.constraint_violation < 1e-12
        assert any("run passes a singular position" in note for note in result.notes)
        np.testing.assert_allclose(result.t, 0.1 * np.arange(101), atol=1e-12)


def test_errors_fall_with_the_step_over_many_singular_loops() -> None:
    """Four loops are singular at once, ten times in 10 s; parallel bars are one equation.

    N + 1 bars turn about their ends and N couplers move on circles:
    ((N + 1)/3 + N) m L² qdd = ((N + 1)/2 + N) m g L sin q.
    """
    from scipy.integrate import solve_ivp

    loops = 4
    plant = four_bar(loops).compile()
    pull = ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops) * 9.81
    errors = []
    for step in (1.6e-2, 8e-3, 4e-3, 1e-3):
        result = plant.simulate(t_end=10.0, step=step, sample=0.16)
        exact = solve_ivp(
            lambda _t, y: [y[1], pull * np.sin(y[0])], (0.0, result.t[-1]), [0.0, -1.0],
            t_eval=result.t, method="DOP853", rtol=1e-13, atol=1e-14,
        ).y  # fmt: skip
        errors.append(np.abs(result["bar_0.q"] - exact[0]).max())
        assert sum("run passes a singular position" in note for note in result.notes) == 10
    # order 4, down to rounding; and little had to be compiled on the way
    assert errors[0] > 10.0 * errors[1] > 100.0 * errors[2]
    assert errors[3] < 2e-9
    assert len(plant.formulation.known) <= 2


@pytest.mark.thinned(2)
@pytest.mark.parametrize("method", ["dopri", "rodas"])
def test_steps_chosen_by_their_error(method: str) -> None:
    plant = compiled(2, "bar_2")
    result = plant.simulate(t_end=10.0, step=0.05, method=method, tolerance=1e-9)
    tip = plant.position("bar_0.B", result.q[-1])[:2]
    np.testing.assert_allclose(tip, TIP[2], atol=1e-5)
    assert result.energy_drift() < 1e-6
    np.testing.assert_allclose(result.t, 0.05 * np.arange(201), atol=1e-12)


def test_every_step_is_sampled_on_the_way_over() -> None:
    """Against the same motion in bars that stay parallel: one equation, by SciPy."""
    from scipy.integrate import solve_ivp

    plant = compiled(1, "bar_1")
    step = 1e-3
    result = plant.simulate(t_end=1.0, step=step)
    np.testing.assert_allclose(result.t, step * np.arange(1001), atol=1e-12)
    # two bars turn about their ends and the coupler moves on a circle: 5/3 m L² qdd = 2 m g L sin q
    exact = solve_ivp(
        lambda _t, y: [y[1], 2.0 * 9.81 * np.sin(y[0]) / (5.0 / 3.0)],
        (0.0, 1.0), [0.0, -1.0], t_eval=result.t, rtol=1e-12, atol=1e-13,
    ).y  # fmt: skip
    np.testing.assert_allclose(result["bar_0.q"], exact[0], atol=1e-9)
    np.testing.assert_allclose(result["bar_1.qd"], exact[1], atol=1e-8)
    acceleration = 2.0 * 9.81 * np.sin(exact[0]) / (5.0 / 3.0)
    np.testing.assert_allclose(result["bar_0.qdd"], acceleration, atol=1e-3)


def linkage(rng: np.random.Generator, wish: str) -> il.Model:
    """A random planar four-bar in free motion; many come to a dead point, some to a fold."""
    m = il.Model("linkage", gravity=(0.0, -9.81, 0.0))
    lengths = rng.uniform(0.2, 1.0, size=3)
    if rng.random() < 0.4:
        lengths[2] = lengths[0]
    tip = m.ground
    for k, length in enumerate(lengths):
        guess, speed = float(rng.uniform(-1.5, 1.5)), float(rng.uniform(-4.0, 4.0))
        initial = (None, speed if f"link_{k}" == wish else None)
        body = m.body(
            f"link_{k}", on=tip, joint=il.revolute("z", guess=guess, initial=initial),
            mass=float(rng.uniform(0.3, 2.0)), com=(0.5 * length, 0.02, 0.0),
            inertia=(0.0, 0.1 * length**2, 0.1 * length**2),
        )  # fmt: skip
        tip = body.point("tip", (float(length), 0.0, 0.0))
    base = float(lengths[1]) if lengths[2] == lengths[0] else float(rng.uniform(0.2, 1.0))
    m.close(tip, m.ground.point("far", (base, 0.0, 0.0)), name="ring")
    m.independent(wish)
    return m


def in_numbers_of(plant: il.Plant, model: il.Model) -> dict[str, Any]:
    """Give a plant with live numbers those of a model alike; where its run starts."""
    mechanism = model.build()
    numbers = Derivation(mechanism, live="all").symbols.parameters
    plant.parameters.update({number.name: number.default for number in numbers})
    q, qd = np.transpose([body.joint.initial for body in mechanism.bodies])
    (wish,) = mechanism.independent
    return {"q": plant.formulation.assemble(q).q, "qd": {mechanism.coordinates[wish]: qd[wish]}}


@pytest.mark.long
def test_random_linkages_keep_their_energy_or_say_so() -> None:
    """All in the numbers of three plants."""
    rng = np.random.default_rng(11)
    names = ("link_0", "link_1", "link_2")
    plants = {wish: linkage(rng, wish).compile(live="all") for wish in names}
    outcomes: dict[str, int] = {"kept": 0, "told": 0, "changed": 0, "crossed": 0}
    for wish in np.repeat(names, 8):
        plant = plants[wish]
        try:
            start = in_numbers_of(plant, linkage(rng, wish))
            result = plant.simulate(t_end=3.0, step=5e-4, **start)
        except il.InputError as error:
            assert "loop 'ring' cannot close" in str(error)
            continue  # such links do not reach
        except il.SimulationError as error:
            assert "loop 'ring'" in str(error) and "after t = " in str(error)
            outcomes["told"] += 1
            continue
        kinetic = result["energy.kinetic"].max()
        drift = np.ptp(result["energy.total"])
        assert drift < 1e-5 * kinetic, result.notes
        assert result.constraint_violation < 1e-11
        outcomes["kept"] += 1
        outcomes["changed"] += any("independent" in note for note in result.notes)
        outcomes["crossed"] += any("singular" in note for note in result.notes)
    assert outcomes["kept"] > 15 and outcomes["changed"] > 8 and outcomes["crossed"] > 4, outcomes


def test_a_drive_into_a_dead_point_names_loop_and_time() -> None:
    m = il.Model("stretched", gravity=(0.0, 0.0, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", guess=2.0), mass=1.0)
    rod = m.body(
        "rod", on=crank.point("pin", (0.5, 0.0, 0.0)), joint=il.revolute("z", guess=-1.9),
        mass=1.3, com=(0.2, 0.0, 0.0), inertia=(0.0, 0.02, 0.02),
    )  # fmt: skip
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", initial=(0.3, 0.0)), mass=0.7)
    m.close(rod.point("end", (0.6, 0.0, 0.0)), slider, name="piston")
    m.drive(slider, lambda t: 0.3 + 0.5 * t)
    # pulled out to 1.1 m the links are straight, at t = 1.6 s
    with pytest.raises(il.SimulationError, match="loop 'piston'") as caught:
        m.compile().simulate(t_end=3.0, step=1e-3)
    assert caught.value.result.t[-1] == pytest.approx(1.6, abs=0.02)
    assert caught.value.result.constraint_violation < 1e-10
