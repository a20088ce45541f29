"""Result of an identification: a table, a figure, and parameters for a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from inloop.analysis.identify.base_parameters import BaseParameters
from inloop.analysis.identify.consistency import Problem, nearest_consistent
from inloop.errors import InputError, name_hint
from inloop.plant import Array
from inloop.plant.arguments import name_list
from inloop.plant.inertias import Mechanism, named, with_inertias
from inloop.simulate import blank_figure
from inloop.simulate.results.figure import COLORS, GRID, INK

WEAK = 0.3  # relative standard deviation above which a parameter is hardly known


@dataclass(frozen=True)
class Identified:
    """Base parameters with their standard deviations, and consistent parameters of all bodies.

    Attributes:
        base: the base parameters.
        values: values of the base parameters, in the units of `base.units`.
        covariance: covariance of the values.
        unidentified: names of parameters that are part of no identified combination.
        noise: standard deviation of each joint's efforts about the model [N·m or N].
        condition: condition number of the weighted regressor, columns scaled to unit length.
        t: times of the rows used [s], shape (N,).
        tau: measured efforts minus those of known force laws, shape (N, n).
        residuals: efforts that the identified model does not explain, shape (N, n).
        notes: notes for the reader.
    """

    base: BaseParameters
    values: Array
    covariance: Array
    unidentified: tuple[str, ...]
    noise: Array
    condition: float
    t: Array
    tau: Array
    residuals: Array
    notes: tuple[str, ...]

    @property
    def deviations(self) -> Array:
        """Standard deviation of each base parameter."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def relative(self) -> Array:
        """Standard deviations relative to the values."""
        size = np.abs(self.values)
        return np.asarray(self.deviations / np.where(size > 0.0, size, np.finfo(float).tiny))

    @property
    def weak(self) -> tuple[str, ...]:
        """Names of base parameters that are hardly known: zero, or not excited."""
        pairs = zip(self.base.names, self.relative, strict=True)
        return tuple(name for name, part in pairs if part > WEAK)

    @cached_property
    def _consistent(self) -> tuple[Array, Array]:
        regressor = self.base.regressor
        names, bodies = regressor.names, len(regressor.inertial.bodies)
        guess = np.array(regressor.values)
        known = dict(zip(self.base.names, self.values, strict=True))
        others = range(10 * bodies, len(names))
        positive = [k for k in others if not names[k].endswith(".offset")]
        for k in others:
            # the model has no friction: the identified value gives the order of magnitude
            value = known.get(names[k], 0.0)
            guess[k] = guess[k] or (abs(value) if k in positive else value)
        length = regressor.plant.size.length
        problem = Problem(
            guess, bodies, positive, length, self.base.grouping, self.values, self.covariance
        )
        return nearest_consistent(problem)

    @property
    def full(self) -> Array:
        """All parameters of the regressor, in its order, physically consistent.

        Their base parameters are those identified; what these leave undetermined is as close as
        possible to the model (see `consistency`).
        """
        return self._consistent[0]

    @property
    def moved(self) -> Array:
        """By how many standard deviations `full` had to leave each identified base parameter."""
        return self._consistent[1]

    @property
    def parameters(self) -> dict[str, float]:
        """`full` under the names of live parameters: "<body>.com.x", "<body>.inertia.xx".

        Inertias are about the center of mass. `plant.parameters.update(...)` accepts those that are
        live, `mechanism()` contains all of them. Friction is "<joint>.viscous" and so on.
        """
        regressor = self.base.regressor
        bodies = regressor.inertial.bodies
        found = named(bodies, self.full[: 10 * len(bodies)])
        owners = {body.joint.name: body.name for body in regressor.plant.mechanism.bodies}
        others = zip(regressor.names, self.full, strict=True)
        for name, value in list(others)[10 * len(bodies) :]:
            joint, _, kind = name.rpartition(".")
            owner = owners[joint] if kind == "armature" else joint
            found[f"{owner}.{kind}"] = float(value)
        return found

    def mechanism(self) -> Mechanism:
        """The model with the identified inertias and armatures, for `il.compile_mechanism`."""
        return with_inertias(self.base.regressor.plant.mechanism, self.parameters)

    def __str__(self) -> str:
        """A table of base parameters with their formulas, and notes."""
        width = max(len(name) for name in (*self.base.names, "base parameter"))
        head = f"{'base parameter':{width}}  {'value':>12}  {'deviation':>10}  {'relative':>8}"
        lines = [f"{head}  made of"]
        rows = zip(
            self.base.names, self.base.units, self.values, self.deviations, self.relative,
            self.base.formulas, strict=True,
        )  # fmt: skip
        for name, unit, value, deviation, part, formula in rows:
            share = f"{100 * part:7.2f}%" if part < 10.0 else "       -"
            lines.append(
                f"{name:{width}}  {value:12.6g}  {deviation:10.2g}  {share}  [{unit}] {formula}"
            )
        joints = self.base.regressor.coordinates
        levels = (f"{j} {s:.3g}" for j, s in zip(joints, self.noise, strict=True))
        lines.append(f"condition number {self.condition:.3g}; noise of " + ", ".join(levels))
        if self.unidentified:
            lines.append("not identified: " + ", ".join(self.unidentified))
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def plot(self, *, file: str | Path | None = None, joints: Sequence[str] | None = None) -> Any:
        """Plot measured efforts, those of the identified model, and the residuals.

        Args:
            file: write the figure to this file.
            joints: names; default: all.
        """
        plant, measured = self.base.regressor.plant, self.base.regressor.coordinates
        chosen = measured if joints is None else name_list(joints, "joints")
        for name in chosen:
            if name not in measured:
                raise InputError(
                    f"model '{plant.name}' has no measured joint '{name}'",
                    fix=name_hint(name, measured),
                )
        figure = blank_figure((8.0, 1.0 + 1.5 * len(chosen)), file)
        panels = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, chosen, strict=True):
            k = measured.index(name)
            panel.plot(self.t, self.tau[:, k], color=COLORS[0], lw=1.0, label="measured")
            model = self.tau[:, k] - self.residuals[:, k]
            panel.plot(self.t, model, color=COLORS[1], lw=1.0, ls="--", label="model")
            panel.plot(self.t, self.residuals[:, k], color=COLORS[7], lw=0.8, label="left")
            place = plant.coordinates.index(name)
            unit = plant.mechanism.bodies[place].joint.kind.dimension.effort
            panel.set_ylabel(f"{name} [{unit}]", color=INK)
            panel.grid(color=GRID)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower right", ncols=3, fontsize="small")
        panels[-1].set_xlabel("t [s]")
        figure.suptitle(f"{plant.name}: efforts, measured and of the identified model")
        if file is not None:
            figure.savefig(file)
        return figure
