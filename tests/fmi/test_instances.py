"""What importers do with instances: parameters, states, events, many at once, and mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmu_models import STEP, Exported, Importer

Make = Callable[..., Exported]
VERSIONS = pytest.mark.parametrize("version", ["3.0", "2.0"])


@VERSIONS
def test_parameters_and_inputs_act_while_it_runs(version: str, exported: Make) -> None:
    with Importer(exported("driven_slide", version)) as host:
        fmu = host.make()
        host.start(fmu, mass=2.0, slide__tau=3.0)
        host.steps(fmu, 0, 100)
        np.testing.assert_allclose(host.get(fmu, "slide.qd"), 3.0 / 2.0 * 0.1, rtol=1e-12)
        host.set(fmu, {"mass": 4.0, "slide.tau": -6.0})
        host.steps(fmu, 100, 100)
        np.testing.assert_allclose(host.get(fmu, "slide.qd"), 0.15 - 1.5 * 0.1, atol=1e-12)
        np.testing.assert_array_equal(host.get(fmu, "mass", "slide.tau"), [4.0, -6.0])
        fmu.reset()
        host.start(fmu)
        np.testing.assert_array_equal(host.get(fmu, "mass", "slide.tau", "slide.q"), [0.5, 0, 0])
        fmu.freeInstance()


@VERSIONS
@pytest.mark.parametrize("name", ["four_bar", "bouncing_ball", "controlled_cart", "rocking_block"])
def test_a_state_is_brought_back_and_moves_to_another_instance(
    name: str, version: str, exported: Make
) -> None:
    made = exported(name, version)
    signals = [f"{c}.{kind}" for c in made.plant.coordinates for kind in ("q", "qd")]
    with Importer(made) as host:
        fmu, other = host.make(), host.make()
        host.start(fmu)
        host.steps(fmu, 0, 30)
        state = fmu.getFMUState() if version == "3.0" else fmu.getFMUstate()
        told = fmu.serializeFMUState(state) if version == "3.0" else fmu.serializeFMUstate(state)
        before = host.get(fmu, *signals)
        host.steps(fmu, 30, 500)
        after = host.get(fmu, *signals)
        assert np.abs(after - before).max() > 1e-6
        host.start(other)
        for which in (fmu, other):
            if version == "3.0":
                again = which.deserializeFMUState(told)
                which.setFMUState(again)
                which.freeFMUState(again)
            else:
                again = which.deSerializeFMUstate(told)
                which.setFMUstate(again)
                which.freeFMUstate(again)
            np.testing.assert_array_equal(host.get(which, *signals), before)
            host.steps(which, 30, 500)
            np.testing.assert_array_equal(host.get(which, *signals), after)
        fmu.freeFMUState(state) if version == "3.0" else fmu.freeFMUstate(state)


def test_a_state_of_model_exchange_is_brought_back(exported: Make) -> None:
    with Importer(exported("double_pendulum"), "ModelExchange") as host:
        fmu = host.make()
        host.start(fmu)
        states = [name for name in host.number if name.startswith("x[")]
        fmu.enterContinuousTimeMode()
        fmu.setTime(0.25)
        host.set(fmu, dict(zip(states, (0.1, -0.2, 0.3, 0.4), strict=True)))
        rates = [f"der({name})" for name in states]
        before = host.get(fmu, "time", *states, *rates)
        state = fmu.getFMUState()
        fmu.setTime(0.5)
        host.set(fmu, {states[0]: 1.0})
        assert host.get(fmu, rates[2]) != before[7]
        fmu.setFMUState(state)
        np.testing.assert_array_equal(host.get(fmu, "time", *states, *rates), before)


def test_hostile_states_are_refused(exported: Make) -> None:
    """Every byte but those of numbers that may be anything is looked at."""
    with Importer(exported("four_bar")) as host:
        fmu = host.make()
        host.start(fmu)
        host.steps(fmu, 0, 20)
        told = fmu.serializeFMUState(fmu.getFMUState())
        for wrong in (b"", told[:-1], told + b"\0", b"\0" * len(told), b"\xff" * len(told)):
            with pytest.raises((FMICallException, ValueError)):
                fmu.deserializeFMUState(wrong)
        random = np.random.default_rng(3)
        good = host.get(fmu, "bar_0.q")
        for _ in range(200):
            bent = bytearray(told)
            for at in random.integers(0, len(told), 3):
                bent[at] = random.integers(0, 256)
            try:
                fmu.setFMUState(fmu.deserializeFMUState(bytes(bent)))
                fmu.doStep(20 * STEP, STEP)
            except FMICallException:
                continue
        fmu.setFMUState(fmu.deserializeFMUState(told))
        np.testing.assert_array_equal(host.get(fmu, "bar_0.q"), good)


def test_two_hundred_instances_side_by_side(exported: Make) -> None:
    """Each with a mass of its own, stepped in turns: none feels another one."""
    with Importer(exported("driven_slide")) as host:
        made = [host.make() for _ in range(200)]
        masses = np.linspace(0.2, 4.0, len(made))
        for fmu, mass in zip(made, masses, strict=True):
            host.start(fmu, mass=float(mass), slide__tau=2.0)
        for k in range(10):
            for fmu in made:
                fmu.doStep(k * STEP, STEP)
        speeds = [host.get(fmu, "slide.qd")[0] for fmu in made]
        np.testing.assert_allclose(speeds, 2.0 / masses * 10 * STEP, rtol=1e-12)
        for fmu in made:
            fmu.terminate()


def test_an_event_ends_a_communication_step_early(exported: Make) -> None:
    options = {"early_return_allowed": True, "event_mode_used": True}
    with Importer(exported("reference_ball"), **options) as host:
        fmu = host.make()
        host.start(fmu)
        fmu.updateDiscreteStates()
        fmu.enterStepMode()
        event, _, early, reached = fmu.doStep(0.0, 1.0)
        # the impact lies within the last step taken
        impact = math.sqrt(2.0 / 9.81)
        assert event and early
        assert reached - STEP < impact <= reached
        assert fmu.getInt64([host.number["events"]]) == [1]
        fmu.enterEventMode()
        assert fmu.updateDiscreteStates()[0] is False
        fmu.enterStepMode()
        event, _, early, reached = fmu.doStep(reached, 0.5 - reached)
        assert (event, early) == (False, False)
        assert reached == pytest.approx(0.5)


@VERSIONS
def test_mistakes_of_importers_are_told(version: str, exported: Make) -> None:
    with Importer(exported("driven_slide", version)) as host:
        fmu = host.make()
        for act, said in (
            (lambda: fmu.doStep(0.0, STEP), "cannot be called now; mode of the FMU: instantiated"),
            (lambda: host.set(fmu, {"mass": 0.01}), "parameter 'mass' is 0.01, outside of 0.1"),
            (lambda: host.set(fmu, {"slide.tau": math.nan}), "would not be finite"),
            (lambda: host.set(fmu, {"der(x[1])": 1.0}), "cannot be set"),
        ):
            with pytest.raises(FMICallException):
                act()
            assert said in host.said[-1]
        host.number["nothing"] = 4_000_000_000
        with pytest.raises(FMICallException):
            host.get(fmu, "nothing")
        assert "no variable 4000000000" in host.said[-1]
        host.start(fmu)
        for t, size in ((0.0, 1.5 * STEP), (0.0, -STEP), (1.0, STEP), (0.0, math.nan)):
            with pytest.raises(FMICallException):
                fmu.doStep(t, size)
        assert "multiple of the plant's own step" in host.said[-1]
        host.steps(fmu, 0, 1)


def test_a_wrong_token_gives_no_instance(exported: Make) -> None:
    with Importer(exported("driven_slide")) as host:
        host.about.instantiationToken = host.about.guid = "another"
        with pytest.raises(Exception, match=r"[Ii]nstantiate"):
            host.make()
        assert "token" in host.said[-1]
