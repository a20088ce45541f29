"""Contacts between the parts of the piano action: fifteen cushions, five with friction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import inloop as il
from inloop.gallery.piano import data
from inloop.gallery.piano.data import Point
from inloop.gallery.piano.rest import MM, at_rest, forces_at_rest, knuckle, string_height, sunk

FRONT = -MM * data.KEY["front"][0]  # lever arm of the finger [m]


def add_contacts(m: il.Model, parts: Mapping[str, Any], dials: Mapping[str, Any]) -> None:
    """Declare all contacts.

    Args:
        m: the model.
        parts: key, whippen, jack, lever, hammer and damper.
        dials: parameters by name.
    """
    _Contacts(m, parts, dials).add()


class _Contacts:
    """Contacts of one model.

    Surfaces are named after the parts that carry them; `top` of a cushion is the height at which it
    carries its load at rest.
    """

    def __init__(self, m: il.Model, parts: Mapping[str, Any], dials: Mapping[str, Any]) -> None:
        self._m, self._parts, self._dials = m, parts, dials
        self._rest = forces_at_rest()

    def add(self) -> None:
        self._key_contacts()
        self._whippen_contacts()
        self._hammer_contacts()
        self._damper_contacts()

    def _key_contacts(self) -> None:
        x, z = data.KEY["front_stop"]
        # the dip is that of a firm finger: contact with the felt begins earlier
        firm = MM * data.CUSHIONS["key_bed"].depth
        below = (self._dials["key_dip"] - firm) * (-MM * x / FRONT)
        bed = (MM * x, 0.0, MM * (z - data.RADIUS["front_stop"]) - below)
        self._touch(
            "key_bed",
            self._m.ground.point("front_felt", bed),
            il.plane("z"),
            self._round("key", "front_stop", data.KEY["front_stop"]),
        )
        x, z = data.KEY["back_rest"]
        top = MM * (z - data.RADIUS["back_rest"]) + self._sunk("key_rest")
        self._touch(
            "key_rest",
            self._m.ground.point("back_rail", (MM * x, 0.0, top)),
            il.plane("z"),
            self._round("key", "back_rest", data.KEY["back_rest"]),
        )

    def _whippen_contacts(self) -> None:
        whippen, ground = self._parts["whippen"], self._m.ground
        pin = data.WHIPPEN["pin"]
        x, z = data.KEY["capstan"]
        up = self._sunk("capstan") + self._dials["capstan_height"]
        dome = (MM * x, 0.0, MM * (z - data.RADIUS["capstan"]) + up)
        heel = whippen.point("heel", _from(pin, data.WHIPPEN["heel"]))
        capstan = self._parts["key"].point("capstan", dome), il.circle(self._radius("capstan"), "y")
        self._touch("capstan", heel, il.plane("-z"), capstan, "mu_capstan")

        button = MM * data.BUTTON[0], 0.0, MM * data.BUTTON[1] + self._dials["let_off"]
        self._touch(
            "let_off_button",
            ground.point("button", button),
            il.plane("-z"),
            self._round("jack", "toe", data.JACK["toe"], data.JACK["pin"]),
            "mu_button",
        )
        screw = MM * data.SCREW[0], 0.0, MM * data.SCREW[1] + self._dials["drop"]
        self._touch(
            "drop_screw",
            ground.point("screw", screw),
            il.plane("-z"),
            self._round("lever", "nose", data.LEVER["nose"], data.LEVER["pin"]),
        )

        stop = _from(pin, data.JACK["back"])
        forward = self._radius("back") - self._sunk("jack_stop")
        spoon = whippen.point("spoon", (stop[0] + forward, 0.0, stop[2]))
        self._touch(
            "jack_stop",
            spoon,
            il.plane("-x"),
            self._round("jack", "back", data.JACK["back"], data.JACK["pin"]),
        )
        stop = _from(pin, data.JACK["front"])
        away = self._radius("front") + MM * data.JACK_SWING
        self._touch(
            "jack_fence",
            whippen.point("fence", (stop[0] - away, 0.0, stop[2])),
            il.plane("x"),
            self._round("jack", "front", data.JACK["front"], data.JACK["pin"]),
        )
        stop = _from(pin, data.LEVER["tail"])
        below = self._radius("lever_tail") - self._sunk("lever_stop")
        hook = whippen.point("hook", (stop[0], 0.0, stop[2] - below))
        self._touch(
            "lever_stop",
            hook,
            il.plane("z"),
            self._round("lever", "lever_tail", data.LEVER["tail"], data.LEVER["pin"]),
        )

    def _hammer_contacts(self) -> None:
        ground, key = self._m.ground, self._parts["key"]
        center = self._parts["hammer"].point("knuckle", _from(data.HAMMER["pin"], knuckle()))
        leather = center, il.circle(self._radius("knuckle"), "y")
        x, z = knuckle()
        under = z - data.RADIUS["knuckle"]
        top = _from(data.JACK["pin"], (data.JACK["top"][0], under - data.JACK_GAP))
        self._touch(
            "jack_knuckle",
            self._parts["jack"].point("top", top),
            il.segment(MM * data.JACK_WIDTH, "x"),
            leather,
            "mu_knuckle",
        )
        top = _from(data.LEVER["pin"], (x, under))
        top = (top[0], 0.0, top[2] + self._sunk("lever_knuckle"))
        self._touch(
            "lever_knuckle",
            self._parts["lever"].point("top", top),
            il.plane("z"),
            leather,
            "mu_knuckle",
        )

        string = MM * (data.HAMMER["pin"][0] + data.HAMMER["crown"][0])
        place = ground.point("string", (string, 0.0, string_height(self._dials["blow_distance"])))
        self._touch("string", place, il.plane("-z"), self._on_hammer("crown"))

        lean = math.radians(data.CHECK_LEAN)
        x, z = data.KEY["check"]
        face = key.point("check", (MM * x + self._dials["check_distance"], 0.0, MM * z))
        strip = il.segment(
            MM * data.CHECK_LENGTH,
            (math.sin(lean), 0.0, math.cos(lean)),
            0.5 * MM * data.CHECK_THICKNESS,
        )
        self._touch("back_check", face, strip, self._on_hammer("tail"), "mu_check")

        x, z = at_rest(data.HAMMER["shank"])
        pin = data.HAMMER["pin"]
        height = z + pin[1] - data.RADIUS["shank"] - data.CUSHION_GAP
        rail = ground.point("hammer_rail", (MM * (pin[0] + x), 0.0, MM * height))
        self._touch("hammer_rest", rail, il.plane("z"), self._on_hammer("shank"))

    def _damper_contacts(self) -> None:
        damper, (x, z) = self._parts["damper"], data.DAMPER
        # the foot hangs above the key end
        foot = MM * (data.KEY["lifter"][1] - z) + self._radius("foot") + self._dials["damper_gap"]
        lifter = self._parts["key"].point("lifter", _from((0.0, 0.0), data.KEY["lifter"]))
        self._touch(
            "damper_lift",
            lifter,
            il.plane("z"),
            (damper.point("foot", (0.0, 0.0, foot)), il.circle(self._radius("foot"), "y")),
        )
        seat = MM * x, 0.0, MM * z - self._radius("head") + self._sunk("damper_seat")
        self._touch(
            "damper_seat",
            self._m.ground.point("damper_seat", seat),
            il.plane("z"),
            (damper.point("head", (0.0, 0.0, 0.0)), il.circle(self._radius("head"), "y")),
        )

    def _touch(
        self,
        name: str,
        a: Any,
        shape_a: Any,
        b: tuple[Any, Any],
        mu: str | None = None,
    ) -> None:
        """Add a contact between two surfaces, with a friction coefficient from the dials."""
        cushion = data.CUSHIONS[name]
        slow = cushion.force / (MM * cushion.depth) ** cushion.exponent
        law = il.felt(slow / (1.0 - cushion.loss), cushion.exponent, cushion.loss, cushion.time)
        friction = None
        if mu is not None:
            friction = il.lugre_contact(
                self._dials[mu],
                stiffness=self._dials[mu] / (MM * cushion.slip),
                damping=data.SHEAR_DAMPING,
            )
        carried = self._rest.get(name, 0.0) / (1.0 - cushion.loss)
        self._m.contact(
            a, shape_a, *b, law=law, friction=friction, states={"memory": carried}, name=name
        )

    def _round(self, part: str, name: str, at: Point, pin: Point = (0.0, 0.0)) -> tuple[Any, Any]:
        """A round surface of a part, about a point given in the rest position."""
        center = self._parts[part].point(name, _from(pin, at))
        return center, il.circle(self._radius(name), "y")

    def _on_hammer(self, name: str) -> tuple[Any, Any]:
        """A round surface of the hammer, about a point given with the hammer at the string."""
        return self._round("hammer", name, at_rest(data.HAMMER[name]))

    def _radius(self, name: str) -> float:
        return MM * data.RADIUS[name]

    def _sunk(self, name: str) -> float:
        """Compression of a cushion at rest [m]."""
        return sunk(name, self._rest[name])


def _from(pin: Point, at: Point) -> tuple[float, float, float]:
    """A point relative to the pin of its part [m]."""
    return MM * (at[0] - pin[0]), 0.0, MM * (at[1] - pin[1])
