"""The page in a real browser: Debian's Chromium, driven by Playwright, against a plant that runs.

The plant is a pan on a spring, pressed by a hand: at rest z = -(m g + push) / k, which tells by
itself whether a slider or a drag has reached the physics.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser_page import (
    HANG,
    SMALL,
    Studio,
    comes,
    grip,
    heard,
    held,
    let_go,
    opened,
    pass_time,
    says,
    seen,
    step_until,
)
from pan_on_spring import (
    AXIS,
    DAMPING,
    DEVICE,
    GRAVITY,
    HIGHEST,
    LOOKS,
    MASS,
    STIFFNESS,
    pan,
    rest,
)
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Mailbox, State
from inloop.studio.drawing.stage import make_stage

RATE = 1000.0
PERIOD = 1.0 / RATE


@pytest.fixture(scope="module")
def loop() -> Iterator[il.Loop]:
    plant = pan().compile(backend="c")
    name = f"browser-{os.getpid()}"
    options = {"priority": None, "lock_memory": False, "stale_after": None}
    with il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock(), **options) as running:
        yield running


@pytest.fixture(scope="module")
def words(loop: il.Loop, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """What the studio is started with."""
    directory = tmp_path_factory.mktemp("studio")
    make_stage(pan().build(), title="A pan", plane="xz", looks=LOOKS, device=DEVICE).save(
        directory / "stage.json"
    )
    return (
        "--attach", loop.name, "--stage", str(directory / "stage.json"),
        "--recordings", str(directory / "recordings"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def studio(words: tuple[str, ...]) -> Iterator[Studio]:
    found = Studio(*words, "--port", "0")
    yield found
    found.end()


@pytest.fixture
def box(loop: il.Loop) -> Iterator[Mailbox]:
    """The plant's mailbox: what the loop does, without asking the page."""
    with il.attach(loop.name) as found:
        yield found


@pytest.fixture(scope="class")
def shared(browser: Browser, studio: Studio) -> Iterator[tuple[Page, list[str]]]:
    """One page for all tests that leave it as it was, and what the browser complained of."""
    errors: list[str] = []
    with opened(browser, studio.address, errors) as found:
        yield found, errors


@pytest.fixture
def page(shared: tuple[Page, list[str]]) -> Iterator[Page]:
    """The page, open and with a first pose."""
    found, errors = shared
    yield found
    assert not errors


def settles(page: Page, box: Mailbox, z: float) -> None:
    """The pan comes to rest at z [m]."""
    # by exp(-d t / (2 m)), to 3e-10
    pass_time(page, box, 22.0 * 2.0 * MASS / DAMPING)
    assert abs(box.peek()["z.q"] / z - 1.0) < 1e-6 and abs(box.peek()["z.qd"]) < 1e-6


def reset(page: Page, box: Mailbox) -> None:
    """Back to the start, from where it is not already."""
    pass_time(page, box, 0.05)
    page.click("#reset")
    comes(page, "inloop.view.motion.frames.at(-1).t === 0")


def parameters(box: Mailbox) -> dict[str, float]:
    return box.parameters_at(box.peek().parameter_sequence) or {}


def push_in(page: Page, box: Mailbox) -> float:
    """The push of the next step."""
    pass_time(page, box, PERIOD)
    return box.peek()["push"]


def shown_z(page: Page) -> float:
    return float(page.evaluate("inloop.view.nodes.get('pan').position.z"))


