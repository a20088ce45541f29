"""The piano action: rest, the bars of its experiments, convergence, fingers that jump."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop import gallery
from inloop.gallery import Bench, Outcome
from inloop.gallery.piano import data
from inloop.gallery.piano.contacts import FRONT
from inloop.gallery.piano.experiments import force as pressing
from inloop.gallery.piano.experiments import motion, repetition
from inloop.gallery.piano.experiments.motion import beginnings, key_force, played, ramps
from inloop.gallery.piano.rest import forces_at_rest

EXHIBIT = gallery.get("piano")


@pytest.fixture(scope="module")
def fingered() -> il.Plant:
    return plant_of("piano")


@pytest.fixture(scope="module")
def driven() -> il.Plant:
    return EXHIBIT.build(finger=False).compile()


@pytest.fixture(scope="module")
def tried(fingered: il.Plant, driven: il.Plant) -> Callable[[str], Outcome]:
    """Outcome of an experiment, with plants that are compiled once for all."""
    bench = Bench(lambda finger: fingered if finger else driven)
    return lambda name: EXHIBIT.experiments[name].run(bench)


@pytest.fixture(scope="module")
def force(tried: Callable[[str], Outcome]) -> dict[str, float]:
    """With steps twice as long: forces differ by less than a percent (see below)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motion, "STEP", 2e-4)
        patch.setattr(pressing, "moved", functools.partial(motion.moved, sample=2e-4))
        return dict(tried("force").figures)


def test_statics_by_hand_are_the_state_at_the_start(fingered: il.Plant) -> None:
    result = fingered.simulate(t_end=0.3, step=1e-3, method="implicit")
    for name, carried in forces_at_rest().items():
        assert carried > 0.1
        np.testing.assert_allclose(result[f"{name}.force"], carried, rtol=1e-9)
    assert np.abs(result.q).max() < 1e-11
    idle = set(data.CUSHIONS) - set(forces_at_rest())
    assert all(result[f"{name}.force"].max() == 0.0 for name in idle)


def test_an_action_that_cannot_rest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = replace(data.DIALS["repetition_spring"], value=0.03)
    monkeypatch.setitem(data.DIALS, "repetition_spring", weak)
    with pytest.raises(il.InputError, match=r"'lever_stop' would carry nothing.*piano/data"):
        EXHIBIT.build()


def test_escapement_is_felt_before_the_key_bottom(force: dict[str, float]) -> None:
    assert 8.0 < force["escapement at [mm]"] < 9.5
    before = force["damper, with damper: 5 to 7 mm [N]"]
    assert force["escapement force [N]"] > 1.5 * before
    assert 1.0 < force["hammer let off below the string [mm]"] < 1.6


def test_curves_come_in_the_order_of_the_measured_ones(force: dict[str, float]) -> None:
    def of(panel: str) -> list[float]:
        return [value for name, value in force.items() if name.startswith(f"{panel},")]

    with_damper, without = of("damper")
    assert with_damper > without + 0.1
    # lower, normal, higher; lighter, normal, 3 g and 6 g heavier
    for values in (of("let-off button"), of("hammer")):
        assert len(values) in (3, 4)
        assert np.diff(values).min() > 0.1


def test_weights_are_those_of_a_regulated_action(force: dict[str, float]) -> None:
    assert 0.4 < force["down-weight [N]"] < 0.6
    assert 0.15 < force["up-weight [N]"] < 0.3


@pytest.mark.long
def test_double_blows_hold_three_newtons_at_the_capstan(
    tried: Callable[[str], Outcome],
) -> None:
    found = tried("double_blow").figures
    for speed in ("slow", "fast"):
        assert 2.0 < found[f"{speed}: capstan while held [N]"] < 4.0
    # two strokes at their times, the fast ones louder
    assert 0.3 < found["slow: strike 1 at [s]"] < 0.5
    assert found["fast: strike 2 at [s]"] - found["fast: strike 1 at [s]"] == pytest.approx(
        0.4, abs=0.01
    )
    assert found["fast: strike 1 [m/s]"] > 2.0 * found["slow: strike 1 [m/s]"]


def test_a_firm_blow_escapes_and_is_caught(tried: Callable[[str], Outcome]) -> None:
    outcome = tried("phases")
    result = outcome.result
    assert result is not None
    (strike,) = beginnings(result["string.force"])
    # free from jack and lever before the string
    for carrier in ("jack_knuckle", "lever_knuckle"):
        assert result[f"{carrier}.force"][strike] == 0.0
    # its speed before the touch is told from then on, while it bounces off
    before = result["strike.hammer_speed"][strike - 1]
    after = result["strike.speed"][strike + 1 : strike + 80]
    assert before > 1.5 and result["strike.hammer_speed"][strike + 50] < 0.0
    np.testing.assert_allclose(after, before, rtol=0.02)
    held = (result.t > 0.25) & (result.t < 0.39)
    assert result["back_check.force"][held].min() > 1.0
    below = 1e3 * result["string.gap"][held]
    assert 8.0 < below.mean() < 16.0
    assert np.ptp(below) < 0.2
    times = list(outcome.figures.values())
    assert times == sorted(times)


