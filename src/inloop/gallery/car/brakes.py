"""Brakes of the car: wheel friction that can stick, a parking brake, slip limited by ABS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import inloop as il

MOST = {"front": 2000.0, "rear": 857.0}  # of a wheel at full pedal, shared 0.70 to 0.30 [N·m]
PARKING = 1500.0  # of a rear wheel [N·m]
# a sticking brake yields by 1/8 rad at its limit; stiffer bristles are too fast for 1 ms steps
BRISTLE, DAMPING = 8.0, 0.3  # [1/rad], [s/rad]
# slip at which ABS begins to release, multiple of it at which it is open; ABS fades out below a
# walking pace [m/s]
RELEASE, OPENED, WALK = 0.09, 1.6, 2.0


def add_brakes(m: il.Model, corners: Sequence[str]) -> None:
    """Add inputs "brake" and "parking" (0 to 1) and parameters of ABS; corners by name."""
    pedal = il.maximum(0.0, il.minimum(m.input("brake", "1", "brake pedal, 0 to 1"), 1.0))
    lever = il.maximum(0.0, il.minimum(m.input("parking", "1", "parking brake, 0 to 1"), 1.0))
    anti_lock = m.parameter(
        "abs", 1.0, unit="1", range=(0.0, 1.0), doc="1: wheels are kept rolling"
    )
    most = m.parameter(
        "abs_slip", RELEASE, unit="1", range=(0.02, 0.3), doc="at which ABS releases"
    )

    low = m.parameter(
        "abs_low", 1.0, unit="1", range=(0.0, 1.0),
        doc="1: ABS releases both rear wheels by the one that slips more, which keeps it straight",
    )  # fmt: skip

    def pressed(corner: str) -> Callable[..., Any]:
        axle = corner.partition("_")[0]
        hand = PARKING * lever if axle == "rear" else 0.0
        others = [name for name in corners if name != corner and {axle, name[:4]} == {"rear"}]

        def normal(out: Any) -> Any:
            slip = -out[f"tyre_{corner}.kappa"] / most
            for other in others:
                slip = slip + low * il.max0(-out[f"tyre_{other}.kappa"] / most - slip)
            open_part = il.maximum(0.0, il.minimum((slip - 1.0) / (OPENED - 1.0), 1.0))
            # do not release a wheel that stands because its car does
            rolls = il.minimum(il.absolute(out[f"tyre_{corner}.speed"]) / WALK, 1.0)
            return hand + MOST[axle] * pedal * (1.0 - anti_lock * rolls * open_part)

        return normal

    for corner in corners:
        m.lugre(
            f"spin_{corner}",
            stiffness=BRISTLE,
            damping=DAMPING,
            coulomb=1.0,
            normal=pressed(corner),
            radius=1.0,
            name=f"brake_{corner}",
        )