def test_everything_comes_from_the_own_host_and_the_mechanism_moves(
    browser: Browser, studio: Studio, box: Mailbox, errors: list[str]
) -> None:
    context = browser.new_context(viewport=SMALL)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    response = page.goto(studio.address)
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe-inline" not in policy
    page.set_default_timeout(1000.0 * HANG)
    comes(page, "window.inloop?.view.motion.frames.length > 0")
    hosts = {url.split("/")[2] for url in asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {studio.address.split("/")[2]}
    # it moves: back to the start, from where the pan falls
    reset(page, box)
    places = []
    for _ in range(20):
        pass_time(page, box, 0.03)
        places.append(box.peek()["z.q"])
        # and it is where the loop says, to the digits of a float32
        comes(page, f"Math.abs(inloop.view.nodes.get('pan').position.z - {places[-1]!r}) < 1e-6")
    assert box.peek().step == 600 and len({round(z, 4) for z in places}) > 15
    page.click("#pause")
    says(page, "#chip", "paused")
    assert box.state is State.PAUSED
    pass_time(page, box, 0.1)
    assert box.peek().step == 600
    page.click("#pause")
    says(page, "#chip", "running")
    assert box.state is State.RUNNING
    settles(page, box, rest())
    context.close()
    assert not errors


class TestOnePage:
    """Tests that share a page and leave it as it was."""

    def test_a_slider_changes_the_physics(self, page: Page, box: Mailbox) -> None:
        settles(page, box, rest())
        slider = page.get_by_role("slider", name="stiffness")
        track = slider.bounding_box()
        assert track is not None
        page.mouse.move(track["x"] + 0.3 * track["width"], track["y"] + track["height"] / 2)
        page.mouse.down()
        page.mouse.move(
            track["x"] + 0.5 * track["width"], track["y"] + track["height"] / 2, steps=8
        )
        page.mouse.up()
        field = page.get_by_role("textbox", name="stiffness in N/m")
        chosen = float(field.input_value())
        assert abs(chosen - 210.0) < 12.0  # the middle of the range
        step_until(page, box, lambda: parameters(box)["stiffness"] == chosen)
        settles(page, box, rest(stiffness=chosen))
        # by number, beyond the range: the range's end
        field.fill("1e9")
        field.press("Enter")
        step_until(page, box, lambda: parameters(box)["stiffness"] == 400.0)
        settles(page, box, rest(stiffness=400.0))
        page.get_by_role("textbox", name="damping").fill("20,5")
        page.keyboard.press("Enter")
        step_until(page, box, lambda: parameters(box)["damping"] == 20.5)
        # one back, the other stays; then all
        page.get_by_role("button", name="Reset stiffness").click()
        one_reset = {"stiffness": STIFFNESS, "damping": 20.5}
        step_until(page, box, lambda: parameters(box) == one_reset)
        page.get_by_role("button", name="Reset all").click()
        all_reset = {"stiffness": STIFFNESS, "damping": DAMPING}
        step_until(page, box, lambda: parameters(box) == all_reset)
        comes(page, f"Number(document.querySelector('[aria-label=\"stiffness in N/m\"]').value) "
                    f"=== {STIFFNESS}")  # fmt: skip
        settles(page, box, rest())

    def test_dragging_the_driven_body_drives_the_input(self, page: Page, box: Mailbox) -> None:
        settles(page, box, rest())
        x, y, per_meter = grip(page)
        page.mouse.move(x, y)
        page.mouse.down()
        for part in np.linspace(0.0, 0.6, 7):
            page.mouse.move(x, y + part * AXIS * per_meter)
        push = page.evaluate("inloop.hand.value")
        assert push == pytest.approx(0.6 * HIGHEST, rel=0.02)
        held(page, push)
        assert push_in(page, box) == push
        settles(page, box, rest(push))
        assert box.writer is not None
        # beyond the range it is the range's end
        page.mouse.move(x, y + 2.0 * AXIS * per_meter)
        held(page, HIGHEST)
        assert push_in(page, box) == HIGHEST
        page.mouse.up()
        let_go(page)
        assert push_in(page, box) == 0.0
        # inputs are given back when they have been at rest for a while
        assert box.writer is not None
        pass_time(page, box, 1.0)
        assert box.writer is None
        # elsewhere a drag moves the eye and not the pan
        before = page.evaluate("inloop.view.eye.target.toArray()")
        canvas = page.locator("#view").bounding_box()
        assert canvas is not None
        page.mouse.move(canvas["x"] + 60.0, canvas["y"] + 150.0)
        page.mouse.down()
        page.mouse.move(canvas["x"] + 120.0, canvas["y"] + 190.0, steps=4)
        page.mouse.up()
        assert page.evaluate("inloop.view.eye.target.toArray()") != before
        heard(page)
        assert push_in(page, box) == 0.0

    def test_plots_get_every_sample_and_can_be_held(self, page: Page, box: Mailbox) -> None:
        page.click("#choose-signals")
        page.get_by_role("checkbox", name="push").check()
        page.get_by_role("checkbox", name="z.qd").uncheck()
        page.keyboard.press("Escape")
        comes(page, "String(inloop.plots.subscription.names) === 'z.q,push'")
        reset(page, box)
        pass_time(page, box, 1.0)
        comes(page, f"inloop.plots.samples.end === {box.peek().t!r}")
        times, z, push = page.evaluate(
            """() => { const s = inloop.plots.samples; const n = s.length;
            return [s.times, s.columns.get("z.q"), s.columns.get("push")]
                .map((a) => [...a.subarray(0, n)]); }"""
        )
        np.testing.assert_allclose(np.diff(times), 1.0 / RATE, rtol=1e-6)
        assert len(times) - round(RATE) in (0, 1) and set(push) == {0.0}  # with t = 0, or without
        # what was plotted is the motion: m z'' = -m g - k z - d z', by differences of the samples
        z, h = np.array(z), 1.0 / RATE
        every = 20  # steps; float32 samples differ too little between two
        z, h = z[::every], every * h
        zd, zdd = (z[2:] - z[:-2]) / (2 * h), (z[2:] - 2 * z[1:-1] + z[:-2]) / h**2
        force = -MASS * GRAVITY - STIFFNESS * z[1:-1] - DAMPING * zd
        assert np.max(np.abs(MASS * zdd - force)) < 0.05 * MASS * GRAVITY
        assert page.locator(".chart").count() == 2  # one per unit: m and N
        # hold by zooming: drag across a chart
        over = page.locator(".chart .u-over").first.bounding_box()
        assert over is not None
        page.mouse.move(over["x"] + 0.5 * over["width"], over["y"] + 20)
        page.mouse.down()
        page.mouse.move(over["x"] + 0.8 * over["width"], over["y"] + 30, steps=5)
        page.mouse.up()
        assert page.locator("#live").get_attribute("aria-pressed") == "false"
        scale = "(({ min, max }) => [min, max])(inloop.plots.charts[0].plot.scales.x)"
        span = f"(([from, to]) => to - from)({scale})"
        comes(page, f"Math.abs({span} / (0.3 * 5.0) - 1) < 0.05")
        kept = page.evaluate(scale)
        received = page.evaluate("inloop.plots.samples.received")
        pass_time(page, box, 0.25)
        comes(page, f"inloop.plots.samples.received === {received} + {0.25 * RATE}")
        assert page.evaluate(scale) == kept
        page.click("#live")
        comes(page, f"{scale}[1] === {box.peek().t!r}")

    def test_recording_and_picture_can_be_kept(
        self, page: Page, box: Mailbox, words: tuple[str, ...]
    ) -> None:
        page.click("#record")
        comes(page, "inloop.recordings.now?.phase === 'on'")
        assert len(list(Path(words[-1]).glob("*.mcap"))) == 1
        pass_time(page, box, 0.3)
        page.click("#record")
        link = page.get_by_role("link", name="Download").first
        with page.expect_download() as saved:
            link.click()
        content = Path(saved.value.path()).read_bytes()
        assert content.startswith(b"\x89MCAP0\r\n") and content.endswith(b"\x89MCAP0\r\n")
        # replayed, and back to the loop
        page.get_by_role("button", name="Replay").first.click()
        page.locator("#chip", has_text="replay").wait_for()
        page.get_by_role("button", name="Back to the loop").click()
        says(page, "#chip", "running")
        seen(page, box)
        with page.expect_download() as saved:
            page.click("#picture")
        assert saved.value.suggested_filename.endswith(".png")
        assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
        # look back: the picture stands where one wants it, the loop goes on
        page.keyboard.press("b")
        page.locator("#rewind-at").evaluate(
            "(e) => { e.value = e.min; e.dispatchEvent(new Event('input')); }"
        )
        shown = page.evaluate("inloop.view.moment")
        assert shown == pytest.approx(page.evaluate("inloop.view.motion.span[0]"), abs=1e-3)
        page.get_by_role("button", name="Live", exact=True).first.click()
        assert page.evaluate("inloop.view.moment") is None

    def test_what_the_server_may_tell_is_shown(self, page: Page) -> None:
        times = {"edges_us": [10.0, 20.0, 40.0], "counts": [3, 1],
                 "p50": 15.0, "p99": 31.0, "p999": 33.0, "max": 34.5}  # fmt: skip
        slower = {**times, "max": 271.0}
        histogram = {"step_time": slower, "reaction": times, "wake_up": slower, "input_age": slower}
        page.get_by_role("tab", name="Reaction").click()
        # at once: the real one follows soon
        shown = page.evaluate(
            "(text) => { inloop.connection.receive(text); "
            "return document.querySelector('#deadlines').innerText; }",
            json.dumps({"kind": "histogram", **histogram}),
        )
        assert "34.5 µs" in shown and "271" not in shown
        state = {"state": "running", "speed": 1.0, "step": 5, "t": 0.5, "status": "DIVERGED",
                 "latched": "", "overruns": 3, "stale": 0, "lost": 0, "source": "live",
                 "driven": False}  # fmt: skip
        notice = {"level": "error", "text": "the simulation diverged", "fix": "Put it back."}
        # at once: the real state follows soon
        alarm = page.evaluate(
            "(text) => { inloop.connection.receive(text); "
            "return document.querySelector('#alarm').innerText; }",
            json.dumps({"kind": "state", **state, "notice": notice}),
        )
        assert "diverged" in alarm and "Put it back" in alarm and "Reset" in alarm
        receive(page, kind="notice", level="warn", text="3 samples were lost", fix="Plot less.")
        receive(page, kind="notice", level="warn", text="4 samples were lost", fix="Plot less.")
        told = [t for t in page.locator(".notice").all_inner_texts() if "samples were lost" in t]
        assert told == ["4 samples were lost ×2\nPlot less."]


def receive(page: Page, **message: Any) -> None:
    """Let the page get a message as if the server had sent it."""
    page.evaluate("(text) => inloop.connection.receive(text)", json.dumps(message))


def test_controller_and_midi_keyboard_drive_the_input(
    browser: Browser, studio: Studio, box: Mailbox, errors: list[str]
) -> None:
    context = browser.new_context(viewport=SMALL)
    context.add_init_script(
        """window.pad = { id: "Test pad", axes: [0], buttons: [] };
        navigator.getGamepads = () => [window.pad];
        window.port = { name: "Test keys" };
        navigator.requestMIDIAccess = async () => ({ inputs: new Map([[0, window.port]]) });"""
    )
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_default_timeout(1000.0 * HANG)
    page.goto(studio.address)
    comes(page, "window.inloop?.hand.device")
    page.evaluate(
        """() => { const event = new Event("gamepadconnected"); event.gamepad = window.pad;
        window.dispatchEvent(event); window.pad.axes[0] = 0.5; }"""
    )
    held(page, 0.5 * HIGHEST)
    assert push_in(page, box) == 0.5 * HIGHEST
    page.evaluate("window.pad.axes[0] = 0.02")
    let_go(page)
    assert push_in(page, box) == 0.0
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Test keys").wait_for()
    page.evaluate("window.port.onmidimessage({ data: [0x90, 60, 100] })")
    held(page, HIGHEST)
    assert push_in(page, box) == HIGHEST
    page.evaluate("window.port.onmidimessage({ data: [0x80, 60, 0] })")
    let_go(page)
    assert push_in(page, box) == 0.0
    context.close()
    assert not errors


def test_with_the_keyboard_alone(
    browser: Browser, studio: Studio, box: Mailbox, errors: list[str]
) -> None:
    with opened(browser, studio.address, errors) as page:
        use_keyboard(page, box)
    assert not errors


def use_keyboard(page: Page, box: Mailbox) -> None:
    # everything that can be used has a name and can be reached
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, a, summary")]
        .filter((e) => e.checkVisibility() && !e.disabled)
        .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.[0]?.textContent.trim()))
        .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    order = [
        "pause",
        "step",
        "reset",
        "speed",
        "record",
        "picture",
        "video",
        "theme",
        "help",
        "view",
    ]
    assert [name for name in reached if name in order] == order
    # the driven input, by its key
    page.keyboard.down("a")
    held(page, 7.5)
    assert push_in(page, box) == 7.5
    page.keyboard.up("a")
    let_go(page)
    assert push_in(page, box) == 0.0
    # pause, one step, slower, on: when no button has the focus, which keeps the space bar
    page.locator("#view").focus()
    page.keyboard.press("Space")
    says(page, "#chip", "paused")
    assert box.state is State.PAUSED
    before = box.peek()
    page.keyboard.press(".")
    comes(page, f"inloop.view.motion.frames.at(-1).sequence > {before.sequence}")
    assert box.peek().step == before.step + 1 and box.state is State.PAUSED
    page.keyboard.press("[")
    comes(page, "document.querySelector('#speed').value === '0.5'")
    page.keyboard.press("]")
    comes(page, "document.querySelector('#speed').value === '1'")
    page.keyboard.press("Space")
    says(page, "#chip", "running")
    assert box.state is State.RUNNING
    # the sheet of keys names them all, the device's too
    page.keyboard.press("?")
    sheet = page.locator("#keys").inner_text()
    assert "Pause or run" in sheet and "Drive push" in sheet
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()
    dark = page.locator("html").get_attribute("data-theme")
    page.keyboard.press("t")
    assert page.locator("html").get_attribute("data-theme") != dark


