"""The page in a real browser: Debian's Chromium, driven by Playwright, against a plant that runs.

The plant is a pan on a spring, pressed by a hand: at rest z = -(m g + push) / k, which tells by
itself whether a slider or a drag has reached the physics.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import inloop as il
from inloop.realtime import Mailbox, State
from inloop.studio.stage import make_stage

CHROMIUM = "/usr/bin/chromium"
MASS, GRAVITY, STIFFNESS, DAMPING = 1.3, 9.81, 90.0, 15.0
AXIS, HIGHEST = 0.15, 12.0  # pressing so far [m] is so much [N]
RATE = 1000.0
PATIENCE = 20.0  # [s] on a machine that is busy
COMPILATION = 180.0  # [s] of a mechanism that nobody has compiled yet
SMALL = {"width": 1000, "height": 620}
WIDE = {"width": 1440, "height": 900}
PICTURES = os.environ.get("INLOOP_PICTURES")  # a directory for the README's pictures
PLOTTED = ["key_front.travel", "key_front.force", "capstan.force", "hammer.q"]


def pan() -> il.Model:
    m = il.Model("pan", gravity=(0.0, 0.0, -GRAVITY))
    m.body(
        "pan", on=m.ground, joint=il.prismatic("z", name="z"), mass=MASS, inertia=(0.1, 0.2, 0.3)
    )
    k = m.parameter("stiffness", STIFFNESS, unit="N/m", range=(20.0, 400.0))
    d = m.parameter("damping", DAMPING, unit="N*s/m", range=(0.0, 60.0))
    push = m.input("push", unit="N")
    m.joint_force("pan", lambda q, qd, t: -k * q - d * qd - push)
    return m


DEVICE = {
    "input": "push", "low": 0.0, "high": HIGHEST, "rest": 0.0, "body": "pan",
    "point": (0.1, 0.0, 0.0), "axis": (0.0, 0.0, -AXIS), "hint": "Press the pan.",
    "keys": {"KeyA": 7.5}, "midi": True,
}  # fmt: skip
LOOKS = {
    "pan": [{"kind": "box", "center": (0, 0, 0), "size": (0.3, 0.1, 0.03), "colour": None}],
    "ground": [{"kind": "box", "center": (0, 0, -0.45), "size": (0.5, 0.1, 0.02), "colour": None}],
}


def until(found: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """Wait for something to become true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    pytest.fail(f"{what} did not happen within {patience:g} s")


def comes(page: Page, expression: str, patience: float = PATIENCE) -> None:
    """Wait for an expression in the page; polling inside the page would need `unsafe-eval`."""
    until(lambda: page.evaluate(expression), expression, patience)


