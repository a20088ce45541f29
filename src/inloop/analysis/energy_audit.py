"""Energy balance of a run: sources and sinks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from inloop.analysis.reduction import Reduction, none_if_empty
from inloop.errors import InputError
from inloop.plant import Array, BarePlant, Signal
from inloop.plant.arguments import by_name, useless
from inloop.plant.keywords import checked_call
from inloop.simulate import Result
from inloop.simulate.inputs import read_inputs
from inloop.simulate.results.energies import check_same_plant
from inloop.simulate.start import Given, vector


@dataclass(frozen=True)
class EnergyAudit:
    """Energies, powers and work over a run.

    Attributes:
        name: name of the model.
        t: times [s].
        kinetic, potential: [J], shape (N,).
        power: by source: "<joint>.effort" of driven joints and given efforts, "inputs", "laws",
            "constraints" (rheonomic ones) [W].
        work: the integral of each power from the start [J].
        error: energy gained minus all work [J], shape (N,).
    """

    name: str
    t: Array
    kinetic: Array
    potential: Array
    power: dict[str, Array]
    work: dict[str, Array]
    error: Array

    @property
    def largest_error(self) -> float:
        """Largest balance error [J]."""
        return float(np.abs(self.error).max(initial=0.0))

    @property
    def relative_error(self) -> float:
        """Largest balance error relative to the largest kinetic energy or work."""
        sizes = [np.abs(a).max(initial=0.0) for a in (self.kinetic, *self.work.values())]
        return self.largest_error / (float(max(sizes)) or 1.0)

    def __str__(self) -> str:
        rows = [f"energy of '{self.name}' from {self.t[0]:g} s to {self.t[-1]:g} s"]
        for label, values in (("kinetic", self.kinetic), ("potential", self.potential)):
            rows.append(f"  {label + ' energy':24s} gained {values[-1] - values[0]: .9g} J")
        for label, values in self.work.items():
            rows.append(f"  {label:24s} work   {values[-1]: .9g} J")
        rows.append(f"  largest error of the balance   {self.largest_error: .3g} J")
        return "\n".join(rows)

    __repr__ = __str__  # typed at a prompt, it tells the same


@checked_call
def energy_audit(
    plant: BarePlant,
    result: Result,
    *,
    tau: Given = None,
    inputs: Mapping[str, float | Signal] | None = None,
) -> EnergyAudit:
    """Balance the energy of a run.

    Samples must be dense enough to integrate the powers. Springs, and energy stored in states of
    laws, count as work of laws.

    Args:
        plant: the compiled mechanism, with the parameters of the run.
        result: the run.
        tau: joint efforts of the run; default: those that a controller set.
        inputs: named inputs of the run, as given to it; default: those that the result contains.

    Raises:
        InputError: the plant has other coordinates or parameters than the run had, or modes.
    """
    if not isinstance(result, Result):
        raise useless(result, "result", "Give what plant.simulate returned.")
    if plant.by_mode:
        raise InputError(
            f"model '{plant.name}' has modes or events: the power of its laws depends on the mode "
            "of each sample, and events take energy",
            fix="Use result.work and result.energy_error, and energy_lost of result.events.",
        )
    check_same_plant(result, plant)
    _check_parameters(plant, result)
    reduction = Reduction(plant)
    power = _drives(plant, result) | _efforts(reduction, result, tau)
    power |= _laws(reduction, result, _inputs(plant, result, inputs))
    power |= _constraints(reduction, result)
    work = {name: _integrated(result.t, values) for name, values in power.items()}
    total = result.energy.sum(axis=1)
    error = total - total[0] - sum(work.values(), np.zeros(len(total)))
    kinetic, potential = result.energy.T
    return EnergyAudit(result.name, result.t, kinetic, potential, power, work, error)


def _check_parameters(plant: BarePlant, result: Result) -> None:
    """Refuse to compute work with other parameters than those of the run."""
    now = plant.parameters
    for name, then in result.parameters.items():
        if name in now and now[name] != then:
            raise InputError(
                f"the run had {name} = {then:.9g}, the plant has {now[name]:.9g} now",
                fix="Write plant.parameters.update(result.parameters) before.",
            )


def _inputs(plant: BarePlant, result: Result, given: Mapping[str, float | Signal] | None) -> Array:
    """Inputs at each sample: as given, or else as the result contains them; shape (N, inputs)."""
    recorded = {**result.signals, **result.inputs}  # those that a controller set are signals
    if given is None and plant.inputs and set(plant.inputs) <= set(recorded):
        return np.stack([recorded[name] for name in plant.inputs], axis=1)
    return read_inputs(plant, by_name(given, "inputs"), float(result.t[0])).over(result.t)


def _drives(plant: BarePlant, result: Result) -> dict[str, Array]:
    names = plant.formulation.driven
    return {f"{name}.effort": result[f"{name}.effort"] * result[f"{name}.qd"] for name in names}


def _efforts(reduction: Reduction, result: Result, tau: Given) -> dict[str, Array]:
    plant = reduction.plant
    given = np.tile(vector(plant, tau, [0.0] * plant.n, "tau"), (len(result.t), 1))
    if tau is None:
        for k, name in enumerate(f"{joint}.tau" for joint in plant.coordinates):
            given[:, k] = 0.0 if name in plant.inputs else result.signals.get(name, 0.0)
    acting = [k for k in np.flatnonzero(given.any(axis=0)) if k not in reduction.driven]
    return {f"{plant.coordinates[k]}.effort": given[:, k] * result.qd[:, k] for k in acting}


def _laws(reduction: Reduction, result: Result, u: Array) -> dict[str, Array]:
    """Power of laws with all inputs zero, and the contribution of the inputs."""
    mechanism = reduction.plant.mechanism
    laws = _power(reduction, result, np.zeros_like(u))
    found: dict[str, Array] = {}
    if np.any(u != reduction.plant.first_inputs):
        found["inputs"] = _power(reduction, result, u) - laws
    # damping of flexible links counts as a law
    if mechanism.laws or mechanism.flexible_links:
        found["laws"] = laws
    return found


def _power(reduction: Reduction, result: Result, u: Array) -> Array:
    """Power of laws and inputs [W]."""
    columns = [result[name] for name in reduction.states]
    z = np.stack(columns, axis=1) if columns else np.zeros((len(result.t), 0))
    given = {"z": none_if_empty(z), "u": none_if_empty(u), "t": result.t}
    return reduction.evaluate("power", q=result.q, qd=result.qd, **given)["P"][:, 0]


def _constraints(reduction: Reduction, result: Result) -> dict[str, Array]:
    """Power of rheonomic constraints: qdᵀ Jᵀ lam = -nuᵀ lam."""
    names = reduction.plant.formulation.row_names
    if not names:
        return {}
    nu = reduction.constraints(result.q, result.qd, result.t)["nu"]
    if not np.any(nu):
        return {}
    lam = np.stack([result[f"lam.{name}"] for name in names], axis=1)
    return {"constraints": -np.sum(nu * lam, axis=1)}


def _integrated(t: Array, power: Array) -> Array:
    """Integral of a power from the start, by a cubic spline."""
    if len(t) < 2:
        return np.zeros(len(t))
    return np.asarray(scipy.interpolate.CubicSpline(t, power).antiderivative()(t))
