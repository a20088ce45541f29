"""The redundant equations: six coordinates per body, with the forces between them as unknowns.

    Newton and Euler of each body   M u̇ + b(u) - f(q, u, z, t) - wrench + carried = 0
    effort of each free joint       Sᵀ wrench + armature qdd - tau - laws - Jᵀ mu = 0
    states of force laws            zd - g(…) = 0
    joints                          gap(X_P, X_C, q) = 0
    loops and constraints           h = 0, or its rate where positions are not restricted

Joint coordinates q are unknowns in addition to the poses of the bodies: each adds one row, and
    laws, couplings, drives and results read them directly. For the integration see il_alpha.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inloop.formalisms.derive import Derivation
from inloop.formalisms.flexible_links.assembly import BeamNeeds, bend
from inloop.formalisms.frames import GROUND
from inloop.formalisms.laws.forces import build_loads
from inloop.formalisms.laws.law_quantities import multipliers
from inloop.formalisms.laws.reactions import across, with_cuts
from inloop.formalisms.loops.constraints import joint_rows, written_rows
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions.kinematics import world_pose
from inloop.formalisms.recursions.motion import ground_motion
from inloop.formalisms.recursions.rne import Wrench, inertial
from inloop.formalisms.redundant import joints
from inloop.formalisms.redundant.bodies import BodyPlaces, FreeBody, free_bodies
from inloop.formalisms.redundant.cuts import cut_rows
from inloop.formalisms.symbols import Selection
from inloop.formalisms.vectors import Vector, add, length, sub
from inloop.symbolic import Expr, directional, rebuild


@dataclass(frozen=True)
class Layout:
    """Numbers of rows and unknowns, which come in this order.

    Attributes:
        bodies: six motions each, and six equations of motion.
        free: joints that are not driven, with their effort balance.
        states: states of force laws.
        rows: constraints in use, after the six rows of each joint.
    """

    bodies: int
    free: int
    states: int
    rows: int

    @property
    def moving(self) -> int:
        """Number of unknowns before the multipliers."""
        return 6 * self.bodies + self.free + self.states

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.moving + 6 * self.bodies + self.rows


class BodySystem:
    """The equations of one mechanism.

    Args:
        derivation: a fresh one: symbols of the bodies are added to its graph.
        external_forces: bodies with force and torque inputs in addition to the declared ones.
        used: indices of the constraint rows in use; None for all.
    """

    def __init__(
        self,
        derivation: Derivation,
        external_forces: Selection = (),
        used: tuple[int, ...] | None = None,
    ) -> None:
        self.derivation = derivation
        skeleton, mechanism = derivation.skeleton, derivation.mechanism
        self.skeleton, self.graph = skeleton, skeleton.graph
        places = BodyPlaces(skeleton)
        self.loads = build_loads(mechanism, skeleton, external_forces, places)
        rows = [row for loop in mechanism.loops for row in cut_rows(loop, skeleton, places)]
        rows += written_rows(mechanism, skeleton) + joint_rows(mechanism, skeleton)
        self.rows: list[Row] = [rows[k] for k in (range(len(rows)) if used is None else used)]
        asked = {*places.asked, *self.loads.wrenches, *(beam.link for beam in skeleton.beams)}
        self.places, self.bodies = places, free_bodies(skeleton, asked)
        self.by_link = {k: body for body in self.bodies for k in body.sharing}
        self.mu = [self.graph.symbol(f"mu_{k + 1}") for k in range(len(self.rows))]
        self.zd = [self.graph.symbol(f"zd_{k + 1}") for k in range(len(mechanism.states))]
        self.driven = tuple(drive.body for drive in mechanism.drives)
        self.free = tuple(k for k in range(derivation.n) if k not in self.driven)

    @property
    def layout(self) -> Layout:
        """Numbers of rows and unknowns."""
        return Layout(len(self.bodies), len(self.free), len(self.zd), len(self.rows))

    # balances

    @cached_property
    def _applied(self) -> dict[int, Wrench]:
        return dict(with_cuts(self.loads, self.rows, self.mu))

    @cached_property
    def _beams(self) -> list[BeamNeeds]:
        """Inertial loads of flexible links on their coordinates and carriers."""
        ground, qdd = ground_motion(self.skeleton), self.skeleton.symbols.qdd
        return [
            bent.needs(
                ground if bent.beam.link == GROUND else self.places.motion(bent.beam.link), qdd
            )
            for bent in bend(self.skeleton)
        ]

    @cached_property
    def _transmitted(self) -> list[dict[int, Wrench]]:
        return [joints.transmitted(body) for body in self.bodies]

    def balance(self, body: FreeBody, acc: Vector | None = None) -> list[Expr]:
        """Newton–Euler equations in body axes; `acc` may replace its acceleration there."""
        self.graph.section = body.link.name
        need = inertial(body.link, body.motion(self.skeleton.gravity, acc), None)
        taken = [body.wrench, *(self._applied[k] for k in body.sharing if k in self._applied)]
        given = [Wrench(beam.f, beam.n) for beam in self._beams if beam.link in body.sharing]
        for child, wrenches in zip(self.bodies, self._transmitted, strict=True):
            if child.parent in body.sharing:
                given.append(wrenches[child.parent])
        f, n = need.f, need.n
        for wrench in taken:
            f, n = sub(f, wrench.f), sub(n, wrench.n)
        for wrench in given:
            f, n = add(f, wrench.f), add(n, wrench.n)
        return [*f, *n]

    @cached_property
    def balances(self) -> list[list[Expr]]:
        """Six rows of each body."""
        return [self.balance(body) for body in self.bodies]

    @cached_property
    def _wrenches(self) -> dict[int, Wrench]:
        """Wrench at each link that leads to a body; the others transmit nothing."""
        return {
            link.number - 1: wrenches[link.number - 1]
            for body, wrenches in zip(self.bodies, self._transmitted, strict=True)
            for link in body.links
        }

    @cached_property
    def efforts(self) -> list[Expr]:
        """Effort residual of each joint; for a driven one, the effort of its drive."""
        symbols, zero = self.skeleton.symbols, self.graph.zero
        found = []
        for k, link in enumerate(self.skeleton.links):
            need = link.armature * symbols.qdd[k] - self.loads.efforts.get(k, zero)
            if k in self._wrenches:
                need = need + link.motion.along(self._wrenches[k].f, self._wrenches[k].n)
            if k not in self.driven:
                need = need - symbols.tau[k]
            for row, mu in zip(self.rows, self.mu, strict=True):
                need = need - row.J.get(k, zero) * mu
            found.append(need)
        for beam in self._beams:
            for k, effort in beam.efforts.items():
                found[k] = found[k] + effort
        return found

    @cached_property
    def state_rows(self) -> list[Expr]:
        """zd - g: reactions that laws use are unknowns here."""
        at = multipliers(self.loads, self.rows, self.mu)
        at |= {symbol: self.efforts[k] for k, symbol in self.loads.drive_efforts.items()}
        for k, symbol in self.loads.radial.items():
            at[symbol] = length(across(self.skeleton.links[k], self._wrenches[k].f))
        rates = rebuild(self.loads.rates, self.graph, at) if at else self.loads.rates
        return [zd - rate for zd, rate in zip(self.zd, rates, strict=True)]

    # constraints

    @cached_property
    def gaps(self) -> list[list[Expr]]:
        """Six rows of each joint."""
        ground = world_pose(self.graph)
        return [
            joints.gap(b, ground if b.parent == GROUND else self.places.pose(b.parent))
            for b in self.bodies
        ]

    def on_velocities(self, row: Row) -> bool:
        """Whether there is no position to be maintained."""
        return not row.holonomic or row.h is self.graph.zero

    @cached_property
    def constraints(self) -> list[Expr]:
        """The rows in use: positions, or velocities where only these are constrained."""
        return [
            speed if self.on_velocities(row) else row.h
            for row, speed in zip(self.rows, self.speeds, strict=True)
        ]

    @cached_property
    def speeds(self) -> list[Expr]:
        """Rates of the rows in use."""
        return [self._speed(row) for row in self.rows]

    def ends(self, row: Row) -> list[FreeBody]:
        """The bodies that a row connects; none for rows on joints."""
        links = {row.cut.a.link, row.cut.b.link} if row.cut is not None else set()
        return [self.by_link[link] for link in sorted(links - {GROUND})]

    def _speed(self, row: Row) -> Expr:
        if row.speed is not None:
            return row.speed
        if row.cut is None:
            return row.rate(self.skeleton.symbols.qd)
        # the motion of the carrying body's axes has no effect where the row is closed
        flow = {k: v for body in self.ends(row) for k, v in body.flow().items()}
        return directional([row.h], flow)[0]

    @cached_property
    def acceleration_gaps(self) -> list[Expr]:
        """Second derivatives of joints and rows, at consistent positions and velocities."""
        qdd, gravity = self.skeleton.symbols.qdd, self.skeleton.gravity
        ground, found = ground_motion(self.skeleton), list[Expr]()
        for body in self.bodies:
            parent = ground if body.parent == GROUND else self.places.motion(body.parent)
            found += joints.acceleration_gap(body, parent, qdd, gravity)
        for row in self.rows:
            found.append(sum((entry * qdd[k] for k, entry in row.J.items()), row.gamma))
        return found
