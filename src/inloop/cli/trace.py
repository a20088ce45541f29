"""A curve drawn with Braille characters, for any terminal."""

from __future__ import annotations

import sys

import numpy as np

from inloop.plant import Array

BLANK = 0x2800
# bit of the dot in row, column of a character
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def can_draw() -> bool:
    """Whether the terminal can show Braille characters."""
    try:
        chr(BLANK).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def draw_curve(x: Array, y: Array, columns: int = 52, most_rows: int = 16) -> list[str]:
    """Lines of text that show a curve with equal scales on both axes.

    Args:
        x: horizontal values, shape (N,).
        y: vertical values, shape (N,).
        columns: width in characters.
        most_rows: maximum height in characters.
    """
    wide, high = max(float(np.ptp(x)), 1e-12), max(float(np.ptp(y)), 1e-12)
    # a character is two dots wide and four dots high
    scale = min((2 * columns - 1) / wide, (4 * most_rows - 1) / high)
    right = np.rint((x - x.min()) * scale).astype(int)
    down = np.rint((y.max() - y) * scale).astype(int)
    cells = np.zeros((down.max() // 4 + 1, right.max() // 2 + 1), dtype=int)
    bits = np.array(DOTS)[down % 4, right % 2]
    np.bitwise_or.at(cells, (down // 4, right // 2), bits)
    return ["".join(chr(BLANK + int(cell)) for cell in row) for row in cells]
