"""Terms of the constrained equations as C: one `il_terms` that serves every partition.

Sines and cosines are computed once, at the estimate of a position, and updated by Newton's small
corrections; those of angles that contain velocities follow when these are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.codegen import c_attitudes
from inloop.codegen.angles import change, summands
from inloop.codegen.c import declaration, emit_function, sincos_lines
from inloop.codegen.c_library import rows_driver
from inloop.codegen.closed_pattern import starts
from inloop.codegen.pieces import number
from inloop.codegen.quoting import c_comment, identifier
from inloop.symbolic import Expr, Notation, Program, to_text
from inloop.symbolic.listing import layout
from inloop.symbolic.sparsity import Place

PER_LINE = 20
# inputs known at the call of each function, in the order of the functions
KNOWN = (("pre", "q", "t", "u", "z"), ("qd",), ("qdd", "lam"))


@dataclass(frozen=True, kw_only=True)
class TermsUnit:
    """Sizes and sparsity in the `il_terms` of a mechanism.

    Attributes:
        n: number of coordinates.
        rows: number of constraint rows.
        states: number of internal states of force laws.
        driven: indices of the driven coordinates.
        turned: see `c_attitudes`.
        J, M: places of the entries, row by row; for M those of its lower half.
    """

    n: int
    rows: int
    states: int
    driven: tuple[int, ...]
    turned: tuple[int, ...]
    J: tuple[Place, ...]
    M: tuple[Place, ...]


@dataclass(frozen=True)
class _Angles:
    """Angles of all programs, grouped by the inputs they need."""

    programs: tuple[Program, ...]

    @cached_property
    def symbols(self) -> dict[Expr, tuple[str, int]]:
        """Block and index of each entry of the inputs."""
        blocks = (block for program in self.programs for block in program.inputs)
        return {s: (block.name, k) for block in blocks for k, s in enumerate(block.symbols)}

    @cached_property
    def groups(self) -> tuple[tuple[Expr, ...], ...]:
        """Angles known with the position, with the velocities, with the whole motion."""
        angles = sorted({a for p in self.programs for a in layout(p).angles}, key=lambda a: a.id)
        groups: tuple[list[Expr], ...] = tuple([] for _ in KNOWN)
        for angle in angles:
            needed = {self.symbols[s][0] for s in summands(angle)}
            last = max((k for k, names in enumerate(KNOWN) if needed & {*names}), default=0)
            groups[last].append(angle)
        return tuple(tuple(group) for group in groups)

    @cached_property
    def all(self) -> tuple[Expr, ...]:
        """All groups concatenated."""
        return tuple(angle for group in self.groups for angle in group)

    def entries(self, place: str) -> dict[Expr, str]:
        """Text of each entry of the inputs; `place` is the struct that holds the blocks."""
        return {s: _entry(block, k, place.format(block)) for s, (block, k) in self.symbols.items()}

    def one_by_one(self, chosen: Iterable[Expr], place: str) -> list[str]:
        """Statements that fill the sines and cosines of selected angles."""
        number_of = {angle: k for k, angle in enumerate(self.all)}
        entries, notation = self.entries(place), Notation(number=number)
        return [
            f"    il_sincos_one({to_text(a, entries, notation)}, &sine[{k}], &cosine[{k}]);"
            for a, k in ((a, number_of[a]) for a in chosen)
        ]


def _entry(block: str, k: int, place: str) -> str:
    return place if block == "t" and "->" in place else f"{place}[{k}]"


def emit_terms(
    unit: TermsUnit, programs: Sequence[Program], prefix: str, about: Sequence[str]
) -> dict[str, str]:
    """C files with the `il_terms` of a mechanism, `<prefix>_terms`, and functions for callers.

    Args:
        unit: sizes and places.
        programs: terms at a position, of the motion and, if laws have states, their rates.
        prefix: first part of all exported names.
        about: comment lines.
    """
    angles = _Angles(tuple(programs))
    top = [c_comment(about), f'#include "{prefix}.h"', '#include "il_terms.h"', ""]
    # one file per program, so that they compile in parallel
    files = {
        f"{prefix}_{program.name}.c": "\n".join([*top, _functions(program, angles, prefix)])
        for program in programs
    }
    text = [
        *top,
        *(f"{declaration(p, _inner_name(p, prefix), True)};" for p in programs),
        "",
        _sines(angles),
        _turn(angles),
        *(_at_point(p, angles, k, prefix) for k, p in enumerate(programs)),
        _table(unit, programs, angles, prefix),
    ]
    files[f"{prefix}_terms.c"] = "\n".join(text)
    return files


def _inner_name(program: Program, prefix: str) -> str:
    """Name of the function that takes sines and cosines as arguments."""
    return identifier(f"{prefix}_at_{program.name}")


def _functions(program: Program, angles: _Angles, prefix: str) -> str:
    """A program with given sines and cosines, stand-alone, and for many rows."""
    inner = emit_function(program, f"{prefix}_at", angles.all)
    prototype = f"{inner.declaration};"
    alone = _alone(program, angles, prefix)
    return "\n".join(
        [prototype, inner.text, alone, rows_driver(program, f"{prefix}_{program.name}")]
    )


def _sines(angles: _Angles) -> str:
    """Sines and cosines of all angles that are known with the position."""
    lines = sincos_lines(angles.groups[0], angles.entries("at->{}"), Notation(number=number))
    return "\n".join(
        [
            "static void terms_sines(const il_terms_at *at)",
            "{",
            "    double *sine = at->sine, *cosine = at->cosine;",
            "    (void)sine; (void)cosine;",
            *lines,
            "}",
            "",
        ]
    )


def _turn(angles: _Angles) -> str:
    """Update them after small changes of the coordinates."""
    steps = {s: f"dq[{k}]" for s, (block, k) in angles.symbols.items() if block == "q"}
    turns = [(k, change(angle, steps)) for k, angle in enumerate(angles.groups[0])]
    return "\n".join(
        [
            "static void terms_turn(const il_terms_at *at, const double *dq)",
            "{",
            "    double *sine = at->sine, *cosine = at->cosine;",
            "    (void)sine; (void)cosine; (void)dq;",
            *(f"    il_turn({text}, &sine[{k}], &cosine[{k}]);" for k, text in turns if text),
            "}",
            "",
        ]
    )


def _at_point(program: Program, angles: _Angles, number_of_call: int, prefix: str) -> str:
    """A program as an `il_term`: reads inputs from the point, writes outputs to it."""
    names = [*(b.name for b in program.inputs), "sine", "cosine"]
    names += [out.name for out in program.outputs]
    places = ", ".join("&at->t" if name == "t" else f"at->{name}" for name in names)
    late = angles.one_by_one(angles.groups[number_of_call], "at->{}") if number_of_call else []
    local = ["    double *sine = at->sine, *cosine = at->cosine;"] if late else []
    return "\n".join(
        [
            f"static void terms_{program.name}(const il_terms_at *at)",
            "{",
            *local,
            *late,
            f"    {_inner_name(program, prefix)}({places});",
            "}",
            "",
        ]
    )


def _table(unit: TermsUnit, programs: Sequence[Program], angles: _Angles, prefix: str) -> str:
    functions = [f"terms_{program.name}" for program in programs]
    functions += ["0"] * (len(KNOWN) - len(programs))
    return "\n".join(
        [
            _indices("driven", unit.driven),
            *_rows("J", unit.J, unit.rows),
            *_rows("M", unit.M, unit.n),
            f"extern IL_EXPORT const il_terms {prefix}_terms;",
            f"const il_terms {prefix}_terms = {{",
            f"    {unit.n}, {unit.states}, {_padded(angles)},",
            f"    {len(unit.turned)}, {c_attitudes.table(unit.turned)},",
            f"    {len(unit.driven)}, terms_driven,",
            f"    {{{unit.rows}, terms_J_begin, terms_J_column}},",
            f"    {{{unit.n}, terms_M_begin, terms_M_column}},",
            f"    terms_sines, terms_turn, {', '.join(functions)}",
            "};",
            "",
        ]
    )


def _padded(angles: _Angles) -> str:
    """Length of the arrays: whole vectors, for any group that is computed together."""
    return f"IL_PADDED({max(len(angles.all), 1)})"


def _rows(name: str, places: Sequence[Place], count: int) -> list[str]:
    rows: list[list[int]] = [[] for _ in range(count)]
    for i, j in places:
        rows[i].append(j)
    columns = (j for row in rows for j in row)
    return [_indices(f"{name}_begin", starts(rows)), _indices(f"{name}_column", columns)]


def _indices(name: str, values: Iterable[int]) -> str:
    texts = [str(value) for value in values] or ["0"]  # C99 has no empty array
    lines = [", ".join(texts[k : k + PER_LINE]) for k in range(0, len(texts), PER_LINE)]
    return f"static const int32_t terms_{name}[] = {{\n    {f',{chr(10)}    '.join(lines)}}};"


def _alone(program: Program, angles: _Angles, prefix: str) -> str:
    """A function for callers without sines and cosines."""
    ins, outs = [b.name for b in program.inputs], [o.name for o in program.outputs]
    own = {s for block in program.inputs for s in block.symbols}
    known = [a for a in angles.all if summands(a).keys() <= own]
    size = _padded(angles)
    return "\n".join(
        [
            declaration(program, f"{prefix}_{program.name}"),
            "{",
            f"    double sine[{size}] = {{0.0}}, cosine[{size}] = {{0.0}};",
            *angles.one_by_one(known, "{}"),
            f"    {_inner_name(program, prefix)}({', '.join([*ins, 'sine', 'cosine', *outs])});",
            "}",
            "",
        ]
    )
