"""The page of an animation plays in a browser, alone, and no name breaks out of it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

import inloop as il
from inloop.pictures.animation import Animation
from inloop.pictures.moments import moments
from inloop.pictures.player import player_page
from inloop.pictures.shown import Shown

# sent by the page, whose frames nobody waits for with a clock
PLAYED = """() => new Promise((done) => {
    const first = document.getElementById("time").textContent;
    const look = () => document.getElementById("time").textContent !== first
        ? done(true) : requestAnimationFrame(look);
    look();
})"""
CHROMIUM = "/usr/bin/chromium"
OPTIONS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def browser(require_file: Callable[[str, str], None]) -> Iterator[Browser]:
    require_file(CHROMIUM, "chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


def test_it_plays_without_a_server(browser: Browser, swing: il.Result, tmp_path: Path) -> None:
    path = swing.animate(tmp_path / "swing.html")
    page = browser.new_page(viewport={"width": 640, "height": 420})
    asked: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("#pause:has-text('Pause')")
    assert page.evaluate(PLAYED)
    assert page.title() == "swing" and not problems
    # nothing from elsewhere: the file itself, and what it holds
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [path.as_uri()]
    page.keyboard.press("Space")
    page.wait_for_selector("#pause:has-text('Play')")
    page.evaluate("document.getElementById('moment').value = 0;"
                  "document.getElementById('moment').oninput()")  # fmt: skip
    page.wait_for_selector("#time:has-text('0.00 s')")
    # the bob is seen where it starts, on the left
    shot = np.asarray(_picture(page.locator("#view").screenshot()))
    _, x = np.nonzero((shot[..., 0] > 110) & (shot[..., 1] < 80))
    assert len(x) > 200 and x.mean() < 0.45 * shot.shape[1] and np.ptp(x) < 0.3 * shot.shape[1]
    page.close()


def _picture(png: bytes) -> object:
    import io

    from PIL import Image

    return Image.open(io.BytesIO(png)).convert("RGB")


def inside(page: str, name: str) -> str:
    found = re.search(rf'id="{name}">([^<]*)</script>', page)
    assert found is not None
    return found[1]


def test_the_poses_are_those_of_the_samples(swing: il.Result) -> None:
    page = swing.animate(fps=10).page
    run = json.loads(inside(page, "run"))
    poses = np.frombuffer(gzip.decompress(base64.b64decode(inside(page, "poses"))), "<f4")
    assert run["times"] == pytest.approx(np.arange(11) / 10) and run["interval"] == 0.1
    q = swing.q[np.searchsorted(swing.t, np.arange(11) / 10 - 1e-9), 0]
    # about y by q: (0, sin q/2, 0, cos q/2)
    np.testing.assert_allclose(
        poses.reshape(11, 7)[:, 3:], np.stack([0 * q, np.sin(q / 2), 0 * q, np.cos(q / 2)], axis=1),
        atol=1e-6,
    )  # fmt: skip


def test_the_same_motion_gives_the_same_page(swing: il.Result) -> None:
    assert swing.animate().page == swing.animate().page
    assert len(swing.animate().page) < 600_000


def test_no_text_breaks_out(swing: il.Result) -> None:
    assert swing.plant is not None
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    shown = Shown(swing.plant.mechanism)
    shown.scene["bodies"][0]["name"] = hostile
    page = player_page(shown, moments(swing, 10.0, 1.0), hostile + "@run@")
    usual = player_page(Shown(swing.plant.mechanism), moments(swing, 10.0, 1.0), "usual")
    assert page.count("<script") == usual.count("<script")
    assert page.count("<img") == 0 and hostile not in page
    assert json.loads(inside(page, "run"))["scene"]["bodies"][0]["name"] == hostile
    # in a notebook it is one attribute of a frame
    cell = Animation(page)._repr_html_()
    assert cell.count("<") == 2 and cell.count('"') == 4