class Studio:
    """`inloop studio …` in a process of its own."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "inloop.cli", "studio", *words, "--no-browser", "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            with contextlib.suppress(ValueError):
                told = json.loads(text)
                self.address, self.plant = told["address"], told["plant"]
                return
        pytest.fail(f"the studio did not start: {text}")

    def end(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=10.0)


@pytest.fixture(scope="module")
def browser(require_file: Callable[[str, str], None]) -> Iterator[Browser]:
    require_file(CHROMIUM, "chromium")
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        yield found
        found.close()


@pytest.fixture(scope="module")
def loop(browser: Browser) -> Iterator[il.Loop]:
    plant = pan().compile(backend="c")
    name = f"browser-{os.getpid()}"
    with il.start(
        plant, name=name, rate=RATE, priority=None, lock_memory=False, stale_after=None
    ) as running:
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


@pytest.fixture
def errors() -> list[str]:
    """What the browser complained of; empty at the end of each test that does not expect it."""
    return []


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


@contextlib.contextmanager
def opened(
    browser: Browser, address: str, errors: list[str], *, draws: bool = False, **options: Any
) -> Iterator[Page]:
    """The page; pictures cost most of the time, so that only who needs them lets it draw."""
    context = browser.new_context(**{"viewport": SMALL, **options})
    page = context.new_page()
    page.set_default_timeout(1000.0 * PATIENCE)
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    comes(page, "window.inloop?.view.motion.frames.length > 2", COMPILATION)
    if not draws:
        page.evaluate("inloop.view.draw = () => {}")
    yield page
    context.close()


def grip(page: Page) -> tuple[float, float, float]:
    """Where the driven body can be gripped [px], and how many pixels are a meter."""
    x, y, per_meter = page.evaluate(
        """() => { const { pointer, view } = inloop; const [x, y] = pointer.seen(pointer.handle());
        const box = view.canvas.getBoundingClientRect();
        return [box.left + x, box.top + y, 1 / view.eye.perPixel(view.height)]; }"""
    )
    return x, y, per_meter


def rest(push: float = 0.0, stiffness: float = STIFFNESS) -> float:
    """Where the pan comes to rest [m]."""
    return -(MASS * GRAVITY + push) / stiffness


def settles(box: Mailbox, z: float) -> None:
    until(
        lambda: abs(box.peek()["z.q"] / z - 1.0) < 0.01 and abs(box.peek()["z.qd"]) < 0.01,
        f"rest at {z:.4f} m",
    )


def parameters(box: Mailbox) -> dict[str, float]:
    return box.parameters_at(box.peek().parameter_sequence) or {}


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
    comes(page, "window.inloop?.view.motion.frames.length > 2")
    hosts = {url.split("/")[2] for url in asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {studio.address.split("/")[2]}
    # it moves: back to the start, from where the pan falls
    page.click("#reset")
    seen = set()
    for _ in range(20):
        seen.add(page.evaluate("inloop.view.nodes.get('pan').position.z.toFixed(4)"))
        time.sleep(0.03)
    assert len(seen) > 5
    # and it is where the loop says: exactly, when both stand still
    settles(box, rest())
    page.click("#pause")
    until(lambda: box.state is State.PAUSED, "pause")
    z = box.peek()["z.q"]
    until(
        lambda: abs(page.evaluate("inloop.view.nodes.get('pan').position.z") - z) < 1e-6, "the pose"
    )
    page.click("#pause")
    until(lambda: box.state is State.RUNNING, "running again")
    context.close()
    assert not errors


class TestOnePage:
    """Tests that share a page and leave it as it was."""

    def test_a_slider_changes_the_physics(self, page: Page, box: Mailbox) -> None:
        settles(box, rest())
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
        until(lambda: parameters(box)["stiffness"] == chosen, "a new stiffness")
        settles(box, rest(stiffness=chosen))
        # by number, beyond the range: the range's end
        field.fill("1e9")
        field.press("Enter")
        until(lambda: parameters(box)["stiffness"] == 400.0, "the largest stiffness")
        settles(box, rest(stiffness=400.0))
        page.get_by_role("textbox", name="damping").fill("20,5")
        page.keyboard.press("Enter")
        until(lambda: parameters(box)["damping"] == 20.5, "a new damping")
        # one back, the other stays; then all
        page.get_by_role("button", name="Reset stiffness").click()
        until(lambda: parameters(box) == {"stiffness": STIFFNESS, "damping": 20.5}, "one reset")
        page.get_by_role("button", name="Reset all").click()
        until(lambda: parameters(box) == {"stiffness": STIFFNESS, "damping": DAMPING}, "all reset")
        until(lambda: float(field.input_value()) == STIFFNESS, "the value in the page")
        settles(box, rest())

    def test_dragging_the_driven_body_drives_the_input(self, page: Page, box: Mailbox) -> None:
        settles(box, rest())
        x, y, per_meter = grip(page)
        page.mouse.move(x, y)
        page.mouse.down()
        for part in np.linspace(0.0, 0.6, 7):
            page.mouse.move(x, y + part * AXIS * per_meter)
        until(lambda: box.peek()["push"] == pytest.approx(0.6 * HIGHEST, rel=0.02), "the push")
        push = box.peek()["push"]
        settles(box, rest(push))
        assert box.writer is not None
        # beyond the range it is the range's end
        page.mouse.move(x, y + 2.0 * AXIS * per_meter)
        until(lambda: box.peek()["push"] == HIGHEST, "the largest push")
        page.mouse.up()
        until(lambda: box.peek()["push"] == 0.0, "rest")
        until(lambda: box.writer is None, "inputs given back")
        # elsewhere a drag moves the eye and not the pan
        before = page.evaluate("inloop.view.eye.target.toArray()")
        canvas = page.locator("#view").bounding_box()
        assert canvas is not None
        page.mouse.move(canvas["x"] + 60.0, canvas["y"] + 150.0)
        page.mouse.down()
        page.mouse.move(canvas["x"] + 120.0, canvas["y"] + 190.0, steps=4)
        page.mouse.up()
        assert page.evaluate("inloop.view.eye.target.toArray()") != before
        assert box.peek()["push"] == 0.0

    def test_plots_get_every_sample_and_can_be_held(self, page: Page) -> None:
        page.click("#choose-signals")
        page.get_by_role("checkbox", name="push").check()
        page.get_by_role("checkbox", name="z.qd").uncheck()
        page.keyboard.press("Escape")
        page.click("#reset")
        comes(page, "inloop.plots.samples.start < 0.1 && inloop.plots.samples.end > 0.9")
        times, z, push = page.evaluate(
            """() => { const s = inloop.plots.samples; const n = s.length;
            return [s.times, s.columns.get("z.q"), s.columns.get("push")]
                .map((a) => [...a.subarray(0, n)]); }"""
        )
        np.testing.assert_allclose(np.diff(times), 1.0 / RATE, rtol=1e-6)
        assert len(times) > 500 and set(push) == {0.0}
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
        until(
            lambda: np.diff(page.evaluate(scale))[0] == pytest.approx(0.3 * 5.0, rel=0.05), "zoom"
        )
        held = page.evaluate(scale)
        received = page.evaluate("inloop.plots.samples.received")
        comes(page, f"inloop.plots.samples.received > {received} + 200")
        assert page.evaluate(scale) == held
        page.click("#live")
        until(lambda: page.evaluate(scale)[1] > held[1], "following again")

    def test_recording_and_picture_can_be_kept(self, page: Page, words: tuple[str, ...]) -> None:
        page.click("#record")
        comes(page, "document.querySelector('#record').ariaPressed === 'true'")
        until(lambda: list(Path(words[-1]).glob("*.mcap")), "a file")
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
        until(lambda: page.locator("#chip").inner_text() == "running", "the loop again")
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
        assert shown == pytest.approx(page.evaluate("inloop.view.motion.span[0]"), abs=1.0)
        page.get_by_role("button", name="Live", exact=True).first.click()
        assert page.evaluate("inloop.view.moment") is None

    def test_what_the_server_may_tell_is_shown(self, page: Page) -> None:
        stiffness = {"value": 900.0, "low": 0.0, "high": 700.0, "measured": 650.0, "unit": "N/m"}
        data = {"energy": {"value": -0.25, "unit": "J"}, "history": [0.1, 0.0, -0.25],
                "passive": False, "stiffness": stiffness}  # fmt: skip
        receive(page, kind="panel", name="energy", data=data)
        shown = page.locator("#panel-energy").inner_text()
        assert "−0.25 J" in shown and "900 N/m" in shown and "stable to 700 N/m" in shown
        assert page.locator("#panel-energy .bad").count() > 0  # beyond what is stable
        state = {"state": "running", "speed": 1.0, "step": 5, "t": 0.5, "status": "DIVERGED",
                 "flags": [], "overruns": 3, "stale": 0, "lost": 0}  # fmt: skip
        notice = {"level": "error", "text": "the numbers ran away", "fix": "Put it back."}
        # at once: the real state follows soon
        alarm = page.evaluate(
            "(text) => { inloop.connection.receive(text); "
            "return document.querySelector('#alarm').innerText; }",
            json.dumps({"kind": "state", **state, "notice": notice}),
        )
        assert "ran away" in alarm and "Put it back" in alarm and "Reset" in alarm
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
    page.goto(studio.address)
    comes(page, "window.inloop?.hand.device")
    page.evaluate(
        """() => { const event = new Event("gamepadconnected"); event.gamepad = window.pad;
        window.dispatchEvent(event); window.pad.axes[0] = 0.5; }"""
    )
    until(lambda: box.peek()["push"] == 0.5 * HIGHEST, "half a push")
    page.evaluate("window.pad.axes[0] = 0.02")
    until(lambda: box.peek()["push"] == 0.0, "rest")
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Test keys").wait_for()
    page.evaluate("window.port.onmidimessage({ data: [0x90, 60, 100] })")
    until(lambda: box.peek()["push"] == HIGHEST, "a note")
    page.evaluate("window.port.onmidimessage({ data: [0x80, 60, 0] })")
    until(lambda: box.peek()["push"] == 0.0, "its end")
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
    order = ["pause", "step", "reset", "speed", "record", "picture", "theme", "help", "view"]
    assert [name for name in reached if name in order] == order
    # the driven input, by its key
    page.keyboard.down("a")
    until(lambda: box.peek()["push"] == 7.5, "the key's push")
    page.keyboard.up("a")
    until(lambda: box.peek()["push"] == 0.0, "rest")
    # pause, one step, slower, on: when no button has the focus, which keeps the space bar
    page.locator("#view").focus()
    page.keyboard.press("Space")
    until(lambda: box.state is State.PAUSED, "pause")
    step = box.peek().step
    page.keyboard.press(".")
    until(lambda: box.peek().step != step, "a step")
    assert box.peek().step == step + 1
    page.keyboard.press("[")
    until(lambda: page.locator("#speed").input_value() == "0.5", "half speed")
    page.keyboard.press("]")
    until(lambda: page.locator("#speed").input_value() == "1", "full speed")
    page.keyboard.press("Space")
    until(lambda: box.state is State.RUNNING, "running again")
    # the sheet of keys names them all, the device's too
    page.keyboard.press("?")
    sheet = page.locator("#keys").inner_text()
    assert "Pause or go" in sheet and "Drive push" in sheet
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
        x, y, _ = grip(page)
        touch = page.context.new_cdp_session(page)
        for kind, down in (("touchStart", 0.0), ("touchMove", 30.0), ("touchMove", 60.0)):
            point = [{"x": x, "y": y + down}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": point})
        until(lambda: box.peek()["push"] > 1.0, "a push by finger")
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        until(lambda: box.peek()["push"] == 0.0, "rest")
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
        assert "does not answer" in alarm.inner_text()
        assert box.state is State.RUNNING  # the loop does not mind
        frames = page.evaluate("inloop.view.motion.frames.length")
        second = Studio(*words, "--port", port)
        until(lambda: "does not answer" not in alarm.inner_text(), "the link")
        comes(page, f"inloop.view.motion.frames.length !== {frames}")
        second.end()
    assert [error for error in errors if "ERR_CONNECTION_REFUSED" not in error] == []


def test_a_killed_loop_is_told_and_started_again(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    studio = Studio("pendulum", "--port", "0", "--recordings", str(tmp_path))
    try:
        with opened(browser, studio.address, errors) as page:
            assert page.locator("#plant option").count() > 15  # the whole gallery
            loops = children(studio.process.pid)
            assert len(loops) == 1
            os.kill(loops[0], 9)
            alarm = page.locator("#alarm.error")
            alarm.wait_for(state="visible")
            assert "died" in alarm.inner_text()
            page.get_by_role("button", name="Start again").click()
            page.locator("#chip", has_text="running").wait_for()
            assert "died" not in page.locator("#alarm").inner_text()
    finally:
        studio.end()
    assert not errors


def children(process: int) -> list[int]:
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in path.read_text().split()]


def test_dragging_the_key_strikes_the_string(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    size = WIDE if PICTURES else SMALL
    studio = Studio("piano", "--port", "0", "--recordings", str(tmp_path))
    try:
        with opened(browser, studio.address, errors, draws=True, viewport=size) as page:
            page.evaluate("(names) => inloop.plots.choose(names)", PLOTTED)
            with il.attach(studio.plant) as box:
                until(lambda: abs(box.peek()["hammer.qd"]) < 0.01, "the hammer at rest")
                x, y, per_meter = grip(page)
                page.mouse.move(x, y)
                page.mouse.down()
                while box.next() is not None:
                    pass  # records of before
                for part in np.linspace(0.0, 11.5e-3, 5):
                    page.mouse.move(x, y + part * per_meter)
                until(lambda: blow(box) > 1.0, "a blow on the string")
                until(lambda: box.peek()["string.force"] == 0.0, "the hammer back")
                page.mouse.up()
                until(lambda: box.peek()["finger"] == 0.0, "the key let go")
                # a note that sounds is told; a soft touch may make none
                until(lambda: note(page), "a note")
                name, velocity = page.locator("#note").inner_text().split("velocity")
                assert name.strip() and 1 <= int(velocity) <= 127
                keep_pictures(page)
    finally:
        studio.end()
    assert not errors


def test_model_a_runs_away_behind_a_coarse_encoder_and_a_better_sensor_or_b_helps(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    """What Gillespie and Cutkosky saw, with a hand that drags the key in the page."""
    # at the front: a rod of 8 in and 6.5 kg about a point 0.5 in from its middle, 4 in away; on it
    # a rod of 20 in and 10 g that turns 16/17 as fast (it lies at tan h = -1/4)
    key = 6.5 * (0.5**2 + 8.0**2 / 12.0) / 4.0**2
    hammer = 0.01 * (10.0**2 + 20.0**2 / 12.0) / 4.0**2 * (16.0 / 17.0) ** 2
    words = ("simple_action", "--set", "springs=false", "--port", "0", "--recordings")
    studio = Studio(*words, str(tmp_path), "--name", f"browser-action-{os.getpid()}")
    try:
        size = WIDE if PICTURES else SMALL
        draws = PICTURES is not None
        with opened(browser, studio.address, errors, draws=draws, viewport=size) as page:
            panels = lift(page, "smooth")
            assert panels[0]["shown_mass"] == pytest.approx(key + hammer, rel=1e-3)
            assert max(panel["most_force"] for panel in panels) < 30.0
            assert all(panel["notice"] is None for panel in panels)
            keep_picture(page, "studio_device_smooth")

            panels = lift(page, "coarse")
            assert panels[-1]["most_force"] == 40.0 and panels[-1]["least_energy"] < 0.0
            page.get_by_text("is unstable: the motor gives all").wait_for()
            keep_picture(page, "studio_device_coarse")

            # the device stays when the other model is built
            page.locator("#option-panel summary").click()
            page.get_by_label("springs").check()
            page.get_by_role("button", name="Build anew").click()
            comes(page, "inloop.hand.device?.input === 'hand.q'", COMPILATION)
            panels = lift(page, None)
            assert max(panel["most_force"] for panel in panels) < 30.0
            assert all(panel["notice"] is None for panel in panels)
        # it ends with the page: the loop is all that is left
        until(lambda: len(children(studio.process.pid)) == 1, "the end of the device")
    finally:
        studio.end()
    assert not errors


def lift(page: Page, rig: str | None) -> list[dict[str, Any]]:
    """Drag the handle up by 25 mm with a device; what its panels told within 1 s."""
    if rig is not None:
        page.select_option("#rig", rig)
    comes(page, f"inloop.device.rig === '{rig or 'coarse'}' && inloop.device.data?.t < 5")
    x, y, per_meter = grip(page)
    page.mouse.move(x, y)
    page.mouse.down()
    begin = page.evaluate("inloop.device.data.t")
    found = [page.evaluate("inloop.device.data")]
    for part in np.linspace(0.0, 25e-3, 20):
        page.mouse.move(x, y - part * per_meter)
        time.sleep(0.015)
    while found[-1]["t"] < begin + 1.0:
        found.append(page.evaluate("inloop.device.data"))
        time.sleep(0.03)
    page.mouse.up()
    return found


def note(page: Page) -> bool:
    """Press the key that plays; True if the page shows a note."""
    page.keyboard.down("a")
    time.sleep(0.4)
    shown = page.locator("#note").is_visible()
    page.keyboard.up("a")
    time.sleep(0.2)
    return shown


def blow(box: Mailbox) -> float:
    """The largest force on the string in the records since the last time [N]."""
    most = 0.0
    while (outputs := box.next()) is not None:
        most = max(most, outputs["string.force"])
    return most


def keep_picture(page: Page, name: str) -> None:
    """As it is now, if somebody asks for it."""
    if PICTURES is not None:
        page.locator(".limit.measured").wait_for()
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def keep_pictures(page: Page) -> None:
    """Both themes, while nothing moves, if somebody asks for them."""
    if PICTURES is None:
        return
    page.keyboard.down("a")
    time.sleep(2.0)
    page.evaluate("inloop.connection.say('pause')")
    page.locator("#alarm").wait_for(state="hidden")
    for theme in ("light", "dark"):
        page.evaluate(
            "(theme) => { if (document.documentElement.dataset.theme !== theme) "
            "document.querySelector('#theme').click(); }",
            theme,
        )
        time.sleep(1.5)
        page.screenshot(path=Path(PICTURES) / f"studio_{theme}.png")
    page.keyboard.up("a")
    page.evaluate("inloop.connection.say('go')")


LENGTH, MASS_PER_LENGTH, BENDING = 0.8, 0.5, 10.0  # [m], [kg/m], [N·m²]
FIRST = 1.875104**2 / (2.0 * math.pi) * math.sqrt(BENDING / (MASS_PER_LENGTH * LENGTH**4))
SAG = MASS_PER_LENGTH * 9.81 * LENGTH**4 / (8.0 * BENDING)  # of the tip, at rest [m]


def beam() -> il.Model:
    m = il.Model("beam", gravity=(0.0, 0.0, -9.81))
    # turned about and clamped beside the origin: the axes of link, nodes and world all differ
    foot = m.ground.frame("foot", (0.1, 0.2, 0.3), il.rpy(0.0, 0.0, math.pi))
    link = m.flexible_link(
        "beam", on=foot, length=LENGTH, mass_per_length=MASS_PER_LENGTH, EI=BENDING, elements=2
    )
    m.body("knob", on=link.tip, joint=il.revolute("y"), mass=1e-6, inertia=(1e-6, 1e-6, 1e-6))
    m.output("droop", "beam_2_w", lambda q: q, unit="m")
    return m


def spectrum(page: Page, values: np.ndarray) -> Any:
    return page.evaluate(
        """async ([values, rate]) => { const s = await import("/static/spectrum.js");
        const found = s.spectrum(values.map((_, i) => i / rate), values);
        return { ...found, amplitudes: [...found.amplitudes], peak: s.highestPeak(found, 1, 400),
            gap: s.evenFrom([0, 1, 2, 4, 5, 6], [0, 0, 0, 0, 0, 0]),
            lost: s.evenFrom([0, 1, 2, 2, 3], [0, 0, NaN, 0, 0]),
            even: s.evenFrom([0, 1, 2], [0, 0, 0]) }; }""",
        [values.tolist(), RATE],
    )


def check_spectrum(page: Page) -> None:
    """The page's spectrum is numpy's, and a sine of amplitude A shows A at its frequency."""
    t = np.arange(1500) / RATE
    values = 7.0 + 0.3 * np.sin(2 * np.pi * 41.37 * t + 0.4) + 0.02 * np.cos(2 * np.pi * 180.0 * t)
    found = spectrum(page, values)
    window = np.sin(np.pi * (np.arange(1500) + 0.5) / 1500) ** 2
    weighted = window * (values - np.average(values, weights=window))
    expected = 2.0 / window.sum() * np.abs(np.fft.rfft(weighted, 8192))
    np.testing.assert_allclose(found["amplitudes"], expected, rtol=1e-9, atol=1e-13)
    assert found["spacing"] == pytest.approx(RATE / 8192)
    assert found["peak"]["frequency"] == pytest.approx(41.37, abs=0.01)
    assert found["peak"]["amplitude"] == pytest.approx(0.3, rel=0.005)
    assert (found["gap"], found["lost"], found["even"]) == (3, 3, 0)


def where(page: Page, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a body is, as the server says, and where it is shown, at one moment."""
    actual, shown = page.evaluate(
        """(name) => { const { view } = inloop;
        const index = view.scene.bodies.findIndex((body) => body.name === name);
        const actual = [...view.bodies.slice(7 * index, 7 * index + 3)];
        return [actual, view.nodes.get(name).position.toArray()]; }""",
        name,
    )
    return np.array(actual), np.array(shown)


