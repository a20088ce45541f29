"""Common part of all functions of one step shape: locations of numbers, and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from inloop.codegen.pieces import number
from inloop.codegen.sparse_lu.folding import Row
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.parts import argument_names
from inloop.codegen.sparse_lu.prefetch import TOGETHER
from inloop.codegen.sparse_lu.slots import Slots
from inloop.symbolic.repeated.batches import WIDTHS
from inloop.symbolic.repeated.steps import Cell, Placed

# arrays of a batch: U f, cells h, pivots d, L g, right sides z and their cells c
POINTERS = {
    "f": "F + t[0]",
    "d": "D + t[1]",
    "z": "y + t[1]",
    "c": "y + t[2]",
    "g": "F + t[3]",
    "h": "F + t[4]",
}
WITH_ONE_RIGHT_SIDE = ("down", "backward")  # functions that factor and solve at once


class StepKernel:
    """One step shape with a given number of lanes.

    Attributes:
        number: index among all kernels.
        shape, lanes: of its steps.
        real: type of a variable.
        batches: batches that it serves.
        table: one row per batch.
        given, cells, rows, columns, row_cells, column_cells, all_rows, all_columns: locations
            outside the batch, see `Placed`.
        constants: given values that are the same in all steps, by slot.
        given_side_by_side: whether all lanes of each varying given value are contiguous.
    """

    def __init__(self, layout: Layout, kernel: int) -> None:
        plan = layout.plan
        self.number = kernel
        self.shape, self.lanes = plan.kernels[kernel]
        self.real = "double" if self.lanes == 1 else f"lanes{self.lanes}"
        self.batches = [at for at, batch in enumerate(plan.batches) if batch.kernel == kernel]
        members = [[plan.placed[k] for k in plan.batches[at].steps] for at in self.batches]

        def slots(name: str, array: str, of: Callable[[Placed], Iterable[int]]) -> Slots:
            index = np.array([[[*of(step)] for step in lanes] for lanes in members], dtype=np.int64)
            return Slots(name, array, index.reshape(len(members), self.lanes, -1))

        def rights(cells: list[Cell]) -> Iterable[int]:
            return map(layout.right_cell, cells)

        own = self.shape.pivots
        self.given = slots("a", "A", lambda s: s.given)
        self.cells = slots("w", "F", lambda s: map(layout.factor_cell, s.cells))
        self.rows = slots("p", "b", lambda s: s.rows[:own])
        self.columns = slots("p", "b", lambda s: s.columns[:own])
        self.row_cells = slots("v", "y", lambda s: rights(s.row_cells))
        self.column_cells = slots("v", "y", lambda s: rights(s.column_cells))
        self.all_rows = slots("q", "x", lambda s: s.rows)
        self.all_columns = slots("q", "x", lambda s: s.columns)
        firsts = (layout.first_factor, layout.first_pivot, layout.first_right, layout.first_lower,
                  layout.first_cell)  # fmt: skip
        columns = [np.array([first[at] for at in self.batches]) for first in firsts]
        for each in (self.given, self.cells, self.rows, self.row_cells, self.all_columns,
                     self.columns, self.column_cells, self.all_rows):  # fmt: skip
            each.first = len(columns)
            columns += each.columns()
        self.table = np.array(columns).T
        self.constants = self._common(layout.constants)
        varying = {*range(self.given.index.shape[2])} - self.constants.keys()
        self.given_side_by_side = self.given.side_by_side(varying)
        self._given_pairs = _by_member(self.given.pairs(varying))
        self._row_pairs = _by_member(self.rows.pairs(range(own)))

    def _common(self, constants: Mapping[int, float]) -> dict[int, float]:
        """Given values that are the same in all steps, by slot."""
        found = {}
        for k in range(self.given.index.shape[2]):
            values = {constants.get(int(at)) for at in self.given.index[:, :, k].flat}
            value = values.pop()
            if value is not None and not values:
                found[k] = value
        return found

    def function(
        self, name: str, arguments: str, slots: Iterable[Slots], lines: Iterable[str]
    ) -> str:
        """A whole function.

        Args:
            name: base name of the function.
            arguments: parameters after the table row.
            slots: locations outside the batch that it reads or writes.
            lines: statements for each lane.
        """
        given = argument_names(arguments)
        words = dict(zip(given, arguments.split(","), strict=True))
        pointers = []
        for pointer, where in POINTERS.items():
            if where[0] in words and pointer not in words:
                kind = words[where[0]].strip().rsplit("*", 1)[0]
                pointers.append(f"{kind}*{pointer} = {where}; (void){pointer};")
        unused = [f"(void){each};" for each in given]
        elsewhere = [
            line
            for each in slots
            for line in each.pointers(words[each.array].strip().rsplit("*", 1)[0].strip())
        ]
        body = [
            *unused,
            *pointers,
            *elsewhere,
            f"EACH_LANE({self.lanes}) {{" if self.lanes > 1 else "{",
            *(f"    {line}" for line in lines),
            "}",
        ]
        where = f"{TOGETHER} " if name in WITH_ONE_RIGHT_SIDE else ""
        head = f"{where}static void {name}_{self.number}(const PLACE *t, {arguments})"
        return "\n".join([head, "{", *(f"    {line}" for line in body), "}", ""])

    def at(self, pointer: str, number: int) -> str:
        """A number of the batch itself."""
        if self.lanes == 1:
            return f"{pointer}[{number}]"
        return f"LANES({self.lanes}, {pointer} + {self.lanes * number})"

    def stored(self, i: int, j: int) -> str:
        """Location of an entry of U, or of a cell."""
        number, count = self.shape.entries[i, j], len(self.shape.entries) - len(self.shape.cells)
        return self.at("f", number) if number < count else self.at("h", number - count)

    def sums(self) -> dict[int, list[tuple[int, float | str]]]:
        """Terms of each entry before the elimination, by rows."""
        sums: dict[int, list[tuple[int, float | str]]] = {}
        given = cells = 0
        for (i, j), (values, summed) in self.shape.sums:
            known = self.constants.get(given) if values else None
            terms = [self._given(given)] if values and known is None else []
            terms += [number(known)] if known and summed else []
            terms += [self.cells.read(cells + k) for k in range(summed)]
            alone = known is not None and not summed
            sums.setdefault(i, []).append((j, float(known or 0.0) if alone else " + ".join(terms)))
            given, cells = given + values, cells + summed
        return sums

    def _given(self, k: int) -> str:
        return f"a_{k}" if k in self._given_pairs else self.given.read(k)

    def pairs(self) -> dict[int, list[str]]:
        """Declarations of values that are read in pairs, by the row that needs them first."""
        found: dict[int, list[str]] = {}
        done: set[str] = set()

        def declare(row: int, slots: Slots, pair: tuple[int, int] | None) -> None:
            text = slots.read_pair(pair[0], self.named(slots, pair)) if pair else ""
            if text and text not in done:
                done.add(text)
                found.setdefault(row, []).append(text)

        given = 0
        for (i, _), (values, _) in self.shape.sums:
            declare(i, self.given, self._given_pairs.get(given) if values else None)
            given += values
        for i in range(self.shape.pivots):
            declare(i, self.rows, self._row_pairs.get(i))
        return found

    def named(self, slots: Slots, pair: tuple[int, int]) -> tuple[str, str]:
        """Variables of two numbers that are read together."""
        return f"{slots.name}_{pair[0]}", f"{slots.name}_{pair[1]}"

    def right_sums(self, paired: bool = False) -> list[str]:
        """Right side of each own row before the elimination.

        Args:
            paired: whether the values of `pairs` are available.
        """
        sums, first = [], 0
        for i, count in enumerate(self.shape.row_cells):
            cells = (self.row_cells.read(first + k) for k in range(count))
            alone = not paired or i not in self._row_pairs
            sums.append(" + ".join([self.rows.read(i) if alone else f"p_{i}", *cells]))
            first += count
        return sums

    def constant(self, value: float) -> str:
        """A constant in all lanes."""
        return number(value) if self.lanes == 1 else f"({self.real}){{0}} + {number(value)}"

    def entry(self, i: int, j: int) -> str:
        """See `Names`."""
        return f"r{i}_{j}"

    def factor(self, i: int, k: int) -> str:
        """See `Names`."""
        return f"l{i}_{k}"

    def cell(self, row: Row, j: int) -> str:
        """Final value of an entry in a row and column of other steps."""
        value = row.value.get(j, 0.0)
        return self.entry(row.i, j) if value is None else self.constant(value)

    def only(self, minus: str) -> str:
        """A sum without its first term."""
        return minus.removeprefix(" +").strip() or self.constant(0.0)


def lanes_text() -> str:
    """Vector types, and loops over lanes for compilers without them."""
    vectors, loops = [], []
    for width in WIDTHS[:-1]:
        lanes = range(width)
        each = ", ".join(f"p{k}" for k in lanes)
        gathered = ", ".join(f"*(p{k})" for k in lanes)
        scattered = ", ".join(f"*(p{k}) = (v)[{k}]" for k in lanes)
        tests = "".join(f"lane == {k} ? p{k} : " for k in lanes[:-1])
        chosen = f"*({tests}p{width - 1})"
        kind = f"vector_size({8 * width}), aligned(8), may_alias"
        vectors += [
            f"typedef double lanes{width} __attribute__(({kind}));",
            f"#define GATHER{width}({each}) ((lanes{width}){{{gathered}}})",
            f"#define SCATTER{width}({each}, v) {scattered}",
        ]
        loops += [
            f"typedef double lanes{width};",
            f"#define GATHER{width}({each}) ({chosen})",
            f"#define SCATTER{width}({each}, v) ({chosen} = (v))",
        ]
    return "\n".join(
        [
            "#if defined(__GNUC__) && !defined(IL_NO_VECTORS)",
            "#define EACH_LANE(width)",
            "#define LANES(width, place) (*(lanes##width *)(place))",
            *vectors,
            "#else",
            "#define EACH_LANE(width) for (int lane = 0; lane < width; lane++)",
            "#define LANES(width, place) ((place)[lane])",
            *loops,
            "#endif",
            _PAIR,
        ]
    )


# each lane reads two numbers at once
_PAIR = """#ifdef __has_builtin
#if __has_builtin(__builtin_ia32_vinsertf128_pd256) && __has_builtin(__builtin_ia32_pd256_pd) \\
    && __has_builtin(__builtin_shufflevector) && defined(__AVX__) && !defined(IL_NO_VECTORS)
