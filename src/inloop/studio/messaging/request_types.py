"""What a page asks for: texts of JSON, told apart by what they `do`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

Options = dict[str, bool | int | float | str]


class Subscribe(TypedDict):
    """Send samples of these signals, and of no others."""

    do: Literal["subscribe"]
    signals: list[str]
    rate_hz: NotRequired[Annotated[float, "all samples by default [Hz]"]]


class Watch(TypedDict):
    """Tell the newest values of these signals now and then, and of no others."""

    do: Literal["watch"]
    signals: list[str]


class Place(TypedDict):
    """Bring a joint to a position while the plant stands; loops stay closed, or it is refused."""

    do: Literal["place"]
    coordinate: str
    q: Annotated[float, "[rad or m]"]
    keep_velocities: NotRequired[Annotated[bool, "by default all is at rest then"]]


class SetParameter(TypedDict):
    """A value, which is put into its range."""

    do: Literal["set"]
    parameter: str
    value: float


class ResetParameter(TypedDict):
    """To its default."""

    do: Literal["reset_parameter"]
    parameter: str


class ResetParameters(TypedDict):
    """All of them."""

    do: Literal["reset_parameters"]


class Pause(TypedDict):
    """Stand still."""

    do: Literal["pause"]


class Go(TypedDict):
    """Go on, and use the inputs again."""

    do: Literal["go"]


class Step(TypedDict):
    """So many steps, while it stands."""

    do: Literal["step"]
    count: NotRequired[int]


class StepBack(TypedDict):
    """So many records back in a recording, which then stands."""

    do: Literal["step_back"]
    count: NotRequired[int]


class Seek(TypedDict):
    """To another place of a recording."""

    do: Literal["seek"]
    at: Annotated[float, "from the begin of the recording [s]"]


class Speed(TypedDict):
    """Simulated seconds per second."""

    do: Literal["speed"]
    factor: float


class Reset(TypedDict):
    """Back to the start."""

    do: Literal["reset"]


class SwitchRecording(TypedDict):
    """Begin or end a recording."""

    do: Literal["record"]
    on: bool


class Replay(TypedDict):
    """Show a recording."""

    do: Literal["replay"]
    file: str


class ShowLive(TypedDict):
    """Back to the plant."""

    do: Literal["live"]


class Choose(TypedDict):
    """Another plant of the menu."""

    do: Literal["choose"]
    name: str
    options: NotRequired[Options]


class Restart(TypedDict):
    """The plant once more, as it was started."""

    do: Literal["restart"]


class TakeInput(TypedDict):
    """Drive the inputs from this page."""

    do: Literal["take_input"]


class ReleaseInput(TypedDict):
    """Let others drive them."""

    do: Literal["release_input"]


class Pin(TypedDict):
    """Let the body that the pointer holds be held there without it."""

    do: Literal["pin"]


class LetGo(TypedDict):
    """Let go of a body that this page holds, or of all."""

    do: Literal["let_go"]
    grip: NotRequired[Annotated[int, "of a pin, from 1; all by default"]]


class HoldDevice(TypedDict):
    """Hold the plant with a haptic device, or change its settings."""

    do: Literal["device"]
    rig: str
    settings: NotRequired[Options]


class UseController(TypedDict):
    """Let a controller of the list work; "none": let it go."""

    do: Literal["control"]
    name: str


class TuneController(TypedDict):
    """A setting of the controller at work, which is put into its range."""

    do: Literal["tune"]
    setting: str
    value: float


class FollowPath(TypedDict):
    """Lead the tool along a path of the list, or the joints to the pose."""

    do: Literal["follow"]
    path: str


class HoldPose(TypedDict):
    """Stay where it is."""

    do: Literal["hold"]


class AimAt(TypedDict):
    """Lead the tool to a point in the world."""

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
