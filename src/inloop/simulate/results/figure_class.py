"""Figures that notebooks show with any backend; imported only if matplotlib is installed."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class InlineFigure(Figure):
    """A figure without a window: notebooks request a picture of it."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=100)
        return data.getvalue()
