"""Static equilibrium of trees and closed mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inloop.analysis import newton
from inloop.analysis.law_states import state_vector
from inloop.analysis.newton import Solution
from inloop.analysis.reduction import (
    Reduction,
    check_leading_inputs,
    effort_unit,
    input_vector,
)
from inloop.analysis.relaxation import relax
from inloop.analysis.small_motion import Complex, SmallMotion, small_motion
from inloop.analysis.unknowns import Setting, Unknown, find_unknowns, independent
from inloop.errors import InputError, SimulationError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list, real
from inloop.plant.keywords import checked_call
from inloop.simulate.start import Given, vector

LONGEST_STEP = 0.5  # maximum step of a coordinate, in natural sizes (see formalisms/size.py)
RESTARTS = (0.03, 0.1, 0.3, 0.6, 1.0)  # spread about the start, in natural sizes


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium position.

    Attributes:
        coordinates: names of the coordinates.
        q: position [rad or m], shape (n,).
        tau: efforts on all joints: given, solved for, and those that hold fixed and driven joints.
        z: states of force laws; their rates vanish.
        values: the unknowns by name, including states of force laws.
        motion: linearized motion about the position.
        residual: largest remaining generalized force [N·m or N], or rate of a state.
        iterations: steps of the attempt that succeeded.
        tried: the attempts and their outcomes as text; the last one succeeded.
    """

    coordinates: tuple[str, ...]
    q: Array
    tau: Array
    z: Array
    values: dict[str, float]
    motion: SmallMotion = field(repr=False)
    residual: float
    iterations: int
    tried: tuple[str, ...] = ()

    @property
    def eigenvalues(self) -> Complex:
        """Eigenvalues of small motions [1/s], with fixed coordinates held."""
        return self.motion.eigen()[0]

    @property
    def stability(self) -> str:
        """One of "asymptotically stable", "stable" (oscillates), "neutral" and "unstable"."""
        return self.motion.stability

    @property
    def stable(self) -> bool:
        """True if small motions stay small."""
        return self.stability in ("stable", "asymptotically stable")

    def __getitem__(self, name: str) -> float:
        """A coordinate "crank" or "crank.q", an effort "crank.effort", or any unknown."""
        if name in self.values:
            return self.values[name]
        joint, _, kind = name.rpartition(".") if "." in name else (name, "", "q")
        if joint in self.coordinates and kind in ("q", "effort"):
            return float((self.q if kind == "q" else self.tau)[self.coordinates.index(joint)])
        raise InputError(
            f"the equilibrium has no '{name}'",
            fix=name_hint(name, (*self.coordinates, *self.values)),
        )

    def __str__(self) -> str:
        lines = [f"equilibrium, {self.stability}, largest force left {self.residual:.2g}"]
        # quaternions, if any, come after the coordinates
        for name, q, tau in zip(self.coordinates, self.q, self.tau, strict=False):
            lines.append(f"  {name:20s} q {q: .9g}" + (f"  effort {tau:.6g}" if tau else ""))
        others = {k: v for k, v in self.values.items() if k not in self.coordinates}
        lines += [f"  {name:20s}   {value: .9g}" for name, value in others.items()]
        return "\n".join(lines)

    __repr__ = __str__  # typed at a prompt, it tells the same


@checked_call
def equilibrium(
    plant: BarePlant,
    q: Given = None,
    unknowns: Sequence[str] | None = None,
    fixed: Sequence[str] = (),
    *,
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    states: Mapping[str, float] | Array | None = None,
    t: float = 0.0,
) -> Equilibrium:
    """Find an equilibrium position.

    Newton's method with a line search and damped steps starts from q. Where it fails, for example
    above a contact, the mechanism relaxes: it moves under its forces, with velocities reset to zero
    at every step, and Newton's method finishes. This requires all free coordinates to be unknown,
    and nothing else but states. Finally, Newton's method restarts from positions near q. `tried`
    lists these attempts.

    Driven joints keep their positions. States of force laws are always among the unknowns: their
    rates must vanish. Where a law has a continuum of rest states (dry friction), a nearby one is
    found. Parameters that are unknowns keep their old values in the plant; set the new ones with
    `plant.parameters.update(...)`.

    Args:
        plant: the compiled mechanism.
        q: initial guess, by name or as a vector; default: the joints' initial values.
        unknowns: what to solve for: independent coordinates, efforts ("crank.effort"), inputs,
            parameters. Everything else is kept. Default: all independent coordinates.
        fixed: independent coordinates held externally; the efforts that hold them are computed.
        tau: joint efforts [N·m or N].
        inputs: values of named inputs.
        states: initial guess of states of force laws, by name or as a vector; default: their
            initial values in a run.
        t: time in force laws [s].

    Raises:
        SimulationError: no equilibrium found near the start; names the coordinate with the largest
            remaining force, and the attempts.
    """
    reduction = Reduction(plant)
    held = [independent(reduction, name) for name in name_list(fixed, "fixed")]
    names = [plant.coordinates[k] for k in reduction.independent if k not in held]
    setting = Setting(
        reduction.start(q),
        vector(plant, tau, [0.0] * plant.n, "tau"),
        input_vector(plant, inputs),
        state_vector(plant, states),
        real(t, "t"),
    )
    check_leading_inputs(plant, inputs or (), setting.q, setting.u)
    wanted = find_unknowns(reduction, names if unknowns is None else unknowns, held)
    return solve_equilibrium(reduction, setting, wanted, held)


