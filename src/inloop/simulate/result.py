"""What a simulation has computed: arrays by name, a table, files and plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.plant import Array, Partition

MOST_PLOTS = 8  # unless signals are named


@dataclass(frozen=True)
class End:
    """Where a run ended: all that influences how it would go on.

    Attributes:
        t: time [s].
        q, qd: all coordinates and velocities.
        z: states of force laws.
        x: state of the stepper, to the last bit; None where it has to be built from q and qd.
        steps: steps since t = 0.
        partition: roles of the coordinates of a mechanism with loops.
        guard: of the pivots, beyond which other roles are due; None where it is made from q.
        renew: when to make a new guard, because this one is from near a singular position [s].
    """

    t: float
    q: Array
    qd: Array
    z: Array
    x: Array | None
    steps: int
    partition: Partition | None
    guard: Array | None
    renew: float = math.inf


@dataclass(frozen=True)
class Result:
    """Samples of a run.

    Attributes:
        name: name of the model.
        coordinates: names of the coordinates.
        t: times [s], shape (N,).
        q: coordinates [rad or m], shape (N, n).
        qd: velocities [rad/s or m/s], shape (N, n).
        energy: kinetic and potential energy [J], shape (N, 2).
        status: "OK", or why the run ended early.
        signals: further signals by name: accelerations, multipliers and efforts of drives of a
            mechanism with loops.
        violation: largest constraint value at each sample [m or rad]; None without loops.
        notes: what a reader of the result should know.
        end: where the run ended, for `plant.simulate(start=result)`.
    """

    name: str
    coordinates: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    energy: Array
    status: str = "OK"
    signals: dict[str, Array] = field(default_factory=dict)
    violation: Array | None = None
    notes: tuple[str, ...] = ()
    end: End | None = None

    def __getitem__(self, signal: str) -> Array:
        """A signal over time: "t", "<coordinate>.q", "<coordinate>.qd", "energy.total", …."""
        known = self.names
        if signal not in known:
            raise InputError(
                f"result of '{self.name}' has no signal '{signal}'",
                fix=f"Names are: {', '.join(known[:12])}.",
            )
        if signal == "t":
            return self.t
        if signal in self.signals:
            return self.signals[signal]
        head, _, tail = signal.rpartition(".")
        if head == "energy":
            parts = {"kinetic": self.energy[:, 0], "potential": self.energy[:, 1]}
            return parts[tail] if tail in parts else np.sum(self.energy, axis=1)
        k = self.coordinates.index(head)
        return self.q[:, k] if tail == "q" else self.qd[:, k]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all signals."""
        states = [f"{c}.{kind}" for kind in ("q", "qd") for c in self.coordinates]
        energies = ("energy.kinetic", "energy.potential", "energy.total")
        return ("t", *states, *energies, *self.signals)

    @property
    def constraint_violation(self) -> float:
        """Largest constraint value seen [m or rad]; 0 without loops."""
        return 0.0 if self.violation is None else float(np.max(self.violation, initial=0.0))

    def energy_drift(self) -> float:
        """Largest change of the total energy, relative to the largest kinetic energy seen."""
        total = self["energy.total"]
        scale = float(np.max(self.energy[:, 0])) or 1.0
        return float(np.max(np.abs(total - total[0]))) / scale

    def save(self, path: str | Path) -> Path:
        """Write all signals as .npz, .csv or .parquet, chosen by the name's ending."""
        target = Path(path)
        if target.suffix == ".npz":
            arrays: dict[str, Any] = {name: self[name] for name in self.names}
            np.savez_compressed(target, **arrays)
        elif target.suffix == ".csv":
            table = np.column_stack([self[n] for n in self.names])
            np.savetxt(target, table, delimiter=",", header=",".join(self.names), comments="")
        elif target.suffix == ".parquet":
            self._save_parquet(target)
        else:
            raise InputError(
                f"cannot save as '{target.suffix}'",
                fix="Use a name that ends in .csv, .npz or .parquet.",
            )
        return target

    def _save_parquet(self, target: Path) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise InputError(
                "Parquet files need pyarrow", fix="Install it with: pip install inloop[parquet]"
            ) from error
        parquet.write_table(pyarrow.table({name: self[name] for name in self.names}), target)

    def __str__(self) -> str:
        """A table of the first and last values and the range of every coordinate."""
        head = f"{self.name}: {self.status} at t = {self.t[-1]:g} s, {len(self.t)} samples"
        width = max(len(name) for name in (*self.coordinates, "coordinate"))
        titles = "  ".join(f"{title:>12}" for title in ("start", "end", "least", "most"))
        lines = [head, f"{'coordinate':{width}}  {titles}"]
        for k, name in enumerate(self.coordinates):
            q = self.q[:, k]
            values = (q[0], q[-1], q.min(), q.max())
            lines.append(f"{name:{width}}  " + "  ".join(f"{value:12.6g}" for value in values))
        return "\n".join([*lines, *self.notes])

    def plot(self, *signals: str, file: str | Path | None = None) -> Any:
        """Plot signals over time with matplotlib.

        Args:
            signals: names; the first eight coordinates by default.
            file: write the figure to this file instead of showing it.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise InputError(
                "plots need matplotlib", fix="Install it with: pip install inloop[plot]"
            ) from error
        if file is not None:
            _check_figure_name(Figure(), Path(file))
        chosen: Sequence[str] = signals or [f"{c}.q" for c in self.coordinates[:MOST_PLOTS]]
        figure = Figure(figsize=(8.0, 1.2 + 1.4 * len(chosen)), layout="constrained")
        axes = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
        for axis, signal in zip(axes, chosen, strict=True):
            axis.plot(self.t, self[signal], linewidth=1.2)
            axis.set_ylabel(signal)
            axis.grid(True, alpha=0.3)
        axes[-1].set_xlabel("t [s]")
        figure.suptitle(self.name)
        if file is not None:
            figure.savefig(file, dpi=120)
        return figure


def _check_figure_name(figure: Any, file: Path) -> None:
    known = figure.canvas.get_supported_filetypes()
    if file.suffix[1:].lower() not in known:
        raise InputError(
            f"cannot draw a figure as '{file.suffix}'",
            fix="Use a name that ends in .png, .svg or .pdf.",
        )
