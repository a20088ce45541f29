"""Figures of the gallery: every mechanism has one, and the page shows closed and tumbling ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from exhibit_plants import plant_of
from matplotlib.figure import Figure

import inloop as il
from inloop import gallery
from inloop.gallery.exhibition.drawing import _hull, flattened
from inloop.gallery.exhibition.figures import write_figures

CLOSED = (
    "four_bar", "slider_crank", "andrews", "bricard", "stewart", "suspension", "car",
    "rolling_disc", "bicycle",
)  # fmt: skip
TUMBLING = ("heavy_top", "satellite")
OF_EXPERIMENTS = ("truss_swing", "chain_fountain_rise", "rotor_fan")


@pytest.mark.thinned(14)
@pytest.mark.parametrize("name", gallery.names())
def test_every_mechanism_has_a_figure(name: str) -> None:
    exhibit = gallery.get(name)
    plant = plant_of(exhibit.name)
    result = plant.simulate(t_end=20 * exhibit.step, step=exhibit.step, method=exhibit.method)
    assert exhibit.view is not None
    wanted = [s for p in exhibit.view.panels for s in ([p] if isinstance(p, str) else p)]
    assert set(wanted) <= set(result.names)
    assert all(result.units[signal] for signal in wanted)
    figure = exhibit.plot(plant, result)
    assert isinstance(figure, Figure)
    drawing, *curves = figure.axes
    assert len(curves) == len(exhibit.view.panels)
    assert all(re.search(r"\[.+\]$", axis.get_ylabel()) for axis in curves)
    assert len(drawing.lines) >= 1


def test_a_body_without_extent_is_drawn_as_a_dot() -> None:
    exhibit, plant = gallery.get("stick_slip"), plant_of("stick_slip")
    result = plant.simulate(t_end=20 * exhibit.step, step=exhibit.step)
    drawing = exhibit.plot(plant, result).axes[0]
    (block,) = (line for line in drawing.lines if line.get_marker() == "o")
    assert (block.get_xdata()[0], block.get_ydata()[0]) == (0.0, 0.0)


def test_discs_are_drawn_at_every_instant() -> None:
    exhibit, plant = gallery.get("bouncing_ball"), plant_of("bouncing_ball")
    result = plant.simulate(t_end=0.42, step=1e-2, method=exhibit.method)
    drawing = exhibit.plot(plant, result).axes[0]
    assert exhibit.view is not None
    assert len(drawing.patches) == len(exhibit.view.times) == 3
    # free fall from 1 m: the last one is drawn first
    heights = [float(disc.get_xy()[:-1, 1].mean()) for disc in drawing.patches[::-1]]
    expected = [1.0 - 0.5 * 9.81 * t**2 for t in exhibit.view.times]
    np.testing.assert_allclose(heights, expected, atol=3e-3)


def test_a_model_with_other_options_is_drawn_too() -> None:
    exhibit = gallery.get("slider_crank")
    plant = exhibit.build(spatial=True).compile()
    figure = exhibit.plot(plant, plant.simulate(t_end=0.05, step=1e-3))
    assert len(figure.axes) > 2


def test_pictures_are_written_small(tmp_path: Path) -> None:
    (path,) = write_figures(tmp_path / "new", ("andrews",))
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG") and 5000 < len(data) < 60_000


def test_the_page_shows_closed_and_tumbling_mechanisms(repository: Path) -> None:
    page = (repository / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[.*\]\(figures/(\w+)\.png\)", page)
    assert sorted(shown) == sorted((*CLOSED, *TUMBLING, *OF_EXPERIMENTS))
    for name in shown:
        assert (repository / "docs" / "figures" / f"{name}.png").stat().st_size < 60_000


def test_drawings_in_space_keep_up_up_and_lengths_bounded() -> None:
    up = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    right, height = flattened(up, "xyz")
    assert np.ptp(right) == 0.0 and 0.0 < height[1] - height[0] <= 2.0
    # of three unit vectors the squares of the lengths on paper add up to 2 (Gauss)
    lengths = np.stack(flattened(np.eye(3), "xyz"))
    assert np.sum(lengths**2) == pytest.approx(2.0)
    assert flattened(np.array([[1.0, 2.0, 3.0]]), "zx") == (pytest.approx(3.0), pytest.approx(1.0))


def test_hulls() -> None:
    square = np.array([[0, 0], [2, 0], [2, 1], [0, 1], [1, 0.5], [1, 0]], float)
    assert sorted(map(tuple, _hull(square))) == [(0, 0), (0, 1), (2, 0), (2, 1)]
    line = np.array([[0, 0], [3, 3], [1, 1]], float)
    assert sorted(map(tuple, _hull(line))) == [(0, 0), (3, 3)]
    assert len(_hull(np.zeros((4, 2)))) == 1


def test_units_of_forces_in_loops() -> None:
    bricard = plant_of("bricard").simulate(t_end=0.01, step=1e-3)
    units = {name: bricard.units[name] for name in bricard.names if name.startswith("lam.")}
    assert {"N", "N·m"} == set(units.values())
    assert all(("tilt" in name) == (unit == "N·m") for name, unit in units.items())
    m = il.Model("lag", gravity=(0.0, 0.0, 0.0))
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.joint_force(cart, lambda q, z: (-z, {"z": q - z}), states={"z": 0.2}, name="law")
    run = m.compile().simulate(t_end=0.1, step=1e-2)
    assert (run.units["cart.q"], run.units["cart.qd"]) == ("m", "m/s")
    axes = run.plot("law.z", "energy.kinetic", "cart.qd").axes
    assert [a.get_ylabel() for a in axes] == ["law.z", "energy.kinetic [J]", "cart.qd [m/s]"]
