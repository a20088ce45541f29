"""What the sensors of a plant tell, from states and the motion that belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.errors import InputError
from inloop.formalisms.sensing import SENSOR_OUTPUTS, moved_readings, needs_motion
from inloop.plant.engine import Array

if TYPE_CHECKING:
    from inloop.plant.bare_plant import BarePlant


def sense_motion(plant: BarePlant) -> bool:
    """True if its sensors tell what is known only with accelerations and multipliers."""
    return bool(plant.mechanism.sensors) and needs_motion(plant.program(SENSOR_OUTPUTS))


def sensors_of_motion(plant: BarePlant) -> list[str]:
    """Names of the sensors that read accelerations or multipliers."""
    if not plant.mechanism.sensors:
        return []
    signals = plant.mechanism.sensor_signals
    moved = {signals[k].name for k in moved_readings(plant.program(SENSOR_OUTPUTS))}
    return [name for name, own in plant.mechanism.signals_by_sensor.items() if moved & {*own}]


def readings(plant: BarePlant, lanes: bool = True, **arrays: Any) -> dict[str, Array]:
    """What the sensors tell by name, shape () or (N,).

    Args:
        plant: the compiled mechanism.
        lanes: let many rows use vector code.
        arrays: q, qd, z, u, t, and where `sense_motion` qdd, and lam of all rows.
    """
    signals = plant.mechanism.sensor_signals
    if not signals:
        return {}
    y = plant.evaluate(SENSOR_OUTPUTS, lanes=lanes, **arrays)["y"]
    return {signal.name: y[..., k] for k, signal in enumerate(signals)}


def sensor_outputs(
    plant: BarePlant, q: Any, qd: Any, tau: Any = None, **others: Any
) -> dict[str, Array]:
    """What the sensors tell at one state under given efforts; others: z, u, t."""
    if not sense_motion(plant):
        return readings(plant, q=q, qd=qd, **others)
    if np.ndim(q) != 1:
        raise InputError(
            "sensor_outputs takes one state at a time",
            fix="Simulate: results hold the readings of the sensors at every sample.",
        )
    efforts = np.zeros(plant.n) if tau is None else np.asarray(tau, dtype=np.float64)
    found = plant.formulation.motion(np.asarray(q), np.asarray(qd), efforts, **others)
    lam = plant.formulation.on_all_rows(np.asarray(found["lam"]))
    return readings(plant, q=found["q"], qd=found["v"], qdd=found["a"], lam=lam, **others)
