"""What a stepper integrates: the rates of a plant with everything they read during a run."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

import numpy as np

from inloop.native import COUNT, POINTER, Method, System
from inloop.plant import Array, BarePlant, NativeEngine, native_engine
from inloop.plant.loops import CLOSED, FARTHEST, MOST_ITERATIONS, NEARLY_CLOSED, Loops
from inloop.plant.stepping import implicit_steps, jacobian
from inloop.simulate.inputs import FollowedInputs
from inloop.simulate.samples import Samples
from inloop.simulate.scales import Scales, function_of, held, natural_scales
from inloop.simulate.watched import Watched

_PREPARE = ctypes.CFUNCTYPE(None, POINTER, POINTER)


@dataclass(frozen=True)
class Prepared:
    """Prepared quantities of a run, and how to compute them anew when parameters change.

    Attributes:
        function: address of `prepare(parameters, values)`.
        values: its results, which the rates read.
    """

    function: int
    values: Array

    def update(self, parameters: Array) -> None:
        """Compute the values anew, in the same memory."""
        _PREPARE(self.function)(parameters.ctypes.data, self.values.ctypes.data)


class _Implicit:
    """The functions of implicit methods, and what they read and write."""

    def __init__(self, plant: BarePlant, loops: Loops | None, method: Method | None) -> None:
        self.predict, self.correct, self.jacobian = 0, 0, 0
        self.engine: NativeEngine | None = None
        self.notes: tuple[str, ...] = ()
        self.prepared: tuple[Prepared, ...] = ()
        self.predictor_pre, self.jacobian_pre = np.zeros(1), np.zeros(1)
        self.kept = np.zeros(1)
        if method == Method.IMPLICIT:
            name = implicit_steps(plant, loops)
            self.engine = engine = native_engine(plant, name)
            prefix, address = engine.unit.prefix, engine.library.address
            self.predict, self.correct = address(f"{prefix}_predict"), address(f"{prefix}_correct")
            self.prepared = (prepared_for(plant, name),)
            self.predictor_pre = self.prepared[0].values
            kept = engine.unit.find(name).outputs[-1]
            self.kept = np.zeros(max(1, len(kept.exprs)))
        elif method == Method.RODAS:
            function = jacobian(plant, loops)
            if function is None:
                self.notes = ("the Jacobian would be too large to generate: differences are used",)
                return
            self.engine = engine = native_engine(plant, function)
            self.jacobian = engine.library.address(f"{engine.unit.prefix}_jacobian")
            self.prepared = (prepared_for(plant, function),)
            self.jacobian_pre = self.prepared[0].values

    @property
    def pointers(self) -> tuple[int, int, int]:
        """The last entries of the contexts."""
        return (
            self.predictor_pre.ctypes.data,
            self.kept.ctypes.data,
            self.jacobian_pre.ctypes.data,
        )


class TreeSystem:
    """A mechanism without loops: x = (q, qd, z).

    Attributes:
        system: what the steppers integrate.
        prepared: what follows from parameters.
        watched: bounds of its state.
    """

    guard: Array | None = None

    def __init__(
        self,
        plant: BarePlant,
        tau: Array,
        u: Array,
        signals: str | None = None,
        method: Method | None = None,
    ) -> None:
        """Rates that read tau and u.

        Args:
            plant: the compiled mechanism.
            tau: efforts of the joints.
            u: inputs.
            signals: name of a function of the plant that writes u over time.
            method: the integrator; implicit ones need more than rates.
        """
        engine = native_engine(plant, "direct_dynamics")
        prepared = prepared_for(plant, "direct_dynamics")
        self._inputs = FollowedInputs(plant, u, signals)
        # the generated Jacobian knows no inputs that change by themselves: then by differences
        followed = method == Method.RODAS and signals is not None
        more = _Implicit(plant, None, None if followed else method)
        self.notes = more.notes
        self.prepared: tuple[Prepared, ...] = (prepared, *more.prepared)
        context = _TreeContext(
            prepared.values.ctypes.data,
            tau.ctypes.data,
            u.ctypes.data,
            self._inputs.address,
            *more.pointers,
        )
        self._plant, self.u = plant, u
        self.watched = Watched(plant, range(plant.n))
        self.system = System(
            rates=engine.library.address(f"{engine.unit.prefix}_rates"),
            n=plant.n,
            m=len(plant.mechanism.states),
            context=ctypes.addressof(context),
            autonomous=signals is None
            and all(block.name != "t" for block in plant.program("direct_dynamics").inputs),
            bounds=self.watched.address,
            keep=(engine.library, context, prepared, tau, u, self._inputs, more, self.watched),
            jacobian=more.jacobian,
            predict=more.predict,
            correct=more.correct,
        )
        if method == Method.RODAS and not more.jacobian:
            self.system = replace(self.system, sizes=self.scales.sizes)

    @functools.cached_property
    def scales(self) -> Scales:
        """Natural units of x."""
        bodies, z = self._plant.mechanism.bodies, self._plant.first_states
        start = [[b.joint.initial[i] for b in bodies] for i in (0, 1)]
        x = np.concatenate([np.array(start, dtype=np.float64).reshape(-1), z])
        rates = function_of(self.system.rates, self.system.context, self.system.size)
        with self.at_start():
            size = self._plant.size
            return natural_scales(rates, x, size.units, self.system.n, len(z), size.unknown)

    def at_start(self) -> AbstractContextManager[None]:
        """All inputs at their defaults, for a while."""
        return held(self.u, self._plant.first_inputs)

    def blame(self, t: float) -> str:
        """What was not finite after time t, in words; empty if nothing is known."""
        return self._inputs.blame(t)

    def start(self, t: float, q: Array, qd: Array, z: Array, guarded: bool = True) -> Array:
        """State of the stepper; z are the states of force laws."""
        del t, guarded
        return np.concatenate([q, qd, z])

    def expand(self, t: Array, x: Array) -> Samples:
        """All coordinates from states of the stepper."""
        n = self._plant.n
        z = x[:, 2 * n :]
        return Samples(t, x[:, :n], x[:, n : 2 * n], z, _states(self._plant, z))

    motion = expand


class ClosedSystem:
    """A mechanism with loops or drives: x holds the independent coordinates.

    Attributes:
        loops: the loops, with the choice of independent coordinates that is integrated.
        system: what the steppers integrate.
        prepared: what follows from parameters.
        watched: bounds of its state.
        expand_address: of the C function that finds all about states.
        look_context: address to hand to it: unguarded, closed to the last bit, so that looking does
            not change how a run goes on.
        pivots_address: of the C function that gives the reciprocal pivots at a position.
        guard_view: factors of reciprocal pivots, as the rates read them.
        q, qd, qdd: memory for all coordinates and their rates.
        lam, effort: memory for multipliers of the rows and efforts of the drives.
        sizes: one unit of each coordinate: 1 rad, or the characteristic length [m].
    """

    @property
    def guard(self) -> Array | None:
        """Factors of reciprocal pivots: beyond 0..1 other independent coordinates are due."""
        return self._guard.copy()

    @guard.setter
    def guard(self, values: Array | None) -> None:
        if values is not None:
            self._guard[:] = values

    @property
    def pull(self) -> float:
        """How fast estimates of dependent coordinates come to closure [1/s]."""
        return float(self._context.pull)

    @pull.setter
    def pull(self, value: float) -> None:
        self._context.pull = value

    @property
    def open_loop(self) -> str:
        """Name of the loop that could not be closed when a run ended with LOOP_OPEN."""
        return self.loops.loop_of(int(self._context.bad_row))

    def __init__(
        self,
        plant: BarePlant,
        loops: Loops,
        tau: Array,
        u: Array,
        drives: str | None,
        signals: str | None = None,
        method: Method | None = None,
        step: float | None = None,
    ) -> None:
        """Rates that read tau and u.

        Args:
            plant: the compiled mechanism.
            loops: its loops, with the partition that is to be used.
            tau: efforts of the joints.
            u: inputs.
            drives: name of the function of the driven joints.
            signals: name of a function of the plant that writes u over time.
            method: the integrator; implicit ones need more than rates.
            step: of the integrator, if it is always the same [s]: within one, estimates of
                dependent coordinates come to closure, whatever drives do between two steps.
        """
        self._plant, self.loops, self.u = plant, loops, u
        self.sizes = plant.coordinate_sizes
        function = loops.function("constrained")
        self._engine = native_engine(plant, function)
        prefix = self._engine.unit.prefix
        parts = loops.partition
        self._given = np.zeros((3, plant.n))  # q, qd, qdd of driven joints without a function
        prepared = prepared_for(plant, function)
        self.prepared: tuple[Prepared, ...] = (prepared,)
        self._guard = np.zeros(max(1, len(parts.rows)))
        per_unit = 1.0 / self.sizes[list(parts.dependent)]
        drive, drive_pre = 0, np.zeros(1)
        if drives is not None:
            source = native_engine(plant, drives)
            drive = source.library.address(f"{source.unit.prefix}_{drives}")
            moving = prepared_for(plant, drives)
            drive_pre = moving.values
            self.prepared = (prepared, moving)
        self._inputs = FollowedInputs(plant, u, signals)
        more = _Implicit(plant, loops, method)
        self.notes = more.notes
        self.prepared += more.prepared
        self._settled = np.zeros((3, plant.n))
        address = self._engine.library.address
        self._context = _ClosedContext(
            prepared.values.ctypes.data,
            tau.ctypes.data,
            u.ctypes.data,
            drive,
            drive_pre.ctypes.data,
            *(a.ctypes.data for a in self._given),
            self._guard.ctypes.data,
            per_unit.ctypes.data,
            NEARLY_CLOSED,
            FARTHEST,
            0.0 if step is None or method == Method.IMPLICIT else 1.0 / step,
            MOST_ITERATIONS,
            0,
            self._inputs.address,
            -1,
            0.0,
            address(f"{prefix}_settle"),
            address(f"{prefix}_rates"),
            *(a.ctypes.data for a in self._settled),
            *more.pointers,
        )
        self._look = _ClosedContext.from_buffer_copy(self._context)
        no_guard = np.zeros(max(1, len(parts.rows)))
        self._look.guard, self._look.tolerance = no_guard.ctypes.data, CLOSED
        held: tuple[object, ...] = (tau, u, self._inputs, drive_pre, self._settled, more)
        held = (*held, no_guard, per_unit)
        self.expand_address = address(f"{prefix}_expand")
        self.look_context = ctypes.addressof(self._look)
        self.pivots_address = address(f"{prefix}_pivots")
        self.guard_view = self._guard
        n, m, nd = plant.n, len(parts.rows), len(parts.driven)
        sizes = (n, n, n, max(1, m), max(1, nd))
        self.q, self.qd, self.qdd, self.lam, self.effort = (np.zeros(size) for size in sizes)
        self.watched = Watched(plant, parts.independent, parts.dependent)
        held = (*held, self.watched)
        self.system = System(
            rates=address(f"{prefix}_rates"),
            n=len(parts.independent),
            m=len(plant.mechanism.states) + len(parts.dependent),
            context=ctypes.addressof(self._context),
            bounds=self.watched.address,
            keep=(self._engine.library, self._context, self._given, self._guard, prepared, held),
            jacobian=more.jacobian,
            predict=more.predict,
            correct=more.correct,
        )
        if method == Method.RODAS and not more.jacobian:
            self.system = replace(self.system, sizes=self.scales.sizes)

    @property
    def tolerance_address(self) -> int:
        """Where the rates read what ends Newton's method."""
        return ctypes.addressof(self._context) + _ClosedContext.tolerance.offset

    def blame(self, t: float) -> str:
        """What was not finite after time t, in words; empty if nothing is known."""
        c = self._context
        if c.bad_drive >= 0 and c.bad_t >= t:
            joint = self.loops.driven[c.bad_drive]
            return f"the motion of driven joint '{joint}' is not finite at t = {c.bad_t:.6g} s"
        return self._inputs.blame(t)

    @functools.cached_property
    def scales(self) -> Scales:
        """Natural units of x."""
        parts, z = self.loops.partition, self._plant.first_states
        u, v, q = list(parts.independent), list(parts.dependent), self.loops.home()
        qd = np.array([b.joint.initial[1] for b in self._plant.mechanism.bodies], dtype=np.float64)
        x, units = np.concatenate([q[u], qd[u], z, q[v]]), self.sizes[[*u, *v]]
        context = _ClosedContext.from_buffer_copy(self._look)
        rates = function_of(self.system.rates, ctypes.addressof(context), self.system.size)
        with self.at_start():
            unknown = self._plant.size.unknown[[*u, *v]]
            return natural_scales(rates, x, units, len(u), len(z), unknown)

    @contextmanager
    def at_start(self) -> Iterator[None]:
        """All inputs at their defaults and driven joints where the plant begins, for a while."""
        first = np.array([self.loops.home(), *np.zeros((2, self._plant.n))])
        with held(self.u, self._plant.first_inputs), held(self._given, first):
            yield

    def speed(self, qd: Array) -> float:
        """The largest velocity [rad/s, or characteristic lengths per s]."""
        return float(np.abs(qd / self.sizes).max(initial=0.0))

    def start(self, t: float, q: Array, qd: Array, z: Array, guarded: bool = True) -> Array:
        """State of the stepper: independent coordinates, states of laws, dependent coordinates.

        Args:
            t: time [s].
            q: closed position.
            qd: velocities that fit it.
            z: states of force laws.
            guarded: let the run end when the independent coordinates become a bad choice.
        """
        self._given[:] = q, qd, np.zeros(len(q))
        parts = self.loops.partition
        # near a singular position Newton converges worse: what is left of a correction is larger
        self._context.tolerance = NEARLY_CLOSED if guarded else CLOSED
        if parts.dependent:
            self._guard[:] = self.loops.guard(q, t) if guarded else 0.0
        u, v = list(parts.independent), list(parts.dependent)
        return np.concatenate([q[u], qd[u], z, q[v]])

    def expand(self, t: Array, x: Array) -> Samples:
        """All about states of the stepper: their motion, forces in cuts, constraint values."""
        found = self.motion(t, x)
        lam = [found.signals[f"lam.{row}"] for row in self.loops.row_names]
        columns = np.array(lam).T if lam else np.zeros((len(found.t), 0))
        found.signals.update(_cut_forces(self.loops, found.q, columns))
        return replace(found, violation=largest_violation(self._plant, found.q, found.qd, found.t))

    def motion(self, t: Array, x: Array) -> Samples:
        """All coordinates, multipliers and efforts from states of the stepper."""
        parts = self.loops.partition
        n, m, nd, count = self._plant.n, len(parts.rows), len(parts.driven), len(t)
        out = [np.zeros((count, size)) for size in (n, n, n, m, nd)]
        arrays = [np.ascontiguousarray(t), np.ascontiguousarray(x), *out]
        name = f"{self._engine.unit.prefix}_expand"
        types = (POINTER, COUNT, *[POINTER] * len(arrays))
        call = self._engine.library.function(name, *types, returns=COUNT)
        good = call(self.look_context, count, *(a.ctypes.data for a in arrays))
        # a run that broke off at a singular position may end with a state that does not close
        q, qd, qdd, lam, effort = (a[:good] for a in out)
        t, x = t[:good], x[:good]
        names = self._plant.coordinates
        signals = {f"{names[k]}.qdd": qdd[:, k] for k in range(n)}
        signals |= {f"lam.{row}": lam[:, k] for k, row in enumerate(self.loops.row_names)}
        signals |= {f"{joint}.effort": effort[:, k] for k, joint in enumerate(self.loops.driven)}
        first = 2 * len(parts.independent)
        z = x[:, first : first + len(self._plant.mechanism.states)]
        signals |= _states(self._plant, z)
        return Samples(t, q, qd, z, signals, None, qdd)


