"""Programs as C99: one prefix, flat arrays, no allocation, no globals.

Every function is straight-line code. A long one is cut into parts of about a thousand operations
where few values are alive, because compile time is superlinear in the length of a function. Values
that cross a cut live in a struct on the caller's stack. Grids of two-dimensional tables are
constant data in files of their own, shared by all functions, so that a large one is compiled once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from inloop.codegen.header import comment_lines
from inloop.codegen.parts import Part, split
from inloop.codegen.pieces import TableNames, number, numbers, result_text
from inloop.codegen.quoting import c_comment, c_heading, identifier
from inloop.symbolic import Expr, Notation, Program, reachable, to_text
from inloop.symbolic.charts import Chart, ChartData
from inloop.symbolic.listing import Listing, Load, Statement, Store, layout
from inloop.symbolic.operations import OPERATIONS
from inloop.symbolic.tables import PiecewisePolynomial
from inloop.symbolic.text import Template

INDENT = "    "
SINES = ("sine", "cosine")
MANY_ZEROS = 8  # consecutive zero results: compilers are slow on thousands of such stores
PER_LINE = 16  # numbers of a grid: one patch
FEW_ANGLES = 4  # up to this many sines are computed one by one, which beats one vector


@dataclass(frozen=True)
class CFunction:
    """One generated C function.

    Attributes:
        name: full name with prefix.
        declaration: prototype without semicolon.
        text: definition, parts and tables included.
    """

    name: str
    declaration: str
    text: str


class PlainKinds:
    """Types of the values of a program: all are `real`, except for parameters."""

    def of(self, node: Expr) -> str:
        """The type of a value."""
        return "real"

    def of_block(self, program: Program, name: str) -> str:
        """The type of the entries of an array."""
        of_parameters = name in ("pre", "par") or program.name == "prepare"
        return "double" if of_parameters else "real"

    def stored(self, expr: Expr, block: str, text: str) -> str:
        """A result converted to the type of its output array."""
        return f"IL_SPLAT({text})" if expr.is_constant else text

    def zero(self, block: str) -> str:
        """Zero, as an entry of an output array."""
        return "IL_SPLAT(0.0)"

    def notation(self, functions: dict[str, Template]) -> Notation:
        """The notation in which expressions are printed."""
        return Notation(number=number, functions=functions)


PLAIN_KINDS = PlainKinds()


def emit_function(
    program: Program,
    prefix: str,
    angles: Sequence[Expr] | None = None,
    kinds: PlainKinds = PLAIN_KINDS,
) -> CFunction:
    """C text of one program.

    Args:
        program: the program to print.
        prefix: first part of the name.
        angles: angles whose sines and cosines the caller passes in two arrays `sine` and `cosine`
            after the inputs; at least those of the program. None: the function computes them.
        kinds: types of its values.
    """
    listing = layout(program)
    if angles is not None:
        listing = replace(listing, angles=tuple(angles))
    name = identifier(f"{prefix}_{program.name}")
    tables = TableNames(f"{name}_table")
    notation = kinds.notation(_functions(tables))
    parts = split(listing)
    body = (
        _single(listing, notation, parts[0], name, angles is not None, kinds)
        if len(parts) == 1
        else _several(listing, notation, parts, name, angles is not None, kinds)
    )
    comment = c_comment(comment_lines(program))
    data = [*_table_lines(tables), *(f"{_declared(grid)};" for grid in _grids(program.exprs))]
    text = "\n".join([*data, *body[0], comment, *body[1]])
    return CFunction(name, declaration(program, name, angles is not None, kinds), text + "\n")


def declaration(
    program: Program, name: str, sines_given: bool = False, kinds: PlainKinds = PLAIN_KINDS
) -> str:
    """Prototype of a function, without semicolon."""
    return f"void {name}({', '.join(_arguments(program, sines_given, kinds))})"


def _arguments(program: Program, sines_given: bool, kinds: PlainKinds) -> list[str]:
    ins = [
        f"const {kinds.of_block(program, block.name)} *restrict {block.name}"
        for block in program.inputs
    ]
    if sines_given:
        ins += [f"const real *restrict {name}" for name in SINES]
    outs = [f"{kinds.of_block(program, out.name)} *restrict {out.name}" for out in program.outputs]
    return [*ins, *outs]


def _block_names(program: Program, sines_given: bool) -> list[str]:
    ins = [block.name for block in program.inputs] + (list(SINES) if sines_given else [])
    return ins + [out.name for out in program.outputs]


def _single(
    listing: Listing,
    notation: Notation,
    part: Part,
    name: str,
    sines_given: bool,
    kinds: PlainKinds,
) -> tuple[list[str], list[str]]:
    lines = [declaration(listing.program, name, sines_given, kinds), "{"]
    lines += _ignored(listing.program, sines_given)
    lines += [] if sines_given else _angles(listing, notation)
    lines += _part_lines(listing, notation, part, {}, _sine_entries(listing), kinds)
    return [], [*lines, "}"]


def _several(
    listing: Listing,
    notation: Notation,
    parts: list[Part],
    name: str,
    sines_given: bool,
    kinds: PlainKinds,
) -> tuple[list[str], list[str]]:
    """Parts as static functions, and a function that computes all sines and calls the parts."""
    with_sines = sines_given or bool(listing.angles)
    sines = _sine_entries(listing)
    crossing = sorted({n for part in parts for n in part.imports}, key=lambda n: n.id)
    shared = {node: f"shared->{listing.names[node]}" for node in crossing}
    before = [f"struct {name}_shared {{"]
    # C99 has no empty struct
    members = [f"{INDENT}{kinds.of(node)} {listing.names[node]};" for node in crossing]
    before += members or [f"{INDENT}char nothing;"]
    before.append("};")
    calls = []
    shared_argument = f"struct {name}_shared *restrict shared"
    for k, part in enumerate(parts, start=1):
        # pass only the outputs it writes: compilers are slow on thousands of restrict pointers
        written = _written(listing.program, part)
        arguments = [*_arguments(written, with_sines, kinds), shared_argument]
        before.append(f"static void {name}_part{k}({', '.join(arguments)})")
        before.append("{")
        before += [*_ignored(written, with_sines), f"{INDENT}(void)shared;"]
        before += _part_lines(listing, notation, part, shared, sines, kinds)
        before += ["}", ""]
        blocks = _block_names(written, with_sines)
        calls.append(f"{INDENT}{name}_part{k}({', '.join(blocks)}, &shared);")
    main = [
        declaration(listing.program, name, sines_given, kinds),
        "{",
        f"{INDENT}struct {name}_shared shared;",
        *([] if sines_given else _angles(listing, notation)),
    ]
    return before, [*main, *calls, "}"]


def _written(program: Program, part: Part) -> Program:
    """The program with only those outputs that a part writes."""
    blocks = {item.block for item in part.items if isinstance(item, Store)}
    return replace(program, outputs=tuple(x for x in program.outputs if x.name in blocks))


def _ignored(program: Program, sines_given: bool) -> list[str]:
    names = _block_names(program, sines_given)
    return [INDENT + " ".join(f"(void){name};" for name in names)] if names else []


def _angles(listing: Listing, notation: Notation) -> list[str]:
    """Sines and cosines of all joints, computed together."""
    if not listing.angles:
        return []
    entries = {s: _entry(load) for s, load in listing.loads.items()}
    count = len(listing.angles)
    size = f"IL_PADDED({count})" if count > FEW_ANGLES else str(count)
    declared = f"{INDENT}real sine[{size}], cosine[{size}];"
    return [declared, *sincos_lines(listing.angles, entries, notation)]


def sincos_lines(
    angles: Sequence[Expr], entries: Mapping[Expr, str], notation: Notation
) -> list[str]:
    """Fill `sine` and `cosine` of all angles; many are computed together."""
    if len(angles) <= FEW_ANGLES:
        texts = [to_text(a, entries, notation) for a in angles]
        return [
            f"{INDENT}il_sincos_one({text}, &sine[{k}], &cosine[{k}]);"
            for k, text in enumerate(texts)
        ]
    size = f"IL_PADDED({len(angles)})"
    lines = [f"{INDENT}real angle[{size}] = {{IL_SPLAT(0.0)}};"]
    # a sum of many angles reuses the sum before it: the text grows linearly with their number
    names = dict(entries)
    for k, angle in enumerate(angles):
        lines.append(f"{INDENT}angle[{k}] = {to_text(angle, names, notation)};")
        if angle.args:
            names[angle] = f"angle[{k}]"
    return [*lines, f"{INDENT}il_sincos({size}, angle, sine, cosine);"]


def _entry(load: Load) -> str:
    """An entry of an input array; prepared quantities are the same in all lanes."""
    entry = f"{load.block}[{load.index}]"
    return f"IL_SPLAT({entry})" if load.block == "pre" else entry


def _sine_entries(listing: Listing) -> dict[Expr, str]:
    position = {angle: k for k, angle in enumerate(listing.angles)}
    return {
        node: f"{'sine' if node.op == 'sin' else 'cosine'}[{position[node.args[0]]}]"
        for node in listing.names
        if node.op in ("sin", "cos") and node.args[0] in position
    }


def _part_lines(
    listing: Listing,
    notation: Notation,
    part: Part,
    shared: Mapping[Expr, str],
    sines: Mapping[Expr, str],
    kinds: PlainKinds,
) -> list[str]:
    """Load values at their first use, and store results as soon as they are known.

    This keeps fewer of them on the stack: compilers keep the order of the text.
    """
    lines: list[str] = []
    section, k = "", 0
    while k < len(part.items):
        item = part.items[k]
        lines += [_load_line(listing, node, shared, sines, kinds) for node in part.loads[k]]
        k += 1
        if isinstance(item, Store):
            zeros = _zeros_from(part.items, k - 1)
            if zeros >= MANY_ZEROS:
                lines.append(_zeros_line(item, zeros, kinds))
                k += zeros - 1
            else:
                lines.append(_store_line(listing, notation, item, kinds))
            continue
        if item.section != section:
            section = item.section
            lines.append(f"{INDENT}{c_heading(section)}" if section else "")
        text = to_text(item.expr, listing.names, notation)
        lines.append(f"{INDENT}const {kinds.of(item.expr)} {item.name} = {text};")
        if item.expr in shared:
            lines.append(f"{INDENT}{shared[item.expr]} = {item.name};")
    return lines


def _load_line(
    listing: Listing,
    node: Expr,
    shared: Mapping[Expr, str],
    sines: Mapping[Expr, str],
    kinds: PlainKinds,
) -> str:
    name, load = listing.names[node], listing.loads.get(node)
    if load is not None:
        kind = "double" if load.block == "par" else kinds.of(node)
        return f"{INDENT}const {kind} {name} = {_entry(load)};"
    if node in sines:
        return f"{INDENT}const real {name} = {sines[node]};"
    return f"{INDENT}const {kinds.of(node)} {name} = {shared[node]};"


def _store_line(listing: Listing, notation: Notation, store: Store, kinds: PlainKinds) -> str:
    text = result_text(store.expr, listing, notation)
    value = kinds.stored(store.expr, store.block, text)
    return f"{INDENT}{store.block}[{store.index}] = {value};"


def _zeros_line(first: Store, count: int, kinds: PlainKinds) -> str:
    """Store consecutive zeros."""
    loop = f"for (int k = {first.index}; k < {first.index + count}; k++)"
    return f"{INDENT}{loop} {first.block}[k] = {kinds.zero(first.block)};"


def _zeros_from(items: Sequence[Statement | Store], begin: int) -> int:
    """Number of consecutive zeros of one array from here on."""
    first, count = items[begin], 0
    for item in islice(items, begin, None):
        if not isinstance(first, Store) or not isinstance(item, Store):
            break
        next_one = item.block == first.block and item.index == first.index + count
        if not next_one or not (item.expr.is_constant and item.expr.value == 0.0):
            break
        count += 1
    return count


def _table_lines(tables: TableNames) -> list[str]:
    """Static constant arrays of the interpolation tables that a function uses."""
    lines = []
    for name, table in tables:
        assert isinstance(table, PiecewisePolynomial)
        rows = tuple(c for row in table.coefficients for c in row)
        arrays = {"x": table.breaks, "c": rows}
        lines += [
            f"static const double {name}_{end}[] = {{{numbers(values)}}};"
            for end, values in arrays.items()
        ]
    return lines


def _look_up(x: str, name: str, table: PiecewisePolynomial) -> str:
    count = len(table.coefficients)
    ends = numbers((table.below, table.above))
    return f"il_table({_splat(x)}, {count}, {name}_x, {name}_c, {ends})"


def _look_up_chart(x: str, y: str, chart: Chart) -> str:
    arguments = [_splat(x), _splat(y), _grid_name(chart.data), *map(str, chart.settings)]
    return f"il_{chart.function}({', '.join(arguments)})"


def emit_grids(programs: Iterable[Program]) -> dict[str, str]:
    """C files of all grids that programs use; the same grid has the same name everywhere."""
    exprs = (expr for program in programs for expr in program.exprs)
    return {f"{_grid_name(grid)}.c": _definition(grid) for grid in _grids(exprs)}


def _grids(exprs: Iterable[Expr]) -> list[ChartData]:
    payloads = (node.payload for node in reachable(exprs))
    return list(dict.fromkeys(p.data for p in payloads if isinstance(p, Chart)))


def _grid_name(data: ChartData) -> str:
    return f"il_grid_{data.digest}"


def _declared(data: ChartData) -> str:
    return f"extern const double {_grid_name(data)}[{len(data.numbers)}]"


def _definition(data: ChartData) -> str:
    values = data.numbers
    rows = [numbers(values[k : k + PER_LINE]) for k in range(0, len(values), PER_LINE)]
    lines = [
        f"/* {data.doc} */",
        f"{_declared(data)};",
        f"const double {_grid_name(data)}[{len(values)}] = {{",
        ",\n".join(rows),
        "};",
        "",
    ]
    return "\n".join(lines)


def _splat(text: str) -> str:
    """Arguments that are plain numbers are broadcast to all lanes."""
    return f"IL_SPLAT({text})" if text[:1].isdigit() or text[:1] == "-" else text


def _functions(tables: TableNames) -> dict[str, Template]:
    def template(op: str) -> Template:
        return lambda *args: f"il_{op}({', '.join(_splat(a) for a in args)})"

    def table(x: str, data: PiecewisePolynomial) -> str:
        return _look_up(x, tables.name(data), data)

    operations = {op: template(op) for op in OPERATIONS}
    return {**operations, "table": table, "table2": _look_up_chart}
