"""Result of many runs: one array for all of them, and why some failed."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import one_name

SHOWN = 5  # failed runs in the text of a result


class RunSamples(Protocol):
    """Samples of many runs, in memory or in files."""

    def signal(self, name: str) -> Array:
        """One signal of all runs, shape (runs, samples)."""

    def end(self, name: str) -> Array:
        """The same where the runs end, shape (runs,)."""


@dataclass(frozen=True)
class SampleArrays:
    """Samples in memory.

    Attributes:
        names: names of the columns of q, then of qd.
        q: shape (runs, samples, positions).
        qd: shape (runs, samples, coordinates).
    """

    names: Sequence[str]
    q: Array
    qd: Array

    def signal(self, name: str) -> Array:
        """One signal of all runs, shape (runs, samples)."""
        place, width = self.names.index(name), self.q.shape[2]
        return self.q[:, :, place] if place < width else self.qd[:, :, place - width]

    def end(self, name: str) -> Array:
        """The same where the runs end, shape (runs,)."""
        return self.signal(name)[:, -1]


@dataclass(frozen=True, repr=False)
class ManyResult:
    """Samples of many runs. `many["crank.q"]` gives one signal, shape (runs, samples).

    Attributes:
        name: name of the model.
        coordinates: names of the coordinates, which are the columns of qd.
        positions: signals that are the columns of q.
        t: times [s], shape (samples,).
        samples: the samples, in memory or in files.
        status: how each run ended: "OK", or the name of the failure.
        reasons: why a run failed, in words, by index of the run.
        reached: time that each run reached [s]; NaN if its start failed.
        method: the integrator.
        tolerance: relative error per step of adaptive steps; None for fixed steps.
        steps: number of steps of all runs.
        varied: varied values, such as "rod.mass" or "rod.q", shape (runs,) each.
        design: description of the design of these values, as by `Design.describe`.
        notes: remarks for readers of the result.
        folder: folder with the files of the runs; None: there are none.
    """

    name: str
    coordinates: tuple[str, ...]
    positions: tuple[str, ...]
    t: Array
    samples: RunSamples = field(compare=False)
    status: tuple[str, ...]
    reasons: Mapping[int, str]
    reached: Array
    method: str
    tolerance: float | None
    steps: int
    varied: Mapping[str, Array] = field(default_factory=dict, compare=False)
    design: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    plant: BarePlant | None = field(default=None, compare=False)
    parameters: Array | None = field(default=None, compare=False)

    @property
    def q(self) -> Array:
        """Positions, shape (runs, samples, n).

        NaN after a run failed, and for coordinates that a mode does not have.
        """
        return self._stacked("q", self.positions)

    @property
    def qd(self) -> Array:
        """Velocities, likewise."""
        return self._stacked("qd", [f"{name}.qd" for name in self.coordinates])

    def _stacked(self, kind: str, names: Sequence[str]) -> Array:
        if isinstance(self.samples, SampleArrays):
            return np.asarray(getattr(self.samples, kind))
        return np.stack([self.samples.signal(name) for name in names], axis=2)

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all signals."""
        return (*self.positions, *(f"{name}.qd" for name in self.coordinates))

    @property
    def failed(self) -> tuple[int, ...]:
        """Indices of the runs that did not reach their end."""
        return tuple(self.reasons)

    @property
    def final(self) -> dict[str, Array]:
        """Final state by signal, such as "crank.q": shape (runs,), NaN for failed runs."""
        return {name: self.samples.end(name) for name in self.signals}

    @functools.cached_property
    def energy(self) -> Array:
        """Kinetic and potential energy [J], shape (runs, samples, 2); computed on demand.

        Raises:
            InputError: the mechanism has modes, or the runs were read from files.
        """
        plant = self.plant
        if plant is None:
            raise InputError(
                f"the files of '{self.name}' do not contain its equations",
                fix="Call simulate_many again with the same folder: no run is repeated.",
            )
        if plant.by_mode:
            raise InputError(
                f"model '{self.name}' has modes: the energy depends on the mode of each sample",
                fix="Use plant.simulate for single runs.",
            )
        assert self.parameters is not None
        positions, velocities = self.q, self.qd
        energies = np.empty((*positions.shape[:2], 2))
        rows = self.parameters if self.parameters.ndim == 2 else self.parameters[None]
        runs = slice(None) if len(rows) == 1 else None
        for run, values in enumerate(rows):
            chosen = slice(run, run + 1) if runs is None else runs
            q, qd = (a[chosen].reshape(-1, a.shape[2]) for a in (positions, velocities))
            pre = plant.equations.prepared_for("energy", values)
            E = plant.evaluate("energy", ready=True, pre=pre, q=q, qd=qd, lanes=False)["E"]
            energies[chosen] = E.reshape(-1, len(self.t), 2)
        return energies

    def __getitem__(self, signal: str) -> Array:
        """A signal of all runs, such as "<coordinate>.q" or ".qd", shape (runs, samples)."""
        if one_name(signal, "the signal") not in self.signals:
            raise InputError(f"there is no signal '{signal}'", fix=name_hint(signal, self.signals))
        return np.asarray(self.samples.signal(signal))

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        runs, samples = len(self), len(self.t)
        how = self.method + (f", tolerance {self.tolerance:g}" if self.tolerance else "")
        lines = [
            f"{runs} runs of '{self.name}' to t = {self.t[-1]:g} s ({how}), "
            f"{samples} samples, {len(self.coordinates)} coordinates, {self.steps} steps; "
            f"{runs - len(self.reasons)} OK, {len(self.reasons)} failed"
        ]
        lines += [f"  run {k}: {why}" for k, why in list(self.reasons.items())[:SHOWN]]
        if len(self.reasons) > SHOWN:
            lines.append(f"  … and {len(self.reasons) - SHOWN} more, see .reasons")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])
