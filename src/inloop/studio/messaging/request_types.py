"""Requests of a page: JSON texts, distinguished by their `do`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

Options = dict[str, bool | int | float | str]


class Subscribe(TypedDict):
    """Send samples of these signals only."""

    do: Literal["subscribe"]
    signals: list[str]
    rate_hz: NotRequired[Annotated[float, "all samples by default [Hz]"]]


class Watch(TypedDict):
    """Send the newest values of these signals only, periodically."""

    do: Literal["watch"]
    signals: list[str]


class Place(TypedDict):
    """Move a joint to a position while the plant is paused; refused if the loops cannot close."""

    do: Literal["place"]
    coordinate: str
    q: Annotated[float, "[rad or m]"]
    keep_velocities: NotRequired[Annotated[bool, "by default, everything is at rest afterwards"]]


class SetParameter(TypedDict):
    """Set a parameter; the value is clipped to its range."""

    do: Literal["set"]
    parameter: str
    value: float


class ResetParameter(TypedDict):
    """Set a parameter to its default."""

    do: Literal["reset_parameter"]
    parameter: str


class ResetParameters(TypedDict):
    """Set all parameters to their defaults."""

    do: Literal["reset_parameters"]


class Pause(TypedDict):
    """Pause the plant."""

    do: Literal["pause"]


class Go(TypedDict):
    """Continue, and use the inputs again."""

    do: Literal["go"]


class Step(TypedDict):
    """Do a number of steps, while paused."""

    do: Literal["step"]
    count: NotRequired[int]


class StepBack(TypedDict):
    """Go back a number of records in a recording, and pause."""

    do: Literal["step_back"]
    count: NotRequired[int]


class Seek(TypedDict):
    """Go to another place of a recording."""

    do: Literal["seek"]
    at: Annotated[float, "from the start of the recording [s]"]


class Speed(TypedDict):
    """Set the simulated seconds per second."""

    do: Literal["speed"]
    factor: float


class Reset(TypedDict):
    """Reset the plant to its start."""

    do: Literal["reset"]


class SwitchRecording(TypedDict):
    """Start or end a recording."""

    do: Literal["record"]
    on: bool


class Replay(TypedDict):
    """Show a recording."""

    do: Literal["replay"]
    file: str


class ShowLive(TypedDict):
    """Return to the plant."""

    do: Literal["live"]


class Choose(TypedDict):
    """Start another plant of the menu."""

    do: Literal["choose"]
    name: str
    options: NotRequired[Options]


class Restart(TypedDict):
    """Start the plant again, with the same options."""

    do: Literal["restart"]


class TakeInput(TypedDict):
    """Drive the inputs from this page."""

    do: Literal["take_input"]


class ReleaseInput(TypedDict):
    """Let other pages drive the inputs."""

    do: Literal["release_input"]


class Pin(TypedDict):
    """Pin the body that the pointer holds."""

    do: Literal["pin"]


class LetGo(TypedDict):
    """Release a body held by this page, or all."""

    do: Literal["let_go"]
    grip: NotRequired[Annotated[int, "of a pin, from 1; all by default"]]


class HoldDevice(TypedDict):
    """Hold the plant with a haptic device, or change its settings."""

    do: Literal["device"]
    rig: str
    settings: NotRequired[Options]


class UseController(TypedDict):
    """Start a controller of the list; "none" stops the active one."""

    do: Literal["control"]
    name: str


class TuneController(TypedDict):
    """Change a setting of the active controller; the value is clipped to its range."""

    do: Literal["tune"]
    setting: str
    value: float


class FollowPath(TypedDict):
    """Move the tool along a path of the list, or the joints to the pose."""

    do: Literal["follow"]
    path: str


class HoldPose(TypedDict):
    """Hold the current position."""

    do: Literal["hold"]


class AimAt(TypedDict):
    """Move the tool to a point in the world."""

    do: Literal["aim"]
    x: Annotated[float, "[m]"]
    y: Annotated[float, "[m]"]
    z: Annotated[float, "[m]"]


Request = (
    Subscribe | Watch | Place | SetParameter | ResetParameter | ResetParameters | Pause | Go | Step
    | Speed | Reset | StepBack | Seek | SwitchRecording | Replay | ShowLive | Choose | Restart
    | TakeInput | ReleaseInput | HoldDevice | UseController | TuneController | FollowPath | HoldPose
    | AimAt | Pin | LetGo
)  # fmt: skip
