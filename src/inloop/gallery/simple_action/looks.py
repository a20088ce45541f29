"""Looks of the simplified piano actions, and the device to play them."""

from __future__ import annotations

import math

import inloop as il
from inloop.gallery import GROUND, Device, Haptic, Point

L1, L2, L3 = 0.1016, 0.254, 0.0254  # P1 to S, P2 to the hammer's center of mass, P1 to P2 [m]
STRING = 0.45  # angle of the hammer at the string [rad]
LOW, HIGH = -0.1, 0.35  # of the hand [rad]
STOPS = math.radians(45.0)  # of the source's device
SPRUCE, MAPLE, FELT, STEEL, HAND = "#e3c48f", "#d8b078", "#efe9dc", "#8d969e", "#c98b6b"
ADVICE = {
    False: "Use the smooth sensor, or model B: under Options, with springs.",
    True: "Use the smooth sensor, a faster servo, more damping, or a softer k1.",
}


def action_looks(springs: bool = True, at_rest: bool = True) -> dict[str, tuple[il.Visual, ...]]:
    """Key, hammer and string in the x-z plane; with springs, a separate hand."""
    # the string is at the far end of the hammer at the string's angle
    x, z = 2.0 * L2 * math.cos(STRING), L3 + 2.0 * L2 * math.sin(STRING)
    looks: dict[str, tuple[il.Visual, ...]] = {
        "key": (_box((0.5 * L1, 0.0, -6e-3), (L1 + 0.02, 0.022, 8e-3), SPRUCE),
                il.disc((L1, -0.011, -2e-3), (L1, 0.011, -2e-3), 2e-3, FELT)),
        "hammer": (il.rod((0.0, 0.0, 0.0), (2.0 * L2, 0.0, 0.0), 3e-3, MAPLE, material="wood"),
                   _box((2.0 * L2, 0.0, 0.0), (0.02, 0.012, 0.03), FELT)),
        GROUND: (il.visual(il.line(((x, -0.06, z + 0.016), (x, 0.06, z + 0.016))), color=STEEL),
                 _box((x, 0.0, z + 0.019), (0.05, 0.02, 4e-3), STEEL),
                 il.disc((0.0, -0.02, 0.0), (0.0, 0.02, 0.0), 4e-3, STEEL, material="metal"),
                 il.disc((0.0, -0.02, L3), (0.0, 0.02, L3), 4e-3, STEEL, material="metal")),
    }  # fmt: skip
    if springs:
        looks["hand"] = (
            il.rod((0.0, 0.0, 0.0), (L1 + 0.03, 0.0, 0.0), 1.5e-3, HAND),
            _box((L1 + 0.03, 0.0, 0.0), (0.02, 0.02, 0.01), HAND),
        )
        looks["pad"] = (_box((0.0, 0.0, -1e-3), (0.012, 0.012, 3e-3), FELT),)
    return looks


def action_device(springs: bool = True, at_rest: bool = True) -> Device:
    """The hand moves the key of model A directly, and that of model B through its spring."""
    body = "hand" if springs else "key"
    return Device(
        input=f"{body}.q",
        low=LOW,
        high=HIGH,
        rest=0.0,
        body=body,
        point=(L1 + 0.03 if springs else L1, 0.0, 0.0),
        axis=(0.0, 0.0, L1 * (HIGH - LOW)),
        hint="Lift the key, slowly or with a throw; choose a device to feel it through.",
        keys={"Space": 0.25, "KeyA": 0.25, "KeyS": 0.1},
        haptic=Haptic(body, L1, (-STOPS, STOPS), reserve=0.2, advice=ADVICE[springs]),
    )


def _box(center: Point, size: Point, color: str) -> il.Visual:
    material = {STEEL: "metal", FELT: "felt", HAND: "leather"}.get(color, "wood")
    return il.visual(il.box(size), center, color, material=material)
