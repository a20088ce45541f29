"""Look at the built site: `python docs/site/site_pictures.py build/site build/pictures [--live]`.

Opens every page in Chromium at 1440 and 390 pixels, lists what is wrong there (a page that scrolls
sideways, pictures that are missing, errors of the browser) and writes sheets with pictures of all
pages. With --live the live pages are opened, and have to run, in place of the others.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
SIZES = {"desk": (1440, 900), "phone": (390, 844)}  # of the window [px]
SHEET_WIDTHS = {"desk": 400, "phone": 200}  # of a page on a sheet [px]
COLUMNS = {"desk": 5, "phone": 10}
ROWS = 2
TALLEST = 2.2  # of what a sheet shows of a page, in widths of the desk; twice that on a phone
LIVE = "live"
WITHIN = 120_000  # in which a live page must run [ms]
FAULTS = """() => {
    const width = document.documentElement.clientWidth;
    const found = [];
    if (document.documentElement.scrollWidth > width) {
        const wide = [...document.querySelectorAll("body *")].filter(
            (x) => x.getBoundingClientRect().right > width + 1 && x.getClientRects().length);
        const named = wide.slice(0, 3).map((x) => `${x.tagName.toLowerCase()}.${x.className}`);
        found.push(`scrolls sideways: ${document.documentElement.scrollWidth} px, ${named}`);
    }
    for (const picture of document.images)
        if (picture.complete && !picture.naturalWidth) found.push(`no picture ${picture.src}`);
    return found;
}"""
RUNS = """(end) => new Promise((done) => {
    const look = setInterval(() => {
        const runs = window.inloop?.view.motion.frames.length > 1 && inloop.view.rendered > 1;
        if (!runs && performance.now() < end) return;
        clearInterval(look);
        done(runs);
    }, 50);
})"""


def site_pages(site: Path, live: bool = False) -> list[Path]:
    """Pages of the site, or its live pages."""
    found = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    return [path for path in found if (path.parent.name == LIVE) == live]


def looked_at(
    browser: Browser, pages: Iterable[Path], size: str, live: bool = False
) -> Iterator[tuple[Path, list[str], bytes]]:
    """Each page, what is wrong with it, and its picture."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height})
    if not live:
        # frames with live pages would run all at once
        context.route(f"**/{LIVE}/*.html", lambda route: route.fulfill(body="<p>live</p>"))
    for path in pages:
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda m, f=faults: f.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error, f=faults: f.append(str(error)))
        page.goto(path.resolve().as_uri())
        if live and not page.evaluate(RUNS, WITHIN):
            faults.append("does not run")
        _show_late_pictures(page)
        faults += page.evaluate(FAULTS)
        yield path, faults, page.screenshot(full_page=not live)
        page.close()
    context.close()


def _show_late_pictures(page: Page) -> None:
    """Pictures that wait until they are scrolled to are loaded now."""
    page.evaluate("""() => Promise.all([...document.images].map((x) => {
        x.loading = "eager";
        return x.decode().catch(() => null);
    }))""")


def contact_sheets(pictures: list[tuple[str, bytes]], size: str, folder: Path) -> Iterator[Path]:
    """Write pictures side by side, each with its name above it."""
    width, columns = SHEET_WIDTHS[size], COLUMNS[size]
    tallest = round(width * TALLEST * (1 if size == "desk" else 2))
    head, gap = 14, 4
    each = columns * ROWS
    for number, first in enumerate(range(0, len(pictures), each)):
        group = pictures[first : first + each]
        shown = [_scaled(content, width, tallest) for _, content in group]
        row = head + max(picture.height for picture in shown)
        sheet = Image.new("RGB", (columns * (width + gap), ROWS * row), "#888")
        draw = ImageDraw.Draw(sheet)
        for k, ((name, _), picture) in enumerate(zip(group, shown, strict=True)):
            x, y = k % columns * (width + gap), k // columns * row
            sheet.paste(picture, (x, y + head))
            draw.text((x + 2, y + 1), name, fill="white")
        file = folder / f"{size}_{number:02}.png"
        sheet.save(file)
        yield file


def _scaled(content: bytes, width: int, tallest: int) -> Image.Image:
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    picture = picture.resize((width, max(1, picture.height * width // picture.width)))
    return picture.crop((0, 0, width, min(picture.height, tallest)))


def main() -> None:
    """Look at everything; status 1 if something is wrong."""
    parser = argparse.ArgumentParser(description="Look at the built site in Chromium.")
    parser.add_argument("site", type=Path)
    parser.add_argument("pictures", type=Path, help="folder to write sheets into")
    parser.add_argument("--live", action="store_true", help="the live pages")
    parser.add_argument("--names", nargs="*", default=[], help="of some pages: boards, gallery/car")
    given = parser.parse_args()
    given.pictures.mkdir(parents=True, exist_ok=True)
    pages = site_pages(given.site, given.live)
    names = {path: path.relative_to(given.site).with_suffix("").as_posix() for path in pages}
    pages = [path for path in pages if not given.names or names[path] in given.names]
    wrong = 0
    words = ["--enable-unsafe-swiftshader", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=words)
        for size in SIZES:
            pictures = []
            for path, faults, picture in looked_at(browser, pages, size, given.live):
                pictures.append((names[path], picture))
                wrong += len(faults)
                for fault in faults:
                    print(f"{names[path]} at {SIZES[size][0]} px: {fault}", flush=True)
            for file in contact_sheets(pictures, size, given.pictures):
                print(file, flush=True)
        browser.close()
    print(f"{len(pages)} pages, {wrong} faults")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
