"""FMUs are valid, and give what `plant.simulate` gives: co-simulation to the last bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from fmu_models import STEP, Exported

from inloop import gallery

Make = Callable[..., Exported]
T_END = 0.05
# tree, loops, a driven joint, modes with impacts, friction with a state, quaternions, constraints
# on velocities, hard contacts, a sampled controller, bodies with six coordinates each
FEW = (
    "double_pendulum",
    "four_bar",
    "led_arm",
    "bouncing_ball",
    "stick_slip",
    "satellite",
    "rolling_disc",
    "rocking_block",
    "controlled_cart",
    "redundant pendulum",
)
NOT_EXCHANGED = {"rocking_block": "hard contacts", "redundant pendulum": "six coordinates"}


def check(made: Exported) -> None:
    assert validate_fmu(str(made.file)) == []
    rows = made.run("CoSimulation", T_END)
    about = fmpy.read_model_description(str(made.file)).description
    method = re.search(r"Co-simulation by (\w+) in steps of 0.001 s", about)[1]
    result = made.plant.simulate(t_end=T_END, step=STEP, method=method)
    np.testing.assert_allclose(rows["time"], result.t, rtol=1e-15)
    names = [name for name in rows.dtype.names if name in result.names]
    assert len(names) >= 2 * made.plant.n
    for name in names:
        np.testing.assert_array_equal(rows[name], result[name], err_msg=name)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", FEW)
def test_co_simulation_gives_the_bits_of_a_simulation(
    name: str, version: str, exported: Make
) -> None:
    check(exported(name, version))


@pytest.mark.parametrize("name", ["four_bar", "bouncing_ball"])
def test_looking_does_not_change_how_it_goes_on(name: str, exported: Make) -> None:
    """Every variable is read after every step."""
    made = exported(name)
    about = fmpy.read_model_description(str(made.file))
    every = [v.name for v in about.modelVariables if v.type == "Float64"]
    rows = made.run("CoSimulation", 0.6, output=every)
    assert {"x[1]", "der(x[1])"} <= set(rows.dtype.names)
    alone = made.run("CoSimulation", 0.6)
    for name in alone.dtype.names:
        if name in every:
            np.testing.assert_array_equal(rows[name], alone[name])


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", sorted(set(gallery.names()) - set(FEW)))
def test_all_of_the_gallery_as_fmus(name: str, version: str, exported: Make) -> None:
    check(exported(name, version))


def largest(values: Any) -> float:
    return max(1.0, float(np.max(np.abs(values))))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", sorted(set(FEW) - set(NOT_EXCHANGED) - {"controlled_cart"}))
def test_model_exchange_agrees_with_tight_steps_of_our_own(
    name: str, version: str, exported: Make
) -> None:
    compare_exchange(exported(name, version), T_END, 1e-2)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(gallery.names()) - set(FEW)))
def test_model_exchange_of_all_of_the_gallery(name: str, exported: Make) -> None:
    made = exported(name)
    if fmpy.read_model_description(str(made.file)).modelExchange is not None:
        # short steps of the importer: stiff laws need many of its solver's
        compare_exchange(made, 4e-3, 2e-4)


def compare_exchange(made: Exported, t_end: float, step: float) -> None:
    """All coordinates and velocities to 1e-8 of their size."""
    # the solver of the importer takes 500 steps at most
    tolerance = 1e-11 if made.plant.name == "incline" else 1e-13
    rows = made.run("ModelExchange", t_end, relative_tolerance=tolerance, output_interval=step)
    result = made.plant.simulate(t_end=t_end, step=step, method="dopri", tolerance=1e-12)
    assert len(rows) == len(result.t)
    for name in rows.dtype.names:
        if name.endswith((".q", ".qd")) and name in result.names:
            error = np.abs(rows[name] - result[name])
            assert error.max() < 1e-8 * largest(result[name]), name


def test_model_exchange_takes_samples_of_the_controller(exported: Make) -> None:
    """Between its samples a cart has a constant acceleration: exact steps are known."""
    made = exported("controlled_cart")
    rows = made.run("ModelExchange", 0.1, relative_tolerance=1e-11, output_interval=5e-3)
    q = v = 0.0
    expected = [q]
    for _ in range(20):
        a = (90.0 * (0.25 - q) - 14.0 * v) / 1.3
        q, v = q + 5e-3 * v + 0.5 * a * 25e-6, v + 5e-3 * a
        expected.append(q)
    assert expected[-1] > 0.05
    np.testing.assert_allclose(rows["rail.q"], expected, atol=1e-9)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", NOT_EXCHANGED)
def test_what_only_own_steps_can_move_says_so(name: str, version: str, exported: Make) -> None:
    about = fmpy.read_model_description(str(exported(name, version).file))
    assert about.modelExchange is None
    assert about.numberOfContinuousStates == 0
    assert NOT_EXCHANGED[name] in about.description
