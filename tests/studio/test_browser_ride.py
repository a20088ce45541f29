"""Riding along in Chromium: pixels of road, marks and horizon, levers, instruments, cones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_page import comes, draw_no_more, heard, opened, own_plant, pass_time
from playwright.sync_api import Browser, Page
from sled import BOX, CONE, DRAG, DRAGS, FIELD, HIGH, MASS, WIDTH

import inloop as il
from inloop.realtime import Mailbox

SLED = Path(__file__).parent / "sled.py"
# colours at parts of the picture, as it is saved
LOOK = """async (places) => {
    const image = await createImageBitmap(await inloop.view.picture());
    const ink = new OffscreenCanvas(image.width, image.height).getContext("2d");
    ink.drawImage(image, 0, 0);
    return [image.width / image.height, places.map(([x, y]) => [...ink.getImageData(
        Math.round(x * image.width), Math.round(y * image.height), 1, 1).data.slice(0, 3)])];
}"""
Colour = list[int]


@pytest.fixture(scope="module")
def ride(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, Mailbox]]:
    errors: list[str] = []
    with (
        own_plant(str(SLED), recordings=tmp_path_factory.mktemp("recordings")) as studio,
        opened(browser, studio.address, errors, draws=True, has_touch=True) as page,
        il.attach(studio.plant) as box,
    ):
        comes(page, "inloop.view.rendered > 0")
        yield page, box
    assert not errors


@pytest.fixture
def undrawn(ride: tuple[Page, Mailbox]) -> Iterator[tuple[Page, Mailbox]]:
    """For tests that look at no picture: roads take a processor long to draw."""
    page, _ = ride
    draw_no_more(page)
    yield ride
    page.evaluate("delete inloop.view.draw")
    page.evaluate("inloop.view.changed = true")


def seen(page: Page, *points: tuple[float, float, float]) -> list[Colour]:
    """Colours where the camera of the sled sees points, in its axes: ahead, left, up [m]."""
    comes(page, "inloop.view.settled")
    aspect = page.evaluate("inloop.view.width / inloop.view.height")
    half = math.tan(math.radians(0.5 * FIELD))
    places = [
        (0.5 - 0.5 * y / (x * half * aspect), 0.5 - 0.5 * (z - HIGH) / (x * half))
        for x, y, z in points
    ]
    found, colours = page.evaluate(LOOK, places)
    assert found == pytest.approx(aspect, rel=0.01)
    return list(colours)


def is_grey(colour: Colour) -> bool:
    return max(colour) - min(colour) < 16 and 60 < sum(colour) / 3 < 150


def is_white(colour: Colour) -> bool:
    return min(colour) > 200


def is_green(colour: Colour) -> bool:
    red, green, blue = colour
    return green > blue + 20 and green > red + 5


@pytest.mark.long
def test_road_marks_horizon_and_what_stands_there_are_drawn(ride: tuple[Page, Mailbox]) -> None:
    page, _ = ride
    high = [(100.0, 30.0, HIGH + 100.0 * math.tan(math.radians(a))) for a in (1.0, -1.0, 20.0)]
    edge = 0.5 * WIDTH - 0.25 + 0.075  # middle of the edge line
    above, below, sky, road, dash, gap, line, verge, cone, box = seen(
        page, *high, (6.0, 1.5, 0.0), (6.0, 0.0, 0.0), (11.0, 0.0, 0.0), (9.0, edge, 0.0),
        (30.0, 12.0, 0.0), (CONE[0], CONE[1], 0.11), (BOX[0], BOX[1], 0.7),
    )  # fmt: skip
    assert not is_green(above) and is_green(below)  # the horizon is where it must be
    assert sky[2] > sky[0] + 30
    assert is_grey(road) and is_grey(gap) and is_green(verge)
    assert is_white(dash) and is_white(line)
    assert cone[0] > 180 and cone[2] < 90  # orange
    assert box[2] > 120 and box[0] < 60  # blue


def keys_lead_instruments_tell_marks_pass_and_cones_fall(ride: tuple[Page, Mailbox]) -> None:
    page, box = ride
    assert page.evaluate("inloop.view.fallen") == 0
    page.keyboard.down("w")
    comes(page, "inloop.cockpit.levers.states[0].sent === 60")
    heard(page)
    pass_time(page, box, 0.5)
    values = box.peek()
    assert values["drive"] == 60.0
    # 60 N for a while, at most: v < F t / m, and more than half of it
    assert 0.5 * 60.0 * 0.5 / MASS < values["sled_tx.qd"] < 60.0 * 0.5 / MASS
    told = "document.querySelector('.dial .value').textContent"
    comes(page, f"{told} === '{round(3.6 * values['sled_tx.qd'])}'")
    comes(page, "document.querySelector('.bar-gauge output').textContent === 'clipped'")
    # until the dash has gone by: where it was is a gap
    while box.peek()["sled_tx.q"] < 4.0:
        pass_time(page, box, 0.05)
    x = float(box.peek()["sled_tx.q"])
    (there,) = seen(page, (6.0 if 10.0 < x + 6.0 < 15.5 else 14.0 - x - 2.0, 0.0, 0.0))
    assert is_grey(there)
    while box.peek()["sled_tx.q"] < CONE[0] + 1.0:
        pass_time(page, box, 0.05)
    comes(page, "inloop.view.fallen === 1")
    page.keyboard.up("w")
    comes(page, "inloop.inputs.held.size === 0 && !inloop.inputs.taken")


def cameras_are_chosen_and_the_free_one_goes_along(ride: tuple[Page, Mailbox]) -> None:
    page, box = ride
    page.keyboard.press("c")
    assert page.locator("#cameras [aria-pressed=true]").text_content() == "Behind"
    page.locator("#cameras button", has_text="Free").click()
    comes(page, "inloop.view.settled && inloop.cockpit.ride.last")
    assert page.evaluate(
        "inloop.view.eye.sees(inloop.view.nodes.get('sled').position)"
    )  # wherever it has gone to
    where = "inloop.view.eye.target.x - inloop.view.nodes.get('sled').position.x"
    before, start = page.evaluate(where), float(box.peek()["sled_tx.q"])
    pass_time(page, box, 0.3)
    comes(page, f"inloop.view.nodes.get('sled').position.x > {start + 0.1}")
    comes(page, "inloop.view.settled")
    assert page.evaluate(where) == pytest.approx(before, abs=1e-4)
    page.locator("#cameras button", has_text="Ahead").click()
    comes(page, "inloop.view.eye.ride !== null")


def after_a_reset_cones_stand_and_the_run_before_is_a_ghost(
    ride: tuple[Page, Mailbox],
) -> None:
    page, box = ride
    comes(page, "inloop.view.fallen === 1")
    assert page.evaluate("inloop.view.message.ghost") is None
    last = box.peek()
    t, x = float(last["t"]), float(last["sled_tx.q"])
    page.locator("#reset").click()
    heard(page)
    pass_time(page, box, 0.1)
    comes(page, "inloop.view.fallen === 0")
    assert box.peek()["sled_tx.q"] < 1.0
    comes(page, "inloop.view.message.ghost !== null && !document.getElementById('ghost').hidden")
    place = "7 * inloop.view.scene.bodies.findIndex(({ name }) => name === 'sled')"
    assert page.evaluate(f"inloop.cockpit.ghost.at({t!r})[{place}]") == pytest.approx(x, abs=1e-4)
    assert page.evaluate(f"inloop.cockpit.ghost.at({t + 1.0!r})") is None
    page.keyboard.press("j")
    assert page.evaluate("inloop.view.message.ghost") is None


def test_a_ride_and_a_reset(ride: tuple[Page, Mailbox]) -> None:
    """One after another: each begins where the sled has got to."""
    keys_lead_instruments_tell_marks_pass_and_cones_fall(ride)
    cameras_are_chosen_and_the_free_one_goes_along(ride)
    after_a_reset_cones_stand_and_the_run_before_is_a_ghost(ride)


def test_a_pad_is_led_by_the_pointer_and_returns(undrawn: tuple[Page, Mailbox]) -> None:
    page, _ = undrawn
    box = page.locator(".pad.across").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    # its high end is on the left: 0.8 of the way
    comes(page, "Math.abs(inloop.cockpit.levers.states[1].value - 1.6) < 0.05")
    page.mouse.up()
    comes(page, "inloop.cockpit.levers.states[1].value === 0")


def test_a_pad_is_led_by_a_finger_beside_another_one(undrawn: tuple[Page, Mailbox]) -> None:
    page, _ = undrawn
    fingers = page.context.new_cdp_session(page)
    across, upright = (page.locator(f".pad.{way}").bounding_box() for way in ("across", "upright"))
    assert across is not None and upright is not None
    left = {"x": across["x"] + 0.9 * across["width"], "y": across["y"] + 0.5 * across["height"]}
    right = {"x": upright["x"] + 10.0, "y": upright["y"] + 0.25 * upright["height"]}
    points = [{**left, "id": 1}, {**right, "id": 2}]
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    # to the right by 0.8 of the way, and three quarters up: half of what pushes
    comes(page, "Math.abs(inloop.cockpit.levers.states[1].value + 1.6) < 0.05")
    comes(page, "Math.abs(inloop.cockpit.levers.states[0].value - 30) < 2")
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    comes(page, "inloop.cockpit.levers.states.every(({ value }) => value === 0)")


# a controller as the browser would tell it: left stick, right trigger, a button that is pressed
PAD = """([stick, trigger, button = -1, mapping = "standard"]) => {
    navigator.getGamepads = () => stick === null ? [null] : [null, {
        mapping, axes: [stick, 0, 0, 0], buttons: Array.from({ length: 17 }, (_, k) => ({
            pressed: k === button || k === 7 && trigger > 0.5, value: k === 7 ? trigger : 0 })) }];
}"""


def test_a_game_controller_leads_and_may_be_taken_away(undrawn: tuple[Page, Mailbox]) -> None:
    page, box = undrawn
    page.evaluate(PAD, [-0.5, 1.0])
    comes(page, "inloop.cockpit.levers.states[1].sent === 1")  # left is positive, half of 2
    comes(page, "inloop.cockpit.levers.states[0].sent === 60")
    heard(page)
    pass_time(page, box, 0.05)
    values = box.peek()
    assert (values["turn"], values["drive"]) == (1.0, 60.0)
    page.evaluate(PAD, [0.05, 0.0])  # a stick at rest is not quite at zero
    comes(page, "inloop.cockpit.levers.states.every(({ value, sent }) => !value && sent === null)")
    page.evaluate(PAD, [1.0, 0.0])
    comes(page, "inloop.cockpit.levers.states[1].sent === -2")
    # a wheel does not lead: `inloop link wheel` does; its buttons choose the camera
    page.evaluate(PAD, [1.0, 0.0, 8, ""])
    comes(page, "inloop.cockpit.chosen === 1 && inloop.cockpit.levers.states[1].value === 0")
    page.evaluate(PAD, [1.0, 0.0, -1, ""])
    comes(page, "inloop.cockpit.levers.asked.size === 0")
    page.evaluate(PAD, [0.0, 0.0, 8])
    comes(page, "inloop.cockpit.chosen === 2")
    page.keyboard.press("c")
    page.evaluate(PAD, [None, 0.0])  # unplugged
    comes(page, "inloop.inputs.held.size === 0 && !inloop.inputs.taken")


def test_pictures_that_take_too_long_get_coarser(undrawn: tuple[Page, Mailbox]) -> None:
    page, _ = undrawn
    find = """([processor, costs]) => {
        const fresh = new inloop.view.resolution.constructor(processor, 1);
        return [fresh.ratio, ...costs.map((cost) => { fresh.took(cost); return fresh.ratio; })];
    }"""
    assert page.evaluate(find, [False, [40, 20, 40, 40, 40, 40]]) == [1, 1, 1, 1, 0.7, 0.7, 0.5]
    assert page.evaluate(find, [True, [90] * 8])[-1] == 0.25  # and no further
    assert page.evaluate(find, [True, [4] * 24]) == [0.5] * 12 + [0.7] * 12 + [1]
    assert page.evaluate(find, [True, [4] * 60])[-1] == 1  # no finer than the screen


# an obstacle appears, and a parameter is hidden


def drive_until(page: Page, box: Mailbox, stand: str) -> None:
    """Press on until what appears stands so."""
    for _ in range(200):
        if page.evaluate("inloop.cockpit.surprise.stand") == stand:
            return
        pass_time(page, box, 0.1)
    pytest.fail(f"the surprise was never {stand}")


@pytest.mark.long
def test_blind_an_obstacle_appears_is_hit_and_the_parameter_is_revealed(
    ride: tuple[Page, Mailbox],
) -> None:
    page, box = ride
    comes(page, "!document.getElementById('blind').hidden")
    row = "inloop.parameters.rows.get('drag').element.hidden"
    assert not page.evaluate(row)
    page.evaluate("inloop.cockpit.blind.random = () => 0")
    page.locator("#blind").click()
    driven: list[float] = []
    for run in range(2):
        heard(page)
        pass_time(page, box, 0.05)
        assert page.evaluate(row) and page.evaluate("inloop.cockpit.surprise.stand") == "waiting"
        driven.append(float(box.parameters["drag"]))
        page.keyboard.down("w")
        comes(page, "inloop.cockpit.levers.states[0].sent === 60")
        drive_until(page, box, "ahead")
        # it has become fast, and at least 0.1 s have passed since
        assert float(box.peek()["sled_tx.qd"]) > 1.0
        if run == 0:
            place = page.evaluate("inloop.cockpit.surprise.shown.box.at[0]")
            ahead = place - float(box.peek()["sled_tx.q"])
            assert 2.0 < ahead < 3.5001  # its middle was 3.5 m ahead when it appeared
            comes(page, "inloop.view.message.box !== null")
            (there,) = seen(page, (ahead - 0.5, 0.0, 0.5))
            assert there[0] > 150 and there[1] < 60 and there[2] > 100  # magenta
            page.evaluate("inloop.view.draw = () => inloop.view.eye.apply()")  # seen enough
        drive_until(page, box, "hit")
        page.keyboard.up("w")
        comes(page, "inloop.inputs.held.size === 0 && !inloop.inputs.taken")
        comes(page, "!document.querySelector('#blind-panel button').disabled")
        page.locator("#blind-panel button").click()
    # each value once, in the order that the number 0 shuffles them to
    assert driven == [DRAGS[1], DRAGS[0]]
    assert page.evaluate(row)  # still hidden while a person thinks
    page.locator("#blind-panel button", has_text="Run A").click()  # the lightest: wrong
    rows = page.locator("#blind-panel tr").all_inner_texts()
    assert [text.split("\t")[:3] for text in rows[1:]] == [
        ["A", "12 kg/s", "4 kg/s"], ["B", "4 kg/s", "12 kg/s"],
    ]  # fmt: skip
    assert all(text.split("\t")[4:] == ["60.0 N·m", "hit"] for text in rows[1:])
    assert "0 of 2" in (page.locator("#blind-panel p").text_content() or "")
    assert not page.evaluate(row)
    heard(page)
    pass_time(page, box, 0.05)
    assert float(box.parameters["drag"]) == DRAG
    assert page.evaluate("inloop.cockpit.surprise.hits") == 2
    page.locator("#blind").click()
    assert page.evaluate("inloop.view.message.box") is None
