"""Rows stored by a run with a controller, and the result made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from inloop.native import FixedSteps
from inloop.plant import Array, BarePlant
from inloop.plant.quantities.inputs_outputs import EVENTS, MODE, input_quantities
from inloop.plant.quantities.units import signal_units
from inloop.plant.unit import common_name
from inloop.simulate import observe
from inloop.simulate.judging.hard_contacts import contact_notes_of_modes
from inloop.simulate.judging.limits import limit_notes
from inloop.simulate.judging.row_jumps import row_jump_notes
from inloop.simulate.judging.verdict import UNSTABLE, Stretch, judge
from inloop.simulate.results.result import EventRecord, Result
from inloop.simulate.results.samples import Samples
from inloop.simulate.systems import cut_forces, largest_violation


@dataclass(frozen=True)
class HeldInputs:
    """The vector u of one mode, held from each row to the next.

    Attributes:
        t: times of the rows [s], shape (N,).
        u: values from these times on, shape (N, inputs).
    """

    t: Array
    u: Array

    def over(self, t: Array) -> Array:
        """Inputs at many times [s], shape (N, inputs)."""
        return np.asarray(self.u[np.searchsorted(self.t, t, side="right") - 1])


class Rows:
    """Times, outputs and inputs of a run at the stored steps.

    Attributes:
        events: events in order.
    """

    def __init__(
        self, plants: Mapping[str, BarePlant], outputs: Sequence[str], inputs: Sequence[str]
    ) -> None:
        """Start without rows.

        Args:
            plants: the modes by name.
            outputs: names of the outputs of the plant.
            inputs: names of its inputs.
        """
        self._plants, self._outputs, self._inputs = plants, list(outputs), list(inputs)
        self._rows: list[tuple[float, str, Array, Array]] = []
        self.events: list[EventRecord] = []

    def add(self, t: float, mode: str, outputs: Array, held: Array) -> None:
        """Store a row.

        Args:
            t: time [s].
            mode: name of the mode.
            outputs: outputs of the plant; copied.
            held: inputs from here on; must not be modified afterwards.
        """
        self._rows.append((t, mode, outputs.copy(), held))

    @property
    def last(self) -> float:
        """Time of the last row [s]; -1 without rows."""
        return self._rows[-1][0] if self._rows else -1.0

    def result(self, schedule: FixedSteps, status: str, notes: Sequence[str]) -> Result:
        """All rows as a result; NaN where a mode lacks a quantity.

        Args:
            schedule: schedule of the run, one sample per row.
            status: status at the end.
            notes: notes about the start.
        """
        times, modes, told, given = zip(*self._rows, strict=True)
        t, y, held = np.array(times), np.array(told), np.array(given)
        signals = self._signals(y, held)
        parts = [(m, r, self._samples(m, t[r], y[r])) for m, r in _stretches(modes)]
        energies, stretches, violation = [], [], np.zeros(len(t))
        for mode, rows, found in parts:
            plant = self._plants[mode]
            energies.append(observe.energy(plant, found))
            stretches.append(self._stretch(plant, found, held[rows]))
            if not plant.formulation.unconstrained:
                violation[rows] = largest_violation(plant, found.q, found.qd, found.t)
                for name, values in _cut_forces(plant, found).items():
                    signals.setdefault(name, np.full(len(t), np.nan))[rows] = values
        energy = np.concatenate(energies)
        lost = [(event.t, event.energy_lost) for event in self.events]
        # inputs jump at samples: their work between rows is unknown
        verdict = judge(stretches, energy, schedule, lost, jumping=True)
        # outputs of drive filters have the same suffix as coordinates
        known = {name for plant in self._plants.values() for name in plant.coordinates}
        stems = (n.removesuffix(".q") for n in self._outputs if n.endswith(".q"))
        coordinates = [name for name in stems if name in known]
        jumps = [note for m, _, part in parts for note in row_jump_notes(self._plants[m], part)]
        limits = limit_notes([(self._plants[m], found.t, found.q) for m, _, found in parts])
        changes = any(plant.has_events for plant in self._plants.values())
        closed = any(not p.formulation.unconstrained for p in self._plants.values())
        result = Result(
            name=common_name(self._plants),
            coordinates=tuple(coordinates),
            t=t,
            q=self._columns(y, [*(f"{c}.q" for c in coordinates), *self._turning]),
            qd=self._columns(y, [f"{c}.qd" for c in coordinates]),
            energy=energy,
            status=UNSTABLE if verdict.wrong and status == "OK" else status,
            signals=signals,
            violation=violation if closed or changes else None,
            notes=(*notes, *dict.fromkeys(jumps), *verdict.doubts, *limits),
            events=tuple(self.events),
            modes=np.array(modes) if changes else None,
            units=self._units(),
            work=verdict.work,
            method=schedule.method.name.lower(),
            doubts=verdict.doubts,
        )
        positions = (*coordinates, *self._turning)
        begun = contact_notes_of_modes(self._plants, positions, result, schedule.step, ())
        return replace(result, notes=(*begun, *result.notes))

    @property
    def _turning(self) -> list[str]:
        """Names of quaternion components of all modes."""
        found = (name for p in self._plants.values() for name in p.positions[p.n :])
        return list(dict.fromkeys(found))

    def _columns(self, y: Array, names: Sequence[str]) -> Array:
        return y[:, [self._outputs.index(name) for name in names]]

    def _signals(self, y: Array, held: Array) -> dict[str, Array]:
        """Outputs except coordinates, and inputs that are not also outputs."""
        n = len({name for plant in self._plants.values() for name in plant.coordinates})
        found = {
            name: y[:, 2 * n + k]
            for k, name in enumerate(self._outputs[2 * n :])
            if name not in (MODE, EVENTS)
        }
        for k, name in enumerate(self._inputs):
            if name not in self._outputs:
                found[name] = held[:, k]
        return found

    def _samples(self, mode: str, t: Array, y: Array) -> Samples:
        """Rows of one mode, as stored by other runs."""
        plant = self._plants[mode]
        n, states = plant.n, [state.name for state in plant.mechanism.states]
        turning = plant.positions[n:]
        q = self._columns(y, [*(f"{c}.q" for c in plant.coordinates), *turning])
        qd = self._columns(y, [f"{c}.qd" for c in plant.coordinates])
        signals = {name: y[:, k] for k, name in enumerate(self._outputs)}
        return Samples(t, q, qd, self._columns(y, states), signals)

    def _stretch(self, plant: BarePlant, found: Samples, held: Array) -> Stretch:
        u = HeldInputs(found.t, held[:, [self._inputs.index(name) for name in plant.inputs]])
        names = [f"{c}.tau" for c in plant.coordinates]
        efforts = [k for k, name in enumerate(names) if name not in plant.inputs]
        tau = held[:, [self._inputs.index(names[k]) for k in efforts]]
        power = np.sum(found.qd[:, efforts] * tau, axis=1)
        return Stretch(plant, found, power + observe.law_power(plant, found, u, slice(None)), u)

    def _units(self) -> dict[str, str]:
        units = {x.name: x.unit for x in input_quantities(self._plants)}
        for plant in self._plants.values():
            units |= signal_units(plant)
        return units


def _cut_forces(plant: BarePlant, found: Samples) -> dict[str, Array]:
    """Cut forces from the multipliers among the outputs; rows that never act have none."""
    nothing = np.zeros(len(found.t))
    names = plant.formulation.rows.names
    lam = [found.signals.get(f"lam.{name}", nothing) for name in names]
    columns = np.column_stack(lam) if lam else np.zeros((len(found.t), 0))
    return cut_forces(plant.formulation, found.q, columns)


def _stretches(modes: Sequence[str]) -> Iterator[tuple[str, slice]]:
    """Intervals of rows in the same mode."""
    changes = [k for k in range(1, len(modes)) if modes[k] != modes[k - 1]]
    for begin, end in pairwise([0, *changes, len(modes)]):
        yield modes[begin], slice(begin, end)
