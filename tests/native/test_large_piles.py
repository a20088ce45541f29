"""Walls and heaps of many boxes: statics, energy and rest, without bounds of time and with them."""

from __future__ import annotations

import numpy as np
import pytest
from free_boxes import Boxes, G, build

from inloop.native import NativeLibrary

LENGTH, DEPTH, HEIGHT, JOINT, BRICK = 0.3, 0.15, 0.12, 1e-3, 4.0  # [m], [kg]


@pytest.fixture(scope="module")
def library() -> NativeLibrary:
    return build()


def wall(along: int, courses: int, *, patient: bool = True) -> Boxes:
    """Bricks on each other, half of one aside from course to course."""
    pitch, half = LENGTH + JOINT, 0.5 * (LENGTH - JOINT)
    rows = []
    for course in range(courses):
        z = (course + 0.5) * HEIGHT - 1e-9 * (course + 1)
        if course % 2 == 0:
            row = [(LENGTH, (k + 0.5) * pitch) for k in range(along)]
        else:
            end = 0.5 * (JOINT + half)
            row = [(half, end), *((LENGTH, k * pitch) for k in range(1, along))]
            row.append((half, along * pitch - end))
        rows += [(length, x, z) for length, x in row]
    lengths, x, z = np.array(rows).T
    sides = 0.5 * np.stack([lengths, np.full_like(x, DEPTH), np.full_like(x, HEIGHT)], axis=1)
    places = np.stack([x, np.zeros_like(x), z], axis=1)
    masses = BRICK * lengths / LENGTH
    return Boxes(sides, places, masses, slots=10 * len(x), patient=patient)


def heap(count: int) -> Boxes:
    """Boxes of many sizes that turn while they fall on each other."""
    random = np.random.default_rng(3)
    side = round((count / 6) ** 0.5)
    layer, rest = np.divmod(np.arange(count), side**2)
    x, y = 0.29 * (rest // side) + 0.1 * (layer % 2), 0.29 * (rest % side) + 0.07 * (layer % 3)
    places = np.stack([x, y, 0.15 + 0.285 * layer], axis=1)
    places[:, :2] += random.uniform(-0.01, 0.01, (count, 2))
    sides = random.uniform(0.06, 0.135, (count, 3))
    spin = np.hstack([np.zeros((count, 3)), random.uniform(-1.0, 1.0, (count, 3))])
    options = {"slots": 10 * count, "friction": 0.5, "velocities": spin}
    return Boxes(sides, places, 4000.0 * sides.prod(axis=1), **options)


def lowest(boxes: Boxes) -> float:
    """Height of the lowest corner [m]."""
    turned = np.einsum("nij,nkj->nki", boxes.poses[:, 3:].reshape(-1, 3, 3), boxes.corners)
    return float((boxes.poses[:, None, 2] + turned[..., 2]).min())


@pytest.mark.parametrize(("along", "courses", "steps"), [(15, 13, 20), (25, 20, 5)])
def test_a_wall_of_hundreds_of_bricks_stands_still(
    library: NativeLibrary, along: int, courses: int, steps: int
) -> None:
    bricks = wall(along, courses)
    begun, weight = bricks.poses.copy(), G * bricks.masses.sum()
    residuals = bricks.run(library, steps)
    assert residuals.max() < 1e-8
    # statics: the ground carries all of it, each brick what lies above it
    assert bricks.on_the_ground.sum() == pytest.approx(weight, rel=1e-9)
    assert len(bricks.on_the_ground) == 4 * along
    assert np.abs(bricks.v).max() < 1e-9
    assert np.abs(bricks.poses - begun).max() < 1e-11


def test_a_wall_that_starts_in_the_loop_is_found_in_its_first_step(library: NativeLibrary) -> None:
    bricks = wall(8, 9, patient=False)
    residuals = bricks.run(library, 200)
    assert residuals.max() < 1e-6  # the steps after it are bounded, and need not more
    assert bricks.on_the_ground.sum() == pytest.approx(G * bricks.masses.sum(), rel=1e-7)
    assert np.abs(bricks.v).max() < 1e-7


def fall(library: NativeLibrary, boxes: Boxes, steps: int) -> None:
    """Let boxes fall, and watch energy, overlap and residuals."""
    springs, energy = 0.0, boxes.energy
    for _ in range(steps // 5):
        residuals = boxes.run(library, 5)
        # of contacts that carry, 1/2 F^2 / k
        stored = float((boxes.slots_used[:, :3] ** 2).sum() / 2.0 / boxes.stiffness)
        assert residuals.max() < 1e-8  # bounds of friction that lag behind oscillate in some steps
        assert boxes.energy + stored < energy + springs + 1e-9
        springs, energy = stored, boxes.energy
        assert lowest(boxes) > -1e-4  # at up to 6 mm a step


def test_a_heap_falls_without_a_gain_and_impulses_are_found(library: NativeLibrary) -> None:
    boxes = heap(54)
    begun = boxes.energy
    fall(library, boxes, 250)
    assert begun - boxes.energy > 100.0 and len(boxes.slots_used) > 30


def test_most_steps_of_a_fall_are_exact_in_the_loop(library: NativeLibrary) -> None:
    boxes = heap(30)
    boxes.patient = False
    residuals = boxes.run(library, 500)
    touching = residuals > 0.0
    assert touching.sum() > 300 and (residuals > 1e-6).sum() < 0.05 * touching.sum()


@pytest.mark.long
def test_a_heap_comes_to_rest_on_the_ground(library: NativeLibrary) -> None:
    boxes = heap(54)
    fall(library, boxes, 3000)
    assert boxes.run(library, 20).max() < 1e-8
    assert np.abs(boxes.v).max() < 1e-6
    weight = G * boxes.masses.sum()
    assert boxes.on_the_ground.sum() == pytest.approx(weight, rel=1e-6)
