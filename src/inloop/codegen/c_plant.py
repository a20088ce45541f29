"""The table of a plant as C: one `il_plant` with everything that a host sees (il_plant.h)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from inloop.codegen.c_collision import MeetingRow, PileRow, meeting_entries, pile_entry
from inloop.codegen.c_formulas import emit_kept
from inloop.codegen.pieces import number
from inloop.codegen.quoting import c_comment, c_string
from inloop.symbolic import Program

# C types of functions by the field that holds their names
_SIGNATURES = {
    "rates": "int {}(void *, double, const double *, double *)",
    "expand": "int64_t {}(void *, int64_t, const double *, const double *, double *, double *, "
    "double *, double *, double *)",
    "settle": "int {}(void *, double, const double *)",
    "pivots": "void {}(void *, double, const double *, double *)",
    "predict": "int {}(void *, double, const double *, double, double *)",
    "correct": "int {}(void *, double, const double *, double, double, const double *, double *)",
    "jacobian": "int {}(void *, double, double, const double *, const double *, double *, "
    "double *)",
    "respond": "void {}(void *, double, const double *, double *)",
    "contact_rows": "int {}(void *, double, const double *, double *)",
    "drives": "void {}(const void *, double, const double *, const double *, double *)",
    "prepare": "void {}(const double *, double *)",
    "formula": "void {}(const il_view *, double *)",
    "sampled": "int {}(const double *, double, const double *, double *, double *)",
}
_FORMULAS = ("indicators", "project", "energy", "observe", "sense")


@dataclass(frozen=True)
class Quantity:
    """A row il_quantity."""

    name: str
    unit: str = ""
    start: float = 0.0
    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True)
class Preparation:
    """An il_preparation: function name and number of prepared quantities."""

    function: str = ""
    count: int = 0


NOTHING = Preparation()


@dataclass(frozen=True, kw_only=True)
class ContactTable:
    """An il_contact_table.

    Attributes:
        rows: name of the function.
        first: first row of each contact, then the number of rows.
        places: index in x of the first state of each contact.
        near: smaller gaps count as closed [m].
        states: number of states of force laws, including those of contacts.
        moved: whether drives or time-dependent constraints move contacts.
        meetings: shape pairs whose contacts, the last ones, are found in each step.
        pile: shapes that collide with each other; then there are no other contacts.
        poisson: 1 for each contact with Poisson's restitution, else 0; empty if there is none.
        turning: rows of rolling and of drilling for each contact in turn; empty if none resists.
    """

    rows: str
    first: tuple[int, ...]
    places: tuple[int, ...]
    near: float
    states: int
    moved: bool
    meetings: tuple[MeetingRow, ...] = ()
    pile: PileRow | None = None
    poisson: tuple[int, ...] = ()
    turning: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ChoiceRow:
    """An il_choice; functions are names in C, empty where there is none."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...] = ()
    driven: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    prepare: Preparation
    rates: str
    autonomous: bool = False
    expand: str = ""
    settle: str = ""
    pivots: str = ""
    prepare_steps: Preparation = NOTHING
    predict: str = ""
    correct: str = ""
    respond: str = ""
    kept: int = 0
    prepare_jacobian: Preparation = NOTHING
    jacobian: str = ""
    prepare_project: Preparation = NOTHING
    project: str = ""
    prepare_contacts: Preparation = NOTHING
    contacts: ContactTable | None = None
    redundant: str = ""


