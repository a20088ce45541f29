"""What an exhibit declares for who rides along: cameras, instruments, levers."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from inloop.studio.messaging.scene_types import Vector


class Camera(TypedDict):
    """A camera that a body carries."""

    name: str
    body: str
    eye: Annotated[Vector, "in body axes [m]"]
    look: Annotated[Vector, "the point that it looks at, in body axes [m]"]
    field: Annotated[float, "from top to bottom [deg]"]
    follow: Annotated[Literal["fixed", "heading"], "turns with the body, or stays level"]
    mirror: Annotated[tuple[Vector, Vector] | None, "sees from, and a point seen, in body axes [m]"]


class Gauge(TypedDict):
    """An instrument."""

    name: str
    signals: Annotated[list[str], "one, or several taken together"]
    low: Annotated[float, "in the unit shown"]
    high: Annotated[float, "in the unit shown"]
    unit: str
    scale: Annotated[float, "of the signal, to get to the unit shown"]
    of: Annotated[Literal["sum", "size"], "of the signals, size: root of the sum of squares"]
    look: Literal["dial", "number", "bar", "gear"]
    red: Annotated[float | None, "beyond this size it is marked, in the unit shown"]


class Easing(TypedDict):
    """What makes a lever gentle."""

    signals: Annotated[list[str], "none: it is always the same"]
    half: Annotated[float, "size of them at which the range is half as large"]


class Lever(TypedDict):
    """An input that a person leads."""

    name: str
    input: str
    low: Annotated[float, "in the unit of the input"]
    high: Annotated[float, "in the unit of the input"]
    rest: Annotated[float, "when nobody leads it, in the unit of the input"]
    way: Literal["ramp", "toggle", "step"]
    more: Annotated[list[str], "keys that lead to high, by KeyboardEvent.code"]
    less: Annotated[list[str], "keys that lead to low"]
    rise: Annotated[float, "how fast keys lead it [1/s]"]
    fall: Annotated[float, "how fast it returns to rest [1/s]"]
    axis: Annotated[str, 'of a game controller, as "-axis0" or "button7"; "" for none']
    buttons: Annotated[tuple[int, int], "of a game controller, for more and less; -1: none"]
    eased: Easing
    high_at: Annotated[Literal["left", "right", "up"], "where its high end is in the picture"]


class Ribbon(TypedDict):
    """A strip of ground between two lines."""

    surface: Literal["asphalt", "gravel", "verge", "white", "yellow"]
    left: Annotated[list[Vector], "[m]"]
    right: Annotated[list[Vector], "as many points [m]"]
    dash: Annotated[tuple[float, float] | None, "length of a dash and of a gap [m]"]


class Obstacle(TypedDict):
    """A box that stands on the ground."""

    at: Annotated[Vector, "middle of its base [m]"]
    size: Annotated[Vector, "[m]"]
    color: str


class Surprise(TypedDict):
    """A box that appears on the road ahead at a random time."""

    ahead: Annotated[float, "from the body's origin to its near end [m]"]
    speed: Annotated[float, "that the body must have [m/s]"]
    earliest: Annotated[float, "after the body has become so fast [s]"]
    latest: Annotated[float, "[s]"]
    size: Annotated[Vector, "length along the road, width and height [m]"]
    color: str


class Outline(TypedDict):
    """Which part of the ground a body covers."""

    body: Annotated[str, '"" for none']
    rear: Annotated[float, "from here along its x axis [m]"]
    front: Annotated[float, "to here [m]"]
    half: Annotated[float, "of its width [m]"]
    below: Annotated[float, "how far the ground is below its origin [m]"]


class Scenery(TypedDict):
    """Ground to the horizon, and what is on it."""

    ground: Annotated[float, "height [m]"]
    ribbons: list[Ribbon]
    cones: Annotated[list[Vector], "[m]"]
    obstacles: list[Obstacle]
    outline: Outline
    surprise: Surprise | None
    trees: int
    posts: Annotated[float, "distance between them [m]; 0: none"]


class Voice(TypedDict):
    """A sound that follows signals."""

    kind: Literal["tone", "noise"]
    effort: Annotated[list[str], "whose size makes it loud"]
    quiet: Annotated[float, "size at which it has its least loudness"]
    loud: Annotated[float, "size at which it has its most"]
    least: Annotated[float, "loudness, 0 to 1"]
    most: float
    signals: Annotated[list[str], "of a tone, whose size sets its pitch"]
    hertz: Annotated[float, "of that size, to get to [Hz]"]
    pitch: Annotated[float, "of a noise [Hz]"]


class BlindTest(TypedDict):
    """Runs that differ in one hidden parameter."""

    parameter: str
    values: Annotated[list[float], "one for each run"]
    quantity: Annotated[str, "what the values are called"]
    scale: Annotated[float, "of the values, to get to the unit shown"]
    unit: str
    angle: Annotated[str, "signal of what the hand turns [rad]"]
    torque: Annotated[str, "signal of what it feels [N·m]"]
    task: str


class Cockpit(TypedDict):
    """For who rides along."""

    cameras: list[Camera]
    gauges: list[Gauge]
    levers: list[Lever]
    scenery: Scenery | None
    voices: list[Voice]
    blind: BlindTest | None
    signals: Annotated[list[str], "whose values come with the poses, in this order"]
