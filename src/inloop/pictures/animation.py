"""Animations of a run: as a file, or in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.geometry import Visual
from inloop.native import ProgressLine
from inloop.pictures.canvas import Bytes
from inloop.pictures.moments import Moments, moments
from inloop.pictures.movie_files import ENDINGS, need_pillow, write_movie
from inloop.pictures.palette import Palette, palette
from inloop.pictures.player import player_page
from inloop.pictures.renderer import Renderer
from inloop.pictures.shown import Shown
from inloop.plant import BarePlant
from inloop.plant.arguments import file_path
from inloop.simulate import Result
from inloop.simulate.results.energies import check_same_plant

SMALLEST, LARGEST = 16, 4096  # width or height [pixels]
RATES = {".gif": 20.0}  # frames per second; others:
RATE = 30.0
WORDS = 15  # text height [pixels], for a picture of height 480
HIGH = 460  # height of a page in a notebook [pixels]


@dataclass(frozen=True)
class Animation:
    """A motion that a notebook plays inline.

    Attributes:
        page: a self-contained HTML page.
    """

    page: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which any browser can open."""
        target = file_path(path, "the file of an animation")
        target.write_text(self.page, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{HIGH}px;border:0;border-radius:6px"
        return f'<iframe srcdoc="{html.escape(self.page)}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<Animation of {len(self.page) / 1024:.0f} kB: save it, or show it in a notebook>"


def animate(
    result: Result,
    plant: BarePlant,
    file: str | Path | None = None,
    *,
    speed: float = 1.0,
    fps: float | None = None,
    size: tuple[int, int] = (800, 500),
    theme: str = "light",
    plane: str = "",
    looks: Mapping[str, Sequence[Visual]] | None = None,
) -> Animation | Path:
    """Animate a run; see `inloop.Result.animate` for the arguments."""
    check_same_plant(result, plant)
    target = None if file is None else file_path(file, "the file of an animation")
    ending = ".html" if target is None else target.suffix
    _check(target, ending, plane)
    rate = RATES.get(ending, RATE) if fps is None else fps
    shown = Shown(_mechanism(plant, result), result.parameters, plane=plane, looks=looks)
    chosen = moments(result, rate, speed)
    if target is None or ending == ".html":
        page = Animation(player_page(shown, chosen, result.name))
        return page if target is None else page.save(target)
    need_pillow()
    width, height = _even(size)
    colors = palette(theme)
    X = shown.poses(chosen.q)
    renderer = Renderer(shown, X, width=width, height=height, colors=colors)
    write_movie(_pictures(renderer, X, chosen, colors), target, rate, (width, height))
    return target


def _check(target: Path | None, ending: str, plane: str) -> None:
    endings = (*ENDINGS, ".html")
    if ending not in endings:
        raise InputError(
            f"cannot animate as {ending!a}", fix=f"Use a name that ends in {', '.join(endings)}."
        )
    if target is not None and not target.parent.is_dir():
        raise InputError(f"there is no directory {str(target.parent)!a}", fix="Make it first.")
    if plane not in ("", "xy", "xz", "yz"):
        raise InputError(f"plane is {str(plane)[:40]!a}", fix='Use "xy", "xz" or "yz".')


def _mechanism(plant: BarePlant, result: Result) -> Any:
    """The mechanism to draw: for a plant with modes, the one with all coordinates."""
    for each in (plant, *plant.by_mode.values()):
        if each.coordinates == result.coordinates:
            return each.mechanism
    raise InputError(
        f"the modes of '{plant.name}' have different bodies, which no single picture shows",
        fix="Animate the run of one mode.",
    )


def _even(size: tuple[int, int]) -> tuple[int, int]:
    try:
        width, height = (2 * (int(x) // 2) for x in size)
        good = min(width, height) >= SMALLEST and max(width, height) <= LARGEST
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise InputError(
            f"a picture of size {str(size)[:40]!a} makes no sense",
            fix=f"Give width and height in pixels, {SMALLEST} to {LARGEST}.",
        )
    return width, height


def _pictures(renderer: Renderer, X: Any, chosen: Moments, colors: Palette) -> Iterator[Bytes]:
    """All frames with their times; progress is shown on a terminal."""
    with ProgressLine("drawing ...") as line:
        for k, (t, pose) in enumerate(zip(chosen.t, X, strict=True)):
            line.say(f"drawing: picture {k + 1} of {len(X)}")
            yield _with_words(renderer.picture(pose), f"t = {t:.2f} s", colors)


def _with_words(picture: Bytes, words: str, colors: Palette) -> Bytes:
    Image, ImageDraw, ImageFont = need_pillow()
    image = Image.fromarray(picture)
    high = max(9, round(WORDS * image.height / 480))
    font = ImageFont.load_default(size=high)
    place = (high, image.height - high)
    ImageDraw.Draw(image).text(place, words, fill=colors["muted"], font=font, anchor="ls")
    return np.asarray(image)