def _states(plant: BarePlant, x: Array) -> dict[str, Array]:
    """Internal states of force laws by name: the first columns of x."""
    return {state.name: x[:, k] for k, state in enumerate(plant.mechanism.states)}


def _cut_forces(loops: Loops, q: Array, lam: Array) -> dict[str, Array]:
    """Forces, torques and tensions of the cuts by component: "<loop>.force.x"."""
    blocks = [loops.cut_forces(q[b], lam[b]) for b in _blocks(len(q))]
    signals: dict[str, Array] = {}
    for name in blocks[0] if blocks else ():
        values = np.concatenate([block[name] for block in blocks])
        if values.ndim == 1:
            signals[name] = values
        else:
            signals |= {f"{name}.{axis}": values[:, k] for k, axis in enumerate("xyz")}
    return signals


def _blocks(count: int) -> list[slice]:
    """Rows in blocks short enough that no vector code has to be compiled."""
    return [slice(k, k + 200) for k in range(0, count, 200)]


def largest_violation(plant: BarePlant, q: Array, qd: Array, t: Array) -> Array:
    """Largest constraint value at each sample, dropped rows included."""
    if not len(t):
        return np.zeros(0)
    values = [plant.evaluate("constraints", q=q[b], qd=qd[b], t=t[b])["h"] for b in _blocks(len(t))]
    return np.asarray(np.max(np.abs(np.concatenate(values)), axis=1, initial=0.0))


