"""The motion with forces of hard contacts, and the contact quantities along it.

Forces along the rows of relative velocities u = H qd + w are states of the contacts; the balance is

    0 = M qdd + c - tau - Jᵀ lam - effort - Hᵀ force

so accelerations and their derivatives follow from contact forces that are computed elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inloop.formalisms.loops.reduced import Reduced
from inloop.formalisms.stepping.contact_rows import contact_laws, contact_velocities, first_states
from inloop.formalisms.tangents import attitude_rates
from inloop.formalisms.variation.balance import Balance
from inloop.model import Contact, HardStop
from inloop.symbolic import Expr, directional


@dataclass(frozen=True)
class Touches:
    """Contact quantities of a motion.

    Attributes:
        gaps: by contact [m].
        velocities, accelerations: by row [m/s, m/s²].
        friction, restitution: by contact.
    """

    gaps: list[Expr]
    velocities: list[Expr]
    accelerations: list[Expr]
    friction: list[Expr]
    restitution: list[Expr]

    @property
    def all(self) -> list[Expr]:
        """All concatenated."""
        return [
            *self.gaps, *self.velocities, *self.accelerations, *self.friction, *self.restitution,
        ]  # fmt: skip


class TouchedBalance(Balance):
    """The motion of a mechanism whose hard contacts push with the forces in their states."""

    @cached_property
    def solution(self) -> Reduced:
        """Adds the effect of the forces: accelerations respond linearly, velocities not at all."""
        free = super().solution
        zero, parts = self.derivation.graph.zero, self.roles.velocities
        qdd, lam = self.solve_motion(self._pushed, [zero] * len(parts.rows))
        efforts = []
        for k, effort in zip(parts.driven, free.effort, strict=True):
            need = sum((self._mass_rows[k][i] * x for i, x in enumerate(qdd)), effort)
            pulls = zip(self._constrained.used, lam, strict=True)
            taken = sum((row.J.get(k, zero) * force for row, force in pulls), self._pushed[k])
            efforts.append(need - taken)
        return Reduced(
            free.qd,
            [a + b for a, b in zip(free.qdd, qdd, strict=True)],
            [a + b for a, b in zip(free.lam, lam, strict=True)],
            efforts,
            free.rates,
        )

    @cached_property
    def efforts(self) -> list[Expr]:
        """M qdd + c - tau - Jᵀ lam - effort - Hᵀ force, by coordinate."""
        return [a - b for a, b in zip(super().efforts, self._pushed, strict=True)]

    @cached_property
    def touches(self) -> Touches:
        """Gaps, velocities and accelerations of contacts; friction and restitution."""
        d = self.derivation
        laws = contact_laws(d.mechanism)
        contacts = d.mechanism.declared_contacts
        return Touches(
            [self.observed[contact.gap] for contact in contacts],
            self._velocities,
            directional(self._velocities, self._passing),
            d.symbols.substitute([law.friction for law in laws], {}),
            d.symbols.substitute([law.restitution for law in laws], {}),
        )

    @cached_property
    def _velocities(self) -> list[Expr]:
        contacts = self.derivation.mechanism.declared_contacts
        return [u for contact in contacts for u in self._velocities_of(contact)]

    def _velocities_of(self, contact: Contact | HardStop) -> list[Expr]:
        return contact_velocities(self.derivation, self.observed, contact)

    @cached_property
    def _pushed(self) -> list[Expr]:
        """Hᵀ force, by coordinate."""
        d = self.derivation
        total = d.graph.zero
        firsts = first_states(d.mechanism)
        for contact, first in zip(d.mechanism.declared_contacts, firsts, strict=True):
            for k, u in enumerate(self._velocities_of(contact)):
                total = total + d.symbols.states[first + k] * u
        return [directional([total], {v: d.graph.one})[0] for v in self.qd]

    @property
    def _passing(self) -> dict[Expr, Expr]:
        """By symbol, its time derivative."""
        d = self.derivation
        turning = attitude_rates(d.mechanism, d.symbols, self.qd)
        rates = {d.symbols.t: d.graph.one}
        rates |= dict(zip(d.symbols.q, [*self.qd, *turning], strict=True))
        rates |= dict(zip(self.qd, self.qdd, strict=True))
        # states of laws may determine positions, as those of filtered drives do
        return rates | dict(zip(d.symbols.states, self.rates, strict=True))
