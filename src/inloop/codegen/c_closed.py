"""The rates of a mechanism with loops and drives, as C: close the loops, then the motion.

The state of the stepper holds the independent coordinates and, as first-order states, estimates of
the dependent ones. Newton's method starts from these, with a fixed largest number of iterations, so
that the rates depend on time and state alone: a snapshot of the state is all there is to keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.codegen.header import comment_block
from inloop.symbolic import Program


@dataclass(frozen=True)
class ClosedUnit:
    """What the generated C needs to know.

    Attributes:
        newton: program of one Newton step.
        constrained: program of the motion at a closed position.
        n: number of coordinates.
        independent, dependent, driven: their indices.
        states: number of internal states of force laws.
    """

    newton: Program
    constrained: Program
    n: int
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    driven: tuple[int, ...]
    states: int = 0


def emit_closed_rates(unit: ClosedUnit, prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with `<prefix>_rates`, `<prefix>_expand` and `<prefix>_pivots`."""
    text = [
        comment_block(about),
        f'#include "{prefix}.h"',
        '#include "il_status.h"',
        "",
        _context(unit, prefix),
        _close(unit, prefix),
        _motion(unit, prefix),
        _rates(unit, prefix),
        _expand(unit, prefix),
        _pivots(unit, prefix),
    ]
    return {f"{prefix}_rates.c": "\n".join(text)}


def _indices(name: str, values: Sequence[int]) -> str:
    listed = ", ".join(map(str, values)) or "0"
    return f"static const int {name}[] = {{{listed}}};"


def _context(unit: ClosedUnit, prefix: str) -> str:
    return "\n".join(
        [
            _indices("independent", unit.independent),
            _indices("dependent", unit.dependent),
            _indices("driven", unit.driven),
            "",
            "/* prescribed motion of the driven joints at time t */",
            "typedef void (*drive_function)(const double *pre, const double *t, double *q,"
            " double *qd, double *qdd);",
            "",
            "struct context {",
            "    const double *pre, *tau, *u;",
            "    drive_function drives; /* NULL: driven joints are set by others */",
            "    const double *drive_pre;",
            "    double *q, *qd, *qdd;  /* all coordinates; q is where Newton's method starts */",
            "    double *lam, *effort;  /* multipliers of the rows, efforts of the drives */",
            "    const double *limits;  /* of reciprocal pivots; beyond, the partition is bad */",
            "    double tolerance;      /* corrections below this end Newton's method */",
            "    int64_t most_iterations;",
            "    int64_t iterations;    /* of the last call */",
            "    double residual;       /* largest constraint value before the last correction */",
            "};",
            "",
        ]
    )


def _arguments(program: Program) -> str:
    known = {
        "pre": "c->pre", "q": "c->q", "qd": "c->qd", "qdd": "c->qdd", "tau": "c->tau",
        "u": "c->u", "t": "&t", "z": "z",
    }  # fmt: skip
    return ", ".join(known[block.name] for block in program.inputs)


def _close(unit: ClosedUnit, prefix: str) -> str:
    m = len(unit.dependent)
    if m == 0:
        body = "    (void)c; (void)t;\n    return IL_OK;"
    else:
        body = f"""    double step[{m}], h[{m}], pivots[{m}];
    for (c->iterations = 1; c->iterations <= c->most_iterations; c->iterations++) {{
        double largest = 0.0, residual = 0.0;
        {prefix}_{unit.newton.name}({_arguments(unit.newton)}, step, h, pivots);
        for (int k = 0; k < {m}; k++) {{
            const double size = fabs(step[k]);
            largest = size > largest || size != size ? size : largest;
            residual = fabs(h[k]) > residual ? fabs(h[k]) : residual;
            if (!(fabs(pivots[k]) <= c->limits[k])) return IL_LOOP_OPEN;
        }}
        c->residual = residual;
        if (!(largest < 1e3)) return IL_LOOP_OPEN;
        /* long steps far from closure are shortened */
        const double scale = largest > 0.5 ? 0.5 / largest : 1.0;
        for (int k = 0; k < {m}; k++) c->q[dependent[k]] += scale * step[k];
        /* convergence is quadratic: what is left is far below the tolerance */
        if (largest <= c->tolerance) return IL_OK;
    }}
    return IL_LOOP_OPEN;"""
    return (
        "/* find the dependent coordinates by Newton's method */\n"
        f"static int {prefix}_close(struct context *c, double t)\n{{\n    (void)t;\n{body}\n}}\n"
    )


