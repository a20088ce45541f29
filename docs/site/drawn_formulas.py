"""Formulas drawn into the pages when the site is built: no script, no font, no network."""

from __future__ import annotations

import functools
import html
import re
from typing import Any

import ziamath
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

SIZE = 17.0  # of letters within a line of 16 px: those of formulas look smaller
LINE = 16.0
SIZES = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


@functools.cache
def formula(latex: str, inline: bool) -> str:
    """A formula as a picture that scales with the text around it and has its color."""
    text = re.sub(r"\s+", " ", latex).strip()
    drawn = ziamath.Latex(text, size=SIZE, color="currentColor", inline=inline)
    picture = drawn.svg()
    found = SIZES.search(picture)
    assert found is not None
    width, height = (float(value) / LINE for value in found.groups())
    style = f"width:{width:.3f}em;height:{height:.3f}em"
    if inline:
        style += f";vertical-align:{drawn.getyofst() / LINE:.3f}em"
    head = f'role="img" aria-label="{html.escape(text)}" style="{style}"'
    return SIZES.sub(lambda _: head, picture, count=1)


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Within a line."""
    translator.body.append(formula(node.astext(), inline=True))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """On a line of its own, which can be scrolled where it is too long."""
    translator.body.append(f'<div class="formula">{formula(node.astext(), inline=False)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx know."""
    ziamath.config.svg2 = False  # outlines in place, without names that pages would share
    app.add_html_math_renderer("drawn", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
