"""A wall of thirty bricks and a rover in the studio at 1 kHz, dragged by a mouse in Chromium.

python -m benchmarks.hands [--pictures DIRECTORY]
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, Row, note, progress, show
from benchmarks.studio import started_studio, wait_for
from inloop.errors import MailboxError
from inloop.realtime.statistics import Histogram, Statistics

SIZE = {"width": 900, "height": 800}
PATIENCE = 300.0  # [s] until a plant runs
PERIOD_BAR = 1000.0  # [µs]
TRIES = 10  # attempts to grab a body
# window coordinates of the centers of bodies, by name
PLACES = """() => { const { picking, view } = inloop, box = view.canvas.getBoundingClientRect();
    const sums = {};
    for (let y = box.top + 3; y < box.bottom; y += 3)
        for (let x = box.left + 3; x < box.right; x += 3) {
            const index = picking.pick(x, y)?.index;
            // words of the page may be before it
            if (index !== undefined && document.elementFromPoint(x, y) === view.canvas)
                (sums[view.scene.bodies[index].name] ??= []).push([x, y]);
        }
    const middle = ([name, list]) => [name, list[Math.floor(list.length / 2)]];
    return Object.fromEntries(Object.entries(sums).map(middle)); }"""
COUNTED = ("steps", "overruns", "too_long", "skipped", "failed", "inexact_contacts")
HEADERS = ["1 kHz, step [µs]", "steps", "p50", "p99", "most", "late", "too long", "skipped",
           "inexact"]  # fmt: skip
LEGEND = """\
What the loop itself has counted while a mouse did this: p50 and p99 by the wall clock, most by
processor time, to 3 %. late: periods in which no step was finished, whoever else had the processor;
too long: of them those in which the step itself took longer. skipped: steps that were given up.
inexact: steps that ended with CONTACT_INEXACT."""

Point = tuple[float, float]


class Mouse:
    """The mouse of a person on a page."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def places(self) -> dict[str, Point]:
        """Window coordinates of bodies."""
        return {name: (x, y) for name, (x, y) in self.page.evaluate(PLACES).items()}

    def seen(self, name: str) -> Point:
        """Window coordinates of the first body whose name has this prefix."""
        places = self.places()
        return next(places[each] for each in sorted(places) if each.startswith(name))

    def take(self, name: str) -> Point:
        """Grab a body and return the position; retries if it has moved meanwhile."""
        for _ in range(TRIES):
            at = self.seen(name)
            self.page.mouse.move(*at)
            self.page.mouse.down()
            self.page.mouse.move(at[0] + 6, at[1])
            time.sleep(0.3)
            if self.page.evaluate("inloop.touch.grasp !== null"):
                return at
            self.page.mouse.up()
        raise TimeoutError(f"'{name}' cannot be held")

    def draw(self, at: Point, by: Point, moves: int) -> None:
        """Drag it with a number of mouse moves."""
        for k in range(1, moves + 1):
            part = k / moves
            self.page.mouse.move(at[0] + part * by[0], at[1] + part * by[1])
            time.sleep(1.0 / 60.0)

    def let_go(self) -> None:
        """Release the mouse button."""
        self.page.mouse.up()

    def pin(self) -> None:
        """Pin it at the current position."""
        self.page.keyboard.press("h")
        self.page.mouse.up()

    def begin_anew(self) -> None:
        """Reset to the initial state and release all grips."""
        self.page.evaluate("inloop.touch.letGo(); inloop.touch.firmness = 1")
        self.page.keyboard.press("Home")
        time.sleep(0.5)


def _stand(mouse: Mouse) -> None:
    time.sleep(2.0)


def _strike(mouse: Mouse) -> None:
    """Drag the ball along the wall and away from it, and let it swing."""
    at = mouse.take("ball")
    mouse.draw(at, (120.0, -20.0), 20)
    time.sleep(0.7)
    mouse.let_go()
    time.sleep(2.5)


def _sweep(mouse: Mouse) -> None:
    """Grab a brick of the middle course with a stiff grip, and shake the wall with it."""
    at = mouse.take("brick_3")
    mouse.page.evaluate("inloop.touch.change(256)")
    for by in ((70.0, 20.0), (-90.0, 10.0), (110.0, 30.0), (-110.0, -60.0)):
        mouse.draw(at, by, 6)
    mouse.let_go()
    time.sleep(2.0)


def _throw(mouse: Mouse) -> None:
    """Throw a brick out of view."""
    at = mouse.take("brick_5")
    mouse.draw(at, (-at[0], -at[1]), 5)
    mouse.let_go()
    time.sleep(1.5)


def _hold_inside(mouse: Mouse) -> None:
    """Hold a brick inside the wall while the ball hits it, and release it."""
    mouse.take("brick_1")
    mouse.pin()
    time.sleep(0.3)
    _strike(mouse)
    mouse.page.evaluate("inloop.touch.letGo()")
    time.sleep(1.5)


def _hold_two(mouse: Mouse) -> None:
    """Drag one brick out and pin it, drag another one against it, and release both."""
    at = mouse.take("brick_4")
    mouse.draw(at, (-50.0, -30.0), 10)
    mouse.pin()
    at = mouse.take("brick_2")
    mouse.draw(at, (-60.0, 20.0), 10)
    time.sleep(0.5)
    mouse.let_go()
    mouse.page.evaluate("inloop.touch.letGo()")
    time.sleep(1.5)


