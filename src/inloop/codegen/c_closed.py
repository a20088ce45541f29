"""Rates of a mechanism with loops and drives, as C: close the loops, then compute the motion.

The state of the stepper holds the independent coordinates and, as first-order states, estimates of
the dependent ones. Newton's method starts from these estimates and has a fixed maximum number of
iterations, so the rates depend on time and state alone and a snapshot of the state is complete.

Sines and cosines are computed once, at the estimate. Newton's corrections are small, so the sines
and cosines are updated by a few terms of a series (`il_turn`), accurate to the last bit but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.codegen import c_attitudes
from inloop.codegen.angles import change, summands
from inloop.codegen.c import declaration, emit_function, emit_grids, sincos_lines
from inloop.codegen.c_library import rows_driver
from inloop.codegen.c_sparse import SparseUnit, sparse_functions
from inloop.codegen.closed_unit import ClosedUnit
from inloop.codegen.pieces import number
from inloop.codegen.quoting import c_comment
from inloop.symbolic import Expr, Notation, Program, to_text
from inloop.symbolic.listing import leading_angles

INLINE_UP_TO = 500  # operations of both functions; above this, calls cost less than copies


@dataclass(frozen=True, kw_only=True)
class ClosedRates:
    """The rates of one partition.

    Attributes:
        sizes: the partition.
        newton: program of one Newton step.
        constrained: program of the motion at a closed position.
        sparse: the terms of a large mechanism; None if the two programs are unrolled.
    """

    sizes: ClosedUnit
    newton: Program
    constrained: Program
    sparse: SparseUnit | None = None

    @property
    def generated(self) -> tuple[Program, ...]:
        """The programs that are printed as straight-line code."""
        return self.sparse.programs if self.sparse else (self.newton, self.constrained)

    @cached_property
    def angles(self) -> tuple[Expr, ...]:
        """Angles whose sines and cosines these programs need."""
        found = {a for p in self.generated for a in leading_angles(p)}
        return tuple(sorted(found, key=lambda angle: angle.id))

    def block(self, name: str) -> tuple[Expr, ...]:
        """Symbols of an input of the motion."""
        return next(block.symbols for block in self.constrained.inputs if block.name == name)


def emit_closed_rates(
    sizes: ClosedUnit,
    programs: Sequence[Program],
    prefix: str,
    about: Sequence[str],
    sparse: SparseUnit | None = None,
) -> dict[str, str]:
    """C files with `<prefix>_settle`, `_rates`, `_expand`, `_pivots` and the functions they use.

    Args:
        sizes: the partition.
        programs: one Newton step, and the motion at a closed position.
        prefix: first part of all exported names.
        about: comment lines.
        sparse: the terms of a large mechanism; None if the two programs are unrolled.
    """
    newton, constrained = programs
    unit = ClosedRates(sizes=sizes, newton=newton, constrained=constrained, sparse=sparse)
    top = [c_comment(about), f'#include "{prefix}.h"']
    rates = [
        *top,
        *c_attitudes.headers(sizes.turned),
        '#include "il_context.h"',
        '#include "il_status.h"',
        "",
        _motion_structure(sizes),
        _functions(unit),
        _sines(unit),
        _close(unit),
        _placing(unit),
        _motion(unit),
        _settle(unit, prefix),
        _rates(sizes, prefix),
        _expand(sizes, prefix),
        _pivots(unit, prefix),
        *(_alone(unit, program, prefix) for program in (unit.newton, unit.constrained)),
    ]
    files = {f"{prefix}_rates.c": "\n".join(rates)}
    files |= emit_grids(sparse.programs if sparse is not None else programs)
    for program in (unit.newton, unit.constrained):
        name = f"{prefix}_{program.name}"
        files[f"{name}.c"] = "\n".join([*top, "", rows_driver(program, name)])
    return files


def _motion_structure(unit: ClosedUnit) -> str:
    n, m, nd = unit.n, len(unit.dependent), len(unit.driven)
    q = unit.positions
    return f"""/* all coordinates, their rates, multipliers of the rows, efforts of the drives */
