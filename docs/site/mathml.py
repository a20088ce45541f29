"""Formulas as MathML, which browsers typeset by themselves: no script, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def formula(latex: str, display: str) -> str:
    """A formula as an element of HTML."""
    return convert(re.sub(r"\s+", " ", latex).strip(), display=display)


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Within a line."""
    translator.body.append(formula(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """On a line of its own, which can be scrolled where it is too long."""
    translator.body.append(f'<div class="formula">{formula(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx know."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
