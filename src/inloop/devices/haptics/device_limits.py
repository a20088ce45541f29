"""Stability limits of a device, for display."""

from __future__ import annotations

import math
from dataclasses import replace

from inloop.devices.haptics.handle import Finger
from inloop.devices.haptics.rig import Rig
from inloop.devices.haptics.stiffness_range import StiffnessRange

SOME = 1e-6  # a free displayed mass has an eigenvalue at 1: small stiffness to fix it [N/m]


def device_limits(rig: Rig) -> dict[str, float | None]:
    """Maximum stiffness [N/m] and mass [kg]; None if unlimited. Takes about a second.

    `passive`, `stable`, `measured` and `controlled` as in `StiffnessRange`, without a hand; `held`
    is the stable stiffness with the finger's hold, `mass` the stable mass.
    """
    finger, free = rig.finger, rig.sampled_loop()
    alone = replace(rig, finger=Finger(), stops=(-math.inf, math.inf))
    if rig.friction == rig.lag == rig.delay == 0.0:
        alone = replace(alone, substeps=1)  # a period is solved exactly in one step
    held = replace(free, hand_stiffness=finger.stiffness, hand_damping=finger.damping)
    found = {
        **StiffnessRange.of(alone).data(),
        "held": held.stiffness_limit(),
        "mass": held.mass_limit(SOME),
    }
    return {name: value if math.isfinite(value) else None for name, value in found.items()}
