"""A mechanism in redundant coordinates (six per body) as C: the table of il_redundant.h."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inloop.codegen.pieces import number
from inloop.codegen.quoting import c_comment
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.rolled import emit_rolled
from inloop.codegen.sparse_lu.straight import STRAIGHT, emit_straight
from inloop.codegen.sparse_lu.tables import table_lines
from inloop.symbolic import Program
from inloop.symbolic.elimination import Elimination, in_order
from inloop.symbolic.pivot_order import PivotOrder
from inloop.symbolic.repeated.elimination import StepwiseElimination

# runtime files that a library with this table needs
RUNTIME = (
    "il_redundant.c",
    "il_redundant_fit.c",
    "il_redundant_strike.c",
    "il_alpha.c",
    "il_alpha_method.c",
    "il_alpha_newton.c",
    "il_alpha_rest.c",
    "il_dense.c",
    "il_pivoting.c",
    "il_sparse.c",
    "il_sparse_lu.c",
    "il_sparse_lu_error.c",
)


@dataclass(frozen=True, kw_only=True)
class RedundantTable:
    """Contents of il_redundant other than its functions.

    Attributes:
        n: number of joint coordinates.
        bodies: number of bodies.
        free, driven: indices of coordinates.
        states: number of states of force laws.
        inputs: number of named inputs.
        turned: for each ball joint, the first of its three positions in `free`.
        used: for each row in use, its index among all rows.
        on_velocities: for each row, whether it constrains velocities only.
        open: for each row, the tolerance above which it counts as violated.
        units: for each entry of `free`, its unit of scale.
        length: one unit of length [m].
        epsilon: regularization of the matrix in the constraint rows.
        radius: spectral radius at infinity.
        solves: fixed number of Newton iterations per step; 0 for as many as needed.
        elimination: pivot order of the matrix; or steps that share their code.
    """

    n: int
    bodies: int
    free: tuple[int, ...]
    driven: tuple[int, ...]
    states: int
    inputs: int
    turned: tuple[int, ...]
    used: tuple[int, ...]
    on_velocities: tuple[bool, ...]
    open: tuple[float, ...]
    units: tuple[float, ...]
    length: float
    epsilon: float
    radius: float
    solves: int
    elimination: Elimination | StepwiseElimination


def emit_redundant(
    table: RedundantTable, programs: Sequence[Program], prefix: str, about: Sequence[str]
) -> dict[str, str]:
    """C files with `<prefix>_redundant`, `<prefix>_rates` and `<prefix>_expand`.

    Args:
        table: sizes and pivots.
        programs: position, residual, matrix, acceleration gaps, constraint velocities.
        prefix: prefix of all names.
        about: comment lines at the top.
    """
    files, solver = _solver(table.elimination, _constants(programs), f"{prefix}_lu")
    text = [
        c_comment(about),
        f'#include "{prefix}.h"',
        '#include "il_redundant.h"',
        "",
        *solver,
        *(_function(program, prefix) for program in programs),
        *_arrays(table),
        _table(table, prefix),
        _calls(prefix),
    ]
    return {**files, f"{prefix}_redundant.c": "\n".join(text)}


def _solver(
    elimination: Elimination | StepwiseElimination, constants: Mapping[int, float], prefix: str
) -> tuple[dict[str, str], list[str]]:
    """Files of the solver, and lines that end with the constant `lu`."""
    if isinstance(elimination, StepwiseElimination):
        layout = Layout(elimination.schedule, constants)
        order = PivotOrder(tuple(layout.rows), tuple(layout.columns), elimination.weakest)
        lines = table_lines(in_order(elimination.places, order), layout, prefix)
        return emit_rolled(layout, prefix), lines
    whole = replace(elimination, constants=constants)
    straight = whole.operations <= STRAIGHT
    files = emit_straight(whole, prefix) if straight else {}
    return files, table_lines(whole, straight, prefix)


def _constants(programs: Sequence[Program]) -> dict[int, float]:
    """Matrix entries that are constant for all states and parameters."""
    (matrix,) = (program for program in programs if _kind(program) == "matrix")
    entries = matrix.outputs[0].exprs
    return {k: entry.value for k, entry in enumerate(entries) if entry.is_constant}


_SIGNATURES = {
    "place": ("double *pose, double *twist", "pose", "twist"),
    "residual": ("double *r, double *effort", "r", "effort"),
    "matrix": ("double *A", "A"),
    "gaps": ("double *g", "g"),
    "speeds": ("double *v", "v"),
}


def _kind(program: Program) -> str:
    return program.name.removeprefix("redundant_")


def _function(program: Program, prefix: str) -> str:
    """A static function that takes a point."""
    kind = _kind(program)
    arguments, *results = _SIGNATURES[kind]
    places = {"t": "&at->t"}
    given = [places.get(block.name, f"at->{block.name}") for block in program.inputs]
    given += results[: len(program.outputs)]
    unused = "".join(f"    (void){name};\n" for name in results[len(program.outputs) :])
    return f"""static void {kind}(const il_redundant_point *at, {arguments})
{{
{unused}    {prefix}_{program.name}({", ".join(given)});
}}
"""


def _arrays(table: RedundantTable) -> list[str]:
    integers = {
        "free_joints": table.free,
        "driven_joints": table.driven,
        "turned": table.turned,
        "used_rows": table.used,
        "on_velocities": tuple(map(int, table.on_velocities)),
    }
    lines = [
        f"static const int64_t {name}[] = {{{', '.join(map(str, values or (0,)))}}};"
        for name, values in integers.items()
    ]
    for name, reals in (("open_from", table.open), ("units", table.units)):
        text = ", ".join(number(value) for value in reals or (0.0,))
        lines.append(f"static const double {name}[] = {{{text}}};")
    return [*lines, ""]


def _table(table: RedundantTable, prefix: str) -> str:
    sizes = {
        "n": table.n,
        "bodies": table.bodies,
        "free_count": len(table.free),
        "driven_count": len(table.driven),
        "states": table.states,
        "inputs": table.inputs,
        "rows": len(table.open),
        "attitudes": len(table.turned),
        "free": "free_joints",
        "driven": "driven_joints",
        "turned": "turned",
        "used": "used_rows",
        "on_velocities": "on_velocities",
        "open": "open_from",
        "units": "units",
        "length": number(table.length),
        "epsilon": number(table.epsilon),
        "radius": number(table.radius),
        "solves": table.solves,
        "place": "place",
        "residual": "residual",
        "matrix": "matrix",
        "gaps": "gaps",
        "speeds": "speeds",
        "lu": "&lu",
        "advance": "il_alpha_advance",
    }
    fields = "\n".join(f"    .{name} = {value}," for name, value in sizes.items())
    return f"""extern const il_redundant {prefix}_redundant;
const il_redundant {prefix}_redundant = {{
{fields}
}};
"""


def _calls(prefix: str) -> str:
    return f"""IL_EXPORT int {prefix}_rates(void *context, double t, const double *x, double *xd)
{{
    return il_redundant_rates(context, t, x, xd);
}}

IL_EXPORT int64_t {prefix}_expand(void *context, int64_t count, const double *t, const double *x,
                              double *q, double *qd, double *qdd, double *lam, double *effort)
{{
    return il_redundant_expand(context, count, t, x, q, qd, qdd, lam, effort);
}}
"""