def test_spectrum_and_scaled_bending(browser: Browser, tmp_path: Path, errors: list[str]) -> None:
    make_stage(beam().build(), plots=("droop",)).save(tmp_path / "stage.json")
    plant, name = beam().compile(backend="c"), f"beam-{os.getpid()}"
    with il.start(plant, name=name, rate=RATE, priority=None, lock_memory=False, stale_after=None):
        studio = Studio("--attach", name, "--stage", str(tmp_path / "stage.json"), "--port", "0")
        try:
            with opened(browser, studio.address, errors) as page:
                check_spectrum(page)
                page.select_option("#window", "2")
                page.click("#spectrum")
                comes(page, "inloop.plots.samples.end - inloop.plots.samples.start > 2.2")
                page.click("#pause")
                page.locator("#chip", has_text="paused").wait_for()
                page.evaluate("inloop.plots.chooseBand(null) ?? inloop.plots.draw()")
                peak = page.evaluate("inloop.plots.charts[0].peaks[0]")
                # Euler & Bernoulli; let go from straight it swings about the sag, by nearly all
                assert peak["frequency"] == pytest.approx(FIRST, rel=0.01)
                assert peak["amplitude"] == pytest.approx(SAG, rel=0.05)
                # a record that was lost: only what follows is even, and the plot says so
                page.evaluate(
                    """() => { const { plots } = inloop; const { samples } = plots;
                    samples.columns.get("droop")[samples.length - 1002] = NaN;
                    plots.chooseBand(null); plots.draw(); }"""
                )
                note = page.locator("#plot-note").inner_text()
                assert note == "uneven samples: spectrum of the last 1 s"
                check_bending(page)
        finally:
            studio.end()
    assert not errors


