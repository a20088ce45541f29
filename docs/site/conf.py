"""Settings of Sphinx; the sources are put together by site_sources.py, see build.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "inloop"
author = "The inloop authors"
copyright = "The inloop authors, BSD-3-Clause"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "drawn_formulas",
    "plain_docstrings",
]
nitpicky = False
exclude_patterns: list[str] = []

# Markdown as it reads on the pages of a repository, too: $x$ and ```math
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
html_math_renderer = "drawn"

# docstrings are plain text in Google's layout; names in backticks are code
default_role = "code"
add_module_names = False
# the table of contents names pages and headings, not each of some hundred methods
toc_object_entries = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = "inloop"
html_static_path = [str(Path(__file__).with_name("static"))]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#0b5394",
        "color-brand-content": "#0b5394",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7db7f0",
        "color-brand-content": "#7db7f0",
    },
}
