"""The page in Debian's Chromium, and a studio for it; plants whose clock stands.

Time of a plant passes when a test says so, in portions that the page has seen before the next one
begins; what a hand does in the page has reached the studio before the plant goes on.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from inloop.realtime import Mailbox
from warm_python import WarmPython

HANG = 180.0  # [s] after which something that should happen never will, compilation included
PORTION = 0.1  # [s] of the plant's time: far less than its watchdog waits
SMALL = {"width": 1000, "height": 620}
STEPS = 10_000  # of a plant until something that should happen never will

# polling by Playwright would need `unsafe-eval`, which the page forbids
WAIT = """() => new Promise((done, fail) => {
    const seen = () => document.body.innerText;
    const end = setTimeout(() => fail(new Error(`it did not come: ${seen()}`)), %d);
    const look = setInterval(() => {
        if (!(%s)) return;
        clearInterval(look);
        clearTimeout(end);
        done();
    }, 10);
})"""
# a place of the window where a body is seen, well inside of it
FIND = """([body, far]) => {
    const { picking, view } = inloop, box = view.canvas.getBoundingClientRect();
    for (let y = box.top + 3; y < box.bottom; y += 3)
        for (let x = box.left + 3; x < box.right; x += 3)
            if ([[0, 0], [far, 0], [-far, 0], [0, far], [0, -far]].every(
                ([dx, dy]) => picking.pick(x + dx, y + dy)?.index === body)) return [x, y];
    return null;
}"""
# no picture of the mechanism, and what goes on with each picture only some 25 times per second: a
# processor that draws spends most of its time on what no such test looks at
UNDRAWN = """(() => {
    let parts;
    Object.defineProperty(window, "inloop", {
        get: () => parts,
        set(found) {
            parts = found;
            parts.view.draw = () => parts.view.eye.apply();
        },
    });
    window.requestAnimationFrame = (call) => setTimeout(() => call(performance.now()), 40);
    window.cancelAnimationFrame = clearTimeout;
})()"""
# the studio answers in the order in which it is asked
PING = "(() => { inloop.connection.ping(); return [...inloop.connection.pings.keys()].at(-1); })()"


class Studio:
    """`inloop studio …` in a process of its own."""

    def __init__(self, *words: str) -> None:
        command = ["-m", "inloop.cli", "studio", *words, "--no-browser", "--json"]
        self.process = WarmPython(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            with contextlib.suppress(ValueError):
                told = json.loads(text)
                self.address, self.plant = told["address"], told["plant"]
                return
        pytest.fail(f"the studio did not start: {text}")

    @property
    def children(self) -> list[int]:
        """All processes that it has started."""
        number = self.process.pid
        path = Path(f"/proc/{number}/task/{number}/children")
        return [int(word) for word in path.read_text().split()]

    def end(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=HANG)


@contextlib.contextmanager
def own_plant(*words: str, recordings: Path) -> Iterator[Studio]:
    """A studio with a plant of its own, whose clock stands."""
    name = f"browser-{Path(words[0]).stem}-{os.getpid()}"
    studio = Studio(
        *words, "--clock", "held", "--port", "0", "--recordings", str(recordings), "--name", name
    )
    try:
        yield studio
    finally:
        studio.end()


@contextlib.contextmanager
def opened(
    browser: Browser,
    address: str,
    errors: list[str],
    *,
    draws: bool = False,
    asked: list[str] | None = None,
    **options: Any,
) -> Iterator[Page]:
    """The page; pictures cost most of the time, so that only who needs them lets it draw.

    Args:
        browser: Chromium.
        address: of the studio.
        errors: what the browser complains of is added here.
        draws: whether the mechanism is drawn.
        asked: addresses that the page asks for are added here.
        options: of the context, such as the size of the window.
    """
    context = browser.new_context(**{"viewport": SMALL, **options})
    if not draws:
        context.add_init_script(UNDRAWN)
    page = context.new_page()
    if asked is not None:
        page.on("request", lambda request: asked.append(request.url))
    page.set_default_timeout(1000.0 * HANG)
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    comes(page, "window.inloop?.view.motion.frames.length > 0")
    # a studio on a busy machine may be silent for a while
    page.evaluate("inloop.connection.watch = () => {}")
    try:
        yield page
    finally:
        context.close()


def draw_no_more(page: Page) -> None:
    """Whatever the page shows from now on, nobody looks at the mechanism."""
    page.evaluate("inloop.view.draw = () => inloop.view.eye.apply()")


def comes(page: Page, expression: str) -> None:
    """Wait until an expression is true in the page."""
    page.evaluate(WAIT % (1000 * HANG, expression))


def says(page: Page, selector: str, text: str) -> None:
    """Wait until an element of the page has a text, and no other."""
    comes(page, f"document.querySelector('{selector}').textContent === '{text}'")


def heard(page: Page) -> None:
    """Wait until the studio has heard all that the page has said."""
    token = page.evaluate(f"String({PING})")
    comes(page, f"!inloop.connection.pings.has({token}n)")


def held(page: Page, value: float) -> None:
    """Wait until the hand holds an input at a value and the studio has heard of it."""
    sent = "[...inloop.inputs.held.values()].every(({ timer }) => !timer)"
    comes(page, f"Math.abs(inloop.hand.value - {value!r}) < 1e-9 && {sent}")
    heard(page)


def let_go(page: Page) -> None:
    """Wait until the hand is at rest and has given the inputs back."""
    comes(page, "inloop.inputs.held.size === 0 && !inloop.inputs.taken")
    heard(page)


def seen(page: Page, box: Mailbox) -> None:
    """Wait until the page has got the newest outputs."""
    comes(page, f"inloop.view.motion.frames.at(-1)?.sequence >= {box.peek().sequence}")


def pass_time(page: Page, box: Mailbox, seconds: float) -> None:
    """Let time pass at the plant."""
    end = box.clock.now + seconds
    while (left := end - box.clock.now) > 1e-9:
        box.clock.advance(min(left, PORTION))
        seen(page, box)


def step_until(page: Page, box: Mailbox, look: Callable[[], bool]) -> None:
    """Let the plant go on step by step until something is true, which needs only few."""
    for _ in range(STEPS):
        if look():
            return
        pass_time(page, box, box.layout.period)
    pytest.fail(f"it did not happen within {STEPS} steps")


def wait_for_end(process: int) -> None:
    """Wait until a process is gone."""
    try:
        number = os.pidfd_open(process)
    except ProcessLookupError:
        return
    ended = select.select([number], [], [], HANG)[0]
    os.close(number)
    assert ended


def grip(page: Page) -> tuple[float, float, float]:
    """Where the driven body can be gripped [px], and how many pixels are a meter."""
    # where it is shown, which follows the newest outputs
    rests = "inloop.view.shown?.before === inloop.view.motion.frames.at(-1)"
    comes(page, f"{rests} && !inloop.view.eye.goal && !inloop.view.changed")
    x, y, per_meter = page.evaluate(
        """() => { const { pointer, view } = inloop; const [x, y] = pointer.seen(pointer.handle());
        const box = view.canvas.getBoundingClientRect();
        return [box.left + x, box.top + y, 1 / view.eye.perPixel(view.height)]; }"""
    )
    assert math.isfinite(x) and math.isfinite(y)
    return x, y, per_meter
