"""Base parameters: the combinations of inertial parameters that efforts determine.

A zero column of the regressor belongs to a parameter without influence. Columns that are linear
combinations of previous ones at every state are regrouped into these:

    Y π = Y_kept b,   b = K π,   Y = Y_kept K

Linear dependence is decided by an orthogonal factorization over random states: the regressor is
analytic, so that what holds at enough random states holds everywhere (Gautier 1991). Columns are
tested in an order that keeps the usual ones (Gautier & Khalil 1990): bodies from base to tip, with
the mass, the first moment along and one moment of inertia across the joint axis last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from inloop.analysis.identify.regressor import Regressor, regressor
from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.keywords import checked_call

DEPENDENT = 1e-9  # relative remainder below which a column depends on others
ZERO = 1e-12  # columns below this fraction of the largest are rounding errors


@dataclass(frozen=True)
class BaseParameters:
    """Identifiable combinations of the parameters of a regressor.

    Attributes:
        regressor: the regressor.
        kept: columns of the base parameters.
        grouping: K of b = K π, shape (base parameters, parameters).
        unseen: names of parameters without any influence on the efforts.
    """

    regressor: Regressor
    kept: tuple[int, ...]
    grouping: Array
    unseen: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """For each base parameter, the name of the parameter that it is grouped under."""
        return tuple(self.regressor.names[k] for k in self.kept)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the base parameters."""
        return tuple(self.regressor.units[k] for k in self.kept)

    @property
    def values(self) -> Array:
        """Base parameters of the current model."""
        return np.asarray(self.grouping @ self.regressor.values)

    @property
    def formulas(self) -> tuple[str, ...]:
        """Linear combinations, such as "arm.J.zz + hand.J.yy + 0.09 hand.mass"."""
        return tuple(
            _formula(k, row, self.regressor.names)
            for k, row in zip(self.kept, self.grouping, strict=True)
        )

    def __str__(self) -> str:
        """A line for each base parameter, and the parameters without influence."""
        lines = [f"{len(self)} base parameters of {len(self.regressor.names)}"]
        width = max((len(name) for name in self.names), default=0)
        lines += [
            f"{name:{width}}  = {text}"
            for name, text in zip(self.names, self.formulas, strict=True)
        ]
        if self.unseen:
            lines.append("without influence: " + ", ".join(self.unseen))
        return "\n".join(lines)

    __repr__ = __str__  # typed at a prompt, it tells the same


@checked_call
def base_parameters(
    plant: BarePlant,
    *,
    armature: bool = True,
    friction: str | Sequence[str] = (),
    seed: int = 0,
) -> BaseParameters:
    """Find the base parameters of a mechanism.

    Args:
        plant: the compiled mechanism, without modes and flexible links.
        armature: see `regressor`.
        friction: see `regressor`.
        seed: seed of the random states.
    """
    return base_of(regressor(plant, armature=armature, friction=friction), seed)


def chosen_base(
    plant: BarePlant, given: BaseParameters | None, armature: bool, friction: str | Sequence[str]
) -> BaseParameters:
    """The given base parameters, checked to be those of the plant; computed if not given."""
    if given is None:
        return base_parameters(plant, armature=armature, friction=friction)
    if getattr(getattr(given, "regressor", None), "plant", None) is not plant:
        raise InputError(
            f"base does not contain base parameters of plant '{plant.name}'",
            fix="Give those of il.identify.base_parameters(plant, ...).",
        )
    return given


def base_of(Y: Regressor, seed: int = 0) -> BaseParameters:
    """The base parameters of a regressor."""
    count = 20 + math.ceil(4 * len(Y.names) / len(Y.coordinates))
    # each row is a power: efforts times units of the coordinates
    rows = Y.along(Y.closing.random_states(count, seed)) * Y.closing.sizes[:, None]
    W = rows.reshape(-1, len(Y.names))
    # columns at rounding level, for masses and lengths of typical size, are zero
    size = np.linalg.norm(W, axis=0) * _usual_sizes(Y)
    W[:, size <= ZERO * size.max()] = 0.0
    kept, grouping = independent_columns(W, _order(Y))
    _check_rank(W, len(kept))
    unseen = tuple(name for name, column in zip(Y.names, W.T, strict=True) if not column.any())
    return BaseParameters(Y, kept, grouping, unseen)


