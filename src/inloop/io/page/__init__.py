"""A plant as a single file for any browser: WebAssembly inside the page of the studio."""

from inloop.io.page.export import export_page

__all__ = ["export_page"]
