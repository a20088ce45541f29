"""A plant as seen by its observer: its own instance, names of states, natural units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inloop.errors import InputError
from inloop.native import Method, usable_compiler
from inloop.native.running.instance import Instance, Numbers
from inloop.observers.law_units import law_units
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name
from inloop.plant.formulation import Formulation
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities
from inloop.plant.stepping import build_method, jacobian_length
from inloop.simulate.controlled.sampled import SampledNames
from inloop.simulate.machine_start import conditions, first_snapshot
from inloop.simulate.refused_methods import refuse_hard_contacts
from inloop.simulate.systems import System, make_systems

EXPLICIT = (Method.EULER, Method.RK4, Method.DOPRI)
# operations of the rates times columns: up to this size the Jacobian is generated, which takes a
# second; beyond, finite differences are used
LONGEST_SLOPES = 40_000
TRIED_PUSHES = (1.0, 1e10, 1e20)  # input steps for models of any size, from microscopes to moons


class ObservedPlant:
    """A plant with the functions that an observer needs.

    Attributes:
        plant: the compiled mechanism.
        system: mode and instance in use.
        input_names, output_names: names in the order of the plant's table.
        names: names of everything that a controller would read.
        units: natural unit of each error state.
        generated: whether there is generated code for the Jacobian of the rates.
    """

    def __init__(
        self,
        plant: BarePlant,
        method: Method,
        step: float,
        slopes: bool,
        q: Mapping[str, float] | Array | None,
        qd: Mapping[str, float] | Array | None,
        inputs: Mapping[str, float] | None,
    ) -> None:
        _refuse(plant)
        self.plant, self._method, self._step = plant, method, step
        self._parameters = plant.parameters.values_array.copy()  # those of the plant may change
        plants = {plant.name: plant}
        self._at = {plant.name: conditions(plants, plant, {}, by_name(inputs, "inputs"), {})}
        self._begin = first_snapshot(plants, None, self._at, q, qd)
        first = input_quantities(plants)
        self.input_names = tuple(x.name for x in first)
        self.output_names = tuple(x.name for x in output_quantities(plants))
        self.first_inputs = np.array([x.start for x in first])
        u = self._at[plant.name].inputs.at(0.0)
        self.first_inputs[len(first) - len(plant.inputs) :] = u
        self.names = SampledNames(plant.n, ("t", *self.output_names, *self.input_names))
        formulation = self._begin.formulations.get(plant.name, plant.formulation)
        self.generated = slopes and _generate_slopes(plant, formulation, method)
        self._law_units: Array | None = None
        if self._laws:
            self._law_units = law_units(self.fresh(), self._begin.snapshot.x)
        self.system = self.begin()
        self.units = np.array(self.system.natural_units[0][: 2 * self.system.n + self._laws])

    @property
    def _laws(self) -> int:
        return len(self.plant.mechanism.states)

    def begin(self) -> System:
        """Replace the instance in use by a new one in the initial state."""
        self.system = self.fresh()
        return self.system

    def fresh(self) -> System:
        """A new, separate instance in the initial state."""
        plants = {self.plant.name: self.plant}
        begin = self._begin
        (system,) = make_systems(plants, self._at, self._method, begin.formulations, self._step)
        system.instance.numbers(Numbers.PARAMETERS)[:] = self._parameters
        system.instance.prepare()
        system.watch_from_home()
        system.watch(begin.snapshot.x)
        system.measure()
        if self._law_units is not None:
            first = 2 * system.n
            sizes = system.instance.numbers(Numbers.SIZES)
            sizes[first : first + self._laws] = self._law_units
        system.instance.begin(0, begin.snapshot.x)
        return system

    @property
    def instance(self) -> Instance:
        """The instance that the observer steps."""
        return self.system.instance

    @property
    def state_names(self) -> tuple[str, ...]:
        """States of the plant whose errors are estimated, for the coordinates in use."""
        self.system.follow_choice()
        independent = self.system.formulation.carried.independent
        moving = [self.plant.coordinates[k] for k in independent]
        laws = (state.name for state in self.plant.mechanism.states)
        return (*(f"{name}.q" for name in moving), *(f"{name}.qd" for name in moving), *laws)

    def feels(self, outputs: Sequence[str], name: str) -> bool:
        """Whether an input has direct feedthrough to any of these outputs, as to accelerations."""
        number, kept = self.input_names.index(name), self.first_inputs
        told = []
        for push in (0.0, *TRIED_PUSHES):
            u = kept.copy()
            u[number] += push
            values = np.zeros(len(self.output_names))
            self.instance.hold_inputs(u)
            self.instance.outputs(values)
            told.append(values[[self.output_names.index(each) for each in outputs]])
        self.instance.hold_inputs(kept)
        return any(np.any(told[0] != each) for each in told[1:])


def _generate_slopes(plant: BarePlant, formulation: Formulation, method: Method) -> bool:
    """Generate code for the Jacobian of a tree's rates: exact, and faster than differences.

    Returns:
        False if it is not available for this plant, or would be too long.
    """
    is_tree = len(formulation.partition.independent) == plant.n and not plant.mechanism.turned
    known = formulation.is_compiled and formulation.code.implicit and usable_compiler() is not None
    if not (is_tree and known) or method not in EXPLICIT:
        return False
    if jacobian_length(plant, formulation) > LONGEST_SLOPES:
        return False
    build_method(plant, formulation, Method.RODAS)
    return True


def _refuse(plant: BarePlant) -> None:
    """Reject plants that an observer does not support.

    Raises:
        InputError: modes, hard contacts, the redundant formulation, or nonholonomic constraints.
    """
    refuse_hard_contacts(plant)
    name = plant.name
    if plant.has_events or getattr(plant, "by_mode", None):
        raise InputError(
            f"model '{name}' has modes, which an observer does not follow",
            fix="Observe one of them, or write contacts with a law such as hunt_crossley(...).",
        )
    if plant.formulation.method is not None:
        raise InputError(
            f"model '{name}' is compiled with formulation='redundant'",
            fix="Compile another plant without formulation= for the observer.",
        )
    if plant.formulation.led_positions:
        raise InputError(
            f"model '{name}' has constraints on velocities, which an observer does not follow",
            fix="Use tyres or friction instead.",
        )
