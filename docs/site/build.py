"""Build the documentation site: `python docs/site/build.py build/site [--live NAME ...]`.

With --live, exhibits get a page that runs them in the browser (`inloop export NAME --page FILE`);
"all" means all of the gallery, which takes some minutes the first time. Pages that are newer than
the package are kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import site_links
import site_sources
from sphinx.cmd.build import build_main

import inloop
from inloop import gallery


def live_pages(names: list[str], folder: Path) -> list[str]:
    """Write the live pages of exhibits, one on each core; names of those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = max(path.stat().st_mtime for path in _package_files())

    def written(name: str) -> bool:
        page = folder / f"{name}.html"
        return (page.exists() and page.stat().st_mtime > changed) or write_live_page(name, page)

    wanted = gallery.names() if names == ["all"] else names
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [name for name, done in zip(wanted, pool.map(written, wanted), strict=True) if done]


def write_live_page(name: str, page: Path) -> bool:
    """Whether the live page of an exhibit could be written."""
    page.unlink(missing_ok=True)
    command = [sys.executable, "-m", "inloop.cli", "export", name, "--page", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "" if done.returncode == 0 else f" could not be written: {done.stderr.strip()}"
    print(f"live page of {name}{said}", flush=True)
    return done.returncode == 0


def _package_files() -> Iterable[Path]:
    package = Path(inloop.__file__).parent
    return (path for path in package.rglob("*.*") if "__pycache__" not in path.parts)


def build(site: Path, live: list[str], jobs: str = "auto", written_only: bool = False) -> int:
    """Build the site; 0 if it is without warnings and dead links, and has all live pages."""
    gathered = site.parent / f"{site.name}-sources"
    site.mkdir(parents=True, exist_ok=True)
    shown = live_pages(live, site / "live")
    site_sources.assemble(gathered, shown, written_only)
    options = ["-c", str(site_sources.HERE), "-W", "--keep-going", "-q", "-j", jobs]
    state = ["-d", str(site.parent / f"{site.name}-state")]
    status = build_main([*options, *state, "-b", "html", str(gathered), str(site)])
    dead = site_links.dead_links(site)
    for line in dead:
        print(f"dead link in {line}")
    missing = set(gallery.names() if live == ["all"] else live) - set(shown)
    return 1 if status or dead or missing else 0


def main() -> None:
    """As the command line says."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("site", type=Path, help="folder to write into")
    parser.add_argument("--live", nargs="*", default=[], metavar="NAME", help="exhibits to run")
    words = "leave the generated pages out: reference, exhibits, examples"
    parser.add_argument("--written-only", action="store_true", help=words)
    given = parser.parse_args()
    sys.exit(build(given.site.resolve(), given.live, written_only=given.written_only))


if __name__ == "__main__":
    main()
