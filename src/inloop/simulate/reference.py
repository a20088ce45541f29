"""SciPy's integrators applied to the same rates: a slow, independent reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from inloop.errors import SimulationError
from inloop.native import Status
from inloop.plant import Array
from inloop.simulate.systems import System


def solve(
    system: System,
    x: Array,
    times: Array,
    tolerance: float,
    method: str = "DOP853",
    longest: float = np.inf,
) -> Array:
    """Stepper states at given times, by `scipy.integrate.solve_ivp`.

    Args:
        system: what to integrate.
        x: state at the first time.
        times: sample times [s], increasing.
        tolerance: relative error per step.
        method: method of `solve_ivp`.
        longest: maximum step [s].
    """
    rates = _rates(system)
    found = scipy.integrate.solve_ivp(
        rates,
        (float(times[0]), float(times[-1])),
        x,
        method=method,
        t_eval=times,
        max_step=longest,
        rtol=tolerance,
        atol=1e-3 * tolerance * system.scales.sizes,
    )
    if not found.success:
        raise SimulationError(f"SciPy: {found.message}", fix="Try another tolerance.")
    return np.ascontiguousarray(found.y.T)


def _rates(system: System) -> Callable[[float, Array], Array]:
    def rates(t: float, x: Array) -> Array:
        status, slope = system.ending_rates(t, x)
        if status != Status.OK:
            cause = system.blame(t)
            raise SimulationError(
                f"the rates end with {status.name} at t = {t:.6g} s"
                + (f": {cause}" if cause else ""),
                fix="Use plant.simulate, whose errors suggest a remedy.",
            )
        return slope

    return rates
