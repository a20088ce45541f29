"""Newton's step and the constrained motion of large mechanisms, as C on top of the sparse runtime.

Generated functions compute the terms of the equations as compact arrays, constant tables give the
positions of their entries, and `il_closed.c` solves. The columns of dependent coordinates are
factored by straight-line code for their pattern, as in `il.SparseLU`. The results have the same
signatures as the unrolled functions, so the code around them is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.codegen.c import declaration, emit_function
from inloop.codegen.closed_pattern import ClosedPattern
from inloop.codegen.sparse_lu.index_tables import rows_table, table
from inloop.codegen.sparse_lu.straight import STRAIGHT, emit_straight, straight_calls
from inloop.symbolic import Expr, Program
from inloop.symbolic.elimination import Elimination, in_order
from inloop.symbolic.pivot_order import unchanged

RUNTIME = ("il_sparse.c", "il_closed.c")  # files that a library with sparse functions needs


@dataclass(frozen=True)
class SparseUnit:
    """Replacement for unrolled functions.

    Attributes:
        newton_terms: h and Jv.
        position_terms: Jv, Jk, nu and M.
        velocity_terms: gamma and c.
        rate_terms: rates of the internal states of force laws, if any.
        pattern: positions of their entries.
        prefix: prefix of the names of the code that factors Jv.
    """

    newton_terms: Program
    position_terms: Program
    velocity_terms: Program
    rate_terms: Program | None
    pattern: ClosedPattern
    prefix: str

    @cached_property
    def straight(self) -> Elimination | None:
        """Elimination of Jv for straight-line code; None where that would be too long."""
        found = in_order(self.pattern.Jv, unchanged(self.pattern.m))
        return found if found.operations <= STRAIGHT else None

    def files(self) -> dict[str, str]:
        """Code that factors Jv and solves with it."""
        return emit_straight(self.straight, self.prefix) if self.straight else {}

    @property
    def programs(self) -> tuple[Program, ...]:
        """The generated functions."""
        found = (self.newton_terms, self.position_terms, self.velocity_terms, self.rate_terms)
        return tuple(program for program in found if program is not None)


def sparse_functions(
    unit: SparseUnit, newton: Program, constrained: Program, angles: Sequence[Expr], late: str
) -> str:
    """Static functions `at_newton` and `at_constrained`, with sines and cosines as arguments.

    Args:
        unit: the terms and their positions.
        newton: inputs and outputs of the first function.
        constrained: inputs and outputs of the second.
        angles: angles of the sines and cosines.
        late: statements that fill the entries of `sine` and `cosine` that need velocities `v`;
            empty if there are none.
    """
    terms = [
        emit_function(program, "at", angles).text.replace(
            f"\nvoid at_{program.name}(", f"\nstatic void at_{program.name}(", 1
        )
        for program in unit.programs
    ]
    return "\n".join(
        [
            '#include "il_closed.h"',
            "",
            *terms,
            *(straight_calls(unit.straight, unit.prefix) if unit.straight else ()),
            _tables(unit.pattern, "factor, solve" if unit.straight else "0, 0"),
            _newton(unit, newton),
            _constrained(unit, constrained, len(angles), late),
        ]
    )


# tables


def _tables(p: ClosedPattern, functions: str) -> str:
    f = p.factors
    Jv, Jv_text = rows_table("Jv", f.rows)
    Jk, Jk_text = rows_table("Jk", p.known)
    M, M_text = rows_table("M", [[j for j, _ in row] for row in p.mass])
    B, B_text = rows_table("B", p.followed)
    MA, MA_text = rows_table("MA", p.momenta)
    Mr, Mr_text = rows_table("Mr", p.right)
    lines = [
        "/* where the entries belong */",
        table("order", p.order),
        *Jv,
        table("Jv_diagonal", (f.index[i, i] for i in range(p.m))),
        table("Jv_into", (f.index[place] for place in p.Jv)),
        *Jk,
        *M,
        table("M_entry", (entry for row in p.mass for _, entry in row)),
        *B,
        *MA,
        *Mr,
        "",
        "static const il_closed pattern = {",
        f"    {p.m}, {p.nu}, {p.nd}, order,",
        f"    {{{Jv_text}, Jv_diagonal, {f.size}, {len(p.Jv)}, Jv_into}},",
        f"    {Jk_text},",
        f"    {M_text}, M_entry,",
        f"    {B_text},",
        f"    {MA_text},",
        f"    {Mr_text},",
        f"    {functions},",
        "};",
        "",
    ]
    return "\n".join(lines)


# functions


def _call(program: Program, sines: Sequence[str] = ("sine", "cosine"), **places: str) -> str:
    """A call of a generated function; arrays keep their own names by default."""
    names = [*(b.name for b in program.inputs), *sines, *(o.name for o in program.outputs)]
    return f"    at_{program.name}({', '.join(places.get(name, name) for name in names)});"


def _arrays(program: Program) -> str:
    sizes = [f"{out.name}[{max(len(out.exprs), 1)}]" for out in program.outputs]
    return f"    double {', '.join(sizes)};"


def _newton(unit: SparseUnit, newton: Program) -> str:
    p, m = unit.pattern, max(unit.pattern.m, 1)
    return f"""/* one Newton step: J_v step = -h */
static {declaration(newton, f"at_{newton.name}", True)}
{{
    double Jv[{max(len(p.Jv), 1)}], factors[{max(p.factors.size, 1)}], row[{m}];
    const il_closed_work work = {{factors, 0, row, 0, 0, 0, 0, 0}};
{_call(unit.newton_terms)}
    il_closed_newton(&pattern, &work, Jv, h, step, pivots);
}}
"""


def _constrained(unit: SparseUnit, constrained: Program, angles: int, late: str) -> str:
    p, n = unit.pattern, len(unit.pattern.order)
    sizes = (
        ("factors", p.factors.size), ("reciprocals", p.m), ("row", n), ("B", p.m * p.nu),
        ("Mr", p.nu * p.nu), ("Mr_pivots", p.nu), ("x", n),
        ("need", n),
    )  # fmt: skip
    work = ", ".join(f"{name}[{max(size, 1)}]" for name, size in sizes)
    driven = "qdd" if p.nd else "0"
    fresh, sines = [], ("sine", "cosine")
    if late:
        # sines and cosines of velocities
        sines = ("late_sine", "late_cosine")
        fresh = [f"    double late_sine[{angles}], late_cosine[{angles}];"]
        fresh += [f"    memcpy(late_{x}, {x}, sizeof late_{x});" for x in ("sine", "cosine")]
        fresh += [late]
    rates = [_call(unit.rate_terms, sines, qd="v", qdd="a")] if unit.rate_terms else []
    lines = [
        f"/* all velocities, accelerations, multipliers and efforts; {sum(s for _, s in sizes)}"
        " numbers on the stack */",
        f"static {declaration(constrained, f'at_{constrained.name}', True)}",
        "{",
        _arrays(unit.position_terms),
        _arrays(unit.velocity_terms),
        f"    double {work};",
        f"    const il_closed_work work = {{{', '.join(name for name, _ in sizes)}}};",
        _call(unit.position_terms),
        "    il_closed_velocities(&pattern, &work, Jv, Jk, nu, qd, v);",
        *fresh,
        _call(unit.velocity_terms, sines, qd="v"),
        f"    il_closed_motion(&pattern, &work, Jk, M, gamma, c, tau, {driven}, a, lam, effort);",
        *rates,
        "}",
        "",
    ]
    return "\n".join(lines)
