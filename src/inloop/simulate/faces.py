"""A mode as the native runtime sees it: its rates, its events, and how others hand over to it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.native import Mode, Transition, load_runtime
from inloop.plant import Array, BarePlant, Event, native_engine
from inloop.simulate.scales import function_of
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem, prepared_for

Integers = np.ndarray[Any, np.dtype[np.int64]]
ZERO = 1e-9  # of the natural size of an indicator: less is zero
DIRECTIONS = {"falls": -1, "rises": 1, "either": 0}


class Face:
    """The C structures of one mode.

    Attributes:
        plant: equations of the mode.
        system: what its stepper integrates.
        name: name of the mode.
        prepared: what its events read that follows from parameters.
    """

    def __init__(self, name: str, plant: BarePlant, system: TreeSystem | ClosedSystem) -> None:
        self.name, self.plant, self.system = name, plant, system
        self._loops = system.loops if isinstance(system, ClosedSystem) else None
        self._suffix = self._loops.function("") if self._loops is not None else ""
        self._places: list[Integers] = []
        self._engine = native_engine(plant, f"mode_energy{self._suffix}")
        self.prepared: Prepared = prepared_for(plant, f"mode_energy{self._suffix}")
        parts = self._loops.partition if self._loops is not None else None
        n, states = plant.n, len(plant.mechanism.states)
        roles = (parts.independent, parts.dependent, parts.driven) if parts else ((), (), ())
        self._roles = [np.array([*role, 0], dtype=np.int64) for role in roles]
        rows = len(roles[1])
        sizes = (n, n, n, rows, len(roles[2]), states, rows, self._largest())
        self._memory = [np.zeros(size + 1) for size in sizes]
        expand = 0
        if isinstance(system, ClosedSystem):
            expand = system.expand_address
        events = plant.mechanism.events
        self.structure = _Face(
            expand,
            system.system.context,
            self._formula("indicators") if events else 0,
            self._formula("project") if parts is not None else 0,
            self._formula("mode_energy"),
            self.prepared.values.ctypes.data,
            system.u.ctypes.data,
            *(role.ctypes.data for role in self._roles),
            n,
            states,
            *(len(role) for role in roles),
            len(events),
            *(array.ctypes.data for array in self._memory),
        )

    @property
    def address(self) -> int:
        """Of the C structure."""
        return ctypes.addressof(self.structure)

    def _formula(self, program: str) -> int:
        name = f"{self._engine.unit.prefix}_{program}{self._suffix}_formula"
        return self._engine.library.address(name)

    def _largest(self) -> int:
        """Numbers that a formula of the mode may return, and room for velocities behind them."""
        outputs = [sum(len(o.exprs) for o in p.outputs) for p in self._engine.unit.programs]
        return max(outputs) + 3 * self.plant.n

    def mode(self, faces: Mapping[str, Face]) -> Mode:
        """What the machine runs while this mode lasts."""
        events = self.plant.mechanism.events
        numbers = {name: k for k, name in enumerate(faces)}
        kept: list[object] = [self, self.system.system.keep]
        transitions = [
            self._transition(k, event, faces, numbers, kept) for k, event in enumerate(events)
        ]
        runtime = load_runtime()
        return Mode(
            system=replace(self.system.system, keep=kept, sizes=self.system.scales.sizes),
            indicators=runtime.address("il_face_indicators") if events else 0,
            context=self.address,
            count=len(events),
            tolerances=self._tolerances() if events else (),
            transitions=tuple(transitions),
        )

    def _tolerances(self) -> tuple[float, ...]:
        """What counts as zero of each indicator: as written, or a small part of its size."""
        events, scales = self.plant.mechanism.events, self.system.scales
        if all(event.tolerance is not None for event in events):
            return tuple(event.tolerance or 0.0 for event in events)
        address = load_runtime().address("il_face_indicators")
        with self.system.at_start():
            sizes = scales.of(function_of(address, self.address, len(events)))
        known = np.ones(len(events)) if sizes is None else np.where(sizes > 0.0, sizes, 1.0)
        return tuple(
            float(ZERO * size if event.tolerance is None else event.tolerance)
            for event, size in zip(events, known, strict=True)
        )

    def _transition(
        self,
        k: int,
        event: Event,
        faces: Mapping[str, Face],
        numbers: Mapping[str, int],
        kept: list[object],
    ) -> Transition:
        jump = load_runtime().address("il_hand_over")
        arrival = self._handover("to", k, event, faces[event.to], faces, False)
        kept.append(arrival)
        settle = None
        if event.settles_in is not None:
            settle = self._handover("settle", k, event, faces[event.settles_in], faces, True)
            kept.append(settle)
        return Transition(
            indicator=k,
            direction=DIRECTIONS[event.direction],
            target=numbers[event.to],
            jump=jump,
            context=ctypes.addressof(arrival),
            settles_in=None if event.settles_in is None else numbers[event.settles_in],
            settle=jump if settle is not None else 0,
            settle_context=ctypes.addressof(settle) if settle is not None else 0,
        )

    def _handover(
        self,
        kind: str,
        k: int,
        event: Event,
        target: Face,
        faces: Mapping[str, Face],
        plastic: bool,
    ) -> _Handover:
        formula = self._formula(f"{kind}_{event.name}")
        if event.impact is None:
            return _Handover(self.address, target.address, 0, formula, 0, k, plastic)
        impact = faces[event.impact]
        rows = self._restitution_places(k, event, impact)
        self._places.append(rows)
        at = (self.address, target.address, impact.address, formula, rows.ctypes.data)
        return _Handover(*at, k, plastic)

    def _restitution_places(self, k: int, event: Event, impact: Face) -> Integers:
        """Where `indicators` tells the restitution of each row of an impact."""
        common, first = len(self.plant.mechanism.events) + k, self._first_own(k)
        own = impact.rows_named(event)
        places = [first + own[row] if row in own else common for row in impact.rows]
        return np.array([*places, 0], dtype=np.int64)

    def _first_own(self, k: int) -> int:
        """Where `indicators` begins to tell restitutions of single rows of an event."""
        events = self.plant.mechanism.events
        return 2 * len(events) + sum(len(event.row_restitution) for event in events[:k])

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the constraint rows in use."""
        return self._loops.row_names if self._loops is not None else ()

    def rows_named(self, event: Event) -> dict[str, int]:
        """Of rows in use that have a restitution of their own, which one of the event it is.

        Raises:
            InputError: a restitution belongs to no row, or to one that is not in use.
        """
        every = self._loops.all_row_names if self._loops is not None else ()
        found: dict[str, int] = {}
        for number, (name, _) in enumerate(event.row_restitution):
            meant = [row for row in every if name in (row, row.rpartition(".")[0])]
            lost = [row for row in meant if row not in self.rows]
            if not meant:
                raise InputError(
                    f"event '{event.name}': mode '{self.name}' has no constraint '{name}' that a "
                    "restitution could belong to",
                    fix=f"It has: {', '.join(self.rows) or 'none'}.",
                )
            if lost:
                raise InputError(
                    f"event '{event.name}': row '{lost[0]}' follows from others of mode "
                    f"'{self.name}', so that it can have no restitution of its own",
                    fix=f"Give one to rows among: {', '.join(self.rows)}.",
                )
            found |= dict.fromkeys(meant, number)
        return found

    def row_restitutions(self, k: int, impact: Face) -> dict[str, float]:
        """Restitutions of single rows of an impact, with which event k of this mode ends it."""
        own = impact.rows_named(self.plant.mechanism.events[k])
        if not own:
            return {}
        # they follow from parameters and inputs, whatever the motion
        name = f"indicators{self._suffix}"
        blocks = self._engine.unit.find(name).inputs[1:]
        given = {block.name: np.zeros(len(block.symbols)) for block in blocks}
        if "u" in given:
            given["u"] = self.system.u[: len(given["u"])]
        found = self.plant.evaluate(name, **given)["er"]
        first = self._first_own(k) - 2 * len(self.plant.mechanism.events)
        return {row: float(found[first + number]) for row, number in own.items()}

    def impulses(self, q: Array, qd: Array, t: float, e: Mapping[str, float]) -> dict[str, float]:
        """Impulses of the constraints when velocities run into this mode, by row.

        Args:
            q: coordinates.
            qd: velocities before.
            t: time [s].
            e: restitution of each row.
        """
        if self._loops is None:
            return {}
        given = np.array([e[row] for row in self.rows])
        name = f"project{self._suffix}"
        found = self.plant.evaluate(name, q=q, qd=qd, t=t, e=given)["impulse"]
        return dict(zip(self.rows, map(float, found), strict=True))


class _Face(ctypes.Structure):
    """Mirrors il_face."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("expand", "context", "events", "project")),
        *((name, ctypes.c_void_p) for name in ("energy", "pre", "u")),
        *((name, ctypes.c_void_p) for name in ("independent", "dependent", "driven")),
        *((name, ctypes.c_int64) for name in ("n", "states", "independent_count")),
        *((name, ctypes.c_int64) for name in ("dependent_count", "driven_count", "event_count")),
        *((name, ctypes.c_void_p) for name in ("q", "qd", "qdd", "lam", "effort", "z", "e")),
        ("out", ctypes.c_void_p),
    )


class _Handover(ctypes.Structure):
    """Mirrors il_handover."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("source", "target", "impact", "next")),
        ("rows", ctypes.c_void_p),
        ("event", ctypes.c_int64),
        ("plastic", ctypes.c_int64),
    )
