"""The controller of a plant in its table: checked names, its function in C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from inloop.codegen.c_controller import emit_sampled
from inloop.codegen.c_plant import ControllerRow, Preparation
from inloop.errors import InputError, near_names
from inloop.formalisms.controlling import CONTROLLER, controller_program
from inloop.model.controllers.controller import Controller
from inloop.model.controllers.declaring import declared_gains, declared_states

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant

__all__ = [
    "controller_function", "controller_of", "controller_row", "declared_gains", "declared_states",
]  # fmt: skip
MOST_SHOWN = 12  # names in an error


def controller_of(plants: Mapping[str, BarePlant]) -> Controller | None:
    """The controller of a plant, whatever its mode."""
    return next((p.mechanism.controller for p in plants.values() if p.mechanism.controller), None)


def controller_function(plant: BarePlant, controller: Controller) -> str:
    """Name of the function of a traced controller, built on first use."""
    return plant.equations.build_apart(
        CONTROLLER, lambda d: [controller_program(d, controller)], emit_sampled
    )


def controller_row(
    controller: Controller,
    outputs: Sequence[str],
    inputs: Sequence[str],
    sampled: str,
    prepare: Preparation,
) -> ControllerRow:
    """The row of a controller in the table of its plant.

    Args:
        controller: of the mechanism.
        outputs: names of all outputs of the plant.
        inputs: names of all its inputs.
        sampled: name of its function in C.
        prepare: how its gains are prepared.

    Raises:
        InputError: it reads or leads what is not there.
    """
    return ControllerRow(
        name=controller.name,
        period=controller.period,
        sampled=sampled,
        prepare=prepare,
        reads=_places(controller, "output", controller.reads, (*outputs, *inputs)),
        leads=_places(controller, "input", controller.leads, inputs),
        first=controller.first,
    )


def _places(
    controller: Controller, kind: str, names: Sequence[str], known: Sequence[str]
) -> tuple[int, ...]:
    """Numbers of names; of equal names the first one counts."""
    for name in names:
        if name not in known:
            near = near_names(name, known, most=3)
            meant = " or ".join(repr(each) for each in near)
            more = ", ..." if len(known) > MOST_SHOWN else ""
            fix = f"Names are: {', '.join(known[:MOST_SHOWN])}{more}."
            raise InputError(
                f"controller '{controller.name}': the plant has no {kind} {name[:60]!r}",
                controller.where,
                f"Did you mean {meant}?" if near else fix,
            )
    return tuple(known.index(name) for name in names)
