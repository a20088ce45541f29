"""The colors of the studio, light and dark, read from its style sheet."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from inloop.errors import InputError

Rgb: TypeAlias = tuple[float, float, float]  # 0 to 255
THEMES = {"light": ":root", "dark": '[data-theme="dark"]'}
BODIES, SERIES = 6, 8


@dataclass(frozen=True)
class Palette:
    """Colors of a theme by their names in the style sheet, as "#rrggbb"."""

    colors: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.colors[name]

    def rgb(self, name: str) -> Rgb:
        """Red, green, blue of a color."""
        return rgb(self.colors[name])

    def body(self, k: int) -> str:
        """Color of body number k."""
        return self.colors[f"body-{k % BODIES + 1}"]

    def series(self, k: int) -> str:
        """Color of curve number k."""
        return self.colors[f"series-{k % SERIES + 1}"]


def rgb(color: str) -> Rgb:
    """Red, green, blue of "#rrggbb"."""
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return float(red), float(green), float(blue)


@functools.cache
def palette(theme: str) -> Palette:
    """The colors of "light" or "dark"."""
    if theme not in THEMES:
        raise InputError(f"there is no theme {str(theme)[:40]!a}", fix='Use "light" or "dark".')
    return Palette(dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", sheet_block(theme))))


def sheet_block(theme: str) -> str:
    """The block of the style sheet for a theme."""
    sheet = files("inloop.studio").joinpath("page/style.css").read_text(encoding="utf-8")
    return sheet.split(f"\n{THEMES[theme]} {{", 1)[1].split("}", 1)[0]
