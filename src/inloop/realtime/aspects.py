"""A plant in one mode, with one choice of independent coordinates, as the loop sees it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from inloop.native import address_of
from inloop.native.library import Reals
from inloop.native.mailbox_structure import AspectStructure, ViewStructure
from inloop.plant import BarePlant, native_engine
from inloop.realtime.layout import Layout, names
from inloop.simulate.systems import ClosedSystem, Prepared, TreeSystem, prepared_for

MODE, EVENTS = "mode", "events"  # signals of a plant with events
_NOT_THERE, _NO_FORCE = np.array([math.nan]), np.zeros(1)


class Aspect:
    """What the loop reads and changes while a mode, or a choice of coordinates, is in use.

    Attributes:
        system: what is integrated.
        prepared: what follows from parameters.
        signals: address of each signal by name.
        guard: factors of pivots; None if the independent coordinates stay the same.
    """

    def __init__(
        self, plant: BarePlant, system: TreeSystem | ClosedSystem, x: Reals, chooses: bool
    ) -> None:
        """Addresses of all that a plant tells.

        Args:
            plant: the equations.
            system: what is integrated.
            x: its state, in memory that stays.
            chooses: the loop may go on with other independent coordinates.
        """
        self.system, self._plant, self._x = system, plant, x
        self.prepared: tuple[Prepared, ...] = system.prepared
        self.guard = system.guard if chooses else None
        self._outputs = np.zeros(max(1, len(plant.mechanism.law_outputs)))
        self.signals: dict[str, int] = {}
        if isinstance(system, ClosedSystem):
            parts = system.loops.partition
            self._first = 2 * len(parts.independent)
            self._roles = [np.array(r, np.int64) for r in (parts.independent, parts.dependent)]
            self._places = (address(system.q), address(system.qd))
            self._forces = (address(system.lam), address(system.effort))
            self.signals |= _named([f"{c}.qdd" for c in plant.coordinates], system.qdd)
            self.signals |= _named([f"lam.{row}" for row in system.loops.row_names], system.lam)
            driven = [f"{joint}.effort" for joint in system.loops.driven]
            self.signals |= _named(driven, system.effort)
        else:
            self._first = 2 * plant.n
            self._roles = [np.zeros(0, np.int64)] * 2
            self._places = (address(x), address(x, plant.n))
            self._forces = (address(_NO_FORCE), address(_NO_FORCE))
        self._observe = 0
        self._view = ViewStructure()
        if plant.mechanism.law_outputs:
            self._observe_laws()

    def _observe_laws(self) -> None:
        """Let the loop find what the force laws make known."""
        engine = native_engine(self._plant, "law_outputs")
        self._observe = engine.library.address(f"{engine.unit.prefix}_law_outputs_formula")
        found = prepared_for(self._plant, "law_outputs")
        self.prepared += (found,)
        ends = (*self._places, *self._forces, address(self._x, self._first))
        self._view = ViewStructure(address(found.values), address(self.system.u), 0.0, *ends)
        outputs = (output.name for output in self._plant.mechanism.law_outputs)
        self.signals |= _named(outputs, self._outputs)

    def sources(self, layout: Layout, told: Reals) -> tuple[int, ...]:
        """Where q, qd, z and signals of the plant are found; what this mode does not have is NaN.

        Args:
            layout: all outputs, of all modes.
            told: where the loop leaves the number of the mode and of events.
        """
        mine = self._plant.coordinates
        known = {state.name: k for k, state in enumerate(self._plant.mechanism.states)}
        # a row that another choice of coordinates uses carries no force here
        rows = () if self._plant.loops is None else self._plant.loops.all_row_names
        signal = {f"lam.{row}": address(_NO_FORCE) for row in rows}
        signal |= {**self.signals, MODE: address(told), EVENTS: address(told, 1)}
        nothing = address(_NOT_THERE)
        places = [
            place + 8 * mine.index(name) if name in mine else nothing
            for place in self._places
            for name in names(layout.coordinates)
        ]
        places += [
            address(self._x, self._first + known[name]) if name in known else nothing
            for name in names(layout.states)
        ]
        return (*places, *(signal.get(name, nothing) for name in names(layout.signals)))

    def _outputs_of(self, layout: Layout) -> NDArray[np.int64]:
        """Number of the output that each entry of x is; 0 for what is none."""
        number = {name: k for k, name in enumerate(layout.output_names)}
        words = (
            "" if entry is None else f"{entry[0]}.{'qd' if entry[1] else 'q'}"
            for entry in self.system.watched.entries
        )
        return np.array([number.get(word, 0) for word in words] or [0], np.int64)

    def structure(self, layout: Layout, sources: tuple[int, ...]) -> AspectStructure:
        """The same as il_aspect."""
        self._numbers = self._outputs_of(layout)
        self._sources = (ctypes.c_void_p * max(1, len(sources)))(*sources)
        made = AspectStructure(
            system=self.system.system.structure(),
            sources=ctypes.addressof(self._sources),
            observe=self._observe or None,
            view=self._view,
            observed=address(self._outputs),
            places=self._numbers.ctypes.data,
        )
        system = self.system
        if isinstance(system, ClosedSystem):
            made.expand, made.context = system.expand_address, system.look_context
            found = (system.q, system.qd, system.qdd, system.lam, system.effort)
            made.expanded[:] = [address(array) for array in found]
            if self.guard is not None:
                made.independent, made.dependent = (role.ctypes.data for role in self._roles)
                made.dependent_count = len(self._roles[1])
                made.guard, made.tolerance = address(system.guard_view), system.tolerance_address
                made.pivots = system.pivots_address
        return made


def address(array: Reals, k: int = 0) -> int:
    """Of entry k."""
    return address_of(array) + 8 * k


def _named(names: Iterable[str], array: Reals) -> Mapping[str, int]:
    return {name: address(array, k) for k, name in enumerate(names)}
