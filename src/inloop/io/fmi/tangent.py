"""Exact directional derivatives of an FMU: the tangent of the plant, and the index maps.

The states of an importer are those of the runtime: positions and velocities of the independent
coordinates, states of force laws, estimates of the dependent coordinates, quaternions. The
tangent has the same states without the estimates, which follow from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inloop.codegen.c_plant import PlantTable
from inloop.errors import BuildError, InputError
from inloop.plant import BarePlant
from inloop.plant.variation.code import VariationCode, variation_code
from inloop.plant.variation.names import refuse_rough, roles_of, varied_names

NOWHERE = -1


@dataclass(frozen=True)
class FmuTangent:
    """The tangent of a plant for an FMU.

    Attributes:
        code: generated code.
        text: C definition of the fmu_tangent, called `tangent`.
    """

    code: VariationCode
    text: str


def tangent_of(plant: BarePlant, table: PlantTable) -> FmuTangent | None:
    """The tangent of a plant; None where unsupported.

    Unsupported are mode changes, hard contacts, redundant coordinates, sampled controllers, loops
    with ball joints, and externally driven joints.
    """
    (mode, *others) = table.modes
    choice, roles = mode.choices[0], roles_of(plant)
    kinds = {kind for kind, _ in mode.input_places}
    same = choice.independent == roles.velocities.independent
    if others or mode.events or not same or not kinds <= {"IL_OF_TAU", "IL_OF_U"}:
        return None
    inputs = set(varied_names(plant)) - set(plant.parameters)
    try:
        refuse_rough(plant)
        code = variation_code(plant, roles, sorted(inputs), 1)
    except (InputError, BuildError):
        return None
    return FmuTangent(code, _Places(plant, table, code, roles.led).text())


class _Places:
    """Index maps between numbers of the tangent and of the FMU, in both directions."""

    def __init__(
        self, plant: BarePlant, table: PlantTable, code: VariationCode, led: Iterable[int]
    ) -> None:
        self._plant, self._table, self._code, self._led = plant, table, code, tuple(led)
        self._mode = table.modes[0]
        self._dependent = self._mode.choices[0].dependent
        self._behind = len(code.states) - len(self._led) - (plant.nq - plant.n)

    def states(self) -> Iterator[int]:
        """FMU state of each state of the tangent."""
        yield from range(self._behind)
        yield from (self._behind + self._dependent.index(k) for k in self._led)
        first = self._behind + len(self._dependent)
        yield from range(first, first + self._plant.nq - self._plant.n)

    def estimates(self) -> Iterator[int]:
        """FMU state that estimates each dependent coordinate of the tangent."""
        for k in self._code.layout.dependent:
            yield self._behind + self._dependent.index(k)

    def rates(self) -> Iterator[int]:
        """Rate of each FMU state: a state of the tangent, or -1 - index of an observed value."""
        yield from range(self._behind)
        for k in self._dependent:
            if k in self._led:
                yield self._behind + self._led.index(k)
            else:
                yield -1 - self._code.observed.index(f"{self._plant.coordinates[k]}.qd")
        yield from range(self._behind + len(self._led), len(self._code.states))

    def outputs(self) -> Iterator[int]:
        """Index of each plant output among the observed values."""
        known = {name: k for k, name in enumerate(self._code.observed)}
        for output in self._table.outputs:
            yield known.get(output.name, NOWHERE)

    def inputs(self) -> Iterator[int]:
        """Index of each plant input among the varied inputs."""
        names = {"IL_OF_TAU": [f"{x}.tau" for x in self._plant.coordinates]}
        names["IL_OF_U"] = list(self._plant.inputs)
        known = {name: k for k, name in enumerate(self._code.varied)}
        for kind, k in self._mode.input_places:
            yield known.get(names[kind][k], NOWHERE)

    def text(self) -> str:
        """C text of the tangent and its index maps."""
        code, p = self._code, self._code.prefix
        sizes = [self._plant.coordinate_sizes[k] for k in code.layout.dependent]
        arrays = "\n".join(
            f"static const int64_t tangent_{name}[] = {{{', '.join(map(str, (*values, 0)))}}};"
            for name, values in {
                "states": self.states(),
                "estimates": self.estimates(),
                "rates": self.rates(),
                "outputs": self.outputs(),
                "inputs": self.inputs(),
            }.items()
        )
        units = ", ".join(repr(float(x)) for x in (*sizes, 1.0))
        given = "const il_variation *, double, const double *, const double *, double *"
        counts = (code.prepared, len(code.states), len(code.varied), len(code.observed))
        return f"""
void {p}_prepare(const double *, double *);
int {p}_slopes({given}, const double *, double *, double *);
int {p}_observe({given}, const double *, double *, double *);

{arrays}
static const double tangent_units[] = {{{units}}};
static const fmu_tangent tangent = {{
    {p}_prepare, {p}_slopes, {p}_observe, {", ".join(map(str, counts))}, {len(sizes)},
    tangent_states, tangent_estimates, tangent_rates, tangent_outputs, tangent_inputs, tangent_units
}};
"""
