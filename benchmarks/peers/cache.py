"""A content-addressed cache outside the repository for everything the benchmarks build."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_directory() -> Path:
    """`$INLOOP_CACHE/bench` when set, else `inloop-bench` in the user's cache directory."""
    chosen = os.environ.get("INLOOP_CACHE")
    if chosen:
        return Path(chosen) / "bench"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "inloop-bench"


def content_key(*parts: str | bytes | Path) -> str:
    """Hash of texts and of the contents (not the names) of files."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part
        data = data.encode() if isinstance(data, str) else data
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:20]


def cached(label: str, key: str, make: Callable[[Path], None]) -> Path:
    """Directory `label-key`, filled by `make` when it does not exist yet.

    `make` works in a temporary directory that is renamed at the end, so that an interrupted build
    leaves nothing incomplete behind and two simultaneous builds do no harm.
    """
    target = cache_directory() / f"{label}-{key}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{label}-", dir=target.parent))
    try:
        make(work)
        try:
            work.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target
