"""Style of the tilting vehicle's figures."""

from __future__ import annotations

from typing import Any

BLUE, ORANGE, GREEN, PURPLE, GRAY = "#1f5fa8", "#c2410c", "#2f855a", "#7a4fa0", "#7a7a7a"


def dress(axis: Any, up: str, across: str = "") -> None:
    """Add a grid and labels, remove margins."""
    axis.grid(True, alpha=0.3)
    axis.margins(x=0.0)
    axis.set_ylabel(up)
    if across:
        axis.set_xlabel(across)
