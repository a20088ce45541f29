"""Which states and inputs derivatives and outputs depend on, read from the generated equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from inloop.codegen.c_plant import PlantTable
from inloop.io.fmi.variables import Variables
from inloop.plant import BarePlant
from inloop.symbolic.graph import reachable
from inloop.symbolic.program import Program, Solved

Kind = Literal["constant", "dependent"]
# number of an unknown → what it depends on; a missing unknown depends on everything
Dependencies = Mapping[int, Mapping[int, Kind]]


def dependencies_of(plant: BarePlant, table: PlantTable, variables: Variables) -> Dependencies:
    """Known dependencies of a plant whose states are always all coordinates: a tree in one mode."""
    mode = table.modes[0]
    whole = len(mode.choices[0].independent) == mode.n
    if len(table.modes) > 1 or not whole or mode.turned or not variables.states:
        return {}
    known: dict[int, dict[int, Kind]] = dict(_states_told(table, variables))
    n = len(mode.choices[0].independent)
    for k in range(n):
        # the rate of a coordinate is a state
        known[variables.rates[k].number] = {variables.states[n + k].number: "constant"}
    program = plant.program(plant.formulation.motion_function)
    if not isinstance(program, Solved):
        known |= _by_equations(program, table, variables, n)
    return known


def _states_told(table: PlantTable, variables: Variables) -> Iterator[tuple[int, dict[int, Kind]]]:
    """Outputs that are states."""
    mode = table.modes[0]
    chosen = mode.choices[0].independent
    n = len(chosen)
    first = {"IL_OF_Q": 0, "IL_OF_QD": n, "IL_OF_Z": 2 * n}
    for output, (kind, index) in zip(variables.outputs, mode.output_places, strict=True):
        if kind in first:
            at = index if kind == "IL_OF_Z" else chosen.index(index)
            yield output.number, {variables.states[first[kind] + at].number: "constant"}


def _by_equations(
    program: Program, table: PlantTable, variables: Variables, n: int
) -> dict[int, dict[int, Kind]]:
    """Accelerations and state rates of force laws, by the symbols in their expressions."""
    places = {place: k for k, place in enumerate(table.modes[0].input_places)}
    inputs = variables.all[1 + len(table.parameters) :]
    led = set(table.controller.leads) if table.controller else set[int]()
    numbers: dict[object, int] = {}
    for block in program.inputs:
        for k, symbol in enumerate(block.symbols):
            if block.name in ("q", "qd", "z"):
                at = {"q": 0, "qd": n, "z": 2 * n}[block.name] + k
                numbers[symbol] = variables.states[at].number
            elif block.name in ("tau", "u"):
                place = places.get((f"IL_OF_{block.name.upper()}", k))
                if place is not None and place not in led:
                    numbers[symbol] = inputs[place].number
            elif block.name not in ("pre", "t"):
                return {}
    exprs = program.exprs
    if len(exprs) != len(variables.rates) - n:
        return {}
    return {
        variables.rates[n + k].number: {
            numbers[node]: "dependent" for node in reachable([expr]) if node in numbers
        }
        for k, expr in enumerate(exprs)
    }
