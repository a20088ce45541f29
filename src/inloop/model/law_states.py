"""Laws with states of their own: reading the states, tracing their rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inloop.model.effects import LawState
from inloop.model.geometry import Scalar
from inloop.model.intake import Intake
from inloop.model.laws import Law, symbols_in, trace, trace_with_states
from inloop.model.names import RESERVED_STATES, name_problem, quoted

_TAKEN = ("inloop uses this name itself", "Choose another name.")


def trace_law(
    read: Intake,
    law: Law,
    symbols: Mapping[str, Any],
    initial: Mapping[str, float] | None,
    name: str,
    size: int,
) -> tuple[tuple[Scalar, ...], tuple[LawState, ...]]:
    """Return the components of a law and its states; zeros if the states cannot be read."""
    if initial is None:
        return (0.0,) * size, ()
    if not initial:
        return trace(read, law, symbols, size), ()
    own = {state: read.graph.symbol(f"{name}.{state}") for state in initial}
    components, rates = trace_with_states(read, law, {**symbols, **own}, tuple(own), size)
    states = (
        LawState(f"{name}.{state}", symbol, initial[state], rate)
        for (state, symbol), rate in zip(own.items(), rates, strict=True)
    )
    return components, tuple(states)


def read_states(
    read: Intake, states: object, symbols: Mapping[str, Any]
) -> dict[str, float] | None:
    """Read names and initial values of states, or return None if a name cannot be used."""
    if not isinstance(states, Mapping):
        read.complain(
            f"states must be names with initial values, got {quoted(states)}",
            'Write states={"z": 0.0}.',
        )
        return None
    taken = {symbol.name.rpartition(".")[2] for symbol in symbols_in(symbols.values())}
    taken.update(RESERVED_STATES, symbols)
    problems = [(state, name_problem(state)) for state in states]
    problems += [(state, _TAKEN) for state in states if state in taken]
    wrong = [(state, problem) for state, problem in problems if problem is not None]
    for state, (what, fix) in wrong:
        read.complain(f"state {quoted(state)}: {what}", fix)
    if wrong:
        return None
    return {name: read.number(value, f"state {quoted(name)}") for name, value in states.items()}
