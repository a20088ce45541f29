"""Interactive calibration of a steering wheel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from inloop.links.wheel.event_device import ABS, ABS_X, KEY, Axis, EventDevice
from inloop.links.wheel.profile import BUTTONS, PEDALS, Pedal, WheelProfile, usual_profile

SHARE = 0.3  # fraction of its range that an axis must move to be selected
TEST_LEVEL = 0.25  # fraction of the force that finds its direction
TEST_TIME = 0.4  # [s]
Ask = Callable[[str], str]


def calibrate(
    device: EventDevice, ask: Ask, wait: Callable[[float], None] = time.sleep
) -> WheelProfile:
    """Ask the user; an empty answer keeps the default.

    Args:
        device: the open wheel.
        ask: asks a question and returns the answer.
        wait: waits for some seconds.
    """
    usual = usual_profile(device.name, device.axes, device.keys)
    counts = {code: axis.value for code, axis in device.axes.items()}
    pressed: list[int] = []

    def look() -> dict[int, int]:
        for kind, code, value in device.reports():
            if kind == ABS:
                counts[code] = value
            elif kind == KEY and value == 1:
                pressed.append(code)
        return dict(counts)

    turn = _number(ask, "How far does it turn from end to end [deg]?", usual.turn)
    torque = _number(ask, "How strong is it [N·m]?", usual.torque)
    rate = _number(ask, "How often does it take a force [Hz]?", usual.rate)
    ask("Let go of the pedals, hold the wheel in the middle, and press Enter. ")
    before = look()
    ask("Turn it to the left by a quarter turn, hold it there, and press Enter. ")
    left = 1 if look()[ABS_X] > before[ABS_X] else -1
    pedals = {}
    for pedal in PEDALS:
        ask(f"Press the {pedal} down, hold it, and press Enter; if there is none, just Enter. ")
        found = _moved(before, look(), device.axes)
        if found is not None:
            pedals[pedal] = Pedal(found, before[found], counts[found])
            ask("Let go of it, and press Enter. ")
    buttons = {}
    for button in BUTTONS if device.keys else ():
        pressed.clear()
        ask(f"Press the button for {button.replace('_', ' ')}, let go of it, and press Enter; "
            "if there is none, just Enter. ")  # fmt: skip
        look()
        if pressed:
            buttons[button] = pressed[-1]
    profile = replace(usual, turn=turn, torque=torque, rate=rate, left=left, pedals=pedals,
                      buttons=buttons)  # fmt: skip
    if device.feels:
        profile = replace(profile, push=_direction(device, ask, look, left, wait))
    profile.check()
    return profile


def _number(ask: Ask, question: str, usual: float) -> float:
    answer = ask(f"{question} ({usual:g}) ").strip().replace(",", ".")
    try:
        return float(answer) if answer else usual
    except ValueError:
        return usual


def _moved(before: dict[int, int], now: dict[int, int], axes: dict[int, Axis]) -> int | None:
    """The axis, other than the wheel's, that has moved most relative to its range."""
    parts = {
        code: abs(now[code] - before[code]) / (axis.high - axis.low)
        for code, axis in axes.items()
        if code != ABS_X and axis.high > axis.low
    }
    best = max(parts, key=lambda code: parts[code], default=None)
    return best if best is not None and parts[best] > SHARE else None


def _direction(
    device: EventDevice,
    ask: Ask,
    look: Callable[[], dict[int, int]],
    left: int,
    wait: Callable[[float], None],
) -> int:
    """Push gently to the presumed left, and see where the wheel goes."""
    ask("Take your hands off the wheel: it will push gently. Press Enter. ")
    device.begin()
    start = look()[ABS_X]
    device.push(TEST_LEVEL, 0.0)
    wait(TEST_TIME)
    end = look()[ABS_X]
    device.push(0.0, TEST_TIME)
    return 1 if left * (end - start) >= 0 else -1
