"""A grand-piano action: key, whippen, jack, repetition lever, hammer, back-check and damper.

The key lifts the whippen with its capstan. The whippen carries the jack and, next to it, the
repetition lever with its spring; both support the knuckle of the hammer. Shortly before the hammer
reaches the string, the drop screw stops the lever and the let-off button turns the jack out from
under the knuckle (the escapement): the hammer flies on, strikes, falls back and is caught by the
back-check on the key. When the key is released a little, the lever lifts the hammer, the jack slips
back under the knuckle, and the note can be played again (the double escapement).

All numbers are in `data`; `rest` computes the loads of the cushions at rest.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il
from inloop.gallery.piano import data
from inloop.gallery.piano.contacts import FRONT, add_contacts
from inloop.gallery.piano.rest import MM, inertias, string_height

MOST_TRAVEL = 12e-3  # of a finger [m]
RISING_TIME = 3e-4  # lag of the strike speed behind the hammer [s]


def piano(finger: bool = True) -> il.Model:
    """The action of one key in the x-z plane, z up; all angles are zero at rest.

    Angles are positive in the direction of a stroke: key front down, whippen and hammer up, jack
    out from under the knuckle, nose of the lever down.

    Args:
        finger: True: the key is free and pushed by a finger that follows the input "finger", the
            desired travel of the key front [m]. False: the key is driven by its angle, velocity
            and acceleration "key.q", "key.qd", "key.qdd", as by a haptic device.
    """
    dials: dict[str, Any] = {}

    def declare(m: il.Model, table: dict[str, data.Dial]) -> None:
        for name, dial in table.items():
            dials[name] = m.parameter(name, dial.value, dial.unit, dial.range, dial.doc)

    def gravity(m: il.Model) -> tuple[Any, Any, Any]:
        declare(m, data.DIALS)
        return 0.0, 0.0, -dials["g"]

    m = il.Model("piano", gravity=gravity, doc="Action of a grand piano, one key.")
    parts = _add_parts(m, dials)
    add_contacts(m, parts, dials)
    _add_springs_and_pins(m, parts, dials)
    _add_strike(m, dials)
    if finger:
        declare(m, data.FINGER_DIALS)
        _add_finger(m, parts["key"], dials)
    else:
        m.drive(parts["key"])
    return m


def _add_parts(m: il.Model, dials: dict[str, Any]) -> dict[str, Any]:
    part = inertias(dials)

    def hinge(name: str, on: Any, pin: tuple[float, float], axis: str, base: Any = (0, 0)) -> Any:
        at = MM * (pin[0] - base[0]), 0.0, MM * (pin[1] - base[1])
        place = on.point(f"{name}_pin", at)
        return m.body(name, on=place, joint=il.revolute(axis), **part[name].body)

    key = hinge("key", m.ground, (0.0, 0.0), "-y")
    whippen = hinge("whippen", m.ground, data.WHIPPEN["pin"], "y")
    jack = hinge("jack", whippen, data.JACK["pin"], "-y", data.WHIPPEN["pin"])
    lever = hinge("lever", whippen, data.LEVER["pin"], "-y", data.WHIPPEN["pin"])
    hammer = hinge("hammer", m.ground, data.HAMMER["pin"], "-y")
    guide = m.ground.point("damper_guide", (MM * data.DAMPER[0], 0.0, MM * data.DAMPER[1]))
    damper = m.body("damper", on=guide, joint=il.prismatic("z"), mass=dials["damper_mass"])
    key.point("front", (-FRONT, 0.0, MM * data.KEY["front"][1]))
    return {"key": key, "whippen": whippen, "jack": jack, "lever": lever, "hammer": hammer,
            "damper": damper}  # fmt: skip


def _add_springs_and_pins(m: il.Model, parts: dict[str, Any], dials: dict[str, Any]) -> None:
    for joint, name, rate in (
        ("lever", "repetition_spring", data.REPETITION_RATE),
        ("jack", "jack_spring", data.JACK_RATE),
    ):
        # the free angle gives the specified torque at rest
        m.torsion_spring(parts[joint], rate, rest=-dials[name] / rate, name=f"{name}_torque")
    for joint, torque in data.PINS.items():
        m.coulomb(parts[joint], coulomb=torque * dials["pin_friction"], velocity=data.PIN_SPEED)
    guide = data.GUIDE * dials["pin_friction"]
    m.coulomb(parts["damper"], coulomb=guide, velocity=data.GUIDE_SPEED)


def _add_strike(m: il.Model, dials: dict[str, Any]) -> None:
    """Output the speed of the rising hammer, held while it strikes and falls back.

    "strike.hammer_speed" [m/s] is the current speed; "strike.speed" follows it while the hammer
    rises to the string, with a lag of 0.3 ms that does not matter in free flight, and is held from
    the first contact until the next rise.
    """
    touching = string_height(dials["blow_distance"]) - MM * data.RADIUS["crown"]

    def law(p: Any, v: Any, held: Any) -> Any:
        rises = il.where(p[2] < touching, il.where(v[2] > 0.0, 1.0, 0.0), 0.0)
        rate = rises * (v[2] - held) / RISING_TIME
        return (0.0, 0.0, 0.0), {"held": rate}, {"hammer_speed": v[2], "speed": held}

    m.force(
        "hammer.crown",
        law,
        name="strike",
        states={"held": 0.0},
        outputs={"hammer_speed": "m/s", "speed": "m/s"},
    )


def _add_finger(m: il.Model, key: Any, dials: dict[str, Any]) -> None:
    """A finger tip between the smoothed desired travel and the key; it can only push."""
    wanted = m.input("finger", "m", f"desired travel of the key front, 0 to {MOST_TRAVEL} m")
    pace = 2.0 * math.pi * dials["finger_cutoff"]

    def law(q: Any, qd: Any, tip: Any, tip_speed: Any) -> Any:
        travel, speed = FRONT * il.sin(q), FRONT * qd
        force = il.max0(
            dials["finger_stiffness"] * (tip - travel)
            + dials["finger_damping"] * (tip_speed - speed)
        )
        rates = {"tip": tip_speed, "tip_speed": pace * (pace * (wanted - tip) - 2.0 * tip_speed)}
        return FRONT * force, rates, {"force": force, "travel": travel}

    m.joint_force(key, law, name="key_front", states={"tip": 0.0, "tip_speed": 0.0},
                  outputs={"force": "N", "travel": "m"})  # fmt: skip
