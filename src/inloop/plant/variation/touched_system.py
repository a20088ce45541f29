"""The equations of a plant with hard contacts, whose forces are computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from inloop.formalisms.stepping.contact_rows import first_rows, first_states, turning_rows
from inloop.formalisms.variation.balance import Roles
from inloop.model.contacts.hard import RATE, ROLLING_RATES, SLIPS, SPINNING_RATE
from inloop.plant.bare_plant import BarePlant
from inloop.plant.engine import Array
from inloop.plant.variation.code import touched_code
from inloop.plant.variation.jumps import Varying
from inloop.plant.variation.varied_system import VariedSystem

Places = np.ndarray[Any, np.dtype[np.int64]]
GAP = "gap"
KINDS = ("tangent", "rolling", "drilling")


@dataclass(frozen=True)
class Disc:
    """Rows of a contact that stick or slip together.

    Attributes:
        contact: index of the contact.
        rows: rows of velocities and forces.
        kind: "tangent", whose force is at most friction times the normal force; "rolling" or
            "drilling", whose force is at most the normal force.
    """

    contact: int
    rows: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class Touching:
    """Rates, and quantities at the contacts, with derivatives along directions.

    Attributes:
        xd: rates of the state.
        gap, friction, restitution: by contact.
        u, ud: velocities and accelerations by row.
    """

    xd: Varying
    gap: Varying
    u: Varying
    ud: Varying
    friction: Varying
    restitution: Varying


class TouchedSystem(VariedSystem):
    """Rates of a state x that includes the forces of hard contacts, with derivatives."""

    @classmethod
    def touched(cls, plant: BarePlant, roles: Roles, varied: Sequence[str]) -> Self:
        """With derivatives along directions of x and of the varied quantities."""
        return cls(plant, roles, touched_code(plant, roles, varied))

    @staticmethod
    def reads_reactions(plant: BarePlant) -> bool:
        """True if a law depends on forces within joints or of constraints."""
        return bool(plant.equations.derivation.loads.reactions)

    @cached_property
    def contacts(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return tuple(contact.name for contact in self.plant.mechanism.declared_contacts)

    @cached_property
    def normals(self) -> tuple[int, ...]:
        """The first row of each contact."""
        return first_rows(self.plant.mechanism)[:-1]

    @cached_property
    def discs(self) -> tuple[Disc, ...]:
        """Tangent, rolling and drilling discs of all contacts that have them."""
        mechanism = self.plant.mechanism
        first, turning, discs = first_rows(mechanism), turning_rows(mechanism), []
        for i in range(len(self.contacts)):
            rolling, drilling = turning[2 * i : 2 * i + 2] if turning else (0, 0)
            row = first[i] + 1
            tangents = first[i + 1] - row - rolling - drilling
            for count, kind in zip((tangents, rolling, drilling), KINDS, strict=True):
                if count:
                    discs.append(Disc(i, tuple(range(row, row + count)), kind))
                row += count
        return tuple(discs)

    def discs_of(self, contact: int) -> list[int]:
        """Numbers of the discs of a contact."""
        return [j for j, disc in enumerate(self.discs) if disc.contact == contact]

    def friction_problem(
        self, contacts: Sequence[int], known: Sequence[int] = ()
    ) -> tuple[list[int], list[tuple[int, int]] | None]:
        """Indices of the unknown rows of contacts, and those of rolling and drilling among them.

        Args:
            contacts: indices of the contacts.
            known: discs whose forces follow from the normal force.
        """
        rows, turning = [], []
        for i in contacts:
            own = [self.discs[j] for j in self.discs_of(i) if j not in known]
            rows.append(1 + sum(len(disc.rows) for disc in own))
            turning.append((_count(own, "rolling"), _count(own, "drilling")))
        return rows, turning if any(map(any, turning)) else None

    @cached_property
    def forces(self) -> Places:
        """Index in x of the force of each row."""
        first, states = first_rows(self.plant.mechanism), first_states(self.plant.mechanism)
        indices = [
            self.code.layout.z + states[i] + k
            for i in range(len(self.contacts))
            for k in range(first[i + 1] - first[i])
        ]
        return np.array(indices, dtype=np.int64)

    @cached_property
    def speeds(self) -> Places:
        """Indices of velocities in x."""
        return np.array([i for _, i in self.code.layout.qd], dtype=np.int64)

    @cached_property
    def force_signals(self) -> frozenset[str]:
        """Names of signals that depend on contact forces, including accelerations."""
        mechanism, plant = self.plant.mechanism, self.plant
        names = {f"{name}.{kind}" for name in plant.coordinates for kind in ("qdd", "effort")}
        names |= {name for name in self.code.observed if name.startswith("lam.")}
        kept = (GAP, RATE, *SLIPS, *ROLLING_RATES, SPINNING_RATE)
        for contact in mechanism.declared_contacts:
            names |= {name for key, name in contact.outputs.items() if key not in kept}
            names |= {s for s in mechanism.state_names if s.startswith(f"{contact.name}.")}
        return frozenset(names)

    def touch(
        self, t: float, u: Array, tau: Array, state: tuple[Array, Array], dx: Array, dg: Array
    ) -> Touching:
        """Rates and quantities at the contacts; arguments as for `observe`."""
        contacts, rows, size = len(self.contacts), len(self.forces), len(self.code.states)
        lengths = (size, contacts, rows, rows, contacts, contacts)
        y, dy = self._evaluate("touch", sum(lengths), t, u, tau, state, dx, dg)
        edges = np.cumsum((0, *lengths))
        parts = [slice(a, b) for a, b in pairwise(edges)]
        return Touching(*(Varying(y[part], dy[part]) for part in parts))


def _count(discs: Sequence[Disc], kind: str) -> int:
    return sum(len(disc.rows) for disc in discs if disc.kind == kind)
