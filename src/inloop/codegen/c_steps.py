"""Implicit steps as C, in the form that the steppers call: predictor, corrector, Jacobian."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.codegen import c_attitudes
from inloop.codegen.c_alike import alike_declaration, emit_alike
from inloop.codegen.closed_unit import ClosedUnit, indices
from inloop.codegen.quoting import c_comment
from inloop.symbolic import Output, Program

Files = dict[str, str]
LAWS = "_laws"
SETTLED = """    const int status = c->settle(context, t, x);
    if (status != IL_OK) return status;"""


def emit_tree_steps(
    programs: Sequence[Program], prefix: str, about: Sequence[str], turned: Sequence[int] = ()
) -> Files:
    """`<prefix>_predict` and `<prefix>_correct` of a mechanism without loops.

    Quaternions (`turned`: see `c_attitudes`) are integrated explicitly: laws see the positions
    change with k of the coordinates, which are rotations about the same axes.
    """
    predictor, corrector = _named(programs, "predictor"), _named(programs, "corrector")
    n, states = _size(predictor, "kv"), _size(predictor, "kz")
    behind, parts = 2 * n + states, c_attitudes.numbers(turned)
    whole = "\n".join(["", *c_attitudes.whole_position(turned, n, behind)])
    turning, turned_on = (
        "\n".join(["", *c_attitudes.rates(turned, f"q + {n}", f"x + {n}", f"{to} + {behind}")])
        for to in "ky"
    )
    if turned:
        turned_on += (
            f"\n    for (int i = {behind}; i < {behind + parts}; i++) y[i] = w * y[i] - k[i];"
        )
    known = {
        **_tree_arguments(n, turned),
        "pre": "c->implicit_pre",
        "g": "&g",
        "w": "&w",
        "qdd": f"k + {n}",
    }
    known |= {"rq": "rq", "kz": f"k + {2 * n}", "kept": "c->kept", "law": "law"}
    results = f"k + {n}{f', k + {2 * n}' if states else ''}, c->kept"
    corrected = f"y + {n}{f', y + {2 * n}' if states else ''}"
    text = f"""/* k = (I - g W)^-1 (f(t, x) + g df/dt) */
IL_EXPORT int {prefix}_predict(void *context, double t, const double *x, double g, double *k)
{{
    const il_context *c = context;{whole}
    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;
{_laws(programs, predictor, prefix, known)}\
    {prefix}_{predictor.name}({_call(predictor, known)}, {results});
    for (int i = 0; i < {n}; i++) k[i] = x[{n} + i] + g * k[{n} + i];{turning}
    return 0;
}}

/* y = (I - g W)^-1 (w f(t, x) - k + (w - 1) g df/dt) */
IL_EXPORT int {prefix}_correct(void *context, double t, const double *x, double g, double w,
                               const double *k, double *y)
{{
    const il_context *c = context;
    double rq[{n}];{whole}
    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;
    for (int i = 0; i < {n}; i++) rq[i] = w * x[{n} + i] - k[i];
{_laws(programs, corrector, prefix, known)}\
    {prefix}_{corrector.name}({_call(corrector, known)}, {corrected});
    for (int i = 0; i < {n}; i++) y[i] = rq[i] + g * y[{n} + i];{turned_on}
    return 0;
}}
"""
    top = [*_head(prefix, about, turned), *_declarations(programs, prefix)]
    lines = [*top, text, _respond(programs, prefix)]
    return {f"{prefix}_steps.c": "\n".join(lines), **_law_files(programs, prefix, about)}


def emit_tree_jacobian(
    programs: Sequence[Program], prefix: str, about: Sequence[str], turned: Sequence[int] = ()
) -> Files:
    """`<prefix>_jacobian` of a mechanism without loops; `turned`: see `c_attitudes`."""
    (program,) = programs
    rows, size = program.outputs[0].shape
    n = size - rows
    whole = c_attitudes.whole_position(turned, n, size - c_attitudes.numbers(turned))
    known = {**_tree_arguments(n, turned), "pre": "c->jacobian_pre"}
    text = f"""/* J and dfdt; the first rows of J are known, (0, I, 0) */
