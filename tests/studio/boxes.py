"""Pictures and measured boxes of exhibits in the studio, light and dark, on desks and phones.

    python tests/studio/boxes.py --to pictures            # all exhibits
    python tests/studio/boxes.py --to pictures piano car  # some

Tells of every text that is cut and of everything that overlaps or covers the mechanism; the exit
code is 1 if there is anything to tell.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from exhibit_pages import exhibit_pages

CHROMIUM = "/usr/bin/chromium"
MEASURE = (Path(__file__).parent / "boxes.js").read_text(encoding="utf-8")
LAID_OUT = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

# all panels, with what there is to know of the last body
OPEN_ALL = """() => {
    const panels = [...document.querySelectorAll("aside details")];
    const shut = panels.flatMap((panel, k) => (panel.open ? [] : [k]));
    for (const panel of panels) panel.open = true;
    inloop.inspector.select(inloop.inspector.anatomy.bodies.length - 1, false);
    return shut;
}"""
CLOSE = """(shut) => {
    const panels = [...document.querySelectorAll("aside details")];
    for (const k of shut) panels[k].open = false;
    inloop.inspector.select(-1, false);
}"""


def complaints(page: Page) -> list[str]:
    """What is cut, overlaps, or covers the mechanism, in words."""
    page.evaluate(LAID_OUT)
    found: list[str] = page.evaluate(MEASURE)
    return found


def walk(
    browser: Browser, names: Sequence[str], folder: Path | None, errors: list[str], **options: Any
) -> Iterator[str]:
    """Complaints about exhibits in each size and theme.

    Args:
        browser: Chromium.
        names: of the exhibits; all by default.
        folder: for pictures; None: none are made.
        errors: what the browser complains of is added here.
        options: of `exhibit_pages`.
    """
    draws = folder is not None
    for shown in exhibit_pages(browser, errors, names=names, draws=draws, **options):
        yield from (f"{shown}: {what}" for what in complaints(shown.page))
        if folder is not None:
            shown.page.screenshot(path=folder / f"{shown}.png")
        was_open = shown.page.evaluate(OPEN_ALL)
        yield from (f"{shown}, all panels open: {what}" for what in complaints(shown.page))
        shown.page.evaluate(CLOSE, was_open)


def main() -> int:
    parser = argparse.ArgumentParser(description="Pictures and boxes of exhibits in the studio.")
    parser.add_argument("exhibits", nargs="*", help="all of the gallery by default")
    parser.add_argument("--to", type=Path, help="directory for pictures")
    args = parser.parse_args()
    if args.to is not None:
        args.to.mkdir(parents=True, exist_ok=True)
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    errors: list[str] = []
    count = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        for complaint in walk(browser, args.exhibits, args.to, errors):
            print(complaint, flush=True)
            count += 1
        browser.close()
    for error in errors:
        print(error)
    print(f"{count} complaints")
    return 1 if count or errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