def _motion(unit: ClosedUnit, prefix: str) -> str:
    n = unit.n
    arguments, rates = _arguments(unit.constrained), ", zd" if unit.states else ""
    return f"""/* all velocities, accelerations, multipliers and efforts; loops are closed */
static void {prefix}_motion(struct context *c, double t, const double *z, double *zd)
{{
    double v[{n}], a[{n}];
    (void)t; (void)z; (void)zd;
    {prefix}_{unit.constrained.name}({arguments}, v, a, c->lam, c->effort{rates});
    for (int k = 0; k < {n}; k++) {{
        c->qd[k] = v[k];
        c->qdd[k] = a[k];
    }}
}}
"""


def _rates(unit: ClosedUnit, prefix: str) -> str:
    nu, nd = len(unit.independent), len(unit.driven)
    drive = ""
    if nd:
        drive = f"""    if (c->drives) {{
        double p[{nd}], v[{nd}], a[{nd}];
        c->drives(c->drive_pre, &t, p, v, a);
        for (int k = 0; k < {nd}; k++) {{
            c->q[driven[k]] = p[k];
            c->qd[driven[k]] = v[k];
            c->qdd[driven[k]] = a[k];
        }}
    }}
"""
    m, z = len(unit.dependent), 2 * nu
    guess = z + unit.states
    return f"""/* x: q, qd of independent coordinates, states of laws, dependent coordinates */
IL_EXPORT int {prefix}_rates(void *context, double t, const double *x, double *xd)
{{
    struct context *c = context;
    int status;
    for (int k = 0; k < {m}; k++) c->q[dependent[k]] = x[{guess} + k];
    for (int k = 0; k < {nu}; k++) {{
        c->q[independent[k]] = x[k];
        c->qd[independent[k]] = x[{nu} + k];
    }}
{drive}    status = {prefix}_close(c, t);
    if (status != IL_OK) return status;
    {prefix}_motion(c, t, x + {z}, xd + {z});
    for (int k = 0; k < {nu}; k++) {{
        xd[k] = x[{nu} + k];
        xd[{nu} + k] = c->qdd[independent[k]];
    }}
    for (int k = 0; k < {m}; k++) xd[{guess} + k] = c->qd[dependent[k]];
    return IL_OK;
}}
"""


def _expand(unit: ClosedUnit, prefix: str) -> str:
    n, m, nd = unit.n, len(unit.dependent), len(unit.driven)
    size = 2 * len(unit.independent) + unit.states + m
    return f"""/* all about rows of states: q, qd, qdd of all coordinates, multipliers, efforts;
   returns the number of rows whose loops could be closed */
IL_EXPORT int64_t {prefix}_expand(void *context, int64_t count, const double *t, const double *x,
                              double *q, double *qd, double *qdd, double *lam, double *effort)
{{
    struct context *c = context;
    double xd[{size + 1}];
    for (int64_t row = 0; row < count; row++) {{
        if ({prefix}_rates(context, t[row], x + row*{size}, xd) != IL_OK) return row;
        memcpy(q + row*{n}, c->q, {n} * sizeof(double));
        memcpy(qd + row*{n}, c->qd, {n} * sizeof(double));
        memcpy(qdd + row*{n}, c->qdd, {n} * sizeof(double));
        memcpy(lam + row*{m}, c->lam, {m} * sizeof(double));
        memcpy(effort + row*{nd}, c->effort, {nd} * sizeof(double));
    }}
    return count;
}}
"""


def _pivots(unit: ClosedUnit, prefix: str) -> str:
    n, m = unit.n, len(unit.dependent)
    body = f"""    struct context *c = context;
    double step[{m}], h[{m}];
    (void)t;
    if (q != c->q) memcpy(c->q, q, {n} * sizeof(double));
    {prefix}_{unit.newton.name}({_arguments(unit.newton)}, step, h, pivots);"""
    if m == 0:
        body = "    (void)context; (void)t; (void)q; (void)pivots;"
    return f"""/* reciprocal pivots of this choice of coordinates at a position */
IL_EXPORT void {prefix}_pivots(void *context, double t, const double *q, double *pivots)
{{
{body}
}}
"""
