"""Result of a simulation: arrays by name, tables, files and plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.native import MachineSnapshot
from inloop.plant import Array, Partition
from inloop.plant.arguments import one_name
from inloop.simulate.judging.balance import relative
from inloop.simulate.results.figure import Panel, draw_figure
from inloop.simulate.sensitivities.result import Sensitivities

MOST_PLOTS = 8  # maximum number if no signals are named
MOST_EVENTS = 10  # in a table
ENERGIES = ("energy.kinetic", "energy.potential", "energy.total")


@dataclass(frozen=True)
class ModeChoice:
    """Independent coordinates of a mode.

    Attributes:
        partition: roles of the coordinates.
        q: position at which they were chosen; None: the assembled position.
        watched: whether the pivots are monitored.
    """

    partition: Partition
    q: Array | None
    watched: bool


@dataclass(frozen=True)
class End:
    """End of a run: everything that influences its continuation.

    Attributes:
        t: time [s].
        q, qd: all coordinates and velocities.
        z: states of force laws.
        x: stepper state, to the last bit; None if it has to be computed from q and qd.
        steps: steps since t = 0.
        partition: roles of the coordinates.
        guard: guard of the pivots, outside of which a new partition is due; None: compute it from
            q.
        renew: when to compute a new guard, because this one is from near a singular position [s].
        guarded_at: steps and time [s] when the guard was computed.
        nearby_until: step up to which each step is divided, near a singular position.
        back: state from which to continue if the run ended while crossing a singular position.
        machine: for mechanisms with modes: mode and state, to the last bit.
        choices: for mechanisms with modes: partition by mode.
        failed_at: for mechanisms with modes: when a partition last failed [s].
        formulation: name of the formulation, which determines the layout of x.
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
    guarded_at: tuple[int, float] = (0, 0.0)
    nearby_until: int = 0
    back: End | None = None
    machine: MachineSnapshot | None = None
    choices: Mapping[str, ModeChoice] = field(default_factory=dict)
    failed_at: float | None = None
    formulation: str = "reduced"


@dataclass(frozen=True)
class EventRecord:
    """An event of a run.

    Attributes:
        t: time [s]; in a recording, the end of the period in which it happened.
        name: name of the event; "" in a recording, which has modes only.
        mode: mode that ended.
        next_mode: mode that followed.
        energy_before, energy_after: kinetic plus potential energy before and after [J]; NaN if not
            recorded.
        restitution: restitution of an impact; the largest if rows have their own.
        restitutions: restitution by row of the constraints that became active.
        impulses: impulse by row of the constraints that became active [N·s or N·m·s].
        settled: whether the mode followed because such events accumulated.
    """

    t: float
    name: str
    mode: str
    next_mode: str
    energy_before: float
    energy_after: float
    restitution: float = 0.0
    restitutions: dict[str, float] = field(default_factory=dict)
    impulses: dict[str, float] = field(default_factory=dict)
    settled: bool = False

    @property
    def energy_lost(self) -> float:
        """Energy dissipated by the event [J]."""
        return self.energy_before - self.energy_after

    def __str__(self) -> str:
        change = self.next_mode if self.next_mode != self.mode else f"stays {self.mode}"
        lost = "" if math.isnan(self.energy_lost) else f", {self.energy_lost:.4g} J lost"
        settled = ", settled" if self.settled else ""
        name = f"{self.name}, " if self.name else ""
        return f"t = {self.t:.9g} s: {name}{change}{lost}{settled}"


@dataclass(frozen=True)
class ParameterChange:
    """Parameters that changed while a plant was running.

    Attributes:
        row: index of the first sample with the new values.
        t: time of that sample [s].
        values: the changed values, by name.
    """

    row: int
    t: float
    values: dict[str, float]


