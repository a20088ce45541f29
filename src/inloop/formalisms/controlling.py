"""Program of a traced controller: values of its inputs, and its states after a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.model.controllers.controller import Controller
from inloop.symbolic import Input, Output, Program

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

CONTROLLER = "controller"


def controller_program(d: Derivation, controller: Controller) -> Program:
    """Input values u and next states, from time t, the measured outputs y and states s."""
    graph = d.graph
    y = [graph.symbol(f"y.{name}") for name in controller.reads]
    s = [graph.symbol(f"s.{state.name}") for state in controller.states]
    known = dict(zip(controller.symbols, y, strict=True))
    known |= {state.symbol: symbol for state, symbol in zip(controller.states, s, strict=True)}
    known[d.mechanism.time] = d.symbols.t
    values = d.symbols.substitute(controller.values, known)
    following = d.symbols.substitute([state.following for state in controller.states], known)
    inputs = [Input("t", (d.symbols.t,), "time [s]")]
    if y:
        inputs.append(Input("y", tuple(y), f"reads: {', '.join(controller.reads)}"))
    if s:
        inputs.append(Input("s", tuple(s), "states"))
    outputs = [Output.vector("u", values, f"leads: {', '.join(controller.leads)}")]
    if s:
        outputs.append(Output.vector("following", following, "states from this sample on"))
    about = f"Controller '{controller.name}', every {controller.period:g} s."
    return Program(CONTROLLER, tuple(inputs), tuple(outputs), about, "traced")
