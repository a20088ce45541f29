"""A result that knows its plant, and can therefore draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from inloop import simulate
from inloop.errors import InputError
from inloop.geometry import Visual
from inloop.plant import BarePlant
from inloop.simulate.results.energies import check_same_plant


@dataclass(frozen=True, repr=False)
class Result(simulate.Result):
    """Samples of a run: arrays by name, tables, files, plots and animations.

    Like `inloop.simulate.Result`, with the plant, so that it can draw the mechanism.

    Attributes:
        plant: plant of the run; None for a result read from a file alone.
    """

    plant: BarePlant | None = field(default=None, compare=False)

    @classmethod
    def of(cls, found: simulate.Result, plant: BarePlant | None = None) -> Self:
        """The same samples, with a plant."""
        if plant is not None:
            check_same_plant(found, plant)
        known = {name: getattr(found, name) for name in simulate.Result.__dataclass_fields__}
        return cls(**known, plant=plant)

    def animate(
        self,
        file: str | Path | None = None,
        *,
        speed: float = 1.0,
        fps: float | None = None,
        size: tuple[int, int] = (800, 500),
        theme: str = "light",
        plane: str = "",
        looks: Mapping[str, Sequence[Visual]] | None = None,
        plant: BarePlant | None = None,
    ) -> Any:
        """Animate the motion of the mechanism: as a file, or inline in a notebook.

        Args:
            file: .mp4 or .webm (by ffmpeg), .gif, or .html, a self-contained page whose view can be
                rotated with the mouse; None: such a page for a notebook.
            speed: simulated seconds per second.
            fps: frames per second; default: 30, or 20 for a .gif.
            size: width and height of frames [pixels]; a page adapts to its window.
            theme: "light" or "dark"; a page follows the system.
            plane: "xy", "xz" or "yz" for a side view; default for planar mechanisms.
            looks: visuals by name of the body or "ground", in place of the model's visuals.
            plant: plant of the run, if the result does not know it.

        Returns:
            The path of the file, or an object that a notebook displays.
        """
        from inloop.pictures.animation import animate

        drawn = plant or self.plant
        if drawn is None:
            raise InputError(
                f"a file holds numbers of '{self.name}', not what it looks like",
                fix="Give its plant: il.read(file, plant=plant), or animate(plant=plant).",
            )
        options = {"speed": speed, "fps": fps, "size": size, "theme": theme, "plane": plane}
        return animate(self, drawn, file, looks=looks, **options)  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        from inloop.pictures.cards import result_card

        return result_card(self, self.plant)
