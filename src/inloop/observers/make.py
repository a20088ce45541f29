"""Create an observer from names, standard deviations and a period."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from inloop.errors import InputError
from inloop.native.running.observer import COPY_OF_EXTRA, ObserverTable, StateBound
from inloop.observers.observability import insist_on_sight
from inloop.observers.observed_plant import ObservedPlant
from inloop.observers.observer import Observer
from inloop.observers.recipe import read, written
from inloop.observers.setup import Setup
from inloop.observers.unknowns import (
    Extra,
    Unknown,
    not_negative,
    positive,
    read_extras,
    white,
)
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, name_list, reals, whole
from inloop.plant.keywords import checked_call
from inloop.simulate.controlled.sampled import unknown_name
from inloop.simulate.schedules import METHODS

FILTERS = ("ekf", "ukf", "mhe")
INTEGRATORS = ("rk4", "euler", "dopri", "rodas", "implicit")
UNSURE = 0.1  # default initial standard deviation, in natural units of a state
HORIZON, LONGEST = 20, 1000  # samples
MOST_ROWS = 2000  # bounds over the whole horizon, which need their square in memory
NARROWEST, WIDEST = 1e-3, 1e3  # spread of sigma points: closer ones differ by rounding errors


@checked_call
def observer(
    plant: BarePlant,
    *,
    measured: Mapping[str, float],
    disturbances: Mapping[str, float] | None = None,
    unknown: Mapping[str, Unknown | float] | None = None,
    offsets: Mapping[str, Unknown | float] | None = None,
    states: Mapping[str, float] | None = None,
    doubt: Mapping[str, float] | None = None,
    method: str = "ekf",
    period: float = 1e-3,
    step: float | None = None,
    integrator: str = "rk4",
    q: Mapping[str, float] | Array | None = None,
    qd: Mapping[str, float] | Array | None = None,
    inputs: Mapping[str, float] | None = None,
    delays: Mapping[str, float] | None = None,
    unobserved: Sequence[str] | str = (),
    gate: float = 0.0,
    spread: float = 1.0,
    horizon: int = HORIZON,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Observer:
    """Create an observer (state estimator) of a plant, in its initial state.

    Args:
        plant: the compiled mechanism, without modes and hard contacts.
        measured: standard deviation of the noise of each measured output, by name [its unit].
        disturbances: standard deviation of white noise added to inputs and efforts
            ("<joint>.tau") at each sample [their unit].
        unknown: inputs and efforts with an unknown addition, which is estimated: an `Unknown`,
            or its change in one second.
        offsets: measured outputs with an offset that is estimated, likewise.
        states: standard deviation of process noise on states, per sample; for unknown inputs and
            offsets it is added to their own.
        doubt: initial standard deviation of states; default: a tenth of the natural unit.
        method: "ekf", "ukf" or "mhe".
        period: time between samples [s].
        step: integrator step [s]; default: the period.
        integrator: "rk4", "euler", "dopri", "rodas" or "implicit".
        q: initial coordinates of the estimate; default: those of the plant.
        qd: initial velocities of the estimate.
        inputs: initial values of inputs.
        delays: delays of measured outputs [s], multiples of the period.
        unobserved: states that may remain unknown.
        gate: measurements off by more than this many standard deviations are rejected; 0: none.
        spread: spread of the sigma points of "ukf", relative to √size standard deviations.
        horizon: horizon of "mhe" in samples.
        bounds: bounds of states in "mhe", by name: (lowest, highest).

    Raises:
        InputError: nothing is measured, a name or a number is invalid, or an unobservable state
            does not decay.
    """
    given = {
        "measured": measured, "disturbances": disturbances, "unknown": unknown, "offsets": offsets,
        "states": states, "doubt": doubt, "method": method, "period": period, "step": step,
        "integrator": integrator, "q": q, "qd": qd, "inputs": inputs, "delays": delays,
        "unobserved": unobserved, "gate": gate, "spread": spread, "horizon": horizon,
        "bounds": bounds,
    }  # fmt: skip
    if method not in FILTERS:
        raise InputError(f"method {method!r} is unknown", fix=f"Use {', '.join(FILTERS)}.")
    if integrator not in INTEGRATORS:
        raise InputError(
            f"integrator {integrator!r} is unknown", fix=f"Use {', '.join(INTEGRATORS)}."
        )
    period = positive(period, "the period")
    step = period if step is None else positive(step, "the step")
    substeps = round(period / step)
    if substeps < 1 or abs(substeps * step - period) > 1e-9 * period:
        raise InputError(
            f"a period of {period:g} s is not a whole number of steps of {step:g} s",
            fix="Choose a step that divides the period.",
        )
    seen = ObservedPlant(
        plant, METHODS[integrator], period / substeps, method != "ukf", q, qd, inputs
    )
    noise = _noise(seen, measured)
    extras, pushed = _noise_beside(seen, disturbances, unknown, offsets, list(noise), period)
    names = (*seen.state_names, *(extra.name for extra in extras))
    first = _first_doubt(seen, extras, names, doubt)
    direct = _by_state(names, states, "the noise")
    extras = [_stirred(extra, direct.get(extra.name, 0.0)) for extra in extras]
    gate, spread = not_negative(gate, "gate"), positive(spread, "spread")
    if not NARROWEST <= spread <= WIDEST:
        raise InputError(f"spread is {spread:g}", fix=f"Give {NARROWEST:g} to {WIDEST:g}.")
    table = ObserverTable(
        kind=method,
        method=METHODS[integrator],
        step=period / substeps,
        substeps=substeps,
        measured=[seen.output_names.index(name) for name in noise],
        noise=np.array(list(noise.values())) ** 2,
        extras=[extra.state for extra in extras],
        pushed=[seen.input_names.index(name) for name in pushed],
        push=np.array(list(pushed.values())) ** 2,
        moved=np.array([direct.get(name, 0.0) for name in names]) ** 2,
        gate=gate,
        spread=spread,
        generated=seen.generated,
        horizon=_horizon(horizon),
        bounds=_bounds(names, bounds),
    )
    late = _late(noise, delays, period)
    _check_method(method, table, late)
    facts = written(plant, given)
    made = Observer(Setup(seen, table, tuple(noise), tuple(extras), first, late, facts))
    insist_on_sight(made, name_list(unobserved, "unobserved"))
    return made


def observer_again(plant: BarePlant, facts: str) -> Observer:
    """The observer stored in a recording (`Observer.facts`), in its initial state.

    Args:
        plant: the same model, with the same parameters.
        facts: the text.

    Raises:
        FileFormatError: the text is invalid.
        InputError: the observer belongs to a different model.
    """
    return observer(plant, **read(facts, plant))


def _noise(seen: ObservedPlant, measured: Mapping[str, float]) -> dict[str, float]:
    """Standard deviation of each measured output."""
    given = by_name(measured, "measured")
    if not given:
        raise InputError(
            f"observer of model '{seen.plant.name}': no measured outputs are given",
            fix='Name outputs with the standard deviation of their noise: measured={"crank.q": '
            "1e-4}.",
        )
    for name in given:
        if name not in seen.output_names:
            raise unknown_name("output", name, seen.output_names)
    return {name: positive(value, f"the noise of '{name}'") for name, value in given.items()}


def _noise_beside(
    seen: ObservedPlant,
    disturbances: Mapping[str, float] | None,
    unknown: Mapping[str, Unknown | float] | None,
    offsets: Mapping[str, Unknown | float] | None,
    measured: list[str],
    period: float,
) -> tuple[list[Extra], dict[str, float]]:
    """Extra states, and standard deviations of input noise that needs no extra state."""
    inputs = {name: k for k, name in enumerate(seen.input_names)}
    sensors = {name: k for k, name in enumerate(measured)}
    extras = read_extras(unknown or {}, offsets or {}, inputs, sensors, period)
    pushed: dict[str, float] = {}
    for name, value in by_name(disturbances, "disturbances").items():
        if name not in inputs:
            raise unknown_name("input", name, inputs)
        deviation = not_negative(value, f"the disturbance of '{name}'")
        # direct feedthrough, as to accelerations, correlates it with the measurements: make it a
        # state
        if seen.feels(measured, name):
            extras.append(white(name, inputs[name], deviation))
        else:
            pushed[name] = deviation
    return extras, pushed


def _by_state(
    names: tuple[str, ...], given: Mapping[str, float] | None, what: str
) -> dict[str, float]:
    found = {}
    for name, value in by_name(given, what).items():
        if name not in names:
            raise unknown_name("state", name, names)
        found[name] = not_negative(value, f"{what} of state '{name}'")
    return found


def _stirred(extra: Extra, deviation: float) -> Extra:
    """An extra state with additional white process noise."""
    if deviation and extra.state.kind == COPY_OF_EXTRA:
        raise InputError(
            f"the noise of '{extra.name}', which only tells what another state was before",
            fix="Name that state, or leave it out.",
        )
    return replace(extra, state=replace(extra.state, wanders=extra.state.wanders + deviation**2))


def _first_doubt(
    seen: ObservedPlant,
    extras: list[Extra],
    names: tuple[str, ...],
    doubt: Mapping[str, float] | None,
) -> Array:
    """Initial standard deviation of each error state."""
    given = _by_state(names, doubt, "the doubt")
    own = [*(UNSURE * seen.units), *(extra.doubt for extra in extras)]
    return np.array([given.get(name, first) for name, first in zip(names, own, strict=True)])


def _late(
    measured: Mapping[str, float], delays: Mapping[str, float] | None, period: float
) -> tuple[int, ...]:
    """Delay of each measured output, in periods."""
    given = by_name(delays, "delays")
    for name in given:
        if name not in measured:
            raise unknown_name("measured output", name, measured)
    late = []
    for name in measured:
        delay = not_negative(given.get(name, 0.0), f"the delay of '{name}'")
        periods = round(delay / period)
        if abs(periods * period - delay) > 1e-6 * period:
            raise InputError(
                f"a delay of {delay:g} s of '{name}' is not a whole number of periods of "
                f"{period:g} s",
                fix="Round it, or choose a period that divides it.",
            )
        late.append(periods)
    return tuple(late)


def _check_method(method: str, table: ObserverTable, late: tuple[int, ...]) -> None:
    """Reject options that a method does not support.

    Raises:
        InputError: such an option is given.
    """
    filters = "Use 'ekf' or 'ukf'."
    if method != "mhe":
        if table.bounds:
            raise InputError(f"method '{method}' does not support bounds", fix="Use method='mhe'.")
        return
    rows = (table.horizon + 1) * len(table.bounds)
    if rows > MOST_ROWS:
        raise InputError(
            f"a horizon of {table.horizon} samples with {len(table.bounds)} sides of bounds",
            fix=f"Shorten it: the two make {rows} bounds, {MOST_ROWS} are the most.",
        )
    if any(extra.kind == COPY_OF_EXTRA for extra in table.extras):
        raise InputError(
            "method 'mhe' does not support lag=", fix=f"{filters[:-1]}, or leave out lag=."
        )
    if max(late):
        raise InputError("method 'mhe' does not support delays", fix=filters)
    if table.gate:
        raise InputError("method 'mhe' does not support gate=", fix=filters)


def _horizon(given: int) -> int:
    samples = whole(given, "horizon")
    if not 1 <= samples <= LONGEST:
        raise InputError(f"a horizon of {samples} samples", fix=f"Give 1 to {LONGEST}.")
    return samples


def _bounds(
    names: tuple[str, ...], given: Mapping[str, tuple[float, float]] | None
) -> list[StateBound]:
    """The finite sides of all bounds."""
    found = []
    for name, pair in by_name(given, "bounds").items():
        if name not in names:
            raise unknown_name("state", name, names)
        values = reals(pair, f"bounds of '{name}'")
        if values.shape != (2,):
            raise InputError(f"bounds of '{name}' are {pair}", fix="Give a pair (lowest, highest).")
        low, high = values.tolist()
        if not low < high:
            raise InputError(
                f"bounds ({low:g}, {high:g}) of '{name}' are empty", fix="Give lowest, highest."
            )
        sides = ((1.0, low), (-1.0, high))
        found += [StateBound(names.index(name), a, b) for a, b in sides if math.isfinite(b)]
    return found
