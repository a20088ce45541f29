"""Functions of time and samples that a person gives to a run, evaluated without a compiler."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from inloop.codegen.tape import Tape, emit_tape
from inloop.formalisms.signals import Signal, input_program, motion_program
from inloop.model import Mechanism
from inloop.native import LoadedTape
from inloop.plant.engine import Array
from inloop.symbolic import Program, forward
from inloop.symbolic.factor import factor


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
