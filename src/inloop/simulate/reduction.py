"""Rates of a mechanism with loops by reduction at run time, for any choice of coordinates.

The same rates as generated code has them for one choice, but from terms that hold for all: see
`native/runtime/il_reduction.h`. Nothing is derived or compiled when the choice changes.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inloop.native import COUNT, POINTER, REAL, System, address_of, load_runtime
from inloop.plant import Array, BarePlant, native_engine
from inloop.plant.loops import CLOSED, FARTHEST, MOST_ITERATIONS, NEARLY_CLOSED, WORST_PIVOT, Loops
from inloop.plant.reduction import TERMS, Partition, roles

OK = 0


@dataclass(frozen=True)
class Motion:
    """All about rows of states.

    Attributes:
        q, qd, qdd: all coordinates and their rates, shape (count, n).
        lam: multipliers of the rows in use, shape (count, m).
        effort: of the driven joints, shape (count, nd).
    """

    q: Array
    qd: Array
    qdd: Array
    lam: Array
    effort: Array


class ReductionSystem:
    """A mechanism with loops whose independent coordinates are chosen while it runs.

    Attributes:
        tau, u: efforts of the joints and inputs that the rates read.
        given: q, qd, qdd of driven joints where no function gives them, shape (3, n).
        guard: factors of the reciprocal pivots; zeros never end a run.
    """

    def __init__(self, plant: BarePlant, loops: Loops, drives: str | None = None) -> None:
        """Place the reduction, with the choice of the loops.

        Args:
            plant: the compiled mechanism.
            loops: its loops.
            drives: name of the function of the driven joints.
        """
        n, self._plant, self._loops = plant.n, plant, loops
        self.tau, self.u = np.zeros(n), np.array(plant.first_inputs)
        self.given, self.guard = np.zeros((3, n)), np.zeros(max(1, len(loops.closed.rows)))
        self._runtime = load_runtime()
        engine = native_engine(plant, TERMS)
        self._kept: list[object] = [engine.library, settled := np.zeros((3, n))]
        drive, drive_pre = 0, np.zeros(1)
        if drives is not None:
            source = native_engine(plant, drives)
            drive = source.library.address(f"{source.unit.prefix}_{drives}_motions")
            drive_pre = np.array(plant.prepared(drives))
            self._kept += [source.library, drive_pre]
        pre = np.array(plant.prepared(TERMS))
        tables = (pre, np.array(plant.coordinate_sizes), np.array(loops.row_sizes), roles(loops, n))
        self._kept += tables
        self._mechanism = _Mechanism(
            engine.library.address(f"{engine.unit.prefix}_terms"),
            *(table.ctypes.data for table in tables),
            loops.mobility.rank,
        )
        self.context = _Context(
            tau=self.tau.ctypes.data, u=self.u.ctypes.data, drives=drive,
            drives_self=drive_pre.ctypes.data, guard=self.guard.ctypes.data,
            tolerance=NEARLY_CLOSED, farthest=FARTHEST, most_iterations=MOST_ITERATIONS,
            settle=self._runtime.address("il_reduction_settle"),
            rates=self._runtime.address("il_reduction_rates"), bad_drive=-1,
        )  # fmt: skip
        for name, given, found in zip(("q", "qd", "qdd"), self.given, settled, strict=True):
            setattr(self.context, name, given.ctypes.data)
            setattr(self.context, f"at_{name}", found.ctypes.data)
        self.context.reduction = self._place()
        self.take(loops.partition)

    def _place(self) -> int:
        mechanism = ctypes.addressof(self._mechanism)
        measure = self._runtime.function("il_reduction_measure", POINTER, returns=ctypes.c_size_t)
        # aligned to lines of the cache
        memory = np.zeros(measure(mechanism) // 8 + 8)
        self._kept.append(memory)
        place = self._runtime.function("il_reduction_place", POINTER, POINTER, returns=POINTER)
        return int(place(mechanism, (memory.ctypes.data + 63) // 64 * 64))

    @property
    def partition(self) -> Partition:
        """The choice in use."""
        n, rows = self._plant.n, len(self._loops.closed.rows)
        order, used = np.zeros(n, dtype=np.int32), np.zeros(max(1, rows), dtype=np.int32)
        chosen = self._runtime.function("il_reduction_chosen", *[POINTER] * 3, returns=COUNT)
        m = chosen(self.context.reduction, order.ctypes.data, used.ctypes.data)
        driven = self._loops.driven_indices
        in_use = tuple(int(k) for k in used[:m])
        return Partition(
            independent=tuple(int(k) for k in order[m : n - len(driven)]),
            driven=driven,
            dependent=tuple(int(k) for k in order[:m]),
            rows=in_use,
            dropped=tuple(k for k in range(rows) if k not in in_use),
        )

    def take(self, parts: Partition) -> None:
        """Use a choice."""
        order: NDArray[np.int32] = np.array([*parts.dependent, *parts.independent, *parts.driven])
        order, rows = order.astype(np.int32), np.array(parts.rows, dtype=np.int32)
        take = self._runtime.function("il_reduction_take", POINTER, COUNT, POINTER, POINTER)
        take.restype = None
        take(self.context.reduction, len(parts.rows), order.ctypes.data, rows.ctypes.data)

    def choose(self, q: Array, t: float = 0.0) -> bool:
        """Choose at a closed position; False where the Jacobian has lost rank."""
        choose = self._runtime.function("il_reduction_choose", POINTER, REAL, POINTER)
        q = np.ascontiguousarray(q, dtype=np.float64)
        return bool(choose(ctypes.addressof(self.context), t, address_of(q)) == OK)

    def pivots(self, q: Array, t: float = 0.0) -> Array:
        """Reciprocal pivots of the choice at a position."""
        found = np.zeros(max(1, len(self._loops.closed.rows)))
        pivots = self._runtime.function("il_reduction_pivots", POINTER, REAL, POINTER, POINTER)
        pivots.restype = None
        q = np.ascontiguousarray(q, dtype=np.float64)
        pivots(ctypes.addressof(self.context), t, address_of(q), address_of(found))
        return found[: len(self.partition.rows)]

    def start(self, q: Array, qd: Array, z: Array, guarded: bool = True, t: float = 0.0) -> Array:
        """State of the stepper at a closed position, and what guards the choice from there on."""
        self.given[:2] = q, qd
        parts = self.partition
        self.guard[:] = 0.0
        if guarded:
            self.guard[: len(parts.rows)] = 1.0 / (WORST_PIVOT * self.pivots(q, t))
        u, v = list(parts.independent), list(parts.dependent)
        return np.concatenate([q[u], qd[u], z, q[v]])

    @property
    def system(self) -> System:
        """What the steppers integrate, for the choice in use."""
        parts = self.partition
        return System(
            rates=self.context.rates,
            n=len(parts.independent),
            m=len(self._plant.mechanism.states) + len(parts.dependent),
            context=ctypes.addressof(self.context),
            keep=self,
        )

    def rates(self, t: float, x: Array) -> Array:
        """Rates of a state; NaN where the loops cannot be closed."""
        xd = np.zeros(len(x))
        rates = self._runtime.function("il_reduction_rates", POINTER, REAL, POINTER, POINTER)
        status = rates(ctypes.addressof(self.context), t, address_of(x), address_of(xd))
        return xd if status == OK else np.full(len(x), np.nan)

    def expand(self, t: Array, x: Array) -> Motion:
        """All about states whose loops can be closed, to the last bit and unguarded."""
        parts, n, count = self.partition, self._plant.n, len(t)
        out = [np.zeros((count, size)) for size in (n, n, n, len(parts.rows), len(parts.driven))]
        arrays = [np.ascontiguousarray(t), np.ascontiguousarray(x), *out]
        look, no_guard = _Context.from_buffer_copy(self.context), np.zeros(len(self.guard))
        look.guard, look.tolerance = no_guard.ctypes.data, CLOSED
        types = (POINTER, COUNT, *[POINTER] * len(arrays))
        expand = self._runtime.function("il_reduction_expand", *types, returns=COUNT)
        good = expand(ctypes.addressof(look), count, *(a.ctypes.data for a in arrays))
        return Motion(*(a[:good] for a in out))


class _Mechanism(ctypes.Structure):
    """Mirrors il_mechanism."""

    _fields_ = (
        *(
            (name, ctypes.c_void_p)
            for name in ("terms", "pre", "coordinate_sizes", "row_sizes", "roles")
        ),
        ("rank", ctypes.c_int64),
    )


class _Context(ctypes.Structure):
    """Mirrors il_context."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("pre", "tau", "u", "inputs")),
        *((name, ctypes.c_void_p) for name in ("implicit_pre", "kept", "jacobian_pre")),
        *((name, ctypes.c_void_p) for name in ("drives", "drives_self", "q", "qd", "qdd")),
        ("bad_drive", ctypes.c_int64),
        ("bad_t", ctypes.c_double),
        ("guard", ctypes.c_void_p),
        ("tolerance", ctypes.c_double),
        ("farthest", ctypes.c_double),
        ("pull", ctypes.c_double),
        ("most_iterations", ctypes.c_int64),
        ("bad_row", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("settle", "rates", "at_q", "at_qd", "at_qdd")),
        ("reduction", ctypes.c_void_p),
    )
