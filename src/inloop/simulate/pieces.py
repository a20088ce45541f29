"""A run in pieces: other independent coordinates whenever those in use become bad."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import AdaptiveSteps, FixedSteps, Snapshot, Status, run
from inloop.plant import Array, BarePlant, Loops
from inloop.simulate.crossing import cross, with_samples_between
from inloop.simulate.progress import Progress
from inloop.simulate.result import End
from inloop.simulate.systems import ClosedSystem, Samples, TreeSystem, joined

# to go to a singular position [rad or characteristic lengths]: then it is stepped over, or at the
# latest
NEAR, AT_MOST = 0.04, 0.2
RECOVERY = 5.0  # times the way over it: by then the pivots are good again
LEAST_PROGRESS = 1e-3  # of a piece with steps chosen by their error, of the time between samples
Make = Callable[[Loops | None], TreeSystem | ClosedSystem]


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        status: of the last piece.
        samples: of all pieces.
        end: from where to go on.
        notes: what happened on the way, in words.
        open_loop: name of the loop that could not be closed, if that is how it ended.
        blame: what was not finite, in words, if that is how it ended.
    """

    status: Status
    samples: Samples
    end: End | None
    notes: tuple[str, ...]
    open_loop: str = ""
    blame: str = ""

    def after(self, notes: tuple[str, ...]) -> Outcome:
        """The same, with notes about its start."""
        return replace(self, notes=(*notes, *self.notes))


def run_in_pieces(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    begin: End,
    make: Make,
) -> Outcome:
    """Run to the end of the schedule, or as far as the mechanism goes.

    Args:
        plant: the compiled mechanism.
        schedule: of the whole run, counted from t = 0.
        begin: where to begin.
        make: gives the system for a choice of independent coordinates.
    """
    loops, now, progress = plant.loops, begin, Progress()
    way = _Way([], [])
    if loops is not None and now.partition is not None:
        loops = loops.with_partition(now.partition)
    while True:
        system = make(loops)
        x = system.start(now.t, now.q, now.qd, now.z)
        # a state of the stepper that is known to the last bit is taken as it is
        if now.x is not None:
            x = now.x
            system.guard = now.guard
        way.notes.extend(note for note in system.notes if note not in way.notes)
        guard, part, before = system.guard, _rest(schedule, now), now
        if isinstance(part, AdaptiveSteps):
            part = replace(part, atol=part.atol * system.state_sizes)
        done = run(system.system, _from(x, now, part), part, watch=progress)
        piece = system.expand(done.t, done.x)
        way.pieces.append(piece)
        status, open_loop = Status(done.status), ""
        now = _end(piece, now.steps + done.steps, now)
        now = replace(now, x=done.x[-1], guard=guard, renew=before.renew)
        if loops is not None:
            now = replace(now, partition=loops.partition)
        if status == Status.OK and math.isfinite(now.renew) and not _is_over(schedule, now):
            now = replace(now, guard=None, renew=math.inf)
            continue
        if status == Status.LOOP_OPEN and isinstance(system, ClosedSystem):
            open_loop = system.open_loop
            advanced = _advanced(schedule, before, now)
            next_begin = _other_way(plant, schedule, now, advanced, system.loops, make, way)
            if next_begin is not None:
                now, loops = next_begin
                continue
        progress.close()
        samples = joined(way.pieces, _spacing(schedule))
        beyond = status == Status.OUT_OF_BOUNDS
        blame = system.watched.blame() if beyond else system.blame(now.t)
        return Outcome(status, samples, now, tuple(way.notes), open_loop, blame)


@dataclass(frozen=True)
class _Way:
    """What a run has collected so far."""

    pieces: list[Samples]
    notes: list[str]


