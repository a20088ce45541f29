"""FMU variables: listed in modelDescription.xml, found by number in fmu_variables.c."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from inloop.codegen.c_plant import ModeRow, PlantTable, Quantity
from inloop.io.fmi.starts import start_values
from inloop.plant.quantities.inputs_outputs import EVENTS, MODE

Causality = Literal["independent", "parameter", "input", "output", "local"]
Variability = Literal["tunable", "discrete", "continuous"]


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One FMU variable.

    Attributes:
        number: its value reference.
        name: unique name.
        causality, variability, initial: as in the standard; initial "" is omitted.
        type: "real", "whole", or "mode" for the number of a mode.
        unit: as spelled in models.
        start: start value, or None.
        least, most: range.
        about: description.
        derivative_of: number of the state whose rate it is, or None.
    """

    number: int
    name: str
    causality: Causality
    variability: Variability = "continuous"
    initial: str = ""
    type: Literal["real", "whole", "mode"] = "real"
    unit: str = ""
    start: float | None = None
    least: float = -math.inf
    most: float = math.inf
    about: str = ""
    derivative_of: int | None = None


@dataclass(frozen=True)
class Variables:
    """All variables, with those of model exchange.

    Attributes:
        all: in the order of their numbers.
        states, rates, levels: variables of model exchange; empty without model exchange.
    """

    all: tuple[Variable, ...]
    states: tuple[Variable, ...]
    rates: tuple[Variable, ...]
    levels: tuple[Variable, ...]

    @property
    def outputs(self) -> tuple[Variable, ...]:
        """Variables with causality "output"."""
        return tuple(v for v in self.all if v.causality == "output")


def state_length(mode: ModeRow) -> int:
    """Length of the state of a mode (il_length_of_x)."""
    choice = mode.choices[0]
    carried = 2 * len(choice.independent) + len(choice.dependent)
    return carried + mode.states + 4 * len(mode.turned)


def whole_outputs(table: PlantTable) -> tuple[int, ...]:
    """By output: 1 if it is an integer."""
    return tuple(int(output.name in (MODE, EVENTS)) for output in table.outputs)


def variables_of(table: PlantTable, docs: dict[str, str], exchanged: bool) -> Variables:
    """The variables of a plant, in the order of fmu_places_of.

    Args:
        table: the plant.
        docs: descriptions of parameters and inputs.
        exchanged: whether model exchange is supported.
    """
    states = max(map(state_length, table.modes)) if exchanged else 0
    levels = max(len(mode.events) for mode in table.modes) if exchanged else 0
    first = Variable(number=0, name="time", causality="independent", unit="s")
    made = [first]
    for make in (
        _parameters(table.parameters, docs),
        _inputs(table, docs),
        _outputs(table.outputs, start_values(table)),
        _states(states, _state_names(table)),
        _rates(states, 1 + _count(table)),
        _levels(levels),
    ):
        made += [replace(variable, number=len(made) + k) for k, variable in enumerate(make)]
    every = _unique(made)
    end = len(every)
    cuts = (end - levels - 2 * states, end - levels - states, end - levels, end)
    return Variables(every, *(every[a:b] for a, b in itertools.pairwise(cuts)))


def _count(table: PlantTable) -> int:
    return len(table.parameters) + len(table.inputs) + len(table.outputs)


def _parameters(quantities: Iterable[Quantity], docs: dict[str, str]) -> Iterator[Variable]:
    for x in quantities:
        yield Variable(
            number=0, name=x.name, causality="parameter", variability="tunable", initial="exact",
            unit=x.unit, start=x.start, least=x.least, most=x.most, about=docs.get(x.name, ""),
        )  # fmt: skip


def _inputs(table: PlantTable, docs: dict[str, str]) -> Iterator[Variable]:
    """Inputs; those driven by the plant's controller cannot be set."""
    led = set(table.controller.leads) if table.controller else set[int]()
    for k, x in enumerate(table.inputs):
        if k in led:
            about = "led by the controller of the plant"
            yield Variable(
                number=0, name=x.name, causality="local", variability="discrete",
                initial="calculated", unit=x.unit, about=about,
            )  # fmt: skip
        else:
            yield Variable(
                number=0, name=x.name, causality="input", unit=x.unit, start=x.start,
                about=docs.get(x.name, ""),
            )  # fmt: skip


def _outputs(quantities: Iterable[Quantity], starts: Iterable[float | None]) -> Iterator[Variable]:
    """Outputs; those with a start value can be set until the end of initialization."""
    for x, start in zip(quantities, starts, strict=True):
        output = Variable(
            number=0, name=x.name, causality="output", unit=x.unit, start=start,
            initial="calculated" if start is None else "exact",
        )  # fmt: skip
        if x.name == MODE:
            about = "the mode that the plant is in"
            output = replace(output, variability="discrete", type="mode", about=about)
        elif x.name == EVENTS:
            about = "events since the start"
            output = replace(output, variability="discrete", type="whole", about=about)
        yield output


def _states(count: int, names: tuple[str, ...]) -> Iterator[Variable]:
    for k in range(count):
        about = names[k] if names else "of the mode and the independent coordinates in use"
        yield Variable(
            number=0, name=f"x[{k + 1}]", causality="local", initial="calculated", about=about
        )


def _rates(count: int, first_state: int) -> Iterator[Variable]:
    for k in range(count):
        yield Variable(
            number=0, name=f"der(x[{k + 1}])", causality="local", initial="calculated",
            derivative_of=first_state + k,
        )  # fmt: skip


def _levels(count: int) -> Iterator[Variable]:
    for k in range(count):
        about = "falls to zero when a transition of the mode fires"
        yield Variable(
            number=0, name=f"event_indicator[{k + 1}]", causality="local", initial="calculated",
            about=about,
        )  # fmt: skip


def _state_names(table: PlantTable) -> tuple[str, ...]:
    """Names of the states if they are always the same: one mode, no loops."""
    mode = table.modes[0]
    if len(table.modes) > 1 or mode.choices[0].dependent:
        return ()
    places = {("IL_OF_Q", k): "" for k in mode.choices[0].independent}
    names = {place: x.name for x, place in zip(table.outputs, mode.output_places, strict=True)}
    wanted = [*places, *(("IL_OF_QD", k) for k in mode.choices[0].independent)]
    wanted += [("IL_OF_Z", k) for k in range(mode.states)]
    wanted += [("IL_OF_Q", mode.n + k) for k in range(4 * len(mode.turned))]
    return tuple(names.get(place, "") for place in wanted)


def _unique(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """Make names unique: a later duplicate gets its causality as prefix."""
    taken: set[str] = set()
    found: list[Variable] = []
    for variable in variables:
        name = variable.name
        if name in taken:
            name = f"{variable.causality}.{name}"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(replace(variable, name=name))
    return tuple(found)
