"""Figures that notebooks show, whatever their back end; imported only where matplotlib is there."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class InlineFigure(Figure):
    """A figure that needs no window: a notebook asks it for a picture of itself."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=100)
        return data.getvalue()
