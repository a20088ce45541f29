"""Simulate a plant with the integrators of the native runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from inloop.errors import InputError
from inloop.native import AdaptiveSteps, FixedSteps, Method, Status
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.quantities.inputs_outputs import input_units
from inloop.plant.quantities.units import signal_units
from inloop.simulate import observe
from inloop.simulate.choice import run_with_default, with_tolerance
from inloop.simulate.continuing import (
    check_formulation,
    check_roles,
    check_start,
    moved_notes,
)
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.judging.accuracy import Inaccuracy, inaccuracy
from inloop.simulate.judging.contact_power import contact_power
from inloop.simulate.judging.divergence import without_solution
from inloop.simulate.judging.drive_jumps import jump_notes
from inloop.simulate.judging.given_samples import sample_notes
from inloop.simulate.judging.hard_contacts import contact_notes
from inloop.simulate.judging.limits import limit_notes
from inloop.simulate.judging.pulses import (
    Pulse,
    between_samples,
    pulse_doubts,
    shortest_pulse,
    with_pulses,
)
from inloop.simulate.judging.row_jumps import row_jump_notes
from inloop.simulate.judging.verdict import UNSTABLE, Stretch, judge
from inloop.simulate.judging.violation import check_closed
from inloop.simulate.live_drives import check_velocities, jump_of_a_drive
from inloop.simulate.pieces import Outcome, run_in_pieces
from inloop.simulate.reference import solve
from inloop.simulate.refused_methods import refuse_foreign_method, refuse_hard_contacts
from inloop.simulate.results.result import End, Result
from inloop.simulate.results.samples import Samples
from inloop.simulate.results.unfinished import failed, interrupted, interrupted_check
from inloop.simulate.schedules import (
    METHODS,
    SCIPY,
    adaptive,
    fixed,
    samples_every_step,
    step_of,
    tolerance_of,
    wanted_samples,
    watched,
)
from inloop.simulate.start import Given, first_internal_states, start_of, vector
from inloop.simulate.systems import (
    Conditions,
    System,
    make_system,
)


def simulate(
    plant: BarePlant,
    *,
    t_end: float,
    step: float = 1e-3,
    method: str | None = None,
    q: Mapping[str, float] | Array | None = None,
    qd: Mapping[str, float] | Array | None = None,
    tau: Mapping[str, float] | Array | None = None,
    inputs: Mapping[str, float | Signal] | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    start: Result | None = None,
    motions: Mapping[str, Signal] | None = None,
    reactions: str | Sequence[str] = (),
) -> Result:
    """Integrate the equations of motion.

    Args:
        plant: the compiled mechanism.
        t_end: length of the run [s].
        step: integrator step [s]; shortened so that t_end is a whole number of steps. With a
            tolerance: time between samples.
        method: "rk4", "euler" (symplectic), "dopri" (Dormand-Prince, order 5), "rodas"
            (linearly implicit, order 4, for stiff laws) or "implicit" (linearly implicit, order
            2, cheap, for stiff laws in real time); "moreau" for hard contacts, "event_driven" for a
            few of them with high accuracy; "scipy" for a slow reference by SciPy. Default: "rk4",
            or a method that suits the mechanism better if "rk4" is not accurate; see `choice`.
        q: initial coordinates, by name or as a vector; default: the joints' initial values.
            Coordinates given by name are kept when loops are closed.
        qd: initial velocities; those of dependent coordinates are computed.
        tau: constant joint efforts [N·m or N].
        inputs: by name: constants, functions of time, which are traced, or samples (times, values),
            interpolated by a cubic spline. If "<joint>.q" of a live drive is a function or samples,
            ".qd" and ".qdd" are derived from it unless they are given. A filtered drive starts at
            rest at the initial value of its input.
        sample: time between samples [s]; default: every step.
        tolerance: relative error per step; then "dopri", "rodas", "alpha" choose their own steps.
        start: an earlier result with the same step to continue from, up to t_end; the results are
            the same as those of one uninterrupted run.
        motions: functions of time or samples for driven joints, by name; they replace motions of
            the model and live inputs.
        reactions: joints, by name or "all", whose forces and moments are recorded as
            "<joint>.force.x", ..., "<joint>.moment.z" in world axes.

    Raises:
        SimulationError: the run cannot continue; `result` holds what was computed.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed so far, if anything.
    """
    if method is None and tolerance is None:
        again = partial(simulate, plant, t_end=t_end, q=q, qd=qd, tau=tau)
        again = partial(again, inputs=inputs, sample=sample, start=start, motions=motions)
        return run_with_default([plant], partial(again, reactions=reactions), start, step)
    method = with_tolerance([plant]) if method is None else method
    schedule: FixedSteps | AdaptiveSteps = fixed(t_end, step, method, sample)
    if tolerance is not None and method != SCIPY:
        schedule = adaptive(METHODS[method], t_end, tolerance, sample or step)
    if start is not None:
        check_start(start, [plant.name], plant.coordinates, schedule)
        check_formulation(start, plant.formulation.name)
        check_roles(start, plant)
    conditions = _conditions(plant, tau, inputs or {}, motions or {}, _begin_time(start), t_end)
    joints = observe.chosen_joints(plant, reactions)
    begin, told = _begin(plant, conditions, q, qd, start)
    pulse = shortest_pulse({plant.name: plant}, {plant.name: conditions}, schedule, begin.t)
    if method == SCIPY and isinstance(schedule, FixedSteps):
        chosen = adaptive(Method.RODAS, t_end, tolerance or 1e-9, sample or step)
        run = _Run(plant, conditions, begin, with_pulses(chosen, pulse), pulse)
        done = run.by_scipy(schedule)
    else:
        run = _Run(plant, conditions, begin, with_pulses(schedule, pulse), pulse)
        done = run.in_pieces()
    jumps = jump_notes(plant, done.samples, conditions.drives, conditions.inputs)
    # event-driven runs compute impacts of drives themselves
    impacts = () if run.schedule.method == Method.EVENT_DRIVEN else jumps
    told = (*sample_notes(inputs, motions, begin.t, t_end), *told, *impacts)
    told = (*told, *row_jump_notes(plant, done.samples))
    result = replace(run.result(done.after(told), joints), method=method)
    if done.status == Status.OK and not result.doubts:
        result = _checked(run, result, done.samples)
    begun = moved_notes(plant, start, result) if start else ()
    known = [contact.name for contact in plant.mechanism.hard_contacts] if start else []
    blind = step if run.schedule.method == Method.MOREAU else None
    begun = (*begun, *contact_notes(plant, result, blind, known))
    result = replace(result, notes=(*begun, *result.notes))
    if done.status == Status.STOPPED:
        raise interrupted(result, t_end)
    if done.status != Status.OK:
        blame = run.blame(done, float(result.t[-1]), step)
        raise failed(result, step, blame, done.open_loop, jumps[0] if jumps else "")
    check_closed([(plant, done.samples)], result)
    return result


def _begin_time(start: Result | None) -> float:
    """Where a run begins: at 0, or where an earlier one ended [s]."""
    return 0.0 if start is None or start.end is None else start.end.t


def _conditions(
    plant: BarePlant,
    tau: Mapping[str, float] | Array | None,
    inputs: Mapping[str, float | Signal],
    motions: Mapping[str, Signal],
    begin: float,
    end: float,
) -> Conditions:
    """Efforts, inputs and motions of drives, as they were given for a run from begin to end [s]."""
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    signals = read_inputs(plant, inputs, begin)
    drives = read_drives(plant, motions)
    check_velocities(plant, signals, begin, end, motions)
    return Conditions(efforts, signals, drives)


def _begin(
    plant: BarePlant, at: Conditions, q: Given, qd: Given, start: Result | None
) -> tuple[End, tuple[str, ...]]:
    """Where a run begins, and notes about that: a start of its own, or the end of another run."""
    if start is None:
        u = at.inputs.at(0.0)
        z = first_internal_states(plant, u)
        found = start_of(plant, q, qd, at.drives, u, z)
        # with well-conditioned independent coordinates
        partition, name = plant.formulation.good_at(found.q).partition, plant.formulation.name
        begin = End(0.0, found.q, found.qd, z, None, 0, partition, None, formulation=name)
        return begin, found.notes
    if q is None and qd is None and start.end is not None:
        return start.end, ()
    raise InputError(
        "a run that continues another one starts where that one ended",
        fix="Give either start, or q and qd.",
    )


@dataclass(frozen=True)
class _Run:
    """A run: a plant, what acts on it, where it begins, and its steps.

    Attributes:
        plant: the compiled mechanism.
        at: efforts, inputs and drives.
        begin: initial state.
        schedule: its steps.
        pulse: the shortest pulse of a function of time that steps may skip, if any.
    """

    plant: BarePlant
    at: Conditions
    begin: End
    schedule: FixedSteps | AdaptiveSteps
    pulse: Pulse | None

    def _make(self, h: float | None) -> Callable[..., System]:
        """A factory of systems for a step [s]."""
        method = self.schedule.method
        return lambda chosen: make_system(self.plant, self.at, method, chosen, h, patient=True)

    @property
    def _watched(self) -> FixedSteps | AdaptiveSteps:
        """The steps, sampled often enough for contacts that act for a few of them only."""
        return watched(self.schedule) if self.plant.mechanism.touches else self.schedule

    def in_pieces(self) -> Outcome:
        """Integrate."""
        make = self._make(step_of(self.schedule))
        return run_in_pieces(self.plant, self._watched, self.begin, make)

    def by_scipy(self, schedule: FixedSteps) -> Outcome:
        """Integrate the same rates by SciPy, which chooses its own steps.

        Args:
            schedule: fixed steps, at which the samples are.
        """
        refuse_hard_contacts(self.plant)
        refuse_foreign_method(self.plant, Method.RODAS)
        system, begin = make_system(self.plant, self.at), self.begin
        count = max(1, round(schedule.steps / schedule.stride))
        times = np.linspace(begin.t, schedule.step * schedule.steps, count + 1)
        x = system.start(begin.t, begin.q, begin.qd, begin.z)
        assert isinstance(self.schedule, AdaptiveSteps)
        rtol, longest = float(np.max(self.schedule.rtol)), self.schedule.max_step
        found = system.expand(times, solve(system, x, times, rtol, longest=longest))
        return Outcome(Status.OK, found, None, ("integrated by SciPy",))

    def result(self, outcome: Outcome, reactions: Sequence[str]) -> Result:
        """What was found, and whether it can be trusted.

        Args:
            outcome: of the integration.
            reactions: joints whose forces and moments are recorded.
        """
        plant, schedule, whole = self.plant, self.schedule, self._watched
        found, inputs, tau = outcome.samples, self.at.inputs, self.at.tau
        energy = observe.energy(plant, found)
        power = observe.drive_power(plant, found, tau)
        if plant.mechanism.touches and samples_every_step(whole):
            power = contact_power(
                found.t, energy, power, partial(observe.law_power, plant, found, inputs)
            )
        else:
            power += observe.law_power(plant, found, inputs, slice(None))
        hidden = between_samples(schedule, self.pulse)
        verdict = judge([Stretch(plant, found, power, inputs)], energy, whole, jumping=hidden)
        doubts = (*pulse_doubts(schedule, self.pulse), *verdict.doubts)
        work, status = verdict.work, outcome.status.name
        if whole != schedule:
            rows = wanted_samples(found.t, schedule)
            found, energy, work = found.rows(rows), energy[rows], work[rows]
        u = inputs.over(found.t)
        return Result(
            name=plant.name,
            coordinates=plant.coordinates,
            t=found.t,
            q=found.q,
            qd=found.qd,
            energy=energy,
            status=UNSTABLE if verdict.wrong and outcome.status == Status.OK else status,
            signals={
                **found.signals,
                **observe.law_outputs(plant, found, inputs),
                **observe.sensor_outputs(plant, found, u, tau),
                **observe.reactions(plant, found, inputs, tau, reactions),
            },
            violation=found.violation,
            notes=(*outcome.notes, *doubts, *limit_notes([(plant, found.t, found.q)])),
            end=outcome.end,
            units=input_units(plant) | signal_units(plant),
            work=work,
            doubts=doubts,
            tolerance=tolerance_of(schedule),
            partitions=outcome.partitions,
            inputs=dict(zip(plant.inputs, u.T, strict=True)),
            parameters=dict(plant.parameters),
        )

    def inaccuracy(self, found: Samples) -> Inaccuracy | None:
        """How far the run is from one with finer steps, if that is visible."""
        first = self.at.inputs.at(self.begin.t)[None]
        return inaccuracy(self.plant, found, self.schedule, self.begin, first, self._make)

    def blame(self, outcome: Outcome, t: float, step: float) -> str:
        """What made the run end early, in words, if it is known.

        Args:
            outcome: of the integration.
            t: time of the last sample [s].
            step: step of the run [s].
        """
        if outcome.status == Status.LOOP_OPEN:
            return jump_of_a_drive(self.plant, self.at.drives, self.at.inputs, t, step)
        if outcome.status == Status.DIVERGED and not outcome.blame:
            return without_solution(self.plant, outcome.samples, self.at.inputs)
        return outcome.blame


def _checked(run: _Run, result: Result, samples: Samples) -> Result:
    """Add the doubt that the steps are too long, or the note that errors grow, if any."""
    try:
        found = run.inaccuracy(samples)
    except KeyboardInterrupt:
        raise interrupted_check(result) from None
    if found is None:
        return result
    if found.amplified:
        return replace(result, notes=(*result.notes, found.told))
    status = UNSTABLE if found.useless else result.status
    return replace(result, status=status, doubts=(found.told,), notes=(*result.notes, found.told))
