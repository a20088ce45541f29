"""A plant stepped one step at a time, with inputs that change between steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence

import numpy as np

from inloop.errors import InputError, SimulationError, name_hint
from inloop.native import Status
from inloop.native.running.instance import NewtonReport, Numbers
from inloop.native.running.instance_stepper import InstanceSnapshot, InstanceStepper
from inloop.native.running.machine import check_limits
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, one_name, real, reals, useless, whole
from inloop.plant.parameters import Parameters
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities
from inloop.plant.unit import common_name
from inloop.simulate import observe
from inloop.simulate.choice import FIRST, own_method
from inloop.simulate.controlled.compiled import check_step, inputs_led_by_plant, refuse_led
from inloop.simulate.judging.divided_steps import divided_notes
from inloop.simulate.live_drives import DriveWatch
from inloop.simulate.machine_start import conditions, first_snapshot
from inloop.simulate.results.event_records import event_record
from inloop.simulate.results.result import EventRecord
from inloop.simulate.results.samples import Samples
from inloop.simulate.results.unfinished import SETTLE
from inloop.simulate.schedules import METHODS, check_method
from inloop.simulate.systems import Conditions, make_systems


class Stepper:
    """A plant between two steps, for controllers and hardware in the loop.

    Attributes:
        step_size: step [s].
        parameters: those of the plant; may be written between steps and take effect in the next
            one.
        inputs, tau: values of all inputs and efforts of all joints [N·m or N], by name; may be
            written between steps.
        events: events in the last step, if the plant has modes.
        status: status of the last step.
    """

    def __init__(
        self,
        plants: Mapping[str, BarePlant],
        *,
        step: float = 1e-3,
        method: str | None = None,
        mode: str | None = None,
        q: Mapping[str, float] | Array | None = None,
        qd: Mapping[str, float] | Array | None = None,
        inputs: Mapping[str, float] | None = None,
        motions: Mapping[str, Signal] | None = None,
        most_events: int = 16,
    ) -> None:
        """Place a plant at its initial state.

        Args:
            plants: the modes by name; a plant without modes is its only one.
            step: fixed step [s].
            method: "rk4", "euler", "dopri", "rodas", "implicit" or "moreau", at fixed steps;
                default: "rk4", or "moreau" for hard contacts.
            mode: initial mode; default: the first.
            q: initial coordinates.
            qd: initial velocities.
            inputs: initial values of inputs.
            motions: functions of time for driven joints, by name.
            most_events: maximum number of events in one step.
        """
        if method is None:
            method = own_method(list(plants.values())) or FIRST
        check_method(str(method))
        self.step_size = real(step, "step")
        most_events = whole(most_events, "most_events")
        check_limits(most_events, None)
        if not (math.isfinite(self.step_size) and self.step_size > 0.0):
            raise InputError(f"steps of {step} s make no sense", fix="Use a positive number.")
        self._plants = plants
        check_step(plants, self.step_size)
        led = inputs_led_by_plant(plants)
        values, moved = by_name(inputs, "inputs"), by_name(motions, "motions")
        refuse_led(led, values)
        self._at: dict[str, Conditions] = {
            name: conditions(plants, plant, {}, values, moved) for name, plant in plants.items()
        }
        self.events: list[EventRecord] = []
        self.status = Status.OK
        begin = first_snapshot(plants, mode, self._at, q, qd)
        self._notes = begin.notes
        kind = METHODS[method]
        systems = make_systems(
            plants, self._at, kind, begin.formulations, self.step_size, patient=True
        )
        self._systems = dict(zip(plants, systems, strict=True))
        self._inputs = _Live(
            [(plants[n].inputs, s.u) for n, s in self._systems.items()], "input", led
        )
        efforts = {n.removesuffix(".tau"): by for n, by in led.items() if n.endswith(".tau")}
        self._tau = _Live(
            [(plants[n].coordinates, s.tau) for n, s in self._systems.items()], "joint", efforts
        )
        self._drives = DriveWatch(plants, self._inputs)
        self._names = list(plants)
        for system in systems:
            system.watch_from_home()
        first, x = begin.snapshot.mode, begin.snapshot.x
        systems[first].watch(x)
        sizes = [system.size for system in systems]
        self._machine = InstanceStepper(systems[0].instance, sizes, first, x, most_events)
        self._parameters = next(iter(plants.values())).parameters
        self._version, self._tuned = self.parameters.version, False
        self._places = {name: place for place, name in enumerate(self.output_names)}
        self._input_count = len(self.input_names)
        self._published = np.empty(len(self._places))

    @property
    def parameters(self) -> Parameters:
        """Live parameters; assigning a dictionary writes the values that it names."""
        return self._parameters

    @parameters.setter
    def parameters(self, values: Mapping[str, float]) -> None:
        self._parameters.update(by_name(values, "parameters"))

    @property
    def inputs(self) -> MutableMapping[str, float]:
        """Values of all inputs, by name; assigning a dictionary writes those that it names."""
        return self._inputs

    @inputs.setter
    def inputs(self, values: Mapping[str, float]) -> None:
        self._inputs.update(by_name(values, "inputs"))

    @property
    def tau(self) -> MutableMapping[str, float]:
        """Efforts of all joints, by name [N·m or N]; assigning writes those that it names."""
        return self._tau

    @tau.setter
    def tau(self, values: Mapping[str, float]) -> None:
        self._tau.update(by_name(values, "tau"))

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._machine.t

    @property
    def mode(self) -> str:
        """Name of the current mode."""
        return self._names[self._machine.mode]

    @property
    def notes(self) -> tuple[str, ...]:
        """Differences from the model's initial values, and what steps may have missed."""
        count = self._systems[self.mode].instance.missed_turns
        missed = (
            f"steps of {self.step_size:g} s were too long {count} times near singular positions"
        )
        told = divided_notes(self._systems.values())
        return (*self._notes, *([f"{missed}; use a smaller step"] if count else []), *told)

    @property
    def newton(self) -> NewtonReport | None:
        """Report on Newton's method for formulation="redundant"; otherwise None."""
        return self._systems[self.mode].newton

    @property
    def plant(self) -> BarePlant:
        """The equations of the current mode."""
        return self._plants[self.mode]

    def step(self, **inputs: float) -> None:
        """Write inputs, then take one step.

        Raises:
            SimulationError: the step failed; the state is unchanged.
            InputError: unknown input, or a drive that moves without its velocity.
        """
        for name, value in inputs.items():
            self._inputs[name] = value
        self._drives.check()
        self._follow_parameters()
        self.status = status = self._machine.step()
        if status != Status.OK:
            self._systems[self.mode].follow_choice()
            who = f"model '{common_name(self._plants)}'"
            who += f" in mode '{self.mode}'" if len(self._plants) > 1 else ""
            raise SimulationError(
                f"{who}: {status.name} in the step after t = {self.t:.6g} s{self._why(status)}",
                fix=self._way_out(status),
            )
        self._drives.remember()
        self._tuned = False
        if self._machine.events:
            for system in self._systems.values():
                system.follow_choice()
        self.events = [event_record(self._systems, event) for event in self._machine.events]

    def _way_out(self, status: Status) -> str:
        """Remedy after a failure."""
        if status == Status.LOOP_OPEN and self.plant.mechanism.hard_contacts:
            return (
                "Other independent coordinates may be needed here, and hard contacts need code "
                "for each choice: compile(rehearse=...) builds what a run of that many seconds "
                "needs."
            )
        if status == Status.LOOP_OPEN and self._tuned:
            return (
                "Parameters have changed, and the loops cannot follow from their current "
                "positions: undo the change, or make it in smaller parts."
            )
        if status == Status.CHATTERING:
            return f"{SETTLE}."
        return "Use a smaller step, or check the inputs."

    def _why(self, status: Status) -> str:
        """Cause of a failure, as text."""
        system = self._systems[self.mode]
        if status == Status.OUT_OF_BOUNDS:
            return f": {system.beyond()}"
        if status == Status.CHATTERING:
            names = ", ".join(dict.fromkeys(f"'{event.name}'" for event in self.events))
            return ": too many events in one step" + (f", after {names}" if names else "")
        if status == Status.CONTROLLER_FAILED:
            number = system.instance.not_finite
            name = f"input '{self.input_names[number]}'" if number >= 0 else "a state"
            return f": {name} of the controller is not finite"
        if status == Status.LOOP_OPEN and system.formulation.partition.rows:
            return f": loop '{system.open_loop}' is at a singular position or beyond its reach"
        return ""

    def let_go(self) -> None:
        """Stop calling the plant's controller; its inputs are then written by the caller."""
        self._systems[self.mode].instance.let_go()
        self._inputs.release()
        self._tau.release()

    def _follow_parameters(self) -> None:
        """Apply parameters written since the last step."""
        if self.parameters.version != self._version:
            instance = self._systems[self.mode].instance
            instance.numbers(Numbers.PARAMETERS)[:] = self.parameters.values_array
            instance.prepare()
            self._version = self.parameters.version
            self._tuned = True

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of all inputs, joint efforts first: the order of `hold`."""
        return tuple(x.name for x in input_quantities(self._plants))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of all outputs of the plant, q and qd first: the order of `outputs`."""
        return tuple(x.name for x in output_quantities(self._plants))

    def hold(self, values: Array) -> None:
        """Write all inputs at once, in the order of `input_names`.

        Raises:
            InputError: there is not one number per input.
        """
        held = reals(values, "what is held")
        if held.shape != (self._input_count,):
            raise InputError(
                f"what is held has shape {held.shape}, but there are {self._input_count} inputs",
                fix="Give one number per name in stepper.input_names.",
            )
        self._systems[self.mode].instance.hold_inputs(held)

    def outputs(self, values: Array) -> None:
        """Fill in all current outputs, as published by a plant in real time.

        Args:
            values: array with one entry per name in `output_names`; outputs that the current mode
                lacks become NaN.

        Raises:
            InputError: it is no contiguous array of that many 64-bit floats.
        """
        size = len(self._places)
        if not _can_be_filled(values, size):
            raise InputError(
                "outputs are written into an array that is not one of 64-bit floats in a row, one "
                f"per output ({size})",
                fix="Give numpy.empty(len(stepper.output_names)).",
            )
        self._follow_parameters()
        status = self._systems[self.mode].instance.outputs(values)
        if status != Status.OK:
            raise self._cannot_close()

    def _cannot_close(self) -> SimulationError:
        status = Status.LOOP_OPEN
        return SimulationError(
            f"model '{self.plant.name}' cannot close its loops at t = {self.t:.6g} s"
            f"{self._why(status)}",
            fix=self._way_out(status) if self._tuned else "Check the inputs of driven joints.",
        )

    def look(self) -> Samples:
        """All current coordinates and signals: arrays with one row."""
        self._follow_parameters()
        system = self._systems[self.mode]
        system.follow_choice()
        found = system.expand(np.array([self.t]), self._machine.x[None, :])
        if not len(found.t):
            raise self._cannot_close()
        found.signals.update(self._outputs(found))
        return found

    def _outputs(self, found: Samples) -> dict[str, Array]:
        """Current outputs of force laws and readings of sensors."""
        plant, system = self.plant, self._systems[self.mode]
        u = system.u[: len(plant.inputs)]
        return {
            **plant.law_outputs(found.q, found.qd, found.z, u, found.t),
            **observe.sensor_outputs(plant, found, u[None, :], system.tau[: plant.n]),
        }

    def __getitem__(self, signal: str) -> float:
        """Current value of a signal: "<coordinate>.q", "<coordinate>.qd", or in `look()`."""
        signal = one_name(signal, "the signal")
        # published outputs are read in every cycle of a loop: one call of compiled code
        place = self._places.get(signal)
        if place is not None:
            self.outputs(self._published)
            if not math.isnan(value := float(self._published[place])):
                return value
        found = self.look()
        if signal in found.signals:
            return float(found.signals[signal][0])
        known = [*(f"{c}.q" for c in self.plant.coordinates), *found.signals]
        raise InputError(f"there is no signal '{signal}'", fix=name_hint(signal, known))

    def snapshot(self) -> InstanceSnapshot:
        """Everything that influences the future, except inputs and parameters."""
        return self._machine.snapshot()

    def restore(self, snapshot: InstanceSnapshot) -> None:
        """Return to the state of a snapshot."""
        if not isinstance(snapshot, InstanceSnapshot):
            raise useless(snapshot, "snapshot", "Give one returned by stepper.snapshot().")
        self._machine.restore(snapshot)
        self._drives.remember()