@dataclass(frozen=True, kw_only=True)
class EventRow:
    """An il_event_row."""

    name: str
    direction: int
    target: int
    settles_in: int = -1
    impact: int = -1
    restitutions: tuple[int, ...] = ()
    tolerance: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ModeRow:
    """An il_mode_row; places are pairs (kind of il_kind, index)."""

    name: str
    n: int
    states: int
    inputs: int
    rows: int
    turned: tuple[int, ...] = ()
    choices: tuple[ChoiceRow, ...]
    events: tuple[EventRow, ...] = ()
    prepare_events: Preparation = NOTHING
    indicators: str = ""
    energy: str = ""
    next: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    widest: int = 0
    drives: str = ""
    prepare_drives: Preparation = NOTHING
    observe: str = ""
    prepare_observe: Preparation = NOTHING
    observed: int = 0
    sense: str = ""
    prepare_sense: Preparation = NOTHING
    sensed: int = 0
    senses_motion: bool = False
    input_places: tuple[tuple[str, int], ...]
    output_places: tuple[tuple[str, int], ...]
    q: tuple[float, ...]
    qd: tuple[float, ...]
    z: tuple[float, ...]
    most: tuple[float, ...]
    units: tuple[float, ...]
    sizes: tuple[float, ...] = ()
    terms: str = ""
    prepare_terms: Preparation = NOTHING
    row_sizes: tuple[float, ...] = ()
    roles: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ControllerRow:
    """An il_controller; inputs and outputs by index."""

    name: str
    period: float
    sampled: str
    prepare: Preparation = NOTHING
    reads: tuple[int, ...]
    leads: tuple[int, ...]
    first: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PlantTable:
    """An il_plant."""

    name: str
    parameters: tuple[Quantity, ...]
    inputs: tuple[Quantity, ...]
    outputs: tuple[Quantity, ...]
    modes: tuple[ModeRow, ...]
    controller: ControllerRow | None = None
    kept: tuple[Program, ...] = ()  # margins of formulas of parameters, see `emit_kept`

    @property
    def hash(self) -> int:
        """Hash of names, units and sizes: equal hashes mean compatible interfaces."""
        groups = (self.parameters, self.inputs, self.outputs)
        names = [[(x.name, x.unit) for x in group] for group in groups]
        sizes = [(m.name, m.n, m.states, m.rows, *m.turned) for m in self.modes]
        facts = repr((self.name, names, sizes)).encode()
        return int.from_bytes(hashlib.sha256(facts).digest()[:8], "little")


def emit_plant(table: PlantTable, prefix: str, about: Sequence[str]) -> dict[str, str]:
    """C file with `<prefix>_plant()`, which returns the table."""
    writer = _Writer()
    kept = emit_kept(table.kept, prefix)
    body = writer.plant(table, kept.function)
    text = [
        c_comment(about),
        "#include <math.h>",
        "",
        '#include "il_plant.h"',
        "",
        *writer.declared.values(),
        "",
        *kept.lines,
        *writer.arrays,
        f"static const il_plant plant = {body};",
        "",
        f"IL_EXPORT const il_plant *{prefix}_plant(void);",
        f"const il_plant *{prefix}_plant(void)",
        "{",
        "    return &plant;",
        "}",
        "",
    ]
    return {f"{prefix}_plant.c": "\n".join(text), **kept.grids}