def solve_equilibrium(
    reduction: Reduction, setting: Setting, wanted: Sequence[Unknown], held: Sequence[int]
) -> Equilibrium:
    """Find an equilibrium starting from a setting; parameters of the plant are restored."""
    statics = _Statics(reduction, setting, wanted, held)
    before = reduction.plant.parameters.values_array.copy()
    try:
        return statics.solve()
    finally:
        reduction.plant.parameters.values_array[:] = before
        reduction.plant.parameters.version += 1


class _Statics:
    """Forces on a mechanism at rest, as functions of the unknowns."""

    def __init__(
        self,
        reduction: Reduction,
        setting: Setting,
        wanted: Sequence[Unknown],
        held: Sequence[int],
    ) -> None:
        self.reduction, self.start, self.wanted = reduction, setting, wanted
        self.free = [k for k in reduction.independent if k not in held]
        self.kept = [reduction.independent.index(k) for k in self.free]
        self.near = setting.q.copy()  # where dependent coordinates were last

        self.moves = np.array([u.kind == "coordinate" for u in wanted], dtype=bool)
        self.sizes = np.array([u.size(reduction) for u in wanted])
        self.longest = np.where(self.moves, LONGEST_STEP * self.sizes, np.inf)
        self.tried: list[str] = []

    def solve(self) -> Equilibrium:
        first = np.array([u.read(self.reduction.plant, self.start) for u in self.wanted])
        self.measure(first)
        nearest: Solution | None = None
        for attempt in self.attempts(first):
            if attempt is not None and attempt.solved:
                return self.finished(attempt)
            if nearest is None or (attempt is not None and _size(attempt) < _size(nearest)):
                nearest = attempt
        raise self.none(nearest)

    def measure(self, first: Array) -> None:
        """Set natural sizes of efforts, states and inputs from the forces at the start."""
        found = self.residual(first)
        if found is None:
            return
        count, units = len(self.free), self.reduction.sizes
        size = found[1][:count]
        for k, unknown in enumerate(self.wanted):
            if unknown.kind == "effort" and count:
                self.sizes[k] = size[0] * units[self.free[0]] / units[unknown.index] or 1.0
            elif unknown.kind in ("state", "input"):
                slopes = np.abs(newton.slope(self.residual, first, k, self.sizes[k], found[1]))
                acts = (slopes[:count] > 0.0) & (size > 0.0)
                self.sizes[k] = np.min(size[acts] / slopes[:count][acts], initial=self.sizes[k])

    def attempts(self, first: Array) -> Iterator[Solution | None]:
        """Attempts at increasing cost."""
        yield self.newton("Newton's method", first)
        if self.relaxes:
            self.near = self.start.q.copy()
            found = relax(self.residual, self.mass, first, self.sizes, self.longest)
            self.tell("relaxation", found)
            if found is not None and found.solved:
                found = self.newton("Newton's method from there", found.x)
            yield found
        nearby = np.random.default_rng(1)
        for spread in RESTARTS:
            shift = np.where(self.moves, nearby.uniform(-spread, spread, len(first)), 0.0)
            self.near = self.start.q.copy()
            start = first + shift * self.sizes
            yield self.newton(f"Newton's method from {spread:g} of their sizes away", start)

    def newton(self, what: str, x: Array) -> Solution | None:
        found = newton.solve(self.residual, x, self.sizes, self.longest)
        self.tell(what, found)
        return found

    @property
    def relaxes(self) -> bool:
        """Whether the unknowns are all free coordinates and, possibly, states: relaxation works."""
        moving = [u.index for u in self.wanted if u.kind == "coordinate"]
        others = [u for u in self.wanted if u.kind not in ("coordinate", "state")]
        return bool(moving) and moving == self.free and not others

    def mass(self, x: Array) -> Array:
        """Mass matrix of the free coordinates."""
        M, _ = self.reduction.mass(self.setting(x).q)
        return np.asarray(M[np.ix_(self.kept, self.kept)])

    def tell(self, what: str, found: Solution | None) -> None:
        """Record the outcome of an attempt as text."""
        if found is None:
            self.tried.append(f"{what}: no forces there")
            return
        left = "at rest" if found.solved else f"{self.left(found)} left"
        self.tried.append(f"{what}: {left} after {found.iterations} steps")

    def left(self, found: Solution) -> str:
        """The largest remaining force, or rate of a state, as text."""
        worst = int(np.argmax(np.abs(found.r)))
        value = float(np.abs(found.r[worst]))
        if worst >= len(self.free):
            return f"a rate of {value:.4g} of '{self.reduction.states[worst - len(self.free)]}'"
        joint, plant = self.free[worst], self.reduction.plant
        return f"{value:.4g} {effort_unit(plant, joint)} on '{plant.coordinates[joint]}'"

    def setting(self, x: Array) -> Setting:
        """The start with the unknowns set and the loops closed."""
        setting, plant = self.start.copy(), self.reduction.plant
        setting.q[self.reduction.following] = self.near[self.reduction.following]
        before = setting.q.copy()
        for unknown, value in zip(self.wanted, x, strict=True):
            unknown.write(plant, setting, float(value))
        placed = plant.configuration.placed(before, setting.q[: plant.n])
        setting.q[:] = self.near = self.reduction.follow(self.near, placed, setting.t)
        return setting

    def residual(self, x: Array) -> tuple[Array, Array] | None:
        """Forces along the free coordinates and rates of law states, and their magnitudes.

        The magnitude of a force is that of the largest effort anywhere, compared by the work over
        one unit of motion, so that forces and torques are commensurable.
        """
        try:
            s = self.setting(x)
        except (InputError, SimulationError):
            return None
        rest = np.zeros((1, self.reduction.plant.n))
        pull, zd = self.reduction.pull(s.q[None], rest, s.tau, z=s.z, u=s.u, t=s.t)
        r = np.concatenate([pull[0, self.kept], zd[0]])
        units = self.reduction.sizes
        work = sum(np.abs(part * units).max(initial=0.0) for part in (s.tau, self.bias(s)))
        size = np.concatenate([work / units[self.free], np.zeros(len(r) - len(self.free))])
        return (r, size) if np.all(np.isfinite(r)) else None

    def bias(self, s: Setting) -> Array:
        rest = np.zeros((1, self.reduction.plant.n))
        c, _ = self.reduction.bias(s.q[None], rest, s.z, s.u, s.t)
        return np.asarray(c[0])

    def finished(self, found: Solution) -> Equilibrium:
        s = self.setting(found.x)
        names = [u.name for u in self.wanted]
        return Equilibrium(
            coordinates=self.reduction.plant.coordinates,
            q=s.q,
            tau=self.efforts(s),
            z=s.z,
            values=dict(zip(names, (float(x) for x in found.x), strict=True)),
            motion=small_motion(self.reduction, s, self.free),
            residual=float(np.abs(found.r).max(initial=0.0)),
            iterations=found.iterations,
            tried=tuple(self.tried),
        )

    def efforts(self, s: Setting) -> Array:
        """Efforts on all joints, including those that hold fixed and driven ones."""
        at = s.q[None]
        held = [k for k in self.reduction.independent if k not in self.free]
        held += self.reduction.driven
        tau = s.tau.copy()
        tau[self.reduction.driven] = 0.0
        J = self.reduction.constraints(at, np.zeros((1, len(tau))), s.t)["J"]
        T = self.reduction.tangent(J, held)[0]
        tau[held] += T.T @ (self.bias(s) - tau)
        return tau

    def ranges(self) -> str:
        """Unknown parameters with a limited range, as text."""
        allowed = {p.name: p.range for p in self.reduction.plant.parameters.declared}
        bounded = [(u.name, allowed[u.name]) for u in self.wanted if u.kind == "parameter"]
        told = [f"'{name}' stays in {r[0]:g} .. {r[1]:g}" for name, r in bounded if r is not None]
        return f" Parameters have ranges: {', '.join(told)}." if told else ""

    def none(self, nearest: Solution | None) -> SimulationError:
        plant = self.reduction.plant
        if nearest is None:
            return SimulationError(
                f"model '{plant.name}' has no forces at the start that could be balanced",
                fix="A force law gives NaN there, or the loops do not close; start elsewhere.",
            )
        worst = int(np.argmax(np.abs(nearest.r)))
        left = float(np.abs(nearest.r).max())
        tried = f"{self.ranges()} Tried: {'; '.join(self.tried)}."
        if worst >= len(self.free):
            state = self.reduction.states[worst - len(self.free)]
            return SimulationError(
                f"model '{plant.name}' has no equilibrium near the start: state '{state}' changes "
                f"at a rate of {left:.4g}",
                fix=f"Its law has no rest state here; start elsewhere with q= and states=.{tried}",
            )
        joint = self.free[worst]
        return SimulationError(
            f"model '{plant.name}' has no equilibrium near the start: "
            f"{left:.4g} {effort_unit(plant, joint)} is left on '{plant.coordinates[joint]}'",
            fix="Hold that coordinate with fixed=, balance it with an effort or a parameter as "
            f"unknown, or start elsewhere with q=.{tried}",
        )


def _size(found: Solution) -> float:
    return float(np.abs(found.r).max(initial=0.0))