@pytest.mark.long
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_the_note_repeats_from_half_travel(
    every: int, tried: Callable[[str], Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With each third of the heights, half travel among them; all of them take a minute."""
    monkeypatch.setattr(repetition, "HEIGHTS", repetition.HEIGHTS[::every])
    monkeypatch.setattr(repetition, "HALF", repetition.HALF // every)
    assert repetition.HEIGHTS[repetition.HALF] == pytest.approx(4.5e-3)
    found = tried("repetition").figures
    assert found["second strike, from half travel [m/s]"] > 0.3
    assert found["repeats from travels up to [mm]"] > 0.5 * 9.5


@pytest.mark.long
def test_soft_blows_strike_before_the_key_bottom_and_loud_ones_after(
    tried: Callable[[str], Outcome],
) -> None:
    found = tried("timing").figures
    at = {level: found[f"{level} m/s: strike after key bottom [ms]"]
          for level in ("piano, 0.5", "mezzo-forte, 1.5", "forte, 2.7")}  # fmt: skip
    assert -20.0 < at["piano, 0.5"] < -4.0
    assert 0.0 < at["forte, 2.7"] < 11.0
    assert at["piano, 0.5"] < at["mezzo-forte, 1.5"] < at["forte, 2.7"]


def test_halving_a_step_of_5_khz_changes_the_force_by_less_than_a_percent(
    driven: il.Plant,
) -> None:
    def curve(step: float) -> np.ndarray:
        corners = ((0.0, 0.0), (0.95, 9.5e-3))
        result = driven.simulate(
            t_end=0.95, step=step, method="implicit", sample=1e-3,
            inputs={"key.q": lambda t: ramps(t, corners) / FRONT},
        )  # fmt: skip
        return key_force(result)[10:]

    coarse, fine = curve(2e-4), curve(1e-4)
    assert np.abs(coarse - fine).max() < 0.01 * np.abs(fine).max()
    assert np.abs(coarse / fine - 1.0).max() < 0.01


def test_the_steps_of_a_mouse_do_no_harm(fingered: il.Plant) -> None:
    # the same stroke of 0.1 s, once smooth and once held for 1/60 s each
    rate, pace = 60.0, 0.11

    def smooth(t: Any) -> Any:
        return il.minimum(pace * t, 11e-3)

    def stairs(t: Any) -> Any:
        passed = sum((il.where(t > k / rate, 1.0, 0.0) for k in range(1, 7)), 0.0 * t)
        return il.minimum(pace / rate * passed, 11e-3)

    runs = [played(fingered, wanted, 0.35) for wanted in (smooth, stairs)]
    speeds = []
    for result in runs:
        speeds.append(float(result["strike.speed"][beginnings(result["string.force"])[0]]))
        # the force never jumps
        assert np.abs(np.diff(result["key_front.force"])).max() < 0.5
    assert speeds[1] == pytest.approx(speeds[0], rel=0.25)


def test_no_setting_of_the_dials_breaks_the_loop(fingered: il.Plant) -> None:
    rng, before = np.random.default_rng(3), dict(fingered.parameters)
    hard = {"finger": lambda t: il.where(t > 0.2, 11.5e-3, 0.0)}
    try:
        for _ in range(8):
            for dial in fingered.mechanism.parameters:
                assert dial.range is not None
                fingered.parameters[dial.name] = rng.uniform(*dial.range)
            result = fingered.simulate(
                t_end=0.4, step=EXHIBIT.step, method=EXHIBIT.method, inputs=hard, sample=1e-3
            )
            assert 0.1 < np.abs(result.q).max() < 0.6
    finally:
        fingered.parameters.update(before)


def test_looks_cover_all_parts_and_name_the_input() -> None:
    assert EXHIBIT.looks is not None and EXHIBIT.device is not None
    mechanism = EXHIBIT.build().build()
    assert set(EXHIBIT.looks(finger=True)) == {*(b.name for b in mechanism.bodies), "ground"}
    assert EXHIBIT.device.input in {i.name for i in mechanism.inputs}


def test_one_step_at_a_time_is_the_same_as_a_run(fingered: il.Plant) -> None:
    stepper = fingered.stepper(step=2e-4, method="implicit", inputs={"finger": 9e-3})
    for _ in range(200):
        stepper.step()
    run = fingered.simulate(t_end=0.04, step=2e-4, method="implicit", inputs={"finger": 9e-3})
    assert stepper["hammer.q"] > 0.2
    assert stepper["hammer.q"] == pytest.approx(run["hammer.q"][-1], rel=1e-12)
