"""Predictions of all segments as functions of the unknowns, from parallel runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.analysis.fitting.clock import first_steps
from inloop.analysis.fitting.interpolation import interpolated
from inloop.analysis.fitting.recordings import Measured, plants_of
from inloop.analysis.fitting.segments import Segment
from inloop.analysis.fitting.unknowns import Unknowns
from inloop.plant import Array, BarePlant
from inloop.plant.quantities.inputs_outputs import input_quantities
from inloop.simulate.fleet import Fleet
from inloop.simulate.start import first_internal_states

DELAY_PART = 1e-5  # step of finite differences by delays, in periods
SIDE_BY_SIDE = 256  # runs per fleet


@dataclass(frozen=True)
class Steps:
    """Integration of the runs: steps per period, and the integrator."""

    per_period: int
    method: str | None


@dataclass(frozen=True)
class Runs:
    """Runs to simulate, one row each.

    Attributes:
        segment: number of the segment.
        values: values of all fitted parameters.
        state: initial state: independent positions and velocities, then states of force laws.
    """

    segment: NDArray[np.int64]
    values: Array
    state: Array


class Shooting:
    """All segments of all recordings as functions of the unknowns.

    The state of a node is (q, qd) of independent coordinates, and z. If initial states are not
    fitted, it is that of the recording, with z as at the start of any run. Coordinates of ball
    joints are rotation vectors away from the recorded attitude.

    Attributes:
        first: initial values of the unknowns.
        nodes: initial states of the segments, shape (segments, state size).
        origins: recorded positions at the starts of the segments, shape (segments, nq).
        columns: names of the entries of a state.
        places: indices of the independent coordinates.
        acting: inputs, shape (segments, periods, parts of a period, inputs).
        inputs: names of the inputs.
        begins: steps from t = 0 to the start of each segment.
        step_size: integrator step [s].
        free: which entries of `nodes` are fitted, same shape.
    """

    def __init__(
        self,
        plant: BarePlant,
        recordings: Sequence[Measured],
        segments: Sequence[Segment],
        unknowns: Unknowns,
        outputs: Sequence[str],
        delay: dict[str, float],
        steps: Steps,
        fit_start: bool,
    ) -> None:
        self.plant, self.recordings, self.segments = plant, recordings, segments
        self.unknowns, self.outputs, self.steps = unknowns, outputs, steps
        self.first, self.period = unknowns.first, recordings[0].period
        self.delay = np.array([delay.get(name, 0.0) for name in outputs])
        self._delayed = [list(outputs).index(name) for name in unknowns.channels]
        self._fleets: dict[int, Fleet] = {}
        names = plant.formulation.independent
        self.places = [plant.coordinates.index(name) for name in names]
        self._states = [state.name for state in plant.mechanism.states]
        self.columns = [*(f"{n}.q" for n in names), *(f"{n}.qd" for n in names), *self._states]
        self.step_size = self.period / steps.per_period
        self.begins = first_steps(plant, recordings, segments, self.step_size)
        self.acting = self._inputs()
        self.inputs = tuple(x.name for x in input_quantities(plants_of(plant)))
        self.origins = np.array([recordings[each.recording].q[each.begin] for each in segments])
        self.nodes = self._first_nodes()
        self.free: NDArray[np.bool_] = np.full(self.nodes.shape, fit_start)
        self.sizes = self._sizes()
        for k, each in enumerate(segments):
            if each.begin == 0:
                # law states start as in any run
                self.free[k, 2 * len(names) :] = False
            else:
                self.free[k] = True

    def _inputs(self) -> Array:
        """Inputs of each segment, shape (segments, periods, parts, inputs)."""
        parts = max(each.acting.shape[1] for each in self.recordings)
        length = max(each.length for each in self.segments)
        inputs = self.recordings[0].acting.shape[2]
        inputs_of_segments = np.zeros((len(self.segments), length, parts, inputs))
        for k, each in enumerate(self.segments):
            rows = self.recordings[each.recording].acting[each.begin :][:length]
            inputs_of_segments[k, : len(rows)] = rows
            inputs_of_segments[k, len(rows) :] = rows[-1:, -1:]
        return inputs_of_segments

    def _first_nodes(self) -> Array:
        """Initial guess of the nodes: recorded states; law states from runs over the segments."""
        n, rest = len(self.places), self._law_states()
        nodes = np.empty((len(self.segments), 2 * n + len(rest)))
        for k, each in enumerate(self.segments):
            run = self.recordings[each.recording]
            nodes[k, :n] = run.q[each.begin, self.places]
            nodes[k, n : 2 * n] = run.qd[each.begin, self.places]
            nodes[k, 2 * n :] = rest
        if not len(rest):
            return nodes
        for _ in range(2):
            ends = self.simulate(self.runs_at(nodes))[1]
            for k, each in enumerate(self.segments[:-1]):
                if each.handover is not None and np.all(np.isfinite(ends[k, 2 * n :])):
                    nodes[k + 1, 2 * n :] = ends[k, 2 * n :]
        return nodes

    def _law_states(self) -> Array:
        first = self.recordings[0].acting[0, 0]
        u = np.array([first[self.inputs.index(name)] for name in self.plant.inputs])
        return first_internal_states(self.plant, u)

    def _sizes(self) -> Array:
        """Approximate size of each entry of a state."""
        n = len(self.places)
        runs = [np.hstack([r.q[:, self.places], r.qd[:, self.places]]) for r in self.recordings]
        seen = np.abs(np.vstack(runs)).max(axis=0)
        states = np.abs(self.nodes[:, 2 * n :]).max(axis=0, initial=0.0)
        sizes = np.concatenate([seen, states])
        return np.where(sizes > 0.0, sizes, 1.0)

    # predictions and their derivatives

    def predict(self, values: Array, nodes: Array) -> tuple[list[Array], Array]:
        """Outputs at the samples that each segment predicts, and the states at handovers.

        Args:
            values: values of the unknowns.
            nodes: initial states of the segments.

        Returns:
            One array (samples, channels) per segment, NaN where a run failed; states at the
            handovers, shape (segments, state size).
        """
        y, ends = self.simulate(self.runs_at(nodes, values))
        late = self.delays(values)
        return [self.seen(y[k], each, late) for k, each in enumerate(self.segments)], ends

    def varied_columns(self, segment: int) -> list[int]:
        """Columns of derivatives that need runs: parameters, and the free initial state."""
        free = len(self.unknowns) + np.flatnonzero(self.free[segment])
        return [*range(len(self.unknowns.names)), *free.tolist()]

    def blank_derivatives(self) -> tuple[list[Array], Array]:
        """Zeros, shaped as derivatives of `predict` by all unknowns and the initial state.

        Returns:
            One array (samples, channels, unknowns + state size) per segment, and one of shape
            (segments, state size, unknowns + state size).
        """
        width = len(self.unknowns) + self.nodes.shape[1]
        seen = [np.zeros((e.stop - e.first, len(self.outputs), width)) for e in self.segments]
        return seen, np.zeros((len(self.segments), self.nodes.shape[1], width))

    def add_delays(self, values: Array, nodes: Array, seen: list[Array]) -> None:
        """Fill in the columns of delays, which need no perturbed runs."""
        if not self._delayed:
            return
        y, _ = self.simulate(self.runs_at(nodes, values))
        first = len(self.unknowns.names)
        for j, channel in enumerate(self._delayed):
            for k, each in enumerate(self.segments):
                pair = []
                for sign in (-1.0, 1.0):
                    late = self.delays(values)
                    late[channel] += sign * DELAY_PART * self.period
                    pair.append(self.seen(y[k], each, late)[:, channel])
                change = (pair[1] - pair[0]) / (2.0 * DELAY_PART * self.period)
                seen[k][:, channel, first + j] = change

    def runs_at(self, nodes: Array, values: Array | None = None) -> Runs:
        """One run per segment; default: with the initial values of the search."""
        chosen = self.first if values is None else values
        count = len(self.segments)
        rows = np.tile(chosen[: len(self.unknowns.names)], (count, 1))
        return Runs(np.arange(count), rows, nodes)

    def delays(self, values: Array) -> Array:
        """Delays of all channels [s]."""
        late = self.delay.copy()
        late[self._delayed] = values[len(self.unknowns.names) :]
        return late

    def seen(self, y: Array, segment: Segment, late: Array) -> Array:
        """Delayed outputs at the samples of a segment, from outputs at its periods."""
        places = np.arange(segment.first, segment.stop) - segment.begin
        delayed = np.empty((len(places), y.shape[1]))
        for c, delay in enumerate(late):
            if delay == 0.0 and c not in self._delayed:
                delayed[:, c] = y[places, c]
            else:
                inside = y[: segment.length + 1, c]
                delayed[:, c] = interpolated(inside, places - delay / self.period)
        return delayed

    def efforts(self, segment: int) -> Array:
        """Efforts of all joints in a segment, shape (parts of its periods, n)."""
        places = [self.inputs.index(f"{name}.tau") for name in self.plant.coordinates]
        acting = self.acting[segment, : self.segments[segment].length]
        return np.asarray(acting.reshape(-1, len(self.inputs))[:, places])

    @property
    def method(self) -> str:
        """The integrator."""
        return self._fleet(len(self.segments)).method

    def starts(self, values: Array, nodes: Array) -> tuple[Array, Array]:
        """Initial positions and velocities of all coordinates, for each segment."""
        fleet = self._start(self.runs_at(nodes, values))
        table = dict(zip(fleet.output_names, fleet.outputs.T, strict=True))
        q, qd = ([table[f"{c}.{kind}"] for c in self.plant.coordinates] for kind in ("q", "qd"))
        q += [table[name] for name in self.plant.positions[self.plant.n :]]
        return np.array(q).T, np.array(qd).T

    # the runs

    def simulate(self, runs: Runs) -> tuple[Array, Array]:
        """Outputs of all runs, shape (runs, periods + 1, channels), and states at handovers."""
        count = len(runs.segment)
        y = np.full((count, self.acting.shape[1] + 1, len(self.outputs)), np.nan)
        ends = np.full((count, len(self.columns)), np.nan)
        for begin in range(0, count, SIDE_BY_SIDE):
            part = slice(begin, min(begin + SIDE_BY_SIDE, count))
            chosen = Runs(runs.segment[part], runs.values[part], runs.state[part])
            y[part], ends[part] = self._side_by_side(chosen)
        return y, ends

    def _side_by_side(self, runs: Runs) -> tuple[Array, Array]:
        fleet, count = self._start(runs), len(runs.segment)
        names = [*self.outputs, *self.columns]
        parts, inputs = self.acting.shape[2:]
        # one block per part of a period; inputs set by the plant itself are kept
        acting = np.moveaxis(self.acting[runs.segment], 0, 2).reshape(-1, count, inputs)
        led = [k for k, name in enumerate(fleet.input_names) if name in fleet.led]
        acting[..., led] = fleet.inputs[:, led]
        columns = [fleet.output_names.index(name) for name in names]
        first = fleet.outputs[None][..., columns]
        outputs = fleet.play(acting, self.steps.per_period // parts, names)
        outputs = np.concatenate([first, outputs[parts - 1 :: parts]])
        outputs[:, fleet.failed] = np.nan
        handover = [self.segments[k].handover or 0 for k in runs.segment]
        ends = outputs[handover, np.arange(count), len(self.outputs) :]
        return np.moveaxis(outputs[:, :, : len(self.outputs)], 0, 1), ends

    def refuse_starts(self, values: Array, nodes: Array) -> None:
        """Raise with the reason if segments cannot start.

        Raises:
            InputError: loops cannot be closed, or a formula of parameters violates its bound.
        """
        self._start(self.runs_at(nodes, values), strict=True)

    def _start(self, runs: Runs, *, strict: bool = False) -> Fleet:
        count, n = len(runs.segment), len(self.places)
        fleet, names = self._fleet(count), self.plant.formulation.independent
        first = {
            name: self.acting[runs.segment, 0, 0, k]
            for k, name in enumerate(fleet.input_names)
            if name in self.plant.inputs and name not in fleet.led
        }
        columns = zip(self.unknowns.names, runs.values.T, strict=True)
        states = runs.state[:, 2 * n :]
        fleet.restart(
            range(count),
            q=self._positions(runs),
            qd=dict(zip(names, runs.state[:, n : 2 * n].T, strict=True)),
            inputs=first,
            parameters=dict(columns),
            states=states if states.shape[1] else None,
            steps_before=self.begins[runs.segment].tolist(),
            strict=strict,
        )
        return fleet

    def _positions(self, runs: Runs) -> dict[str, Array]:
        """Initial positions of independent joints; of ball joints quaternions, by their bodies."""
        plant, n = self.plant, self.plant.n
        found = dict(zip(plant.formulation.independent, runs.state.T, strict=False))
        if plant.nq == n:
            return found
        q = plant.configuration.placed(self.origins[runs.segment], runs.state[:, :n])
        attitudes = plant.mechanism.attitudes
        for each, p in zip(attitudes, np.split(q[:, n:], len(attitudes), axis=1), strict=True):
            for k in each.bodies:
                del found[plant.coordinates[k]]
            found[each.name] = p
        return found

    def _fleet(self, count: int) -> Fleet:
        """A fleet of this size, created once and reused."""
        if count not in self._fleets:
            fleet = Fleet(self.plant, count, step=self.step_size, method=self.steps.method)
            self._fleets[count] = fleet
        return self._fleets[count]
