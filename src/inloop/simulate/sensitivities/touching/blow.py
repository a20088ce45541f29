"""An impact of hard contacts with derivatives, by Newton's restitution.

Instantaneous impulses p of all contacts that are closed or hit, with v⁺ = v⁻ + M⁻¹ Hᵀ p:

    normals that push:  u_n⁺ = -e u_n⁻     discs that stick: u_t⁺ = 0
    contacts that open: p = 0              discs that slip:  p_t = -μ p_n u_t⁺ / |u_t⁺|

The contact solver determines which of them push, stick and slip; then the equations are solved to
rounding, and differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import SimulationError
from inloop.native import solve_contacts
from inloop.plant import Array
from inloop.plant.variation.touched_system import Touching
from inloop.simulate.sensitivities.event_changes import Moment
from inloop.simulate.sensitivities.touching.phase import Answer, Phase

BORDER = 1e-9  # of the largest velocity or impulse: undecided between two cases
GAINED = 1e-9  # a larger fraction of the exchanged energy is a gain
CORRECTIONS = 30


@dataclass(frozen=True)
class Blow:
    """An impact that is about to happen.

    Attributes:
        acting: whether a contact is closed or hits, by contact.
        restitution: by contact, the contact whose restitution applies; None: no restitution.
    """

    acting: Sequence[bool]
    restitution: Sequence[int | None]


@dataclass(frozen=True)
class _Deeds:
    """States of contacts in an impact.

    Attributes:
        pushes: whether it pushes, by contact.
        weak: contacts that neither push nor open.
        slips: whether it slips, by disc.
    """

    pushes: list[bool]
    weak: list[int]
    slips: list[bool]


class Impact:
    """An impact at a state."""

    def __init__(self, phase: Phase, at: Moment, dt: Array, blow: Blow) -> None:
        """Compute the impulses of an impact.

        Args:
            phase: the equations.
            at: the state before; its derivatives move with the time of the impact.
            dt: derivatives of that time.
            blow: what acts.
        """
        self._phase, self._at, self._dt, self._blow = phase, at, dt, blow
        self._answer: Answer = phase.answer(at.t, (at.x, at.dep), blow.acting)
        self._before: Touching = phase.look(at.t, (at.x, at.dep), at.dx, dt)
        self._rows = [k for k, i in enumerate(phase.contact_of) if blow.acting[i]]
        p = self._guess()
        self._deeds = self._sorted_out(p)
        self._p = self._solved(p)

    @property
    def gains(self) -> bool:
        """True if it would increase the energy."""
        before, p = self._before.u.value, self._p
        after = self._u(p)
        exchanged = float(np.abs(p) @ (np.abs(before) + np.abs(after)))
        return float(p @ (before + after)) / 2.0 > GAINED * exchanged

    def after(self) -> Moment:
        """The state after the impact.

        Raises:
            SimulationError: it has no derivative.
        """
        at, phase, speeds, p = self._at, self._phase, self._phase.system.speeds, self._p
        # δ(M⁻¹ Hᵀ p) at fixed p
        pushed = phase.look(at.t, (at.x, at.dep), at.dx, self._dt, p).xd.change
        x, dx = at.x.copy(), at.dx.copy()
        x[speeds] += self._answer.rates[speeds] @ p
        dx[speeds] += (pushed - self._before.xd.change)[speeds]
        after = phase.look(at.t, (x, at.dep), dx, self._dt)
        left = self._equations(p, after.u.value, after.u.change)[1]
        dp = np.linalg.lstsq(self._slopes(p), -left, rcond=1e-11)[0]
        dx[speeds] += self._answer.rates[speeds][:, self._rows] @ dp
        self._check_weak(after.u.change + self._answer.accelerations[:, self._rows] @ dp)
        return Moment(at.t, x, at.dep, dx)

    def _u(self, p: Array) -> Array:
        """Velocities after impulses."""
        return self._before.u.value + self._answer.accelerations @ p

    def _e(self, i: int) -> tuple[float, Array]:
        """Restitution of a contact, and its derivatives."""
        of, e = self._blow.restitution[i], self._before.restitution
        return (0.0, np.zeros(len(self._dt))) if of is None else (float(e.value[of]), e.change[of])

    def _guess(self) -> Array:
        """Impulses from the contact solver."""
        system, before, rows = self._phase.system, self._before, self._rows
        q = before.u.value.copy()
        acting = [i for i, acts in enumerate(self._blow.acting) if acts]
        for i in acting:
            q[system.normals[i]] += self._e(i)[0] * min(0.0, float(q[system.normals[i]]))
        counts, turning = system.friction_problem(acting)
        solution = solve_contacts(
            self._answer.accelerations[np.ix_(rows, rows)], q[rows],
            before.friction.value[acting], rows=counts, turning=turning, tolerance=1e-12,
        )  # fmt: skip
        p = np.zeros(len(system.forces))
        p[rows] = solution.impulses
        return p

    def _sorted_out(self, p: Array) -> _Deeds:
        """Which contacts push, stick and slip."""
        system, before = self._phase.system, self._before.u.value
        u, fast = self._u(p), BORDER * float(np.abs(before).max())
        least = BORDER * float(np.abs(p).max(initial=0.0))
        pushes, weak = [], []
        for i, normal in enumerate(system.normals):
            pushes.append(bool(p[normal] > least))
            apart = u[normal] + self._e(i)[0] * before[normal]
            if self._blow.acting[i] and not pushes[i] and apart <= fast:
                weak.append(i)
        slips = [False] * len(system.discs)
        for j, disc in enumerate(system.discs):
            rows = list(disc.rows)
            slip, force = np.linalg.norm(u[rows]), np.linalg.norm(p[rows])
            most = self._phase.limit(disc, self._before)[0] * p[system.normals[disc.contact]]
            slips[j] = bool(slip > fast or most <= least)
            if pushes[disc.contact] and not slips[j] and force >= most - least:
                raise undefined(
                    f"contact '{system.contacts[disc.contact]}' of model '{self._phase.name}' hits "
                    f"at t = {self._at.t:.9g} s and is about to slip"
                )
        return _Deeds(pushes, weak, slips)

    def _solved(self, p: Array) -> Array:
        """Impulses to rounding, for fixed states of the contacts."""
        p = p.copy()
        for i, pushes in enumerate(self._deeds.pushes):
            if not pushes:
                p[[k for k, own in enumerate(self._phase.contact_of) if own == i]] = 0.0
        none = np.zeros((len(p), len(self._dt)))
        for _ in range(CORRECTIONS):
            left = self._equations(p, self._u(p), none)[0]
            step = np.linalg.lstsq(self._slopes(p), -left, rcond=1e-11)[0]
            p[self._rows] += step
            if np.abs(step).max(initial=0.0) <= 1e-15 * np.abs(p).max(initial=0.0):
                break
        return p

    def _equations(self, p: Array, u: Array, du: Array) -> tuple[Array, Array]:
        """Residuals of the active rows, and their derivatives at fixed impulses."""
        system, before = self._phase.system, self._before
        left, change = p.copy(), np.zeros_like(du)
        for i, normal in enumerate(system.normals):
            if self._deeds.pushes[i]:
                e, de = self._e(i)
                left[normal] = u[normal] + e * before.u.value[normal]
                change[normal] = (
                    du[normal] + de * before.u.value[normal] + e * before.u.change[normal]
                )
        for j, disc in enumerate(system.discs):
            rows = list(disc.rows)
            if not self._deeds.pushes[disc.contact]:
                continue
            if not self._deeds.slips[j]:
                left[rows], change[rows] = u[rows], du[rows]
                continue
            (mu, dmu), normal = self._phase.limit(disc, before), p[system.normals[disc.contact]]
            d, turn = _turning(u[rows])
            if np.any(dmu) and not np.any(d):
                raise undefined(
                    f"contact '{system.contacts[disc.contact]}' of model '{self._phase.name}' hits "
                    f"at t = {self._at.t:.9g} s without slip and without friction"
                )
            left[rows] = p[rows] + mu * normal * d
            change[rows] = normal * (np.outer(d, dmu) + mu * turn @ du[rows])
        return left[self._rows], change[self._rows]

    def _slopes(self, p: Array) -> Array:
        """Derivatives of the equations with respect to impulses."""
        system, W = self._phase.system, self._answer.accelerations
        slopes, u = np.eye(len(p)), self._u(p)
        for i, normal in enumerate(system.normals):
            if self._deeds.pushes[i]:
                slopes[normal] = W[normal]
        for j, disc in enumerate(system.discs):
            rows, normal = list(disc.rows), system.normals[disc.contact]
            if not self._deeds.pushes[disc.contact]:
                continue
            if not self._deeds.slips[j]:
                slopes[rows] = W[rows]
                continue
            mu = self._phase.limit(disc, self._before)[0]
            d, turn = _turning(u[rows])
            slopes[rows] += mu * p[normal] * turn @ W[rows]
            slopes[rows, normal] += mu * d
        return slopes[np.ix_(self._rows, self._rows)]

    def _check_weak(self, du: Array) -> None:
        """Check that a contact that neither pushes nor opens stays so."""
        size = float(np.abs(du).max(initial=0.0))
        for i in self._deeds.weak:
            e, de = self._e(i)
            normal = self._phase.system.normals[i]
            apart = du[normal] + de * self._before.u.value[normal]
            apart = apart + e * self._before.u.change[normal]
            if np.abs(apart).max(initial=0.0) > 1e-7 * size:
                raise undefined(
                    f"at the impact at t = {self._at.t:.9g} s contact "
                    f"'{self._phase.system.contacts[i]}' of model '{self._phase.name}' neither "
                    "pushes nor opens"
                )


def undefined(what: str) -> SimulationError:
    """An error about a point at which a run has no derivative."""
    return SimulationError(
        f"{what}: the run has no derivative there",
        fix="Choose other parameters or start values, or end the run before it.",
    )


def _turning(u: Array) -> tuple[Array, Array]:
    """The direction of slip, and its derivative with respect to u."""
    speed = float(np.linalg.norm(u))
    if speed == 0.0:
        return np.zeros(len(u)), np.zeros((len(u), len(u)))
    d = u / speed
    return d, (np.eye(len(u)) - np.outer(d, d)) / speed


def strike(
    phase: Phase, at: Moment, dt: Array, closed: Sequence[bool], struck: Sequence[int],
    slow: Sequence[int],
) -> Moment:  # fmt: skip
    """The state after an impact that does not increase the energy.

    Args:
        phase: the equations.
        at: the state before; its derivatives move with the time of the impact.
        dt: derivatives of that time.
        closed: whether a contact is closed, by contact.
        struck: contacts that hit.
        slow: those of them whose rebound would be below rounding.
    """
    acting = [shut or i in struck for i, shut in enumerate(closed)]
    fast = [i for i in struck if i not in slow]
    e = phase.look(at.t, (at.x, at.dep), at.dx, dt).restitution.value
    least = min(fast, key=lambda i: e[i], default=None)
    own = [i if i in fast else None for i in range(len(closed))]
    same = [least if i in fast else None for i in range(len(closed))]
    for restitution in (own, same):
        impact = Impact(phase, at, dt, Blow(acting, restitution))
        if not impact.gains:
            return impact.after()
    return Impact(phase, at, dt, Blow(acting, [None] * len(closed))).after()
