"""Wrap the controller of a plant in the form that il_controller.c calls (il_sampled)."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.codegen.quoting import c_comment
from inloop.symbolic import Program


def emit_sampled(programs: Sequence[Program], prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with an il_sampled `<prefix>_<program>_sampled` around the program of a controller."""
    (program,) = programs
    name = f"{prefix}_{program.name}"
    states = sum(len(out.exprs) for out in program.outputs if out.name == "following")
    places = {"pre": "gains", "t": "&t", "y": "y", "s": "states"}
    arguments = [places[block.name] for block in program.inputs]
    results = {"u": "values", "following": "following"}
    arguments += [results[out.name] for out in program.outputs]
    keep = [
        f"    for (int k = 0; k < {states}; k++) {{",
        "        states[k] = following[k];",
        "    }",
    ]
    text = [
        c_comment(about),
        f'#include "{prefix}.h"',
        "",
        f"IL_EXPORT int {name}_sampled(const double *gains, double t, const double *y,",
        "    double *states, double *values);",
        f"int {name}_sampled(const double *gains, double t, const double *y,",
        "    double *states, double *values)",
        "{",
        f"    double following[{max(states, 1)}];",
        "    (void)gains; (void)t; (void)y; (void)states; (void)following;",
        f"    {name}({', '.join(arguments)});",
        *(keep if states else []),
        "    return 0;",
        "}",
        "",
    ]
    return {f"{prefix}_sampled.c": "\n".join(text)}


def emit_own_c(
    text: str, function: str, prefix: str, places: Sequence[int]
) -> tuple[dict[str, str], str, str]:
    """A user's C function, with its names kept apart from all others.

    Args:
        text: contents of the user's file.
        function: name of the function in it.
        prefix: prefix of generated names.
        places: indices of its parameters among those of the plant.

    Returns:
        The files, and the names of an il_sampled and of the function that prepares its parameters.
    """
    sampled, prepare = f"{prefix}_own_sampled", f"{prefix}_own_prepare"
    signature = (
        "const double *gains, double t, const double *y,\n    double *states, double *values"
    )
    copies = [f"    gains[{k}] = parameters[{place}];" for k, place in enumerate(places)]
    lines = [
        text,
        "",
        '#include "il_export.h"',
        "",
        f"IL_EXPORT int {sampled}({signature});",
        f"int {sampled}({signature})",
        "{",
        f"    return {function}(gains, t, y, states, values);",
        "}",
        "",
        f"IL_EXPORT void {prepare}(const double *parameters, double *gains);",
        f"void {prepare}(const double *parameters, double *gains)",
        "{",
        "    (void)parameters;",
        "    (void)gains;",
        *copies,
        "}",
        "",
    ]
    return {f"{prefix}_own.c": "\n".join(lines)}, sampled, prepare
