"""The README's example runs as it stands, its links lead somewhere, and it stays short."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import inloop as il


def test_readme_example(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (repository / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    names: dict[str, object] = {}
    exec(code.group(1), names)
    assert (tmp_path / "crane.png").stat().st_size > 10_000
    result = names["result"]
    assert isinstance(result, il.Result)
    assert result["hook.q"][0] == 0.5
    # "two swings drag the trolley along, then it sticks", but for the give of its bristles
    trolley, later = result["trolley.q"], result.t > 3.0
    assert np.ptp(trolley[~later]) > 0.05
    assert np.ptp(trolley[later]) < 1e-3
    assert np.ptp(result["hook.q"][later]) > 0.3


def test_readme_is_short(repository: Path) -> None:
    assert len((repository / "README.md").read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/README.md"])
def test_links_lead_somewhere(repository: Path, page: str) -> None:
    text = (repository / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\((.*?)\)", text) if "://" not in link]
    assert links
    for link in links:
        assert (repository / page).parent.joinpath(link.partition("#")[0]).exists(), link


def test_the_index_names_every_page(repository: Path) -> None:
    text = (repository / "docs" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[.*?\]\((\w+)\.md\): ", text, re.MULTILINE)
    assert sorted(listed) == sorted(p.stem for p in (repository / "docs").glob("[a-z]*.md"))
