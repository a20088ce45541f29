"""Triangles on pixels: areas, what is in front, and nothing outside of the picture."""

from __future__ import annotations

import itertools
from importlib.resources import files

import numpy as np
import pytest

from inloop.native import NativeLibrary
from inloop.native.building.build import build_library
from inloop.native.building.options import BuildOptions
from inloop.pictures.canvas import SMOOTH, Canvas

WHITE, RED, BLUE = (255, 255, 255), (200.0, 10.0, 20.0), (10.0, 20.0, 200.0)


def triangle(
    points: list[tuple[float, float]], near: float, color: tuple[float, ...]
) -> np.ndarray:
    return np.array([[(x, y, near, *color) for x, y in points]], dtype=np.float32)


def painted(canvas: Canvas) -> np.ndarray:
    """Which pixels, as they are drawn, are not white."""
    return (canvas._pixels != 255).any(axis=2)


def test_pixels_whose_centers_are_inside_are_filled() -> None:
    canvas = Canvas(40, 30, WHITE)
    a, b, c = (7.3, 4.1), (70.9, 21.7), (19.2, 55.4)
    canvas.triangles(triangle([a, b, c], 1.0, RED))
    y, x = np.mgrid[: canvas.height, : canvas.width] + 0.5

    def side(p: tuple[float, float], q: tuple[float, float]) -> np.ndarray:
        return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])

    inside = (side(a, b) > 0) & (side(b, c) > 0) & (side(c, a) > 0)
    assert inside.sum() > 1000
    # but for rounding on an edge
    assert np.count_nonzero(painted(canvas) != inside) <= 2


def test_triangles_that_share_an_edge_share_no_pixel() -> None:
    canvas = Canvas(40, 40, WHITE)
    middle, rng = (41.3, 37.7), np.random.default_rng(3)
    turns = np.sort(rng.uniform(0.0, 2.0 * np.pi, 9))
    rim = [(40.0 + 30.0 * np.cos(a), 40.0 + 30.0 * np.sin(a)) for a in turns]
    fan = [triangle([middle, p, q], 1.0, RED) for p, q in itertools.pairwise([*rim, rim[0]])]
    canvas.triangles(np.concatenate(fan), opacity=0.5)
    # where two were drawn, or none, the color would be another one
    found = np.unique(canvas._pixels[painted(canvas)], axis=0)
    assert found.tolist() == [[228, 133, 138]]
    hull = 0.5 * sum(p[0] * q[1] - q[0] * p[1] for p, q in itertools.pairwise([*rim, rim[0]]))
    assert np.count_nonzero(painted(canvas)) == pytest.approx(hull, rel=0.02)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearest_is_seen_whatever_comes_first(order: tuple[int, int]) -> None:
    canvas = Canvas(20, 20, WHITE)
    shape = [(2.0, 2.0), (38.0, 2.0), (2.0, 38.0)]
    both = [triangle(shape, 1.0, RED), triangle(shape, 2.0, BLUE)]
    for k in order:
        canvas.triangles(both[k])
    assert canvas._pixels[8, 8].tolist() == [10, 20, 200]


def test_two_that_cut_each_other_are_seen_half() -> None:
    canvas = Canvas(30, 30, WHITE)
    flat = [(0.0, 0.0), (60.0, 0.0), (0.0, 60.0)]
    canvas.triangles(triangle(flat, 0.5, RED))
    tilted = triangle(flat, 0.0, BLUE)
    tilted[0, 1, 2] = 1.0  # nearness 0 to 1 from left to right
    canvas.triangles(tilted)
    assert canvas._pixels[5, 10].tolist() == [200, 10, 20]
    assert canvas._pixels[5, 45].tolist() == [10, 20, 200]


@pytest.mark.parametrize(
    "points",
    [
        [(np.nan, 1.0), (5.0, 5.0), (9.0, 1.0)],
        [(np.inf, 1.0), (5.0, 5.0), (9.0, 1.0)],
        [(1e30, 1.0), (-1e30, 5.0), (9.0, 1e30)],
        [(-50.0, -50.0), (-10.0, -50.0), (-10.0, -10.0)],
        [(500.0, 500.0), (600.0, 500.0), (500.0, 700.0)],
        [(3.0, 3.0), (7.0, 7.0), (5.0, 5.0)],
    ],
)
def test_what_cannot_be_seen_changes_nothing(points: list[tuple[float, float]]) -> None:
    canvas = Canvas(16, 16, WHITE)
    canvas.triangles(triangle(points, 1.0, RED))
    assert not painted(canvas).any()


def test_a_triangle_larger_than_the_picture_fills_it() -> None:
    canvas = Canvas(16, 16, WHITE)
    canvas.triangles(triangle([(-900.0, -900.0), (5000.0, -900.0), (-900.0, 5000.0)], 1.0, RED))
    assert painted(canvas).all()


def test_a_picture_is_the_mean_of_what_is_drawn() -> None:
    canvas = Canvas(12, 10, WHITE)
    canvas._pixels[:] = np.random.default_rng(1).integers(0, 256, canvas._pixels.shape)
    mean = canvas._pixels.reshape(10, SMOOTH, 12, SMOOTH, 3).mean(axis=(1, 3))
    assert np.abs(canvas.picture() - mean).max() <= 0.5


def test_the_c_text_passes_the_strictest_flags_and_exports_two_functions() -> None:
    text = files("inloop.pictures").joinpath("raster.c").read_text(encoding="utf-8")
    library = NativeLibrary(build_library({"raster.c": text}, options=BuildOptions(strict=True)))
    assert library.exported_symbols() == ("il_draw_triangles", "il_reduce")