def test_a_tablet_fits_and_fingers_drag(
    browser: Browser, studio: Studio, box: Mailbox, errors: list[str]
) -> None:
    options = {"viewport": {"width": 820, "height": 1180}, "has_touch": True,
               "color_scheme": "dark"}  # fmt: skip
    with opened(browser, studio.address, errors, **options) as page:
        assert page.locator("html").get_attribute("data-theme") == "dark"
        assert page.evaluate("document.documentElement.scrollWidth") <= 820
        small = page.evaluate(
            """() => [...document.querySelectorAll(".bar button, .corner button")]
            .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 30)
            .map((e) => e.id)"""
        )
        assert small == []
        x, y, per_meter = grip(page)
        touch = page.context.new_cdp_session(page)
        for kind, down in (("touchStart", 0.0), ("touchMove", 30.0), ("touchMove", 60.0)):
            point = [{"x": x, "y": y + down}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": point})
        expected = HIGHEST * 60.0 / (AXIS * per_meter)
        comes(page, f"Math.abs(inloop.hand.value / {expected!r} - 1) < 0.02")
        push = page.evaluate("inloop.hand.value")
        held(page, push)
        assert push_in(page, box) == push
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        let_go(page)
        assert push_in(page, box) == 0.0
    assert not errors


def test_a_studio_that_went_away_is_told_and_found_again(
    browser: Browser, words: tuple[str, ...], errors: list[str], box: Mailbox
) -> None:
    words = (*words, "--token", "known-to-both")
    first = Studio(*words, "--port", "0")
    port = str(urlsplit(first.address).port)
    with opened(browser, first.address, errors) as page:
        first.end()
        alarm = page.locator("#alarm")
        alarm.wait_for(state="visible")
        assert "has been stopped" in alarm.inner_text() and "keeps running" in alarm.inner_text()
        assert box.state is State.RUNNING  # the loop does not mind
        second = Studio(*words, "--port", port)
        alarm.wait_for(state="hidden")
        pass_time(page, box, 0.5)  # the page sees it
        # killed, it says nothing, and no network lies between them
        second.process.kill()
        alarm.wait_for(state="visible")
        told = alarm.inner_text()
        assert (
            "stopped unexpectedly" in told
            and "keeps running" in told
            and box.state is State.RUNNING
        )
        second.process.communicate(timeout=HANG)
    assert [error for error in errors if "ERR_CONNECTION_REFUSED" not in error] == []
