"""Which input a hand drives in the studio; looks of bodies are `il.Visual`s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Point = tuple[float, float, float]
GROUND = "ground"  # name under which looks of the ground are given


@dataclass(frozen=True)
class Haptic:
    """A joint that a simulated haptic device can drive in place of the pointer.

    Attributes:
        joint: with a live drive.
        arm: from its axis to the handle [m]; 1 for a joint that slides.
        stops: of the handle, as values of the joint.
        reserve: energy that weight and springs of the mechanism may give [J].
        advice: what helps if the loop of device and mechanism is unstable, one sentence.
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
        rest: its value when nobody drives.
        body: that is dragged; "ground" for a place in the world.
        point: where, in axes of the body [m].
        axis: dragging along this direction of the world by its length [m] goes from low to high.
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
        """As the page reads it."""
        haptic = asdict(self.haptic) if self.haptic is not None else None
        return {**vars(self), "keys": dict(self.keys), "haptic": haptic}
