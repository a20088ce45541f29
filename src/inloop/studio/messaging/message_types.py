"""Messages from the server to a page: JSON texts, distinguished by their `kind`."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from inloop.studio.messaging.anatomy_types import Anatomy
from inloop.studio.messaging.cockpit_types import Cockpit
from inloop.studio.messaging.scene_types import Scene, Vector

Activity = Literal["starting", "running", "paused", "ended", "lost"]
Level = Literal["info", "warn", "error"]


class Told(TypedDict):
    """A notice to the user."""

    level: Level
    text: str
    fix: Annotated[str, 'what to do; "" for nothing']


class Plant(TypedDict):
    """The running plant."""

    name: str
    title: str
    look_at: Annotated[str, "what to look at"]
    remarks: Annotated[list[str], "what was left out of its file, or added to it"]
    rate_hz: Annotated[float, "steps per second [Hz]"]
    own: Annotated[bool, "the studio has started it, and it ends with the studio"]


class Option(TypedDict):
    """An option that applies when a model is built."""

    name: str
    default: bool | float
    doc: str
    range: Annotated[tuple[float, float] | None, "smallest and largest value of a number"]
    allowed: Annotated[str, "permitted values, in words"]


class MenuEntry(TypedDict):
    """A plant that can be chosen."""

    name: str
    title: str
    options: list[Option]


class Parameter(TypedDict):
    """A number that can be changed while the plant runs."""

    name: str
    value: float
    default: float
    unit: str
    low: Annotated[float | None, "null: no bound"]
    high: Annotated[float | None, "null: no bound"]
    doc: str


class Signal(TypedDict):
    """A signal that can be plotted."""

    name: str
    unit: str


class TouchingPair(TypedDict):
    """A contact: two shapes that may touch."""

    name: str
    between: Annotated[tuple[str, str], "bodies, or frames on them"]
    shapes: tuple[str, str]
    law: Annotated[str, "of the normal force, with its coefficients"]
    friction: Annotated[str, '"" for smooth surfaces']


class WatchedSensor(TypedDict):
    """A sensor of the mechanism."""

    name: str
    quantity: Annotated[str, "quantity that it measures"]
    at: Annotated[list[str], "where it is mounted"]
    signals: Annotated[list[Signal], "its signals, in the order of its readings"]


class Input(TypedDict):
    """An input; inputs are in the order of the indices in input frames."""

    name: str
    unit: str
    low: Annotated[float | None, "null: no bound"]
    high: Annotated[float | None, "null: no bound"]
    doc: str
    declared: Annotated[bool, "by the model, not the effort of a joint"]


class Driven(TypedDict):
    """The input driven by the user."""

    input: str
    unit: str
    low: Annotated[float, "in the unit of the input"]
    high: Annotated[float, "in the unit of the input"]
    rest: Annotated[float, "value when released, in the unit of the input"]
    body: Annotated[str, 'body that is dragged; "ground" for a place in the world']
    point: Annotated[tuple[float, float, float], "point that is dragged, in axes of the body [m]"]
    axis: Annotated[tuple[float, float, float], "dragging along it goes from low to high [m]"]
    hint: str
    keys: Annotated[dict[str, float], "values while keys are down, by KeyboardEvent.code"]
    midi: bool


class Rig(TypedDict):
    """A haptic device that can hold the plant."""

    name: str
    title: str


class SettingRange(TypedDict):
    """Bounds of a setting of haptic devices."""

    name: Literal["rate", "lines", "low_pass", "damping", "stiffness"]
    low: float
    high: float
    unit: str
    doc: str


class Settings(TypedDict):
    """Settings of the haptic device that holds the plant."""

    rate: Annotated[float, "of the servo [Hz]"]
    lines: Annotated[float, "of the encoder [1/in]"]
    low_pass: Annotated[float, "before the derivatives [Hz]; 0: plain differences"]
    damping: Annotated[float, "of the handle [N·s/m]"]
    stiffness: Annotated[float, "of the finger [N/m]"]
    controlled: Annotated[bool, "by a passivity controller"]


class Chain(TypedDict):
    """Haptic devices that can hold the plant, and the current one."""

    rigs: list[Rig]
    ranges: list[SettingRange]
    rig: Annotated[str, 'name of the device; "mouse" for none']
    settings: Settings | None


class File(TypedDict):
    """A recording."""

    name: str
    bytes: int


class Recording(TypedDict):
    """State of the recorder, and existing recordings."""

    phase: Annotated[Literal["off", "starting", "on", "ending"], "of the recorder"]
    file: Annotated[str, 'that it writes; "" for none']
    bytes: Annotated[int, "that it has written"]
    seconds: Annotated[float, "since it began [s]"]
    problem: Annotated[str, 'why it has ended early; "" if it has not']
    files: list[File]


class Times(TypedDict):
    """A histogram of times."""

    edges_us: Annotated[list[float], "of the bins, one more than counts [µs]"]
    counts: list[int]
    p50: Annotated[float | None, "[µs]"]
    p99: Annotated[float | None, "[µs]"]
    p999: Annotated[float | None, "[µs]"]
    max: Annotated[float | None, "[µs]"]


class Limits(TypedDict):
    """Limits of a haptic device; null: no limit."""

    passive: Annotated[float | None, "stiffness that is never active [N/m]"]
    stable: Annotated[float | None, "computed [N/m]"]
    measured: Annotated[float | None, "[N/m]"]
    controlled: Annotated[float | None, "measured with a passivity controller [N/m]"]
    held: Annotated[float | None, "by the finger [N/m]"]
    mass: Annotated[float | None, "held by the finger [kg]"]


class DeviceReadings(TypedDict):
    """State of the haptic device; least and most are since the last message."""

    t: Annotated[float | None, "simulated time [s]"]
    rate_hz: Annotated[float, "of the servo [Hz]"]
    handle: Annotated[float | None, "position of the handle [m]"]
    force: Annotated[float | None, "of the motor [N]"]
    most_force: Annotated[float | None, "[N]"]
    limit: Annotated[float, "of the motor [N]"]
    energy: Annotated[float | None, "received by the display [J]"]
    least_energy: Annotated[float | None, "[J]"]
    passive: bool
    controlled: bool
    acting: Annotated[bool, "the passivity controller acts"]
    dissipated: Annotated[float | None, "by the controller [J]"]
    shown_stiffness: Annotated[float, "of the mechanism [N/m]"]
    shown_mass: Annotated[float, "of the mechanism [kg]"]
    left_out: Annotated[float, "fraction of the periods"]
    limits: Annotated[Limits | None, "null while they are being measured"]
    notice: Told | None


ControllerState = Literal["none", "starting", "running", "ended"]


class Knob(TypedDict):
    """A number of a controller."""

    name: str
    value: Annotated[float, "initial"]
    low: float
    high: float
    unit: str
    doc: str


class OfferedController(TypedDict):
    """A controller that can be chosen."""

    name: str
    doc: str
    sliders: Annotated[list[Knob], "gains"]
    goals: Annotated[list[Knob], "set-points of joints"]
    paths: Annotated[dict[str, list[list[float]]], "closed curves for its tool, points [m]"]


class Controllers(TypedDict):
    """Controllers that can run next to the plant, and the active one."""

    offered: list[OfferedController]
    active: Annotated[str, 'name; "none" for none']
    state: ControllerState
    said: Annotated[str, 'why it has ended; "" if nothing is wrong']
    values: Annotated[dict[str, float], "of its settings, by name"]
    path: Annotated[str, '"pose", "point", or the path that it follows; "" if it follows none']
    target: Annotated[list[float] | None, "the dragged point [m]"]


class Hello(TypedDict):
    """The first message: everything that the page needs before the plant moves."""

    kind: Literal["hello"]
    plant: Plant
    menu: list[MenuEntry]
    scene: Scene
    anatomy: Anatomy
    parameters: list[Parameter]
    signals: list[Signal]
    plots: Annotated[list[str] | None, "signals to plot first"]
    contacts: list[TouchingPair]
    sensors: list[WatchedSensor]
    inputs: list[Input]
    device: Driven | None
    cockpit: Cockpit | None
    chain: Chain | None
    controllers: Controllers
    can: Annotated[list[str], "requests that are possible now"]
    record: Recording
    sounds: Annotated[bool, "it plays notes"]


class State(TypedDict):
    """State of the loop."""

    kind: Literal["state"]
    state: Activity
    speed: Annotated[float | None, "simulated seconds per second"]
    step: Annotated[int, "successful steps since the start"]
    t: Annotated[float | None, "simulated time [s]"]
    status: Annotated[str, "how the last step ended"]
    latched: Annotated[str, 'status because of which inputs are ignored; "" if they are not']
    overruns: int
    late: Annotated[int, "late steps within the last seconds"]
    stale: Annotated[int, "steps with inputs that were too old"]
    lost: Annotated[int, "lost records of telemetry"]
    source: Annotated[str, '"live", or the name of a recording']
    driven: Annotated[bool, "a page drives the inputs"]
    notice: Told | None
    pace_hz: NotRequired[Annotated[float, "recent steps per second of a plant in a page [Hz]"]]


class Readings(TypedDict):
    """Readings of contacts and sensors, ten times per second, in the order of `Hello`.

    A number that a mode does not have is null.
    """

    kind: Literal["readings"]
    contacts: Annotated[list[list[float | None]], "gap [m], normal force and friction [N] of each"]
    sensors: Annotated[list[list[float | None]], "values of the signals of each"]


class Watched(TypedDict):
    """Newest values of the signals that a page watches, ten times per second."""

    kind: Literal["watched"]
    values: Annotated[dict[str, float | None], "null: the mode does not have it"]


class Refused(TypedDict):
    """This page cannot drive the inputs: it shows them at rest."""

    kind: Literal["refused"]
    text: Annotated[str, "who drives"]
    fix: str


class Subscribed(TypedDict):
    """Columns of the following frames of samples."""

    kind: Literal["subscribed"]
    generation: Annotated[int, "generation in the frames of samples"]
    rate_hz: Annotated[float, "[Hz]"]
    signals: list[str]
    fresh: Annotated[bool, "earlier samples are not continued: discard them"]


class ParameterValues(TypedDict):
    """Values changed by any page."""

    kind: Literal["parameters"]
    values: dict[str, float]


class SceneChange(TypedDict):
    """The same mechanism with other dimensions."""

    kind: Literal["scene"]
    scene: Scene
    anatomy: Anatomy


class Histograms(TypedDict):
    """Times of the loop."""

    kind: Literal["histogram"]
    step_time: Annotated[Times, "from the beginning to the end of a step"]
    reaction: Annotated[Times, "from inputs to outputs"]
    wake_up: Annotated[Times, "from the period to the thread's wake-up"]
    input_age: Annotated[Times, "of the inputs when a step uses them"]


class Notice(TypedDict):
    """A passing notice."""

    kind: Literal["notice"]
    level: Level
    text: str
    fix: str


class RecordingChange(TypedDict):
    """A recording starts, continues or ends."""

    kind: Literal["record"]
    phase: Annotated[Literal["off", "starting", "on", "ending"], "of the recorder"]
    file: Annotated[str, 'that it writes; "" for none']
    bytes: Annotated[int, "that it has written"]
    seconds: Annotated[float, "since it began [s]"]
    problem: Annotated[str, 'why it has ended early; "" if it has not']
    files: list[File]


class ChainChange(TypedDict):
    """Another haptic device, or other settings."""

    kind: Literal["chain"]
    rigs: list[Rig]
    ranges: list[SettingRange]
    rig: str
    settings: Settings | None


class DevicePanel(TypedDict):
    """State of the haptic device, ten times per second."""

    kind: Literal["panel"]
    data: DeviceReadings


class TimelineMark(TypedDict):
    """An event in a recording."""

    what: Literal[
        "reset", "late", "safe", "failed", "mode", "event", "parameters", "lost", "damaged"
    ]
    at: Annotated[float, "from the start of the recording [s]"]
    text: str
    count: Annotated[int, "number of such events nearby"]


class Timeline(TypedDict):
    """Length and events of the recording shown."""

    kind: Literal["timeline"]
    file: str
    length: Annotated[float, "[s]"]
    marks: list[TimelineMark]
    scanned: Annotated[float, "fraction of the file searched for marks"]
    grows: Annotated[bool, "it is being written now"]
    complete: Annotated[bool, "the file has its end"]


class ShownPlace(TypedDict):
    """The time shown in the recording."""

    kind: Literal["place"]
    at: Annotated[float, "from the start of the recording [s]"]
    t: Annotated[float, "simulated time [s]"]
    record: Annotated[int, "its number"]


class Hold(TypedDict):
    """A body that a page holds."""

    grip: Annotated[int, "0: by the pointer; otherwise a pin"]
    body: Annotated[int, "in the order of the scene"]
    point: Annotated[Vector, "in body axes [m]"]
    target: Annotated[Vector, "in the world [m]"]
    pushes: Annotated[bool, "by a constant force, without a spring"]
    firmness: Annotated[float, "relative to the default for the body"]
    mass: Annotated[float, "of the point [kg]; 0 until the plant has reported it"]
    stiffness: Annotated[float, "[N/m]"]
    force: Annotated[Vector, "on the body, in the world [N]"]
    limited: Annotated[int, "0; 1 stiffness, 2 force are as large as steps can follow; 3 refused"]


class Held(TypedDict):
    """Bodies that are held; sent while there are any, and once when the last is released."""

    kind: Literal["held"]
    mine: Annotated[bool, "by this page"]
    holds: list[Hold]


class ControllersChange(TypedDict):
    """Another controller, or other settings of it."""

    kind: Literal["controllers"]
    controllers: Controllers


class Tracking(TypedDict):
    """State of the controller, twenty times per second; null: not reported."""

    kind: Literal["tracking"]
    t: Annotated[float | None, "simulated time [s]"]
    error: Annotated[float | None, "from the tool to its goal [m]"]
    tool: Annotated[list[float] | None, "position of the tool [m]"]
    wanted: Annotated[list[float] | None, "its goal [m]"]


class PlayedNote(TypedDict):
    """A note begins or ends."""

    kind: Literal["note"]
    t: Annotated[float, "simulated time [s]"]
    on: bool
    note: Annotated[int, "of MIDI: 60 is C4"]
    velocity: Annotated[int, "of MIDI: 1 to 127"]
    speed: Annotated[float | None, "of the hammer at the string [m/s]"]


Message = (
    Hello | State | Readings | Watched | Refused | Subscribed | ParameterValues | SceneChange
    | Histograms | Notice | RecordingChange | ChainChange | DevicePanel | ControllersChange
    | Tracking | Held | PlayedNote | Timeline | ShownPlace
)  # fmt: skip
