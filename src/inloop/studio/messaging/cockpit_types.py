"""Declarations of an exhibit for a riding viewer: cameras, instruments, levers."""

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
    mirror: Annotated[tuple[Vector, Vector] | None, "eye and target point, in body axes [m]"]


class Gauge(TypedDict):
    """An instrument."""

    name: str
    signals: Annotated[list[str], "one, or several combined"]
    low: Annotated[float, "in the unit shown"]
    high: Annotated[float, "in the unit shown"]
    unit: str
    scale: Annotated[float, "factor from the signal to the unit shown"]
    of: Annotated[Literal["sum", "size"], "of the signals; size: root of the sum of squares"]
    look: Literal["dial", "number", "bar", "gear"]
    red: Annotated[float | None, "larger magnitudes are marked, in the unit shown"]


class Easing(TypedDict):
    """Signals that reduce the range of a lever."""

    signals: Annotated[list[str], "none: constant range"]
    half: Annotated[float, "their size at which the range is halved"]


class Lever(TypedDict):
    """An input controlled by the user."""

    name: str
    input: str
    low: Annotated[float, "in the unit of the input"]
    high: Annotated[float, "in the unit of the input"]
    rest: Annotated[float, "value when released, in the unit of the input"]
    way: Literal["ramp", "toggle", "step"]
    more: Annotated[list[str], "keys that move it to high, by KeyboardEvent.code"]
    less: Annotated[list[str], "keys that move it to low"]
    rise: Annotated[float, "speed by keys [1/s]"]
    fall: Annotated[float, "speed of the return to rest [1/s]"]
    axis: Annotated[str, 'of a game controller, as "-axis0" or "button7"; "" for none']
    buttons: Annotated[tuple[int, int], "of a game controller, for more and less; -1: none"]
    eased: Easing
    high_at: Annotated[Literal["left", "right", "up"], "side of its high end in the picture"]


class Ribbon(TypedDict):
    """A strip of ground between two lines."""

    surface: Literal["asphalt", "gravel", "verge", "white", "yellow"]
    left: Annotated[list[Vector], "[m]"]
    right: Annotated[list[Vector], "as many points [m]"]
    dash: Annotated[tuple[float, float] | None, "length of a dash and of a gap [m]"]


class Obstacle(TypedDict):
    """A box on the ground."""

    at: Annotated[Vector, "middle of its base [m]"]
    size: Annotated[Vector, "[m]"]
    color: str


class Surprise(TypedDict):
    """A box that appears on the road ahead at a random time."""

    ahead: Annotated[float, "from the body's origin to its near end [m]"]
    speed: Annotated[float, "minimum speed of the body [m/s]"]
    earliest: Annotated[float, "after the body has reached this speed [s]"]
    latest: Annotated[float, "[s]"]
    size: Annotated[Vector, "length along the road, width and height [m]"]
    color: str


class Outline(TypedDict):
    """The part of the ground that a body covers."""

    body: Annotated[str, '"" for none']
    rear: Annotated[float, "from here along its x axis [m]"]
    front: Annotated[float, "to here [m]"]
    half: Annotated[float, "of its width [m]"]
    below: Annotated[float, "depth of the ground below its origin [m]"]


class Scenery(TypedDict):
    """Ground to the horizon, and objects on it."""

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
    effort: Annotated[list[str], "whose size determines its loudness"]
    quiet: Annotated[float, "size at minimum loudness"]
    loud: Annotated[float, "size at maximum loudness"]
    least: Annotated[float, "loudness, 0 to 1"]
    most: float
    signals: Annotated[list[str], "of a tone, whose size determines its pitch"]
    hertz: Annotated[float, "factor from that size to [Hz]"]
    pitch: Annotated[float, "of a noise [Hz]"]


class BlindTest(TypedDict):
    """Runs that differ in one hidden parameter."""

    parameter: str
    values: Annotated[list[float], "one for each run"]
    quantity: Annotated[str, "name of the values"]
    scale: Annotated[float, "factor from the values to the unit shown"]
    unit: str
    angle: Annotated[str, "signal of the angle of the hand [rad]"]
    torque: Annotated[str, "signal of the torque at the hand [N·m]"]
    task: str


class Cockpit(TypedDict):
    """Declarations for a riding viewer."""

    cameras: list[Camera]
    gauges: list[Gauge]
    levers: list[Lever]
    scenery: Scenery | None
    voices: list[Voice]
    blind: BlindTest | None
    signals: Annotated[list[str], "whose values are sent with the poses, in this order"]
