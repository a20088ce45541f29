"""Importers choose where and when a plant starts: loops are closed, or the start is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmu_models import STEP, Exported, Importer

import inloop as il
from inloop.native.running.schedule import Status

Make = Callable[..., Exported]
VERSIONS = ["3.0", "2.0"]


def settable(made: Exported) -> dict[str, float]:
    """Outputs whose start can be set, with their start."""
    about = fmpy.read_model_description(str(made.file))
    return {
        v.name: float(v.start)
        for v in about.modelVariables
        if v.causality == "output" and v.initial == "exact"
    }


@pytest.mark.thinned(4)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["double_pendulum", "four_bar", "bouncing_ball", "stewart"])
def test_a_start_that_is_set_is_that_of_a_simulation(
    name: str, version: str, exported: Make
) -> None:
    """All independent coordinates and velocities, a little beside their start."""
    made = exported(name, version)
    shift = np.random.default_rng(5)
    wanted = {key: value + shift.uniform(0.05, 0.1) for key, value in settable(made).items()}
    assert wanted
    rows = made.run("CoSimulation", 0.05, start_values=wanted)
    q, qd = (
        {key.removesuffix(kind): value for key, value in wanted.items() if key.endswith(kind)}
        for kind in (".q", ".qd")
    )
    result = made.plant.simulate(t_end=0.05, step=STEP, method="rk4", q=q, qd=qd)
    for key, value in wanted.items():
        assert rows[key][0] == pytest.approx(value, abs=1e-14)
    for coordinate in made.plant.coordinates:
        for key in (f"{coordinate}.q", f"{coordinate}.qd"):
            np.testing.assert_allclose(rows[key], result[key], rtol=1e-9, atol=1e-10, err_msg=key)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_ball_is_thrown_from_where_it_is_set(kind: str, version: str, exported: Make) -> None:
    """h + v t - g t²/2 from t = 2 s on; it would be back on the ground after 0.48 s."""
    made = exported("reference_ball", version)
    times = {"start_time": 2.0, "output_interval": 1e-2}
    rows = made.run(kind, 2.3, start_values={"ball.q": 0.4, "ball.qd": 1.5, "g": -9.7}, **times)
    t = rows["time"] - 2.0
    assert t[-1] == pytest.approx(0.3)
    np.testing.assert_allclose(rows["ball.q"], 0.4 + 1.5 * t - 4.85 * t**2, atol=2e-5)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_start_that_loops_cannot_reach_is_refused(version: str, exported: Make) -> None:
    """No upper wishbone follows a lower one that is turned by more than a right angle."""
    with Importer(exported("suspension", version)) as host:
        fmu = host.make()
        with pytest.raises(FMICallException):
            host.start(fmu, lower_left__q=2.0)
        assert "start values at t = 0 s: a kinematic loop cannot be closed" in host.said[-1]
        fmu.reset()
        host.start(fmu)
        fmu.doStep(0.0, STEP)


@pytest.mark.parametrize("version", VERSIONS)
def test_starts_are_set_before_the_end_of_initialization(version: str, exported: Make) -> None:
    made = exported("driven_slide", version)
    with Importer(made) as host:
        fmu = host.make()
        host.start(fmu, slide__q=0.4, slide__qd=0.25)
        kept = fmu.getFMUState()
        host.steps(fmu, 0, 8)
        # nothing acts on it
        np.testing.assert_allclose(host.get(fmu, "slide.q"), 0.4 + 0.25 * 8 * STEP, rtol=1e-14)
        with pytest.raises(FMICallException):
            host.set(fmu, {"slide.q": 0.1})
        assert "'slide.q' can only be set until the end of initialization" in host.said[-1]
        fmu.setFMUState(kept)
        assert host.get(fmu, "slide.q")[0] == 0.4
        fmu.freeFMUState(kept)
        fmu.reset()
        host.start(fmu)
        assert host.get(fmu, "slide.q")[0] == 0.0


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_it_starts_at_any_time(kind: str, version: str, exported: Make) -> None:
    made = exported("bouncing_ball", version)
    options = {"relative_tolerance": 1e-10} if kind == "ModelExchange" else {}
    early, late = (
        made.run(kind, t + 0.6, start_time=t, output_interval=1e-2, **options) for t in (0.0, 1.5)
    )
    assert early["events"][-1] >= 1
    np.testing.assert_allclose(late["time"], early["time"] + 1.5, rtol=1e-12)
    np.testing.assert_allclose(late["ball.q"], early["ball.q"], atol=1e-7)


@pytest.mark.parametrize("name", ["led_arm"])
def test_functions_of_time_start_at_0(name: str, exported: Make) -> None:
    with Importer(exported(name)) as host:
        fmu = host.make()
        with pytest.raises(FMICallException):
            fmu.enterInitializationMode(startTime=2.0)
        assert "are functions of time" in host.said[-1]
        with pytest.raises(FMICallException):
            fmu.enterInitializationMode(startTime=math.nan)
        assert host.said[-1].endswith("the start time is not finite")


def test_a_negative_mass_is_refused_as_a_parameter(exported: Make) -> None:
    """At the start and while it runs."""
    with Importer(exported("emptied_tank")) as host:
        fmu = host.make()
        with pytest.raises(FMICallException):
            host.start(fmu, lost=3.0)
        assert "parameters at t = 0 s: a value computed from them is out" in host.said[-1]
        host.set(fmu, {"lost": 1.0})
        fmu.exitInitializationMode()
        host.steps(fmu, 0, 1)
        host.set(fmu, {"lost": 3.0})
        with pytest.raises(FMICallException):
            host.steps(fmu, 1, 2)
        assert "parameters at t = 0.001 s: a value computed" in host.said[-1]


def test_every_status_has_a_text() -> None:
    source = (Path(il.__file__).parent / "io" / "fmi" / "c" / "fmu.c").read_text(encoding="utf-8")
    assert [status.name for status in Status if f'[IL_{status.name}] = "' not in source] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_a_solver_that_is_stuck_at_a_singular_position_is_told(
    version: str, exported: Make
) -> None:
    """All bars of the parallelogram are in line at -90°; nothing is wrong at -30°."""
    with Importer(exported("four_bar", version), "ModelExchange") as host:
        for angle, told in ((-0.5, 0), (-1.5707, 1)):
            fmu = host.make()
            host.start(fmu, bar_0__q=angle)
            for k in range(400):
                host.set(fmu, {"x[2]": -1.0 - 1e-9 * k})
                host.get(fmu, "der(x[2])")
            fmu.terminate()
            fmu.freeInstance()
            assert len(host.said) == told
        assert "t = 0 s: 200 evaluations" in host.said[0]
        assert "near a singular position" in host.said[0]
