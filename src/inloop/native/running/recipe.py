"""An instance as plain data, from which it can be recreated with the plant's library anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inloop.native.library import POINTER, NativeLibrary, Reals
from inloop.native.running.instance import Instance, Numbers
from inloop.native.running.schedule import Method
from inloop.native.running.tapes import GivenInputs, Indices, LoadedTape

# arrays of an instance that a host may have written before its first run
WRITTEN = (
    Numbers.TAU,
    Numbers.U,
    Numbers.GIVEN,
    Numbers.GUARD,
    Numbers.TOLERANCE,
    Numbers.PULL,
    Numbers.SIZES,
    Numbers.TOLERANCES,
    Numbers.MOST,
    Numbers.PER_UNIT,
    Numbers.PATIENCE,
)


@dataclass(frozen=True)
class TapeRecipe:
    """A tape that drives some inputs of a mode; attributes as of `LoadedTape`, and its places."""

    instructions: Indices
    registers: Reals
    results: Indices
    tables: Reals
    inputs: int
    places: tuple[int, ...]

    def make(self) -> GivenInputs:
        """The inputs, with their own registers."""
        parts = (self.instructions, self.registers, self.results, self.tables, self.inputs)
        return GivenInputs(LoadedTape(*parts), self.places)


@dataclass(frozen=True)
class ModeRecipe:
    """Settings of a mode of an instance.

    Attributes:
        choice: index of the compiled partition; None: see `roles`.
        roles: a partition that is not compiled, as in `Instance.select_roles`.
        numbers: the arrays in `WRITTEN`.
        tape: the tape that drives inputs over time.
    """

    choice: int | None
    roles: Reals | None
    numbers: Mapping[Numbers, Reals]
    tape: TapeRecipe | None


@dataclass(frozen=True)
class InstanceRecipe:
    """All settings of an instance before its first run.

    Attributes:
        function: function of the plant's library that returns its il_plant.
        method: the integrator.
        step: [s]; 0 for adaptive steps.
        parameters: parameters of the plant.
        modes: one for each mode.
        state_sizes: length of x in each mode.
    """

    function: str
    method: Method
    step: float
    parameters: Reals
    modes: tuple[ModeRecipe, ...]
    state_sizes: tuple[int, ...]

    def make(self, unit: NativeLibrary) -> Instance:
        """Create the instance from the loaded library of the plant."""
        address = unit.function(self.function, returns=POINTER)()
        instance = Instance(address, self.method, self.step, unit)
        instance.numbers(Numbers.PARAMETERS)[:] = self.parameters
        instance.prepare()
        for number, mode in enumerate(self.modes):
            if mode.choice is not None:
                instance.select(number, mode.choice)
            elif mode.roles is not None:
                instance.select_roles(number, mode.roles)
            for which, values in mode.numbers.items():
                instance.numbers(which, number)[:] = values
            if mode.tape is not None:
                instance.follow_inputs(number, mode.tape.make())
        return instance


def written_numbers(instance: Instance, mode: int) -> dict[Numbers, Reals]:
    """The arrays of a mode of an instance that a host may have written."""
    return {which: instance.numbers(which, mode).copy() for which in WRITTEN}