#define HALVES(p, q) \\
    __builtin_ia32_vinsertf128_pd256(__builtin_ia32_pd256_pd(LANES(2, p)), LANES(2, q), 1)
#define PAIR4(p0, p1, p2, p3, u, v) \\
    const lanes4 u = __builtin_shufflevector(HALVES(p0, p2), HALVES(p1, p3), 0, 4, 2, 6), \\
        v = __builtin_shufflevector(HALVES(p0, p2), HALVES(p1, p3), 1, 5, 3, 7)
#define PUT_PAIR4(p0, p1, p2, p3, u, v) \\
    LANES(2, p0) = __builtin_shufflevector(u, v, 0, 4), \\
    LANES(2, p1) = __builtin_shufflevector(u, v, 1, 5), \\
    LANES(2, p2) = __builtin_shufflevector(u, v, 2, 6), \\
    LANES(2, p3) = __builtin_shufflevector(u, v, 3, 7)
#endif
#endif
#ifndef PAIR4
#define PAIR4(p0, p1, p2, p3, u, v) \\
    const lanes4 u = GATHER4(p0, p1, p2, p3), \\
        v = GATHER4((p0) + 1, (p1) + 1, (p2) + 1, (p3) + 1)
#define PUT_PAIR4(p0, p1, p2, p3, u, v) \\
    SCATTER4(p0, p1, p2, p3, u), SCATTER4((p0) + 1, (p1) + 1, (p2) + 1, (p3) + 1, v)
#endif
"""


def _by_member(pairs: list[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    return {k: pair for pair in pairs for k in pair}


def forget_lanes() -> str:
    """The end of a file that begins with `lanes_text`."""
    macros = [f"{name}{width}" for width in WIDTHS[:-1] for name in ("GATHER", "SCATTER")]
    return "".join(
        f"#undef {name}\n"
        for name in ("EACH_LANE", "LANES", "HALVES", "PAIR4", "PUT_PAIR4", *macros)
    )
