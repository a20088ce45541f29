"""Empty figures of matplotlib, which is there only if the user has installed it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inloop.errors import InputError


def blank_figure(size: tuple[float, float], file: str | Path | None = None) -> Any:
    """An empty figure that needs no window.

    Args:
        size: width and height [inch].
        file: where it is going to be written, if anywhere.

    Raises:
        InputError: there is no matplotlib, or it cannot write such a file.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "plots need matplotlib", fix="Install it with: pip install inloop[plot]"
        ) from error
    figure = Figure(figsize=size, layout="constrained")
    if file is not None:
        ending = Path(file).suffix
        if ending[1:].lower() not in figure.canvas.get_supported_filetypes():
            raise InputError(
                f"cannot draw a figure as '{ending}'",
                fix="Use a name that ends in .png, .svg or .pdf.",
            )
    return figure
