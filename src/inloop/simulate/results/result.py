"""What a simulation has computed: arrays by name, a table, files and plots."""

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

MOST_PLOTS = 8  # unless signals are named
MOST_EVENTS = 10  # in a table
ENERGIES = ("energy.kinetic", "energy.potential", "energy.total")


@dataclass(frozen=True)
class ModeChoice:
    """Independent coordinates of a mode.

    Attributes:
        partition: roles of the coordinates.
        q: where they were chosen; None: where the mechanism was assembled.
        watched: whether its pivots are watched.
    """

    partition: Partition
    q: Array | None
    watched: bool


@dataclass(frozen=True)
class End:
    """Where a run ended: all that influences how it would go on.

    Attributes:
        t: time [s].
        q, qd: all coordinates and velocities.
        z: states of force laws.
        x: state of the stepper, to the last bit; None where it has to be built from q and qd.
        steps: steps since t = 0.
        partition: roles of the coordinates.
        guard: of the pivots, beyond which other roles are due; None where it is made from q.
        renew: when to make a new guard, because this one is from near a singular position [s].
        guarded_at: steps and time [s] when the guard was made.
        nearby_until: step up to which each step is made of shorter ones, near a singular position.
        back: from where a run goes on whose end lies on the way over a singular position.
        machine: of a mechanism with modes: mode and state of the machine, to the last bit.
        choices: of a mechanism with modes: roles of the coordinates, by mode.
        failed_at: of a mechanism with modes: when such roles were last found bad [s].
        formulation: what the motion was written down in, which decides what x is.
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
        t: when [s]; of a recording, the end of the period in which it happened.
        name: name of the event; "" in a recording, which has modes only.
        mode: mode that ended.
        next_mode: mode that followed.
        energy_before, energy_after: kinetic and potential energy on both sides [J]; NaN where
            nobody has recorded them.
        restitution: of an impact; the largest where its rows have their own.
        restitutions: of the constraints that gripped, by row.
        impulses: of the constraints that gripped, by row [N·s or N·m·s].
        settled: the mode followed because such events came ever faster.
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
        """Energy that the event took [J]."""
        return self.energy_before - self.energy_after

    def __str__(self) -> str:
        change = self.next_mode if self.next_mode != self.mode else f"stays {self.mode}"
        lost = "" if math.isnan(self.energy_lost) else f", {self.energy_lost:.4g} J lost"
        settled = ", settled" if self.settled else ""
        name = f"{self.name}, " if self.name else ""
        return f"t = {self.t:.9g} s: {name}{change}{lost}{settled}"


@dataclass(frozen=True)
class ParameterChange:
    """Parameters that were changed while a plant ran.

    Attributes:
        row: number of the first sample with the new values.
        t: its time [s].
        values: those that changed, by name.
    """

    row: int
    t: float
    values: dict[str, float]


@dataclass(frozen=True)
class Gap:
    """Records that were lost before they could be kept.

    Attributes:
        row: number of the first sample after the gap.
        begin, end: times of the samples on both sides [s].
        lost: how many records are missing.
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
        energy: kinetic and potential energy [J], shape (N, 2); NaN where it is not known, as in a
            recording that is read without its plant.
        status: "OK", "UNSTABLE" for a run that is not to be trusted (`doubts` tell why), or why
            it ended early.
        signals: further signals by name: states of laws and filters; of a mechanism with loops or
            drives accelerations, multipliers, "<loop>.force.x" [N], "<loop>.torque.x" [N·m] on the
            second end in world axes (dropped rows carry none), "<rod>.tension" [N], and efforts of
            drives.
        violation: largest constraint value at each sample [m or rad]; None without loops.
        notes: what a reader of the result should know.
        end: where the run ended, for `plant.simulate(start=result)`.
        events: what happened, in order, if the mechanism has modes.
        modes: name of the mode at each sample, shape (N,); None without modes.
        units: of the signals, by name.
        work: done on the mechanism since the start by force laws, inputs, efforts, drives and
            moving constraints, less what events took [J], shape (N,); NaN where the samples are
            too far apart to tell.
        method: the integrator that was used.
        tolerance: relative error per step by which it chose its steps; None for fixed steps.
        doubts: those of the notes that say why the run is not to be trusted.
        partitions: choices of independent coordinates that were used; empty for modes, and where
            there is none to make, as for trees.
        inputs: what the plant was given, by name, shape (N,) each. Those whose name no other
            signal has are among the signals.
        parameters: live parameters at the start, by name.
        changes: of parameters while it ran, in order.
        gaps: where records of a run against the clock are missing. Nothing is put in their place.
        sensitivities: derivatives of the signals, if they were asked for.
        recorded: rows are records of a run against the clock: inputs are those that led to them.
            Otherwise they are those held from there on.
        columns_only: read from a file that holds columns and nothing else, as a .csv: nobody knows
            which of them are inputs, how these were held, and whether all joints are there.
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
        """Whether it contains the energy of the mechanism."""
        return bool(np.isfinite(self.energy[:1]).any())

    @property
    def constraint_violation(self) -> float:
        """Largest constraint value seen [m or rad]; 0 without loops."""
        return 0.0 if self.violation is None else float(np.max(self.violation, initial=0.0))

    @property
    def energy_error(self) -> Array:
        """Energy gained since the start less the work done [J], shape (N,): 0 if all were exact.

        Work is integrated over the samples; where they are too far apart to tell it, this is NaN.
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
        """Write all signals as .npz, .csv or .parquet, chosen by the name's ending.

        `il.read` gives them back. A .csv file holds the signals alone, the others also units,
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

    def _event_lines(self) -> list[str]:
        """The first events, one line each, and how many more there were."""
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
            panels: a name each, or several names that share a panel; the first eight coordinates
                by default.
            file: write the figure to this file.
            title: instead of the name of the model.
            drawing: draws on matplotlib axes left of the curves.
            until: the curves end there [s].
        """
        chosen = panels or tuple(f"{c}.q" for c in self.coordinates[:MOST_PLOTS])
        return draw_figure(self, chosen, file=file, title=title, drawing=drawing, until=until)


def _least(values: Array) -> float:
    """The smallest number that is one."""
    return float(np.min(values, initial=np.inf, where=~np.isnan(values)))


def _most(values: Array) -> float:
    return float(np.max(values, initial=-np.inf, where=~np.isnan(values)))
