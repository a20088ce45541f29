"""Nothing of the page is cut, overlaps, or covers the mechanism: measured in a real browser.

`python tests/studio/boxes.py --to pictures` does the same for all exhibits, with pictures.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import complaints, walk
from browser_page import opened, own_plant
from playwright.sync_api import Browser, Page

EXHIBITS = ("piano", "robot", "four_bar", "flexlink")
PICTURES = os.environ.get("INLOOP_PICTURES")  # a directory for pictures to look at
SIZE = {"width": 1440, "height": 900}
# faults, and what is said of them
FAULTS = {
    "#title { width: 40px; overflow: hidden; white-space: nowrap }": "is cut at the side",
    ".rows input { width: 14px; padding: 0 }": "needs .* px and has",
    ".corner { position: absolute; left: 30px; top: 8px }": "lies on",
    "#look-at { position: fixed; inset: 60px 400px 45% 0 }": "covers the mechanism",
    ".alarm { display: flex !important; position: fixed; inset: auto 0 0 0; height: 600px }":
        "covers #rewind",
    ".bar { height: 90px }": "the bar is 90 px high",
    ".plots { max-height: 120px } .charts { grid-auto-rows: 30px !important }": "px high",
    "#chip { position: relative; left: 5000px }": "is outside of the window",
}  # fmt: skip

# the page allows no styles in its markup
ADD_STYLE = """(text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
}"""


@pytest.mark.long
def test_exhibits_are_shown_whole_on_desks_and_phones(browser: Browser, errors: list[str]) -> None:
    folder = Path(PICTURES) if PICTURES else None
    themes = ("light", "dark") if PICTURES else ("light",)
    sizes = ("desk", "phone")
    assert list(walk(browser, EXHIBITS, folder, errors, themes=themes, sizes=sizes)) == []
    assert not errors


@pytest.fixture(scope="module")
def pendulum(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    errors: list[str] = []
    folder = tmp_path_factory.mktemp("recordings")
    with (
        own_plant("pendulum", recordings=folder) as studio,
        opened(browser, studio.address, errors, viewport=SIZE) as page,
    ):
        yield page


@pytest.mark.thinned(4)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(pendulum: Page, fault: str) -> None:
    pendulum.evaluate(ADD_STYLE, fault)
    found = complaints(pendulum)
    pendulum.evaluate("document.adoptedStyleSheets = []")
    assert any(re.search(FAULTS[fault], line) for line in found), found
    assert complaints(pendulum) == []
