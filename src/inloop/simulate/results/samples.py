"""The samples of a run, and joining those of a run in pieces."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from inloop.plant import Array


@dataclass(frozen=True)
class Samples:
    """All coordinates at the samples of a run, with quantities of loops and drives.

    Attributes:
        t: times, shape (N,).
        q, qd: shape (N, n).
        z: states of force laws, shape (N, m).
        signals: multipliers and drive efforts, by name; shape (N,) each.
        violation: largest constraint violation [m or rad], shape (N,).
        qdd: accelerations, shape (N, n), for mechanisms with loops.
    """

    t: Array
    q: Array
    qd: Array
    z: Array
    signals: dict[str, Array] = field(default_factory=dict)
    violation: Array | None = None
    qdd: Array | None = None

    def rows(self, which: slice | Sequence[int]) -> Samples:
        """A subset of the samples."""
        keep = which if isinstance(which, slice) else list(which)
        signals = {name: values[keep] for name, values in self.signals.items()}
        others = (None if v is None else v[keep] for v in (self.violation, self.qdd))
        return Samples(self.t[keep], self.q[keep], self.qd[keep], self.z[keep], signals, *others)

    def followed_by(self, other: Samples) -> Samples:
        """These samples and those of `other`."""
        names = dict.fromkeys((*self.signals, *other.signals))
        # a row that is not in the partition carries no force
        signals = {
            name: np.concatenate([p.signals.get(name, np.zeros(len(p.t))) for p in (self, other)])
            for name in names
        }
        both = ((self.violation, other.violation), (self.qdd, other.qdd))
        return Samples(
            np.concatenate([self.t, other.t]),
            np.concatenate([self.q, other.q]),
            np.concatenate([self.qd, other.qd]),
            np.concatenate([self.z, other.z]),
            signals,
            *(None if a is None or b is None else np.concatenate([a, b]) for a, b in both),
        )


def joined(pieces: Sequence[Samples], spacing: float) -> Samples:
    """Join the samples of a run in pieces, at multiples of `spacing` [s].

    The last sample of each piece is also the first of the next one, where the independent
    coordinates changed: it is kept only if its time is a multiple.
    """
    if len(pieces) == 1:
        return pieces[0]
    tails = []
    for k, piece in enumerate(pieces):
        count, final = len(piece.t), k == len(pieces) - 1
        wanted = abs(math.remainder(float(piece.t[0]), spacing)) < 1e-9 * spacing
        keep_first = k == 0 or wanted or (final and count == 1)
        tails.append(piece.rows(slice(0 if keep_first else 1, count if final else count - 1)))
    return functools.reduce(Samples.followed_by, tails)
