"""Whether the loops of a plant can close with other values of its parameters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inloop.errors import InputError
from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import descend, nearest, smallest_gap
from inloop.plant.formulation.positions.closure import Gap, free_of
from inloop.plant.formulation.positions.mobility import explore

if TYPE_CHECKING:
    from inloop.plant.equations import Equations
    from inloop.plant.formulation.reduced_loops import ReducedLoops


@dataclass(frozen=True)
class Closing:
    """What becomes of the loops with other parameters.

    Attributes:
        q: the closed position, or the one with the smallest gap.
        gap: what stays open; None if the loops close.
        locked: name of a loop whose dropped rows would no longer follow from the others, so that
            the mechanism would lose degrees of freedom; empty if there is none.
    """

    q: Array
    gap: Gap | None = None
    locked: str = ""

    @property
    def closes(self) -> bool:
        """Whether the mechanism can go on with these parameters."""
        return self.gap is None and not self.locked

    def __str__(self) -> str:
        if self.gap is not None:
            return f"loop '{self.gap.loop}' cannot close, {self.gap}"
        if self.locked:
            return f"loop '{self.locked}' would lock the mechanism"
        return "the loops close"


def closing_with(
    loops: ReducedLoops, values: Array, q: Array, t: float = 0.0, *, from_rest: bool = False
) -> Closing:
    """Try to close the loops with other parameters; the plant keeps its own.

    Args:
        loops: of a mechanism.
        values: of all live parameters, in the order of `plant.parameters`.
        q: the position to go on from.
        t: time [s].
        from_rest: no run is under way, so that independent coordinates may move as well; drives
            stay where they are.
    """
    closure = loops.positions.closure_with(np.asarray(values, dtype=np.float64), t)
    driven = list(loops.partition.driven)
    held = [*driven, *loops.partition.independent]
    found = descend(closure, np.array(q, dtype=np.float64), free_of(closure.count, held))
    if not found.closed and from_rest:
        held = driven
        found = nearest(closure, q, held)
    found = found if found.closed else smallest_gap(closure, found, held)
    if not found.closed:
        return Closing(found.q, closure.gap(found.q))
    if len(loops.partition.dropped) and explore(closure, found).rank > len(loops.partition.rows):
        return Closing(found.q, locked=loops.dropped_loop)
    return Closing(found.q)


def refuse_what_cannot_close(
    loops: ReducedLoops, equations: Equations, names: Collection[str], values: Array
) -> None:
    """Check new values of parameters before they are taken.

    Args:
        loops: of a mechanism at rest.
        equations: of the mechanism.
        names: of the parameters that change.
        values: of all live parameters.

    Raises:
        InputError: the loops cannot close; says which, and by how much.
    """
    if not set(names) & loops.positions.geometric_parameters:
        return
    found = closing_with(loops, values, loops.positions.home(values), from_rest=True)
    if found.closes:
        return
    index = {p.name: k for k, p in enumerate(equations.parameters.declared)}
    shown = ", ".join(f"'{name}' = {values[index[name]]:.6g}" for name in names)
    raise InputError(
        f"model '{equations.name}': with parameter {shown} {found}",
        fix="Nothing was changed. Set values that depend on each other together: "
        "plant.parameters.update(...).",
    )
