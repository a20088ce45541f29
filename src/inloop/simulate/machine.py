"""Simulate a mechanism with modes: a hybrid system whose modes are connected by events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import (
    AdaptiveSteps,
    FixedSteps,
    MachineRun,
    MachineSnapshot,
    Method,
    Status,
    run_machine,
)
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, real, whole
from inloop.plant.quantities.inputs_outputs import input_units
from inloop.plant.quantities.units import signal_units
from inloop.simulate import observe
from inloop.simulate.choice import run_with_default, with_tolerance
from inloop.simulate.continuing import check_formulation, check_start
from inloop.simulate.judging.divergence import lost_by_the_step
from inloop.simulate.judging.divided_steps import divided_notes
from inloop.simulate.judging.drive_jumps import jump_notes
from inloop.simulate.judging.given_samples import sample_notes
from inloop.simulate.judging.hard_contacts import contact_notes_of_modes
from inloop.simulate.judging.limits import limit_notes
from inloop.simulate.judging.pulses import (
    between_samples,
    pulse_doubts,
    shortest_pulse,
    with_pulses,
)
from inloop.simulate.judging.row_jumps import row_jump_notes
from inloop.simulate.judging.verdict import UNSTABLE, Stretch, judge
from inloop.simulate.judging.violation import check_closed
from inloop.simulate.machine_start import Given, MachineStart, conditions, first_snapshot
from inloop.simulate.progress import Progress
from inloop.simulate.results.event_records import event_record
from inloop.simulate.results.result import End, EventRecord, ModeChoice, Result
from inloop.simulate.results.samples import Samples
from inloop.simulate.results.unfinished import failed, interrupted
from inloop.simulate.schedules import METHODS, SCIPY, adaptive, fixed, step_of, tolerance_of
from inloop.simulate.singular.nearby import misses_turn, unresolved
from inloop.simulate.systems import (
    Conditions,
    System,
    make_systems,
    table_of_all,
)


def simulate_modes(
    plants: Mapping[str, BarePlant],
    *,
    t_end: float,
    step: float = 1e-3,
    method: str | None = None,
    mode: str | None = None,
    q: Given = None,
    qd: Given = None,
    tau: Mapping[str, float] | None = None,
    inputs: Mapping[str, float | Signal] | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    start: Result | None = None,
    motions: Mapping[str, Signal] | None = None,
    most_events: int = 1000,
    settle_time: float | None = None,
    reactions: str | Sequence[str] = (),
) -> Result:
    """Integrate a mechanism with modes.

    Args:
        plants: the modes by name, starting with the initial one.
        t_end: length of the run [s].
        step: integrator step [s], as for `simulate`.
        method: as for `simulate`, without "scipy".
        mode: a different mode to start in.
        q: initial coordinates, by name or as a vector.
        qd: initial velocities.
        tau: constant joint efforts by name [N·m or N].
        inputs: values of named inputs.
        sample: time between samples [s]; default: every step.
        tolerance: relative error per step; then "dopri", "rodas", "alpha" choose their own steps.
        start: an earlier result to continue from.
        motions: functions of time for driven joints, by name.
        most_events: maximum number of events in one step; more is chattering.
        settle_time: events of one kind that come ever faster and would all be over within this time
            [s] are an accumulation (Zeno): the mode they settle in follows. Default: 1e-6 of a
            step, or of the time between samples.
        reactions: joints, by name or "all", whose forces and moments are recorded.

    Raises:
        SimulationError: the run cannot continue; `result` holds what was computed.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed so far, if anything.
    """
    if method is None and tolerance is None:
        again = partial(simulate_modes, plants, t_end=t_end, mode=mode, q=q, qd=qd)
        again = partial(again, tau=tau, inputs=inputs, sample=sample, start=start, motions=motions)
        again = partial(again, most_events=most_events, settle_time=settle_time)
        chosen = list(plants.values())
        return run_with_default(chosen, partial(again, reactions=reactions), start, step)
    method = with_tolerance(list(plants.values())) if method is None else method
    if method == SCIPY:
        raise InputError(
            "method 'scipy' does not follow modes and events",
            fix='Use method="dopri", or "rodas" for stiff laws, with a small tolerance.',
        )
    most_events = whole(most_events, "most_events")
    settle_time = None if settle_time is None else real(settle_time, "settle_time")
    tau = by_name(tau, "tau")
    schedule: FixedSteps | AdaptiveSteps = fixed(t_end, step, method, sample)
    if tolerance is not None:
        schedule = adaptive(METHODS[method], t_end, tolerance, sample or step)
    if start is not None:
        check_start(start, _model_names(plants).values(), _coordinates(plants), schedule)
        check_formulation(start, next(iter(plants.values())).formulation.name)
    at = {
        name: conditions(plants, plant, tau, inputs or {}, motions or {})
        for name, plant in plants.items()
    }
    if start is None:
        begin = first_snapshot(plants, mode, at, q, qd)
    elif q is None and qd is None and mode is None:
        begin = _continued(plants, start)
    else:
        raise InputError(
            "a run that continues another one starts where that one ended",
            fix="Give either start, or mode, q and qd.",
        )
    run = _Run(plants, at, schedule, most_events, settle_time, reactions, begin)
    run.note(sample_notes(inputs, motions, begin.snapshot.t, t_end))
    if start is not None and start.end is not None:
        run.take_over(start.end)
    status, end = run.go(begin.snapshot)
    result = run.result(status, end)
    before = "" if start is None else str(start.modes[-1])
    result = replace(result, notes=(*run.contact_notes(result, before), *result.notes))
    if status == Status.STOPPED:
        raise interrupted(result, t_end)
    if status != Status.OK:
        raise failed(result, step, run.blame)
    check_closed(run.pieces(), result)
    return result


def _continued(plants: Mapping[str, BarePlant], start: Result) -> MachineStart:
    """The beginning of a run where an earlier one ended."""
    if start.end is None or start.end.machine is None:
        raise InputError(
            "start is a run without modes", fix="Continue runs of the same model, or give q."
        )
    own = {name: plant.formulation for name, plant in plants.items()}
    return MachineStart(start.end.machine, own)


def _model_names(plants: Mapping[str, BarePlant]) -> dict[str, str]:
    """Name of the model of each mode, by mode."""
    return {mode: p.mechanism.name.removesuffix(f"_{mode}") for mode, p in plants.items()}


def _coordinates(plants: Mapping[str, BarePlant]) -> tuple[str, ...]:
    """Names of the coordinates of all modes."""
    return tuple(dict.fromkeys(name for plant in plants.values() for name in plant.coordinates))


_Reached = tuple[MachineSnapshot, int, int, dict[str, ModeChoice], float | None]


class _Run:
    """A run in pieces: a new one begins whenever a mode needs different independent coordinates."""

    def __init__(
        self,
        plants: Mapping[str, BarePlant],
        at: Mapping[str, Conditions],
        schedule: FixedSteps | AdaptiveSteps,
        most_events: int,
        settle_time: float | None,
        reactions: str | Sequence[str],
        begin: MachineStart,
    ) -> None:
        self._plants, self._at = plants, at
        self._pulse = shortest_pulse(plants, at, schedule, begin.snapshot.t)
        self._schedule = with_pulses(schedule, self._pulse)
        self._reactions = reactions
        self._limits = (most_events, settle_time)
        self._coordinates = _coordinates(plants)
        turning = (name for plant in plants.values() for name in plant.positions[plant.n :])
        self._positions = (*self._coordinates, *dict.fromkeys(turning))
        self._pieces: list[tuple[str, Samples]] = []
        self._happened: list[EventRecord] = []
        self._notes = list(begin.notes)
        self._formulations = dict(begin.formulations)
        self._chosen_at: dict[str, Array] = {}
        self._unguarded: set[str] = set()
        self._failed_at: float | None = None
        self.blame = ""  # what was not finite, as text
        # state reached, numbers of pieces and events so far, independent coordinates
        self._reached: _Reached | None = None

    def note(self, notes: Iterable[str]) -> None:
        """Add notes known before the run."""
        self._notes += notes

    def take_over(self, end: End) -> None:
        """Continue with the independent coordinates at the end of another run."""
        self._take(end.choices, end.failed_at)

    def _take(self, choices: Mapping[str, ModeChoice], failed_at: float | None) -> None:
        self._chosen_at, self._unguarded = {}, set()
        for name, choice in choices.items():
            known = self._formulations[name]
            self._formulations[name] = known.with_partition(choice.partition)
            if choice.q is not None:
                self._chosen_at[name] = choice.q
            if not choice.watched:
                self._unguarded.add(name)
        self._failed_at = failed_at

    def _choices(self) -> dict[str, ModeChoice]:
        return {
            name: ModeChoice(
                known.partition, self._chosen_at.get(name), name not in self._unguarded
            )
            for name, known in self._formulations.items()
        }

    def go(self, begin: MachineSnapshot) -> tuple[Status, MachineSnapshot]:
        """Run to the end; returns the status and the final state."""
        with Progress(begin.t, self._last_time) as progress:
            try:
                return self._walk(begin, progress)
            except KeyboardInterrupt:
                # interrupted between two pieces: keep those already computed
                if self._reached is None:
                    raise
                now, pieces, happened, choices, failed_at = self._reached
                del self._pieces[pieces:], self._happened[happened:]
                self._take(choices, failed_at)
                return Status.STOPPED, now

    def _walk(self, now: MachineSnapshot, progress: Progress) -> tuple[Status, MachineSnapshot]:
        """Run piece after piece."""
        while True:
            systems = self._systems()
            names = list(systems)
            done = run_machine(
                table_of_all(tuple(systems.values())),
                now,
                self._part(now, systems),
                most_events=self._limits[0],
                settle_time=self._limits[1],
                watch=progress.piece(now.t, self._last_time),
            )
            self._collect(systems, done)
            self._notes.extend(divided_notes(systems.values()))
            now, status = done.end, Status(done.status)
            counts = len(self._pieces), len(self._happened)
            self._reached = now, *counts, self._choices(), self._failed_at
            system = systems[names[now.mode]]
            beyond = status == Status.OUT_OF_BOUNDS
            self.blame = system.beyond() if beyond else system.blame(now.t)
            if status != Status.LOOP_OPEN or not self._other_way(names[now.mode], now.t):
                return self._judged(status, names[now.mode], now), now
            now = self._restarted(now, names[now.mode])

    @property
    def _last_time(self) -> float:
        """End time of the run if nothing stops it [s]."""
        s = self._schedule
        return s.step * s.steps if isinstance(s, FixedSteps) else s.t_end

    def _judged(self, status: Status, name: str, now: MachineSnapshot) -> Status:
        """Report open loops that shorter steps would keep closed as divergence."""
        if status != Status.LOOP_OPEN:
            return status
        step, end = step_of(self._schedule), _end_of(self._pieces[-1][1], now)
        systems = tuple(self._systems().values())
        number = list(self._plants).index(name)
        return Status.DIVERGED if lost_by_the_step(systems, number, end, step) else status

    def _systems(self) -> dict[str, System]:
        """All modes of an instance, with the current independent coordinates."""
        step = step_of(self._schedule)
        method, known = self._schedule.method, self._formulations
        made = make_systems(self._plants, self._at, method, known, step, patient=True)
        for name, system in zip(self._plants, made, strict=True):
            # pivots are monitored relative to those at the choice of coordinates
            at = self._chosen_at.get(name, system.formulation.home())
            rest, z = np.zeros(system.plant.n), system.plant.first_states
            system.start(0.0, at, rest, z, guarded=name not in self._unguarded)
        return dict(zip(self._plants, made, strict=True))

    def _part(
        self, now: MachineSnapshot, systems: Mapping[str, System]
    ) -> FixedSteps | AdaptiveSteps:
        """The remaining schedule, with tolerances in the units of each mode."""
        if isinstance(self._schedule, AdaptiveSteps):
            return replace(self._schedule, atol=_tolerances(self._schedule, systems))
        return replace(self._schedule, steps=max(0, self._schedule.steps - now.step))

    def _other_way(self, name: str, t: float) -> bool:
        """Repartition a mode and its possible successors; False if that was already tried.

        The failed step may have been in any of them. At a position where repartitioning did not
        help, pivots are no longer monitored.
        """
        events = self._plants[name].mechanism.events
        follow = (mode for event in events for mode in (event.to, event.settles_in) if mode)
        stuck = self._failed_at == t
        if stuck and self._unguarded:
            return False
        self._failed_at, self._unguarded = t, set()
        for mode in dict.fromkeys((name, *follow)):
            if stuck:
                self._unguarded.add(mode)
            q = self._position_in(mode, name)
            other = self._formulations[mode].repartition(q, t)
            if other is not None:
                self._formulations[mode] = other
                chosen = ", ".join(other.independent)
                self._notes.append(f"t = {t:.6g} s: independent in mode {mode} are now {chosen}")
            self._chosen_at[mode] = q
        self._tell_missed_turn(name, t)
        return True

    def _tell_missed_turn(self, name: str, t: float) -> None:
        """Note that fixed steps are too long for a singular position near the current one."""
        last, system, step = self._pieces[-1][1], self._systems()[name], step_of(self._schedule)
        now = End(t, last.q[-1], last.qd[-1], last.z[-1], None, 0, None, None)
        if step is not None and misses_turn(self._plants[name], system, now, step):
            self._notes.append(unresolved(system.formulation, now))

    def _position_in(self, mode: str, name: str) -> Array:
        """Approximate start of a mode if it followed now: joints of the same name stay."""
        last, plant = self._pieces[-1][1].q[-1], self._plants[mode]
        known = dict(zip(self._plants[name].positions, last, strict=True))
        home = zip(plant.positions, self._formulations[mode].home(), strict=True)
        return np.array([known.get(joint, at) for joint, at in home])

    def _restarted(self, now: MachineSnapshot, name: str) -> MachineSnapshot:
        """The same state, for a mode whose independent coordinates may have changed."""
        _, last = self._pieces[-1]
        system = self._systems()[name]
        x = system.start(now.t, last.q[-1], last.qd[-1], last.z[-1])
        return replace(now, x=x, slope=None)

    def _collect(self, systems: Mapping[str, System], done: MachineRun) -> None:
        """Store the samples, mode by mode, and the events."""
        names = list(systems)
        # a later piece starts with the last sample of the previous one
        begin = 1 if self._pieces else 0
        for mode, rows in _stretches(done.mode, begin):
            system = systems[names[mode]]
            x = np.ascontiguousarray(done.x[rows, : system.size])
            self._pieces.append((names[mode], system.expand(done.t[rows], x)))
        for event in done.events:
            self._happened.append(event_record(systems, event))

    def _signals(self, name: str, piece: Samples) -> dict[str, Array]:
        """All signals of a mode at some samples."""
        plant, at = self._plants[name], self._at[name]
        joints = observe.chosen_joints(plant, self._reactions)
        return {
            **piece.signals,
            **observe.law_outputs(plant, piece, at.inputs),
            **observe.sensor_outputs(plant, piece, at.inputs.over(piece.t), at.tau),
            **observe.reactions(plant, piece, at.inputs, at.tau, joints),
        }

    def _inputs(self) -> dict[str, Array]:
        """Inputs of each mode, by name; NaN where a mode lacks them."""
        given = [self._at[name].inputs.over(piece.t).T for name, piece in self._pieces]
        found = [
            dict(zip(self._plants[name].inputs, u, strict=True))
            for (name, _), u in zip(self._pieces, given, strict=True)
        ]
        counts = [len(piece.t) for _, piece in self._pieces]
        names = dict.fromkeys(name for part in found for name in part)
        return {
            name: np.concatenate(
                [u.get(name, np.full(n, np.nan)) for u, n in zip(found, counts, strict=True)]
            )
            for name in names
        }

    def pieces(self) -> list[tuple[BarePlant, Samples]]:
        """The samples so far, with the plants of their modes."""
        return [(self._plants[name], piece) for name, piece in self._pieces]

    def _limit_notes(self) -> list[str]:
        """Notes on joints that leave their limits."""
        return limit_notes([(plant, piece.t, piece.q) for plant, piece in self.pieces()])

    def contact_notes(self, result: Result, before: str) -> tuple[str, ...]:
        """Notes on hard contacts; before: the mode in which an earlier run ended, if any."""
        step = step_of(self._schedule) if self._schedule.method == Method.MOREAU else None
        hard = self._plants[before].mechanism.hard_contacts if before else ()
        known = [contact.name for contact in hard]
        return contact_notes_of_modes(self._plants, self._positions, result, step, known)

    def result(self, status: Status, end: MachineSnapshot) -> Result:
        """All pieces joined; NaN where a mode lacks a quantity."""
        found = [self._signals(name, piece) for name, piece in self._pieces]
        signals: dict[str, list[Array]] = {name: [] for part in found for name in part}
        q: list[Array] = []
        qd: list[Array] = []
        energies, modes, violation, stretches = [], [], [], []
        jumps: list[str] = []
        for (name, piece), known in zip(self._pieces, found, strict=True):
            plant, count = self._plants[name], len(piece.t)
            of_positions = plant.positions, self._positions, piece.q
            of_velocities = plant.coordinates, self._coordinates, piece.qd
            for all_modes, (own, every, part) in ((q, of_positions), (qd, of_velocities)):
                wide = np.full((count, len(every)), np.nan)
                wide[:, [every.index(name) for name in own]] = part
                all_modes.append(wide)
            energies.append(observe.energy(plant, piece))
            at = self._at[name]
            jumps += jump_notes(plant, piece, at.drives, at.inputs)
            jumps += row_jump_notes(plant, piece)
            power = observe.power(plant, piece, at.inputs, at.tau)
            stretches.append(Stretch(plant, piece, power, at.inputs))
            modes += [name] * count
            violation.append(np.zeros(count) if piece.violation is None else piece.violation)
            for signal, values in signals.items():
                values.append(known.get(signal, np.full(count, np.nan)))
        last_name, last = self._pieces[-1]
        t = np.concatenate([piece.t for _, piece in self._pieces])
        lost = [(event.t, event.energy_lost) for event in self._happened]
        schedule, hidden = self._schedule, between_samples(self._schedule, self._pulse)
        verdict = judge(stretches, np.concatenate(energies), schedule, lost, jumping=hidden)
        doubts = (*pulse_doubts(schedule, self._pulse), *verdict.doubts)
        return Result(
            name=_model_names(self._plants)[last_name],
            coordinates=self._coordinates,
            t=t,
            q=np.concatenate(q),
            qd=np.concatenate(qd),
            energy=np.concatenate(energies),
            status=UNSTABLE if verdict.wrong and status == Status.OK else status.name,
            signals={name: np.concatenate(values) for name, values in signals.items()},
            violation=np.concatenate(violation),
            notes=(*self._notes, *dict.fromkeys(jumps), *doubts, *self._limit_notes()),
            end=replace(
                _end_of(last, end),
                choices=self._choices(),
                failed_at=self._failed_at,
                formulation=self._plants[last_name].formulation.name,
            ),
            units={
                name: unit
                for plant in self._plants.values()
                for name, unit in (input_units(plant) | signal_units(plant)).items()
            },
            events=tuple(self._happened),
            modes=np.array(modes),
            work=verdict.work,
            doubts=doubts,
            method=schedule.method.name.lower(),
            tolerance=tolerance_of(schedule),
            inputs=self._inputs(),
            parameters=dict(self._plants[last_name].parameters),
        )


def _end_of(last: Samples, end: MachineSnapshot) -> End:
    """The final state of a run, from which another can continue."""
    state = last.q[-1].copy(), last.qd[-1].copy(), last.z[-1].copy()
    return End(end.t, *state, None, end.step, None, None, machine=end)


def _stretches(modes: np.ndarray[Any, Any], first: int) -> Iterator[tuple[int, slice]]:
    """Intervals of samples in the same mode, from index `first` on."""
    changes = [int(k) + 1 for k in np.flatnonzero(np.diff(modes))]
    for begin, end in pairwise([first, *(k for k in changes if k > first), len(modes)]):
        if end > begin:
            yield int(modes[begin]), slice(begin, end)


def _tolerances(schedule: AdaptiveSteps, systems: Mapping[str, System]) -> Array:
    """Absolute tolerances, one row per mode, padded to the longest state."""
    sizes = [system.scales.sizes for system in systems.values()]
    rows = np.ones((len(sizes), max(len(row) for row in sizes)))
    for row, known in zip(rows, sizes, strict=True):
        row[: len(known)] = known
    return np.asarray(schedule.atol * rows)
