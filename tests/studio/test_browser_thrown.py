"""A wall of thirty bricks, thrown over with the mouse in Debian's Chromium."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from browser_page import comes, heard, opened, own_plant, pass_time
from playwright.sync_api import Browser

import inloop as il
from inloop.gallery.wall.model import HEIGHT, ROPE, bricks

# where the ball is seen: to look for one of 31 bodies pixel by pixel takes minutes
BALL = f"""() => {{ const {{ pointer, view }} = inloop, box = view.canvas.getBoundingClientRect();
    const center = view.eye.target.clone().set(0, 0, {-ROPE});
    const [x, y] = pointer.seen(view.nodes.get("ball").localToWorld(center));
    return [box.left + x, box.top + y]; }}"""


@pytest.mark.long
def test_a_wall_is_thrown_over_by_hand(browser: Browser, tmp_path: Path) -> None:
    errors: list[str] = []
    with (
        own_plant("wall", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        pass_time(page, box, 0.1)
        assert box.peek()["pile.residual"] < 1e-6  # it stands
        x, y = page.evaluate(BALL)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 6, y)
        comes(page, "inloop.touch.grasp !== null")
        # to the side of the picture, which is away from the wall and along it
        for k in range(1, 11):
            page.mouse.move(x + 20 * k, y)
            comes(page, "!inloop.touch.timer")
            heard(page)
            pass_time(page, box, 0.1)
        page.mouse.up()
        comes(page, "!inloop.touch.grasp")
        heard(page)
        pass_time(page, box, 2.0)
        after, counted = box.peek(), box.statistics()
    places = np.array([[after[f"{name}_t{axis}.q"] for axis in "xyz"] for name in bricks()])
    starts = np.array([place for _, place in bricks().values()])
    assert np.isfinite(after.values).all() and counted["failed"] == 0
    assert np.sum(np.linalg.norm(places - starts, axis=1) > 0.1) >= 3  # they lie around
    # nothing went through the ground: no brick has a side that is shorter than its height
    assert places[:, 2].min() > 0.5 * HEIGHT - 2e-3
    assert not errors
