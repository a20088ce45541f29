"""A run in pieces: change independent coordinates whenever they become ill-conditioned."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from inloop.errors import SimulationError
from inloop.native import (
    AdaptiveSteps,
    FixedSteps,
    MachineRun,
    MachineSnapshot,
    Status,
    run_machine,
)
from inloop.plant import Array, BarePlant, Formulation, Partition
from inloop.simulate.judging.divergence import lost_by_the_step
from inloop.simulate.judging.divided_steps import divided_notes
from inloop.simulate.progress import Progress
from inloop.simulate.results.result import End
from inloop.simulate.results.samples import Samples, joined
from inloop.simulate.schedules import step_of
from inloop.simulate.singular.crossing import cross, time_to_singular
from inloop.simulate.singular.nearby import UNRESOLVED, Nearby, run_nearby, steps_nearby, unresolved
from inloop.simulate.systems import System

# distance at which a singular position is crossed [rad or characteristic lengths]
NEAR = 0.5
RECOVERY = 1.0  # of the crossing time: by then the pivots have recovered
LEAST_PROGRESS = 1e-3  # minimum progress of an adaptive piece, relative to the sample time
Make = Callable[[Formulation], System]


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        status: status of the last piece.
        samples: samples of all pieces.
        end: state from which to continue.
        notes: what happened on the way, as text.
        open_loop: name of the loop that could not be closed, if any.
        blame: what was not finite, as text, if anything.
        partitions: sets of independent coordinates used.
    """

    status: Status
    samples: Samples
    end: End | None
    notes: tuple[str, ...]
    open_loop: str = ""
    blame: str = ""
    partitions: tuple[Partition, ...] = ()

    def after(self, notes: tuple[str, ...]) -> Outcome:
        """The same, with notes about its start first."""
        return replace(self, notes=(*notes, *self.notes))


def run_in_pieces(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    begin: End,
    make: Make,
    *,
    doing: str = "simulating",
) -> Outcome:
    """Run to the end of the schedule, or as far as the mechanism can go.

    Args:
        plant: the compiled mechanism.
        schedule: schedule of the whole run, counted from t = 0.
        begin: initial state.
        make: makes the system for a set of independent coordinates.
        doing: what to call it while it lasts.
    """
    way = _Way([], [], begin.t)
    with Progress(begin.t, _last_time(schedule), doing) as progress:
        try:
            return _walk(plant, schedule, begin, make, way, progress)
        except KeyboardInterrupt:
            # interrupted between two pieces: keep those already computed
            if way.reached is None:
                raise
            now, count = way.reached
            del way.pieces[count:]
            samples = way.samples(schedule)
            return Outcome(Status.STOPPED, samples, now, tuple(way.notes), partitions=way.used)


def _walk(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    begin: End,
    make: Make,
    way: _Way,
    progress: Progress,
) -> Outcome:
    """Run piece after piece."""
    formulation, now = plant.formulation, begin.back or begin
    if now.partition is not None:
        formulation = formulation.with_partition(now.partition)
    while True:
        way.reach(now)
        system = make(formulation)
        x, now = _begin_piece(plant, schedule, now, system)
        way.notes.extend(note for note in system.notes if note not in way.notes)
        before = now
        done = _run_piece(system, x, now, schedule, progress)
        piece = system.expand(done.t, done.x)
        if not len(piece.t):
            # the independent coordinates are ill-conditioned at the start of the piece
            formulation = _better_choice(plant, system, now)
            now = replace(now, x=None, guard=None, partition=formulation.partition)
            continue
        way.pieces.append(piece)
        way.meet(system.formulation.partition)
        kept, open_loop = len(piece.t), ""
        # discard steps to where the loops cannot be closed
        whole = kept == len(done.t)
        status = Status(done.status) if whole else Status.LOOP_OPEN
        steps = now.steps + done.steps if whole else _steps_until(schedule, now, piece)
        now = _end(piece, steps, before)
        now = replace(now, x=done.x[kept - 1], guard=before.guard, guarded_at=before.guarded_at)
        way.reach(now)
        if status == Status.OK and not _is_over(schedule, now):
            now = replace(now, guard=None, renew=math.inf)
            continue
        if now.nearby_until and status in UNRESOLVED:
            way.notes.append(unresolved(formulation, now))
            now = replace(now, nearby_until=0)
            continue
        if status == Status.LOOP_OPEN:
            open_loop = system.open_loop
            found = _other_way(plant, schedule, now, system.formulation, make, way)
            if found is not None and not _is_over(schedule, found[0]):
                now, formulation = found
                continue
            if found is not None:
                now, status = found[0], Status.OK
            elif lost_by_the_step((make(system.formulation),), 0, now, step_of(schedule)):
                status = Status.DIVERGED
        beyond = status == Status.OUT_OF_BOUNDS
        blame = system.beyond() if beyond else system.blame(now.t)
        samples = way.samples(schedule)
        way.notes.extend(divided_notes([system]))
        return Outcome(status, samples, now, tuple(way.notes), open_loop, blame, way.used)