def prepared_for(plant: BarePlant, function: str) -> Prepared:
    """The prepared quantities of a function, in memory of their own."""
    engine = native_engine(plant, function)
    address = engine.library.address(f"{engine.unit.prefix}_prepare")
    return Prepared(address, np.array(plant.prepared(function)))


class _TreeContext(ctypes.Structure):
    """Mirrors `struct context` of the generated rates of a tree."""

    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in ("pre", "tau", "u", "inputs", "implicit_pre", "kept", "jacobian_pre")
    )


class _ClosedContext(ctypes.Structure):
    """Mirrors `struct context` of codegen/c_closed.py."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("pre", "tau", "u", "drives", "drive_pre")),
        *((name, ctypes.c_void_p) for name in ("q", "qd", "qdd", "guard", "per_unit")),
        ("tolerance", ctypes.c_double),
        ("farthest", ctypes.c_double),
        ("pull", ctypes.c_double),
        ("most_iterations", ctypes.c_int64),
        ("bad_row", ctypes.c_int64),
        ("inputs", ctypes.c_void_p),
        ("bad_drive", ctypes.c_int64),
        ("bad_t", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in ("settle", "rates", "at_q", "at_qd", "at_qdd")),
        *((name, ctypes.c_void_p) for name in ("implicit_pre", "kept", "jacobian_pre")),
    )