class _Writer:
    """Collects declarations and arrays while rows are written."""

    def __init__(self) -> None:
        self.declared: dict[str, str] = {}
        self.arrays: list[str] = []

    def plant(self, table: PlantTable, broken: str) -> str:
        groups = (table.parameters, table.inputs, table.outputs)
        quantities = [self._array("il_quantity", [_quantity(x) for x in group]) for group in groups]
        modes = self._array("il_mode_row", [self._mode(mode) for mode in table.modes])
        counts = [str(len(group)) for group in groups]
        head = (
            _text(table.name),
            f"UINT64_C(0x{table.hash:016x})",
            *quantities,
            *counts,
            modes,
            str(len(table.modes)),
        )
        return _row([*head, self._controller(table.controller), broken])

    def _controller(self, row: ControllerRow | None) -> str:
        """Name of the row of a controller."""
        if row is None:
            return "NULL"
        numbers = [self._array("int64_t", [str(k) for k in ks]) for ks in (row.reads, row.leads)]
        first = self._array("double", [_real(x) for x in row.first])
        return self._array(
            "il_controller",
            [
                _row(
                    [
                        _text(row.name),
                        _real(row.period),
                        self._function("sampled", row.sampled),
                        self._preparation(row.prepare),
                        *numbers,
                        first,
                        *map(str, map(len, (row.reads, row.leads, row.first))),
                    ]
                )
            ],
        )

    def _mode(self, mode: ModeRow) -> str:
        choices = self._array("il_choice", [self._choice(choice) for choice in mode.choices])
        events = self._array("il_event_row", [self._event(event) for event in mode.events])
        numbers = (mode.q, mode.qd, mode.z, mode.most, mode.units, mode.sizes)
        return _row(
            [
                _text(mode.name),
                *map(str, (mode.n, mode.states, mode.inputs, mode.rows, len(mode.turned))),
                self._array("int64_t", [str(k) for k in mode.turned]),
                choices,
                str(len(mode.choices)),
                events,
                str(len(mode.events)),
                self._preparation(mode.prepare_events),
                self._function("indicators", mode.indicators),
                self._function("energy", mode.energy),
                *map(self._formulas, (mode.next, mode.settled)),
                str(mode.widest),
                self._function("drives", mode.drives),
                self._preparation(mode.prepare_drives),
                self._function("observe", mode.observe),
                self._preparation(mode.prepare_observe),
                str(mode.observed),
                self._function("sense", mode.sense),
                self._preparation(mode.prepare_sense),
                str(mode.sensed),
                str(int(mode.senses_motion)),
                *(
                    self._array("il_place", [f"{{{kind}, {index}}}" for kind, index in places])
                    for places in (mode.input_places, mode.output_places)
                ),
                *(self._array("double", [_real(x) for x in row]) for row in numbers),
                self._extern("il_terms", mode.terms),
                self._preparation(mode.prepare_terms),
                self._array("double", [_real(x) for x in mode.row_sizes]),
                self._array("int32_t", [str(role) for role in mode.roles]),
            ]
        )

    def _formulas(self, names: Sequence[str]) -> str:
        return self._array("il_formula", [self._function("formula", name) for name in names])

    def _extern(self, kind: str, name: str) -> str:
        """Address of a constant defined in another file."""
        if not name:
            return "NULL"
        self.declared[name] = f"extern const {kind} {name};"
        return f"&{name}"

    def _choice(self, choice: ChoiceRow) -> str:
        """All fields in order; index tables come first, then their lengths."""
        roles = ("independent", "dependent", "driven")
        tables = [getattr(choice, role) for role in (*roles, "rows")]
        parts = [self._array("int64_t", [str(k) for k in table]) for table in tables]
        parts += [str(len(table)) for table in tables]
        for field in fields(choice):
            if field.name in (*roles, "rows"):
                continue
            value = getattr(choice, field.name)
            if isinstance(value, Preparation):
                parts.append(self._preparation(value))
            elif field.name == "redundant":
                parts.append(self._extern("il_redundant", choice.redundant))
            elif value is None or isinstance(value, ContactTable):
                parts.append(self._contacts(value))
            elif isinstance(value, str):
                parts.append(self._function(field.name, value))
            else:
                parts.append(str(int(value)))
        return _row(parts)

    def _contacts(self, table: ContactTable | None) -> str:
        """Address of a table of hard contacts."""
        if table is None:
            return "NULL"
        numbers = (table.first, table.places)
        lists = [self._array("int64_t", [str(k) for k in row]) for row in numbers]
        rows = self._function("contact_rows", table.rows)
        sizes = (str(len(table.places)), str(table.states), str(int(table.moved)))
        meetings = self._array("il_meeting", meeting_entries(table.meetings, self._array))
        found = (meetings, str(len(table.meetings)))
        pile = "NULL"
        if table.pile is not None:
            pile = self._array("il_pile", [pile_entry(table.pile, self._array)])
        poisson = self._array("int64_t", [str(k) for k in table.poisson])
        turning = self._array("int64_t", [str(k) for k in table.turning])
        entry = _row([rows, *lists, _real(table.near), *sizes, *found, pile, poisson, turning])
        return self._array("il_contact_table", [entry])

    def _event(self, event: EventRow) -> str:
        numbers = (event.direction, event.target, event.settles_in, event.impact)
        places = self._array("int64_t", [str(k) for k in event.restitutions])
        return _row([_text(event.name), *map(str, numbers), places, _real(event.tolerance)])

    def _preparation(self, how: Preparation) -> str:
        return f"{{{self._function('prepare', how.function)}, {how.count}}}"

    def _function(self, field: str, name: str) -> str:
        if not name:
            return "NULL"
        kind = "formula" if field in _FORMULAS else field
        self.declared[name] = f"{_SIGNATURES[kind].format(name)};"
        return name

    def _array(self, kind: str, entries: Sequence[str]) -> str:
        """Name of a constant array; NULL if it is empty."""
        if not entries:
            return "NULL"
        name = f"{re.sub('^il_', '', kind).removesuffix('_t')}_{len(self.arrays)}"
        listed = ",\n    ".join(entries) if kind.startswith("il_") else ", ".join(entries)
        self.arrays.append(f"static const {kind} {name}[] = {{\n    {listed}\n}};")
        return name


def _row(parts: Sequence[str]) -> str:
    return "{" + ", ".join(parts) + "}"


def _quantity(x: Quantity) -> str:
    numbers = (_real(value) for value in (x.start, x.least, x.most))
    return _row([_text(x.name), _text(x.unit), *numbers])


def _text(text: str) -> str:
    return c_string(text).strip()


def _real(value: float) -> str:
    if math.isinf(value):
        return "(double)INFINITY" if value > 0 else "-(double)INFINITY"
    return number(value)
