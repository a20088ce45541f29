"""The studio in a cell of a notebook: framed by pages of this machine, and by nobody else."""

from __future__ import annotations

import functools
import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import inloop as il
from inloop.pictures.notebook_studio import NotebookStudio
from inloop.studio.server.gate import Gate
from inloop.studio.server.server import Guard

HANG = 180_000.0  # [ms] after which something that should happen never will


def headers(gate: Gate) -> dict[str, str]:
    return {k.decode(): v.decode() for k, v in Guard(None, gate)._headers}


def test_only_a_studio_for_notebooks_may_be_framed() -> None:
    usual = headers(Gate(token="a-long-token"))
    assert usual["content-security-policy"].endswith("frame-ancestors 'none'")
    assert usual["x-frame-options"] == "DENY"
    framed = headers(Gate(token="a-long-token", framed=True))
    policy = framed["content-security-policy"]
    assert policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:*")
    assert "x-frame-options" not in framed
    with pytest.raises(il.InputError, match="without a token"):
        Gate(framed=True)


@pytest.fixture
def shown() -> Iterator[NotebookStudio]:
    from inloop import gallery

    plant = gallery.get("pendulum").build().compile()
    with il.show(plant, rate=200, name=f"cell_{os.getpid()}") as studio:
        yield studio


@pytest.mark.parametrize("host", ["localhost", pytest.param("127.0.0.1", marks=pytest.mark.long)])
def test_a_cell_shows_the_studio_until_it_is_stopped(
    host: str,
    shown: NotebookStudio,
    tmp_path: Path,
    browser: Browser,
) -> None:
    cell = shown._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{cell}")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://{host}:{server.server_port}/notebook.html")
        frame = page.frame_locator("iframe")
        # the page of the studio has come, and hears of the plant
        frame.locator("#chip", has_text="running").wait_for(timeout=HANG)
        page.close()
        server.shutdown()
    assert repr(shown).startswith("<Studio of 'cell_") and shown.address in repr(shown)
    report = shown.stop()
    assert report.steps > 0 and report is shown.stop()
    assert "stopped" in repr(shown) and shown._repr_html_() == report._repr_html_()
    assert not shown.loop.running and shown._studio.ended


def test_what_a_cell_holds_is_escaped() -> None:
    studio = object.__new__(NotebookStudio)
    studio._report = None
    studio.address = 'http://127.0.0.1:1/?token="</script><script>alert(1)</script>'
    text = studio._repr_html_()
    assert len(re.findall("<script", text)) == 1 and len(re.findall("</script>", text)) == 1
