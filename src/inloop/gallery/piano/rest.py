"""The piano action at rest: forces by statics, and the resulting heights of the cushions.

Each part turns on one pin and rests on one cushion more than it carries, so that the balance of
moments about the pins gives the forces in sequence: hammer, jack, lever, whippen, key. A cushion
that carries F is compressed by d; its surface is set d higher. Then all angles are zero at rest,
whatever the data: this corresponds to a technician's regulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import inloop as il
from inloop.gallery.piano import data
from inloop.gallery.piano.data import Piece, Point

MM, GRAM = 1e-3, 1e-3  # in SI


@dataclass(frozen=True)
class Inertia:
    """Inertia of a part in the x-z plane; numbers or expressions, SI.

    Attributes:
        mass: [kg].
        x, z: center of mass from the pin [m].
        about: moment of inertia about the center of mass [kg·m²].
    """

    mass: Any
    x: Any
    z: Any
    about: Any

    @property
    def body(self) -> dict[str, Any]:
        """Arguments of `m.body`, for a thin plate; only `about` matters."""
        half = 0.5 * self.about
        return {
            "mass": self.mass,
            "com": (self.x, 0.0, self.z),
            "inertia": (half, self.about, half),
        }


def inertia(pieces: Iterable[tuple[Any, Point, Point]], pin: Point = (0.0, 0.0)) -> Inertia:
    """Combine straight pieces.

    Args:
        pieces: mass [kg], a number or an expression, and both ends [mm].
        pin: pivot of the part [mm].
    """
    rods = [
        (mass, *(0.5 * MM * (u + v) - MM * o for u, v, o in zip(a, b, pin, strict=True)),
         MM * math.dist(a, b))
        for mass, a, b in pieces
    ]  # fmt: skip
    mass = sum((rod[0] for rod in rods[1:]), rods[0][0])
    x = sum((m * cx for m, cx, _, _ in rods), 0.0) / mass
    z = sum((m * cz for m, _, cz, _ in rods), 0.0) / mass
    about: Any = 0.0
    for m, cx, cz, length in rods:
        about = about + m * ((cx - x) ** 2 + (cz - z) ** 2 + length**2 / 12.0)
    return Inertia(mass, x, z, about)


def inertias(dials: Mapping[str, Any]) -> dict[str, Inertia]:
    """Inertias of all turning parts, from numbers or expressions of the dials."""

    def of(pieces: tuple[Piece, ...]) -> list[tuple[Any, Point, Point]]:
        return [(GRAM * piece.mass, piece.a, piece.b) for piece in pieces]

    lead = (dials["key_lead"], data.KEY_LEAD, data.KEY_LEAD)
    shank = data.SHANK
    hammer = [
        (GRAM * shank.mass, at_rest(shank.a), at_rest(shank.b)),
        (dials["hammer_mass"], at_rest(data.HEAD[0]), at_rest(data.HEAD[1])),
    ]
    return {
        "key": inertia([*of(data.KEY_PIECES), lead]),
        "whippen": inertia(of(data.WHIPPEN_PIECES), data.WHIPPEN["pin"]),
        "jack": inertia(of(data.JACK_PIECES), data.JACK["pin"]),
        "lever": inertia(of(data.LEVER_PIECES), data.LEVER["pin"]),
        "hammer": inertia(hammer),
    }


def at_rest(point: Point) -> Point:
    """A point of the resting hammer, given with the hammer at the string; from its pin [mm]."""
    c, s = math.cos(data.SHANK_AT_REST), math.sin(data.SHANK_AT_REST)
    return point[0] * c + point[1] * s, -point[0] * s + point[1] * c


def knuckle() -> Point:
    """Center of the knuckle at rest [mm]."""
    x, z = at_rest(data.HAMMER["knuckle"])
    return data.HAMMER["pin"][0] + x, data.HAMMER["pin"][1] + z


def string_height(blow_distance: Any) -> Any:
    """Height of the string, from the blow distance: numbers or expressions [m]."""
    crown = data.HAMMER["pin"][1] + at_rest(data.HAMMER["crown"])[1] + data.RADIUS["crown"]
    return MM * crown + blow_distance


def forces_at_rest() -> dict[str, float]:
    """Forces of all cushions that are loaded at rest, with the default dials [N]."""
    value = {name: dial.value for name, dial in data.DIALS.items()}
    parts, g = inertias(value), value["g"]
    weight = {name: part.mass * g for name, part in parts.items()}
    pins = {"whippen": data.WHIPPEN["pin"], "jack": data.JACK["pin"], "lever": data.LEVER["pin"]}
    rear = pins["whippen"][0]
    touch = knuckle()[0]

    # the lever carries the hammer
    lever_knuckle = weight["hammer"] * parts["hammer"].x / (MM * (touch - data.HAMMER["pin"][0]))
    # the jack leans on its spoon: its spring turns it backwards, its weight towards its toe
    jack_stop = (value["jack_spring"] + weight["jack"] * parts["jack"].x) / (
        MM * (data.JACK["back"][1] - pins["jack"][1])
    )
    # the spring lifts the front of the lever under the hammer; its tail presses on the hook
    front = MM * (pins["lever"][0] - touch)
    lever_stop = (
        value["repetition_spring"] + weight["lever"] * parts["lever"].x - lever_knuckle * front
    ) / (MM * (data.LEVER["tail"][0] - pins["lever"][0]))
    # the capstan carries the whippen with everything on it
    moment = MM * (rear - touch) * lever_knuckle
    for name in ("whippen", "jack", "lever"):
        ahead = MM * (rear - (rear if name == "whippen" else pins[name][0])) - parts[name].x
        moment += weight[name] * ahead
    capstan = moment / (MM * (rear - data.WHIPPEN["heel"][0]))
    # the back rail carries what the leads do not balance
    key_rest = (capstan * MM * data.KEY["capstan"][0] + weight["key"] * parts["key"].x) / (
        MM * data.KEY["back_rest"][0]
    )
    forces = {
        "key_rest": key_rest,
        "capstan": capstan,
        "lever_knuckle": lever_knuckle,
        "jack_stop": jack_stop,
        "lever_stop": lever_stop,
        "damper_seat": value["damper_mass"] * g,
    }
    idle = [f"'{name}'" for name, force in forces.items() if force <= 0.0]
    if idle:
        raise il.InputError(
            f"piano: the cushions {', '.join(idle)} would carry nothing at rest",
            fix="Change masses, springs or points in piano/data.py: every part rests on a cushion.",
        )
    return forces


def sunk(name: str, force: float) -> float:
    """Slow compression of a cushion by a force [m]."""
    cushion = data.CUSHIONS[name]
    return float(MM * cushion.depth * (force / cushion.force) ** (1.0 / cushion.exponent))
