"""Keep what a person said about the start of a closed mechanism, as far as the loops allow.

Some values must be kept: those of drives, and those given for a run. Others are kept where that is
possible, in their order. What is given twice, such as all angles of a four-bar, may differ by the
rounding of data; the first ones are then kept to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inloop.errors import ModelError
from inloop.model import Mechanism
from inloop.plant.engine import Array
from inloop.plant.formulation.positions.assembly import (
    Assembly,
    cannot_close,
    nearest,
    smallest_gap,
)
from inloop.plant.formulation.positions.closure import Closure, free_of

if TYPE_CHECKING:
    from inloop.plant.equations import Equations

DATA_ROUNDING = 1e-6  # in units of rows and coordinates, and of the largest velocity
DEPENDENT = 1e-9  # what is left of a row that others determine
# what is left of a direction at a dead point, where positions are known to the root of a last bit
NO_DIRECTION = 1e-6
STIFF = 1e-4  # singular values below this part of the largest are no good to rely on


@dataclass(frozen=True)
class KeptPositions:
    """A closed position.

    Attributes:
        found: the position.
        changed: coordinates that could not be kept.
    """

    found: Assembly
    changed: tuple[int, ...]


def keep_positions(
    closure: Closure,
    wish: Array,
    must: Sequence[int],
    wanted: Sequence[int],
    model: str,
    near: Array | None = None,
) -> KeptPositions:
    """Close the loops and keep coordinates where they are, but for the rounding of data.

    Args:
        closure: the loops.
        wish: where coordinates are.
        must: those that do not move, the most important first.
        wanted: those that shall not move, the most important first.
        model: name of the model, for messages.
        near: a position with `must` where they are, to start from; the wish by default.

    Raises:
        ModelError: the loops cannot close with those that do not move.
    """
    start = wish if near is None else near
    found = _held(closure, _put_back(closure, start, wish, wanted), [*must, *wanted])
    if found.closed:
        return KeptPositions(found, ())
    # the same search, where no more than those was asked for
    held, at = list(must), _held(closure, start, must) if wanted else found
    at = at if at.closed else smallest_gap(closure, at, must)
    if not at.closed:
        raise cannot_close(closure.gap(at.q), model)
    # keep each one that goes with those before
    for k in wanted:
        trial = _held(closure, _put_back(closure, at.q, wish, [k]), [*held, k])
        if trial.closed:
            held, at = [*held, k], trial
    return KeptPositions(at, _moved(closure, at.q, wish, wanted))


def _put_back(closure: Closure, q: Array, wish: Array, which: Sequence[int]) -> Array:
    """A position with some coordinates where they were wished, to the last bit."""
    back = np.zeros(closure.count)
    back[list(which)] = closure.difference(wish, q)[list(which)]
    result = closure.moved(q, back)
    result[list(which)] = wish[list(which)]
    return result


def _held(closure: Closure, wish: Array, fixed: Sequence[int]) -> Assembly:
    """A closed position with coordinates where they are, but for the rounding of data.

    Where there is none, the nearest to one with coordinates exactly there.
    """
    found = nearest(closure, wish, fixed, enough=DATA_ROUNDING)
    if found.closed or found.residual > DATA_ROUNDING:
        return found
    # more was said than there are degrees of freedom, and it agrees
    again = nearest(closure, found.q, _independent(closure.on_positions(found.J), fixed))
    return again if again.closed and not _moved(closure, again.q, wish, fixed) else found


def _independent(J: Array, fixed: Sequence[int]) -> list[int]:
    """Those coordinates, the first ones first, that can be held without holding the loops open."""
    free = free_of(J.shape[1], ())
    rank, kept = _rank(J), []
    for k in fixed:
        free[k] = False
        if _rank(J[:, free]) == rank:
            kept.append(k)
        else:
            free[k] = True
    return kept


def _rank(J: Array) -> int:
    if J.size == 0:
        return 0
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(sizes > STIFF * sizes.max()))


def declared_positions(mechanism: Mechanism, driven: Collection[int]) -> tuple[int, ...]:
    """Coordinates whose first position the user wrote, the most important first.

    What was given after the model was written comes before all, then wished independent ones.

    Args:
        mechanism: the model.
        driven: coordinates about which drives decide.
    """
    given = [k for k, b in enumerate(mechanism.bodies) if b.joint.declared[0]]
    given = [k for k in given if k not in driven]
    moving = [k for k in given if mechanism.bodies[k].joint.initial[1] != 0.0]
    wish = [k for k in mechanism.independent if k in given]
    started = [k for k in mechanism.started if k in given]
    return tuple(dict.fromkeys([*started, *wish, *moving, *given]))


def _moved(closure: Closure, q: Array, wish: Array, wanted: Sequence[int]) -> tuple[int, ...]:
    way = np.abs(closure.difference(q, wish))
    place = np.abs(wish[: closure.count]) / closure.coordinate_sizes
    return tuple(k for k in wanted if way[k] > 10.0 * DATA_ROUNDING * (1.0 + place[k]))


def moved(plant: Equations, wish: Array, q: Array, changed: Sequence[int]) -> tuple[str, ...]:
    """Declared positions that were not kept, in words."""
    found, declared = in_words(plant, q, changed), in_words(plant, wish, changed)
    return tuple(f"'{name}' starts at {found[name]}, declared {declared[name]}" for name in found)


def in_words(plant: Equations, q: Array, which: Iterable[int]) -> dict[str, str]:
    """Positions by name; of a body on a ball joint, whichever turn is meant, its quaternion."""
    turning = {k: j for j, a in enumerate(plant.mechanism.attitudes) for k in a.bodies}
    words: dict[str, str] = {}
    for k in which:
        if k in turning:
            first = plant.n + 4 * turning[k]
            numbers = ", ".join(f"{x:.6g}" for x in q[first : first + 4])
            words[plant.mechanism.attitudes[turning[k]].name] = f"({numbers})"
        else:
            words[plant.coordinates[k]] = f"{q[k]:.6g}"
    return words


def fewest(candidates: Sequence[int], contradict: Callable[[list[int]], bool]) -> list[int]:
    """Those of some coordinates that still contradict each other, none of which can be left out."""
    left = list(candidates)
    for k in candidates:
        without = [other for other in left if other != k]
        if contradict(without):
            left = without
    return left


def contradiction(
    plant: Equations, closure: Closure, wish: Array, kept: KeptPositions, said: Sequence[int]
) -> ModelError:
    """The error of positions that do not fit together.

    Args:
        plant: the mechanism.
        closure: the loops.
        wish: positions that were declared, or that drives start with.
        kept: what could be kept of them.
        said: coordinates that drives or declarations are about.
    """
    changed = [k for k in kept.changed if k in said]
    others = [k for k in said if k not in changed]
    first = changed[0]

    def contradict(which: list[int]) -> bool:
        return not _held(closure, wish, [*which, first]).closed

    given = in_words(plant, wish, fewest(others, contradict))
    found, declared = in_words(plant, kept.found.q, changed), in_words(plant, wish, changed)
    with_these = ", ".join(f"'{n}' at {value}" for n, value in given.items() if n not in found)
    instead = ", ".join(f"'{n}' is at {found[n]}, not {declared[n]}" for n in list(found)[:4])
    return ModelError(
        f"model '{plant.name}': initial positions contradict the loops: "
        + (f"with {with_these} " if with_these else "")
        + instead,
        where=plant.mechanism.bodies[first].joint.where,
        fix="Leave out those that follow from the loops, or write guess=... instead of initial=...",
    )


@dataclass(frozen=True)
class KeptVelocities:
    """Velocities that fit the loops.

    Attributes:
        qd: of all coordinates.
        contradicted: coordinates that could not have the velocity that they must have.
        changed: coordinates that could not have the velocity that was wanted.
    """

    qd: Array
    contradicted: tuple[int, ...]
    changed: tuple[int, ...]


def keep_velocities(
    closure: Closure,
    q: Array,
    nu: Array,
    must: Mapping[int, float],
    wanted: Mapping[int, float],
    rest: Sequence[int],
) -> KeptVelocities:
    """The smallest velocities that fit the loops and what was said, in this order.

    Args:
        closure: the loops.
        q: closed position.
        nu: J qd + nu = 0, for all rows.
        must: velocities that have to be.
        wanted: velocities that shall be, the most important first.
        rest: coordinates that do not move where that is left open.
    """
    units = closure.coordinate_sizes
    said = _Said(closure(q)[1], -nu / closure.row_sizes)
    largest = max((abs(v) / units[k] for k, v in {**wanted, **must}.items()), default=0.0)
    scale = max(largest, float(np.abs(said.smallest()).max(initial=0.0)))
    contradicted = [k for k, v in must.items() if not said.add(k, v / units[k], scale)]
    changed = [
        k for k, v in wanted.items() if k not in must and not said.add(k, v / units[k], scale)
    ]
    for k in rest:
        said.add(k, 0.0, scale)
    qd = said.smallest() * units
    for k in said.free_choices:
        qd[k] = {**dict.fromkeys(rest, 0.0), **wanted, **must}[k]  # to the last bit
    return KeptVelocities(qd, tuple(contradicted), tuple(changed))


class _Said:
    """Equations a · x = b with orthonormal a, one for each independent thing that was said.

    Attributes:
        free_choices: entries of x that were not determined before they were said.
    """

    def __init__(self, J: Array, right: Array) -> None:
        self._n = J.shape[1]
        self.free_choices: list[int] = []
        u, sizes, v = np.linalg.svd(J, full_matrices=False)
        good = sizes > DEPENDENT * sizes.max(initial=0.0)
        self._a = np.asarray(v[good])
        self._b = np.asarray((u.T @ right)[good] / sizes[good])

    def add(self, k: int, value: float, scale: float) -> bool:
        """Say x[k] = value; False if that contradicts what was said before."""
        left, known = np.zeros(self._n), 0.0
        left[k] = 1.0
        # Gram-Schmidt, twice against rounding
        for _ in range(2):
            parts = self._a @ left
            left, known = left - parts @ self._a, known + float(parts @ self._b)
        length = float(np.linalg.norm(left))
        if length <= NO_DIRECTION:
            return abs(value - known) <= DATA_ROUNDING * scale
        self.free_choices.append(k)
        self._a = np.vstack([self._a, left / length])
        self._b = np.append(self._b, (value - known) / length)
        return True

    def smallest(self) -> Array:
        """The shortest x that satisfies all."""
        return np.asarray(self._b @ self._a)
