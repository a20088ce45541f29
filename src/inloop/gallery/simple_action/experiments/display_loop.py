"""A hand on a device that displays the simplified piano action: the closed loop of the source.

The device is a lever that the hand pulls along an intended motion through a spring and a damper;
a sensor reads its angle, the model answers with the force F_KU, and the force acts on the device.
Choices where the source gives no data:

- inertia of the lever 0.0021 kg·m², that of a small haptic motor (0.2 kg at the front);
- its damping 0.35 N·s/m at the front: K T / 2 with the 100 N/m and 7 ms that its authors reached;
- the hand: 400 N/m and 4 N·s/m at the front, of the order of a finger. It carries the weight of
  key and hammer from the start with an additional force, so that everything starts at rest;
- the motor supplies at most 40 N at the front; at 45 degrees from its start the lever meets its
  stops, and the run ends;
- sensor and servo run on a clock of 7 ms, the model on one of 2 ms, both in real time (the
  source ran its model slower than real time). The servo uses the newest state of the model, and
  computation takes no time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import strokes

FRONT = 0.1016  # from the pivot to hand and encoder: L1 [m]
INERTIA, DAMPING = 0.0021, 0.35  # of the lever [kg m²], at the front [N s/m]
HAND_STIFFNESS, HAND_DAMPING = 400.0, 4.0  # at the front [N/m], [N s/m]
MOST_FORCE = 40.0  # of the motor, at the front [N]
RANGE = np.radians(45.0)  # from the start to the stops of the lever [rad]
# intended motion of the hand: one stroke up and one down; begin [s], duration [s], angle [rad]
STROKES = ((0.30, 0.30, 0.25), (0.80, 0.30, -0.25))
TICK = 1e-4  # base clock, of which all others are multiples [s]

Estimator = il.devices.BackwardDifferences | il.devices.FilteredDifferences


def intended(t: Any) -> tuple[Any, Any]:
    """Intended angle [rad] and rate [rad/s] of the hand at time t [s]."""
    return strokes(t, STROKES)


def manipulandum() -> il.Model:
    """The lever with the hand on it; the displayed torque is an input."""
    m = il.Model("manipulandum", gravity=(0.0, 0.0, 0.0))
    k = m.parameter("hand_stiffness", HAND_STIFFNESS, unit="N/m", doc="at the front")
    c = m.parameter("hand_damping", HAND_DAMPING, unit="N*s/m", doc="at the front")
    carried = m.parameter("carried", 0.0, unit="N", doc="force of the hand at rest")
    inertia = (0.0, INERTIA, INERTIA)
    lever = m.body("lever", on=m.ground, joint=il.revolute("-y"), mass=0.2, inertia=inertia)

    def hand(q: Any, qd: Any, t: Any) -> Any:
        angle, rate = intended(t)
        force = carried + FRONT * (k * (angle - q) + c * (rate - qd) - DAMPING * qd)
        return FRONT * force

    m.joint_force(lever, hand)
    m.joint_input(lever)
    return m


@dataclass(frozen=True)
class Sensing:
    """Sensor and clocks of the device.

    Attributes:
        resolution: of the encoder at the front [m].
        servo: period of readings and forces [s].
        step: of the model [s].
        estimator: estimates velocity and acceleration from readings; takes their period [s].
    """

    resolution: float
    servo: float
    step: float
    estimator: Callable[[float], Estimator]


# 50 lines per inch, differences at 7 ms
COARSE = Sensing(0.0254 / 50, 7e-3, 2e-3, il.devices.BackwardDifferences)
# 0.1 µm at 10 kHz, low-pass of 70 Hz
FINE = Sensing(1e-7, 1e-4, 1e-4, lambda period: il.devices.FilteredDifferences(period, 70.0))


@dataclass
class Trace:
    """Record of a loop.

    Attributes:
        t: times of the servo [s].
        angle: of the lever [rad].
        force: force of the motor at the front, positive pushes the hand down [N].
        stuck: steps and readings that failed because the inputs of the model contradict each
            other or its state; then the state and the force are kept.
    """

    t: list[float] = field(default_factory=list)
    angle: list[float] = field(default_factory=list)
    force: list[float] = field(default_factory=list)
    stuck: int = 0

    @property
    def at_stops(self) -> float:
        """Time at which the lever met its stops [s]; NaN if it did not."""
        return self.t[-1] if abs(self.angle[-1]) > RANGE else math.nan

    @property
    def saturated(self) -> float:
        """Fraction of the time with the motor at its limit."""
        return float(np.mean(np.abs(self.force) >= MOST_FORCE))

    @property
    def runs_away(self) -> float:
        """First time of the motor at its limit [s]; NaN if there was none."""
        times = [t for t, force in zip(self.t, self.force, strict=True) if abs(force) >= MOST_FORCE]
        return times[0] if times else math.nan

    @property
    def jumps(self) -> float:
        """RMS of the change of the force within 7 ms [N]."""
        force = np.interp(np.arange(0.0, self.t[-1], 7e-3), self.t, self.force)
        return float(np.sqrt(np.mean(np.diff(force) ** 2)))

    @property
    def unstable(self) -> bool:
        """True if the loop ran away: into the stops, or into the limit of the motor."""
        return not (math.isnan(self.at_stops) and math.isnan(self.runs_away))


def close_loop(
    lever: il.Plant, action: il.Plant, driven: str, sensing: Sensing, seconds: float
) -> Trace:
    """Run hand, device and model in a closed loop until the lever is at its stops.

    Args:
        lever: the plant of `manipulandum`.
        action: model A or B.
        driven: its joint that moves with the device.
        sensing: sensor and clocks.
        seconds: length of the run [s].
    """
    rest = next(iter(action.by_mode.values())).equilibrium()
    model = action.stepper(step=sensing.step, q=rest.q)
    lever.parameters["carried"] = rest[f"{driven}.effort"] / FRONT
    device = lever.stepper(step=TICK)
    # the lever starts in the middle of a count
    encoder = il.devices.Encoder(sensing.resolution, -0.5 * sensing.resolution)
    estimate = sensing.estimator(sensing.servo)
    hold, trace = il.devices.ZeroOrderHold(sensing.servo), Trace()
    for tick in range(round(seconds / TICK)):
        t = tick * TICK
        if hold.ready(t):
            angle = device["lever.q"]
            reading = (encoder.read(FRONT * angle) - encoder.offset) / FRONT
            for kind, value in zip(("q", "qd", "qdd"), estimate.update(reading), strict=True):
                model.inputs[f"{driven}.{kind}"] = value
            hold.take(t, _answer(model, driven, trace, hold.value))
            trace.t.append(t)
            trace.angle.append(angle)
            trace.force.append(hold.value)
            if abs(angle) > RANGE:
                break
        if tick % round(sensing.step / TICK) == 0:
            try:
                model.step()
            except il.SimulationError:
                trace.stuck += 1
        device.step(**{"lever.tau": -hold.value * FRONT})
    return trace


def _answer(model: Any, driven: str, trace: Trace, before: float) -> float:
    """Force of the model at the front [N], limited to that of the motor."""
    try:
        force = model[f"{driven}.effort"] / FRONT
    except il.SimulationError:
        trace.stuck += 1
        return before
    return float(np.clip(force, -MOST_FORCE, MOST_FORCE))
