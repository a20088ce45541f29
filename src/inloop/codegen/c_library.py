"""Programs as a C library: a header, one source file per function, drivers for many rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from inloop.codegen import c_attitudes
from inloop.codegen.c import declaration, emit_function, emit_grids
from inloop.codegen.quoting import c_comment, c_string, identifier
from inloop.symbolic import Program


@dataclass(frozen=True)
class CFiles:
    """Generated C: file name → text."""

    sources: dict[str, str]
    headers: dict[str, str]


def emit_library(
    programs: Sequence[Program],
    prefix: str,
    about: Sequence[str],
    manifest: dict[str, object],
    elsewhere: Collection[str] = (),
) -> CFiles:
    """C files of programs that share a prefix.

    Args:
        programs: the functions; `prepare` first.
        prefix: first part of every exported name.
        about: comment lines at the top of every file.
        manifest: result of `<prefix>_manifest()`, as JSON text.
        elsewhere: names of files that are generated elsewhere.
    """
    header = f"{identifier(prefix)}.h"
    sources = emit_grids(programs)
    for program in programs:
        if f"{prefix}_{program.name}.c" in elsewhere:
            continue
        function = emit_function(program, prefix)
        rows = rows_driver(program, function.name)
        text = [c_comment(about), f'#include "{header}"', "", function.text, rows]
        if program.name == "prepare":
            text.append(_manifest(prefix, manifest))
        sources[f"{function.name}.c"] = "\n".join(text)
    return CFiles(sources, {header: _header(programs, prefix, about)})


def emit_rates(
    program: Program, prefix: str, about: Sequence[str], turned: Sequence[int] = ()
) -> dict[str, str]:
    """Forward dynamics in the form that the steppers call: rates of x = (q, qd, z).

    Args:
        program: the forward dynamics.
        prefix: first part of every exported name.
        about: comment lines at the top.
        turned: see `c_attitudes`.
    """
    n = next(len(block.symbols) for block in program.inputs if block.name == "qd")
    states = next((len(block.symbols) for block in program.inputs if block.name == "z"), 0)
    behind = 2 * n + states
    arguments = {
        "pre": "c->pre", "q": "q" if turned else "x", "qd": f"x + {n}", "tau": "c->tau",
        "u": "c->u", "t": "&t", "z": f"x + {2 * n}",
    }  # fmt: skip
    call = ", ".join(arguments[block.name] for block in program.inputs)
    # accelerations, then rates of the internal states of force laws, if any
    results = ", ".join(f"xd + {n * (k + 1)}" for k in range(len(program.outputs)))
    lines = [
        c_comment(about),
        "#include <string.h>",
        "",
        f'#include "{prefix}.h"',
        *c_attitudes.headers(turned),
        '#include "il_context.h"',
        "",
        "/* xd = (qd, qdd) of x = (q, qd) */",
        f"IL_EXPORT int {prefix}_rates(void *context, double t, const double *x, double *xd)",
        "{",
        "    const il_context *c = context;",
        "    (void)t;",
        *c_attitudes.whole_position(turned, n, behind),
        "    if (c->inputs && il_follow(c->inputs, t) != IL_OK) return IL_DIVERGED;",
        f"    memcpy(xd, x + {n}, {n} * sizeof *xd);",
        f"    {prefix}_{program.name}({call}, {results});",
        *c_attitudes.rates(turned, f"q + {n}", f"x + {n}", f"xd + {behind}"),
        "    return IL_OK;",
        "}",
        "",
    ]
    return {f"{prefix}_rates.c": "\n".join(lines)}


def emit_lanes(program: Program, prefix: str, about: Sequence[str]) -> dict[str, str]:
    """The same function over arrays of states, several at a time in vector registers."""
    function = emit_function(program, f"{prefix}_lanes")
    body = function.text.replace(f"\nvoid {function.name}(", f"\nstatic void {function.name}(", 1)
    text = [
        c_comment(about),
        "#ifdef __AVX512F__",
        "#define IL_LANES 8",
        "#else",
        "#define IL_LANES 4",
        "#endif",
        '#include "il_export.h"',
        '#include "il_scalar.h"',
        "",
        body,
        _lanes_driver(program, function.name),
    ]
    return {**emit_grids([program]), f"{function.name}.c": "\n".join(text)}


def _header(programs: Sequence[Program], prefix: str, about: Sequence[str]) -> str:
    guard = f"{prefix.upper()}_H"
    lines = [c_comment(about), f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#include <stdint.h>", '#include "il_export.h"', '#include "il_scalar.h"', ""]
    sizes: dict[str, int] = {}
    for program in programs:
        for block in program.inputs:
            sizes[block.name] = len(block.symbols)
    lines += [
        f"#define {prefix.upper()}_{name.upper()}_SIZE {size}" for name, size in sizes.items()
    ]
    lines.append("")
    for program in programs:
        name = f"{prefix}_{program.name}"
        lines.append(f"IL_EXPORT {declaration(program, name)};")
        lines.append(f"IL_EXPORT {_rows_declaration(program, name, 'rows')};")
    lines += [f"IL_EXPORT const char *{prefix}_manifest(void);", "", "#endif", ""]
    return "\n".join(lines)


def _rows_declaration(program: Program, name: str, suffix: str) -> str:
    ins = [f"const double *{block.name}" for block in program.inputs]
    outs = [f"double *{out.name}" for out in program.outputs]
    return f"void {name}_{suffix}({', '.join(['int64_t count', *ins, *outs])})"


def rows_driver(program: Program, name: str) -> str:
    """A loop over rows of states; `pre` is shared by all rows."""
    arguments = []
    for block in program.inputs:
        same = block.name in ("pre", "par")
        arguments.append(block.name if same else f"{block.name} + row*{len(block.symbols)}")
    arguments += [f"{out.name} + row*{len(out.exprs)}" for out in program.outputs]
    return "\n".join(
        [
            _rows_declaration(program, name, "rows"),
            "{",
            f"    for (int64_t row = 0; row < count; row++) {name}({', '.join(arguments)});",
            "}",
            "",
        ]
    )


def _lanes_driver(program: Program, name: str) -> str:
    """Gather lanes, compute, scatter; the last group repeats its last row."""
    lines = [f"IL_EXPORT {_rows_declaration(program, name, 'rows')}", "{"]
    moving = [(b.name, len(b.symbols)) for b in program.inputs if b.name != "pre"]
    results = [(o.name, len(o.exprs)) for o in program.outputs]
    lines += [f"    real v_{n}[{max(size, 1)}];" for n, size in (*moving, *results)]
    lines.append("    for (int64_t row = 0; row < count; row += IL_LANES) {")
    lines.append(
        "        const int lanes = count - row < IL_LANES ? (int)(count - row) : IL_LANES;"
    )
    for n, size in moving:
        lines.append(f"        il_gather({size}, {n} + row*{size}, lanes, v_{n});")
    call = ["pre" if b.name == "pre" else f"v_{b.name}" for b in program.inputs]
    call += [f"v_{n}" for n, _ in results]
    lines.append(f"        {name}({', '.join(call)});")
    for n, size in results:
        lines.append(f"        il_scatter({size}, v_{n}, lanes, {n} + row*{size});")
    lines += ["    }", "}", ""]
    return "\n".join(lines)


def _manifest(prefix: str, manifest: dict[str, object]) -> str:
    body = c_string(json.dumps(manifest, sort_keys=True, ensure_ascii=True), 8 * " ")
    # __extension__: the text may exceed the 4095 characters that C99 guarantees
    opening = [f"const char *{prefix}_manifest(void)", "{", "    return __extension__"]
    return "\n".join([*opening, body + ";", "}", ""])
