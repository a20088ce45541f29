"""The motion between two events, in which each hard contact keeps its mode.

With rows G of velocities that stay zero (normals of closed contacts, sticking discs) and forces
f = F λ (discs that slip along d: -μ f_n d), forces and their derivatives follow from

    G ud(x, f) = 0,    G δud + G (∂ud/∂f) δf = 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.errors import SimulationError
from inloop.plant import Array
from inloop.plant.variation.jumps import Varying
from inloop.plant.variation.touched_system import Disc, TouchedSystem, Touching
from inloop.simulate.sensitivities.event_changes import Surroundings

SINGULAR = 1e-11  # of the largest singular value: redundant rows
CONSISTENT = 1e-6  # of the largest acceleration: allowed residual of redundant rows


@dataclass(frozen=True)
class Modes:
    """Modes of contacts between two events.

    Attributes:
        closed: whether a contact is closed, by contact.
        slips: direction of slip, by disc; None: it sticks, or is open.
        frozen: discs with a fixed direction: they slip along one line, or slowly.
    """

    closed: tuple[bool, ...]
    slips: tuple[Array | None, ...]
    frozen: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Answer:
    """Response of the motion to contact forces.

    Attributes:
        free: the motion without contact forces.
        rates: ∂xd/∂f, shape (states, rows).
        accelerations: ∂ud/∂f, shape (rows, rows).
    """

    free: Touching
    rates: Array
    accelerations: Array


@dataclass(frozen=True)
class Kept:
    """The motion with the forces that maintain the modes.

    Attributes:
        force: by row.
        xd: rates of the state.
        seen: quantities at the contacts; derivatives of accelerations are at fixed forces.
        redundant: whether forces are not unique.
    """

    force: Varying
    xd: Varying
    seen: Touching
    redundant: bool


class Phase:
    """The equations of a plant with hard contacts.

    Attributes:
        system: compiled.
        around: what acts on the plant, along the directions.
        length: characteristic length [m].
    """

    def __init__(self, system: TouchedSystem, around: Surroundings) -> None:
        self.system, self.around = system, around
        self.length = system.plant.size.length
        self.name = system.plant.name

    def look(
        self, t: float, state: tuple[Array, Array], dx: Array, dt: Array, force: Array | None = None
    ) -> Touching:
        """Rates and quantities at the contacts, with forces, along directions of state and time."""
        x = state[0].copy()
        x[self.system.forces] = 0.0 if force is None else force
        dg = self.around.along(self.name, t, dt)
        return self.system.touch(
            t, self.around.u(self.name, t), self.around.tau[self.name], (x, state[1]), dx, dg
        )

    def answer(self, t: float, state: tuple[Array, Array], acting: Sequence[bool]) -> Answer:
        """Response to forces of the acting contacts."""
        system = self.system
        rows = [k for k in range(len(system.forces)) if acting[self.contact_of[k]]]
        unit = np.zeros((len(system.code.states), len(rows)))
        unit[system.forces[rows], np.arange(len(rows))] = 1.0
        x = state[0].copy()
        x[system.forces] = 0.0
        free = system.touch(
            t, self.around.u(self.name, t), self.around.tau[self.name], (x, state[1]), unit,
            np.zeros((len(system.code.varied), len(rows))),
        )  # fmt: skip
        rates = np.zeros((len(x), len(system.forces)))
        accelerations = np.zeros((len(system.forces), len(system.forces)))
        rates[:, rows], accelerations[:, rows] = free.xd.change, free.ud.change
        return Answer(free, rates, accelerations)

    @property
    def contact_of(self) -> list[int]:
        """Contact of each row."""
        edges = [*self.system.normals[1:], len(self.system.forces)]
        return [i for i, (a, b) in enumerate(zip(self.system.normals, edges, strict=True))
                for _ in range(a, b)]  # fmt: skip

    def keep(
        self, t: float, state: tuple[Array, Array], dx: Array, dt: Array, modes: Modes
    ) -> Kept:
        """The motion while contacts keep their modes, along directions of state and time."""
        if not any(modes.closed):
            seen = self.look(t, state, dx, dt)
            none = np.zeros(len(self.system.forces))
            return Kept(
                Varying(none, np.zeros((len(none), dx.shape[1]))), seen.xd, seen, redundant=False
            )
        answer = self.answer(t, state, modes.closed)
        free, A = answer.free, answer.accelerations
        held, F = self.unknowns(modes, free)
        B = A[held] @ F
        inverse, redundant = _inverse(B)
        force = F @ (inverse @ -free.ud.value[held])
        self._check(t, B, force, A, free, held, redundant)
        seen = self.look(t, state, dx, dt, force)
        slipping = self._slip_changes(modes, seen, force)
        left = seen.ud.change[held] + A[held] @ slipping
        unknown = inverse @ -left
        if redundant:
            self._check_left(t, B @ unknown + left, np.abs(left).max(initial=0.0))
        change = F @ unknown + slipping
        xd = Varying(seen.xd.value, seen.xd.change + answer.rates @ change)
        return Kept(Varying(force, change), xd, seen, redundant)

    def direction(self, modes: Modes, j: int, u: Array) -> Array:
        """Direction in which disc j slips."""
        begun, disc = modes.slips[j], self.system.discs[j]
        assert begun is not None
        own = u[list(disc.rows)]
        speed = float(np.linalg.norm(own))
        return begun if j in modes.frozen or speed == 0.0 else own / speed

    def limit(self, disc: Disc, seen: Touching) -> tuple[float, Array]:
        """Largest force of a disc relative to the normal force, and its derivatives."""
        if disc.kind == "tangent":
            return float(seen.friction.value[disc.contact]), seen.friction.change[disc.contact]
        return 1.0, np.zeros(seen.friction.change.shape[1])

    def unknowns(self, modes: Modes, free: Touching) -> tuple[list[int], Array]:
        """Rows that stay zero, and forces per unknown, shape (rows, unknowns)."""
        system = self.system
        held: list[int] = []
        columns: list[Array] = []
        for i, closed in enumerate(modes.closed):
            if not closed:
                continue
            normal = np.zeros(len(system.forces))
            normal[system.normals[i]] = 1.0
            columns.append(normal)
            held.append(system.normals[i])
            for j, disc in enumerate(system.discs):
                if disc.contact != i:
                    continue
                if modes.slips[j] is not None:
                    mu = self.limit(disc, free)[0]
                    normal[list(disc.rows)] = -mu * self.direction(modes, j, free.u.value)
                    continue
                for row in disc.rows:
                    held.append(row)
                    columns.append(np.eye(len(system.forces))[row])
        return held, np.array(columns).T

    def _slip_changes(self, modes: Modes, seen: Touching, force: Array) -> Array:
        """δf of slipping discs at fixed normal force, from changes of μ and of the direction."""
        changes = np.zeros((len(force), seen.u.change.shape[1]))
        for j, disc in enumerate(self.system.discs):
            if modes.slips[j] is None or not modes.closed[disc.contact]:
                continue
            rows, normal = list(disc.rows), force[self.system.normals[disc.contact]]
            mu, dmu = self.limit(disc, seen)
            d = self.direction(modes, j, seen.u.value)
            if np.any(dmu) and not np.any(d):
                raise SimulationError(
                    f"contact '{self.system.contacts[disc.contact]}' of model '{self.name}' rests "
                    "without friction: the run has no derivative with respect to friction",
                    fix="Choose another friction, or differentiate with respect to something else.",
                )
            changes[rows] = -normal * np.outer(d, dmu)
            if j not in modes.frozen:
                across = np.eye(len(rows)) - np.outer(d, d)
                speed = float(np.linalg.norm(seen.u.value[rows]))
                turn = across @ seen.u.change[rows]
                if np.any(turn):
                    changes[rows] -= mu * normal * turn / speed
        return changes

    def _check(
        self, t: float, B: Array, force: Array, A: Array, free: Touching, held: list[int],
        redundant: bool,
    ) -> None:  # fmt: skip
        if not np.all(np.isfinite(force)):
            raise SimulationError(
                f"derivatives: forces of contacts of model '{self.name}' are not finite at "
                f"t = {t:.9g} s",
                fix="Use a shorter run, or finite differences of runs.",
            )
        if redundant:
            left = A[held] @ force + free.ud.value[held]
            self._check_left(t, left, np.abs(free.ud.value).max(initial=0.0))

    def _check_left(self, t: float, left: Array, size: float) -> None:
        """Check that redundant rows are consistent."""
        if np.abs(left).max(initial=0.0) > CONSISTENT * max(size, 1e-12):
            raise SimulationError(
                f"redundant contacts of model '{self.name}' would not stay closed together at "
                f"t = {t:.9g} s: the run has no derivative there",
                fix="Differentiate with respect to quantities that keep them redundant, or leave "
                "out contacts.",
            )


def _inverse(B: Array) -> tuple[Array, bool]:
    """The inverse, or the pseudo-inverse if rows are redundant."""
    sizes = np.linalg.svd(B, compute_uv=False)
    if sizes[-1] > SINGULAR * sizes[0]:
        return np.asarray(np.linalg.inv(B)), False
    return np.asarray(np.linalg.pinv(B, rcond=SINGULAR)), True
