"""Choice of the integrator of a run if none is given.

The classical Runge-Kutta method is accurate and cheap as long as its step is short enough. The
run itself reveals whether it was (verdict.py), so nothing needs to be known in advance about
stiff laws or contacts made on the way. If it was not, stiff laws get the implicit method at the
same step, provided that half the step leads to the same motion; sudden forces, such as contacts,
get an adaptive method. Hard contacts and redundant formulations always have their own method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from inloop.errors import SimulationError
from inloop.native import Method
from inloop.plant import BarePlant
from inloop.simulate.drives import read_drives
from inloop.simulate.inputs import read_inputs
from inloop.simulate.judging.half_step import CONVERGED, miss_of
from inloop.simulate.judging.stiffness import find_unstable, motion_size
from inloop.simulate.judging.verdict import UNSTABLE
from inloop.simulate.results.result import Result
from inloop.simulate.results.samples import Samples
from inloop.simulate.start import Given, first_internal_states, start_of

FIRST, STIFF, SUDDEN, HARD = "rk4", "implicit", "rodas", "moreau"
CURABLE = ("OK", UNSTABLE, "DIVERGED", "OUT_OF_BOUNDS")
TOLERANCE = 1e-6  # relative error per step of an adaptive method


class Attempt(Protocol):
    """A run with a given method, and a tolerance if it is adaptive."""

    def __call__(self, *, method: str, tolerance: float | None, step: float) -> Result:
        """Run."""


def run_with_default(
    plants: Sequence[BarePlant], attempt: Attempt, start: Result | None, step: float
) -> Result:
    """Run with the method that suits a mechanism, and note it if it is not the first choice.

    Args:
        plants: plants of the run.
        attempt: performs the run with a given method and step.
        start: an earlier result that the run continues, with its method.
        step: step requested by the user [s].

    Raises:
        SimulationError: no method completes the run.
    """
    own = own_method(plants)
    if start is not None and start.method and (own is not None or start.method != FIRST):
        return attempt(method=start.method, tolerance=start.tolerance, step=step)
    if own is not None:
        return attempt(method=own, tolerance=None, step=step)
    first, error = _tried(attempt, FIRST, None, step)
    # loops that cannot be closed, or endless events, do not depend on the method
    if first is None or not first.doubts or first.status not in CURABLE:
        return _ended(first, error)
    for method, tolerance in _others(plants):
        better, failed = _tried(attempt, method, tolerance, step)
        if better is None or failed is not None or better.doubts:
            continue
        # a continued run has to keep its step
        if tolerance or start is not None or _converged(plants, better, attempt, 0.5 * step):
            how = f"{method} with tolerance {tolerance:g}" if tolerance else method
            reason = first.doubts[0].partition(" Use ")[0]
            why = f"integrated by {how}; {FIRST} is not accurate enough here: {reason}"
            return replace(better, notes=(why, *better.notes))
    return _ended(first, error)


def _converged(plants: Sequence[BarePlant], result: Result, attempt: Attempt, half: float) -> bool:
    """Whether steps of half the length lead to the same motion.

    Checked if an implicit method treats modes faster than its steps as settled, so that the energy
    balance is not available: fast oscillations that should persist would be lost.

    Args:
        plants: plants of the run.
        result: result with full steps.
        attempt: performs the run with a given method and step.
        half: half of the step [s].
    """
    if result.work is None or np.isfinite(result.work[-1]):
        return True
    finer, failed = _tried(attempt, result.method, None, half)
    if finer is None or failed is not None:
        return False
    miss = miss_of(plants, result.t, result.__getitem__, finer.t, finer.__getitem__)
    return miss.share <= CONVERGED


def own_method(plants: Sequence[BarePlant]) -> str | None:
    """The method required by hard contacts or by a formulation; None if any will do."""
    if any(plant.mechanism.hard_contacts for plant in plants):
        return HARD
    return next(iter(plants)).formulation.method


def with_tolerance(plants: Sequence[BarePlant]) -> str:
    """The adaptive method for a run with a tolerance."""
    formulation = next(iter(plants)).formulation
    if formulation.method is not None and any(p.formulation.partition.rows for p in plants):
        return formulation.method
    mechanisms = [plant.mechanism for plant in plants]
    stiff = any(each.laws or each.flexible_links for each in mechanisms)
    return SUDDEN if stiff else "dopri"


def _others(plants: Sequence[BarePlant]) -> list[tuple[str, float | None]]:
    """Methods to try after the first one failed, with their tolerances."""
    mechanisms = [plant.mechanism for plant in plants]
    stiff = any(each.laws or each.flexible_links for each in mechanisms)
    if stiff and not any(each.touches for each in mechanisms):
        return [(STIFF, None), (SUDDEN, TOLERANCE)]
    return [(SUDDEN, TOLERANCE)]


def _tried(
    attempt: Attempt, method: str, tolerance: float | None, step: float
) -> tuple[Result | None, SimulationError | None]:
    """What a method computed, and its error if it did not finish."""
    try:
        return attempt(method=method, tolerance=tolerance, step=step), None
    except SimulationError as error:
        return getattr(error, "result", None), error


def _ended(result: Result | None, error: SimulationError | None) -> Result:
    if error is not None:
        raise error
    assert result is not None
    return result


def method_at_start(
    plant: BarePlant, q: Given, qd: Given, inputs: Mapping[str, float], step: float
) -> str:
    """The method for fixed steps when only the start is known, as in real time.

    Args:
        plant: the compiled mechanism.
        q: initial coordinates, by name or as a vector.
        qd: initial velocities.
        inputs: initial values by name; names that are not inputs are ignored.
        step: fixed step [s].
    """
    plants = list(plant.by_mode.values()) or [plant]
    own = own_method(plants)
    if own is not None:
        return own
    if any(each.mechanism.touches for each in plants):
        return STIFF
    # a law of any mode counts if it is stiff at the start of that mode
    stiff = (each for each in plants if each.mechanism.laws or each.mechanism.flexible_links)
    return STIFF if any(_stiff_at_start(each, q, qd, inputs, step) for each in stiff) else FIRST


def _stiff_at_start(
    plant: BarePlant, q: Given, qd: Given, inputs: Mapping[str, float], step: float
) -> bool:
    u = read_inputs(plant, {n: x for n, x in inputs.items() if n in plant.inputs}).constant
    z = first_internal_states(plant, u)
    if plant.by_mode:
        q, qd = None, None
    start = start_of(plant, q, qd, read_drives(plant, {}), u, z)
    at = Samples(np.zeros(1), start.q[None], start.qd[None], z[None])
    return (
        find_unstable(plant, at, u[None], motion_size(plant, at, [0]), Method.RK4, step) is not None
    )