struct motion {{
    double q[{q}], qd[{n}], qdd[{n}], v[{n}], a[{n}], lam[{max(m, 1)}], effort[{max(nd, 1)}];
}};
"""


def _functions(unit: ClosedRates) -> str:
    """Newton's step and the motion, with sines and cosines as arguments."""
    if unit.sparse is not None:
        late = "\n".join(_late_sines(unit))
        return sparse_functions(unit.sparse, unit.newton, unit.constrained, unit.angles, late)
    return "\n".join(
        emit_function(program, "at", unit.angles).text.replace(
            f"\nvoid at_{program.name}(", f"\nstatic {_inline(unit)}void at_{program.name}(", 1
        )
        for program in (unit.newton, unit.constrained)
    )


def _late_sines(unit: ClosedRates) -> list[str]:
    """Sines of velocities that are known only after the dependent velocities are."""
    qd = unit.block("qd")
    dependent = {qd[column] for column in unit.sizes.dependent}
    places = ["v" if b.name == "qd" else b.name for b in unit.constrained.inputs]
    entries = _entries(unit.constrained, places)
    return [
        f"    il_sincos_one({text}, &late_sine[{k}], &late_cosine[{k}]);"
        for k, (angle, text) in enumerate(
            zip(unit.angles, _texts(unit.angles, entries), strict=True)
        )
        if summands(angle).keys() & dependent
    ]


def _inline(unit: ClosedRates) -> str:
    total = sum(p.operations()["total"] for p in (unit.newton, unit.constrained))
    return "IL_ALWAYS_INLINE " if total <= INLINE_UP_TO and unit.sparse is None else ""


def _arguments(program: Program) -> str:
    known = {
        "pre": "c->pre", "q": "m->q", "qd": "m->qd", "qdd": "m->qdd", "tau": "c->tau",
        "u": "c->u", "t": "&t", "z": "z",
    }  # fmt: skip
    return ", ".join([*(known[block.name] for block in program.inputs), "sine", "cosine"])


def _sines(unit: ClosedRates) -> str:
    """Sines and cosines of all angles."""
    programs = (unit.newton, unit.constrained)
    entries = {s: t for p in programs for s, t in _entries(p, _arguments(p).split(", ")).items()}
    body = sincos_lines(unit.angles, entries, Notation(number=number))
    lines = [
        "/* sines and cosines that both functions need */",
        f"static {_inline(unit)}void sines(const il_context *c, double t, const double *z,",
        "    const struct motion *m, double *sine, double *cosine)",
        "{",
        "    (void)c; (void)t; (void)z; (void)m; (void)sine; (void)cosine;",
        *body,
        "}",
        "",
    ]
    return "\n".join(lines)


def _entries(program: Program, places: Sequence[str]) -> dict[Expr, str]:
    """Text of each entry of each input."""
    return {
        symbol: "t" if place == "&t" else f"{place}[{k}]"
        for block, place in zip(program.inputs, places, strict=False)
        for k, symbol in enumerate(block.symbols)
    }


def _texts(angles: Sequence[Expr], entries: dict[Expr, str]) -> list[str]:
    return [to_text(angle, entries, Notation(number=number)) for angle in angles]


def _alone(unit: ClosedRates, program: Program, prefix: str) -> str:
    """A function for callers without sines and cosines."""
    ins, outs = [b.name for b in program.inputs], [o.name for o in program.outputs]
    count = _angles(unit)
    entries = _entries(program, ins)
    own = [(k, a) for k, a in enumerate(unit.angles) if summands(a).keys() <= entries.keys()]
    lines = [
        declaration(program, f"{prefix}_{program.name}"),
        "{",
        f"    double sine[{count}] = {{0.0}}, cosine[{count}] = {{0.0}};",
    ]
    for (k, _), text in zip(own, _texts([a for _, a in own], entries), strict=True):
        lines.append(f"    il_sincos_one({text}, &sine[{k}], &cosine[{k}]);")
    lines += [f"    at_{program.name}({', '.join([*ins, 'sine', 'cosine', *outs])});", "}", ""]
    return "\n".join(lines)


