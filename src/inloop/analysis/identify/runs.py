"""Results and recordings of runs as sources of measured motion and efforts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inloop.analysis.identify.base_parameters import BaseParameters
from inloop.analysis.identify.fit import fit
from inloop.analysis.identify.identified import Identified
from inloop.analysis.recorded_inputs import held
from inloop.errors import InputError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name
from inloop.plant.keywords import checked_call
from inloop.simulate import Result


@checked_call
def fit_run(
    plant: BarePlant,
    run: Result,
    *,
    cutoff: float,
    efforts: Mapping[str, str] | None = None,
    friction: str | Sequence[str] = ("viscous", "coulomb"),
    armature: bool = True,
    base: BaseParameters | None = None,
) -> Identified:
    """Identify the base parameters of a mechanism from a run: simulated, or recorded (`il.read`).

    Positions and velocities are those of the run. Efforts are "<joint>.tau", from the controller or
    the mailbox; they are held between samples, and their value at a sample is the mean of those
    before and after it. Those of driven joints are "<joint>.effort". Inputs of the plant are those
    of the run.

    Args:
        plant: see `fit`.
        run: samples at equal steps, without gaps.
        cutoff: see `fit` [Hz].
        efforts: signals that measure efforts, by joint, in place of "<joint>.tau".
        friction: see `regressor`.
        armature: see `regressor`.
        base: see `fit`.
    """
    if not isinstance(run, Result):
        raise InputError(
            "run is not the result of a run", fix="Give the result of plant.simulate or il.read."
        )
    if run.coordinates != plant.coordinates:
        raise InputError(
            f"the run is one of '{run.name}', whose joints differ from those of model "
            f"'{plant.name}'",
            fix="Use the model that was recorded.",
        )
    measured = by_name(efforts, "efforts")
    tau = np.stack([_effort(run, joint, measured) for joint in plant.coordinates], axis=1)
    inputs = {name: _centered(run, name) for name in plant.inputs if name in run.names}
    return fit(
        plant, run.t, run.q, tau, qd=run.qd, inputs=inputs, cutoff=cutoff, friction=friction,
        armature=armature, base=base,
    )  # fmt: skip


def _effort(run: Result, joint: str, measured: Mapping[str, str]) -> Array:
    if joint in measured:
        return run[measured[joint]]
    if f"{joint}.effort" in run.names:
        return run[f"{joint}.effort"]
    name = f"{joint}.tau"
    return _centered(run, name) if name in run.names else np.zeros(len(run.t))


def _centered(run: Result, name: str) -> Array:
    """An input at the samples: if held between them, the mean of the values before and after."""
    values, how = np.asarray(run[name], dtype=np.float64), held(run, name)
    if how == "from":
        return 0.5 * (values + np.append(values[:1], values[:-1]))
    if how == "until":
        return 0.5 * (values + np.append(values[1:], values[-1:]))
    return values
