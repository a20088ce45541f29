"""A user's controller: called at samples, its output checked, its errors reported by line.

A controller is a function `controller(t, outputs)`, or an object with `__call__` and, if it has
states, `reset()`; it returns inputs by name. The same wrapper calls it offline and in the process
next to a real-time plant.
"""

from __future__ import annotations

import functools
import inspect
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from inloop.errors import InputError, SimulationError, source_line
from inloop.plant import Array
from inloop.plant.arguments import real
from inloop.plant.controlling import declared_states
from inloop.simulate.controlled.sampled import Sampled, unknown_name

Controller = Callable[..., Mapping[str, float]]
FAILED = "CONTROLLER_FAILED"  # status of a run ended by its controller
EXAMPLE = 'def pd(t, outputs): return {"crank.tau": -9.0 * outputs["crank.q"]}'


def check_controller(controller: Any) -> None:
    """Check that an object can be a controller.

    Raises:
        InputError: it is a class, or not callable.
    """
    if isinstance(controller, type):
        raise InputError(
            f"controller '{controller.__name__}' is a class",
            where=_definition(controller),
            fix=f"Pass an instance: controller={controller.__name__}(...).",
        )
    if not callable(controller):
        raise InputError(
            f"controller is {str(controller)[:60]!r}, which cannot be called",
            fix=f"Give a function of time and outputs, such as: {EXAMPLE}.",
        )


def name_of(controller: Any) -> str:
    """Name of a controller: that of its function or class."""
    if isinstance(controller, functools.partial):
        return name_of(controller.func)
    return str(getattr(controller, "__name__", type(controller).__name__))


class SampledController:
    """A controller connected to a plant.

    Attributes:
        name: name of the function or class.
        gains: keyword arguments of its calls, unless they are its own.
        held: values of all inputs, in order; inputs that it does not return are unchanged.
    """

    def __init__(
        self,
        controller: Controller,
        inputs: Sequence[str],
        first: Array,
        led: Mapping[str, str] | None = None,
    ) -> None:
        """Wrap a controller in its initial state.

        Args:
            controller: a function, or a callable object.
            inputs: names of all inputs.
            first: their values until the controller returns others.
            led: inputs set by something else, with its description: they must not be returned.
        """
        check_controller(controller)
        self.name, self.held = name_of(controller), first.copy()
        self.gains: dict[str, float] = {}
        self._controller, self._first = controller, first.copy()
        self._index = {name: k for k, name in enumerate(inputs)}
        self._led = led or {}

    def reset(self) -> None:
        """Restart: initial inputs, and `controller.reset()` if it exists."""
        self.held = self._first.copy()
        for name, value in declared_states(self._controller).items():
            setattr(self._controller, name, float(value))
        begin_anew = getattr(self._controller, "reset", None)
        if callable(begin_anew):
            try:
                begin_anew()
            except Exception as error:
                raise self._stopped("in reset()", error) from error

    def sample(self, outputs: Sampled) -> Array:
        """Call the controller.

        Args:
            outputs: current outputs of the plant.

        Returns:
            Values of all inputs, to be held until the next sample: a new array.

        Raises:
            SimulationError: it raised an exception, or returned something invalid; names the
                controller, the time and the user's line.
        """
        try:
            answer = self._controller(outputs.t, outputs, **self.gains)
        except (Exception, SystemExit) as error:
            raise self._stopped(f"at t = {outputs.t:.6g} s", error) from error
        try:
            self.held = self._taken(answer)
        except InputError as error:
            raise self.refused(outputs.t, error) from None
        return self.held

    def refused(self, t: float, error: InputError) -> SimulationError:
        """The error for invalid inputs returned at time t [s]."""
        (mistake,) = error.mistakes
        what = f"controller '{self.name}' at t = {t:.6g} s: {mistake.what}"
        return SimulationError(what, _definition(self._controller), mistake.fix)

    def _taken(self, answer: Any) -> Array:
        if not isinstance(answer, Mapping):
            raise InputError(
                f"returned {str(answer)[:60]}, not inputs by name",
                fix=f"Return a dict such as {{{next(iter(self._index), 'name')!r}: 1.0}}; "
                "inputs that are not in it stay as they are.",
            )
        values = self.held.copy()
        for name, value in answer.items():
            place = self._index.get(name)
            if place is None:
                raise unknown_name("input", name, self._index)
            if name in self._led:
                raise InputError(
                    f"input '{name}' is set by {self._led[name]}",
                    fix="Set it either there or in the controller.",
                )
            number = real(value, f"input '{name}'")
            if not math.isfinite(number):
                raise InputError(
                    f"input '{name}' is {number}", fix="Make sure that its results stay finite."
                )
            values[place] = number
        return values

    def _stopped(self, when: str, error: BaseException) -> SimulationError:
        what = f"controller '{self.name}' failed {when} with {type(error).__name__}: {error}"
        return SimulationError(
            what.removesuffix(".").removesuffix(": "),
            where=_line_of(error, self._controller),
            fix="Check this line of the controller.",
        )


def _code_of(controller: Any) -> CodeType | None:
    """Code object of the function that is called."""
    if isinstance(controller, functools.partial):
        return _code_of(controller.func)
    if not (inspect.isfunction(controller) or inspect.ismethod(controller)):
        controller = getattr(type(controller), "__call__", None)  # noqa: B004
    found = getattr(inspect.unwrap(controller), "__code__", None) if controller else None
    return found if isinstance(found, CodeType) else None


def _definition(controller: Any) -> str:
    """File and line where a controller is defined, if known."""
    if isinstance(controller, type):
        controller = controller.__dict__.get("__call__", controller)
    code = _code_of(controller)
    return "" if code is None else source_line(code.co_filename, code.co_firstlineno)


def _line_of(error: BaseException, controller: Any) -> str:
    """The user's line that failed: the innermost one in the controller's file."""
    code = _code_of(controller)
    if isinstance(error, SyntaxError) or code is None:
        return _definition(controller)
    own = code.co_filename
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == own]
    return source_line(own, lines[-1].lineno or 0) if lines else _definition(controller)
