"""The input that a hand drives in the studio; looks of bodies are `il.Visual`s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Point = tuple[float, float, float]
GROUND = "ground"  # key of the ground's looks


@dataclass(frozen=True)
class Haptic:
    """A joint that a simulated haptic device can drive instead of the pointer.

    Attributes:
        joint: a joint with a live drive.
        arm: distance from its axis to the handle [m]; 1 for a prismatic joint.
        stops: stops of the handle, as values of the joint.
        reserve: energy that weight and springs of the mechanism may supply [J].
        advice: what to do if the loop of device and mechanism is unstable, one sentence.
    """

    joint: str
    arm: float
    stops: tuple[float, float]
    reserve: float
    advice: str = "Take a better sensor, a faster servo or more damping."


@dataclass(frozen=True)
class Device:
    """An input that a person drives: with the pointer, the keyboard, a MIDI keyboard.

    Attributes:
        input: name of the plant's input.
        low, high: its range, in the input's unit.
        rest: its value when nobody drives it.
        body: the dragged body; "ground" for a place in the world.
        point: dragged point, in body axes [m].
        axis: displacement in the world that moves the input from low to high [m].
        hint: what to do, one sentence.
        keys: values while keys of the keyboard are down, by `KeyboardEvent.code`.
        midi: a MIDI keyboard may drive it.
        haptic: the joint behind the input, if a haptic device can be simulated there.
    """

    input: str
    low: float
    high: float
    rest: float
    body: str
    point: Point
    axis: Point
    hint: str
    keys: Mapping[str, float] = field(default_factory=dict)
    midi: bool = False
    haptic: Haptic | None = None

    def data(self) -> dict[str, Any]:
        """Data for the page."""
        haptic = asdict(self.haptic) if self.haptic is not None else None
        return {**vars(self), "keys": dict(self.keys), "haptic": haptic}