IL_EXPORT int {prefix}_jacobian(void *context, double t, double h, const double *x,
                                const double *xd, double *J, double *dfdt)
{{
    const il_context *c = context;{chr(10).join(["", *whole])}
    (void)h; (void)xd;
    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;
    for (int i = 0; i < {n}; i++) dfdt[i] = 0.0;
    {prefix}_{program.name}({_call(program, known)}, J + {n * size}, dfdt + {n});
    return 0;
}}
"""
    lines = [*_head(prefix, about, turned), text]
    return {f"{prefix}_steps.c": "\n".join(lines)}


def emit_tree_contacts(
    programs: Sequence[Program],
    prefix: str,
    about: Sequence[str],
    count: int,
    states: int,
    rows: int,
    turned: Sequence[int] = (),
) -> Files:
    """`<prefix>_contacts` of a mechanism without loops: all results in one array.

    Args:
        programs: the programs, including that of `contact_rows`.
        prefix: prefix of all names.
        about: comment lines at the top.
        count: number of coordinates.
        states: number of states of force laws; the quaternions follow them.
        rows: number of relative velocities of all contacts.
        turned: see `c_attitudes`.
    """
    (program,) = programs
    n = count
    whole = c_attitudes.whole_position(turned, n, 2 * n + states)
    known = {"pre": "c->contacts_pre", "q": "q" if turned else "x"}
    at_state = "\n".join([*whole, "    (void)t;"])
    lines = [*_head(prefix, about, turned), _contacts(program, prefix, known, at_state, rows)]
    return {f"{prefix}_steps.c": "\n".join(lines)}


def emit_closed_contacts(
    unit: ClosedUnit,
    programs: Sequence[Program],
    prefix: str,
    about: Sequence[str],
    rows: int,
) -> Files:
    """`<prefix>_contacts` in independent coordinates; `rows` counts those of all contacts."""
    (program,) = programs
    known = {**_closed_arguments(2 * len(unit.independent)), "pre": "c->contacts_pre"}
    function = _contacts(program, prefix, known, SETTLED, rows)
    return {f"{prefix}_steps.c": _closed_file(unit, prefix, about, function)}


def emit_settled_contacts(
    programs: Sequence[Program], prefix: str, about: Sequence[str], count: int, rows: int
) -> Files:
    """`<prefix>_contacts` at the closed position of a state; `count` coordinates are integrated."""
    (program,) = programs
    known = {**_closed_arguments(2 * count), "pre": "c->contacts_pre"}
    function = _contacts(program, prefix, known, SETTLED, rows)
    return {f"{prefix}_steps.c": "\n".join([*_head(prefix, about, ()), function])}


def _contacts(
    program: Program, prefix: str, known: dict[str, str], at_state: str, rows: int = 0
) -> str:
    """The function, with lines that compute its arguments; `rows` counts those of all contacts."""
    room = {}
    if rows:
        contacts, n = len(_output(program, "mu").exprs), _output(program, "M").shape[0]
        # contacts found at run time leave room behind the gaps and rows of the others
        room = {"gap": contacts, "w": rows, "H": n * rows}
    places, at = [], 0
    for out in program.outputs:
        places.append(f"found + {at}" if out.exprs else "NULL")
        at += max(len(out.exprs), room.get(out.name, 0))
    return f"""/* gaps, friction, restitution, compliance, velocities at rest, rows, mass matrix */
