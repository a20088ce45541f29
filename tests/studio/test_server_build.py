"""The libraries of the page: fetched by npm when the package is built, checked, and kept."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def hook(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_npm_the_build_says_what_to_install(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="apt-get install npm"):
        hook.fill(tmp_path / "vendor")


def test_another_archive_than_the_pinned_one_is_refused(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\necho other > "$5/three-0.182.0.tgz"\n')
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(RuntimeError, match="checksum"):
        hook.fill(tmp_path / "vendor")


def test_what_is_there_is_kept_until_it_changes(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    names = [name for facts in hook.PACKAGES.values() for name in facts["files"].values()]
    for name in names:
        (tmp_path / name).write_text(name)
    told = {
        "packages": {p: f["integrity"] for p, f in hook.PACKAGES.items()},
        "sha256": {name: hashlib.sha256(name.encode()).hexdigest() for name in names},
    }
    (tmp_path / hook.LIST).write_text(json.dumps(told))
    hook.fill(tmp_path)  # needs no npm
    (tmp_path / names[0]).write_text("tampered")
    with pytest.raises(RuntimeError, match="npm"):
        hook.fill(tmp_path)
    assert {"LICENSE.three.txt", "LICENSE.uPlot.txt"} <= set(names)
