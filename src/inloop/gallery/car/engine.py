"""Engine, clutch, gearbox and differential of the car, as a law of the rear wheels.

Data: sedan of Project Chrono (BSD), whose ratios are output over input. The engine speed is a
state. The clutch holds by a bristle and slips at its limit:

    du/dt = (w - |w| u) / bend,    torque = limit (u + lag du/dt),    w: engine against gearbox.

The bristle has the stiffness of the shafts to the wheels, reflected through the gears. The clutch
opens automatically near the idle speed, so that the car stops and starts with one pedal. An
automatic gear is a state, too: it is attracted to whole numbers, and changes while the gearbox
turns too fast or too slowly for the pedal; values between two gears are a shift in progress.
"""

from __future__ import annotations

import math
from typing import Any

import inloop as il

RPM = math.pi / 30.0
# torque at full throttle and without throttle [N·m] over speed [1/min]
SPEEDS = (0.0, 1000.0, 1400.0, 1600.0, 4500.0, 5000.0, 6000.0, 6500.0, 6700.0)
FULL = (104.64, 236.8, 338.3, 370.0, 370.0, 353.3, 294.4, 244.6, -100.0)
DRAG = (0.0, -10.0, -11.3, -12.0, -36.0, -53.0, -84.0, -100.0, -100.0)
INERTIA = 0.075  # of the engine [kg m²]
RATIOS = (18.868, 10.225, 6.378, 4.704, 3.918, 3.336)  # including the final drive
REVERSE = -15.015
IDLE, IDLE_GAIN, IDLE_MOST = 800.0 * RPM, 1.5, 60.0  # [rad/s], [N·m·s/rad], [N·m]
CLUTCH = 500.0  # [N·m]
SHAFTS, LAG = 1e4, 0.01  # stiffness of both at the wheels [N·m/rad], damping over stiffness [s]
OPEN, SHUT = 900.0 * RPM, 1800.0 * RPM  # engine speeds between which the clutch closes
# gearbox speeds of upshifts, without and with full throttle; downshifts below a fraction of them
UP, UP_FULL, DOWN = 2200.0 * RPM, 5800.0 * RPM, 0.42
# gears per second, attraction to whole gears, end of a shift at the last one [1/s]
SHIFT, HOLD, END = 4.0, 3.0, 100.0
# an electric motor instead: [N·m], [W], [1]
MOTOR_TORQUE, MOTOR_POWER, MOTOR_RATIO = 250.0, 100e3, 9.0


def add_engine(
    m: il.Model, wheels: tuple[str, str], *, automatic: bool, rolling: float = 0.0
) -> None:
    """Drive two wheels with an engine; inputs "throttle" and "clutch" (0 to 1, 1: open).

    Args:
        m: the model.
        wheels: joints of the driven wheels.
        automatic: gears shift automatically and "reverse" (0 or 1) is an input; otherwise
            "gear" is, -1 to 6.
        rolling: initial rate of the wheels, which determines gear and engine speed [rad/s].
    """
    throttle = _clipped(m.input("throttle", "1", "accelerator pedal, 0 to 1"))
    pedal = _clipped(m.input("clutch", "1", "clutch pedal, 0 to 1: 1 opens it"))
    chosen = m.input("reverse", "1", "1: reverse gear") if automatic else m.input(
        "gear", "1", "-1, 0 (neutral), 1 to 6"
    )  # fmt: skip

    def law(qd: tuple[Any, Any], speed: Any, bristle: Any, gear: Any = 1.0) -> Any:
        ratio = _automatic(gear, chosen) if automatic else _by_hand(chosen)
        turning = 0.5 * (qd[0] + qd[1]) * ratio
        engine = engine_torque(speed, throttle)
        closed = il.maximum(0.0, il.minimum((speed - OPEN) / (SHUT - OPEN), 1.0))
        limit = CLUTCH * (1.0 - pedal) * closed * il.where(il.absolute(ratio) > 0.1, 1.0, 0.0)
        slip = speed - turning
        # in neutral as in the highest gear, so that the bristle is slow enough for 1 ms steps
        bend = CLUTCH * il.maximum(ratio * ratio, RATIOS[-1] ** 2) / SHAFTS
        rate = (slip - il.absolute(slip) * bristle) / bend
        torque = limit * (bristle + LAG * rate)
        half = 0.5 * torque * ratio
        rates = {"speed": (engine - torque) / INERTIA, "bristle": rate}
        if automatic:
            rates["gear"] = _shifting(gear, 0.5 * (qd[0] + qd[1]), throttle)
        values = {"torque": engine, "clutch": torque, "rpm": speed / RPM, "ratio": ratio}
        return (half, half), rates, values

    gear, speed = _first_gear(rolling) if automatic else (0.0, IDLE)
    states = {"speed": speed, "bristle": 0.0} | ({"gear": gear} if automatic else {})
    outputs = {"torque": "N*m", "clutch": "N*m", "rpm": "1/min", "ratio": "1"}
    m.coupled_force(wheels, law, "engine", states=states, outputs=outputs)


