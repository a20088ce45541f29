"""A controller traced: called once with symbols in place of outputs, gains and states.

What it returns are the values of its inputs; what its states hold afterwards are their values from
this sample on.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.model.controllers.controller import CFunction, Controller, ControllerState
from inloop.model.controllers.declaring import declared_states
from inloop.model.draft import ControllerDraft
from inloop.model.intake import Intake
from inloop.model.laws.tracing import what_failed
from inloop.model.names import quoted
from inloop.model.source import failing_line
from inloop.symbolic import Expr, Graph

if TYPE_CHECKING:
    from inloop.model.mechanism import Mechanism


CONTAINERS = (list, dict, set, np.ndarray)


class TracedOutputs(Mapping[str, Any]):
    """Outputs of a plant as symbols, by name; whether there are such outputs shows later.

    Attributes:
        used: symbols of those that were asked for, by name.
    """

    def __init__(self, graph: Graph, coordinates: tuple[str, ...], t: Expr) -> None:
        self._graph, self._coordinates, self.t = graph, coordinates, t
        self.used: dict[str, Expr] = {}

    def __getitem__(self, name: str) -> Expr:
        if name == "t":
            return self.t
        if not isinstance(name, str):
            raise InputError(f"there is no output {quoted(name)}", fix='Write outputs["crank.q"].')
        return self.used.setdefault(name, self._graph.symbol(f"controller:output:{name}"))

    @property
    def q(self) -> Any:
        """Coordinates, in the order of `plant.coordinates`."""
        return np.array([self[f"{name}.q"] for name in self._coordinates], dtype=object)

    @property
    def qd(self) -> Any:
        """Velocities, in the same order."""
        return np.array([self[f"{name}.qd"] for name in self._coordinates], dtype=object)

    def __iter__(self) -> Iterator[str]:
        yield "t"
        yield from (f"{name}.{kind}" for kind in ("q", "qd") for name in self._coordinates)

    def __len__(self) -> int:
        return 1 + 2 * len(self._coordinates)


def traced(draft: ControllerDraft, mechanism: Mechanism, read: Intake) -> Controller | None:
    """The controller of a mechanism; None after reporting why there is none.

    Args:
        draft: the controller as written.
        mechanism: what it belongs to.
        read: reports mistakes.
    """
    gains = tuple(parameter.name for parameter in draft.gains.values())
    function, graph = draft.function, mechanism.graph
    if isinstance(function, CFunction):
        return Controller(
            name=draft.name,
            period=draft.period,
            reads=function.outputs,
            leads=function.inputs,
            gains=gains,
            code=function,
            where=draft.where,
        )
    outputs = TracedOutputs(graph, mechanism.coordinates, mechanism.time)
    own = copy.copy(function)
    states = {name: graph.symbol(f"controller:state:{name}") for name in declared_states(function)}
    for name, symbol in states.items():
        setattr(own, name, symbol)
    before = _attributes(own)
    symbols_of_gains = {name: parameter.symbol for name, parameter in draft.gains.items()}
    try:
        answer = own(mechanism.time, outputs, **symbols_of_gains)
    except Exception as error:  # whatever the user's code raises is the user's mistake
        read.where = failing_line(error.__traceback__) or read.where
        what, fix = what_failed(error)
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            fix = "It is called with the time and the outputs: def control(t, y), then its gains."
        read.complain(what.replace("the law", "it"), fix.replace("A law", "A controller"))
        return None
    for name in _changed(before, _attributes(own)):
        if name not in states:
            read.complain(
                f"it changes its attribute {quoted(name)}, which is not among its states",
                f"Declare it: states = {{{name!r}: 0.0}}, with its initial value.",
            )
    if not isinstance(answer, Mapping) or not all(isinstance(name, str) for name in answer):
        read.complain(
            f"it returns {quoted(answer)}, not inputs by name",
            'Return a dict such as {"crank.tau": 1.0}.',
        )
        return None
    return Controller(
        name=draft.name,
        period=draft.period,
        reads=tuple(outputs.used),
        symbols=tuple(outputs.used.values()),
        leads=tuple(answer),
        values=tuple(read.scalar(x, f"input {quoted(name)}") for name, x in answer.items()),
        states=tuple(
            ControllerState(
                name,
                read.number(declared_states(function)[name], f"first value of state {name!r}"),
                symbol,
                read.scalar(getattr(own, name), f"state {quoted(name)}"),
            )
            for name, symbol in states.items()
        ),
        gains=gains,
        where=draft.where,
    )


def _attributes(function: Any) -> dict[str, object]:
    """Attributes of a controller; what is in containers as text."""
    kept = dict(vars(function)) if hasattr(function, "__dict__") else {}
    return {k: repr(x) if isinstance(x, CONTAINERS) else x for k, x in kept.items()}


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    for name, value in now.items():
        known = before.get(name)
        same = value is known or (isinstance(value, str) and value == known)
        if name not in before or not same:
            yield name
