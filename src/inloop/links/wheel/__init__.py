"""Force-feedback steering wheels on Linux: angle and pedals in, one constant force out."""

from inloop.links.wheel.event_device import EventDevice, find_wheels
from inloop.links.wheel.feel import Feel, Felt
from inloop.links.wheel.link import WheelLink, WheelStatistics
from inloop.links.wheel.profile import Pedal, WheelProfile

__all__ = [
    "EventDevice", "Feel", "Felt", "Pedal", "WheelLink", "WheelProfile", "WheelStatistics",
    "find_wheels",
]  # fmt: skip
