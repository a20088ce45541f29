"""Fetches the JavaScript that the studio's page needs when the package is built.

`npm pack` fetches two packages of pinned versions, their checksums are compared with those below,
and a few files, licences among them, go to `src/inloop/studio/vendor`, which git ignores. They
become part of the wheel; an editable installation uses them in place. Files that are there already
with the right checksums are kept, so that a second build needs no network.

With INLOOP_WITHOUT_STUDIO=1 nothing is fetched; `inloop studio` then says what is missing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VENDOR = Path("src/inloop/studio/vendor")
LIST = "VENDOR.json"  # packages and checksums of the files that lie there
PACKAGES: dict[str, dict[str, Any]] = {
    "three@0.182.0": {
        "integrity": "sha512-GbHabT+Irv+ihI1/f5kIIsZ+Ef9Sl5A1Y7imvS5RQjWgtTPfPnZ43JmlYI7NtCR"
        "DK9zir20lQpfg8/9Yd02OvQ==",
        "files": {
            "build/three.module.min.js": "three.module.min.js",
            "build/three.core.min.js": "three.core.min.js",
            "LICENSE": "LICENSE.three.txt",
        },
    },
    "uplot@1.6.32": {
        "integrity": "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMas"
        "NuGGzQm/ep3tOkyTxpiQIw==",
        "files": {
            "dist/uPlot.esm.js": "uPlot.esm.js",
            "dist/uPlot.min.css": "uPlot.min.css",
            "LICENSE": "LICENSE.uPlot.txt",
        },
    },
}
WITHOUT = "INLOOP_WITHOUT_STUDIO"
HINT = f"Set {WITHOUT}=1 to build without the studio's page."


class VendorHook(BuildHookInterface):  # type: ignore[type-arg]
    """Fills the vendor folder before a wheel is built or an editable installation is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before the build."""
        if self.target_name == "sdist" or os.environ.get(WITHOUT, "") not in ("", "0"):
            return
        fill(Path(self.root) / VENDOR)


def fill(folder: Path) -> None:
    """Bring the vendor folder up to date."""
    if _is_complete(folder):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError(
            "the studio's page needs three.js and uPlot, which npm fetches, and npm is not there. "
            f"Install it (Debian and Ubuntu: apt-get install npm), and build again. {HINT}"
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    checksums: dict[str, str] = {}
    for package, facts in PACKAGES.items():
        with tempfile.TemporaryDirectory() as place:
            archive = _fetch(npm, package, facts["integrity"], Path(place))
            for member, name in facts["files"].items():
                data = _read(archive, f"package/{member}")
                (folder / name).write_bytes(data)
                checksums[name] = hashlib.sha256(data).hexdigest()
    told = {"packages": {p: f["integrity"] for p, f in PACKAGES.items()}, "sha256": checksums}
    (folder / LIST).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _is_complete(folder: Path) -> bool:
    """Are all files there, of these versions, and unchanged?"""
    try:
        told = json.loads((folder / LIST).read_text(encoding="utf-8"))
        names = {name for facts in PACKAGES.values() for name in facts["files"].values()}
        same = told["packages"] == {p: f["integrity"] for p, f in PACKAGES.items()}
        return same and all(
            hashlib.sha256((folder / name).read_bytes()).hexdigest() == told["sha256"][name]
            for name in names
        )
    except (OSError, ValueError, KeyError):
        return False


def _fetch(npm: str, package: str, integrity: str, place: Path) -> Path:
    """The archive of a package, with the checksum that is expected."""
    command = [npm, "pack", package, "--silent", "--pack-destination", str(place)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    archives = list(place.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        words = done.stderr.strip()[-400:]
        raise RuntimeError(
            f"npm could not fetch {package}: {words or 'no archive came'}. "
            f"Is the network there? {HINT}"
        )
    digest = base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
    if f"sha512-{digest}" != integrity:
        raise RuntimeError(
            f"the archive of {package} has the checksum sha512-{digest}, not {integrity}"
        )
    return archives[0]


def _read(archive: Path, member: str) -> bytes:
    with tarfile.open(archive) as tar:
        found = tar.extractfile(member)
        if found is None:
            raise RuntimeError(f"{archive.name} holds no {member}")
        return found.read()
