"""The generated Jacobian of the rates: against differences, and what RODAS makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from four_bar_model import four_bar, four_bar_with_a_tail
from stiff_models import ARM_START, Bench, arm, differences
from test_implicit import linkage_laws, smooth_laws

import inloop as il
from inloop.native import AdaptiveSteps, MachineSnapshot, Method, Status, run_machine
from inloop.native.running.instance import Numbers
from inloop.plant import stepping


def pressed(m: il.Model) -> None:
    """A law whose state needs the joint's reaction, and so the accelerations."""
    m.lugre(
        "slide", stiffness=500.0, damping=1.0, coulomb=0.4, viscous=0.1, elastic=0.0,
        normal="reaction", reaction_time=0.05, reaction_start=10.0,
    )  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("laws", [None, smooth_laws, pressed])
def test_jacobian_of_a_tree(laws) -> None:
    plant = arm(laws, name="jacobian").compile()
    bench = Bench(plant, Method.RODAS, np.array([1.0, -2.0, 3.0, 0.5]))
    z = plant.first_states + 0.013
    x = bench.start(np.array(ARM_START) + 0.2, np.array([0.5, -0.3, 0.9, 0.7]), z)
    J, dfdt = bench.jacobian(0.3, x)
    expected = differences(lambda x: bench.rates(0.3, x), x, 1e-4)
    assert np.abs(J - expected).max() < 1e-7 * np.abs(expected).max()
    along_time = differences(lambda t: bench.rates(float(t[0]), x), np.array([0.3]), 1e-3)[:, 0]
    assert dfdt == pytest.approx(along_time, abs=1e-8)
    assert (np.abs(along_time).max() > 0.1) == (laws is smooth_laws)


@pytest.mark.parametrize("driven", [False, True])
def test_jacobian_of_a_closed_mechanism(driven: bool) -> None:
    model = four_bar_with_a_tail() if driven else four_bar(linkage_laws)
    plant = model.compile()
    bench = Bench(plant, Method.RODAS)
    # where the drive is at the time of the test
    there = plant.simulate(t_end=0.3)
    x = bench.start(there.q[-1], np.full(plant.n, 0.7), plant.first_states + 0.02)
    # loops closed to the last bit at every call
    bench.held.instance.numbers(Numbers.TOLERANCE)[:] = 1e-13
    bench.held.guard = 0.0 * bench.held.guard
    J, dfdt = bench.jacobian(0.3, x)
    expected = differences(lambda x: bench.rates(0.3, x), x, 1e-4)
    assert np.abs(expected[1:, 0]).max() > 1.0
    assert np.abs(J - expected).max() < 1e-6 * np.abs(expected).max()
    along_time = differences(lambda t: bench.rates(float(t[0]), x), np.array([0.3]), 1e-3)[:, 0]
    assert dfdt == pytest.approx(along_time, abs=1e-5 * max(1.0, np.abs(along_time).max()))
    assert (np.abs(along_time).max() > 0.1) == driven


@pytest.mark.thinned(2)
@pytest.mark.parametrize("make", [lambda: arm(smooth_laws), lambda: four_bar(linkage_laws)])
def test_rodas_takes_the_same_steps(make) -> None:
    plant = make().compile()
    bench = Bench(plant, Method.RODAS)
    first = plant.simulate(t_end=0.0)
    x = bench.start(first.q[0], np.zeros(plant.n), plant.first_states)
    schedule = AdaptiveSteps(Method.RODAS, 0.5, 1e-7, 1e-9)
    exact = run_machine(bench.held.table, MachineSnapshot(0, x), schedule)
    bench.system.jacobian = None
    rough = run_machine(bench.held.table, MachineSnapshot(0, x), schedule)
    assert exact.status == rough.status == Status.OK
    assert abs(exact.steps - rough.steps) <= 0.05 * rough.steps
    assert exact.x[-1] == pytest.approx(rough.x[-1], abs=1e-6)
    assert rough.evaluations > 1.5 * exact.evaluations


def test_a_jacobian_that_is_too_large_is_taken_by_differences(monkeypatch) -> None:
    monkeypatch.setattr(stepping, "LARGEST_JACOBIAN", 10)
    result = arm(name="coarse").compile().simulate(t_end=0.1, method="rodas")
    assert any("differences" in note for note in result.notes)
