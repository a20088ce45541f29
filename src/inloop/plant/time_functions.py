"""Functions of time and samples that a person gives to a run, evaluated without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from inloop.codegen.tape import Tape, emit_tape
from inloop.formalisms.signals import Signal, input_program, motion_program
from inloop.model import Mechanism
from inloop.native import LoadedTape
from inloop.plant.engine import Array
from inloop.symbolic import Expr, Graph, Input, Output, Program, forward
from inloop.symbolic.factor import factor
from inloop.symbolic.graph import reachable, rebuild
from inloop.symbolic.tables import PiecewisePolynomial


@dataclass(frozen=True)
class TimeFunction:
    """Some quantities over time; any number of threads may use it.

    Attributes:
        names: of the outputs of the program it came from.
        tape: the program as instructions.
    """

    names: tuple[str, ...]
    tape: Tape

    @classmethod
    def of(cls, program: Program) -> TimeFunction:
        """Make a program of time alone callable."""
        names = tuple(output.name for output in program.outputs)
        return cls(names, emit_tape(factor(program)))

    def load(self) -> LoadedTape:
        """The tape with memory of its own, for the rates of one run."""
        tape = self.tape
        return LoadedTape(tape.instructions, tape.registers, tape.results, tape.tables, tape.inputs)

    def over(self, t: Array) -> Array:
        """All values at many times [s], one row for each."""
        return self.load().evaluate(np.asarray(t, dtype=np.float64)[:, None])

    def at(self, t: float) -> Array:
        """All values at a time [s]."""
        return np.asarray(self.over(np.array([t]))[0])


def inputs_over_time(
    mechanism: Mechanism, signals: Mapping[str, Signal], constant: Collection[str] = ()
) -> TimeFunction:
    """Inputs as functions of time, one value for each name; see `input_program`."""
    return TimeFunction.of(input_program(mechanism, signals, constant))


def input_rates_over_time(
    mechanism: Mechanism, signals: Mapping[str, Signal], constant: Collection[str] = ()
) -> TimeFunction:
    """Their derivatives by time."""
    program = input_program(mechanism, signals, constant)
    (t,) = program.inputs[0].symbols
    return TimeFunction.of(program.with_exprs(forward(program.exprs, t), program.inputs))


def motions_over_time(motions: Mapping[str, Signal]) -> TimeFunction:
    """Positions of driven joints, then their velocities, then their accelerations."""
    return TimeFunction.of(motion_program(motions))


def spline_through(times: Array, values: Array) -> Callable[[Array], Array]:
    """The function of time that samples stand for."""
    return PiecewisePolynomial.through(times.tolist(), values.tolist(), "cubic")


def written_over_time(
    mechanism: Mechanism, parameters: Mapping[str, float]
) -> dict[str, TimeFunction]:
    """Functions of time alone that laws and drives of a model are written with, by element.

    Args:
        mechanism: the mechanism.
        parameters: their values by name.
    """
    known = {p.symbol: parameters[p.name] for p in mechanism.parameters}
    written = [(f"law '{law.name}'", law.t, (*law.value, *(s.rate for s in law.states)))
               for law in mechanism.laws]  # fmt: skip
    for drive in mechanism.drives:
        joint = mechanism.bodies[drive.body].joint.name
        written.append((f"drive '{joint}'", drive.t, (drive.position,)))
    found = {}
    for name, t, values in written:
        outer = _of_time_alone([e for e in values if isinstance(e, Expr)], t, known)
        if outer:
            found[name] = TimeFunction.of(_program_of_time(outer, t, known))
    return found


def _of_time_alone(exprs: list[Expr], t: Expr, known: Collection[Expr]) -> list[Expr]:
    """The largest parts of expressions that depend on time, and beside it on numbers only."""
    alone: dict[Expr, bool] = {}  # of nodes that depend on nothing else: whether on time
    outer: dict[Expr, None] = {}
    for node in reachable(exprs):
        if node is t or node in known or node.is_constant:
            alone[node] = node is t
        elif node.args and all(arg in alone for arg in node.args):
            alone[node] = any(alone[arg] for arg in node.args)
        else:
            outer |= dict.fromkeys(arg for arg in node.args if alone.get(arg))
    return [*outer, *(e for e in exprs if alone.get(e) and e not in outer)]


def _program_of_time(exprs: list[Expr], t: Expr, known: Mapping[Expr, float]) -> Program:
    graph = Graph()
    time = graph.symbol("t")
    numbers = {symbol: graph.constant(value) for symbol, value in known.items()}
    rebuilt = rebuild(exprs, graph, {t: time, **numbers})
    outputs = (Output.vector("y", rebuilt),)
    return Program("time", (Input("t", (time,), "time [s]"),), outputs, "Functions of time.", "")
