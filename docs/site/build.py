"""Build the documentation site: `python docs/site/build.py build/site [--live NAME ...]`.

With --live, exhibits get a page that runs them in the browser (`inloop export NAME --page FILE`);
"all" means all of the gallery, which takes some minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import site_links
import site_sources
from sphinx.cmd.build import build_main

from inloop import gallery


def live_pages(names: list[str], folder: Path) -> list[str]:
    """Write the live pages of exhibits; names of those that could be written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in gallery.names() if names == ["all"] else names:
        print(f"live page of {name}", flush=True)
        page = str(folder / f"{name}.html")
        command = [sys.executable, "-m", "inloop.cli", "export", name, "--page", page]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            written.append(name)
        else:
            print(f"no live page of {name}, a picture takes its place: {done.stderr.strip()}")
    return written


def build(site: Path, live: list[str], jobs: str = "auto", written_only: bool = False) -> int:
    """Build the site; 0 if it is without warnings and dead links."""
    gathered = site.parent / f"{site.name}-sources"
    site.mkdir(parents=True, exist_ok=True)
    site_sources.assemble(gathered, live_pages(live, site / "live"), written_only)
    options = ["-c", str(site_sources.HERE), "-W", "--keep-going", "-q", "-j", jobs]
    state = ["-d", str(site.parent / f"{site.name}-state")]
    status = build_main([*options, *state, "-b", "html", str(gathered), str(site)])
    dead = site_links.dead_links(site)
    for line in dead:
        print(f"dead link in {line}")
    return 1 if status or dead else 0


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
