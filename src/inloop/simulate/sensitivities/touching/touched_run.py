"""Repeats a run with hard contacts, with derivatives: smooth between events, a jump at each.

δt = -δg / (dg/dt),  δx⁺ = δ(impact) along (δx⁻ + xd⁻ δt, δt) - xd⁺ δt
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from inloop.errors import SimulationError
from inloop.plant import Array
from inloop.plant.variation.touched_system import Places
from inloop.simulate.sensitivities.event_changes import Moment
from inloop.simulate.sensitivities.touching.blow import strike, undefined
from inloop.simulate.sensitivities.touching.deciding import NOTHING, Known, decide, standstill
from inloop.simulate.sensitivities.touching.event_times import TOGETHER, EventTimes
from inloop.simulate.sensitivities.touching.phase import Answer, Kept, Modes, Phase
from inloop.simulate.sensitivities.touching.watching import (
    Happening,
    Watch,
    begun_watch,
    indicators,
)

TOLERANCE = 1e-11  # of each step
LEAST = 1e-3  # of the characteristic length: minimum scale of derivatives times variations
LOWEST = 1e-15  # lower rebounds, in characteristic lengths, are not followed
CONTINUOUS = 1e-9  # of the largest rate: smaller jumps are none
KEPT = 1e-6  # of the largest derivative: allowed residual of a closed contact
LOCATED = 1e-10  # of the time [1]: allowed last correction
MOST_CORRECTIONS, MOST_BLOWS, MOST_AT_ONCE = 8, 20, 50
MOST_STEPS = 20_000  # of a run


class TouchedRun:
    """A run from event to event.

    Attributes:
        rows: its samples, with contact forces among the states.
        events: what happened, and when.
    """

    def __init__(
        self, phase: Phase, times: Array, names: Sequence[str], sizes: Sequence[float]
    ) -> None:
        """Prepare the repetition of a run.

        Args:
            phase: the equations.
            times: of the samples [s].
            names: of the directions.
            sizes: size of a large change of each quantity of differentiation.
        """
        # smaller derivatives count as rounding
        self._least = LEAST * phase.length / np.array(sizes)
        self._phase, self._times, self._names = phase, times, names
        dg = phase.around.dg
        wide = phase.around.with_directions(np.column_stack([dg, np.zeros(len(dg))]))
        self._timed = Phase(phase.system, wide)
        self._event_times = EventTimes(self._timed, names)
        self._still = np.zeros(dg.shape[1])
        self._dep = np.zeros(0)
        self._largest = 0.0  # of all derivatives so far
        self._steps = 0
        self.rows: list[Moment] = []
        self.events: list[tuple[float, Happening]] = []

    def go(self, start: Moment) -> None:
        """Run to the end."""
        self._dep = start.dep.copy()
        now, modes, watch = self._begun_run(start)
        at_once, end = 0, float(self._times[-1])
        while now.t < end:
            ended, happening = self._lead(now, modes, watch)
            if happening is None:
                return
            at_once = at_once + 1 if ended.t - now.t <= 1e-14 * max(1.0, now.t) else 0
            if at_once > MOST_AT_ONCE:
                raise self._chatters(ended.t)
            self._grow(ended)
            self.events.append((ended.t, happening))
            now, modes, watch = self._over(ended, modes, happening)

    # between events

    def _lead(self, now: Moment, modes: Modes, watch: Watch) -> tuple[Moment, Happening | None]:
        """Run to the next event, or to the end."""
        solver = self._solver(now, modes, float(self._times[-1]))
        while solver.status == "running":
            before = self._moment(solver.t, solver.y)
            self._step(solver)
            dense, span = solver.dense_output(), (before.t, float(solver.t))
            next_event = watch.first(dense, span, lambda y: (self._moment(0.0, y).x, self._dep))
            if next_event is not None:
                ended = self._located(before, modes, watch, *next_event)
                self._sample(dense, modes, ended.t)
                return ended, next_event[1]
            self._sample(dense, modes, float(solver.t))
        return self._moment(solver.t, solver.y), None

    def _solver(self, now: Moment, modes: Modes, end: float) -> Any:
        size = len(now.x)

        def rates(t: float, y: Array) -> Array:
            at = self._moment(t, y)
            kept = self._phase.keep(t, (at.x, self._dep), at.dx, self._still, modes)
            return np.concatenate([kept.xd.value, kept.xd.change.ravel()])

        y = np.concatenate([now.x, now.dx.ravel()])
        most = np.abs(now.dx).max(axis=0, initial=0.0)
        units = np.ones(size) * self._phase.length
        absolute = np.concatenate([units, np.tile(np.maximum(most, self._least), size)])
        return scipy.integrate.DOP853(
            rates, now.t, y, end, rtol=TOLERANCE, atol=TOLERANCE * absolute,
            **({"first_step": end - now.t} if end < self._times[-1] else {}),
        )  # fmt: skip

    def _step(self, solver: Any) -> None:
        failure = solver.step()
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise SimulationError(
                f"derivatives of model '{self._phase.name}' take more than {MOST_STEPS} steps "
                f"up to t = {solver.t:.6g} s: laws are stiff, or motions not smooth",
                fix="Use a shorter run, softer laws, or finite differences of runs.",
            )
        if solver.status == "failed":
            raise SimulationError(
                f"derivatives of model '{self._phase.name}' cannot continue at t = "
                f"{solver.t:.9g} s: {failure}",
                fix="End the run before it.",
            )

    def _moment(self, t: float, y: Array) -> Moment:
        size = len(self._phase.system.code.states)
        return Moment(float(t), y[:size], self._dep, y[size:].reshape(size, -1))

    def _located(
        self, before: Moment, modes: Modes, watch: Watch, t: float, what: Happening
    ) -> Moment:
        """The state at an event, by a step that ends there."""
        at, step = before, np.inf
        for _ in range(MOST_CORRECTIONS):
            at = before
            if t > before.t:
                solver = self._solver(before, modes, t)
                while solver.status == "running":
                    self._step(solver)
                at = self._moment(solver.t, solver.y)
            value, rate, _ = self._seen(at, modes, watch.slow, what)
            if what in watch.fresh:
                value -= watch.fresh[what][0]
            step = value / rate if rate else 0.0
            if not abs(step) > 2e-16 * max(1.0, abs(t)):
                break
            t = max(t - step, before.t)
        if not abs(step) <= LOCATED * max(1.0, abs(t)):
            raise undefined(
                f"an event of model '{self._phase.name}' near t = {t:.9g} s is not indicator when "
                "the run is repeated: it may only graze zero"
            )
        return at

    def _seen(
        self, at: Moment, modes: Modes, slow: float, what: Happening
    ) -> tuple[float, float, Array]:
        """Value of an indicator, its rate, and its derivatives at this time."""
        kept = self._kept_in_time(at, modes)[1]
        indicator = indicators(self._timed, kept, modes, slow)[what]
        return indicator.value, float(indicator.change[-1]), indicator.change[:-1]

    def _kept_in_time(self, at: Moment, modes: Modes) -> tuple[Array, Kept]:
        """Rates, and the motion along the directions and time."""
        state = (at.x, at.dep)
        xd = self._phase.keep(at.t, state, at.dx, self._still, modes).xd.value
        dt = np.append(self._still, 1.0)
        kept = self._timed.keep(at.t, state, np.column_stack([at.dx, xd]), dt, modes)
        return xd, kept

    def _sample(self, dense: Callable[[float], Array], modes: Modes, end: float) -> None:
        """Take samples up to a time."""
        while len(self.rows) < len(self._times) and self._times[len(self.rows)] <= end:
            t = float(self._times[len(self.rows)])
            self._take(self._moment(t, dense(t)), modes)

    def _take(self, at: Moment, modes: Modes) -> None:
        kept = self._phase.keep(at.t, (at.x, self._dep), at.dx, self._still, modes)
        x, dx, forces = at.x.copy(), at.dx.copy(), self._phase.system.forces
        x[forces], dx[forces] = kept.force.value, kept.force.change
        self.rows.append(Moment(at.t, x, self._dep.copy(), dx))

    # events

    def _over(self, at: Moment, modes: Modes, what: Happening) -> tuple[Moment, Modes, Watch]:
        """The state after an event, and the following modes."""
        if what.kind == "slows":
            u = self._kept_in_time(at, modes)[1].seen.u.value
            slips = list(modes.slips)
            slips[what.number] = self._phase.direction(modes, what.number, u)
            frozen = modes.frozen | {what.number}
            return self._begin(at, replace(modes, slips=tuple(slips), frozen=frozen), [])
        before, kept = self._kept_in_time(at, modes)
        if what.kind == "hits":
            dt = self._event_times.of_hit(at, modes, kept, what)
            moving = replace(at, dx=at.dx + np.outer(before, dt))
            struck = self._collided(moving, dt, modes.closed)
            following = decide(self._phase, struck, Known())
            return self._after(struck, following, dt, [])
        known, released = self._known_after(kept, modes, what)
        at = self._stopped(at, modes, what) if what.kind == "sticks" else at
        following = decide(self._phase, at, known)
        after = self._phase.keep(at.t, (at.x, at.dep), at.dx, self._still, following).xd.value
        dt = self._still
        if np.abs(after - before).max() > CONTINUOUS * np.abs(before).max():
            dt = self._event_times.of_change(at, modes, kept, what)
        moving = replace(at, dx=at.dx + np.outer(before, dt))
        return self._after(moving, following, dt, released)

    def _stopped(self, at: Moment, modes: Modes, what: Happening) -> Moment:
        """Remove the remaining velocity of a slip whose direction was fixed to its end."""
        phase, speeds = self._phase, self._phase.system.speeds
        answer = phase.answer(at.t, (at.x, at.dep), modes.closed)
        held = [*phase.unknowns(modes, answer.free)[0], *phase.system.discs[what.number].rows]
        return replace(at, x=_without(at.x, answer, speeds, held, answer.free.u.value[held]))

    def _known_after(
        self, kept: Kept, modes: Modes, what: Happening
    ) -> tuple[Known, list[Happening]]:
        """Modes that are known after an event of forces."""
        if what.kind == "is released":
            return Known(open=[what.number]), [Happening("hits", what.number)]
        if what.kind == "slips":
            rows = list(self._phase.system.discs[what.number].rows)
            pull = kept.force.value[rows]
            direction = -pull / np.linalg.norm(pull)
            return Known(slips={what.number: direction}), [Happening("sticks", what.number)]
        return Known(), []

    def _after(
        self, moving: Moment, modes: Modes, dt: Array, released: list[Happening]
    ) -> tuple[Moment, Modes, Watch]:
        """From derivatives along the varied time of an event to derivatives at fixed time."""
        state = (moving.x, moving.dep)
        xd = self._phase.keep(moving.t, state, moving.dx, self._still, modes).xd.value
        return self._begin(replace(moving, dx=moving.dx - np.outer(xd, dt)), modes, released)

    def _collided(self, at: Moment, dt: Array, closed: Sequence[bool]) -> Moment:
        """Apply impacts until no contact hits."""
        phase, shut = self._phase, list(closed)
        near = TOGETHER * phase.length + 1e-14 * float(np.abs(at.x).max())
        for _ in range(MOST_BLOWS):
            seen = phase.look(at.t, (at.x, at.dep), at.dx, dt)
            u = seen.u.value[list(phase.system.normals)]
            fall = -seen.ud.value[list(phase.system.normals)]
            zero = standstill(phase, seen.u.value)
            touching = seen.gap.value <= near
            struck = [int(i) for i in np.flatnonzero(touching & (u < -zero))]
            if not struck:
                return at
            rebound = seen.restitution.value * u
            low = rebound**2 < 2.0 * np.maximum(0.0, fall) * LOWEST * phase.length
            at = strike(phase, at, dt, shut, struck, [i for i in struck if low[i]])
            seen = phase.look(at.t, (at.x, at.dep), at.dx, dt)
            u = seen.u.value[list(phase.system.normals)]
            shut = [bool(a) for a in touching & (np.abs(u) <= zero)]
        raise self._chatters(at.t)

    def _chatters(self, t: float) -> SimulationError:
        return SimulationError(
            f"contacts of model '{self._phase.name}' do not settle on a state at t = "
            f"{t:.9g} s: derivatives end there",
            fix="End the run before it.",
        )

    # start of modes

    def _begun_run(self, start: Moment) -> tuple[Moment, Modes, Watch]:
        """The first modes; closed contacts must stay closed for all varied quantities."""
        phase = self._phase
        seen = phase.look(start.t, (start.x, start.dep), start.dx, self._still)
        closed = seen.gap.value <= TOGETHER * phase.length
        self._grow(start)
        for i in np.flatnonzero(closed):
            self._refuse_moved(int(i), seen.gap.change[i])
        after = self._collided(start, self._still, [False] * len(closed))
        modes = decide(phase, after, Known())
        first = self._begin(after, modes, [])
        self._take(start, modes)
        return first

    def _grow(self, at: Moment) -> None:
        self._largest = max(self._largest, float(np.abs(at.dx).max(initial=0.0)), 1e-300)

    def _refuse_moved(self, contact: int, change: Array) -> None:
        """Check that gap and velocity of a closed contact do not change."""
        if np.abs(change).max(initial=0.0) > KEPT * self._largest:
            name = self._names[int(np.argmax(np.abs(change)))]
            raise undefined(
                f"contact '{self._phase.system.contacts[contact]}' of model '{self._phase.name}' "
                f"is closed as modes begin, and would open or move if '{name}' changed"
            )

    def _begin(
        self, at: Moment, modes: Modes, released: list[Happening]
    ) -> tuple[Moment, Modes, Watch]:
        """Start modes, with derivatives consistent with them."""
        phase = self._phase
        modes = self._flat_ones_keep_direction(at, modes)
        at = self._fitted(at, modes)
        kept = phase.keep(at.t, (at.x, at.dep), at.dx, self._still, modes)
        for i, normal in enumerate(phase.system.normals):
            least = NOTHING * float(np.abs(kept.force.value).max(initial=0.0))
            if modes.closed[i] and kept.force.value[normal] <= least:
                raise undefined(
                    f"contact '{phase.system.contacts[i]}' of model '{phase.name}' touches without "
                    f"a force, or shares it with others, at t = {at.t:.9g} s"
                )
        return at, modes, begun_watch(phase, kept, modes, at.t, released)

    def _flat_ones_keep_direction(self, at: Moment, modes: Modes) -> Modes:
        """Fix the direction of discs that can slip only along one line.

        Raises:
            SimulationError: a disc starts to slip in space.
        """
        if not any(modes.closed):
            return modes
        answer = self._phase.answer(at.t, (at.x, at.dep), modes.closed)
        frozen = set(modes.frozen)
        for j, disc in enumerate(self._phase.system.discs):
            d, rows = modes.slips[j], list(disc.rows)
            if d is None or not modes.closed[disc.contact]:
                continue
            own = answer.accelerations[np.ix_(rows, rows)]
            sizes = np.linalg.svd(own, compute_uv=False)
            if len(rows) == 1 or sizes[-1] <= 1e-9 * sizes[0]:
                frozen.add(j)
            elif j not in frozen and np.any(d):
                speed = float(np.linalg.norm(answer.free.u.value[rows]))
                if speed <= standstill(self._phase, answer.free.u.value):
                    contact = self._phase.system.contacts[disc.contact]
                    raise SimulationError(
                        f"contact '{contact}' of model '{self._phase.name}' starts to slip "
                        f"at t = {at.t:.9g} s: derivatives beyond that are not available",
                        fix="End the run before it.",
                    )
        return replace(modes, frozen=frozenset(frozen))

    def _fitted(self, at: Moment, modes: Modes) -> Moment:
        """Remove rounding from derivatives of velocities that stay zero."""
        if not any(modes.closed):
            return at
        phase, speeds = self._phase, self._phase.system.speeds
        answer = phase.answer(at.t, (at.x, at.dep), modes.closed)
        seen = phase.look(at.t, (at.x, at.dep), at.dx, self._still)
        held, _ = phase.unknowns(modes, answer.free)
        left = seen.u.change[held]
        for row, change in zip(held, left, strict=True):
            self._refuse_moved(phase.contact_of[row], change)
        return replace(at, dx=_without(at.dx, answer, speeds, held, left))


def _without(
    state: Array, answer: Answer, speeds: Places, held: Sequence[int], left: Array
) -> Array:
    """A state, or its derivatives, without velocities along some rows."""
    W = answer.accelerations[np.ix_(held, held)]
    after = state.copy()
    after[speeds] -= answer.rates[speeds][:, held] @ np.linalg.pinv(W, rcond=1e-11) @ left
    return after