def _other_way(
    plant: BarePlant,
    schedule: FixedSteps | AdaptiveSteps,
    now: End,
    advanced: bool,
    known: Loops,
    make: Make,
    way: _Way,
) -> tuple[End, Loops] | None:
    """From where, and with which coordinates, a run that its loops stopped goes on; None if not.

    Args:
        plant: the compiled mechanism.
        schedule: of the whole run.
        now: where the run got to.
        advanced: whether its last piece was worth its while.
        known: the loops with the independent coordinates so far.
        make: gives the system for a choice of independent coordinates.
        way: collects samples and notes.
    """
    other = known.repartition(now.q, now.t)
    changed, loops = other is not None, other or known
    if loops.independent != known.independent:
        chosen = ", ".join(loops.independent)
        way.notes.append(f"t = {now.t:.6g} s: independent coordinates are now {chosen}")
    now = replace(now, partition=loops.partition)
    system = make(loops)
    assert isinstance(system, ClosedSystem)
    # near a singular position every choice is bad
    singular = system.time_to_singular(now.t, now.q, now.qd)
    near = singular * system.speed(now.qd) <= (NEAR if changed or advanced else AT_MOST)
    duration, steps = _duration(schedule, now, singular)
    if near and duration > 0.0:
        over = cross(system, now, schedule.method, singular, duration)
        if over is not None:
            when = now.t + singular
            told = "a singular position is stepped over; other branches start there"
            way.notes.append(f"t = {when:.6g} s: {told}")
            inside = _samples_inside(schedule, now.t, now.t + duration)
            way.pieces.append(with_samples_between(plant, system, over, inside, when))
            after = _end(over, now.steps + steps, now)
            return replace(after, renew=after.t + RECOVERY * duration), loops
    # as long as there is progress, with other coordinates or a new guard
    return (replace(now, x=None), loops) if changed or advanced else None


def _end(piece: Samples, steps: int, before: End) -> End:
    """The last sample of a piece as a place to go on from."""
    last = float(piece.t[-1]), piece.q[-1], piece.qd[-1], piece.z[-1]
    return End(*last, None, steps, before.partition, None)


def _rest(schedule: FixedSteps | AdaptiveSteps, now: End) -> FixedSteps | AdaptiveSteps:
    """What is left of a schedule, up to where the guard is to be renewed."""
    if isinstance(schedule, AdaptiveSteps):
        return replace(schedule, t_end=min(schedule.t_end, now.renew))
    left = max(0, schedule.steps - now.steps)
    renew = math.ceil(min((now.renew - now.t) / schedule.step, float(left)))
    return replace(schedule, steps=min(left, max(1, renew)))


def _is_over(schedule: FixedSteps | AdaptiveSteps, now: End) -> bool:
    if isinstance(schedule, FixedSteps):
        return now.steps >= schedule.steps
    return now.t >= schedule.t_end


def _from(x: Array, now: End, schedule: FixedSteps | AdaptiveSteps) -> Snapshot:
    """Where a piece of a run begins; steps and samples are counted from t = 0."""
    size = schedule.step if isinstance(schedule, FixedSteps) else 0.0
    return Snapshot(x, now.t, t0=0.0, step=now.steps, step_size=size)


def _spacing(schedule: FixedSteps | AdaptiveSteps) -> float:
    """Time between samples [s]."""
    if isinstance(schedule, FixedSteps):
        return schedule.step * schedule.stride
    return schedule.sample or schedule.t_end


def _advanced(schedule: FixedSteps | AdaptiveSteps, before: End, now: End) -> bool:
    """Whether a piece was worth its while."""
    if isinstance(schedule, FixedSteps):
        return now.steps > before.steps
    return now.t - before.t > LEAST_PROGRESS * _spacing(schedule)


def _duration(schedule: FixedSteps | AdaptiveSteps, now: End, singular: float) -> tuple[float, int]:
    """How long the way over a singular position takes [s], and in how many whole steps."""
    if isinstance(schedule, FixedSteps):
        left = schedule.steps - now.steps
        steps = math.ceil(min(2.0 * singular / schedule.step, float(left)))
        return steps * schedule.step, steps
    return min(2.0 * singular, schedule.t_end - now.t), 0


def _samples_inside(schedule: FixedSteps | AdaptiveSteps, begin: float, end: float) -> Array:
    """Times of the samples between two times [s]."""
    spacing = _spacing(schedule)
    first, last = math.floor(begin / spacing + 1e-6) + 1, math.ceil(end / spacing - 1e-6)
    return np.asarray(np.arange(first, last) * spacing, dtype=np.float64)