def check_bending(page: Page) -> None:
    """The page shows the tip so many times as far from where it is on the straight beam."""
    rests = {"beam_1": np.array([0.1 - LENGTH / 2, 0.2, 0.3])}
    rests |= dict.fromkeys(("beam_2", "knob"), np.array([0.1 - LENGTH, 0.2, 0.3]))
    for name in rests:
        actual, shown = where(page, name)
        assert shown == pytest.approx(actual)
    slider = page.get_by_role("slider", name="Deflection")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator("#deflection output").inner_text() == "×10"
    for name, rest in rests.items():
        actual, shown = where(page, name)
        assert actual[2] != rest[2]  # it is bent
        assert shown == pytest.approx(rest + 10.0 * (actual - rest), abs=1e-5)
    # in a loop: from the chord through (2, 0.1), which the tip and what hangs on it do not leave
    turn = [0.0, 0.0, 0.0, 1.0]
    poses = [1.0, 0.06, 0.0, *turn, 2.0, 0.1, 0.0, *turn, 2.5, 0.1, 0.0, *turn]
    link = {"body": -1, "p": [0, 0, 0], "axes": np.eye(3).tolist(), "along": [1, 0, 0],
            "nodes": [{"body": 0, "rest": 1}, {"body": 1, "rest": 2}], "looped": True}  # fmt: skip
    scene = {"bodies": [{"parent": -1}, {"parent": -1}, {"parent": 1}], "flexible": [link]}
    found = page.evaluate(
        """async ([poses, scene]) =>
        (await import("/static/bending.js")).exaggerate(poses, scene, 10)""",
        [poses, scene],
    )
    positions = np.array(found).reshape(3, 7)[:, :3]
    assert positions == pytest.approx(np.array([[1.0, 0.15, 0], [2.0, 0.1, 0], [2.5, 0.1, 0]]))
