"""A slider-crank with modes whose slider is a bad choice at dead centers, and its closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import inloop as il

CRANK, ROD = 0.1, 0.3  # lengths [m]
MASSES = (0.4, 0.3, 0.5)  # of crank, rod and slider [kg]
INERTIAS = (4e-4, 2e-3)  # of crank and rod about their centers [kg m²]
STOP, RESTITUTION, BRAKE, SWITCH = 0.28, 0.7, 0.02, 0.0
FIRST = (0.9, -25.0)  # angle [rad] and speed [rad/s] of the crank at the start


def moded_crank(brake_at: float = SWITCH) -> il.Model:
    """Runs through its dead center, where a brake grips, and bounces off a stop behind it.

    The motion of its slider is declared, which makes it independent: the worst choice where crank
    and rod are in line, in the middle of a mode and where the brake grips.
    """
    m = il.Model("moded_crank", gravity=(0.0, 0.0, -9.81))
    crank = m.body(
        "crank", on=m.ground, joint=il.revolute("y", guess=FIRST[0]), mass=MASSES[0],
        com=(0.5 * CRANK, 0, 0), inertia=(1e-4, INERTIAS[0], INERTIAS[0]),
    )  # fmt: skip
    rod = m.body(
        "rod", on=crank.point("pin", (CRANK, 0, 0)), joint=il.revolute("y", guess=-1.2),
        mass=MASSES[1], com=(0.5 * ROD, 0, 0), inertia=(1e-4, INERTIAS[1], INERTIAS[1]),
    )  # fmt: skip
    slider = m.body(
        "slider", on=m.ground, joint=il.prismatic("x", initial=_slider(*FIRST)), mass=MASSES[2]
    )
    m.close(rod.point("end", (ROD, 0, 0)), slider, name="piston")
    free, braked, stopped = m.mode("free"), m.mode("braked"), m.mode("stopped")
    with m.during(braked):
        m.joint_force(crank, lambda qd: -BRAKE * qd, name="brake")
    with m.during(stopped):
        m.lock(slider, name="stop")
    m.event("brake", lambda q: q["crank"] - brake_at, mode=free, to=braked)
    for mode in (free, braked):
        m.event(
            f"hit_{mode}", lambda q: q["slider"] - STOP, mode=mode, impact=stopped,
            restitution=RESTITUTION,
        )  # fmt: skip
    return m


@dataclass(frozen=True)
class Motion:
    """Angle and speed of the crank at times, and when it was braked and hit the stop."""

    angle: np.ndarray
    speed: np.ndarray
    braked: float
    hits: tuple[float, ...]


def _slider(angle: float, speed: float) -> tuple[float, float]:
    """Position and velocity of the slider [m, m/s]."""
    s, c = np.sin(angle), np.cos(angle)
    along = np.sqrt(ROD**2 - (CRANK * s) ** 2)
    return float(CRANK * c + along), float(-CRANK * s * (1.0 + CRANK * c / along) * speed)


def _inertia(angle: float) -> tuple[float, float]:
    """I of T = I θ'²/2, and dI/dθ; angles are positive about y, towards -z."""
    s, c = np.sin(angle), np.cos(angle)
    # the rod leads back to the line of the slider: r sin θ = -l sin φ, φ its angle
    sp = -CRANK * s / ROD
    cp = np.sqrt(1.0 - sp * sp)
    w = -CRANK * c / (ROD * cp)  # φ'/θ'
    dw = (CRANK * s / ROD + sp * w * w) / cp
    m1, m2, m3 = MASSES
    # of the center of the rod: dx/dθ, dz/dθ, and their slopes
    half = 0.5 * ROD
    x, z = -CRANK * s - half * sp * w, -CRANK * c - half * cp * w
    dx = -CRANK * c - half * (cp * w * w + sp * dw)
    dz = CRANK * s - half * (-sp * w * w + cp * dw)
    v, dv = -CRANK * s - ROD * sp * w, -CRANK * c - ROD * (cp * w * w + sp * dw)
    total = m1 * (0.5 * CRANK) ** 2 + INERTIAS[0] + m2 * (x * x + z * z)
    total += INERTIAS[1] * w * w + m3 * v * v
    slope = 2.0 * (m2 * (x * dx + z * dz) + INERTIAS[1] * w * dw + m3 * v * dv)
    return total, slope


def _acceleration(angle: float, speed: float, brake: float) -> float:
    total, slope = _inertia(angle)
    s, c = np.sin(angle), np.cos(angle)
    cp = np.sqrt(1.0 - (CRANK * s / ROD) ** 2)
    w = -CRANK * c / (ROD * cp)
    # heights -r/2 sin θ and -(r sin θ + l/2 sin φ)
    weight = 9.81 * (-MASSES[0] * 0.5 * CRANK * c - MASSES[1] * (CRANK * c + 0.5 * ROD * cp * w))
    return float((-weight - 0.5 * slope * speed**2 - brake * speed) / total)


def _rates(_: float, y: np.ndarray, brake: float) -> tuple[float, float]:
    return y[1], _acceleration(y[0], y[1], brake)


def closed_form(times: np.ndarray, brake_at: float = SWITCH) -> Motion:
    """The same motion in the angle of the crank alone, by SciPy."""

    def slider(_: float, y: np.ndarray, *__: float) -> float:
        return _slider(y[0], y[1])[0] - STOP

    def switch(_: float, y: np.ndarray, *__: float) -> float:
        return float(y[0] - brake_at)

    slider.terminal = switch.terminal = True  # type: ignore[attr-defined]
    slider.direction = switch.direction = -1.0  # type: ignore[attr-defined]
    y, t, brake, hits, braked = np.array(FIRST), 0.0, 0.0, [], np.nan
    found = np.zeros((len(times), 2))
    while t < times[-1]:
        done = solve_ivp(
            _rates, (t, times[-1]), y, args=(brake,),
            method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True,
            events=[slider] if brake else [slider, switch],
        )  # fmt: skip
        inside = (times >= t) & (times <= done.t[-1])
        found[inside] = done.sol(times[inside]).T
        t, y = float(done.t[-1]), done.y[:, -1].copy()
        if len(done.t_events[0]):
            hits.append(t)
            y[1] *= -RESTITUTION
        elif not brake and len(done.t_events[1]):
            brake, braked = BRAKE, t
    return Motion(found[:, 0], found[:, 1], braked, tuple(hits))
