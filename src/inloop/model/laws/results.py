"""What a law has beside its value: states of its own and named outputs; tracing all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inloop.model.geometry import Scalar
from inloop.model.intake import Intake, as_tuple
from inloop.model.laws.effects import LawOutput, LawState
from inloop.model.laws.tracing import FAILED, Law, call_law, read_value, symbols_in
from inloop.model.names import RESERVED_STATES, name_problem, quoted, suggestion
from inloop.model.parameters import read_unit

_TAKEN = ("the name is reserved by inloop", "Choose another name.")


@dataclass(frozen=True)
class Extras:
    """What was declared beside a law: initial values of its states, units of its outputs."""

    states: Mapping[str, float]
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Traced:
    """What a law returned when it was called with symbols."""

    components: tuple[Scalar, ...]
    states: tuple[LawState, ...] = ()
    outputs: tuple[LawOutput, ...] = ()


def trace_law(
    read: Intake,
    law: Law,
    symbols: Mapping[str, Any],
    extras: Extras | None,
    name: str,
    size: int,
    needs: str | None = None,
) -> Traced:
    """Call a law with symbols and return its components, states and outputs.

    Args:
        read: reports mistakes.
        law: the user's function.
        symbols: symbols by argument name; those of the states are added here.
        extras: states and outputs, or None if they could not be read.
        name: name of the law.
        size: number of components, as in `laws.trace`.
        needs: what it should return, as in `laws.read_value`.

    Returns:
        All that the law returned; zeros where it cannot be used.
    """
    nothing = Traced((0.0,) * size)
    if extras is None:
        return nothing
    own = {state: read.graph.symbol(f"{name}.{state}") for state in extras.states}
    result = call_law(read, law, {**symbols, **own})
    parts = FAILED if result is FAILED else _split(read, result, extras)
    if not isinstance(parts, tuple):
        return nothing
    value, rates, observed = parts
    rate_of = _read_named(read, rates, tuple(own), "rate", "state")
    value_of = _read_named(read, observed, tuple(extras.outputs), "value", "output")
    return Traced(
        read_value(read, value, size, needs),
        tuple(
            LawState(f"{name}.{state}", symbol, extras.states[state], rate_of[state])
            for state, symbol in own.items()
        ),
        tuple(
            LawOutput(f"{name}.{output}", unit, value_of[output])
            for output, unit in extras.outputs.items()
        ),
    )


def read_extras(
    read: Intake, states: object, outputs: object, symbols: Mapping[str, Any]
) -> Extras | None:
    """Read names and initial values of states, names and units of outputs.

    Returns:
        None if a name cannot be used.
    """
    mappings = True
    for given, what, example in (
        (states, "states must be names with initial values", 'Write states={"z": 0.0}.'),
        (outputs, "outputs must be names with units", 'Write outputs={"gap": "m"}.'),
    ):
        if given is not None and not isinstance(given, Mapping):
            read.complain(f"{what}, got {quoted(given)}", example)
            mappings = False
    if not mappings:
        return None
    initial: Mapping[Any, object] = states if isinstance(states, Mapping) else {}
    units: Mapping[Any, object] = outputs if isinstance(outputs, Mapping) else {}
    taken = {symbol.name.rpartition(".")[2] for symbol in symbols_in(symbols.values())}
    taken.update(RESERVED_STATES, symbols)
    # results call both "<law>.<name>"
    usable = _check_each(read, "state", initial, taken)
    usable &= _check_each(read, "output", units, {*RESERVED_STATES, *initial})
    if not usable:
        return None
    return Extras(
        {name: read.number(value, f"state {quoted(name)}") for name, value in initial.items()},
        {name: read_unit(read, unit) for name, unit in units.items()},
    )


def _check_each(
    read: Intake, kind: str, names: Mapping[Any, object], taken: Sequence[str] | set[str]
) -> bool:
    """Report names that cannot be used; True if there are none."""
    wrong = [(name, problem) for name in names if (problem := name_problem(name)) is not None]
    wrong += [(name, _TAKEN) for name in names if name in taken]
    for name, (what, fix) in wrong:
        read.complain(f"{kind} {quoted(name)}: {what}", fix)
    return not wrong


def _split(
    read: Intake, result: object, extras: Extras
) -> tuple[object, Mapping[Any, object], Mapping[Any, object]] | object:
    """Take apart (value, rates, outputs); FAILED after reporting what is missing."""
    wanted = [extras.states, extras.outputs]
    expected = sum(1 for names in wanted if names)
    if not expected:
        return result, {}, {}
    items = as_tuple(result)
    fits = items is not None and len(items) == 1 + expected
    if items is None or not fits or not all(isinstance(item, Mapping) for item in items[1:]):
        form = ", ".join("{" + ", ".join(f'"{n}": ...' for n in names) + "}"
                         for names in wanted if names)  # fmt: skip
        what = "has states and must return their rates"
        if extras.outputs:
            what = "has outputs and must return their values"
        read.complain(f"the law {what}", f"Return (value, {form}).")
        return FAILED
    found = iter(items[1:])
    rates, observed = (next(found) if names else {} for names in wanted)
    return items[0], rates, observed


def _read_named(
    read: Intake, given: Mapping[Any, object], names: Sequence[str], what: str, kind: str
) -> dict[str, Scalar]:
    """Read rates of states or values of outputs by name, in the order of the declaration."""
    for name in given:
        if name not in names:
            read.complain(
                f"the law returns a {what} for {quoted(name)}, which is not one of its {kind}s",
                suggestion(str(name), names),
            )
    missing = [name for name in names if name not in given]
    if missing:
        read.complain(
            f"the law returns no {what} for {kind} {quoted(missing[0])}",
            f"Return a {what} for each {kind}.",
        )
    return {
        name: read.scalar(given.get(name, 0.0), f"the {what} of {quoted(name)}") for name in names
    }