def _turns(unit: ClosedRates) -> list[str]:
    """Update sines and cosines after small corrections of the dependent coordinates."""
    q = unit.block("q")
    steps = {q[column]: f"step[{k}]" for k, column in enumerate(unit.sizes.dependent)}
    lines = []
    for k, angle in enumerate(unit.angles):
        turn = change(angle, steps)
        if turn:
            lines.append(f"            il_turn({turn}, &sine[{k}], &cosine[{k}]);")
    return lines


def _close(unit: ClosedRates) -> str:
    m = len(unit.sizes.dependent)
    if m == 0:
        return ""
    moved = [
        f"        m->q[{column}] += step[{k}];" for k, column in enumerate(unit.sizes.dependent)
    ]
    moved += _turned_attitudes(unit.sizes)
    turns = _turns(unit)
    # corrections are measured in radians and as fractions of the mechanism's size
    scaled = " * c->per_unit[{0}]" if unit.sizes.lengths else ""
    follow = ["        sines(c, t, z, m, sine, cosine);"]
    if turns:
        follow = [
            "        if (largest <= IL_SMALL_TURN) {",
            *turns,
            "        } else {",
            "            sines(c, t, z, m, sine, cosine);",
            "        }",
        ]
    return f"""/* which row is bad? */
static int opened(il_context *c, const double *step, const double *pivots)
{{
    for (c->bad_row = 0; c->bad_row < {m - 1}; c->bad_row++) {{
        const double pivot = pivots[c->bad_row] * c->guard[c->bad_row];
        if (!(pivot >= 0.0 && pivot <= 1.0)) break;
        if (!(fabs(step[c->bad_row]){scaled.format("c->bad_row")} <= c->tolerance)) break;
    }}
    return IL_LOOP_OPEN;
}}

/* find the dependent coordinates by Newton's method */
static {_inline(unit)}int closed(il_context *c, double t, const double *z, struct motion *m,
    double *sine, double *cosine)
{{
    double step[{m}] = {{0.0}}, h[{m}], pivots[{m}] = {{0.0}};
    (void)t; (void)z;
    for (int64_t k = 0; k < c->most_iterations; k++) {{
        double largest = 0.0;
        int good = 1;
        at_{unit.newton.name}({_arguments(unit.newton)}, step, h, pivots);
        for (int i = 0; i < {m}; i++) {{
            const double size = fabs(step[i]){scaled.format("i")}, pivot = pivots[i] * c->guard[i];
            largest = size > largest ? size : largest;
            /* a pivot that changes its sign was zero on the way; NaN is never good */
            good &= (pivot >= 0.0) & (pivot <= 1.0) & (size <= c->farthest);
        }}
        if (!good) break;
{chr(10).join(moved)}
{chr(10).join(follow)}
        /* convergence is quadratic: what is left is far below the tolerance */
        if (largest <= c->tolerance) return IL_OK;
    }}
    return opened(c, step, pivots);
}}
"""


def _turned_attitudes(unit: ClosedUnit) -> list[str]:
    """Lines that turn the quaternions by the corrections of their coordinates."""
    lines = []
    for which, first in enumerate(unit.turned):
        place = {column: k for k, column in enumerate(unit.dependent)}
        turn = [f"step[{place[k]}]" if k in place else "0.0" for k in range(first, first + 3)]
        if any(k in place for k in range(first, first + 3)):
            own = f"m->q + {unit.n + c_attitudes.COMPONENTS * which}"
            lines += [
                "        {",
                f"            const double turn[3] = {{{', '.join(turn)}}};",
                f"            il_attitude_add({own}, turn, {own}, {own});",
                "        }",
            ]
    return lines


