"""Simulate a plant with the integrators of the native runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from inloop.errors import InputError, SimulationError
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
from inloop.simulate.judging.hard_contacts import overlap_notes
from inloop.simulate.judging.limits import limit_notes
from inloop.simulate.judging.passing import passing_notes
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
from inloop.simulate.start import first_internal_states, start_of, vector
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
    efforts = vector(plant, tau, [0.0] * plant.n, "tau")
    continued = start.end if start is not None else None
    signals = read_inputs(plant, inputs or {}, continued.t if continued is not None else 0.0)
    drives = read_drives(plant, motions or {})
    begin_t = continued.t if continued is not None else 0.0
    check_velocities(plant, signals, begin_t, t_end, motions or {})
    joints = observe.chosen_joints(plant, reactions)
    told: tuple[str, ...] = ()
    if start is None:
        u = signals.at(0.0)
        z = first_internal_states(plant, u)
        found_start = start_of(plant, q, qd, drives, u, z)
        begin, told = _beginning(plant, (found_start.q, found_start.qd), z), found_start.notes
    elif q is None and qd is None and continued is not None:
        begin = continued
    else:
        raise InputError(
            "a run that continues another one starts where that one ended",
            fix="Give either start, or q and qd.",
        )
    conditions = Conditions(efforts, signals, drives)
    pulse = shortest_pulse({plant.name: plant}, {plant.name: conditions}, schedule, begin.t)
    schedule = with_pulses(schedule, pulse)

    def make(h: float | None) -> Callable[..., System]:
        return lambda chosen: make_system(
            plant, conditions, schedule.method, chosen, h, patient=True
        )

    if method == SCIPY and isinstance(schedule, FixedSteps):
        refuse_hard_contacts(plant)
        refuse_foreign_method(plant, Method.RODAS)
        system = make_system(plant, conditions)
        # SciPy chooses its own steps
        chosen = adaptive(Method.RODAS, t_end, tolerance or 1e-9, sample or step)
        chosen = with_pulses(chosen, pulse)
        found = _reference(system, begin, schedule, chosen)
        done = Outcome(Status.OK, found, None, ("integrated by SciPy",))
        schedule = chosen
    else:
        # contacts may act for a few steps only, between samples that are far apart
        whole = watched(schedule) if plant.mechanism.touches else schedule
        done = run_in_pieces(plant, whole, begin, make(step_of(schedule)))
    jumps = jump_notes(plant, done.samples, drives, signals)
    if schedule.method != Method.EVENT_DRIVEN:  # which computes the impact itself
        told = (*told, *jumps)
    told = (*told, *row_jump_notes(plant, done.samples))
    told = (*sample_notes(inputs, motions, begin.t, t_end), *told)
    result = _result(plant, done.after(told), conditions, joints, schedule, pulse)
    result = replace(result, method=method)
    if done.status == Status.OK and not result.doubts:
        first = signals.at(begin.t)[None]
        off = inaccuracy(plant, done.samples, schedule, begin, first, make)
        result = _doubted(result, off)
    begun = moved_notes(plant, start, result) if start else overlap_notes(plant, result)
    if schedule.method == Method.MOREAU:
        begun = (*begun, *passing_notes(plant, result, step))
    result = replace(result, notes=(*begun, *result.notes))
    if done.status == Status.STOPPED:
        raise interrupted(result, t_end)
    if done.status != Status.OK:
        blame = done.blame
        if done.status == Status.LOOP_OPEN:
            blame = jump_of_a_drive(plant, drives, signals, float(result.t[-1]), step)
        elif done.status == Status.DIVERGED and not blame:
            blame = without_solution(plant, done.samples, signals)
        raise failed(result, step, blame, done.open_loop, jumps[0] if jumps else "")
    check_closed([(plant, done.samples)], result)
    return result


def _result(
    plant: BarePlant,
    outcome: Outcome,
    conditions: Conditions,
    reactions: Sequence[str],
    schedule: FixedSteps | AdaptiveSteps,
    pulse: Pulse | None,
) -> Result:
    found, inputs, tau = outcome.samples, conditions.inputs, conditions.tau
    energy = observe.energy(plant, found)
    touches = plant.mechanism.touches
    whole = watched(schedule) if touches else schedule
    power = observe.drive_power(plant, found, tau)
    if touches and samples_every_step(whole):
        power = contact_power(
            found.t, energy, power, partial(observe.law_power, plant, found, inputs)
        )
    else:
        power += observe.law_power(plant, found, inputs, slice(None))
    hidden = between_samples(schedule, pulse)
    verdict = judge([Stretch(plant, found, power, inputs)], energy, whole, jumping=hidden)
    doubts = (*pulse_doubts(schedule, pulse), *verdict.doubts)
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


def _doubted(result: Result, found: Inaccuracy | None) -> Result:
    """Add the doubt that the steps are too long, if any."""
    if found is None:
        return result
    status = UNSTABLE if found.useless else result.status
    return replace(result, status=status, doubts=(found.told,), notes=(*result.notes, found.told))


def _reference(system: System, begin: End, schedule: FixedSteps, chosen: AdaptiveSteps) -> Samples:
    """The same run by SciPy, on the same rates, with a sample at the same times."""
    t_end = schedule.step * schedule.steps
    count = max(1, round(schedule.steps / schedule.stride))
    times = np.linspace(begin.t, t_end, count + 1)
    x = system.start(begin.t, begin.q, begin.qd, begin.z)
    x = solve(system, x, times, float(np.max(chosen.rtol)), longest=chosen.max_step)
    return system.expand(times, x)


def _beginning(plant: BarePlant, state: tuple[Array, Array], z: Array) -> End:
    """A new start at t = 0, with well-conditioned independent coordinates."""
    q, qd = state
    partition = plant.formulation.good_at(q).partition
    return End(0.0, q, qd, z, None, 0, partition, None, formulation=plant.formulation.name)


def interrupted(result: Result, t_end: float) -> KeyboardInterrupt:
    """Ctrl-C as an exception that ends the whole program and carries the partial result."""
    error = KeyboardInterrupt(
        f"interrupted at t = {float(result.t[-1]):.6g} s of {t_end:g} s; error.result "
        "holds the run so far"
    )
    error.result = result  # type: ignore[attr-defined]
    return error


def failed(
    result: Result, step: float, blame: str, loop: str = "", jump: str = ""
) -> SimulationError:
    """The error of a run that ended early.

    Args:
        result: what was computed.
        step: step of the run [s].
        blame: what was not finite, or jumped, as text, if known.
        loop: name of the loop that could not be closed, if known.
        jump: jump of a drive before that and what to do about it, as text, if any.
    """
    last = float(result.t[-1])
    worst = result.coordinates[int(np.argmax(np.abs(result.qd[-1])))]
    what = {
        "DIVERGED": f"diverged after t = {last:.6g} s; fastest coordinate '{worst}'",
        "LOOP_OPEN": f"cannot close its loops after t = {last:.6g} s: "
        + (f"loop '{loop}' is at a singular position or out of reach; " if loop else "")
        + f"fastest coordinate '{worst}'",
        "OUT_OF_BOUNDS": f"went out of bounds after t = {last:.6g} s: {blame}",
        "CHATTERING": f"chatters after t = {last:.6g} s: too many events in one step",
        "CONTACT_JAMMED": f"has sliding contacts after t = {last:.6g} s that "
        "no finite forces keep closed (Painlevé)",
        "CONTACT_INEXACT": f"has contacts after t = {last:.6g} s that cannot be followed "
        "from event to event: the contact point jumps, as for a rim lying flat",
        "TOO_MANY_STEPS": f"needs too many steps after t = {last:.6g} s",
        "STEP_TOO_SMALL": f"requires too small a step after t = {last:.6g} s",
    }.get(result.status, f"stopped with {result.status} after t = {last:.6g} s")
    fix = {
        "LOOP_OPEN": "Choose other dimensions, another motion, or a smaller step",
        "OUT_OF_BOUNDS": f"Use a step smaller than {step:g} s or an implicit method, "
        "look for force laws that add energy, or set wider bounds: plant.bounds",
        "CHATTERING": "Give the event a mode to settle in, or friction or damping that ends it",
        "CONTACT_JAMMED": "Use method='moreau', which resolves jamming with impulses",
        "CONTACT_INEXACT": "Use method='moreau'",
    }.get(result.status, f"Use a step smaller than {step:g} s")
    if result.tolerance is not None and result.status in ("STEP_TOO_SMALL", "TOO_MANY_STEPS"):
        fix = f"Use a tolerance above {result.tolerance:g}, or look for what jumps there"
    if result.method == "event_driven" and result.status in ("STEP_TOO_SMALL", "CHATTERING"):
        fix = "Use method='moreau', which steps over events"
    if result.status == "LOOP_OPEN" and blame:
        what = f"cannot close its loops after t = {last:.6g} s: {blame}"
        fix = 'Give it a motion without jumps, or declare it with derivatives="filtered"'
    if result.status == "DIVERGED" and jump:
        fix = jump.rstrip(".")
    if result.status == "DIVERGED" and blame:
        what = f"cannot continue after t = {last:.6g} s: {blame}"
        fix = "Make sure that it stays finite until the end of the run"
    error = SimulationError(
        f"model '{result.name}' {what}", fix=f"{fix}; error.result holds the run so far."
    )
    error.result = result  # type: ignore[attr-defined]
    return error
