"""Start values that an importer may set: coordinates, velocities, and the time."""

from __future__ import annotations

from inloop.codegen.c_plant import PlantTable
from inloop.plant.leaving.exported import ExportedPlant
from inloop.symbolic.graph import reachable
from inloop.symbolic.program import Program, Solved

ATTITUDE = 3  # coordinates of a ball joint, whose position is a quaternion


def start_values(table: PlantTable) -> tuple[float | None, ...]:
    """By output: its start value if it can be set, else None.

    Settable are the independent coordinates of the first mode and their velocities: the others
    follow from them. If all bodies have six coordinates, none of them is independent.
    """
    mode = table.modes[0]
    choice = mode.choices[0]
    if choice.redundant:
        return (None,) * len(table.outputs)
    turned = {first + k for first in mode.turned for k in range(ATTITUDE)}
    found: dict[tuple[str, int], float] = {}
    for k in choice.independent:
        found["IL_OF_QD", k] = mode.qd[k]
        if k not in turned:
            found["IL_OF_Q", k] = mode.q[k]
    return tuple(found.get(place) for place in mode.output_places)


def depends_on_time(exported: ExportedPlant) -> bool:
    """Whether any equation contains the time explicitly, as drives and controllers may."""
    # custom C code may read the time
    own = bool(exported.unit.own_code)
    programs = (each for engine in exported.unit.engines for each in engine.unit.programs)
    return own or any(map(_holds_time, programs))


def _holds_time(program: Program) -> bool:
    times = {symbol for block in program.inputs if block.name == "t" for symbol in block.symbols}
    if not times or isinstance(program, Solved):
        return bool(times)
    return any(node in times for node in reachable(program.exprs))