def _placing(unit: ClosedRates) -> str:
    """From a state to a closed position."""
    sizes = unit.sizes
    nu, m = len(sizes.independent), len(sizes.dependent)
    guess = 2 * nu + sizes.states
    lines = []
    for k, column in enumerate(sizes.independent):
        lines += [f"    m->q[{column}] = x[{k}];", f"    m->qd[{column}] = x[{nu + k}];"]
    for k, column in enumerate(sizes.dependent):
        lines += [f"    m->q[{column}] = x[{guess + k}];", f"    m->qd[{column}] = 0.0;"]
    if sizes.turned:
        count = c_attitudes.numbers(sizes.turned)
        lines.append(f"    memcpy(m->q + {sizes.n}, x + {guess + m}, {count} * sizeof *x);")
    if sizes.driven:
        lines.append(_driven(sizes))
    lines.append("    sines(c, t, z, m, sine, cosine);")
    lines.append(f"    return {'closed(c, t, z, m, sine, cosine)' if m else 'IL_OK'};")
    return f"""/* all positions and known velocities, loops closed;
   x: q, qd of independent coordinates, states of laws, dependent coordinates */
static {_inline(unit)}int placed(il_context *c, double t, const double *x, struct motion *m,
    double *sine, double *cosine)
{{
    const double *z = x + {2 * nu};
    (void)z;
    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;
{chr(10).join(lines)}
}}
"""


def _motion(unit: ClosedRates) -> str:
    """From a state to the motion of all coordinates."""
    rates = ", zd" if unit.sizes.states else ""
    angles = _angles(unit)
    return f"""/* close the loops, then all velocities, accelerations, multipliers and efforts */
static {_inline(unit)}int moving(il_context *c, double t, const double *x, struct motion *m,
    double *zd)
{{
    const double *z = x + {2 * len(unit.sizes.independent)};
    double sine[{angles}], cosine[{angles}];
    (void)z; (void)zd;
    const int status = placed(c, t, x, m, sine, cosine);
    if (status != IL_OK) return status;
    at_{unit.constrained.name}({_arguments(unit.constrained)}, m->v, m->a, m->lam, m->effort{rates});
    return IL_OK;
}}
"""  # noqa: E501


def _angles(unit: ClosedRates) -> str:
    return f"IL_PADDED({max(len(unit.angles), 1)})"


def _settle(unit: ClosedRates, prefix: str) -> str:
    size, positions = (f"{k} * sizeof(double)" for k in (unit.sizes.n, unit.sizes.positions))
    angles = _angles(unit)
    return f"""/* all positions and known velocities of the state x, for implicit steps */
IL_EXPORT int {prefix}_settle(void *context, double t, const double *x)
{{
    il_context *c = context;
    struct motion m;
    double sine[{angles}], cosine[{angles}];
    memset(&m, 0, sizeof m);
    const int status = placed(c, t, x, &m, sine, cosine);
    if (status != IL_OK) return status;
    memcpy(c->at_q, m.q, {positions});
    memcpy(c->at_qd, m.qd, {size});
    memcpy(c->at_qdd, m.qdd, {size});
    return IL_OK;
}}
"""


def _driven(unit: ClosedUnit) -> str:
    nd = len(unit.driven)
    kinds = ("q", "qd", "qdd")
    given = [
        f"        m->{kind}[{column}] = c->{kind}[{column}];"
        for column in unit.driven
        for kind in kinds
    ]
    followed = [
        f"        m->{kind}[{column}] = driven[{nd * row + k}];"
        for k, column in enumerate(unit.driven)
        for row, kind in enumerate(kinds)
    ]
    return f"""    if (c->drives) {{
        double driven[{3 * nd}];
        c->drives(c->drives_self, t, c->u, z, driven);
        for (int k = 0; k < {nd}; k++) {{
            const double all[3] = {{driven[k], driven[{nd} + k], driven[{2 * nd} + k]}};
            if (il_all_finite(all, 3)) continue;
            c->bad_drive = k;
            c->bad_t = t;
            return IL_DIVERGED;
        }}
{chr(10).join(followed)}
    }} else {{
{chr(10).join(given)}
    }}"""


