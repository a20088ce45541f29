"""Which sources a plant that leaves Python needs: of the runtime only what it reaches."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from inloop.codegen.c_plant import PlantTable
from inloop.codegen.c_program import METHODS
from inloop.native import absent_sources, runtime_headers, runtime_sources

_NAME = re.compile(r"[A-Za-z_]\w*")
_NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# a function or a table that other files see: its name begins a line, behind its type
_DEFINED = re.compile(
    r"^(?!static|typedef|#|\s|\}).*?\b(\w+)(?:\([^;]*?\)\s*\{|(?:\[\w*\])* = \{)", re.MULTILINE
)


def usable_methods(table: PlantTable) -> tuple[str, ...]:
    """Integrators that can step the plant: some are there for what it may not have."""
    needs = {
        "moreau": _has_contacts(table),
        "event_driven": _has_contacts(table),
        "alpha": _is_redundant(table),
    }
    return tuple(method for method in METHODS if needs.get(method, True))


def needed_sources(
    table: PlantTable,
    own: Mapping[str, str],
    *,
    methods: Collection[str],
    called: Iterable[str] = (),
    others: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """All headers, the sources of a program, and what they reach of the runtime.

    Args:
        table: of the plant.
        own: files that the program consists of, by name.
        methods: integrators that it may ask for.
        called: names that it calls beside those in its own files.
        others: files that it has as well, unless nobody calls them.

    Returns:
        File name → text.
    """
    reachable = {**runtime_headers(), **runtime_sources(), **(others or {})}
    stepper = "il_stepper.c"
    reachable[stepper] = f"{_offer(methods)}\n{reachable[stepper]}"
    bodies = {
        name: text for name, text in reachable.items() if name.endswith(".c") and name not in own
    }
    absent = _absent(table)
    where = _definitions(bodies) | _definitions(absent)
    bodies |= absent
    left_out = {f"il_method_{method}" for method in METHODS if method not in methods}
    found: dict[str, str] = {}
    waiting = set(called).union(*(_names(own[name]) for name in own if name.endswith(".c")))
    while waiting:
        files = {where[name] for name in waiting - left_out if name in where} - found.keys()
        found |= {file: bodies[file] for file in files}
        waiting = set().union(*(_names(bodies[file]) for file in files))
    headers = {name: text for name, text in reachable.items() if name.endswith(".h")}
    return {**headers, **dict(sorted(found.items())), **own}


def _offer(methods: Collection[str]) -> str:
    """What tells the steppers which integrators there are."""
    return f"#define IL_OFFERED ({' | '.join(f'1 << IL_{m.upper()}' for m in methods)})"


def _absent(table: PlantTable) -> dict[str, str]:
    """Files that stand in for parts of the runtime that the plant does not have."""
    has = {
        "il_without_contacts.c": _has_contacts(table),
        "il_without_redundant.c": _is_redundant(table),
        "il_without_loops.c": any(mode.terms for mode in table.modes),
    }
    return {name: text for name, text in absent_sources().items() if not has[name]}


def _has_contacts(table: PlantTable) -> bool:
    return any(choice.contacts for mode in table.modes for choice in mode.choices)


def _is_redundant(table: PlantTable) -> bool:
    return any(choice.redundant for mode in table.modes for choice in mode.choices)


def _names(text: str) -> set[str]:
    return set(_NAME.findall(_NOT_CODE.sub(" ", text)))


def _definitions(bodies: Mapping[str, str]) -> dict[str, str]:
    """Which file defines a name."""
    return {
        name: file
        for file, text in bodies.items()
        for name in _DEFINED.findall(_NOT_CODE.sub(" ", text))
    }
