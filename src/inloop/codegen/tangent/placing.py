"""C around programs with derivatives: from a state to a closed position, then the call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.symbolic import Program


@dataclass(frozen=True)
class StateLayout:
    """Positions of the entries of a state x.

    Attributes:
        n: number of coordinates.
        positions: length of q.
        q: for each entry of q that x holds, its index in q and in x.
        qd: the same for velocities.
        z: index of the states of laws in x.
        dependent: dependent coordinates, in the order of Newton's steps.
        driven: driven coordinates.
    """

    n: int
    positions: int
    q: tuple[tuple[int, int], ...]
    qd: tuple[tuple[int, int], ...]
    z: int
    dependent: tuple[int, ...]
    driven: tuple[int, ...]


# names of program arguments in the functions below
_NAMES = {"pre": "c->pre", "tau": "c->tau", "t": "&t", "dg": "(const il_lane *)c->dg"}


def _call(program: Program, prefix: str, outputs: Sequence[str], layout: StateLayout) -> str:
    names = {**_NAMES, "z": f"x + {layout.z}"}
    ins = [names.get(block.name, block.name) for block in program.inputs]
    return f"{prefix}_{program.name}({', '.join([*ins, *outputs])});"


def emit_placing(
    layout: StateLayout, prefix: str, newton: Program | None, drives: Program | None
) -> str:
    """C of `placed`: all positions and known velocities of a state, with loops closed."""
    lines = [f"    q[{k}] = x[{i}];" for k, i in layout.q]
    lines += [f"    qd[{k}] = x[{i}];" for k, i in layout.qd]
    if drives is not None:
        count = len(layout.driven)
        lines.append(f"    double qs[{count}], qds[{count}], qdds[{count}];")
        lines.append(f"    {_call(drives, prefix, ('qs', 'qds', 'qdds'), layout)}")
        for i, k in enumerate(layout.driven):
            lines.append(f"    q[{k}] = qs[{i}]; qd[{k}] = qds[{i}]; qdd[{k}] = qdds[{i}];")
    if newton is not None:
        lines += _closing(layout, prefix, newton)
    else:
        lines.append("    return IL_OK;")
    body = "\n".join(lines)
    return f"""/* all positions and known velocities of a state; the others are 0 */
static int placed(const il_variation *c, double t, const double *u, const double *x, double *dep,
    double *q, double *qd, double *qdd)
{{
    (void)c; (void)t; (void)u; (void)dep; (void)qdd;
    memset(qd, 0, {layout.n} * sizeof *qd);
    memset(qdd, 0, {layout.n} * sizeof *qdd);
    /* coordinates that nothing reads */
    memset(q, 0, {layout.positions} * sizeof *q);
{body}
}}
"""


def _closing(layout: StateLayout, prefix: str, newton: Program) -> list[str]:
    """Newton's method until its steps are at rounding level."""
    m = len(layout.dependent)
    put = [f"        q[{k}] = dep[{i}];" for i, k in enumerate(layout.dependent)]
    return [
        f"    double step[{m}], h[{m}], pivots[{m}];",
        "    for (int k = 0; k < IL_MOST_CORRECTIONS; k++) {",
        *put,
        f"        {_call(newton, prefix, ('step', 'h', 'pivots'), layout)}",
        "        double largest = 0.0;",
        f"        for (int i = 0; i < {m}; i++) {{",
        "            dep[i] += step[i];",
        "            const double size = fabs(step[i]) / c->unit[i];",
        "            if (!(size <= largest)) largest = size;",
        "        }",
        "        if (largest <= IL_VARIED_CLOSED) {",
        *("    " + line for line in put),
        "            return IL_OK;",
        "        }",
        "    }",
        "    return IL_LOOP_OPEN;",
    ]


def emit_pull(layout: StateLayout, prefix: str, name: str, program: Program) -> str:
    """C of a function in the form of `il_pull` that calls a program at a placed state."""
    return f"""IL_EXPORT int {prefix}_{name}(const il_variation *c, double t, const double *u,
    const double *x, double *dep, const double *w, double *y)
{{
    double q[{layout.positions}], qd[{layout.n}], qdd[{layout.n}];
    const int status = placed(c, t, u, x, dep, q, qd, qdd);
    if (status != IL_OK) return status;
    {_call(program, prefix, ("y",), layout)}
    return IL_OK;
}}
"""


def emit_evaluation(
    layout: StateLayout, prefix: str, name: str, program: Program, outputs: Sequence[str]
) -> str:
    """C of a function in the form of `il_slopes` that calls a program at a placed state.

    Args:
        layout: layout of the state.
        prefix: first part of all names.
        name: name of the function.
        program: the program to call.
        outputs: arguments that receive its results.
    """
    return f"""IL_EXPORT int {prefix}_{name}(const il_variation *c, double t, const double *u,
    const double *x, double *dep, const double *dx_, double *y, double *dy_)
{{
    double q[{layout.positions}], qd[{layout.n}], qdd[{layout.n}];
    const il_lane *dx = (const il_lane *)dx_;
    il_lane *dy = (il_lane *)dy_;
    (void)dx; (void)dy;
    const int status = placed(c, t, u, x, dep, q, qd, qdd);
    if (status != IL_OK) return status;
    {_call(program, prefix, outputs, layout)}
    return IL_OK;
}}
"""
