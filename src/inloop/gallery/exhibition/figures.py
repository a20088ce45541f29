"""Figures of the gallery: `python -m inloop.gallery.exhibition.figures [FOLDER] [NAME ...]`."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from inloop.gallery.exhibition.catalog import get, names

FOLDER = "docs/figures"
SAMPLES = 1000  # per run, enough for a smooth curve
COLORS = 48


def write_figures(folder: Path, chosen: tuple[str, ...] = ()) -> list[Path]:
    """Run mechanisms for as long as their figures show, and write the figures.

    Args:
        folder: created if missing.
        chosen: names of mechanisms; all by default.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in chosen or names():
        exhibit = get(name)
        plant = exhibit.build().compile()
        until = exhibit.view.until if exhibit.view is not None else None
        t_end = min(exhibit.seconds, until or exhibit.seconds)
        sample = exhibit.step * max(1, math.ceil(t_end / exhibit.step) // SAMPLES)
        result = plant.simulate(
            t_end=t_end, step=exhibit.step, method=exhibit.method, sample=sample
        )
        written.append(folder / f"{name}.png")
        exhibit.plot(plant, result, written[-1])
        _shrink(written[-1])
    return written


def _shrink(picture: Path) -> None:
    """Store a picture with a palette: lines need few colors."""
    from PIL import Image  # installed with matplotlib

    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


if __name__ == "__main__":
    folder, *chosen = sys.argv[1:] or [FOLDER]
    for path in write_figures(Path(folder), tuple(chosen)):
        print(path)