def _begin_piece(
    plant: BarePlant, schedule: FixedSteps | AdaptiveSteps, now: End, system: System
) -> tuple[Array, End]:
    """Stepper state at the start of a piece, and its `End` with the guard, near singular or not."""
    if now.guard is None or 0 < now.nearby_until <= now.steps:
        count = 0
        if isinstance(schedule, FixedSteps):
            count = steps_nearby(plant, system, now, schedule.step)
        now = replace(now, guard=None, nearby_until=now.steps + count if count else 0)
    x = system.start(now.t, now.q, now.qd, now.z)
    if now.guard is None:
        now = replace(now, guard=system.guard, guarded_at=(now.steps, now.t))
    else:
        system.guard = now.guard
    # prefer the stepper state if known to the last bit
    return x if now.x is None else now.x, now


def _run_piece(
    system: System, x: Array, now: End, schedule: FixedSteps | AdaptiveSteps, progress: Progress
) -> MachineRun | Nearby:
    """Run from a stepper state as far as possible, or to where the guard is to be renewed."""
    part = _rest(schedule, now)
    if isinstance(part, AdaptiveSteps):
        part = replace(part, atol=part.atol * system.scales.sizes)
    elif now.nearby_until > now.steps:
        return run_nearby(system, x, now, part)
    watch = progress.piece(now.t, _end_of_part(part, now))
    return run_machine(system.table, _from(x, now, part), part, watch=watch)


def _better_choice(plant: BarePlant, system: System, now: End) -> Formulation:
    """The formulation with different independent coordinates.

    Raises:
        SimulationError: no choice allows the loops to be closed here.
    """
    other = system.formulation.repartition(now.q, now.t)
    if other is None:
        raise SimulationError(
            f"model '{plant.name}' cannot continue from t = {now.t:.6g} s: no choice of "
            "independent coordinates works there" + _at_loop(system),
            fix="Start elsewhere: this position is at the limit of the mechanism's reach.",
        )
    return other


def _at_loop(system: System) -> str:
    loop = system.open_loop
    return f"; loop '{loop}' is nearly singular" if loop else ""


@dataclass
class _Way:
    """Samples and notes collected so far.

    Attributes:
        pieces: samples of each piece.
        notes: what happened, as text.
        first: time of the first requested sample [s].
        reached: state from which to continue, and the number of pieces up to it; None before the
            first.
        tried: partitions that made no progress since the last that did.
        met: partitions that made progress, in order.
    """

    pieces: list[Samples]
    notes: list[str]
    first: float
    reached: tuple[End, int] | None = None
    tried: set[Partition] = field(default_factory=set)
    met: dict[Partition, None] = field(default_factory=dict)

    @property
    def used(self) -> tuple[Partition, ...]:
        """Partitions that made progress."""
        return tuple(self.met)

    def meet(self, partition: Partition) -> None:
        """Record a partition, if it has dependent coordinates."""
        if partition.dependent:
            self.met[partition] = None

    def reach(self, now: End) -> None:
        """Record the state reached, in case the run is interrupted."""
        if self.pieces:
            self.reached = now, len(self.pieces)

    def samples(self, schedule: FixedSteps | AdaptiveSteps) -> Samples:
        """Samples of all pieces, from the first requested one on."""
        return _from_time(joined(self.pieces, _spacing(schedule)), self.first)


def _other_way(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    now: End,
    known: Formulation,
    make: Make,
    way: _Way,
) -> tuple[End, Formulation] | None:
    """State and coordinates with which to continue after open loops; None if impossible.

    Args:
        plant: the compiled mechanism.
        schedule: schedule of the whole run.
        now: state reached.
        known: formulation with the current independent coordinates.
        make: makes the system for a set of independent coordinates.
        way: collects samples and notes.
    """
    # near a singular position every choice is ill-conditioned
    beyond = _over_singular(plant, schedule, now, known, make, way)
    if beyond is not None:
        return beyond, known
    other = known.repartition(now.q, now.t)
    formulation = other or known
    if formulation.independent != known.independent:
        chosen = ", ".join(formulation.independent)
        way.notes.append(f"t = {now.t:.6g} s: independent coordinates are now {chosen}")
    if other is not None:
        beyond = _over_singular(plant, schedule, now, formulation, make, way)
        if beyond is not None:
            return beyond, formulation
    # while there is progress: renew the guard; otherwise use a partition not yet tried here
    if _advanced(schedule, now):
        way.tried.clear()
    elif other is None or other.partition in way.tried:
        return None
    way.tried.add(known.partition)
    return replace(now, x=None, guard=None, partition=formulation.partition), formulation


