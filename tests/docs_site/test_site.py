"""The documentation site: builds without a warning, has no dead link, and leaves nothing out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import api_pages
import exhibit_facts
import gallery_pages
import pytest
import site_sources
from plain_docstrings import literal
from site_links import dead_links

import inloop as il
from inloop import gallery


def build(repository: Path, site: Path, *options: str) -> None:
    command = [sys.executable, str(repository / "docs" / "site" / "build.py"), str(site), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_written_pages_build_without_a_warning(repository: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(repository, site, "--written-only")
    front = (site / "index.html").read_text(encoding="utf-8")
    assert "pictures/piano.gif" in front or "_images/piano.gif" in front
    theory = (site / "theory" / "steps.html").read_text(encoding="utf-8")
    assert theory.count("<svg") > 10 and 'aria-label="g = \\gamma h"' in theory


@pytest.mark.long
def test_the_whole_site_builds_without_a_warning(repository: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build(repository, site)
    reference = (site / "api" / "plant.html").read_text(encoding="utf-8")
    assert 'id="inloop.Plant.simulate"' in reference


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    pages = {
        "a.html": '<a href="b.html#here">x</a><a href="b.html#there">x</a><a href="c.html">x</a>',
        "b.html": '<p id="here"><img src="none.png"><a href="https://example.org/x">x</a></p>',
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert dead_links(tmp_path) == [
        "a.html: b.html#there has no such place", "a.html: c.html", "b.html: none.png",
    ]  # fmt: skip


def test_a_link_that_leads_nowhere_is_refused() -> None:
    page = site_sources.DOCS / "many.md"
    with pytest.raises(ValueError, match=r"nothing\.md leads nowhere"):
        site_sources.with_links("see [it](nothing.md)", page, "many")
    told = site_sources.with_links("[a](../ARCHITECTURE.md#layers) `[b](c.md)`", page, "many")
    assert told == "[a](architecture.md#layers) `[b](c.md)`"


def test_every_page_has_a_place(repository: Path) -> None:
    pages = site_sources.all_pages()
    listed = re.findall(r"^([\w/]+)$", pages["index"], re.MULTILINE)
    top = [name for name in pages if "/" not in name and name != "index"]
    for name in (*top, "gallery/index", "api/index", "examples/index", "theory/index"):
        assert listed.count(name) == 1, name
    theory = (repository / "docs" / "theory").glob("[a-hj-z]*.md")
    assert all(f"\n{path.stem}\n" in pages["theory/index"] for path in theory)


def test_a_new_page_is_listed_by_itself() -> None:
    pages = {"index": "", "brand_new": "# New", "joints": "# Joints"}
    front = site_sources.front_page(pages, ())
    assert ":caption: More\n\nbrand_new\n" in front


def test_the_front_page_shows_a_mechanism_that_lives_if_there_is_one() -> None:
    for live, shown in (((), "pictures/piano.gif"), (["piano"], 'src="live/piano.html"')):
        assert shown in site_sources.front_page({"index": ""}, live)


def test_the_reference_has_every_public_name_once() -> None:
    text = "\n".join(api_pages.pages().values())
    named = re.findall(r"^\.\. \S+:: inloop\.(\w+)(?:\(|$)", text, re.MULTILINE)
    assert sorted(named) == sorted(set(il.__all__) - api_pages.MODULES)


@pytest.mark.parametrize("name", ["pendulum", "four_bar", "heavy_top"])
def test_sizes_of_equations_are_those_of_the_plants(name: str) -> None:
    stored = json.loads(exhibit_facts.FILE.read_text(encoding="utf-8"))
    assert stored[name] == exhibit_facts.facts(name)


def test_every_exhibit_has_its_page_and_picture(repository: Path) -> None:
    pages = gallery_pages.pages(repository / "docs", live=["piano"])
    stored = json.loads(exhibit_facts.FILE.read_text(encoding="utf-8"))
    own = [name for name in gallery.names() if name in stored]
    assert set(stored) <= set(gallery.names()) and len(own) >= 39
    for name in own:
        assert "## Size" in pages[name] and f"inloop studio {name}" in pages[name]
        assert f"{name}.webp" in pages[name] or 'src="../live/piano.html"' in pages[name]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a * b, |x| and x_", "a \\* b, \\|x\\| and x\\_"),
        ("`m.body(...)` and **options", "``m.body(...)`` and \\*\\*options"),
        ("a_b stays", "a_b stays"),
    ],
)
def test_docstrings_are_plain_text(line: str, text: str) -> None:
    assert literal(line) == text
