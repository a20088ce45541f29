"""Finite elements of a straight beam, as sums over its nodes that depend on parameters only.

Axial positions are interpolated linearly between nodes, lateral ones by cubic Hermite polynomials
from displacements and slopes of the nodes; with them

    r(x) = (Σ N_i e_x[i], Σ H_j e_y[j], 0),   e_x = (x_1 + u_1, …), e_y = (w_1, r_1, w_2, r_2, …)

and all inertia integrals are those of products of N and H: the consistent mass matrices. The root
    is clamped at the origin, so its displacements do not occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.symbolic import Expr, Graph

Entries = dict[tuple[int, int], Expr]

# integrals over one element, per unit of its length; slopes are multiplied by the length
LINEAR_LINEAR = ((1 / 3, 1 / 6), (1 / 6, 1 / 3))
LINEAR_CUBIC = ((7 / 20, 1 / 20, 3 / 20, -1 / 30), (3 / 20, 1 / 30, 7 / 20, -1 / 20))
CUBIC_CUBIC = (
    (156 / 420, 22 / 420, 54 / 420, -13 / 420),
    (22 / 420, 4 / 420, 13 / 420, -3 / 420),
    (54 / 420, 13 / 420, 156 / 420, -22 / 420),
    (-13 / 420, -3 / 420, -22 / 420, 4 / 420),
)
LINEAR = (1 / 2, 1 / 2)
CUBIC = (1 / 2, 1 / 12, 1 / 2, -1 / 12)


@dataclass(frozen=True)
class BeamInertia:
    """Integrals over the mass of a beam; x indexes nodes, y displacements and slopes alternating.

    Attributes:
        m: ∫ dm [kg].
        Sx, Sy: ∫ N dm and ∫ H dm.
        Mxx, Mxy, Myy: ∫ N Nᵀ dm, ∫ N Hᵀ dm and ∫ H Hᵀ dm, by (row, column), without zeros.
    """

    m: Expr
    Sx: list[Expr]
    Sy: list[Expr]
    Mxx: Entries
    Mxy: Entries
    Myy: Entries


def assemble_inertia(lengths: Sequence[Expr], mass_per_length: Expr) -> BeamInertia:
    """Sum over the elements, root to tip."""
    graph = mass_per_length.graph
    n = len(lengths)
    found = BeamInertia(graph.zero, [graph.zero] * n, [graph.zero] * (2 * n), {}, {}, {})
    total = graph.zero
    for k, h in enumerate(lengths):
        m = mass_per_length * h
        total = total + m
        # node k + 1 of the beam has index k here; the root has index -1
        x = [(k - 1, m), (k, m)]
        y = [(2 * k - 2, m), (2 * k - 1, m * h), (2 * k, m), (2 * k + 1, m * h)]
        slope = [graph.one, h, graph.one, h]
        for a, (i, size) in enumerate(x):
            if i >= 0:
                found.Sx[i] = found.Sx[i] + LINEAR[a] * size
        for a, (i, size) in enumerate(y):
            if i >= 0:
                found.Sy[i] = found.Sy[i] + CUBIC[a] * size
        for a, (i, size) in enumerate(x):
            for b, (j, _) in enumerate(x):
                _add(found.Mxx, i, j, LINEAR_LINEAR[a][b] * size)
            for b, (j, other) in enumerate(y):
                _add(found.Mxy, i, j, LINEAR_CUBIC[a][b] * other)
        for a, (i, _) in enumerate(y):
            for b, (j, other) in enumerate(y):
                _add(found.Myy, i, j, CUBIC_CUBIC[a][b] * (slope[a] * other))
    return BeamInertia(total, found.Sx, found.Sy, found.Mxx, found.Mxy, found.Myy)


def _add(matrix: Entries, i: int, j: int, value: Expr) -> None:
    """Add to an entry; entries of the fixed root are skipped."""
    if i < 0 or j < 0:
        return
    total = matrix[i, j] + value if (i, j) in matrix else value
    if total is value.graph.zero:
        del matrix[i, j]
    else:
        matrix[i, j] = total


def times(matrix: Mapping[tuple[int, int], Expr], v: Sequence[Expr], rows: int) -> list[Expr]:
    """The product of a matrix and a vector."""
    result = [v[0].graph.zero] * rows
    for (i, j), entry in sorted(matrix.items()):
        result[i] = result[i] + entry * v[j]
    return result


def times_transposed(
    matrix: Mapping[tuple[int, int], Expr], v: Sequence[Expr], rows: int
) -> list[Expr]:
    """The product of a transposed matrix and a vector."""
    return times({(j, i): entry for (i, j), entry in matrix.items()}, v, rows)


def inner(a: Sequence[Expr], b: Sequence[Expr], graph: Graph) -> Expr:
    """a · b."""
    total = graph.zero
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