def _over_singular(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    now: End,
    formulation: Formulation,
    make: Make,
    way: _Way,
) -> End | None:
    """The end of a crossing of a nearby singular position; None if there is none."""
    system = make(formulation)
    singular = time_to_singular(plant, system, now)
    if not singular * system.speed(now.qd) <= NEAR:
        return None
    duration, steps = _duration(schedule, singular)
    over = cross(plant, system, now, singular, duration)
    if over is None:
        return None
    if over.turns_over:
        loop = formulation.positions.weakest_loop(now.q, now.t)
        told = (
            f"the run passes a singular position (loop '{loop}'), from which other branches start"
        )
        way.notes.append(f"t = {over.singular:.6g} s: {told}")
    last = _last_time(schedule)
    inside = _samples_inside(schedule, now.t, min(now.t + duration, last))
    if now.t < way.first < now.t + duration:
        inside = np.union1d(inside, [way.first])
    if now.t + duration <= last:
        way.pieces.append(over.samples(inside))
        after = _end(way.pieces[-1], now.steps + steps, now)
        after = replace(after, partition=formulation.partition, guard=None)
        return replace(after, renew=after.t + RECOVERY * duration)
    # the run ends during the crossing: a continued run repeats it from its beginning
    found = over.samples(np.union1d(inside, [last]))
    way.pieces.append(found.rows(slice(0, len(found.t) - 1)))
    left = schedule.steps if isinstance(schedule, FixedSteps) else now.steps
    return replace(_end(way.pieces[-1], left, now), back=now)


def _end(piece: Samples, steps: int, before: End) -> End:
    """The last sample of a piece as a state to continue from, whatever is written into results."""
    last = float(piece.t[-1]), piece.q[-1].copy(), piece.qd[-1].copy(), piece.z[-1].copy()
    end = End(*last, None, steps, before.partition, None, before.renew)
    return replace(end, nearby_until=before.nearby_until, formulation=before.formulation)


def _steps_until(schedule: FixedSteps | AdaptiveSteps, before: End, piece: Samples) -> int:
    """Steps from t = 0 to the last sample of a piece; for adaptive steps, those before it."""
    if isinstance(schedule, FixedSteps):
        return round(float(piece.t[-1]) / schedule.step)
    return before.steps


def _from_time(samples: Samples, first: float) -> Samples:
    """Samples from a time [s] on."""
    begin = int(np.searchsorted(samples.t, first * (1.0 - 1e-12)))
    return samples.rows(slice(begin, len(samples.t))) if begin else samples


def _rest(schedule: FixedSteps | AdaptiveSteps, now: End) -> FixedSteps | AdaptiveSteps:
    """The remaining schedule, up to where the guard is to be renewed."""
    if isinstance(schedule, AdaptiveSteps):
        return replace(schedule, t_end=min(schedule.t_end, now.renew))
    last = min(schedule.steps, now.nearby_until or schedule.steps)
    left = max(0, last - now.steps)
    renew = math.ceil(min((now.renew - now.t) / schedule.step, float(left)))
    return replace(schedule, steps=min(left, max(1, renew)))


def _end_of_part(part: FixedSteps | AdaptiveSteps, now: End) -> float:
    """End time of a piece if nothing stops it [s]."""
    return now.t + part.step * part.steps if isinstance(part, FixedSteps) else part.t_end


def _is_over(schedule: FixedSteps | AdaptiveSteps, now: End) -> bool:
    if isinstance(schedule, FixedSteps):
        return now.steps >= schedule.steps
    return now.t >= schedule.t_end


def _from(x: Array, now: End, schedule: FixedSteps | AdaptiveSteps) -> MachineSnapshot:
    """Snapshot at the start of a piece; steps and samples are counted from t = 0."""
    size = schedule.step if isinstance(schedule, FixedSteps) else 0.0
    return MachineSnapshot(0, x, now.t, t0=0.0, step=now.steps, step_size=size)


def _spacing(schedule: FixedSteps | AdaptiveSteps) -> float:
    """Time between samples [s]."""
    if isinstance(schedule, FixedSteps):
        return schedule.step * schedule.stride
    return schedule.sample or schedule.t_end


def _advanced(schedule: FixedSteps | AdaptiveSteps, now: End) -> bool:
    """Whether the current coordinates have made enough progress."""
    steps, t = now.guarded_at
    if isinstance(schedule, FixedSteps):
        return now.steps > steps
    return now.t - t > LEAST_PROGRESS * _spacing(schedule)


def _last_time(schedule: FixedSteps | AdaptiveSteps) -> float:
    """End time of a run [s]."""
    return schedule.step * schedule.steps if isinstance(schedule, FixedSteps) else schedule.t_end


def _duration(schedule: FixedSteps | AdaptiveSteps, singular: float) -> tuple[float, int]:
    """Duration of a crossing of a singular position [s], and its number of fixed steps."""
    if isinstance(schedule, FixedSteps):
        steps = max(2, round(2.0 * singular / schedule.step))
        return steps * schedule.step, steps
    # long enough for the run to make progress
    return 2.0 * max(singular, LEAST_PROGRESS * _spacing(schedule)), 0


def _samples_inside(schedule: FixedSteps | AdaptiveSteps, begin: float, end: float) -> Array:
    """Times of the samples between two times [s]."""
    spacing = _spacing(schedule)
    first, last = math.floor(begin / spacing + 1e-6) + 1, math.ceil(end / spacing - 1e-6)
    return np.asarray(np.arange(first, last) * spacing, dtype=np.float64)
