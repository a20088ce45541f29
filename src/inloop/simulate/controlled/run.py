"""Simulate a plant with a controller in lockstep, exactly at multiples of its period.

At each sample the controller reads the outputs of the plant, and its outputs are held until the
next one. With fixed steps this is the same sequence of calls as in the real-time loop
(il_period.c), on the same instance: the same controller gives bit-identical results there, if it
responds within its period.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from inloop.errors import InputError, SimulationError
from inloop.native import FixedSteps, Method, Status
from inloop.plant import BarePlant, Signal
from inloop.plant.arguments import by_name, real
from inloop.simulate.choice import method_at_start, with_tolerance
from inloop.simulate.controlled.adaptive import AdaptiveRun, Stretch
from inloop.simulate.controlled.compiled import CompiledController, refuse_second
from inloop.simulate.controlled.law import FAILED, Controller, SampledController, check_controller
from inloop.simulate.controlled.pace import Pace, pace_of
from inloop.simulate.controlled.rows import Rows
from inloop.simulate.controlled.sampled import Sampled, SampledNames
from inloop.simulate.live_drives import drive_inputs
from inloop.simulate.machine import simulate_modes
from inloop.simulate.progress import Progress
from inloop.simulate.results.result import Result
from inloop.simulate.results.unfinished import interrupted
from inloop.simulate.run import simulate
from inloop.simulate.schedules import METHODS
from inloop.simulate.start import Given, vector
from inloop.simulate.stepper import Stepper

TOLD_EVERY = 1000  # samples between progress updates


def simulate_controlled(
    plants: Mapping[str, BarePlant],
    controller: Controller | None,
    *,
    t_end: float,
    step: float = 1e-3,
    period: float | None = None,
    method: str | None = None,
    q: Given = None,
    qd: Given = None,
    tau: Given = None,
    inputs: Mapping[str, float] | None = None,
    sample: float | None = None,
    tolerance: float | None = None,
    motions: Mapping[str, Signal] | None = None,
    mode: str | None = None,
    most_events: int = 1000,
    **others: Any,
) -> Result:
    """Integrate the equations of motion with a controller in the loop.

    Args:
        plants: the modes by name; a plant without modes is its only one.
        controller: called with time and outputs at t = 0, period, 2 period, ...; returns inputs by
            name ("<joint>.tau", inputs of the model, "<joint>.q", ".qd", ".qdd" of live drives).
            Inputs that it does not return are unchanged. `controller.reset()` is called first if it
            exists. None: the plant's own controller.
        t_end: length of the run [s]; a whole number of steps.
        step: integrator step [s]; must divide the period.
        period: time between controller calls [s]; default: one step.
        method: integrator at fixed steps; default, as in real time: "rk4", or "implicit" if
            contacts, stops or stiff laws need it.
        q: initial coordinates, by name or as a vector.
        qd: initial velocities.
        tau: joint efforts until the controller returns others [N·m or N].
        inputs: constants by name, until the controller returns others.
        sample: time between rows of the result [s]; default: every step.
        tolerance: relative error per step; then "dopri", "rodas", "alpha" choose their steps, which
            end at samples.
        motions: functions of time for driven joints, by name.
        mode: initial mode; default: the first.
        most_events: maximum number of events in one step.
        others: arguments of other runs that are not supported here: rejected.

    Returns:
        Rows with the signals that the controller reads, and inputs as held from there on. `work` is
        NaN: inputs jump.

    Raises:
        SimulationError: the run cannot continue, or the controller failed; `result` holds what was
            computed.
        KeyboardInterrupt: Ctrl-C; `result` holds what was computed.
    """
    own = controller is None
    if controller is None:
        controller = compiled = CompiledController(plants)
        period = compiled.period
    else:
        refuse_second(plants)
    check_controller(controller)
    _refuse(others)
    pace = pace_of(t_end, step, period, sample)
    values = _constants(inputs)
    first = next(iter(plants.values()))
    if method is None and tolerance is not None:
        method = with_tolerance(list(plants.values()))
    if method is None:
        method = method_at_start(first, q, qd, values, pace.step)
    common: dict[str, Any] = {
        "method": method,
        "motions": motions,
        "mode": mode,
        "most_events": most_events,
    }
    stepper = Stepper(plants, step=pace.step, q=q, qd=qd, inputs=values, **common)
    _give_efforts(stepper, first, tau)
    if own:
        stepper.let_go()
    run = _Run(plants, stepper, pace, controller, motions or {})
    if tolerance is not None:
        common |= {"tolerance": tolerance, "step": step, "sample": sample}
        return run.adaptively(plants, _stretches(plants, q, qd, common))
    return run.complete(METHODS[method])


def _refuse(others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if value is not None and value != ():
            raise InputError(
                f"{name}= cannot be combined with a controller",
                fix="Leave it out, or use plant.stepper() and call the controller yourself.",
            )


def _constants(inputs: Mapping[str, Any] | None) -> dict[str, float]:
    """Initial values of inputs."""
    for name, value in by_name(inputs, "inputs").items():
        if callable(value) or isinstance(value, tuple):
            raise InputError(
                f"input '{name}' is given as a function of time, together with a controller",
                fix="Give a constant, and let the controller change it.",
            )
    return {name: real(value, f"input '{name}'") for name, value in (inputs or {}).items()}


def _give_efforts(stepper: Stepper, first: BarePlant, tau: Given) -> None:
    if tau is not None and not isinstance(tau, Mapping):
        tau = dict(zip(first.coordinates, vector(first, tau, [0.0] * first.n, "tau"), strict=True))
    for name, value in by_name(tau, "tau").items():
        stepper.tau[name] = value


def _stretches(
    plants: Mapping[str, BarePlant], q: Given, qd: Given, common: Mapping[str, Any]
) -> Stretch:
    """Returns a function that runs from one sample to the next with adaptive steps."""
    first = next(iter(plants.values()))

    def stretch(*, start: Result | None, **given: Any) -> Result:
        given |= {**common, "start": start}
        if start is None:
            given |= {"q": q, "qd": qd}
        else:
            given.pop("mode", None)
        if first.by_mode:
            return simulate_modes(plants, **given)
        unknown = ("mode", "most_events")
        return simulate(first, **{k: v for k, v in given.items() if k not in unknown})

    return stretch


def inputs_led(plants: Mapping[str, BarePlant], motions: Mapping[str, Signal]) -> dict[str, str]:
    """Inputs of live drives replaced by a function of time, with a description of it."""
    return {
        f"{joint}.{kind}": f"the motion given for '{joint}'"
        for plant in plants.values()
        for joint in drive_inputs(plant)
        for kind in ("q", "qd", "qdd")
        if joint in motions
    }


class _Run:
    """A stepper and a controller in alternation."""

    def __init__(
        self,
        plants: Mapping[str, BarePlant],
        stepper: Stepper,
        pace: Pace,
        controller: Controller,
        motions: Mapping[str, Signal],
    ) -> None:
        self._stepper, self._pace = stepper, pace
        inputs, outputs = stepper.input_names, stepper.output_names
        count = len({name for plant in plants.values() for name in plant.coordinates})
        self._names = SampledNames(count, ("t", *outputs, *inputs))
        known = {**{f"{c}.tau": x for c, x in stepper.tau.items()}, **stepper.inputs}
        first = np.array([known[name] for name in inputs])
        led = inputs_led(plants, motions)
        self._law = SampledController(controller, inputs, first, led)
        self._rows = Rows(plants, outputs, inputs)
        # time, outputs and held inputs, in the order of the mailbox
        self._seen = np.zeros(1 + len(outputs) + len(inputs))
        self._outputs = self._seen[1 : 1 + len(outputs)]
        self._held = self._seen[1 + len(outputs) :]

    def complete(self, method: Method) -> Result:
        """Run all steps; also returns partial results with errors."""
        try:
            self._go()
        except SimulationError as error:
            status = self._stepper.status
            why = FAILED if status == Status.OK else status.name
            error.result = self._broken_off(method, why)  # type: ignore[attr-defined]
            raise
        except KeyboardInterrupt:
            kept = self._broken_off(method, Status.STOPPED.name)
            if kept is None:
                raise
            raise interrupted(kept, self._pace.steps * self._pace.step) from None
        return self._result(method, Status.OK.name)

    def _broken_off(self, method: Method, status: str) -> Result | None:
        """The result up to the last valid step; None if there is nothing."""
        if self._stepper.t > self._rows.last:
            with contextlib.suppress(SimulationError):  # loops may not close there
                self._look()
                self._keep()
        return None if self._rows.last < 0.0 else self._result(method, status)

    def _result(self, method: Method, status: str) -> Result:
        schedule = FixedSteps(method, self._pace.step, self._pace.steps)
        return self._rows.result(schedule, status, self._stepper.notes)

    def _go(self) -> None:
        """Run all steps; each sample precedes the step in which it acts."""
        pace = self._pace
        self._law.reset()
        self._held[:] = self._law.held
        end = pace.steps * pace.step
        with Progress(0.0, end) as progress:
            for k in range(pace.steps):
                sampled = k % pace.per_sample == 0
                if sampled or k % pace.stride == 0:
                    self._look()
                if sampled:
                    self._sample()
                    if k // pace.per_sample % TOLD_EVERY == TOLD_EVERY - 1:
                        progress(k / pace.steps)
                if k % pace.stride == 0:
                    self._keep()
                self._step()
        self._look()
        self._keep()

    def adaptively(self, plants: Mapping[str, BarePlant], stretch: Stretch) -> Result:
        """The same with adaptive steps."""
        self._look()
        names = self._stepper.output_names, self._stepper.input_names
        run = AdaptiveRun(plants, self._law, names, stretch)
        signals = {name: float(x[0]) for name, x in self._stepper.look().signals.items()}
        return run.go(self._pace, self._outputs.copy(), signals)

    def _sample(self) -> None:
        held = self._law.sample(Sampled(self._names, self._seen.copy()))
        self._stepper.hold(held)
        self._held[:] = held

    def _step(self) -> None:
        try:
            self._stepper.step()
        except InputError as error:
            raise self._law.refused(self._stepper.t, error) from None
        self._rows.events += self._stepper.events

    def _look(self) -> None:
        self._seen[0] = self._stepper.t
        self._stepper.outputs(self._outputs)

    def _keep(self) -> None:
        stepper = self._stepper
        self._rows.add(stepper.t, stepper.mode, self._outputs, self._law.held)
