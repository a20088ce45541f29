"""The samples in the documentation run as they stand, page by page, and print what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("theory/*.md"), DOCS / "site" / "index.md"])


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).with_suffix("").as_posix()


def samples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_samples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in samples(page):
        exec(code, names)
    told = capsys.readouterr().out.splitlines()
    # what a line prints stands behind it, unless it is told in words
    promised = re.findall(r"^print\(.*\)\s+# (.*)$", "\n".join(samples(page)), re.MULTILINE)
    assert len(told) == len(promised)
    for found, promise in zip(told, promised, strict=True):
        below = re.match(r"below ([\d.e-]+)", promise)
        assert abs(float(found)) < float(below.group(1)) if below else found == promise


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_figures_and_files_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for figure in re.findall(r"!\[.*?\]\((.*?)\)", text):
        data = (page.parent / figure).read_bytes()
        assert data.startswith(b"\x89PNG") or (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
        assert len(data) < 80_000
    for file in re.findall(r"`((?:native|gallery)/[\w./]+)`", text):
        assert (DOCS.parent / "src" / "inloop" / file).is_file()


def test_there_are_samples() -> None:
    assert len(samples(DOCS / "modes.md")) == 4
