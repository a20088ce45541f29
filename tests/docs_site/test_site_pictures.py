"""What looks at the site in Chromium finds what is wrong there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import site_pictures
from playwright.sync_api import sync_playwright

PAGES = {
    "good.html": "<p>short</p>",
    "wide.html": "<div style='width: 700px'>wide</div>",
    "missing.html": "<img src='none.png'>",
    "broken.html": "<script>throw new Error('of a script')</script>",
}


@pytest.mark.long
def test_faults_of_pages_are_found(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    require_program("chromium")
    for name, text in PAGES.items():
        (tmp_path / name).write_text(f"<!doctype html><body>{text}", encoding="utf-8")
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "x.html").write_text("", encoding="utf-8")
    pages = site_pictures.site_pages(tmp_path)
    assert [path.name for path in pages] == sorted(PAGES)
    words = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=site_pictures.CHROMIUM, args=words)
        seen = list(site_pictures.looked_at(browser, pages, "phone"))
        browser.close()
    faults = {path.name: found for path, found, _ in seen}
    assert faults["good.html"] == []
    assert "scrolls sideways: 7" in faults["wide.html"][0] and "div" in faults["wide.html"][0]
    assert any("no picture" in fault for fault in faults["missing.html"])
    assert faults["broken.html"] == ["of a script"]
    pictures = [(path.name, picture) for path, _, picture in seen]
    (sheet,) = site_pictures.contact_sheets(pictures, "phone", tmp_path)
    assert sheet.stat().st_size > 1000
