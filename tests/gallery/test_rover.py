"""The rover beside closed forms: the seven tests of its source, and how it is steered."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.gallery.exhibition.experiment import Bench, Outcome
from inloop.gallery.rover import data
from inloop.gallery.rover.steering import lead

# largest differences from what is known, by the words that begin a figure
TOLERANCES = {
    "drop": {"height": 1e-9, "rear": 1e-4, "all": 1e-6, "impulses": 2e-7},
    "steered": {"angle": 1e-7},
    "phases": {"speed": 1e-9, "distance": 1e-8},
    "slope": {"acceleration": 1e-7, "climbed": 1e-7},
    "stopped": {"position": 1e-7, "speed": 1e-8},
    "mound": {"front wheels": 2e-3, "maximum height": 1e-4, "height": 1e-5},
    "step": {"trunk": 6e-4, "height": 1e-4},
    "circle": {"radius": 1e-4, "speed": 1e-4},
}
# those whose whole length would take long here
SHORT = {"steered": 10.0, "circle": 10.0, "drive": 3.0}


@pytest.fixture(scope="module")
def outcomes() -> Callable[[str], Outcome]:
    """Outcomes of experiments on plants that they share."""
    rover = gallery.get("rover")
    compiled = functools.cache(lambda terrain: rover.build(terrain=terrain).compile())

    def plant_on(terrain: int) -> il.Plant:
        plant = compiled(terrain)
        plant.parameters.reset()
        return plant

    return functools.cache(
        lambda name: rover.experiments[name].run(Bench(plant_on, SHORT.get(name)))
    )


@pytest.mark.thinned(4)
@pytest.mark.parametrize("experiment", TOLERANCES)
def test_known_figures_are_met(experiment: str, outcomes: Callable[[str], Outcome]) -> None:
    figures = outcomes(experiment).figures
    known = [name for name in figures if ", known" in name]
    assert known
    for name in known:
        least = next(x for word, x in TOLERANCES[experiment].items() if name.startswith(word))
        assert figures[name.replace(", known", "")] == pytest.approx(figures[name], abs=least), name


def test_dry_friction_holds_on_a_slope_and_does_not_creep(
    outcomes: Callable[[str], Outcome],
) -> None:
    # 1 nm is what the start sinks
    held = outcomes("slope").figures["moved while held [m]"]
    assert isinstance(held, float) and held < 2e-9


def test_only_the_steered_wheel_moves(outcomes: Callable[[str], Outcome]) -> None:
    moved = outcomes("steered").figures["trunk moved meanwhile [m]"]
    assert isinstance(moved, float) and moved < 1e-8


def test_wheels_in_a_curve_roll_and_do_not_slide(outcomes: Callable[[str], Outcome]) -> None:
    slip = outcomes("circle").figures["fastest slip of a wheel [m/s]"]
    assert isinstance(slip, float) and slip < 5e-4


@pytest.mark.long
def test_rows_of_wheels_climb_the_step_one_after_the_other(
    outcomes: Callable[[str], Outcome],
) -> None:
    outcome = outcomes("step")
    front, center, rear = outcome.figures["front, center, rear wheels are up after [s]"]
    assert 2.0 < front < center < rear < 9.0
    assert outcome.figures["deepest [m]"] < 5e-4


@pytest.mark.parametrize("place", [(0.7225, 0.6), (-0.6375, -0.6), (0.08, 0.6)])
def test_a_wheel_points_along_its_way_about_the_turning_point(place: tuple[float, float]) -> None:
    turn, speed = 0.8, 0.5
    angle, rolls = lead(place, speed, turn)
    center = np.array([0.0, 1.0 / turn])
    # velocity of the wheel: turn rate of the rover across the arm from the center
    arm = np.array(place) - center
    velocity = turn * speed * np.array([-arm[1], arm[0]])
    assert [math.cos(angle), math.sin(angle)] == pytest.approx(velocity / np.hypot(*velocity))
    assert rolls * data.RADIUS == pytest.approx(float(np.hypot(*velocity)))


def test_it_drives_over_hills(outcomes: Callable[[str], Outcome]) -> None:
    outcome = outcomes("drive")
    figures, run = outcome.figures, outcome.result
    assert run is not None and run.status == "OK" and not run.doubts
    deepest, distance, weight = (
        figures[name] for name in ("deepest [m]", "distance [m]", "weight [N]")
    )
    assert isinstance(deepest, float) and deepest < 5e-4
    assert isinstance(distance, float) and 0.5 < distance < 0.5 * 3.0 * 1.1
    assert figures["carried, mean [N]"] == pytest.approx(weight, rel=0.1)