def _first_gear(rolling: float) -> tuple[float, float]:
    """The lowest gear that would not shift up, and its engine speed [rad/s]."""
    fits = [k for k, ratio in enumerate(RATIOS, start=1) if rolling * ratio < UP]
    gear = fits[0] if fits else len(RATIOS)
    return float(gear), max(IDLE, rolling * RATIOS[gear - 1])


def add_motor(m: il.Model, wheels: tuple[str, str]) -> None:
    """Drive two wheels with an electric motor; inputs "throttle" and "reverse"."""
    throttle = _clipped(m.input("throttle", "1", "accelerator pedal, 0 to 1"))
    reverse = m.input("reverse", "1", "1: backwards")

    def law(qd: tuple[Any, Any]) -> Any:
        speed = 0.5 * (qd[0] + qd[1]) * MOTOR_RATIO
        most = MOTOR_POWER / il.maximum(il.absolute(speed), MOTOR_POWER / MOTOR_TORQUE)
        torque = throttle * most * il.where(reverse > 0.5, -1.0, 1.0)
        half = 0.5 * torque * MOTOR_RATIO
        return (half, half), {"torque": torque, "rpm": speed / RPM}

    m.coupled_force(wheels, law, "engine", outputs={"torque": "N*m", "rpm": "1/min"})


def engine_torque(speed: Any, throttle: Any) -> Any:
    """Engine torque [N·m] at a speed [rad/s] and a throttle from 0 to 1."""
    rpm = speed / RPM
    drag, full = il.table(rpm, SPEEDS, DRAG), il.table(rpm, SPEEDS, FULL)
    idle = il.maximum(0.0, il.minimum(IDLE_GAIN * (IDLE - speed), IDLE_MOST)) - drag * (
        il.maximum(0.0, il.minimum(2.0 - speed / IDLE, 1.0))
    )
    return drag + il.maximum(throttle * (full - drag), idle)


def _automatic(gear: Any, reverse: Any) -> Any:
    """Overall ratio of an automatic gear, which may lie between two gears."""
    forwards = il.table(gear, range(1, 7), RATIOS)
    return il.where(reverse > 0.5, REVERSE, forwards)


def _by_hand(gear: Any) -> Any:
    """Overall ratio of a manually chosen gear, rounded to the nearest one."""
    return il.where(gear > -0.5, _nearest(gear, 0.0), REVERSE)


def _nearest(gear: Any, below: float) -> Any:
    """Ratio of the nearest forward gear; `below` is that below the first."""
    ratio: Any = below
    for k, value in enumerate(RATIOS, start=1):
        ratio = il.where(gear > k - 0.5, value, ratio)
    return ratio


def _shifting(gear: Any, wheels: Any, throttle: Any) -> Any:
    """Rate of an automatic gear [1/s].

    The gearbox speed in the nearest whole gear decides, so that a shift, once begun, is completed.

    Args:
        gear: the state.
        wheels: mean speed of the driven wheels [rad/s].
        throttle: 0 to 1.
    """
    turning = wheels * _nearest(gear, RATIOS[0])
    up = UP + (UP_FULL - UP) * throttle
    way = il.where(turning > up, 1.0, 0.0) - il.where(turning < DOWN * up, 1.0, 0.0)
    pull = -HOLD * il.sin(2.0 * math.pi * gear)
    rate = il.where(il.absolute(way) > 0.5, SHIFT * way, pull)
    # at the first and the last gear it stops smoothly: no step could resolve a jump
    return il.maximum(END * (1.0 - gear), il.minimum(rate, END * (len(RATIOS) - gear)))


def _clipped(pedal: Any) -> Any:
    """A pedal position, clipped to 0 to 1."""
    return il.maximum(0.0, il.minimum(pedal, 1.0))
