"""An exhibit's own views in the studio: onboard cameras, instruments and levers."""

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
    """A camera mounted on a body.

    Attributes:
        name: one word, for its button.
        body: body that carries it.
        eye: position of the camera, in body axes [m].
        look: point that it looks at, in body axes [m].
        field: vertical field of view [deg].
        follow: "fixed": turns with the body; "heading": stays level and follows only the heading
            of the body's x axis, with a small lag, like a chase camera.
        mirror: eye of a mirror and a point that it shows, in body axes [m]; None: no mirror.
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
        signals: one, or several that are combined according to `of`.
        low, high: its range, in `unit`.
        unit: displayed unit.
        scale: factor from the signal to that unit.
        of: "sum" of the signals, or "size": root of the sum of their squares.
        look: "dial", "number", "bar" from 0 to either side, or "gear": R below 0, N at 0; an
            optional second signal selects reverse when it is 1.
        red: absolute value above which it is shown in red, in `unit`; None: never.
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
    """An input that a person operates: by keys, a game controller, the pointer or a finger.

    Attributes:
        name: what it operates, a word or two.
        input: name of the plant's input.
        low, high: its range, in the input's unit.
        rest: value to which it returns when nobody operates it.
        way: "ramp": changes while keys are down; "toggle": a key switches it to `high` and
            back; "step": a key changes it by 1.
        more, less: keys toward high and toward low, by `KeyboardEvent.code`.
        rise: rate of change while a key is down [input's unit per s].
        fall: rate of return to rest [input's unit per s].
        axis: axis of a game controller in the standard layout that operates a ramp; "" for none.
            "axis0" is the left stick, horizontally, "-axis0" the same with left positive,
            "button7" the right trigger.
        buttons: of a game controller, for more and for less of a toggle or step; -1 for none.
        eased: signals, and the value v of their size x (root of the sum of squares) at which the
            range is halved, for inputs that need gentle operation at speed: the range is
            multiplied by 1/(1 + (x/v)²), the rates by the root of that.
        high_at: where its high end is on the screen, for a pointer or a finger.
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
        kind: "tone", like an engine, or "noise", like tyres and wind.
        effort: signals whose size (root of the sum of squares) determines the loudness.
        quiet, loud: sizes of them at which it has its minimum and maximum loudness.
        least, most: minimum and maximum loudness, 0 to 1.
        signals: for a tone, signals whose size determines the pitch.
        hertz: factor from that size to the frequency [Hz].
        pitch: center frequency of a noise [Hz].
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
    """Views and controls for a person on board; signals that a plant lacks are left out.

    Attributes:
        cameras: the first is active when the studio opens; a free one is always available, too.
        gauges: instruments.
        levers: inputs that a person operates.
        scenery: surroundings; None: the plain floor of the studio.
        voices: sounds.
        blind: a blind test for the driver; None: no test.
    """

    cameras: tuple[Camera, ...]
    gauges: tuple[Gauge, ...] = ()
    levers: tuple[Lever, ...] = ()
    scenery: Scenery | None = None
    voices: tuple[Voice, ...] = ()
    blind: BlindTest | None = None

    def data(self) -> dict[str, Any]:
        """Data for the page."""
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