IL_EXPORT int {prefix}_contacts(void *context, double t, const double *x, double *found)
{{
    const il_context *c = context;
{at_state}
    {prefix}_{program.name}({_call(program, known)}, {", ".join(places)});
    return IL_OK;
}}
"""


def _output(program: Program, name: str) -> Output:
    return next(out for out in program.outputs if out.name == name)


def emit_closed_steps(
    unit: ClosedUnit, programs: Sequence[Program], prefix: str, about: Sequence[str]
) -> Files:
    """`<prefix>_predict` and `<prefix>_correct` in independent coordinates."""
    predictor, corrector = _named(programs, "predictor"), _named(programs, "corrector")
    nu, m = len(unit.independent), len(unit.dependent)
    z, guess = 2 * nu, 2 * nu + unit.states
    known = {**_closed_arguments(z), "pre": "c->implicit_pre", "g": "&g", "w": "&w"}
    known |= {"rq": "rq", "kz": f"k + {z}", "kept": "c->kept", "law": "law"}
    # an empty array must not alias another one
    places = [(nu, nu), *([(z, unit.states)] if unit.states else []), (guess, m)]
    results, corrected = (
        ", ".join(f"{to} + {at}" if count else "NULL" for at, count in places) for to in "ky"
    )
    results += ", c->kept"
    text = f"""/* k = (I - g W)^-1 (f(t, x) + g df/dt), where the estimates of dependent coordinates
   are drawn to closure as by an infinitely stiff law */
IL_EXPORT int {prefix}_predict(void *context, double t, const double *x, double g, double *k)
{{
    il_context *c = context;
    const int status = c->settle(context, t, x);
    if (status != IL_OK) return status;
{_laws(programs, predictor, prefix, known)}\
    {prefix}_{predictor.name}({_call(predictor, known)}, {results});
    for (int i = 0; i < {nu}; i++) k[i] = x[{nu} + i] + g * k[{nu} + i];
    for (int i = 0; i < {m}; i++) k[{guess} + i] += (c->at_q[dependent[i]] - x[{guess} + i]) / g;
    return IL_OK;
}}

/* y = (I - g W)^-1 (w f(t, x) - k + (w - 1) g df/dt) */
IL_EXPORT int {prefix}_correct(void *context, double t, const double *x, double g, double w,
                               const double *k, double *y)
{{
    il_context *c = context;
    double rq[{max(1, nu)}];
    const int status = c->settle(context, t, x);
    if (status != IL_OK) return status;
    for (int i = 0; i < {nu}; i++) {{
        rq[i] = w * x[{nu} + i] - k[i];
        c->at_qdd[independent[i]] = k[{nu} + i];
    }}
{_laws(programs, corrector, prefix, known)}\
    {prefix}_{corrector.name}({_call(corrector, known)}, {corrected});
    for (int i = 0; i < {nu}; i++) y[i] = rq[i] + g * y[{nu} + i];
    /* so that the step ends at closure here plus what the rest of it moves */
    for (int i = 0; i < {m}; i++) {{
        const double off = (c->at_q[dependent[i]] - x[{guess} + i]) / g;
        y[{guess} + i] = (w - 1.0) * y[{guess} + i] + (2.0 - w) * off;
    }}
    return IL_OK;
}}
"""
    text = "\n".join([*_declarations(programs, prefix), text, _respond(programs, prefix)])
    file = _closed_file(unit, prefix, about, text)
    return {f"{prefix}_steps.c": file, **_law_files(programs, prefix, about)}


def emit_closed_jacobian(
    unit: ClosedUnit, programs: Sequence[Program], prefix: str, about: Sequence[str]
) -> Files:
    """`<prefix>_jacobian` in independent coordinates."""
    (program,) = programs
    rows, columns = program.outputs[0].shape
    nu, m = len(unit.independent), len(unit.dependent)
    size = columns + m
    known = {**_closed_arguments(2 * nu), "pre": "c->jacobian_pre"}
    text = f"""/* J and dfdt; estimates of dependent coordinates are found in their own rates only.
   Drives give no third derivative, so that dfdt is a difference. */
