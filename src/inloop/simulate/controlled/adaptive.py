"""A controller with adaptive steps: each sample starts a new run.

Between two samples inputs are constant, so that the interval between them is an ordinary run
(run.py, machine.py), continued at the next sample with different inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from inloop.errors import SimulationError
from inloop.native import Status
from inloop.plant import Array, BarePlant
from inloop.plant.quantities.inputs_outputs import EVENTS, MODE
from inloop.simulate.controlled.law import FAILED, SampledController
from inloop.simulate.controlled.pace import Pace
from inloop.simulate.controlled.sampled import Sampled, SampledNames
from inloop.simulate.results.result import Result

Stretch = Callable[..., Result]
"""Runs to `t_end` with constant `inputs` and `tau` by name, from `start` on."""


class AdaptiveRun:
    """The intervals of a run between samples."""

    def __init__(
        self,
        plants: Mapping[str, BarePlant],
        law: SampledController,
        names: tuple[tuple[str, ...], tuple[str, ...]],
        stretch: Stretch,
    ) -> None:
        """Prepare a run.

        Args:
            plants: the modes by name.
            law: the controller.
            names: names of the outputs and of the inputs of the plant.
            stretch: runs one interval.
        """
        self._plants, self._law, self._stretch = plants, law, stretch
        self._outputs, self._inputs = names
        count = len({name for plant in plants.values() for name in plant.coordinates})
        self._names = SampledNames(count, ("t", *self._outputs, *self._inputs))
        self._first: Mapping[str, float] = {}
        self._parts: list[Result] = []
        self._held: list[Array] = []

    def go(self, pace: Pace, first: Array, signals: Mapping[str, float]) -> Result:
        """Run all intervals.

        Args:
            pace: steps and samples.
            first: outputs at t = 0, before the first controller output.
            signals: all signals of a result at t = 0, by name.

        Raises:
            SimulationError: as for `simulate_controlled`.
            KeyboardInterrupt: as for `simulate_controlled`.
        """
        self._law.reset()
        self._first = signals
        seen, before = first, self._law.held
        samples = -(-pace.steps // pace.per_sample)
        t_end = pace.steps * pace.step
        try:
            for k in range(samples):
                t = k * pace.period
                values = np.concatenate([[t], seen, before])
                held = self._law.sample(Sampled(self._names, values))
                self._advance(min((k + 1) * pace.period, t_end), held)
                seen, before = self._told(self._parts[-1]), held
        except (SimulationError, KeyboardInterrupt) as error:
            last = getattr(error, "result", None)
            if isinstance(last, Result):
                self._parts.append(last)
                self._held.append(self._law.held)
            if self._parts:
                stopped = isinstance(error, KeyboardInterrupt)
                why = Status.STOPPED.name if stopped else FAILED
                status = last.status if isinstance(last, Result) else why
                error.result = self._joined(status)  # type: ignore[union-attr]
            raise
        return self._joined("OK")

    def _advance(self, t_end: float, held: Array) -> None:
        """Run to the next sample with these inputs."""
        given = dict(zip(self._inputs, held.tolist(), strict=True))
        inputs = {name for plant in self._plants.values() for name in plant.inputs}
        tau = {n.removesuffix(".tau"): x for n, x in given.items() if n not in inputs}
        inputs_now = {n: x for n, x in given.items() if n in inputs}
        start = _anew(self._parts[-1]) if self._parts else None
        self._parts.append(self._stretch(t_end=t_end, inputs=inputs_now, tau=tau, start=start))
        self._held.append(held)

    def _told(self, part: Result) -> Array:
        """Outputs of the plant at the end of an interval."""
        happened = sum(len(each.events) for each in self._parts)
        known = {EVENTS: float(happened)}
        if part.modes is not None:
            known[MODE] = float(list(self._plants).index(str(part.modes[-1])))
        known |= {name: float(part[name][-1]) for name in part.names}
        return np.array([known.get(name, np.nan) for name in self._outputs])

    def _signals(self) -> dict[str, Array]:
        """What the controller reads at samples, and inputs as held from there on."""
        parts = self._parts
        found: dict[str, Array] = {}
        for name in dict.fromkeys(name for part in parts for name in part.signals):
            rows = [p.signals.get(name, np.full(len(p.t), np.nan)) for p in parts]
            found[name] = values = _rows_of(rows)
            values[0] = self._first.get(name, values[0])
        counts = [len(p.t) - 1 for p in parts[:-1]] + [len(parts[-1].t)]
        for k, name in enumerate(self._inputs):
            if name not in self._outputs:
                held = zip(self._held, counts, strict=True)
                found[name] = np.concatenate([np.full(n, values[k]) for values, n in held])
        return found

    def _joined(self, status: str) -> Result:
        """All intervals as one result."""
        parts, signals = self._parts, self._signals()

        t = _rows_of([p.t for p in parts])
        violations = [p.violation for p in parts if p.violation is not None]
        return replace(
            parts[-1],
            t=t,
            q=_rows_of([p.q for p in parts]),
            qd=_rows_of([p.qd for p in parts]),
            energy=_rows_of([p.energy for p in parts]),
            status=status,
            signals=signals,
            violation=_rows_of(violations) if len(violations) == len(parts) else None,
            notes=tuple(dict.fromkeys(n for p in parts for n in p.notes if n not in p.doubts)),
            events=tuple(event for part in parts for event in part.events),
            modes=None if parts[-1].modes is None else _rows_of([p.modes for p in parts]),
            # inputs jump at samples: their work between rows is unknown
            work=np.full(len(t), np.nan),
            doubts=(),
            end=None,
        )


def _rows_of(arrays: Sequence[Array]) -> Array:
    """Rows of all intervals: at a sample those before the controller's new output."""
    return np.concatenate([a if k == 0 else a[1:] for k, a in enumerate(arrays)])


def _anew(part: Result) -> Result:
    """An earlier interval to continue with different inputs: its last rates are invalid."""
    end = part.end
    if end is None or end.machine is None:
        return part
    return replace(part, end=replace(end, machine=replace(end.machine, slope=None)))
