"""Index lists for the sparse solution of Eq. 16: the numbers of `struct il_closed` in C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inloop.symbolic.sparsity import FactorPattern, Place, fill, minimum_degree, solution_rows


@dataclass(frozen=True)
class ClosedPattern:
    """Sizes and places in internal order: dependent, independent, driven coordinates.

    Attributes:
        order: external index of each coordinate.
        m, nu, nd: number of dependent, independent and driven coordinates.
        Jv: places of the given entries of the dependent columns of J, in elimination order.
        Jk: places of the others; columns are counted from the first independent one.
        M: places of the given entries of one half of the mass matrix.
    """

    order: tuple[int, ...]
    m: int
    nu: int
    nd: int
    Jv: tuple[Place, ...]
    Jk: tuple[Place, ...]
    M: tuple[Place, ...]

    @cached_property
    def factors(self) -> FactorPattern:
        """L and U of the dependent columns of J."""
        return fill(self.m, self.Jv)

    @cached_property
    def known(self) -> list[list[int]]:
        """The other columns of J, by rows."""
        rows: list[list[int]] = [[] for _ in range(self.m)]
        for i, j in self.Jk:
            rows[i].append(j)
        return rows

    @cached_property
    def mass(self) -> list[list[Place]]:
        """Column and index of the entry, for each row of the full mass matrix."""
        rows: list[list[Place]] = [[] for _ in self.order]
        for entry, (i, j) in enumerate(self.M):
            rows[i].append((j, entry))
            if i != j:
                rows[j].append((i, entry))
        return [sorted(row) for row in rows]

    @cached_property
    def followed(self) -> tuple[tuple[int, ...], ...]:
        """B = ∂v/∂u by rows: the independent coordinates on which each dependent one depends."""
        right = [[j for j in row if j < self.nu] for row in self.known]
        return solution_rows(self.factors, right)

    @cached_property
    def _motions(self) -> list[tuple[int, ...]]:
        """A by rows: B, then ones for the independent coordinates, nothing for driven ones."""
        ones = ((c,) for c in range(self.nu))
        return [*self.followed, *ones, *(() for _ in range(self.nd))]

    @cached_property
    def momenta(self) -> list[list[int]]:
        """M A by rows."""
        return [sorted({c for j, _ in row for c in self._motions[j]}) for row in self.mass]

    @cached_property
    def _reduced(self) -> set[Place]:
        """Places of the upper half of Aᵀ M A."""
        rows = zip(self._motions, self.momenta, strict=True)
        return {(c, l) for motion, momentum in rows for c in motion for l in momentum if l >= c}

    @cached_property
    def right(self) -> list[list[int]]:
        """Columns of Aᵀ M A right of its diagonal, fill included."""
        places = [place for c, l in self._reduced for place in ((c, l), (l, c))]
        pattern = fill(self.nu, places)
        return [pattern.upper(c) for c in range(self.nu)]

    def with_little_fill(self) -> ClosedPattern:
        """The same pattern with the independent coordinates in a low-fill order for Aᵀ M A."""
        m, nu = self.m, self.nu
        best = minimum_degree(nu, self._reduced)
        inner = [*range(m), *(m + c for c in best), *range(m + nu, len(self.order))]
        turn = {k: i for i, k in enumerate(inner)}
        return replace(
            self,
            order=tuple(self.order[k] for k in inner),
            Jk=tuple((i, turn[m + j] - m) for i, j in self.Jk),
            M=tuple((turn[i], turn[j]) for i, j in self.M),
        )

    def newton_operations(self) -> int:
        """Operations of one Newton step, given the terms."""
        return self.factors.operations() + self._solution + self.m

    def motion_operations(self) -> int:
        """Operations for velocities, accelerations, multipliers and efforts, given the terms."""
        motions = [len(row) for row in self._motions]
        columns = sum(
            motions[i] + 2 * sum(motions[k] for k in row if k != i)
            for i, row in enumerate(self.factors.rows)
        )
        products = sum(2 * motions[j] for row in self.mass for j, _ in row)
        sums = sum(
            2 * len([l for l in momentum if l >= c])
            for motion, momentum in zip(self._motions, self.momenta, strict=True)
            for c in motion
        )
        right = [len(row) for row in self.right]
        reduced = sum(1 + k + k * (k + 1) for k in right) + sum(4 * k + 2 for k in right)
        vectors = 4 * len(self.Jk) + 4 * sum(len(row) for row in self.mass) + 4 * sum(motions)
        return (
            self.factors.operations() + 3 * self._solution
            + columns + products + sums + reduced + vectors
        )  # fmt: skip

    @property
    def _solution(self) -> int:
        """Operations of one solve with the factors."""
        return 2 * self.factors.size - self.m


def starts(rows: Iterable[Sequence[object]]) -> list[int]:
    """Start of each row when the rows are concatenated."""
    found = [0]
    for row in rows:
        found.append(found[-1] + len(row))
    return found
