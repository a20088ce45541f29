"""A page that carries its plant, opened from a disk in Chromium, without a network."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from inloop.io.page.page_file import page_text

sys.path.insert(0, str(Path(__file__).parent))
from browser_page import FIND, HANG, SMALL, comes
from carried import HARM, carried_plant

PHONE = {"width": 390, "height": 844}
BLOCK = 0
Opened = tuple[Page, list[str]]


@pytest.fixture(scope="module")
def file(require_program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("clang", "wasm-ld"):
        require_program(name)
    carried = carried_plant()[2]
    path = tmp_path_factory.mktemp("page") / "carried.html"
    text = page_text(carried.title, carried.wasm, carried.facts, carried.meshes)
    path.write_text(text, encoding="utf-8")
    return path


@contextlib.contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Opened]:
    """The page, and the addresses that it has asked for; nothing may go wrong in it."""
    context = browser.new_context(**{"viewport": SMALL, "offline": True, **options})
    page, asked, errors = context.new_page(), [], []
    page.set_default_timeout(1000.0 * HANG)
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    comes(page, "window.inloop?.view.rendered > 1 && inloop.transport.state === 'running'")
    yield page, asked
    context.close()
    assert not errors


@pytest.fixture(scope="module")
def shared(browser: Browser, file: Path) -> Iterator[Opened]:
    with opened(browser, file.as_uri()) as found:
        yield found


def test_it_runs_and_asks_nobody(shared: Opened, file: Path) -> None:
    page, asked = shared
    comes(page, "parseFloat(document.getElementById('time').textContent) > 0.2")
    comes(page, "inloop.view.motion.frames.length > 5")
    first = page.evaluate("inloop.view.motion.frames.at(-1).t")
    comes(page, f"inloop.view.motion.frames.at(-1).t > {first}")
    assert [x for x in asked if not x.startswith(("blob:", "data:"))] == [file.as_uri()]
    # what needs a studio is not there
    for part in ("section.joints", "#controller-panel", "#record"):
        assert page.evaluate(f"document.querySelector('{part}').hidden"), part
    # the page itself tells how many steps it makes
    comes(page, "/ [0-9]+ steps\\/s /.test(document.querySelector('.counters').textContent)")


def test_texts_of_a_model_stay_texts(shared: Opened) -> None:
    page, _ = shared
    assert page.evaluate("window.harmed ?? null") is None
    assert page.title().startswith(HARM)
    assert page.evaluate("document.getElementById('title').textContent") == HARM
    assert page.locator("img").count() == 0


def test_what_needs_a_studio_is_not_there(shared: Opened) -> None:
    page, _ = shared
    for element in ("#record", "#recording-panel", "#plant", "#device-panel", "#controller-panel"):
        assert page.locator(element).is_hidden(), element
    for element in ("#pause", "#reset", "#speed", "#parameter-panel", "#charts", "#picture"):
        assert page.locator(element).is_visible(), element


def test_a_slider_changes_the_plant_and_a_link_keeps_it(
    shared: Opened, browser: Browser, file: Path
) -> None:
    page, _ = shared
    page.evaluate("document.querySelector('#parameters input[type=range]').focus()")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    comes(page, "location.hash.startsWith('#length=')")
    comes(page, "inloop.parameters.rows.get('length').value > 0.7")
    value = page.evaluate("Number(new URLSearchParams(location.hash.slice(1)).get('length'))")
    assert 0.7 < value < 1.9
    lengths = "inloop.view.scene.bodies[1].shapes.map(({ shape }) => shape.length ?? 0)"
    comes(page, f"Math.abs(Math.max(...{lengths}) - {value!r}) < 1e-9")
    address = f"{file.as_uri()}#length={value!r}&drag=3&nobody=1"
    with opened(browser, address, viewport=PHONE, has_touch=True, is_mobile=True) as (other, _):
        comes(other, f"Math.abs(inloop.parameters.rows.get('length').value - {value!r}) < 1e-9")
        comes(other, "inloop.parameters.rows.get('drag').value === 3")
        # and all of it fits on a phone
        assert other.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert other.locator("#pause").is_visible() and other.locator("#view").is_visible()


def test_a_hand_pulls_a_body(shared: Opened) -> None:
    page, _ = shared
    page.click("#reset")
    comes(page, "!inloop.view.eye.goal && !inloop.view.changed")
    x, y = page.evaluate(FIND, [BLOCK, 4])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    page.mouse.move(x + 40, y)
    comes(page, "inloop.touch.holds[0]?.mass > 0")
    target = page.evaluate("inloop.touch.grasp.target.x")
    at = "inloop.view.motion.frames.at(-1).bodies[0]"  # where the block is along its rail
    comes(page, f"{at} > {0.5 * abs(target)!r}")
    page.mouse.up()
    comes(page, "inloop.touch.holds.length === 0")


def test_it_can_be_paused_and_gone_on_with(shared: Opened) -> None:
    page, _ = shared
    page.click("#pause")
    comes(page, "inloop.transport.state === 'paused'")
    before = page.evaluate("document.getElementById('time').textContent")
    page.click("#step")
    comes(page, f"document.getElementById('time').textContent !== {before!r}")
    page.click("#pause")
    comes(page, "inloop.transport.state === 'running'")


@pytest.mark.long
def test_it_can_sound(shared: Opened) -> None:
    """The thread that makes sound starts from a file, too."""
    page, _ = shared
    page.evaluate("inloop.sound.open()")
    assert page.evaluate("inloop.sound.strings !== null")
