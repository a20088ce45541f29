"""How hands reach the bodies of a plant: evaluated while one is held, without a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inloop.codegen.tape import Tape, emit_tape
from inloop.formalisms.reaching import REACH
from inloop.formalisms.size import size_of
from inloop.model import Mechanism
from inloop.symbolic import evaluate
from inloop.symbolic.factor import factor

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant


@dataclass(frozen=True)
class Reach:
    """The bodies of a plant as hands reach them.

    Attributes:
        bodies: names of those that can be held, of all modes.
        tapes: by mode, from q and the parameters to what il_hand.h reads.
        parents: by mode, of its bodies.
        places: by mode, which of its bodies has each name; -1: none.
        length: of the mechanism [m].
        mass: of the mechanism [kg].
    """

    bodies: tuple[str, ...]
    tapes: tuple[Tape, ...]
    parents: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, ...], ...]
    length: float
    mass: float


def reach_of(plants: Mapping[str, BarePlant]) -> Reach:
    """How the bodies of a plant with these modes are reached; derived once for each plant."""
    first = next(iter(plants.values()))
    with first.equations.building:
        if first.reach is None:
            first.reach = _derive(list(plants.values()))
        return first.reach


def _derive(plants: list[BarePlant]) -> Reach:
    names = [[body.name for body in plant.mechanism.bodies] for plant in plants]
    bodies = tuple(dict.fromkeys(name for listed in names for name in listed))
    tapes = [
        emit_tape(factor(plant.equations.fresh_derivation().program(REACH))) for plant in plants
    ]
    mechanism = plants[0].mechanism
    return Reach(
        bodies,
        tuple(tapes),
        tuple(tuple(plant.mechanism.parents) for plant in plants),
        tuple(
            tuple(listed.index(name) if name in listed else -1 for name in bodies)
            for listed in names
        ),
        float(size_of(mechanism).length),
        _mass(mechanism),
    )


def _mass(mechanism: Mechanism) -> float:
    """Of all bodies, with the parameters as declared [kg]; 1 kg where there is none."""
    known = {p.symbol: p.default for p in mechanism.parameters}
    masses = [body.mass for body in mechanism.bodies]
    given = [m for m in masses if not isinstance(m, (int, float))]
    numbers = [float(m) for m in masses if isinstance(m, (int, float))]
    return sum(numbers) + sum(float(m) for m in evaluate(given, known)) or 1.0