def _tap(mouse: Mouse) -> None:
    """Click on bricks and release them at once."""
    for brick in ("brick_1", "brick_3", "brick_5"):
        x, y = mouse.seen(brick)
        mouse.page.mouse.move(x, y)
        mouse.page.mouse.down()
        mouse.page.mouse.move(x + 40.0, y - 30.0)
        mouse.let_go()
    time.sleep(0.5)


def _drive(mouse: Mouse) -> None:
    """Forward over the hills, and around a curve."""
    keyboard = mouse.page.keyboard
    keyboard.down("ArrowUp")
    time.sleep(3.0)
    keyboard.down("ArrowLeft")
    time.sleep(2.0)
    keyboard.up("ArrowLeft")
    keyboard.up("ArrowUp")
    time.sleep(0.5)


def _lift(mouse: Mouse) -> None:
    """Lift the rover by its trunk, and throw it over."""
    mouse.page.get_by_role("button", name="Free").click()
    time.sleep(1.0)
    at = mouse.take("trunk")
    mouse.draw(at, (30.0, -80.0), 20)
    time.sleep(0.5)
    mouse.draw((at[0] + 30.0, at[1] - 80.0), (-160.0, 30.0), 5)
    mouse.let_go()
    time.sleep(2.5)


ACTS: dict[str, dict[str, Callable[[Mouse], None]]] = {
    "wall": {
        "stands": _stand, "struck by the ball": _strike, "shaken by a brick": _sweep,
        "brick thrown out of the picture": _throw, "brick held inside, struck": _hold_inside,
        "two bricks drawn out": _hold_two, "bricks tapped": _tap,
    },
    "rover": {"stands": _stand, "driven by keys": _drive, "lifted and thrown": _lift},
}  # fmt: skip


def run(pictures: Path | None = None) -> Findings:
    """Measure, print, and return the figures."""
    findings = Findings()
    for mechanism in ACTS:
        findings.rows += _measure(mechanism, pictures)
    show(HEADERS, [_cells(row) for row in findings.rows])
    note(LEGEND)
    note(f"Load of the machine: {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores.")
    for mechanism in ACTS:
        rows = [row for row in findings.rows if row["mechanism"] == mechanism]
        slowest = max(row["p99"] for row in rows)
        given_up = sum(row["skipped"] + row["failed"] for row in rows)
        name = f"hands: {mechanism}"
        findings.bars += [
            Bar(f"{name}, p99 of the slowest act", slowest, PERIOD_BAR, "µs", at_least=False),
            Bar(f"{name}, steps given up or failed", given_up, 0.0, at_least=False),
        ]
    return findings


def _measure(mechanism: str, pictures: Path | None) -> list[Row]:
    """All actions with one mechanism, in a separate studio."""
    rows: list[Row] = []
    with _page(mechanism) as (page, box):
        mouse = Mouse(page)
        for act, do in ACTS[mechanism].items():
            progress(f"hands: {mechanism}, {act}")
            before = box.statistics()
            do(mouse)
            rows.append(_row(mechanism, act, before, box.statistics()))
            if not np.isfinite(box.peek().values).all():
                raise RuntimeError(f"'{mechanism}' is no more anywhere: {act}")
            if pictures is not None:
                name = f"{mechanism}_{act.replace(' ', '_').replace(',', '')}.png"
                page.screenshot(path=pictures / name)
            mouse.begin_anew()
    return rows


@contextmanager
def _page(mechanism: str) -> Iterator[tuple[Any, Any]]:
    """The page of a studio in Chromium, and the mailbox of its plant."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise FileNotFoundError("the program 'chromium' is not installed")
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with started_studio(mechanism) as told, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=words)
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(1000.0 * PATIENCE)
        page.goto(told["address"])
        wait_for(page, "window.inloop?.view.motion.frames.length > 60", PATIENCE)
        with _attached(told["plant"]) as box:
            yield page, box
        browser.close()


def _attached(name: str) -> Any:
    """The mailbox of a plant, as soon as it runs."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return il.attach(name)
        except MailboxError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _row(mechanism: str, act: str, before: Statistics, after: Statistics) -> Row:
    """Differences of the counters between two readings."""
    wall, used = (_between(before, after, name) for name in ("step", "step_cpu"))
    # the longest step of the action is known by its bin
    most = used.quantile(1.0 - 0.5 / max(1, used.count))
    times = {"p50": wall.quantile(0.5), "p99": wall.quantile(0.99), "most": most}
    counted = {name: after[name] - before[name] for name in COUNTED}
    return {"mechanism": mechanism, "act": act, **times, **counted}


def _between(before: Statistics, after: Statistics, name: str) -> Histogram:
    """Histogram of the times between two readings."""
    new, old = after.histograms[name], before.histograms[name]
    return Histogram(new.counts - old.counts, new.total - old.total, new.most)


def _cells(row: Row) -> list[str]:
    times = [f"{row[name]:.0f}" for name in ("p50", "p99", "most")]
    counts = [str(row[name]) for name in ("overruns", "too_long", "skipped", "inexact_contacts")]
    return [f"{row['mechanism']}: {row['act']}", str(row["steps"]), *times, *counts]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="a directory that is there, for screenshots")
    found = run(parser.parse_args().pictures)
    show(["figure", "measured", "bar", ""], [bar.cells() for bar in found.bars])
