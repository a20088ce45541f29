"""A flexible link as drawings and the studio show it: the line through its nodes."""

from __future__ import annotations

import numpy as np
import pytest

from inloop import gallery
from inloop.plant.drawn.poses import Poses
from inloop.studio.drawing.scene import make_scene
from inloop.studio.drawing.sketch import make_sketch
from inloop.studio.drawing.stage import make_stage


def test_outline_and_scene_go_through_the_nodes() -> None:
    model = gallery.get("flexlink").build()
    plant = model.compile(backend="python")
    q = plant.vector(hub=0.3, link_4_w=-0.05, link_4_r=-0.06, link_3_w=-0.03, link_3_r=-0.05)
    line = plant.outline(q).flexible["link"][0]
    expected = [plant.position(name, q) for name in ("hub", *(f"link_{k}" for k in range(1, 5)))]
    assert line == pytest.approx(np.array(expected), abs=1e-12)
    # the straight position of the nodes is no part of the hub
    assert plant.outline(q).bodies["hub"].shape == (1, 2, 3)
    stage = make_stage(model.build())
    assert stage.sketch is not None and stage.library is not None
    scene = make_scene(stage.sketch, Poses(stage.library))
    shapes = {body["name"]: body["shapes"] for body in scene["bodies"]}
    assert all(shapes[f"link_{k}"] == [] for k in (1, 2, 3))  # the curve is all there is to see
    assert shapes["link_4_u"] == [] and shapes["link_4_w"] == []
    (bent,) = scene["flexible"]
    names = [scene["bodies"][node["body"]]["name"] for node in bent["nodes"]]
    assert names == ["link_1", "link_2", "link_3", "link_4"]
    assert [node["rest"] for node in bent["nodes"]] == pytest.approx([0.375, 0.75, 1.125, 1.5])
    assert scene["bodies"][bent["body"]]["name"] == "hub" and bent["p"] == [0.0, 0.0, 0.0]
    # along x, about -y, thus displaced along z
    assert bent["axes"] == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    assert scene["planar"] == "xz"
    # only what is part of a loop must keep its ends when bending is shown larger
    assert not bent["looped"]
    parts, *_ = make_sketch(gallery.get("flexible_four_bar").build(elements=3).build())
    assert [(link.name, link.looped) for link in parts.flexible] == [
        ("crank", True), ("coupler", True), ("follower", True),
    ]  # fmt: skip
