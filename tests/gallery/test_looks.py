"""How exhibits look: every one of them, at every place where it has something to show."""

from __future__ import annotations

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop import gallery
from inloop.pictures.shown import Shown
from inloop.studio.drawing.sketch import make_sketch

# those whose runs are short and whose plants other tests here compile, too
QUICK = ("pendulum", "four_bar", "slider_crank", "bouncing_ball", "cart_pendulum", "heavy_top")


def looks_of(exhibit: gallery.Exhibit) -> dict[str, tuple[il.Visual, ...]]:
    assert exhibit.looks is not None, "see gallery/exhibition/parts.py"
    return dict(exhibit.looks(**exhibit.complete({})))


@pytest.mark.parametrize("name", gallery.names())
def test_an_exhibit_has_looks_worth_showing(name: str) -> None:
    exhibit = gallery.get(name)
    looks, mechanism = looks_of(exhibit), exhibit.build().build()
    sketch, _, shelf = make_sketch(mechanism, "", looks)
    # every body that is seen has shapes of its own, and nothing is named that is not there
    assert [body.name for body in sketch.bodies if not (body.looks or body.hidden)] == []
    assert set(looks) <= {*(body.name for body in mechanism.bodies), gallery.GROUND}
    drawn = [*sketch.ground_looks, *(look for body in sketch.bodies for look in body.looks)]
    assert len(drawn) == sum(map(len, looks.values()))
    # of more than one color and material; small enough for a page that a processor draws
    assert len({str(look["color"]) for look in drawn}) > 1
    assert {look["material"] for look in drawn} - {"plastic"}
    assert sum(map(len, shelf.blocks.values())) < 1_500_000
    for look in (piece for pieces in looks.values() for piece in pieces):
        if isinstance(look.shape, il.Mesh):
            assert look.shape.is_closed and look.shape.volume > 0.0


@pytest.mark.parametrize("name", QUICK)
def test_an_exhibit_stays_where_the_studio_looks_and_fills_it(name: str) -> None:
    exhibit, plant = gallery.get(name), plant_of(name)
    assert exhibit.reach is not None
    run = plant.simulate(t_end=min(exhibit.seconds, 3.0), step=exhibit.step, sample=0.02)
    shown = Shown(exhibit.build().build(), looks=looks_of(exhibit))
    corners = shown.corners(shown.poses(run.q)).reshape(-1, 3)
    low, high = np.array(exhibit.reach)
    size = float(np.max(high - low))
    # corners of a box around something round are a little outside
    assert (corners > low - 0.03 * size).all() and (corners < high + 0.03 * size).all()
    moved = np.vstack([corners, shown.ground_corners])
    largest = int(np.argmax(high - low))
    assert np.ptp(moved[:, largest]) > 0.6 * size


@pytest.mark.parametrize(
    ("name", "parameter", "body", "value"),
    [
        ("pendulum", "length", "bar", 1.7),
        ("double_pendulum", "upper_length", "upper", 0.6),
        ("n_pendulum", "length", "rod_3", 0.35),
        ("four_bar", "length", "coupler_1", 1.4),
        ("heavy_top", "length", "top", 0.8),
        ("bricard", "length", "rod_2", 1.2),
    ],
)
def test_looks_follow_a_length_that_is_live(
    name: str, parameter: str, body: str, value: float
) -> None:
    exhibit = gallery.get(name)
    mechanism = exhibit.build().build()
    shown = Shown(mechanism, {parameter: value}, looks=looks_of(exhibit))
    (found,) = (part for part in shown.scene["bodies"] if part["name"] == body)
    lengths = [
        look["shape"]["length"] for look in found["shapes"] if look["shape"]["kind"] == "capsule"
    ]
    assert lengths[0] == pytest.approx(value)


def test_buffers_of_the_cart_follow_the_room() -> None:
    exhibit = gallery.get("cart_pendulum")
    places = []
    for room in (0.5, 0.9):
        shown = Shown(exhibit.build().build(), {"room": room}, looks=looks_of(exhibit))
        places.append(shown.ground_corners[:, 0].max())
    assert places[1] - places[0] == pytest.approx(0.4)


def test_an_unknown_point_of_a_look_is_told_by_name() -> None:
    looks = {"bar": (il.visual(il.sphere(0.1), "bobb"),)}
    with pytest.raises(il.InloopError, match=r"bar\.bobb.*bar\.bob"):
        make_sketch(gallery.get("pendulum").build().build(), "", looks)
