"""States of force laws in analyses: from values by name, and at rest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inloop.analysis import newton
from inloop.analysis.reduction import Reduction
from inloop.errors import InputError, SimulationError
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import real, reals


def state_vector(plant: BarePlant, given: Mapping[str, float] | Array | None) -> Array:
    """States of force laws from values by name or a vector; default: initial values of a run."""
    names = [state.name for state in plant.mechanism.states]
    z = plant.first_states
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in names:
                raise InputError(
                    f"model '{plant.name}' has no state '{name}'",
                    fix=f"States of its force laws are: {', '.join(names) or 'none'}.",
                )
            z[names.index(name)] = real(value, f"state '{name}'")
    elif given is not None:
        z = reals(given, "states").copy()
        if z.shape != (len(names),):
            raise InputError(
                f"states have shape {z.shape}, model '{plant.name}' has {len(names)}",
                fix=f"Order them as: {', '.join(names) or 'none'}.",
            )
    if not np.all(np.isfinite(z)):
        raise InputError("states hold NaN or infinity", fix="Give finite numbers.")
    return z


def states_at_rest(reduction: Reduction, q: Array, z: Array, u: Array, t: float) -> Array:
    """States of force laws with zero rates while the mechanism is at rest; z: initial guess.

    Raises:
        SimulationError: a state does not come to rest.
    """
    if not reduction.states:
        return z
    rest = np.zeros((1, reduction.plant.n))

    def rates(z: Array) -> tuple[Array, Array] | None:
        zd = reduction.bias(q[None], rest, z, u, t)[1][0]
        return (zd, np.zeros(len(zd))) if np.all(np.isfinite(zd)) else None

    found = newton.solve(rates, z, np.ones(len(z)), np.full(len(z), np.inf))
    if found is None or not found.solved:
        left = np.full(len(z), np.nan) if found is None else found.r
        worst = reduction.states[int(np.argmax(np.abs(left)))]
        raise SimulationError(
            f"model '{reduction.plant.name}': state '{worst}' does not come to rest at this "
            "position",
            fix="Its law has no rest state here; choose another position or other states=.",
        )
    return found.x