IL_EXPORT int {prefix}_jacobian(void *context, double t, double h, const double *x,
                                const double *xd, double *J, double *dfdt)
{{
    il_context *c = context;
    const double delta = il_time_increment(t, h);
    double found[{max(1, rows * columns)}], before[{size}];
    int status = c->rates(context, t + delta, x, dfdt);
    if (status == IL_OK) status = c->rates(context, t - delta, x, before);
    if (status == IL_OK) status = c->settle(context, t, x);
    if (status != IL_OK) return status;
    for (int i = 0; i < {size}; i++) dfdt[i] = il_time_slope(before[i], xd[i], dfdt[i], delta);
    {prefix}_{program.name}({_call(program, known)}, found);
    for (int i = 0; i < {rows}; i++) {{
        double *row = J + ({nu} + i) * {size};
        memcpy(row, found + i * {columns}, {columns} * sizeof *row);
        for (int j = {columns}; j < {size}; j++) row[j] = 0.0;
    }}
    for (int i = {size - m}; i < {size}; i++) J[i * {size} + i] = -c->pull;
    return IL_OK;
}}
"""
    return {f"{prefix}_steps.c": _closed_file(unit, prefix, about, text)}


def _respond(programs: Sequence[Program], prefix: str) -> str:
    """`<prefix>_respond`, for hard contacts."""
    program = next((p for p in programs if p.name.startswith("response")), None)
    if program is None:
        return ""
    known = {"pre": "c->implicit_pre", "g": "&g", "push": "push", "kept": "c->kept"}
    n = _size(program, "dv")
    return f"""/* what an impulse during the step changes: velocities, then states of laws */
IL_EXPORT void {prefix}_respond(void *context, double g, const double *push, double *change)
{{
    const il_context *c = context;
    {prefix}_{program.name}({_call(program, known)}, change, change + {n});
}}
"""


def _head(prefix: str, about: Sequence[str], turned: Sequence[int] = ()) -> list[str]:
    included = (f"{prefix}.h", "il_context.h", "il_status.h", "il_time_slope.h")
    files = [*(f'#include "{name}"' for name in included), *c_attitudes.headers(turned)]
    return [c_comment(about), *files, ""]


def _closed_file(unit: ClosedUnit, prefix: str, about: Sequence[str], text: str) -> str:
    tables = [name for name in ("independent", "dependent") if f"{name}[" in text]
    return "\n".join([*_head(prefix, about), indices(unit, *tables), text])


def _named(programs: Sequence[Program], kind: str) -> Program:
    return next(p for p in programs if p.name.startswith(kind) and not p.name.endswith(LAWS))


def _laws_of(programs: Sequence[Program], program: Program) -> Program | None:
    return next((p for p in programs if p.name == f"{program.name}{LAWS}"), None)


def _laws(programs: Sequence[Program], program: Program, prefix: str, known: dict[str, str]) -> str:
    """Lines that compute the block `law` of a program, if it has one."""
    laws = _laws_of(programs, program)
    if laws is None:
        return ""
    size = len(laws.outputs[0].exprs)
    call = f"{_call(laws, known)}, law"
    return f"    double law[{size}];\n    {prefix}_{laws.name}_alike({call});\n"


def _declarations(programs: Sequence[Program], prefix: str) -> list[str]:
    laws = [p for p in programs if p.name.endswith(LAWS)]
    return [f"{alike_declaration(p, prefix)};\n" for p in laws]


def _law_files(programs: Sequence[Program], prefix: str, about: Sequence[str]) -> Files:
    files: Files = {}
    for program in programs:
        if program.name.endswith(LAWS):
            files |= emit_alike(program, prefix, about)
    return files


def _size(program: Program, output: str) -> int:
    return next((len(out.exprs) for out in program.outputs if out.name == output), 0)


def _call(program: Program, known: dict[str, str]) -> str:
    return ", ".join(known[block.name] for block in program.inputs)


def _tree_arguments(n: int, turned: Sequence[int]) -> dict[str, str]:
    state = {"q": "q" if turned else "x", "qd": f"x + {n}", "z": f"x + {2 * n}"}
    return {**state, "tau": "c->tau", "u": "c->u", "t": "&t"}


def _closed_arguments(z: int) -> dict[str, str]:
    state = {"q": "c->at_q", "qd": "c->at_qd", "qdd": "c->at_qdd", "z": f"x + {z}"}
    return {**state, "tau": "c->tau", "u": "c->u", "t": "&t"}
