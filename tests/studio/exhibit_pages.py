"""A walk over the pages of all exhibits: each in light and dark, on a desk and on phones.

    for shown in exhibit_pages(browser, errors):
        shown.page.screenshot(path=f"{shown}.png")

One studio shows one exhibit after the other. Its clock stands: each exhibit has run for a moment of
its own time, and what is shown of it has been drawn, before the walk hands a page over.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from browser_page import comes, opened, own_plant, pass_time
from playwright.sync_api import Browser, Page

import inloop as il
from inloop import gallery

THEMES = ("light", "dark")
SIZES: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1440, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "landscape": {
        "viewport": {"width": 844, "height": 390},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
}
MOMENT = 0.5  # [s] of the plant's clock


@dataclass(frozen=True)
class ExhibitPage:
    """A page that shows an exhibit.

    Attributes:
        exhibit: its name in the gallery.
        theme: "light" or "dark".
        size: one of `SIZES`.
        page: with the studio; other exhibits follow in the same one.
    """

    exhibit: str
    theme: str
    size: str
    page: Page

    def __str__(self) -> str:
        return f"{self.exhibit}_{self.size}_{self.theme}"


def exhibit_pages(
    browser: Browser,
    errors: list[str],
    *,
    names: Sequence[str] = (),
    themes: Sequence[str] = THEMES,
    sizes: Sequence[str] = tuple(SIZES),
    draws: bool = True,
    style: str = "",
    seconds: float = MOMENT,
    moments: Mapping[str, float] | None = None,
) -> Iterator[ExhibitPage]:
    """Pages of exhibits, one after the other.

    Args:
        browser: Chromium.
        errors: what the browser complains of is added here.
        names: exhibits, in this order; all of the gallery by default.
        themes: of `THEMES`.
        sizes: of `SIZES`.
        draws: whether the mechanism is drawn, which costs most of the time.
        style: "full" or "simple"; what the page chooses by default.
        seconds: how long each exhibit has run, on the plant's clock [s].
        moments: other times for some exhibits, by name [s].
    """
    wanted = tuple(names) or tuple(gallery.names())
    with contextlib.ExitStack() as open_things:
        folder = Path(open_things.enter_context(tempfile.TemporaryDirectory()))
        studio = open_things.enter_context(own_plant(wanted[0], recordings=folder))
        pages = {
            size: open_things.enter_context(
                opened(browser, studio.address, errors, draws=draws, **SIZES[size])
            )
            for size in sizes
        }
        for page in pages.values():
            page.evaluate(SET_STYLE, style)
        for name in wanted:
            first = next(iter(pages.values()))
            if first.evaluate("document.body.dataset.plant") != name:
                first.evaluate("(name) => inloop.transport.choose(name, {})", name)
            for page in pages.values():
                greeted = f"document.body.dataset.plant === '{name}'"
                comes(page, f"{greeted} && inloop.view.motion.frames.length > 0")
            with il.attach(studio.plant) as box:
                pass_time(first, box, (moments or {}).get(name, seconds))
                for theme in themes:
                    for size, page in pages.items():
                        page.evaluate(SET_THEME, theme)
                        if draws:
                            page.evaluate(DRAWN)
                        yield ExhibitPage(name, theme, size, page)


SET_THEME = """(theme) => {
    if (document.documentElement.dataset.theme !== theme)
        document.getElementById("theme").click();
}"""
SET_STYLE = """(style) => {
    if (style && inloop.view.quality.style !== style) document.getElementById("style").click();
}"""
# asking for the picture waits until it is drawn; it is on the screen two frames later
DRAWN = """async () => {
    const { view } = inloop;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    while (!view.settled) await frame();
    await view.picture();
    await frame();
    await frame();
}"""
