"""The start of a differentiated run with events: modes, what acts on them, first state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.errors import InputError
from inloop.plant import BarePlant
from inloop.plant.variation.code import LANES
from inloop.plant.variation.names import TIME
from inloop.simulate.inputs import Inputs, input_rates, read_inputs
from inloop.simulate.results.result import Result
from inloop.simulate.sensitivities.directions import Directions, start_changes
from inloop.simulate.sensitivities.event_changes import Moment, Surroundings, VariedMode
from inloop.simulate.sensitivities.moded_run import varied_modes
from inloop.simulate.sensitivities.run_arguments import RunArguments
from inloop.simulate.start import first_internal_states, vector


@dataclass(frozen=True)
class ModedStart:
    """The start of a run with events.

    Attributes:
        mode: the first one.
        modes: all that the run was in.
        around: what acts on them, along the directions.
        at: the first state, with its derivatives.
    """

    mode: str
    modes: dict[str, VariedMode]
    around: Surroundings
    at: Moment


def moded_start(
    plants: Mapping[str, BarePlant],
    result: Result,
    directions: Directions,
    arguments: RunArguments,
) -> ModedStart:
    """The modes of a run, and its start with derivatives along directions.

    Args:
        plants: of all modes.
        result: of the run.
        directions: the quantities of differentiation.
        arguments: arguments of the run.
    """
    first = str(result.modes[0])
    own = {m: _known(arguments.inputs or {}, p.inputs) for m, p in plants.items()}
    inputs = {m: read_inputs(p, own[m]) for m, p in plants.items()}
    rates = {m: input_rates(p, own[m]) for m, p in plants.items()}
    efforts = {
        m: vector(p, _known(arguments.tau, p.coordinates), [0.0] * p.n, "tau")
        for m, p in plants.items()
    }
    varied = (*directions.varied, *_timed(plants, rates, directions.varied))
    count, asked = len(directions.names), len(directions.varied)
    modes = varied_modes(plants, result, varied, min(count, LANES[-1]))
    dg = np.vstack([directions.of_varied(), np.zeros((len(varied) - asked + 1, count))])
    around = Surroundings(plants, inputs, rates, efforts, (*varied, TIME), dg, asked)
    plant, system = plants[first], modes[first].system
    u = inputs[first].at(0.0)
    state = system.packed(
        result.q[0, : plant.nq], result.qd[0, : plant.n], first_internal_states(plant, u)
    )
    dx = start_changes(system, directions, (0.0, u, efforts[first]), state, arguments, dg)
    return ModedStart(first, modes, around, Moment(0.0, *state, dx))


def _timed(
    plants: Mapping[str, BarePlant], rates: Mapping[str, Inputs], varied: Sequence[str]
) -> list[str]:
    """Inputs that are functions of time and not quantities of differentiation.

    Raises:
        InputError: a mode does not have one of them.
    """
    names = dict.fromkeys(plants[m].inputs[k] for m, given in rates.items() for k in given.places)
    for name in names:
        for mode, plant in plants.items():
            if name not in plant.inputs:
                raise InputError(
                    f"sensitivities: input '{name}' is a function of time, and mode '{mode}' does "
                    "not have it",
                    fix="Give a constant, or write the function into the model.",
                )
    return [name for name in names if name not in varied]


def _known(given: Any, names: Sequence[str]) -> Any:
    return {k: v for k, v in given.items() if k in names} if isinstance(given, Mapping) else given
