"""A desk for each user, and a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from desk import Desk

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def desk(clean: Path, tmp_path_factory: pytest.TempPathFactory, request: Any) -> Desk:
    """With the files of the user whose hour it is, and a C compiler unless COMPILER is False."""
    made = Desk(tmp_path_factory.mktemp("desk"), clean, getattr(request.module, "COMPILER", True))
    made.write(request.module.FILES)
    look = "from importlib.util import find_spec; print(find_spec('inloop').origin)"
    found = made.types(f'python -c "{look}"')
    assert Path(found.strip()).is_relative_to(clean.parent)  # the wheel, not the sources
    return made


@pytest.fixture(scope="module")
def browser(require_file: Callable[[str, str], None]) -> Iterator[Browser]:
    require_file(CHROMIUM, "chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM)
