"""What a stepper integrates: the rates of a plant with everything they read during a run."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from inloop.errors import InputError
from inloop.native import COUNT, POINTER, System
from inloop.plant import Array, BarePlant, NativeEngine
from inloop.plant.loops import CLOSED, MOST_ITERATIONS, NEARLY_CLOSED, Loops


@dataclass(frozen=True)
class Samples:
    """All coordinates at the samples of a run, and what the loops and drives do there.

    Attributes:
        t: times, shape (N,).
        q, qd: shape (N, n).
        z: states of force laws, shape (N, m).
        signals: multipliers, efforts of drives, by name; shape (N,) each.
        violation: largest constraint value [m or rad], shape (N,).
    """

    t: Array
    q: Array
    qd: Array
    z: Array
    signals: dict[str, Array] = field(default_factory=dict)
    violation: Array | None = None

    def cut(self, begin: int, end: int) -> Samples:
        """Samples from `begin` up to, not including, `end`."""
        rows = slice(begin, end)
        signals = {name: values[rows] for name, values in self.signals.items()}
        violation = None if self.violation is None else self.violation[rows]
        return Samples(self.t[rows], self.q[rows], self.qd[rows], self.z[rows], signals, violation)


def joined(pieces: Sequence[Samples], spacing: float) -> Samples:
    """Samples of a run in pieces, at multiples of `spacing` [s].

    The first sample of each further piece repeats the last one of the piece before, which is
    where the independent coordinates changed: a sample of its own only if its time is wanted.
    """
    if len(pieces) == 1:
        return pieces[0]
    tails = []
    for k, piece in enumerate(pieces):
        count = len(piece.t)
        inner = k < len(pieces) - 1
        wanted = not inner or abs(math.remainder(float(piece.t[-1]), spacing)) < 1e-9 * spacing
        tails.append(piece.cut(0 if k == 0 else 1, count if wanted else count - 1))
    names = dict.fromkeys(name for piece in tails for name in piece.signals)
    # a row that a partition does not use carries no force there
    signals = {
        name: np.concatenate([p.signals.get(name, np.zeros(len(p.t))) for p in tails])
        for name in names
    }
    violations = [p.violation for p in tails if p.violation is not None]
    return Samples(
        np.concatenate([p.t for p in tails]),
        np.concatenate([p.q for p in tails]),
        np.concatenate([p.qd for p in tails]),
        np.concatenate([p.z for p in tails]),
        signals,
        np.concatenate(violations) if violations else None,
    )


@dataclass(frozen=True)
class Prepared:
    """Prepared quantities of a run, and how to compute them anew when parameters change.

    Attributes:
        function: address of `prepare(parameters, values)`.
        values: its results, which the rates read.
    """

    function: int
    values: Array


class TreeSystem:
    """A mechanism without loops: x = (q, qd, z).

    Attributes:
        system: what the steppers integrate.
        prepared: what follows from parameters.
    """

    limits: Array | None = None

    def __init__(self, plant: BarePlant, tau: Array, u: Array) -> None:
        engine = native_engine(plant, "direct_dynamics")
        prepared = prepared_for(plant, "direct_dynamics")
        context = _TreeContext(prepared.values.ctypes.data, tau.ctypes.data, u.ctypes.data)
        self.prepared: tuple[Prepared, ...] = (prepared,)
        self._plant = plant
        self.system = System(
            rates=engine.library.address(f"{engine.unit.prefix}_rates"),
            n=plant.n,
            m=len(plant.mechanism.states),
            context=ctypes.addressof(context),
            keep=(engine.library, context, prepared, tau, u),
        )

    def start(self, q: Array, qd: Array, z: Array, guarded: bool = True) -> Array:
        """State of the stepper; z are the states of force laws."""
        del guarded
        return np.concatenate([q, qd, z])

    def expand(self, t: Array, x: Array) -> Samples:
        """All coordinates from states of the stepper."""
        n = self._plant.n
        z = x[:, 2 * n :]
        return Samples(t, x[:, :n], x[:, n : 2 * n], z, _states(self._plant, z))


class ClosedSystem:
    """A mechanism with loops or drives: x holds the independent coordinates.

    Attributes:
        system: what the steppers integrate.
        prepared: what follows from parameters.
        q, qd, qdd: all coordinates and their rates where the rates were called last.
        lam, effort: multipliers of the rows and efforts of the drives there.
        limits_view: reciprocal pivots beyond which the rates say LOOP_OPEN, as they read them.
        pivots: address of the C function that gives the pivots at a position.
    """

    @property
    def limits(self) -> Array | None:
        """Reciprocal pivots beyond which the independent coordinates are a bad choice."""
        return self._limits.copy()

    @limits.setter
    def limits(self, values: Array | None) -> None:
        if values is not None:
            self._limits[:] = values

    def __init__(
        self,
        plant: BarePlant,
        loops: Loops,
        tau: Array,
        u: Array,
        drives: str | None,
    ) -> None:
        self._plant, self._loops = plant, loops
        function = loops.function("constrained")
        self._engine = native_engine(plant, function)
        prefix = self._engine.unit.prefix
        parts = loops.partition
        n, m, nd = plant.n, len(parts.rows), len(parts.driven)
        sizes = (n, n, n, max(1, m), max(1, nd))
        self._arrays = [np.zeros(size) for size in sizes]
        self.q, self.qd, self.qdd, self.lam, self.effort = self._arrays
        prepared = prepared_for(plant, function)
        self.prepared: tuple[Prepared, ...] = (prepared,)
        self._limits = np.full(max(1, m), np.inf)
        self.limits_view = self._limits
        self.pivots = self._engine.library.address(f"{prefix}_pivots")
        drive, drive_pre = 0, np.zeros(1)
        if drives is not None:
            source = native_engine(plant, drives)
            drive = source.library.address(f"{source.unit.prefix}_{drives}")
            moving = prepared_for(plant, drives)
            drive_pre = moving.values
            self.prepared = (prepared, moving)
        self._context = _ClosedContext(
            prepared.values.ctypes.data,
            tau.ctypes.data,
            u.ctypes.data,
            drive,
            drive_pre.ctypes.data,
            *(a.ctypes.data for a in self._arrays),
            self._limits.ctypes.data,
            NEARLY_CLOSED,
            MOST_ITERATIONS,
            0,
            0.0,
        )
        held = (tau, u, drive_pre)
        address = self._engine.library.address
        self.system = System(
            rates=address(f"{prefix}_rates"),
            n=len(parts.independent),
            m=len(plant.mechanism.states) + len(parts.dependent),
            context=ctypes.addressof(self._context),
            keep=(self._engine.library, self._context, self._arrays, self._limits, prepared, held),
        )

    def start(self, q: Array, qd: Array, z: Array, guarded: bool = True) -> Array:
        """State of the stepper: independent coordinates, states of laws, dependent coordinates.

        Args:
            q: closed position.
            qd: velocities that fit it.
            z: states of force laws.
            guarded: let the run end when the independent coordinates become a bad choice.
        """
        self._arrays[0][:], self._arrays[1][:], self._arrays[2][:] = q, qd, 0.0
        parts = self._loops.partition
        self._context.tolerance = NEARLY_CLOSED
        if parts.dependent:
            self._limits[:] = self._loops.limits(q) if guarded else np.inf
        u, v = list(parts.independent), list(parts.dependent)
        return np.concatenate([q[u], qd[u], z, q[v]])

    def expand(self, t: Array, x: Array) -> Samples:
        """All coordinates, multipliers and efforts from states of the stepper."""
        self._limits[:], self._context.tolerance = np.inf, CLOSED
        parts = self._loops.partition
        n, m, nd, count = self._plant.n, len(parts.rows), len(parts.driven), len(t)
        out = [np.zeros((count, size)) for size in (n, n, n, m, nd)]
        arrays = [np.ascontiguousarray(t), np.ascontiguousarray(x), *out]
        name = f"{self._engine.unit.prefix}_expand"
        types = (POINTER, COUNT, *[POINTER] * len(arrays))
        call = self._engine.library.function(name, *types, returns=COUNT)
        good = call(ctypes.addressof(self._context), count, *(a.ctypes.data for a in arrays))
        # a run that broke off at a singular position may end with a state that does not close
        q, qd, qdd, lam, effort = (a[:good] for a in out)
        t, x = t[:good], x[:good]
        names = self._plant.coordinates
        signals = {f"{names[k]}.qdd": qdd[:, k] for k in range(n)}
        signals |= {f"lam.{row}": lam[:, k] for k, row in enumerate(self._loops.row_names)}
        signals |= {f"{joint}.effort": effort[:, k] for k, joint in enumerate(self._loops.driven)}
        first = 2 * len(parts.independent)
        z = x[:, first : first + len(self._plant.mechanism.states)]
        signals |= _states(self._plant, z)
        return Samples(t, q, qd, z, signals, _violation(self._plant, q, qd, t))


def _states(plant: BarePlant, x: Array) -> dict[str, Array]:
    """Internal states of force laws by name: the first columns of x."""
    return {state.name: x[:, k] for k, state in enumerate(plant.mechanism.states)}


def _violation(plant: BarePlant, q: Array, qd: Array, t: Array) -> Array:
    """Largest constraint value at each sample, dropped rows included."""
    blocks = [slice(k, k + 200) for k in range(0, len(t), 200)]
    values = [plant.evaluate("constraints", q=q[b], qd=qd[b], t=t[b])["h"] for b in blocks]
    return np.asarray(np.max(np.abs(np.concatenate(values)), axis=1, initial=0.0))


def prepared_for(plant: BarePlant, function: str) -> Prepared:
    """The prepared quantities of a function, in memory of their own."""
    engine = native_engine(plant, function)
    address = engine.library.address(f"{engine.unit.prefix}_prepare")
    return Prepared(address, np.array(plant.prepared(function)))


def native_engine(plant: BarePlant, function: str) -> NativeEngine:
    """The library of a function; simulation needs one."""
    engine = plant._engine(function)
    if not isinstance(engine, NativeEngine):
        raise InputError(
            "simulation needs native code", fix="Install a C compiler, or pip install inloop[cc]."
        )
    return engine


class _TreeContext(ctypes.Structure):
    """Mirrors `struct context` of the generated rates of a tree."""

    _fields_ = (("pre", ctypes.c_void_p), ("tau", ctypes.c_void_p), ("u", ctypes.c_void_p))


class _ClosedContext(ctypes.Structure):
    """Mirrors `struct context` of codegen/c_closed.py."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("pre", "tau", "u", "drives", "drive_pre")),
        *((name, ctypes.c_void_p) for name in ("q", "qd", "qdd", "lam", "effort", "limits")),
        ("tolerance", ctypes.c_double),
        ("most_iterations", ctypes.c_int64),
        ("iterations", ctypes.c_int64),
        ("residual", ctypes.c_double),
    )
