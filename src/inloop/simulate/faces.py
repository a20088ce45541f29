"""A mode as the native runtime sees it: its rates, its events, and how others hand over to it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inloop.native import Mode, Transition, load_runtime
from inloop.plant import Array, BarePlant, Event, native_engine
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem, prepared_for

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
        self._engine = native_engine(plant, f"mode_energy{self._suffix}")
        self.prepared: Prepared = prepared_for(plant, f"mode_energy{self._suffix}")
        parts = self._loops.partition if self._loops is not None else None
        n, states = plant.n, len(plant.mechanism.states)
        roles = (parts.independent, parts.dependent, parts.driven) if parts else ((), (), ())
        self._roles = [np.array([*role, 0], dtype=np.int64) for role in roles]
        rows = len(roles[1])
        sizes = (n, n, n, rows, len(roles[2]), states, self._largest())
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
            system=replace(self.system.system, keep=kept),
            indicators=runtime.address("il_face_indicators") if events else 0,
            context=self.address,
            count=len(events),
            tolerances=tuple(event.tolerance for event in events),
            transitions=tuple(transitions),
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
        impact = 0 if event.impact is None else faces[event.impact].address
        formula = self._formula(f"{kind}_{event.name}")
        return _Handover(self.address, target.address, impact, formula, k, plastic)

    def impulses(self, q: Array, qd: Array, t: float) -> dict[str, float]:
        """Impulses of the constraints that would make velocities fit this mode, by row."""
        if self._loops is None:
            return {}
        found = self.plant.evaluate(f"project{self._suffix}", q=q, qd=qd, t=t)["impulse"]
        return dict(zip(self._loops.row_names, map(float, found), strict=True))


class _Face(ctypes.Structure):
    """Mirrors il_face."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("expand", "context", "events", "project")),
        *((name, ctypes.c_void_p) for name in ("energy", "pre", "u")),
        *((name, ctypes.c_void_p) for name in ("independent", "dependent", "driven")),
        *((name, ctypes.c_int64) for name in ("n", "states", "independent_count")),
        *((name, ctypes.c_int64) for name in ("dependent_count", "driven_count", "event_count")),
        *((name, ctypes.c_void_p) for name in ("q", "qd", "qdd", "lam", "effort", "z", "out")),
    )


class _Handover(ctypes.Structure):
    """Mirrors il_handover."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("source", "target", "impact", "next")),
        ("event", ctypes.c_int64),
        ("plastic", ctypes.c_int64),
    )
