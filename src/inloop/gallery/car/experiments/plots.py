"""Style of the car's figures."""

from __future__ import annotations

from typing import Any

COLORS = ("#1f5fa8", "#c2410c", "#2f855a", "#7a4fa0")
GRAY = "#7a7a7a"


def dress(axis: Any, across: str, up: str) -> None:
    """Add a grid and labels, remove margins."""
    axis.grid(True, alpha=0.3)
    axis.margins(x=0.0)
    axis.set_xlabel(across)
    axis.set_ylabel(up)
