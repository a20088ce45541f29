"""Pictures and measured boxes of exhibits in the studio, light and dark, on desks and phones.

    python tests/studio/boxes.py --to pictures            # all exhibits
    python tests/studio/boxes.py --to pictures piano car  # some

Tells of every text that is cut and of everything that overlaps or covers the mechanism; ends with
the number of complaints.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from browser_page import Studio, comes, pass_time, seen

import inloop as il
from inloop import gallery
from inloop.realtime import Mailbox

MEASURE = (Path(__file__).parent / "boxes.js").read_text(encoding="utf-8")
THEMES = ("light", "dark")
PHONE = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SIZES: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, **PHONE},
    "landscape": {"viewport": {"width": 844, "height": 390}, **PHONE},
}
CHROMIUM = "/usr/bin/chromium"
SECONDS = 0.25  # of the plant's time that are shown


def complaints(page: Page) -> list[str]:
    """What is cut, overlaps, or covers the mechanism, in words."""
    # the page is laid out, and its plots have their sizes
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    found: list[str] = page.evaluate(MEASURE)
    return found


def show(page: Page, theme: str) -> None:
    """Light or dark."""
    if page.evaluate("document.documentElement.dataset.theme") != theme:
        page.click("#theme")


def walk(browser: Browser, exhibits: list[str], folder: Path | None) -> int:
    """Each exhibit in each size and theme; returns how many complaints there are."""
    count = 0
    with tempfile.TemporaryDirectory() as recordings:
        studio = Studio(
            "pendulum", "--clock", "held", "--port", "0", "--recordings", recordings,
            "--name", f"boxes-{os.getpid()}",
        )  # fmt: skip
        try:
            with contextlib.ExitStack() as stack:
                pages = {
                    size: stack.enter_context(_opened(browser, studio.address, options))
                    for size, options in SIZES.items()
                }
                for name in exhibits:
                    count += _look_at(pages, studio.plant, name, folder)
        finally:
            studio.end()
    return count


@contextlib.contextmanager
def _opened(browser: Browser, address: str, options: dict[str, Any]) -> Any:
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(address)
    comes(page, "window.inloop?.view.motion.frames.length > 0")
    page.evaluate("inloop.connection.watch = () => {}")
    yield page
    context.close()


def _look_at(pages: dict[str, Page], plant: str, name: str, folder: Path | None) -> int:
    desk, count = pages["desk"], 0
    if desk.evaluate("document.body.dataset.plant") != name:
        desk.evaluate(f"inloop.connection.say({{ do: 'choose', name: '{name}' }})")
    for page in pages.values():
        comes(page, f"document.body.dataset.plant === '{name}'")
        comes(page, "inloop.view.motion.frames.length > 0 && inloop.transport.state === 'running'")
    with il.attach(plant) as box:
        _pass(pages, box)
        for size, page in pages.items():
            for theme in THEMES:
                show(page, theme)
                for complaint in complaints(page):
                    count += 1
                    print(f"{name}, {size}, {theme}: {complaint}")
                if folder is not None:
                    comes(page, "!inloop.view.drawing && !inloop.view.changed")
                    page.screenshot(path=folder / f"{name}_{size}_{theme}.png")
    sys.stdout.flush()
    return count


def _pass(pages: dict[str, Page], box: Mailbox) -> None:
    pass_time(pages["desk"], box, SECONDS)
    for page in pages.values():
        seen(page, box)


def main() -> int:
    parser = argparse.ArgumentParser(description="Pictures and boxes of exhibits in the studio.")
    parser.add_argument("exhibits", nargs="*", help="all of the gallery by default")
    parser.add_argument("--to", type=Path, help="directory for pictures")
    args = parser.parse_args()
    if args.to is not None:
        args.to.mkdir(parents=True, exist_ok=True)
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        count = walk(browser, args.exhibits or list(gallery.names()), args.to)
        browser.close()
    print(f"{count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main())
