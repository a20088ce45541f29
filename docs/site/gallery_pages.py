"""Pages of the gallery: one for each exhibit, from what the exhibit says of itself."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from inloop import gallery

FACTS = Path(__file__).with_name("exhibits.json")
PICTURE = "pictures/exhibits/{name}.webp"
HEIGHT = 640  # of a live page within a page [px]


def pages(docs: Path, live: Collection[str] = ()) -> dict[str, str]:
    """The text of each page, by its name.

    Args:
        docs: folder of the documentation, with pictures and figures.
        live: exhibits that have a live page, `live/<name>.html` of the site.
    """
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    exhibits = [gallery.get(name) for name in gallery.names()]
    written = {path.stem for path in docs.glob("*.md")}
    found = {e.name: _page(e, facts.get(e.name), docs, e.name in live, written) for e in exhibits}
    found["index"] = _index(exhibits, docs)
    return found


def _index(exhibits: Sequence[gallery.Exhibit], docs: Path) -> str:
    cards = [line for exhibit in exhibits for line in _card(exhibit, docs)]
    return "\n".join(
        [
            "# Gallery",
            "",
            "Finished mechanisms, each with its picture, the size of its equations and figures",
            "that are known from elsewhere. `inloop studio NAME` opens one in the browser,",
            "`inloop list` names them all, and `gallery.get(NAME).build()` is the model in Python.",
            "[Figures and reference values](../gallery.md) of the closed ones;",
            "[your own mechanism](../own_exhibit.md) in the gallery.",
            "",
            "::::{grid} 1 2 3 3",
            ":gutter: 3",
            "",
            *cards,
            "::::",
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *(exhibit.name for exhibit in exhibits),
            "```",
            "",
        ]
    )


def _card(exhibit: gallery.Exhibit, docs: Path) -> list[str]:
    picture = PICTURE.format(name=exhibit.name)
    shown = [f":img-top: ../{picture}"] if (docs / picture).exists() else []
    return [
        f":::{{grid-item-card}} {exhibit.title}",
        f":link: {exhibit.name}",
        ":link-type: doc",
        *shown,
        exhibit.look_at,
        ":::",
        "",
    ]


def _page(
    exhibit: gallery.Exhibit,
    facts: Mapping[str, Any] | None,
    docs: Path,
    live: bool,
    written: Collection[str],
) -> str:
    lines = [f"# {exhibit.title}", "", exhibit.look_at, "", *_picture(exhibit.name, docs, live)]
    if exhibit.name in written:
        lines += [f"More about it: [a page of its own](../{exhibit.name}.md).", ""]
    lines += ["```", f"inloop studio {exhibit.name}", "```", ""]
    lines += [f"Start: {exhibit.start}.", ""]
    if facts is not None:
        lines += _size(facts)
    if exhibit.options:
        lines += ["## Options", "", "| name | | default |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {_cell(option.doc)} | {_cell(str(option.default))} |"
            for name, option in exhibit.options.items()
        ]
        lines.append("")
    if exhibit.experiments:
        lines += [
            "## Experiments",
            "",
            f"`inloop run {exhibit.name} --experiment NAME` runs them:",
            "",
        ]
        lines += [f"- `{name}`: {_cell(item.doc)}" for name, item in exhibit.experiments.items()]
        lines.append("")
    if exhibit.controllers:
        lines += ["## Controllers", ""]
        lines += [f"- `{name}`: {_cell(item.doc)}" for name, item in exhibit.controllers.items()]
        lines.append("")
    return "\n".join([*lines, *_references(exhibit), *_figure(exhibit.name, docs)])


def _picture(name: str, docs: Path, live: bool) -> list[str]:
    picture = PICTURE.format(name=name)
    if live:
        return [
            "```{raw} html",
            f'<iframe class="live" src="../live/{name}.html" height="{HEIGHT}" loading="lazy" '
            f'title="{name}, live"></iframe>',
            "```",
            "",
        ]
    if (docs / picture).exists():
        return [f"```{{image}} ../{picture}", f":alt: {name}", ":class: exhibit", "```", ""]
    return []


def _size(facts: Mapping[str, Any]) -> list[str]:
    rows = {
        "coordinates": "coordinates",
        "freedoms": "degrees of freedom",
        "constraints": "constraint equations in use",
        "contacts": "contacts",
        "modes": "modes",
        "operations": "operations for all accelerations",
    }
    shown = [f"| {words} | {facts[key]:,} |" for key, words in rows.items() if facts.get(key)]
    return ["## Size", "", "| | |", "|---|---:|", *shown, ""]


def _references(exhibit: gallery.Exhibit) -> list[str]:
    if not exhibit.references:
        return []
    lines = ["## Known figures", "", "| what | value | within | source |", "|---|---|---|---|"]
    for item in exhibit.references:
        values = ", ".join(f"{value:.9g}" for value in item.value[:6])
        more = ", …" if len(item.value) > 6 else ""
        lines.append(
            f"| {_cell(item.what)} | {values}{more} {_cell(item.unit)} | {item.tolerance:.1g} "
            f"| {_cell(item.source)} |"
        )
    return [*lines, ""]


def _figure(name: str, docs: Path) -> list[str]:
    longer = tuple(other for other in gallery.names() if other.startswith(f"{name}_"))
    figures = sorted((docs / "figures").glob(f"{name}*.png"))
    own = [path for path in figures if not path.stem.startswith(longer)]
    return [f"![{path.stem}](../figures/{path.name})\n" for path in own]


def _cell(text: str) -> str:
    """Text that is no markup, within a table."""
    for sign in ("|", "*", "_", "<", "$", "[", "]"):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())
