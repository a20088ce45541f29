"""Links within the built site: every page, file and anchor that is named must be there."""

from __future__ import annotations

import posixpath
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page names, and what can be named in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect addresses and ids."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def dead_links(site: Path) -> list[str]:
    """Links of all pages that lead nowhere within the site, in words."""
    files = {path.relative_to(site).as_posix() for path in site.rglob("*")}
    pages = {
        name: Page((site / name).read_text(encoding="utf-8"))
        for name in files
        if name.endswith(".html")
    }
    found = set()
    for name, page in pages.items():
        for link in set(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = posixpath.join(posixpath.dirname(name), unquote(parts.path))
            place = posixpath.normpath(path) if parts.path else name
            if place not in files and place != ".":
                found.add(f"{name}: {link}")
            elif place in pages and unquote(parts.fragment) not in pages[place].anchors:
                found.add(f"{name}: {link} has no such place")
    return sorted(found)