@dataclass(frozen=True)
class Gap:
    """Records that were lost.

    Attributes:
        row: index of the first sample after the gap.
        begin, end: times of the samples before and after [s].
        lost: number of missing records.
    """

    row: int
    begin: float
    end: float
    lost: int

    def __str__(self) -> str:
        return f"{self.lost} records are missing between t = {self.begin:.9g} and {self.end:.9g} s"


@dataclass(frozen=True)
class Result:
    """Samples of a run.

    Attributes:
        name: name of the model.
        coordinates: names of the coordinates.
        t: times [s], shape (N,).
        q: coordinates [rad or m], shape (N, n).
        qd: velocities [rad/s or m/s], shape (N, n).
        energy: kinetic and potential energy [J], shape (N, 2); NaN if unknown, as in a recording
            that is read without its plant.
        status: "OK", "UNSTABLE" for a run that is not trustworthy (see `doubts`), or why it ended
            early.
        signals: further signals by name: states of laws and filters; for mechanisms with loops or
            drives also accelerations, multipliers, "<loop>.force.x" [N], "<loop>.torque.x" [N·m] on
            the second end in world axes (dropped rows carry none), "<rod>.tension" [N], and drive
            efforts.
        violation: largest constraint violation at each sample [m or rad]; None without loops.
        notes: remarks for readers of the result.
        end: end of the run, for `plant.simulate(start=result)`.
        events: events in order, if the mechanism has modes.
        modes: name of the mode at each sample, shape (N,); None without modes.
        units: units of the signals, by name.
        work: work done on the mechanism since the start by force laws, inputs, efforts, drives and
            moving constraints, minus the losses in events [J], shape (N,); NaN where samples are
            too far apart to compute it.
        method: integrator used.
        tolerance: relative error per step of adaptive steps; None for fixed steps.
        doubts: the notes that say why the run is not trustworthy.
        partitions: sets of independent coordinates used; empty for mechanisms with modes, and if
            there is no choice, as for trees.
        inputs: inputs of the plant by name, shape (N,) each. They count as signals unless another
            signal has the same name.
        parameters: live parameters at the start, by name.
        changes: parameter changes during the run, in order.
        gaps: missing records of a real-time run. They are not filled in.
        sensitivities: derivatives of the signals, if requested.
        recorded: rows are records of a real-time run: inputs are those that led to them. Otherwise
            they are those applied from there on.
        columns_only: read from a file that contains columns only, such as a .csv: it is unknown
            which of them are inputs, how these were held, and whether all joints are included.
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
    events: tuple[EventRecord, ...] = ()
    modes: Any = None
    units: dict[str, str] = field(default_factory=dict)
    work: Array | None = None
    method: str = ""
    tolerance: float | None = None
    doubts: tuple[str, ...] = ()
    partitions: tuple[Partition, ...] = ()
    inputs: dict[str, Array] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    changes: tuple[ParameterChange, ...] = ()
    gaps: tuple[Gap, ...] = ()
    sensitivities: Sensitivities | None = None
    recorded: bool = False
    columns_only: bool = False

    def __getitem__(self, signal: str) -> Array:
        """A signal over time: "t", "<coordinate>.q", "<coordinate>.qd", "energy.total", …."""
        known, signal = self.names, one_name(signal, "the signal")
        if signal not in known:
            raise InputError(
                f"result of '{self.name}' has no signal '{signal}'",
                fix=name_hint(signal, known),
            )
        if signal == "t":
            return self.t
        if signal in self.signals:
            return self.signals[signal]
        head, _, tail = signal.rpartition(".")
        if signal in ENERGIES and self.knows_energy:
            parts = {"kinetic": self.energy[:, 0], "potential": self.energy[:, 1]}
            return parts[tail] if tail in parts else np.sum(self.energy, axis=1)
        if head in self.coordinates and tail in ("q", "qd"):
            k = self.coordinates.index(head)
            return self.q[:, k] if tail == "q" else self.qd[:, k]
        return self.inputs[signal]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all signals."""
        states = [f"{c}.{kind}" for kind in ("q", "qd") for c in self.coordinates]
        energies = ENERGIES if self.knows_energy else ()
        return tuple(dict.fromkeys(("t", *states, *energies, *self.signals, *self.inputs)))

    @property
    def knows_energy(self) -> bool:
        """Whether the result contains the energy of the mechanism."""
        return bool(np.isfinite(self.energy[:1]).any())

    @property
    def constraint_violation(self) -> float:
        """Largest constraint violation [m or rad]; 0 without loops."""
        return 0.0 if self.violation is None else float(np.max(self.violation, initial=0.0))

    @property
    def energy_error(self) -> Array:
        """Energy gained since the start minus the work done [J], shape (N,): 0 for an exact run.

        Work is integrated over the samples; NaN where they are too far apart to compute it.
        """
        total = np.sum(self.energy, axis=1)
        return np.asarray(total - total[:1] - self._work)

    def energy_drift(self) -> float:
        """Largest error of the energy balance, relative to the largest energy exchanged.

        That is the largest kinetic energy or work.
        """
        return relative(self.energy_error, self.energy, self._work)

    @property
    def _work(self) -> Array:
        return np.zeros(len(self.t)) if self.work is None else self.work

    def save(self, path: str | Path) -> Path:
        """Write all signals as .npz, .csv or .parquet, depending on the suffix.

        `il.read` reads them back. A .csv file contains the signals only, the others also units,
        events, parameters and notes.
        """
        from inloop.simulate.results.saving import save

        return save(self, path)

    def to_pandas(self) -> Any:
        """All signals as a pandas.DataFrame over time [s]; units, gaps and the like in `attrs`."""
        from inloop.simulate.results.tables import data_frame

        return data_frame(self)

    def to_xarray(self) -> Any:
        """All signals as an xarray.Dataset over time, each with its unit."""
        from inloop.simulate.results.tables import dataset

        return dataset(self)

    def __str__(self) -> str:
        """A table of the first and last values and the range of every coordinate."""
        head = f"{self.name}: {self.status} at t = {self.t[-1]:g} s, {len(self.t)} samples"
        width = max(len(name) for name in (*self.coordinates, "coordinate"))
        titles = "  ".join(f"{title:>12}" for title in ("start", "end", "least", "most"))
        lines = [head, f"{'coordinate':{width}}  {titles}"]
        for k, name in enumerate(self.coordinates):
            q = self.q[:, k]
            values = (q[0], q[-1], _least(q), _most(q))
            lines.append(f"{name:{width}}  " + "  ".join(f"{value:12.6g}" for value in values))
        return "\n".join([*lines, *self._event_lines(), *map(str, self.gaps), *self.notes])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def _event_lines(self) -> list[str]:
        """The first events, one line each, and the number of further ones."""
        more = len(self.events) - MOST_EVENTS
        lines = [str(event) for event in self.events[:MOST_EVENTS]]
        return [*lines, f"… and {more} more events"] if more > 0 else lines

    def plot(
        self,
        *panels: Panel,
        file: str | Path | None = None,
        title: str | None = None,
        drawing: Callable[[Any], None] | None = None,
        until: float | None = None,
    ) -> Any:
        """Plot signals over time with matplotlib.

        Args:
            panels: one name each, or several names that share a panel; default: the first eight
                coordinates.
            file: save the figure to this file.
            title: title; default: the name of the model.
            drawing: draws on matplotlib axes left of the curves.
            until: end time of the curves [s].
        """
        chosen = panels or tuple(f"{c}.q" for c in self.coordinates[:MOST_PLOTS])
        return draw_figure(self, chosen, file=file, title=title, drawing=drawing, until=until)


def _least(values: Array) -> float:
    """The minimum, ignoring NaN."""
    return float(np.min(values, initial=np.inf, where=~np.isnan(values)))


def _most(values: Array) -> float:
    return float(np.max(values, initial=-np.inf, where=~np.isnan(values)))