def _can_be_filled(values: object, size: int) -> bool:
    """Whether compiled code can write that many numbers into it."""
    return (
        isinstance(values, np.ndarray)
        and values.shape == (size,)
        and values.dtype == np.float64
        and values.flags.carray
    )


class _Live(MutableMapping[str, float]):
    """Numbers by name, stored in the vectors of all modes that have the name."""

    def __init__(
        self,
        vectors: Sequence[tuple[tuple[str, ...], Array]],
        what: str,
        led: Mapping[str, str],
    ) -> None:
        self._what, self._led = what, led
        self._cells: dict[str, list[tuple[Array, int]]] = {}
        for names, vector in vectors:
            for k, name in enumerate(names):
                self._cells.setdefault(name, []).append((vector, k))

    def __getitem__(self, name: str) -> float:
        vector, k = self._find(name)[0]
        return float(vector[k])

    def __setitem__(self, name: str, value: float) -> None:
        refuse_led(self._led, [name])
        number = real(value, f"{self._what} '{name}'")
        if not math.isfinite(number):
            raise InputError(f"{self._what} '{name}' is {number}", fix="Give a finite number.")
        for vector, k in self._find(name):
            vector[k] = number

    def release(self) -> None:
        """Make all of them writable: no controller sets them from now on."""
        self._led = {}

    def __delitem__(self, name: str) -> None:
        raise InputError(f"{self._what} '{name}' cannot be removed", fix="Set it to 0.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def _find(self, name: str) -> list[tuple[Array, int]]:
        if name not in self._cells:
            raise InputError(f"there is no {self._what} '{name}'", fix=name_hint(name, self._cells))
        return self._cells[name]
