"""What a device can display before its loop gets unstable, for a panel."""

from __future__ import annotations

import math
from dataclasses import replace

from inloop.devices.haptics.handle import Finger
from inloop.devices.haptics.rig import Rig
from inloop.devices.haptics.stiffness_range import StiffnessRange

SOME = 1e-6  # a displayed mass that moves freely has an eigenvalue at 1: hold it a little [N/m]


def device_limits(rig: Rig) -> dict[str, float | None]:
    """Largest stiffness [N/m] and mass [kg]; None where there is no limit. Takes about a second.

    `passive`, `stable`, `measured` and `controlled` as in `StiffnessRange`, without a hand;
    `held` is the stiffness that is stable in the finger's hold, `mass` the mass that is.
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
