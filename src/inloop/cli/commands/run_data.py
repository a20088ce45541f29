"""Output of `inloop run --json` about a run."""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.cli.points import point_positions


def run_data(result: il.Result, plant: il.Plant | None = None) -> dict[str, Any]:
    """Final state of a run by names; with positions of points if the plant is given."""
    kinetic, potential = result.energy[-1]
    drift = result.energy_drift()
    positions = {} if plant is None else _positions(plant, result)
    return {
        "model": result.name,
        "status": result.status,
        "t": result.t[-1],
        # quaternions, which follow in q, are among the signals
        "q": dict(zip(result.coordinates, result.q[-1], strict=False)),
        "qd": dict(zip(result.coordinates, result.qd[-1], strict=True)),
        "outputs": {**positions, **{name: float(v[-1]) for name, v in result.signals.items()}},
        "energy": {
            "kinetic": kinetic,
            "potential": potential,
            "total": kinetic + potential,
            "drift": drift if math.isfinite(drift) else None,
        },
        "constraint_violation": result.constraint_violation,
        "notes": list(result.notes),
    }


def _positions(plant: il.Plant, result: il.Result) -> dict[str, float]:
    """Final positions of named points in world axes [m]."""
    return {
        f"{path}.{axis}": value
        for path, position in point_positions(plant, result.q[-1]).items()
        for axis, value in zip("xyz", position, strict=True)
    }
