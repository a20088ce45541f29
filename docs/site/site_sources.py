"""The sources of the site: pages of docs/, of the repository, of the gallery and of the reference.

Pages stay Markdown that reads well in the repository. Here they get their place in the site, and
links from one to the other are led there. A page that no section names is listed under "More": a
new file in docs/ is part of the site by itself.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import api_pages
import gallery_pages

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
HERE = Path(__file__).parent
# pages of the repository, by their name in the site
ABOVE = {
    "architecture": "ARCHITECTURE.md",
    "conventions": "CONVENTIONS.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
}
GENERATED = ("api", "gallery", "examples")
SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": ("install", "tutorial", "features", "gallery/index", "examples/index"),
    "Describe a mechanism": (
        "joints", "loops", "laws", "contacts", "hard_contact", "terrain", "flexible", "modes",
        "sensors", "shapes", "tyres", "roads", "files", "redundant",
    ),
    "Run it": (
        "steps", "many", "sensitivities", "realtime", "links", "results", "studio", "recordings",
    ),
    "Control it": (
        "controllers", "control", "identify", "fit", "optimise", "devices", "optimal_control",
        "learning",
    ),
    "Take it elsewhere": ("c", "fmu", "page", "boards", "serial"),
    "Mechanisms in detail": ("gallery", "piano", "car", "tilting_vehicle", "kart", "own_exhibit"),
    "More": (),
    "Theory": ("theory/index",),
    "Reference": ("api/index", "conventions", "speed", "sparse"),
    "Project": ("architecture", "contributing", "changelog"),
}  # fmt: skip


def assemble(target: Path, live: Collection[str] = (), written_only: bool = False) -> None:
    """Write all sources; files whose text is the same are left alone, so that Sphinx is quick.

    Args:
        target: where to.
        live: exhibits that have a live page.
        written_only: leave the generated pages of reference, exhibits and examples out.
    """
    texts = all_pages(live)
    if written_only:
        made = tuple(f"{part}/" for part in GENERATED)
        texts = {name: text for name, text in texts.items() if not name.startswith(made)}
        texts |= {f"{part}/index": f"# {part}\n" for part in GENERATED}
    for name, text in texts.items():
        path = target / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in target.rglob("*.md"):
        if str(path.relative_to(target).with_suffix("")) not in texts:
            path.unlink()
    for folder in ("figures", "pictures"):
        shutil.copytree(DOCS / folder, target / folder, dirs_exist_ok=True)
    # files of the repository that pages name are there to be read
    for file in {file for text in texts.values() for file in SOURCE.findall(text)}:
        copy = target / "source" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / file, copy)


def all_pages(live: Collection[str] = ()) -> dict[str, str]:
    """The text of every page, by its name in the site."""
    found = {}
    for path in sorted(DOCS.glob("**/[a-z]*.md")):
        if HERE not in path.parents:
            name = path.relative_to(DOCS).with_suffix("").as_posix()
            found[name] = with_links(path.read_text(encoding="utf-8"), path, name)
    for name, file in ABOVE.items():
        path = REPOSITORY / file
        found[name] = with_links(path.read_text(encoding="utf-8"), path, name)
    for folder, pages in {
        "gallery": gallery_pages.pages(DOCS, live),
        "api": api_pages.pages(),
        "examples": example_pages(),
    }.items():
        found |= {f"{folder}/{name}": text for name, text in pages.items()}
    found["index"] = front_page(found, live)
    return found


def front_page(pages: Mapping[str, str], live: Collection[str]) -> str:
    """The first page, with the tables of contents of all sections."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    shown = HERE / ("live.html" if "piano" in live else "still.html")
    text = text.replace("@MECHANISM@", shown.read_text(encoding="utf-8").strip())
    named = {name for names in SECTIONS.values() for name in names}
    top = {name for name in pages if "/" not in name}
    lines = [text]
    for section, names in SECTIONS.items():
        listed = [name for name in names if name in pages]
        if section == "More":
            listed = sorted(top - named)
        if listed:
            lines += ["```{toctree}", ":hidden:", f":caption: {section}", "", *listed, "```", ""]
    return "\n".join(lines)


def example_pages() -> dict[str, str]:
    """A page for each numbered example, and their index."""
    found, names = {}, []
    for path in sorted((REPOSITORY / "examples").glob("[0-9][0-9]_*.py")):
        code = path.read_text(encoding="utf-8")
        first, _, rest = (ast.get_docstring(ast.parse(code)) or path.stem).partition("\n")
        title = re.sub(r"^\d+: ", "", first).rstrip(".")
        body = code.split('"""', 2)[2].lstrip()
        fence = ["```python", body.rstrip(), "```", ""]
        heading = f"# {path.stem[:2]}: {title[:1].upper()}{title[1:]}"
        found[path.stem] = "\n".join([heading, "", *_plain(rest), "", *fence])
        names.append(path.stem)
    words = (
        "Numbered, short, and checked: each compares its result with a formula or another method."
    )
    contents = ["```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
    return found | {"index": "\n".join(["# Examples", "", words, "", *contents])}


def _plain(text: str) -> list[str]:
    """Text of a docstring as Markdown: formulas are indented, and stay as they are."""
    found = []
    for line in text.strip().splitlines():
        found.append(line if line.startswith("    ") else re.sub(r"([*_|$])", r"\\\1", line))
    return found


# links

SOURCE = re.compile(r"\]\((?:\.\./)*source/([^)\s]+)\)")
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def with_links(text: str, path: Path, name: str) -> str:
    """A page whose links to files lead to pages of the site.

    Raises:
        ValueError: a link leads nowhere.
    """
    up = "../" * name.count("/")

    def led(found: re.Match[str]) -> str:
        link, anchor = found.group(1), found.group(2) or ""
        place = (path.parent / link).resolve()
        if place.suffix != ".md" and DOCS in place.parents and place.exists():
            return found.group(0)  # a picture lies in the site where it lies in docs/
        if place.is_file() and place.suffix != ".md" and REPOSITORY in place.parents:
            return f"]({up}source/{place.relative_to(REPOSITORY).as_posix()})"
        page = page_of(place)
        if page is None:
            raise ValueError(f"{path.name}: {link} leads nowhere")
        return f"]({up}{page}.md{anchor})"

    outside = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)
    outside[::2] = [LINK.sub(led, part) for part in outside[::2]]
    return "".join(outside)


def page_of(place: Path) -> str | None:
    """Name of the page in the site that stands for a file; None if there is none."""
    above = {REPOSITORY / file: name for name, file in ABOVE.items()}
    if place in above:
        return above[place]
    if place == REPOSITORY / "examples":
        return "examples/index"
    if place in (DOCS / "README.md", REPOSITORY / "README.md", DOCS):
        return "index"
    if place.suffix == ".md" and DOCS in place.parents and place.exists():
        return place.relative_to(DOCS).with_suffix("").as_posix()
    return None
