"""Grids of tables of two variables as C: constant data in a file of its own for each.

All functions of a library, and all derivatives of a table, read the same array, so that a large
grid is written and compiled once, beside the other files.
"""

from __future__ import annotations

from collections.abc import Iterable

from inloop.codegen.pieces import numbers
from inloop.symbolic import Expr, Program, reachable
from inloop.symbolic.surfaces import Patches, PiecewiseSurface

PER_LINE = 16


def grid_name(patches: Patches) -> str:
    """Name of the array, the same in all that is generated."""
    return f"il_grid_{patches.digest}"


def grid_declarations(exprs: Iterable[Expr]) -> list[str]:
    """Lines before a function that uses grids."""
    return [f"{_declared(patches)};" for patches in _grids(exprs)]


def emit_grids(programs: Iterable[Program]) -> dict[str, str]:
    """C files of all grids that programs use."""
    exprs = (expr for program in programs for expr in program.exprs)
    return {f"{grid_name(patches)}.c": _definition(patches) for patches in _grids(exprs)}


def _grids(exprs: Iterable[Expr]) -> list[Patches]:
    payloads = (node.payload for node in reachable(exprs))
    found = (p.patches for p in payloads if isinstance(p, PiecewiseSurface))
    return list(dict.fromkeys(found))


def _declared(patches: Patches) -> str:
    return f"extern const double {grid_name(patches)}[{len(patches.numbers)}]"


def _definition(patches: Patches) -> str:
    n, m = patches.coefficients.shape[:2]
    values = patches.numbers
    rows = [numbers(values[k : k + PER_LINE]) for k in range(0, len(values), PER_LINE)]
    return "\n".join(
        [
            f"/* {n} x {m} patches: limits along x, limits along y, 16 coefficients of each */",
            f"{_declared(patches)};",
            f"const double {grid_name(patches)}[{len(values)}] = {{",
            ",\n".join(rows),
            "};",
            "",
        ]
    )
