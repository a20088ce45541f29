"""Choose the code for a pattern: straight-line, rolled into shared steps, or tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from inloop.codegen.sparse_lu.arrangement import in_order_of_use, lanes_in_order_of_use
from inloop.codegen.sparse_lu.fused import emit_fused
from inloop.codegen.sparse_lu.layout import Layout
from inloop.codegen.sparse_lu.rolled import emit_rolled
from inloop.codegen.sparse_lu.straight import PREFIX, STRAIGHT, emit_straight
from inloop.codegen.sparse_lu.tables import emit_tables
from inloop.errors import InputError
from inloop.linear.pattern import Pattern
from inloop.native.library import Reals
from inloop.symbolic.elimination import Elimination, eliminate, in_order
from inloop.symbolic.pivot_order import PivotOrder, StructuralRankError
from inloop.symbolic.repeated.elimination import eliminate_in_steps

Kind = Literal["straight", "rolled", "tables"]
APART = 8_000  # maximum operations for straight-line factor and solve in addition to both in one
ROLLED = 4_000  # minimum operations for which equal steps share their code


@dataclass(frozen=True)
class Wanted:
    """Options requested by the user.

    Attributes:
        threshold: smallest pivot, relative to its column.
        kind: kind of code; None for the fastest.
        constants: index of a value → its constant value.
        arranged: whether values are passed in the order in which the code reads them.
    """

    threshold: float
    kind: Kind | None
    constants: Mapping[int, float]
    arranged: bool


@dataclass(frozen=True)
class CompiledPattern:
    """The generated code of a pattern.

    Attributes:
        elimination: elimination in pivot order.
        kind: kind of code.
        files: C files of the generated code, empty for tables.
        tables: C text of everything else.
        arrangement: index in the pattern of each value; None for the order of the pattern.
    """

    elimination: Elimination
    kind: Kind
    files: dict[str, str]
    tables: str
    arrangement: Sequence[int] | None


def choose_code(pattern: Pattern, samples: Reals, wanted: Wanted) -> CompiledPattern:
    """The requested kind of code, or the fastest.

    Raises:
        InputError: the matrix is singular, or "rolled" was requested and nothing repeats.
    """
    try:
        rolled = _rolled(pattern, samples, wanted) if wanted.kind in (None, "rolled") else None
        found = rolled or _in_one_order(pattern, samples, wanted)
    except StructuralRankError:
        raise InputError(
            "the pattern is singular whatever its values are",
            fix="Some rows have entries in too few columns: look for unknowns or equations that "
            "are missing.",
        ) from None
    if found.elimination.order.weakest == 0.0:
        raise InputError(
            "all samples are singular", fix="Give at least one sample of a regular matrix."
        )
    return found


def _in_one_order(pattern: Pattern, samples: Reals, wanted: Wanted) -> CompiledPattern:
    places, constants = pattern.places, wanted.constants
    elimination = eliminate(pattern.n, places, samples, wanted.threshold, constants)
    arrangement = None
    if wanted.arranged:
        arrangement = in_order_of_use(elimination)
        again = in_order([places[k] for k in arrangement], elimination.order)
        elimination = replace(again, constants=_moved(constants, arrangement))
    operations = elimination.operations
    straight = wanted.kind == "straight" or (wanted.kind is None and operations <= STRAIGHT)
    apart = straight and operations <= APART
    files = emit_straight(elimination) if apart else {}
    files |= emit_fused(elimination, PREFIX) if straight else {}
    tables = emit_tables(elimination, apart, straight)
    kind: Kind = "straight" if straight else "tables"
    return CompiledPattern(elimination, kind, files, tables, arrangement)


def _rolled(pattern: Pattern, samples: Reals, wanted: Wanted) -> CompiledPattern | None:
    """Code that equal steps share, if requested or worthwhile."""
    places = pattern.places
    found = eliminate_in_steps(pattern.n, places, samples, wanted.threshold)
    if wanted.kind == "rolled" and found is None:
        raise InputError(
            "the pattern does not repeat itself",
            fix="Number the unknowns and equations body by body, or leave kind out.",
        )
    if found is None:
        return None
    if wanted.kind is None and not (found.operations >= ROLLED and found.repeats):
        return None
    layout = Layout(found.schedule, wanted.constants)
    arrangement = None
    if wanted.arranged:
        arrangement = lanes_in_order_of_use(layout)
        places = [places[k] for k in arrangement]
        layout = Layout(found.with_places(places).schedule, _moved(wanted.constants, arrangement))
    order = PivotOrder(tuple(layout.rows), tuple(layout.columns), found.weakest)
    elimination = in_order(places, order)
    tables = emit_tables(elimination, layout)
    return CompiledPattern(elimination, "rolled", emit_rolled(layout), tables, arrangement)


def _moved(constants: Mapping[int, float], arrangement: Sequence[int]) -> dict[int, float]:
    """Constants by their index in the arrangement."""
    return {at: constants[k] for at, k in enumerate(arrangement) if k in constants}
