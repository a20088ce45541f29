"""Index lists of the sparse solution of Eq. 16: the numbers of `struct il_closed` in C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.symbolic.sparsity import FactorPattern, Place, fill, minimum_degree, solution_rows


@dataclass(frozen=True)
class ClosedPattern:
    """Sizes and places, in the inner order: dependent, independent, driven coordinates.

    Attributes:
        order: number of each coordinate for the outside.
        m, nu, nd: how many are dependent, independent, driven.
        Jv: places of the given entries of the dependent columns of J.
        Jk: places of the others; columns are counted from the first independent one.
        M: places of the given entries of the lower half of the mass matrix.
    """

    order: tuple[int, ...]
    m: int
    nu: int
    nd: int
    Jv: tuple[Place, ...]
    Jk: tuple[Place, ...]
    M: tuple[Place, ...]

    @cached_property
    def Jv_factors(self) -> FactorPattern:
        """Factors of the dependent columns."""
        return fill(self.m, self.Jv)

    @cached_property
    def M_rows(self) -> list[list[Place]]:
        """Column and number of the entry, for each row of the whole mass matrix."""
        rows: list[list[Place]] = [[] for _ in self.order]
        for entry, (i, j) in enumerate(self.M):
            rows[i].append((j, entry))
            if i != j:
                rows[j].append((i, entry))
        return [sorted(row) for row in rows]

    @cached_property
    def B(self) -> tuple[tuple[int, ...], ...]:
        """Independent coordinates that each dependent one follows."""
        right: list[list[int]] = [[] for _ in range(self.m)]
        for i, j in self.Jk:
            if j < self.nu:
                right[i].append(j)
        return solution_rows(self.Jv_factors, right)

    @cached_property
    def MA(self) -> list[list[int]]:
        """Columns of the rows of M A, where A is B above the unit matrix."""
        A = [*self.B, *((c,) for c in range(self.nu)), *(() for _ in range(self.nd))]
        return [sorted({c for j, _ in row for c in A[j]}) for row in self.M_rows]

    @cached_property
    def _Mr(self) -> set[Place]:
        """Places of the lower half of Aᵀ M A."""
        A = [*self.B, *((c,) for c in range(self.nu))]
        return {
            (c, l) for row, MA in zip(A, self.MA, strict=False) for c in row for l in MA if l <= c
        }

    @cached_property
    def Mr_order(self) -> tuple[int, ...]:
        """Its order of elimination."""
        return minimum_degree(self.nu, self._Mr)

    @cached_property
    def Mr_given(self) -> list[tuple[Place, int]]:
        """Its places in this order, and where their numbers lie in a full array."""
        turn = {c: k for k, c in enumerate(self.Mr_order)}
        given = {}
        for c, l in self._Mr:
            for i, j in ((c, l), (l, c)):
                given[turn[i], turn[j]] = c * self.nu + l
        return sorted(given.items())

    @cached_property
    def Mr_factors(self) -> FactorPattern:
        """Its factors."""
        return fill(self.nu, (place for place, _ in self.Mr_given))

    def newton_operations(self) -> int:
        """Of one Newton step, once the terms are known."""
        return self.Jv_factors.operations() + self._solve(self.Jv_factors) + self.m

    def motion_operations(self) -> int:
        """Of velocities, accelerations, multipliers and efforts, once the terms are known."""
        factors, B = self.Jv_factors, [len(row) for row in self.B]
        columns = sum(
            2 * sum(B[j] for j in row if j != i) + B[i] for i, row in enumerate(factors.rows)
        )
        widths = [*B, *(1 for _ in range(self.nu)), *(0 for _ in range(self.nd))]
        MA = sum(2 * widths[j] for row in self.M_rows for j, _ in row)
        halves = ([l for l in MA if l <= c] for B, MA in zip(self.B, self.MA, strict=False) for c in B)
        reduced = self.Mr_factors.operations() + self._solve(self.Mr_factors)
        return (
            factors.operations()
            + 3 * self._solve(factors)
            + 4 * len(self.Jk)
            + columns
            + MA
            + 2 * sum(len(half) for half in halves)
            + reduced
            + 4 * sum(len(row) for row in self.M_rows)
            + 4 * sum(B)
        )

    @staticmethod
    def _solve(factors: FactorPattern) -> int:
        return 2 * factors.size - len(factors.rows)


def starts(rows: Iterable[Sequence[object]]) -> list[int]:
    """Where each row begins when they are written one after the other."""
    found = [0]
    for row in rows:
        found.append(found[-1] + len(row))
    return found
