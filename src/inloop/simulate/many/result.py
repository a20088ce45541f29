"""What many runs computed: one array for all of them, and why some failed."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import one_name

SHOWN = 5  # failed runs in the text of a result


@dataclass(frozen=True, repr=False)
class ManyResult:
    """Samples of many runs. `many["crank.q"]` gives one signal, shape (runs, samples).

    Attributes:
        name: of the model.
        coordinates: their names, as the columns of q and qd.
        t: times [s], shape (samples,).
        q, qd: shape (runs, samples, n); NaN from where a run failed, and for coordinates that a
            mode does not have.
        status: how each run ended: "OK", or the name of what ended it.
        reasons: number of a run that failed → why, in words.
        reached: time that each run reached [s]; NaN where its start failed.
        method: the integrator.
        tolerance: relative error per step where the steps are chosen by it, else None.
        steps: of all runs.
        notes: what happened, in words.
    """

    name: str
    coordinates: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    status: tuple[str, ...]
    reasons: Mapping[int, str]
    reached: Array
    method: str
    tolerance: float | None
    steps: int
    notes: tuple[str, ...] = ()
    plant: BarePlant | None = field(default=None, compare=False)
    parameters: Array | None = field(default=None, compare=False)

    @property
    def failed(self) -> tuple[int, ...]:
        """Numbers of the runs that did not come to their end."""
        return tuple(self.reasons)

    @property
    def final(self) -> dict[str, Array]:
        """The state at the end by signal, such as "crank.q": shape (runs,), NaN where it failed."""
        ends = {"q": self.q[:, -1], "qd": self.qd[:, -1]}
        found = {
            f"{name}.{kind}": values[:, k]
            for kind, values in ends.items()
            for k, name in enumerate(self.coordinates)
        }
        return found | {name: self.q[:, -1, k] for name, k in self._turning.items()}

    @property
    def _turning(self) -> dict[str, int]:
        """Where components of quaternions are in q."""
        n, plant = len(self.coordinates), self.plant
        names = () if plant is None else plant.positions[plant.n :]
        return {name: n + k for k, name in enumerate(names)}

    @functools.cached_property
    def energy(self) -> Array:
        """Kinetic and potential energy [J], shape (runs, samples, 2); computed when asked for.

        Raises:
            InputError: the mechanism has modes.
        """
        plant = self.plant
        if plant is None or plant.by_mode:
            raise InputError(
                f"model '{self.name}' has modes: the energy depends on the mode of each sample",
                fix="Use plant.simulate for single runs.",
            )
        assert self.parameters is not None
        found = np.empty((*self.q.shape[:2], 2))
        rows = self.parameters if self.parameters.ndim == 2 else self.parameters[None]
        runs = slice(None) if len(rows) == 1 else None
        for run, values in enumerate(rows):
            chosen = slice(run, run + 1) if runs is None else runs
            q, qd = (a[chosen].reshape(-1, a.shape[2]) for a in (self.q, self.qd))
            pre = plant.equations.prepared_for("energy", values)
            E = plant.evaluate("energy", ready=True, pre=pre, q=q, qd=qd, lanes=False)["E"]
            found[chosen] = E.reshape(-1, len(self.t), 2)
        return found

    def __getitem__(self, signal: str) -> Array:
        """A signal of all runs, such as "<coordinate>.q" or ".qd", shape (runs, samples)."""
        if signal in self._turning:
            return np.asarray(self.q[:, :, self._turning[signal]])
        head, _, kind = one_name(signal, "the signal").rpartition(".")
        if head in self.coordinates and kind in ("q", "qd"):
            return np.asarray(getattr(self, kind)[:, :, self.coordinates.index(head)])
        raise InputError(f"there is no signal '{signal}'", fix=name_hint(signal, self.final))

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        runs, samples = self.q.shape[:2]
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
