"""A plant as one file for any browser: WebAssembly, and the page of the studio around it."""

from inloop.io.page.export import export_page

__all__ = ["export_page"]