def _rates(unit: ClosedUnit, prefix: str) -> str:
    nu = len(unit.independent)
    z = 2 * nu
    lines = [f"    xd[{k}] = x[{nu + k}];" for k in range(nu)]
    lines += [f"    xd[{nu + k}] = m.a[{column}];" for k, column in enumerate(unit.independent)]
    guess = z + unit.states
    lines += [
        f"    xd[{guess + k}] = m.v[{column}] + c->pull * (m.q[{column}] - x[{guess + k}]);"
        for k, column in enumerate(unit.dependent)
    ]
    behind = guess + len(unit.dependent)
    lines += c_attitudes.rates(unit.turned, f"m.q + {unit.n}", "m.v", f"xd + {behind}")
    lines += [
        f"    xd[{behind + k}] += c->pull * (m.q[{unit.n + k}] - x[{behind + k}]);"
        for k in range(c_attitudes.numbers(unit.turned))
    ]
    return f"""/* estimates of dependent coordinates move as these do, and are drawn to closure */
IL_EXPORT int {prefix}_rates(void *context, double t, const double *x, double *xd)
{{
    il_context *c = context;
    struct motion m;
    const int status = moving(c, t, x, &m, xd + {z});
    if (status != IL_OK) return status;
{chr(10).join(lines)}
    return IL_OK;
}}
"""


def _expand(unit: ClosedUnit, prefix: str) -> str:
    n, m, nd = unit.n, len(unit.dependent), len(unit.driven)
    size, positions = unit.size, unit.positions
    normalize = (
        f"        il_attitude_normalize({len(unit.turned)}, q + row*{positions} + {n});\n"
        if unit.turned
        else ""
    )
    return f"""/* all about rows of states: q, qd, qdd of all coordinates, multipliers, efforts;
   returns the number of rows whose loops could be closed */
IL_EXPORT int64_t {prefix}_expand(void *context, int64_t count, const double *t, const double *x,
                              double *q, double *qd, double *qdd, double *lam, double *effort)
{{
    struct motion m;
    double zd[{max(unit.states, 1)}];
    for (int64_t row = 0; row < count; row++) {{
        if (moving(context, t[row], x + row*{size}, &m, zd) != IL_OK) return row;
        memcpy(q + row*{positions}, m.q, {positions} * sizeof(double));
{normalize}\
        memcpy(qd + row*{n}, m.v, {n} * sizeof(double));
        memcpy(qdd + row*{n}, m.a, {n} * sizeof(double));
        memcpy(lam + row*{m}, m.lam, {m} * sizeof(double));
        memcpy(effort + row*{nd}, m.effort, {nd} * sizeof(double));
    }}
    return count;
}}
"""


def _pivots(unit: ClosedRates, prefix: str) -> str:
    n, m = unit.sizes.positions, len(unit.sizes.dependent)
    angles = f"IL_PADDED({max(len(unit.angles), 1)})"
    body = f"""    il_context *c = context;
    struct motion here, *const m = &here;
    const double z[{max(unit.sizes.states, 1)}] = {{0.0}};
    double step[{m}], h[{m}], sine[{angles}], cosine[{angles}];
    (void)z;
    memset(&here, 0, sizeof here);
    memcpy(here.q, q, {n} * sizeof(double));
    sines(c, t, z, m, sine, cosine);
    at_{unit.newton.name}({_arguments(unit.newton)}, step, h, pivots);"""
    if m == 0:
        body = "    (void)context; (void)t; (void)q; (void)pivots;"
    return f"""/* reciprocal pivots of this choice of coordinates at a position */
IL_EXPORT void {prefix}_pivots(void *context, double t, const double *q, double *pivots)
{{
{body}
}}
"""
