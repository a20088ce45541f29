"""Terrain from functions, heightmaps and meshes: heights where they belong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.errors import FileFormatError, InputError
from inloop.geometry import Heightfield, Mesh
from inloop.geometry.collision import collision_shape


def slope(x: float, y: float) -> float:
    return 0.3 * x - 0.2 * y + 0.1


def test_a_function_is_sampled_where_it_is() -> None:
    ground = il.terrain(slope, size=(4.0, 3.0), cell=0.25)
    assert isinstance(ground, Heightfield) and ground.heights.shape == (17, 13)
    for x, y in ((-1.9, 1.3), (0.33, -0.71), (2.0, 1.5)):
        assert ground.height(x, y) == pytest.approx(slope(x, y), abs=1e-12)
    assert ground.bottom < ground.heights.min()


@pytest.mark.parametrize(("dtype", "white"), [(np.uint8, 255), (np.uint16, 65535)])
def test_a_png_has_north_at_the_top(
    tmp_path: Path, require_package: Callable[[str], object], dtype: type, white: int
) -> None:
    require_package("PIL")
    from PIL import Image

    pixels = np.zeros((3, 4), dtype=dtype)
    pixels[0, 3] = white  # north-east
    pixels[2, 0] = white // 5  # south-west
    Image.fromarray(pixels).save(tmp_path / "map.png")
    ground = il.terrain(tmp_path / "map.png", size=(6.0, 4.0), heights=(-1.0, 2.0))
    assert isinstance(ground, Heightfield)
    assert ground.height(3.0, 2.0) == pytest.approx(2.0)
    assert ground.height(-3.0, -2.0) == pytest.approx(-1.0 + 3.0 / 5.0)
    assert ground.height(0.0, 0.0) == pytest.approx(-1.0)


def test_a_geotiff_brings_its_size(
    tmp_path: Path, require_package: Callable[[str], object]
) -> None:
    require_package("PIL")
    from PIL import Image, TiffImagePlugin

    heights = np.array([[1.5, 2.5, 3.5], [-0.5, 0.25, 7.0]], dtype=np.float32)
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[33550] = (2.0, 5.0, 0.0)
    tags.tagtype[33550] = 12
    Image.fromarray(heights).save(tmp_path / "map.tif", tiffinfo=tags)
    ground = il.terrain(tmp_path / "map.tif")
    assert isinstance(ground, Heightfield) and ground.size == (4.0, 5.0)
    assert ground.height(2.0, 2.5) == 3.5 and ground.height(2.0, -2.5) == 7.0
    assert ground.height(-2.0, -2.5) == -0.5


def test_a_mesh_is_terrain(tmp_path: Path, require_package: Callable[[str], object]) -> None:
    require_package("trimesh")
    file = tmp_path / "ground.obj"
    file.write_text("v 0 0 0\nv 2 0 0\nv 2 1 0.5\nv 0 1 0.5\nf 1 2 3\nf 1 3 4\n")
    ground = il.terrain(file)
    assert ground.bounds.tolist() == [[0.0, 0.0, 0.0], [2.0, 1.0, 0.5]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"source": slope}, "needs a size and a cell"),
        ({"source": [[0.0, 1.0], [0.0, 1.0]]}, "terrain has no size"),
        ({"source": slope, "size": (1e3, 1e3), "cell": 0.1}, "too large"),
        ({"source": slope, "size": (1.0, 1.0), "cell": -0.1}, "the cell of terrain must be > 0"),
        (
            {"source": lambda x, y: np.zeros(2), "size": (1.0, 1.0), "cell": 0.5},
            "which is not a height",
        ),
        ({"source": [[0.0, np.nan], [0.0, 1.0]], "size": (1.0, 1.0)}, "not all finite"),
    ],
)
def test_what_cannot_be_ground_is_told(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        il.terrain(**arguments)


def test_a_broken_heightmap_is_told(
    tmp_path: Path, require_package: Callable[[str], object]
) -> None:
    require_package("PIL")
    (tmp_path / "map.png").write_bytes(b"not a picture")
    with pytest.raises(FileFormatError, match="the heightmap cannot be read"):
        il.terrain(tmp_path / "map.png", size=(1.0, 1.0), heights=(0.0, 1.0))


def test_colors_and_missing_pixels_are_no_heights(
    tmp_path: Path, require_package: Callable[[str], object]
) -> None:
    """Heights that are coded in colors became their brightness, in silence."""
    require_package("PIL")
    from PIL import Image

    gray = np.full((2, 2, 4), 51, dtype=np.uint8)
    gray[..., 3] = 255
    colored, clear = gray.copy(), gray.copy()
    colored[0, 1, 1], clear[1, 0, 3] = 52, 0
    for pixels, says in ((colored, "it has colors"), (clear, "they are transparent")):
        Image.fromarray(pixels).save(tmp_path / "map.png")
        with pytest.raises(FileFormatError, match=says):
            il.terrain(tmp_path / "map.png", size=(1.0, 1.0), heights=(0.0, 1.0))
    Image.fromarray(gray).save(tmp_path / "map.png")
    ground = il.terrain(tmp_path / "map.png", size=(1.0, 1.0), heights=(0.0, 1.0))
    assert isinstance(ground, Heightfield) and ground.heights.ravel() == pytest.approx([0.2] * 4)
    hole = np.array([[1.0, 2.0], [-9999.0, 3.0]], dtype=np.float32)
    Image.fromarray(hole).save(tmp_path / "map.tif")
    with pytest.raises(FileFormatError, match="some pixels have no height"):
        il.terrain(tmp_path / "map.tif", size=(1.0, 1.0))


def test_a_geotiff_in_degrees_has_no_size(
    tmp_path: Path, require_package: Callable[[str], object]
) -> None:
    require_package("PIL")
    from PIL import Image, TiffImagePlugin

    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[33550], tags.tagtype[33550] = (3e-4, 3e-4, 0.0), 12
    tags[34735], tags.tagtype[34735] = (1, 1, 0, 1, 1024, 0, 1, 2), 3
    Image.fromarray(np.eye(3, dtype=np.float32)).save(tmp_path / "map.tif", tiffinfo=tags)
    with pytest.raises(InputError, match="terrain has no size"):
        il.terrain(tmp_path / "map.tif")
    assert il.terrain(tmp_path / "map.tif", size=(60.0, 90.0)).bounds[1, 1] == 45.0


SQUARE = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])


@pytest.mark.parametrize(
    ("triangles", "says"),
    [
        ([(0, 1, 2), (0, 3, 2)], "at 1 edges the orientation of the triangles changes"),
        ([(0, 1, 2), (0, 2, 3), (1, 0, 2)], "1 triangles occur with both orientations"),
        ([(0, 1, 1)], "has 0 triangles"),
    ],
)
def test_a_mesh_with_two_sides_is_no_ground(triangles: list[Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        collision_shape(Mesh(SQUARE, np.array(triangles)))


def test_triangles_that_are_there_twice_or_have_no_area_are_left_out() -> None:
    vertices = np.vstack([SQUARE, [(0.5, 0.5, 0.0)]])
    twice = [(0, 1, 2), (0, 2, 3), (1, 2, 0), (0, 4, 2)]
    shape = collision_shape(Mesh(vertices, np.array(twice)))
    assert shape is not None and shape.ground is not None
    assert shape.ground.triangles.shape == (2, 3)


@pytest.mark.parametrize("of_mesh", [False, True])
def test_how_much_ground_is_above_a_point(of_mesh: bool) -> None:
    field = il.terrain(slope, size=(4.0, 3.0), cell=0.5)
    surface = field.surface()
    shape = collision_shape(Mesh(surface.vertices, surface.triangles) if of_mesh else field)
    assert shape is not None and shape.ground is not None
    for x, y in ((0.0, 0.0), (0.5, 0.5), (-1.13, 0.77)):
        found = shape.ground.cover(np.array([x, y, slope(x, y) - 0.3]))
        assert found == pytest.approx(0.3)
        assert shape.ground.cover(np.array([x, y, slope(x, y) + 0.1])) == 0.0
    assert shape.ground.cover(np.array([5.0, 0.0, -9.0])) == 0.0
    if of_mesh:  # closed: what is below its underside is outside
        assert shape.ground.cover(np.array([0.1, 0.2, -9.0])) == 0.0
