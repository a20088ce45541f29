"""An exhibit's own views in the studio: cameras that ride along, instruments, and levers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from inloop.errors import InputError
from inloop.gallery.exhibition.blind_test import BlindTest
from inloop.gallery.exhibition.device import Point
from inloop.gallery.exhibition.scenery import Scenery


@dataclass(frozen=True)
class Camera:
    """A camera that a body carries.

    Attributes:
        name: a word, for its button.
        body: that carries it.
        eye: where it is, in axes of the body [m].
        look: a point that it looks at, likewise [m].
        field: how much it sees from top to bottom [deg].
        follow: "fixed": it turns with the body; "heading": it stays level and turns with the
            heading of the body's x axis alone, a little later, as a camera that flies behind does.
        mirror: where a mirror sees from, and a point that it sees, in axes of the body [m]; None:
            there is none.
    """

    name: str
    body: str
    eye: Point
    look: Point
    field: float = 50.0
    follow: Literal["fixed", "heading"] = "fixed"
    mirror: tuple[Point, Point] | None = None

    def __post_init__(self) -> None:
        if not 5.0 <= self.field <= 120.0:
            raise _wrong("camera", self.name, f"sees {self.field:g}°", "Give 5 to 120.")
        if math.dist(self.eye, self.look) < 1e-6:
            raise _wrong("camera", self.name, "looks at itself", "Give another point to look at.")


@dataclass(frozen=True)
class Gauge:
    """An instrument that shows a signal.

    Attributes:
        name: what it shows, a word or two.
        signals: one; or several, which are taken together as `of` says.
        low, high: its range, in `unit`.
        unit: that it shows.
        scale: of the signal, to get to that unit.
        of: "sum" of the signals, or "size": root of the sum of their squares.
        look: "dial", "number", "bar" from 0 to either side, or "gear": R below 0, N at 0; a second
            signal, if there is one, tells by 1 that it is reversed.
        red: beyond this size the value is marked, in `unit`; None: nowhere.
    """

    name: str
    signals: tuple[str, ...]
    low: float
    high: float
    unit: str = ""
    scale: float = 1.0
    of: Literal["sum", "size"] = "sum"
    look: Literal["dial", "number", "bar", "gear"] = "number"
    red: float | None = None

    def __post_init__(self) -> None:
        if not self.low < self.high:
            span = f"goes from {self.low:g} to {self.high:g}"
            raise _wrong("gauge", self.name, span, "Give low < high.")
        if not self.signals:
            raise _wrong("gauge", self.name, "shows no signal", "Name one of the plant's.")


@dataclass(frozen=True)
class Lever:
    """An input that a person leads: by keys, a game controller, the pointer or a finger.

    Attributes:
        name: of what is led, a word or two.
        input: name of the plant's input.
        low, high: its range, in the input's unit.
        rest: where it is when nobody leads it, and to which it returns.
        way: "ramp": keys lead it while they are down; "toggle": a key brings it to `high` and
            back; "step": a key brings it on by 1.
        more, less: keys that lead to high and to low, by `KeyboardEvent.code`.
        rise: how fast keys lead it [1/s of the input's unit].
        fall: how fast it returns to rest [likewise].
        axis: of a game controller in the standard layout, that leads a ramp; "" for none. "axis0"
            is the left stick across, "-axis0" the same with left positive, "button7" the right
            trigger.
        buttons: of a game controller, for more and for less of a toggle or step; -1 for none.
        eased: signals and a size of them (root of the sum of squares) v at which the range is half
            as large, for what must be led gently when it is fast: it goes with 1/(1 + (x/v)²), the
            rates with the root of that.
        high_at: where its high end is in the picture, for a pointer or a finger.
    """

    name: str
    input: str
    low: float
    high: float
    rest: float = 0.0
    way: Literal["ramp", "toggle", "step"] = "ramp"
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    rise: float = 1.0
    fall: float = 2.0
    axis: str = ""
    buttons: tuple[int, int] = (-1, -1)
    eased: tuple[tuple[str, ...], float] | None = None
    high_at: Literal["left", "right", "up"] = "up"

    def __post_init__(self) -> None:
        if not self.low <= self.rest <= self.high or not self.low < self.high:
            span = f"goes from {self.low:g} to {self.high:g} and rests at {self.rest:g}"
            raise _wrong("lever", self.name, span, "Give low <= rest <= high.")
        if self.rise <= 0.0 or self.fall <= 0.0:
            raise _wrong("lever", self.name, "has a rate that is not positive", "Give rates > 0.")


@dataclass(frozen=True)
class Voice:
    """A sound that follows signals.

    Attributes:
        kind: "tone", as of an engine, or "noise", as of tyres and wind.
        effort: signals whose size (root of the sum of squares) makes it loud.
        quiet, loud: sizes of them at which it has its least and its most loudness.
        least, most: loudness, 0 to 1.
        signals: of a tone, those whose size tells how high it is.
        hertz: of that size, to get to its frequency [Hz].
        pitch: of a noise, about which it sounds [Hz].
    """

    kind: Literal["tone", "noise"]
    effort: tuple[str, ...]
    quiet: float
    loud: float
    least: float = 0.0
    most: float = 0.3
    signals: tuple[str, ...] = ()
    hertz: float = 1.0
    pitch: float = 800.0

    def __post_init__(self) -> None:
        if not self.quiet < self.loud or not 0.0 <= self.least <= self.most <= 1.0:
            raise _wrong(
                "voice", self.kind, "cannot be so loud",
                "Give quiet < loud and 0 <= least <= most <= 1.",
            )  # fmt: skip


@dataclass(frozen=True)
class Cockpit:
    """What a person sees and leads who rides along; what a plant lacks of it is left out.

    Attributes:
        cameras: the first is taken when the studio opens; a free one is always there, too.
        gauges: instruments.
        levers: inputs that a person leads.
        scenery: what lies around; None: the plain floor of the studio.
        voices: sounds.
        blind: a test that a person may drive; None: there is none.
    """

    cameras: tuple[Camera, ...]
    gauges: tuple[Gauge, ...] = ()
    levers: tuple[Lever, ...] = ()
    scenery: Scenery | None = None
    voices: tuple[Voice, ...] = ()
    blind: BlindTest | None = None

    def data(self) -> dict[str, Any]:
        """As the page reads it."""
        return {
            "cameras": [asdict(camera) for camera in self.cameras],
            "gauges": [asdict(gauge) for gauge in self.gauges],
            "levers": [_lever_data(lever) for lever in self.levers],
            "voices": [asdict(voice) for voice in self.voices],
            "scenery": self.scenery.data() if self.scenery is not None else None,
            "blind": asdict(self.blind) if self.blind is not None else None,
        }


def _lever_data(lever: Lever) -> dict[str, Any]:
    signals, half = lever.eased or ((), 0.0)
    return {**asdict(lever), "eased": {"signals": list(signals), "half": half}}


def _wrong(kind: str, name: str, what: str, fix: str) -> InputError:
    return InputError(f"{kind} '{name[:40]}' of a cockpit {what}", fix=fix)
