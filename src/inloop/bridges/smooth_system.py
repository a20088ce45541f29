"""A plant as a differential-algebraic system, evaluated in any arithmetic.

    xd = f(x, z, u, p, t)
    0  = h(x, z, u, p, t)

x = (q, qd of independent coordinates, states of force laws, led positions, quaternions); z are the
dependent coordinates: a tree has none. The equations are those that the plant compiles. They are
derived again in a separate graph and evaluated node by node, with symbols of another program
instead of numbers. The result is an expression of that program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.formalisms.loops.closed import ClosedLoops
from inloop.formalisms.tangents import attitude_rates
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import name_list
from inloop.plant.quantities.inputs_outputs import input_quantities
from inloop.simulate.refused_methods import refuse_hard_contacts
from inloop.simulate.start import start_of
from inloop.symbolic import Arithmetic, Expr, Program, evaluate

Scalars = Sequence[Any]


@dataclass(frozen=True)
class Arguments:
    """Arguments of the system, one scalar of the arithmetic for each name."""

    x: Scalars
    z: Scalars
    u: Scalars
    p: Scalars
    t: Any


class SmoothSystem:
    """The equations of a plant without events, for any arithmetic.

    Attributes:
        plant: the plant.
        states: names of x: "<joint>.q", "<joint>.qd", states of force laws, components of
            quaternions.
        algebraic: names of z: "<joint>.q" of dependent coordinates.
        inputs: names of u; other inputs keep their initial values.
        parameters: names of p; other parameters keep their current values.
    """

    def __init__(
        self, plant: BarePlant, inputs: Sequence[str] | None, parameters: Sequence[str]
    ) -> None:
        """Derive the equations.

        Args:
            plant: the compiled mechanism.
            inputs: names of u; None for all: "<joint>.tau", then the inputs of the model.
            parameters: names of p, among the live parameters.

        Raises:
            InputError: a name is unknown, or the motion is not smooth.
        """
        _refuse(plant)
        self.plant = plant
        self._known_inputs = {x.name: x.start for x in input_quantities({plant.name: plant})}
        free = [name for name in self._known_inputs if name not in _efforts_of_drives(plant)]
        self.inputs = tuple(free) if inputs is None else name_list(inputs, "inputs")
        self.parameters = name_list(parameters, "parameters")
        _check_known(self.inputs, free, "input", plant.name)
        _check_known(self.parameters, list(plant.parameters), "live parameter", plant.name)
        formulation = plant.formulation
        self._independent = formulation.partition.independent
        self._led = formulation.led_positions
        self._dependent = formulation.position_roles.dependent
        self._driven = formulation.partition.driven
        names, laws = plant.coordinates, plant.mechanism.states
        self.states = (
            *(f"{names[k]}.q" for k in self._independent),
            *(f"{names[k]}.qd" for k in self._independent),
            *(state.name for state in laws),
            *(f"{names[k]}.q" for k in self._led),
            *plant.positions[plant.n :],
        )
        self.algebraic = tuple(f"{names[k]}.q" for k in self._dependent)
        self._derivation = plant.equations.fresh_derivation()
        self._closed = ClosedLoops(self._derivation, plant.equations.external_forces)

    # initial values

    @cached_property
    def _start(self) -> tuple[Array, Array]:
        start = start_of(self.plant, None, None, None)
        return start.q, start.qd

    @property
    def x0(self) -> Array:
        """Initial x."""
        (q, qd), free, n = self._start, list(self._independent), self.plant.n
        return np.concatenate(
            [q[free], qd[free], self.plant.first_states, q[list(self._led)], q[n:]]
        )

    @property
    def z0(self) -> Array:
        """Initial z; the loops are closed there."""
        return np.asarray(self._start[0][list(self._dependent)])

    @property
    def u0(self) -> Array:
        """Initial u."""
        return np.array([self._known_inputs[name] for name in self.inputs])

    @property
    def p0(self) -> Array:
        """Current p."""
        return np.array([self.plant.parameters[name] for name in self.parameters])

    # the equations

    @cached_property
    def _rates(self) -> list[Expr]:
        """Expressions of xd."""
        d, mechanism = self._derivation, self.plant.mechanism
        if self.plant.formulation.unconstrained:
            program, v = d.program("direct_dynamics"), list(d.symbols.qd)
            a = _output(program, "qdd")
        else:
            program = self._closed.constrained(self.plant.formulation.partition)
            v, a = _output(program, "v"), _output(program, "a")
        return [
            *(v[k] for k in self._independent),
            *(a[k] for k in self._independent),
            *(_output(program, "zd") if mechanism.states else ()),
            *(v[k] for k in self._led),
            *attitude_rates(mechanism, d.symbols, v),
        ]

    @cached_property
    def _closure(self) -> list[Expr]:
        """Expressions of h, as many as entries of z."""
        if not self.algebraic:
            return []
        return [self._closed.rows[k].h for k in self.plant.formulation.position_roles.rows]

    def rates(self, at: Arguments, arithmetic: Arithmetic) -> list[Any]:
        """xd."""
        return evaluate(self._rates, self._values(at, arithmetic), arithmetic)

    def closure(self, at: Arguments, arithmetic: Arithmetic) -> list[Any]:
        """h [m or rad]; zero where the loops are closed."""
        return evaluate(self._closure, self._values(at, arithmetic), arithmetic)

    def position(self, path: str, at: Arguments, arithmetic: Arithmetic) -> list[Any]:
        """Position of a point or frame [m], in world axes."""
        pose = self._derivation.sensor(path)[0]
        return evaluate(_output(pose, "p"), self._values(at, arithmetic), arithmetic)

    def _values(self, at: Arguments, arithmetic: Arithmetic) -> dict[Expr, Any]:
        """The value of every symbol."""
        plant, symbols = self.plant, self._derivation.symbols
        n, free = plant.n, self._independent
        x = dict(zip(self.states, at.x, strict=True))
        values: dict[Expr, Any] = {symbols.t: at.t}
        values |= self._given(at)
        laws = zip(symbols.states, plant.mechanism.states, strict=True)
        values |= {symbol: x[state.name] for symbol, state in laws}
        moving = self._driven_motion(values, arithmetic)
        z = dict(zip(self._dependent, at.z, strict=True))
        for k, name in enumerate(plant.coordinates):
            q, qd, qdd = moving.get(k, (z.get(k), 0.0, 0.0))
            values[symbols.q[k]] = x.get(f"{name}.q", q)
            # velocities of dependent coordinates are computed inside the equations
            values[symbols.qd[k]] = x[f"{name}.qd"] if k in free else qd
            values[symbols.qdd[k]] = qdd
        values |= {s: x[p] for s, p in zip(symbols.q[n:], plant.positions[n:], strict=True)}
        return values

    def _given(self, at: Arguments) -> dict[Expr, Any]:
        """Efforts, inputs and parameters."""
        d, plant, symbols = self._derivation, self.plant, self._derivation.symbols
        u: Mapping[str, Any] = {**self._known_inputs, **dict(zip(self.inputs, at.u, strict=True))}
        p: Mapping[str, Any] = {
            **plant.parameters, **dict(zip(self.parameters, at.p, strict=True))
        }  # fmt: skip
        efforts = zip(symbols.tau, plant.coordinates, strict=True)
        bound = {symbol: u[f"{name}.tau"] for symbol, name in efforts}
        for block in d.load_blocks():
            if block.name == "u":
                bound |= {s: u[name] for s, name in zip(block.symbols, d.input_names, strict=True)}
        named = zip(symbols.parameters, symbols.symbols, strict=True)
        return bound | {symbol: p[parameter.name] for parameter, symbol in named}

    def _driven_motion(
        self, values: Mapping[Expr, Any], arithmetic: Arithmetic
    ) -> dict[int, tuple[Any, Any, Any]]:
        """q, qd and qdd of the driven joints, by coordinate index."""
        if not self._driven:
            return {}
        program = self._closed.drives()
        results = evaluate(program.exprs, values, arithmetic)
        count = len(self._closed.driven)
        rows = zip(results[:count], results[count : 2 * count], results[2 * count :], strict=True)
        return dict(zip(self._closed.driven, rows, strict=True))


def _output(program: Program, name: str) -> list[Expr]:
    return list(next(out.exprs for out in program.outputs if out.name == name))


def _efforts_of_drives(plant: BarePlant) -> set[str]:
    """Efforts of driven joints, which have no influence on the motion."""
    return {f"{name}.tau" for name in plant.formulation.driven}


def _refuse(plant: BarePlant) -> None:
    """Reject plants whose motion is not a smooth function of a state.

    Raises:
        InputError: with the reason.
    """
    refuse_hard_contacts(plant)
    why = ""
    if plant.by_mode:
        why = "has modes: its equations change while it runs"
    elif plant.formulation.method is not None:
        why = "has six coordinates for each body"
    elif plant.mechanism.attitudes and not plant.formulation.unconstrained:
        why = "has loops with ball joints"
    if why:
        raise InputError(
            f"model '{plant.name}' {why}, which other programs cannot be given as expressions",
            fix="Use plant.stepper(), or il.gym.Environment for learning.",
        )


def _check_known(names: Sequence[str], known: Sequence[str], what: str, model: str) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"model '{model}' has no {what} '{name}'", fix=name_hint(name, known))