def _usual_sizes(Y: Regressor) -> Array:
    """Typical parameter sizes of a body of 1 kg, and of a joint that moves it."""
    length = Y.plant.size.length
    of_body = [length ** (0 if k == 0 else 1 if k < 4 else 2) for k in range(10)]
    return np.array([*len(Y.inertial.bodies) * of_body, *len(Y.kinds) * Y.plant.n * [length**2]])


def seen_in(base: BaseParameters, W: Array) -> BaseParameters:
    """The base parameters that rows of Y_kept determine, for motions that do not excite all."""
    kept, grouping = independent_columns(W, range(len(base)))
    if len(kept) == len(base):
        return base
    return replace(base, kept=tuple(base.kept[k] for k in kept), grouping=grouping @ base.grouping)


def independent_columns(W: Array, order: Sequence[int]) -> tuple[tuple[int, ...], Array]:
    """Columns that are linearly independent of previous ones, and K of W = W_kept K.

    Args:
        W: rows of a regressor.
        order: order in which columns are tested.
    """
    size = np.linalg.norm(W, axis=0)
    unit = W / np.where(size > 0.0, size, 1.0)
    basis = np.zeros((len(W), 0))
    kept: list[int] = []
    for k in order:
        left = unit[:, k]
        for _ in range(2):  # Gram-Schmidt twice, against rounding errors
            left = left - basis @ (basis.T @ left)
        rest = float(np.linalg.norm(left))
        if rest > DEPENDENT:
            kept.append(k)
            basis = np.column_stack([basis, left / rest])
    R = basis.T @ unit
    scaled = scipy.linalg.solve_triangular(R[:, kept], R)
    scaled[np.abs(scaled) < 1e2 * DEPENDENT] = 0.0
    K = scaled * size / size[kept][:, None]
    K[:, kept] = np.eye(len(kept))
    return tuple(kept), K


def _check_rank(W: Array, count: int) -> None:
    """Check the number of columns by QR with pivoting, which is robust to rounding errors."""
    size = np.linalg.norm(W, axis=0)
    R = scipy.linalg.qr(W / np.where(size > 0.0, size, 1.0), mode="r", pivoting=True)[0]
    pivots = np.abs(np.diag(R))
    rank = int(np.sum(pivots > DEPENDENT * pivots[0])) if len(pivots) else 0
    if rank != count:
        raise InputError(
            f"{count} or {rank} base parameters: columns of the regressor are almost dependent",
            fix="Check the model for lengths of very different size.",
        )


def _order(Y: Regressor) -> list[int]:
    """Bodies from base to tip, parameters usually regrouped to the parent last; then joints."""
    found: list[int] = []
    for number, body in enumerate(Y.inertial.bodies):
        places = _order_in(body.joint.kind.turns, body.joint.axis)
        found += [10 * number + place for place in places]
    return [*found, *range(len(found), len(Y.names))]


def _order_in(turns: bool, axis: Sequence[float]) -> tuple[int, ...]:
    """Order of a body's ten parameters, for a joint that turns or slides."""
    if not turns:
        return tuple(range(10))  # its moments of inertia follow from those of the parent
    along = int(np.argmax(np.abs(axis)))
    across = (along + 2) % 3
    moments = {0: 4, 1: 7, 2: 9}  # J.xx, J.yy, J.zz
    last = (moments[across], 1 + along, 0)
    return (*(k for k in (4, 5, 6, 7, 8, 9, 1, 2, 3) if k not in last), *last)


def _formula(own: int, row: Array, names: Sequence[str]) -> str:
    text = names[own]
    for k in np.flatnonzero(row).tolist():
        if k == own:
            continue
        sign, size = ("-" if row[k] < 0.0 else "+"), abs(float(row[k]))
        factor = "" if abs(size - 1.0) < 1e-9 else f"{size:.6g} "
        text += f" {sign} {factor}{names[k]}"
    return text
