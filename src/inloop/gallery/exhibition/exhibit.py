"""An exhibit: a model with its references, figure, looks, experiments and controllers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop.errors import near_names
from inloop.gallery.exhibition.cockpit import Cockpit
from inloop.gallery.exhibition.controller import Controller
from inloop.gallery.exhibition.device import Device
from inloop.gallery.exhibition.drawing import View, draw
from inloop.gallery.exhibition.experiment import Bench, Experiment, Outcome
from inloop.gallery.exhibition.look_drawing import draw_looks
from inloop.gallery.exhibition.notes import Notes
from inloop.gallery.exhibition.option import Chosen, Option
from inloop.gallery.exhibition.reference import Comparison, Reference

Box = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class Exhibit:
    """A mechanism of the gallery.

    Attributes:
        name: name in the gallery.
        title: one line.
        look_at: what is worth looking at.
        make: returns a fresh model; takes the options by name.
        start: the initial state, in words; the numbers are in the joints of the model.
        seconds: length of a run that shows something [s].
        step: step that suits `references` [s].
        method: integrator that suits the mechanism.
        tolerance: relative error per step, for integrators with adaptive steps.
        options: choices made when the model is built.
        files: descriptions of files that the model can read, by name; they are named only on the
            command line or in Python, never by a page or a recording.
        poses: named coordinate vectors [rad or m].
        references: known values to compare with.
        view: what its figure shows; None: the first coordinates.
        experiments: experiments with it, by name.
        looks: how bodies look in the studio, by name of the body or "ground"; takes the options
            by name. Bodies that are not listed are drawn from their points.
        reach: corners of the box in which it stays with the default options [m]; the studio shows
            all of it from the start. None: the studio widens the view as needed.
        device: the input that a person drives in the studio, or a function of the options that
            returns it.
        controllers: programs that control it, by name.
        notes: the signals from which its notes are detected.
        cockpit: cameras, instruments and levers for a person on board, or a function of the
            options that returns them or None.
    """

    name: str
    title: str
    look_at: str
    make: Callable[..., il.Model]
    start: str
    seconds: float
    step: float = 1e-3
    method: str = "rk4"
    tolerance: float | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    poses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    view: View | None = None
    experiments: Mapping[str, Experiment] = field(default_factory=dict)
    looks: Callable[..., Mapping[str, tuple[il.Visual, ...]]] | None = None
    reach: Box | None = None
    device: Device | Callable[..., Device] | None = None
    controllers: Mapping[str, Controller] = field(default_factory=dict)
    notes: Notes | None = None
    cockpit: Cockpit | Callable[..., Cockpit | None] | None = None

    def build(self, **options: Chosen) -> il.Model:
        """A fresh model, which may be extended before it is compiled.

        Args:
            options: see `options` and `files`; missing ones have their defaults.
        """
        return self.make(**self.complete(options))

    def complete(self, given: Mapping[str, Chosen]) -> dict[str, Chosen]:
        """All options, with defaults for missing ones, and the given files.

        Raises:
            InputError: an option is unknown, or its value is outside its range.
        """
        for name, value in given.items():
            if name in self.files:  # a path or, in Python, the content of the file
                continue
            if name not in self.options:
                raise self._unknown("option", name, self.options)
            option = self.options[name]
            if not option.fits(value):
                raise il.InputError(
                    f"option '{name}' of '{self.name}' cannot be {str(value)[:40]!a}",
                    fix=f"Give {option.allowed}.",
                )
        return {**{name: option.default for name, option in self.options.items()}, **given}

    def hand(self, **options: Chosen) -> Device | None:
        """The input that a person drives in the model with these options."""
        if not callable(self.device):
            return self.device
        return self.device(**self.complete(options))

    def ride(self, **options: Chosen) -> Cockpit | None:
        """The cockpit of the model with these options, if it has one."""
        if not callable(self.cockpit):
            return self.cockpit
        return self.cockpit(**self.complete(options))

    def compare(self, plant: il.Plant) -> list[Comparison]:
        """Compare all references with the results of a plant of the default model."""
        return [reference.compare(plant) for reference in self.references]

    def plot(self, plant: il.Plant, result: il.Result, file: str | Path | None = None) -> Any:
        """Draw the figure of a run: the mechanism, and next to it the signals of `view`.

        Args:
            plant: the compiled model.
            result: its run.
            file: write the figure to this file.
        """
        view = self.view
        if view is None:
            return result.plot(file=file, title=self.title)
        return result.plot(
            *(panel for panel in view.panels if _has_signals(result, panel)),
            file=file,
            title=self.title,
            drawing=lambda axes: self._draw(axes, view, plant, result),
            until=view.until,
        )

    def _draw(self, axes: Any, view: View, plant: il.Plant, result: il.Result) -> None:
        """Draw the mechanism with its looks; as lines if it has none, or at several instants."""
        if self.looks is None or len(view.axes) != len("xy") or len(view.times) > 1:
            draw(axes, view, plant, result)
            return
        row = int(np.argmin(np.abs(result.t - view.times[0])))
        looks = self.looks(**{name: option.default for name, option in self.options.items()})
        draw_looks(axes, view.axes, looks, plant, result.q[row])
        axes.set_axis_off()

    def experiment(
        self,
        name: str,
        *,
        parameters: Mapping[str, float] | None = None,
        seconds: float | None = None,
        **options: Chosen,
    ) -> Outcome:
        """Run an experiment with the mechanism.

        Args:
            name: see `experiments`.
            parameters: values of parameters, in all plants of the experiment that have them.
            seconds: length of the experiment, instead of its default, unless it is fixed [s].
            options: as in `build`, where the experiment does not choose them itself.
        """
        chosen = parameters or {}
        if name not in self.experiments:
            raise self._unknown("experiment", name, self.experiments)
        if seconds is not None and not 0.0 < seconds < math.inf:
            raise il.InputError(f"{seconds:g} s makes no sense", fix="Give seconds > 0.")
        if seconds is not None and self.experiments[name].fixed_length:
            raise il.InputError(
                f"experiment '{name}' has a fixed length", fix="Leave out the seconds."
            )
        known = [p.name for p in self.build(**options).build().parameters]
        for parameter in chosen:
            if parameter not in known:
                raise self._unknown("parameter", parameter, known)

        def compiled(formulation: str = "reduced", **own: Chosen) -> il.Plant:
            plant = self.build(**{**options, **own}).compile(formulation=formulation)
            plant.parameters.update({p: v for p, v in chosen.items() if p in plant.parameters})
            return plant

        return self.experiments[name].run(Bench(compiled, seconds))

    def _unknown(self, what: str, name: str, known: Collection[str]) -> il.InputError:
        near = near_names(name, known)
        names = ", ".join(known) or "none"
        hint = f"Did you mean '{near[0]}'?" if near else f"It has: {names}."
        return il.InputError(f"'{self.name}' has no {what} {name[:40]!a}", fix=hint)


def _has_signals(result: il.Result, panel: str | tuple[str, ...]) -> bool:
    """A model with other options may lack a signal of the figure."""
    names = (panel,) if isinstance(panel, str) else panel
    return all(name in result.names for name in names)
