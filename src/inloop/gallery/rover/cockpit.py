"""Cockpit of the rover: cameras behind it, on its mast and at a bogie; two levers."""

from __future__ import annotations

from inloop.gallery import Camera, Cockpit, Gauge, Lever

SPEED = ("trunk_tx.qd", "trunk_ty.qd")
COCKPIT = Cockpit(
    cameras=(
        Camera("Chase", "trunk", (-3.4, 0.0, 1.5), (0.6, 0.0, -0.1), 42.0, "heading"),
        Camera("Mast", "trunk", (0.44, 0.0, 0.54), (3.0, 0.0, -0.6), 60.0),
        Camera("Bogie", "trunk", (0.1, 1.9, -0.1), (0.25, 0.5, -0.42), 40.0),
    ),
    gauges=(
        Gauge("Speed", SPEED, 0.0, 1.2, "m/s", of="size", look="dial"),
        Gauge("Height", ("trunk_tz.q",), -1.0, 3.0, "m"),
    ),
    levers=(
        Lever("Drive", "speed", -1.0, 1.0, more=("ArrowUp", "KeyW"), less=("ArrowDown", "KeyS"),
              rise=1.2, fall=2.0, axis="-axis1"),
        Lever("Turn", "turn", -1.1, 1.1, more=("ArrowLeft", "KeyA"), less=("ArrowRight", "KeyD"),
              rise=1.5, fall=2.5, axis="-axis0", high_at="left"),
    ),
)  # fmt: skip
