"""Human-readable content of an FMU: a page about its variables, and an icon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from inloop.io.fmi.description import Facts
from inloop.io.fmi.variables import Variable

STYLE = """body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto;
  padding: 0 1em; }
table { border-collapse: collapse; } th, td { padding: 0.15em 0.9em 0.15em 0; text-align: left; }
th, td { border-bottom: 1px solid #ddd; } pre { overflow-x: auto; } img { float: right; }"""
ICON = """<?xml version="1.0" encoding="utf-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <GraphicalRepresentation>
    <CoordinateSystem x1="-120" y1="-90" x2="120" y2="90" suggestedScalingFactorTo_mm="0.1" />
    <Icon x1="-120" y1="-90" x2="120" y2="90" />
  </GraphicalRepresentation>
</fmiTerminalsAndIcons>
"""


def icon_files(picture: bytes, version: str) -> dict[str, bytes | str]:
    """Files of the icon for a version of the standard; empty if there is no icon."""
    if not picture:
        return {}
    if version == "2.0":
        return {"model.png": picture}
    folder = "terminalsAndIcons"
    return {f"{folder}/icon.png": picture, f"{folder}/terminalsAndIcons.xml": ICON}


def index_page(facts: Facts, words: str, picture: str) -> str:
    """documentation/index.html.

    Args:
        facts: content of the model description.
        words: description of the mechanism.
        picture: path of the picture relative to the page; "" if there is none.
    """
    name = escape(facts.name)
    image = f'<img src="{escape(picture)}" alt="{name} at its start">' if picture else ""
    every = facts.variables.all
    started = [v for v in every if v.causality == "output" and v.initial == "exact"]
    groups = {
        "Parameters, tunable": [v for v in every if v.causality == "parameter"],
        "Inputs": [v for v in every if v.causality == "input"],
        "Start values, to be set until the end of initialization": started,
        "Outputs": facts.variables.outputs,
    }
    tables = "\n".join(_table(title, group) for title, group in groups.items() if group)
    modes = ""
    if len(facts.modes) > 1:
        listed = "".join(f"<li>{escape(mode)}</li>" for mode in facts.modes)
        modes = f'<h2>Modes, by number from 0</h2>\n<ol start="0">{listed}</ol>'
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style></head>
<body>
{image}<h1>{name}</h1>
<p>{escape(facts.about)}.</p>
<p>Communication steps are multiples of {facts.step:g} s.</p>
{tables}
{modes}
<h2>The mechanism</h2>
<pre>{escape(words)}</pre>
<p>Made by inloop.</p>
</body>
</html>
"""


def _table(title: str, variables: Iterable[Variable]) -> str:
    rows = "\n".join(_row(variable) for variable in variables)
    head = "<tr><th>name</th><th>unit</th><th>start</th><th>range</th><th></th></tr>"
    return f"<h2>{escape(title)}</h2>\n<table>\n{head}\n{rows}\n</table>"


def _row(variable: Variable) -> str:
    ends = (variable.least, variable.most)
    bounds = " to ".join(f"{end:g}" for end in ends) if any(map(math.isfinite, ends)) else ""
    start = "" if variable.start is None else f"{variable.start:.9g}"
    cells = (variable.name, variable.unit, start, bounds, variable.about)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
