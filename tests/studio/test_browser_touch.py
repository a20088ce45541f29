"""Bodies dragged, pinned and pushed in the page with real pointer events, by Debian's Chromium."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browser_page import FIND, comes, heard, opened, own_plant, pass_time, says, seen
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Flag, Mailbox

LOWER = 1  # number of the lower body of a double pendulum
AT = """([x, y]) => { const { body, point_body, point_world } = inloop.picking.pick(x, y);
    return [body, point_body.toArray(), point_world.toArray()]; }"""


@pytest.fixture(scope="module")
def shared(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, Mailbox, str]]:
    """A double pendulum and its page."""
    errors: list[str] = []
    with (
        own_plant("double_pendulum", recordings=tmp_path_factory.mktemp("touch")) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        yield page, box, studio.address
    assert not errors


@pytest.fixture
def at_rest(shared: tuple[Page, Mailbox, str]) -> tuple[Page, Mailbox, float, float]:
    """The page with the pendulum at its start, and where its lower body is seen."""
    page, box, _ = shared
    box.reset()
    seen(page, box)
    comes(page, "inloop.view.shown?.before === inloop.view.motion.frames.at(-1)")
    comes(page, "!inloop.view.eye.goal && !inloop.view.changed")
    x, y = page.evaluate(FIND, [LOWER, 4])
    return page, box, x, y


def take_hold(page: Page, box: Mailbox, x: float, y: float) -> dict[str, Any]:
    """Press on a body and draw it a little, until it is pulled."""
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 6, y)
    comes(page, "inloop.touch.grasp !== null")
    for _ in range(100):
        heard(page)
        pass_time(page, box, 0.005)
        found = page.evaluate("inloop.touch.holds[0] ?? null")
        if found and found["stiffness"] > 0.0:
            return dict(found)
    pytest.fail("the body is not pulled")


def drawn_to(page: Page, box: Mailbox, x: float, y: float, seconds: float) -> np.ndarray:
    """Draw the pointer to a place, let time pass, and tell where that is in the world."""
    page.mouse.move(x, y)
    sent = page.evaluate("inloop.connection.inputs")
    comes(page, f"!inloop.touch.timer && inloop.connection.inputs >= {sent}")
    heard(page)
    pass_time(page, box, seconds)
    return np.array(page.evaluate("inloop.touch.grasp.target.toArray()"))


def point_of(q: np.ndarray, p: list[float]) -> np.ndarray:
    """A point of the lower body in the plane of the pendulum: both links hang down 1 m at q = 0."""
    a, b = q[0], q[0] + q[1]
    return np.array(
        [
            math.sin(a) + math.cos(b) * p[0] - math.sin(b) * p[1],
            -math.cos(a) + math.sin(b) * p[0] + math.cos(b) * p[1],
        ]
    )


def test_a_body_follows_the_pointer(at_rest: tuple[Page, Mailbox, float, float]) -> None:
    page, box, x, y = at_rest
    body, p_body, p_world = page.evaluate(AT, [x, y])
    assert body == page.evaluate(f"inloop.view.scene.bodies[{LOWER}].name")
    assert point_of(box.peek().q, p_body) == pytest.approx(p_world[:2], abs=1e-5)
    hold = take_hold(page, box, x, y)
    assert hold["body"] == LOWER and hold["point"] == pytest.approx(p_body, abs=1e-6)
    turn = page.evaluate("inloop.view.eye.target.toArray()")
    for part in range(1, 11):
        target = drawn_to(page, box, x + 6 - 4 * part, y - 5 * part, 0.1)
    pass_time(page, box, 4.0)
    # nearly where the pointer is: the weight of 2 kg draws it down a little
    reached = point_of(box.peek().q, p_body)
    gap = np.linalg.norm(target[:2] - p_world[:2])
    assert gap > 0.5
    assert np.linalg.norm(reached - target[:2]) < 0.2 * gap
    [told] = page.evaluate("inloop.touch.holds")
    force = told["stiffness"] * (target[:2] - reached)
    assert told["force"][:2] == pytest.approx(force, rel=0.02)
    # shown as it is, and the eye has stayed
    assert page.evaluate("inloop.view.eye.target.toArray()") == turn
    size = page.evaluate("document.querySelector('.held-words').textContent")
    assert size.endswith("N") and float(size.split()[0]) == pytest.approx(
        math.hypot(*told["force"]), rel=0.01
    )
    assert page.locator(".held-spring").count() == 1
    # firmer by the wheel, which does not zoom meanwhile
    high = page.evaluate("inloop.view.eye.high")
    page.mouse.wheel(0, -400)
    comes(page, "inloop.touch.firmness > 2")
    firmer = f"inloop.touch.holds[0].stiffness / {told['stiffness']!r}"
    comes(page, f"Math.abs({firmer} - Math.E) < 0.01")  # exp(1), for 400 pixels
    assert page.evaluate("inloop.view.eye.high") == high
    page.mouse.up()
    comes(page, "!inloop.touch.grasp")
    heard(page)
    pass_time(page, box, 0.05)
    comes(page, "inloop.touch.holds.length === 0")
    assert not box.peek().flags & Flag.PULLED
    assert page.locator(".held-spring").count() == 0
    page.evaluate("inloop.touch.firmness = 1")


def test_a_pin_stays_until_it_is_taken_out(at_rest: tuple[Page, Mailbox, float, float]) -> None:
    page, box, x, y = at_rest
    take_hold(page, box, x, y)
    target = drawn_to(page, box, x - 40, y - 30, 0.2)
    page.keyboard.press("h")
    page.mouse.up()
    heard(page)
    pass_time(page, box, 0.5)
    comes(page, "inloop.touch.holds[0]?.grip === 1")
    assert page.evaluate("inloop.touch.holds[0].target") == pytest.approx(target.tolist())
    assert box.peek().flags & Flag.PULLED
    page.locator(".holds button", has_text="Let go").click()
    heard(page)
    pass_time(page, box, 0.05)
    comes(page, "inloop.touch.holds.length === 0")
    assert not box.peek().flags & Flag.PULLED
    assert page.locator(".holds").is_hidden()


def test_the_eye_is_back_with_the_plant_at_its_start(
    at_rest: tuple[Page, Mailbox, float, float],
) -> None:
    page, box, *_ = at_rest
    eye = "(({ box, size, target, high }) => [size, high, ...target.toArray(), ...box.max])"
    before = page.evaluate(f"{eye}(inloop.view.eye)")
    pass_time(page, box, 0.3)
    # something is thrown out of the picture, and the view is wider
    far = "inloop.view.eye.target.clone().addScalar(1.5 * inloop.view.eye.size)"
    assert page.evaluate(f"inloop.view.eye.include([{far}], false)")
    comes(page, "!inloop.view.eye.goal")
    assert page.evaluate("inloop.view.eye.size") > 1.5 * before[0]
    box.reset()
    seen(page, box)
    comes(page, f"inloop.view.eye.size === {before[0]!r}")
    assert page.evaluate(f"{eye}(inloop.view.eye)") == before


def test_a_click_holds_nothing_and_the_ground_turns_the_eye(
    at_rest: tuple[Page, Mailbox, float, float],
) -> None:
    page, _, x, y = at_rest
    sent = page.evaluate("inloop.connection.inputs")
    page.mouse.move(x, y)
    # faster than any person: no time to take hold by waiting
    page.evaluate(
        """([x, y]) => { const give = (kind) => inloop.view.canvas.dispatchEvent(new PointerEvent(
        kind, { clientX: x, clientY: y, pointerId: 1, button: 0, pointerType: "mouse" }));
        inloop.view.canvas.setPointerCapture = () => {};
        give("pointerdown"); give("pointerup"); delete inloop.view.canvas.setPointerCapture; }""",
        [x, y],
    )
    assert page.evaluate("inloop.touch.grasp") is None
    assert page.evaluate("inloop.connection.inputs") == sent
    box_of = page.locator("#view").bounding_box()
    assert box_of is not None
    before = page.evaluate("inloop.view.eye.target.toArray()")
    page.mouse.move(box_of["x"] + 30, box_of["y"] + box_of["height"] - 60)
    page.mouse.down()
    page.mouse.move(box_of["x"] + 90, box_of["y"] + box_of["height"] - 60)
    page.mouse.up()
    assert page.evaluate("inloop.view.eye.target.toArray()") != before
    assert page.evaluate("inloop.touch.grasp") is None
    page.locator("#fit").click()


def test_another_page_sees_who_holds_and_is_free_afterwards(
    browser: Browser, shared: tuple[Page, Mailbox, str], at_rest: tuple[Page, Mailbox, float, float]
) -> None:
    page, box, x, y = at_rest
    errors: list[str] = []
    with opened(browser, shared[2], errors) as other:
        take_hold(other, box, x, y)
        comes(page, "inloop.touch.holds.length === 1 && !inloop.touch.mine")
        assert "another page" in page.locator(".holds").inner_text()
        assert not page.evaluate("inloop.touch.ready")
    # it was closed with the button down
    pass_time(page, box, 0.2)
    comes(page, "inloop.touch.holds.length === 0 && inloop.touch.ready")
    pass_time(page, box, 0.01)  # it may have been held up to now
    assert not box.peek().flags & Flag.PULLED
    assert not errors


def test_a_push_is_a_plain_force(at_rest: tuple[Page, Mailbox, float, float]) -> None:
    page, box, x, y = at_rest
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y)
    comes(page, "inloop.touch.grasp?.pushes")
    for _ in range(2):
        heard(page)
        pass_time(page, box, 0.05)
    comes(page, "inloop.touch.holds[0]?.force[0] < 0")
    [told] = page.evaluate("inloop.touch.holds")
    # to the left by 20 pixels of the spring, whatever the body does
    length = 20.0 * page.evaluate("inloop.view.eye.perPixel(inloop.view.height)")
    assert told["pushes"] and told["force"][0] < 0.0
    assert abs(told["force"][1]) < 1e-6 * abs(told["force"][0])
    assert page.evaluate("inloop.touch.grasp.target.x - inloop.touch.grasp.from.x") == (
        pytest.approx(-length, rel=1e-3)
    )
    page.mouse.up()
    page.keyboard.up("Shift")
    heard(page)
    pass_time(page, box, 0.05)
    comes(page, "inloop.touch.holds.length === 0")
    says(page, "#chip", "running")


def test_a_finger_holds_too(
    browser: Browser, shared: tuple[Page, Mailbox, str], at_rest: tuple[Page, Mailbox, float, float]
) -> None:
    _, box, *_ = at_rest
    errors: list[str] = []
    with opened(browser, shared[2], errors, has_touch=True) as page:
        comes(page, "inloop.view.shown && !inloop.view.eye.goal")
        x, y = page.evaluate(FIND, [LOWER, 4])  # the buttons of a finger are larger
        wire = page.context.new_cdp_session(page)

        def finger(kind: str, *place: float) -> None:
            points = [{"x": place[0], "y": place[1]}] if place else []
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        finger("touchStart", x, y)
        finger("touchMove", x - 15, y - 10)
        finger("touchMove", x - 30, y - 20)
        comes(page, "inloop.touch.grasp !== null")
        heard(page)
        pass_time(page, box, 0.05)
        assert box.peek().flags & Flag.PULLED
        finger("touchEnd")
        comes(page, "inloop.touch.grasp === null")
        heard(page)
        pass_time(page, box, 0.05)
        assert not box.peek().flags & Flag.PULLED
    assert not errors
