"""The kart on its belt: closed forms of toe, the load cell, cables, and the tyre it rolls on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop.gallery import Bench
from inloop.gallery.kart.bench import BeltSensor, LoadCell, by_hand, sum_of_tyres
from inloop.gallery.kart.data import CORNERS, PULSES, ROLLER
from inloop.gallery.kart.exhibit import steady
from inloop.gallery.kart.experiments.cables import expected, lost_motion, to_and_fro
from inloop.gallery.kart.experiments.toe import PLAN, change_toe
from inloop.gallery.kart.experiments.toe import TOE as TOE_RUN
from inloop.gallery.kart.tyre import LinearTyre

TOE = math.radians(2.0)


@pytest.fixture
def plant() -> il.Plant:
    return plant_of("kart")


def test_toe_presses_the_front_tyres_against_each_other(plant: il.Plant) -> None:
    end = steady(plant, toe=TOE, cell_height=0.0, trail=0.0)
    assert end["tyre_front_left.lateral"] == pytest.approx(-17.453, abs=1e-3)
    assert end["tyre_front_right.lateral"] == pytest.approx(17.453, abs=1e-3)
    # 2 C τ² for small angles; sin τ takes off 2e-4 of it
    assert end["cell_longitudinal"] == pytest.approx(1.2185, abs=5e-4)
    assert abs(end["cell_lateral"]) < 1e-9
    assert abs(end["tyre_rear_left.lateral"]) < 1e-9


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("hand", "toe", "belt"),
    [(-0.15, 0.02, -2.0), (0.0, 0.03, 2.0), (0.2, -0.025, 3.5), (0.2, 0.0, 2.0)],
)
def test_forces_are_those_by_hand_and_the_cell_tells_their_sum(
    plant: il.Plant, hand: float, toe: float, belt: float
) -> None:
    end = steady(plant, hand, toe=toe, belt=belt)
    loads = {corner: end[f"tyre_{corner}.load"] for corner in CORNERS}
    assert sum(loads.values()) == pytest.approx(200.0, abs=1e-9)
    wanted = by_hand(end["steer.q"], toe, loads, math.copysign(1.0, belt))
    for corner in ("front_left", "front_right"):
        assert end[f"tyre_{corner}.lateral"] == pytest.approx(wanted[corner], abs=1e-3)
    assert end["cell_lateral"] == pytest.approx(wanted["lateral"], abs=1e-3)
    assert end["cell_longitudinal"] == pytest.approx(wanted["longitudinal"], abs=1e-3)
    assert (end["cell_longitudinal"], end["cell_lateral"]) == pytest.approx(
        sum_of_tyres(end), abs=1e-9
    )


def test_toe_cancels_in_the_lateral_cell(plant: il.Plant) -> None:
    # a cell on the belt and a stiff, free steering: nothing but the tyres is left
    level = {"cell_height": 0.0, "trail": 0.0, "slack": 0.0, "sheath": 0.0, "wrap": 0.0}
    straight, inward = (steady(plant, 0.15, toe=toe, **level) for toe in (0.0, TOE))
    assert straight["steer.q"] == pytest.approx(0.05, abs=1e-5)
    assert straight["cell_lateral"] == pytest.approx(2.0 * 500.0 * 0.05, rel=2e-3)
    assert inward["cell_lateral"] == pytest.approx(straight["cell_lateral"], rel=1e-2)
    added = inward["cell_longitudinal"] - straight["cell_longitudinal"]
    assert added == pytest.approx(2.0 * 500.0 * TOE**2, rel=1e-2)


def test_reversing_the_belt_turns_both_cells(plant: il.Plant) -> None:
    level = {"trail": 0.0, "toe": 0.02, "cell_height": 0.0}
    forth, back = (steady(plant, 0.1, belt=way * 2.0, **level) for way in (1.0, -1.0))
    for cell in ("cell_longitudinal", "cell_lateral"):
        assert back[cell] == pytest.approx(-forth[cell], rel=2e-2)


def test_toe_that_changes_while_the_belt_runs(plant: il.Plant) -> None:
    found = change_toe(plant, seconds=PLAN[3][0])
    assert plant.parameters["toe"] == pytest.approx(math.radians(1.0))  # as before
    last = {end: [r for r in found if r.t < end][-1] for end in (1.0, 2.5, 4.0)}
    for reading in last.values():
        np.testing.assert_allclose(reading.tyres[:2], reading.expected[:2], atol=0.02)
        # 50 mN of noise in each channel, cross-talk taken out
        np.testing.assert_allclose(reading.read, reading.summed, atol=0.3)
        np.testing.assert_allclose(reading.cell, reading.summed, atol=1e-6)
        assert reading.belt == pytest.approx(2.0, abs=0.02)
    assert last[2.5].tyres[0] < -17.0 and last[4.0].tyres[0] > 17.0
    # the column did not move when the tie rods were turned
    assert abs(last[2.5].cell[1]) < 1e-3


@pytest.mark.thinned(2)
@pytest.mark.parametrize("settings", [{}, {"slack": 0.0}, {"slack": 2e-3, "cable_stiffness": 1e4}])
def test_lost_motion_of_the_cables(plant: il.Plant, settings: dict[str, float]) -> None:
    run = to_and_fro(plant, **settings)
    assert lost_motion(run) == pytest.approx(expected(plant, **settings), rel=0.02)
    # cables pull and never push, and not both at once
    left, right = run["cables.left"], run["cables.right"]
    assert min(left.min(), right.min()) == 0.0 and max(left.max(), right.max()) > 3.0
    assert np.minimum(left, right).max() == 0.0


def test_the_cell_is_calibrated() -> None:
    clean = LoadCell(noise=0.0, cross_talk=0.02)
    seen = clean.read(3.0, 50.0)
    assert seen[0] == pytest.approx(4.0) and seen[1] == pytest.approx(49.94)
    np.testing.assert_allclose(clean.calibrated(seen), (3.0, 50.0), rtol=1e-14)
    noisy = LoadCell(noise=0.5, cross_talk=0.0)
    many = np.array([noisy.read(0.0, 0.0) for _ in range(2000)])
    np.testing.assert_allclose(many.std(axis=0), 0.5, rtol=0.1)


def test_pulses_tell_the_speed_of_the_belt() -> None:
    sensor, speed = BeltSensor(PULSES), 1.37
    told = [sensor.read(speed * 1e-3 * k / ROLLER) for k in range(1000)]
    assert np.mean(told[500:]) == pytest.approx(speed, rel=1e-3)
    assert 0.0 < np.std(told[500:]) < 0.05  # pulses are counted whole


def test_a_linear_tyre_slides_where_friction_ends() -> None:
    tyre = LinearTyre(10.0, 0.9, 50.0, lean=0.8)
    half = tyre.forces(il.tyres.Slip(50.0, 0.0, 0.02))
    assert (half.longitudinal, half.lateral) == (0.0, pytest.approx(-10.0))
    leaned = tyre.forces(il.tyres.Slip(50.0, 0.0, 0.0, gamma=0.1))
    assert leaned.lateral == pytest.approx(-4.0)
    slides = tyre.forces(il.tyres.Slip(50.0, 0.3, -0.4, grip=0.5))
    assert math.hypot(slides.longitudinal, slides.lateral) == pytest.approx(0.9 * 0.5 * 50.0)
    assert slides.lateral / slides.longitudinal == pytest.approx(4.0 / 3.0)
    lifted = tyre.forces(il.tyres.Slip(0.0, 0.3, -0.4))
    assert (lifted.longitudinal, lifted.lateral) == (0.0, 0.0)


def test_toe_up_to_its_first_change(plant: il.Plant) -> None:
    plant.parameters.reset()
    figures = TOE_RUN.run(Bench(lambda: plant, PLAN[1][0])).figures
    assert figures["toe [deg]"] == (0.0,)
