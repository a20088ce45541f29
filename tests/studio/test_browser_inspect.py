"""Looking into a mechanism in a real browser: tree and picture, joints that are set, who drives.

The mechanism is a row of parallelograms: all bars turn by the same angle q, and each coupler by -q
against the bar that carries it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from browser_page import Studio, comes, heard, opened, own_plant, pass_time, seen
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Mailbox

SIZE = {"width": 1440, "height": 900}
BARS = [f"bar_{k}" for k in range(4)]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("recordings")
    with own_plant("four_bar", "--set", "loops=3", recordings=folder) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, studio: Studio) -> Iterator[Page]:
    errors: list[str] = []
    with opened(browser, studio.address, errors, viewport=SIZE) as found:
        yield found
    assert not errors


@pytest.fixture
def box(studio: Studio) -> Iterator[Mailbox]:
    with il.attach(studio.plant) as found:
        yield found


@pytest.fixture
def standing(page: Page) -> Iterator[Page]:
    """The page while the plant stands and joints can be set."""
    panel = page.locator("#inspect-panel")
    if panel.get_attribute("open") is None:
        panel.locator("> summary").click()
    page.get_by_text("Pause to set joints.").wait_for()
    page.click("#pause")
    comes(page, "inloop.transport.state === 'paused'")
    yield page
    page.click("#pause")
    comes(page, "inloop.transport.state === 'running'")


def joint(page: Page, name: str) -> str:
    """What the field of a joint shows."""
    return page.get_by_role("textbox", name=f"Joint {name} in").input_value()


def detail(page: Page, name: str) -> str:
    """What is told of the selected body."""
    row = page.locator(".details dl > div").filter(has=page.get_by_text(name, exact=True))
    return row.locator("dd").inner_text()


def center(page: Page, body: str) -> tuple[float, float]:
    """Where the center of mass of a body is seen [px]."""
    x, y = page.evaluate(
        """(name) => { const { view, inspector } = inloop;
        const { com } = inspector.anatomy.bodies.find((body) => body.name === name);
        const p = view.nodes.get(name).localToWorld(view.eye.target.clone().fromArray(com));
        p.project(view.eye.camera);
        const box = view.canvas.getBoundingClientRect();
        return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height]; }""",
        body,
    )
    return x, y


def test_tree_and_picture_select_the_same_body(page: Page, box: Mailbox) -> None:
    pass_time(page, box, 0.2)
    at_rest = "inloop.view.shown?.before === inloop.view.motion.frames.at(-1)"
    comes(page, f"{at_rest} && !inloop.view.eye.goal && !inloop.view.changed")
    assert page.locator("#inspect-note").inner_text() == "7 bodies, 3 loops"
    page.mouse.click(*center(page, "coupler_2"))
    comes(page, "document.querySelector('.tree [aria-current=true]') !== null")
    assert page.locator(".tree [aria-current=true] .name").inner_text() == "coupler_2"
    assert page.locator(".tree [aria-current=true] .quiet").inner_text() == "revolute, 1 loop"
    # a rod of 1 kg and 1 m
    assert (detail(page, "mass"), detail(page, "attached to")) == ("1 kg", "bar_1")
    assert detail(page, "center of mass, in body axes") == "500, 0, 0 mm"
    assert detail(page, "principal moments of inertia") == "0, 83.3, 83.3 g·m²"
    q = box.peek()["coupler_2.q"]
    comes(page, f"inloop.inspector.details.live[0].line.value.textContent === '{shown(q)}'")
    # bar_1 stands at x = 1 and leans by q: the coupler is level
    angle = box.peek()["bar_1.q"]
    place = f"{1.5 - math.sin(angle):.3g}, {math.cos(angle):.3g}, 0 m"
    comes(page, f"inloop.inspector.details.center.value.textContent === '{place}'")
    # beside all bodies: none
    x, y = center(page, "bar_0")
    page.mouse.click(x, y + 120.0)
    comes(page, "inloop.inspector.selected === -1")
    # a drag turns or shifts the view and selects nothing
    page.mouse.move(*center(page, "bar_0"))
    page.mouse.down()
    page.mouse.move(x + 40.0, y)
    page.mouse.up()
    assert page.evaluate("inloop.inspector.selected") == -1
    # what is selected in the tree has a box around it, in its own axes
    page.get_by_role("button", name="bar_2 revolute").click()
    low, high = page.evaluate(
        """() => { const node = [...inloop.view.nodes.values()][inloop.inspector.selected];
        let sent; const { showOverlays } = inloop.view;
        inloop.view.showOverlays = (overlay) => { sent = overlay; };
        inloop.inspector.draw(); inloop.view.showOverlays = showOverlays;
        return [sent.box.min, sent.box.max]; }"""
    )
    assert low[1] < 0.0 < 1.0 < high[1] < 1.3 and -0.3 < low[0] < 0.0 < high[0] < 0.3


def shown(q: float) -> str:
    text = f"{1e3 * q:.4g} mrad" if abs(q) < 1.0 else f"{q:.4g} rad"
    return text.replace("-", "−")


def test_a_joint_is_set_and_all_that_hang_together_follow(standing: Page, box: Mailbox) -> None:
    page = standing
    page.get_by_role("textbox", name="Joint bar_1 in rad").fill("0.6")
    page.keyboard.press("Enter")
    there = (
        "inloop.inspector.joints.rows.every(({ told }) => Math.abs(Math.abs(told) - 0.6) < 1e-9)"
    )
    comes(page, there)
    found = box.peek()
    for bar in BARS:
        assert found[f"{bar}.q"] == pytest.approx(0.6, abs=1e-10)
        assert found[f"{bar}.qd"] == 0.0
    assert joint(page, "coupler_3") == "-0.6"
    # the slider, too
    page.get_by_role("slider", name="Joint bar_0").fill("450")
    expected = -math.pi + 2.0 * math.pi * 0.45
    comes(page, f"Math.abs(inloop.inspector.joints.rows[1].told - ({expected})) < 1e-6")
    seen(page, box)
    assert box.peek()["bar_3.q"] == pytest.approx(expected, abs=1e-9)


def test_what_cannot_be_closed_springs_back_and_names_the_loop(
    standing: Page, box: Mailbox
) -> None:
    """At q = π/2 all bars lie flat: beyond it the loops would be put together in another way."""
    page = standing
    before = box.peek()["bar_0.q"]
    page.get_by_role("slider", name="Joint bar_0").fill("1000")
    page.get_by_text("joint 'bar_0' cannot be at 3.142 rad: loop 'loop_").wait_for()
    comes(page, f"Math.abs(inloop.inspector.joints.rows[0].told - ({before})) < 1e-9")
    place = page.get_by_role("slider", name="Joint bar_0").input_value()
    assert float(place) == pytest.approx(1000.0 * (before + math.pi) / (2.0 * math.pi), abs=1.0)
    assert box.peek()["bar_0.q"] == before


def test_a_second_page_is_refused_springs_back_and_is_told_who_drives(
    browser: Browser, studio: Studio, page: Page, box: Mailbox, errors: list[str]
) -> None:
    page.locator("#hand-panel > summary").click()
    field = page.get_by_role("textbox", name="Input bar_0.tau in")
    field.fill("0.5")
    page.keyboard.press("Enter")
    heard(page)
    with opened(browser, studio.address, errors, viewport=SIZE) as second:
        second.locator("#hand-panel > summary").click()
        slider = second.get_by_role("slider", name="Input bar_1.tau")
        rest = slider.input_value()
        slider.fill(slider.get_attribute("max") or "")
        notice = second.get_by_text("is driving; this is page")
        notice.wait_for()
        assert "page " in notice.inner_text() and slider.input_value() == rest
        assert second.evaluate("inloop.inputs.held.size") == 0
        # nothing of it has reached the plant
        pass_time(page, box, 0.01)
        assert box.peek()["bar_1.tau"] == 0.0 and box.peek()["bar_0.tau"] != 0.0
    page.get_by_role("button", name="Let go").first.click()
    comes(page, "!inloop.inputs.taken")
    assert not errors
