"""Profile of a steering wheel: axes, range and torque."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from inloop.errors import LinkError
from inloop.links.wheel.event_device import ABS_X, Axis

PEDALS = ("throttle", "brake", "clutch")
# and their codes on Logitech wheels: paddles, two buttons on the rim, "options"
BUTTONS = {"gear_up": 0x124, "gear_down": 0x125, "parking": 0x122, "reverse": 0x123, "reset": 0x129}


@dataclass(frozen=True)
class Pedal:
    """A pedal axis.

    Attributes:
        code: of the axis.
        released, pressed: counts at the ends; pressed may be the smaller number.
    """

    code: int
    released: int
    pressed: int

    def part(self, value: int) -> float:
        """Position, 0 to 1."""
        return max(0.0, min((value - self.released) / (self.pressed - self.released), 1.0))


@dataclass(frozen=True)
class WheelProfile:
    """Profile of a wheel.

    Attributes:
        name: as the device calls itself.
        turn: range from end to end [deg].
        torque: maximum torque [N·m].
        rate: update rate of its force [Hz].
        left: +1 if its counts increase to the left.
        push: +1 if a positive level pushes to the left.
        pedals: by name, see `PEDALS`.
        buttons: codes by name, see `BUTTONS`.
        inertia: of the rim [kg·m²], for the stability of the loop.
        friction: its own damping [N·m·s/rad], likewise.
        delay: from a reading to its force [s], likewise.
    """

    name: str
    turn: float = 900.0
    torque: float = 2.1
    rate: float = 250.0
    left: int = -1
    push: int = 1
    pedals: dict[str, Pedal] = field(default_factory=dict)
    buttons: dict[str, int] = field(default_factory=dict)
    inertia: float = 0.003
    friction: float = 0.02
    delay: float = 0.008

    def angle(self, axis: Axis, value: int) -> float:
        """Angle of the wheel [rad], left positive."""
        middle, half = 0.5 * (axis.low + axis.high), 0.5 * (axis.high - axis.low)
        return self.left * (value - middle) / half * math.radians(0.5 * self.turn)

    def save(self, path: Path) -> None:
        """Save for the next time."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> WheelProfile:
        """Load a saved profile.

        Raises:
            LinkError: the file is invalid.
        """
        try:
            data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            pedals = {
                name: Pedal(**{k: int(v) for k, v in pedal.items()})
                for name, pedal in data.pop("pedals").items()
                if name in PEDALS and pedal["pressed"] != pedal["released"]
            }
            told = data.pop("buttons", {})
            buttons = {name: int(code) for name, code in told.items() if name in BUTTONS}
            numbers = {k: float(v) for k, v in data.items() if k not in ("name", "left", "push")}
            signs = {k: 1 if int(data[k]) > 0 else -1 for k in ("left", "push")}
            found = cls(str(data["name"]), pedals=pedals, buttons=buttons, **numbers, **signs)  # type: ignore[arg-type]
            found.check()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LinkError(
                f"the profile {str(path)!a} makes no sense: {error}",
                fix="Calibrate anew: inloop link wheel NAME --calibrate",
            ) from None
        return found

    def check(self) -> None:
        """Raise ValueError for implausible numbers."""
        for name, low, high in (
            ("turn", 90.0, 3600.0), ("torque", 0.1, 60.0), ("rate", 20.0, 1000.0),
            ("inertia", 1e-5, 1.0), ("friction", 0.0, 10.0), ("delay", 0.0, 0.2),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value:g}, not between {low:g} and {high:g}")


def profile_path(name: str) -> Path:
    """Path of the profile of a device."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return home / "inloop" / "wheels" / f"{re.sub(r'[^A-Za-z0-9]+', '_', name)[:80]}.json"


def usual_profile(
    name: str, axes: dict[int, Axis], keys: frozenset[int] = frozenset()
) -> WheelProfile:
    """Defaults: Logitech's axes with descending pedal counts, and its buttons."""
    codes = {"throttle": 2, "brake": 5, "clutch": 1}
    pedals = {
        pedal: Pedal(code, axes[code].high, axes[code].low)
        for pedal, code in codes.items()
        if code in axes and axes[code].high != axes[code].low
    }
    assert ABS_X in axes
    buttons = {button: code for button, code in BUTTONS.items() if code in keys}
    return WheelProfile(name, pedals=pedals, buttons=buttons)
