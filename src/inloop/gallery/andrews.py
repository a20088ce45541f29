"""Andrews' squeezer: seven bodies in a plane, three loops, accelerations of 10⁴ rad/s²."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, parts

SOURCE = "Test Set for IVP Solvers (Bari/CWI), problem 'andrews'; Hairer & Wanner II, VII.7"
# bodies 1 to 7: masses [kg] and moments of inertia about their centers of mass [kg·m²]
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
# bearings and far end of the spring [m]
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
# lengths [m], with the names of the test set
RR, RA, D, DA = 0.007, 0.00092, 0.028, 0.0115
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
ZT, TA, TB, E, EA = 0.04, 0.02308, 0.00916, 0.02, 0.01421
U, UA, UB, ZF, FA = 0.04, 0.01228, 0.00449, 0.02, 0.01421
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119,
)  # fmt: skip
AFTER_30_MS = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip


def andrews() -> il.Model:
    """The squeezer with the angles of the test set, measured between neighboring bodies.

    A motor with constant torque turns body 1; bodies 2, 3, 4 and 6 meet in one point E; a spring
    pulls on body 3. The loops are cut at E. There is no gravity in the test set.
    """
    m = il.Model(
        "andrews",
        gravity=lambda m: (
            0.0,
            -m.parameter("g", 0.0, unit="m/s^2", range=(0.0, 25.0), doc="gravity, along -y"),
            0.0,
        ),
        doc=f"Andrews' squeezer. Data: {SOURCE}.",
    )
    mom = m.parameter("mom", 0.033, unit="N*m", range=(0.0, 0.1), doc="torque of the motor")
    c0 = m.parameter("c0", 4530.0, unit="N/m", range=(0.0, 1e4), doc="stiffness of the spring")
    l0 = m.parameter("l0", 0.07785, unit="m", range=(0.05, 0.1), doc="free length of the spring")
    start = dict(zip(ANGLES, START, strict=True))

    def body(number: int, angle: str, on: Any, com: tuple[float, float]) -> Any:
        about_z = INERTIAS[number - 1]
        return m.body(
            f"body_{number}",
            on=on,
            joint=il.revolute("z", name=angle, initial=(start[angle], 0.0)),
            mass=MASSES[number - 1],
            com=(*com, 0.0),
            # flat: only the moment about z matters in the plane
            inertia=(about_z / 2.0, about_z / 2.0, about_z),
        )

    at_A, at_B = m.ground.point("A", A), m.ground.point("B", B)
    body_1 = body(1, "beta", m.ground, (RA, 0.0))
    body_2 = body(2, "Theta", body_1.point("F", (RR, 0.0, 0.0)), (-DA, 0.0))
    body_3 = body(3, "gamma", at_B, (SB, -SA))
    body_5 = body(5, "delta", at_A, (TA, TB))
    body_4 = body(4, "Phi", body_5.point("H", (ZT, 0.0, 0.0)), (0.0, EA - E))
    body_7 = body(7, "epsilon", at_A, (UA, -UB))
    body_6 = body(6, "Omega", body_7.point("G", (0.0, -U, 0.0)), (ZF - FA, 0.0))
    E_2 = body_2.point("E", (-D, 0.0, 0.0))
    m.close(E_2, body_3.point("E", (0.0, -SS, 0.0)), name="loop_3")
    m.close(E_2, body_4.point("E", (0.0, -E, 0.0)), name="loop_4")
    m.close(E_2, body_6.point("E", (ZF, 0.0, 0.0)), name="loop_6")
    m.joint_force(body_1, lambda: mom, name="motor")
    m.spring(body_3.point("D", (SD, -SC, 0.0)), m.ground.point("C", C), c0, free_length=l0)
    m.independent("Theta")
    return m


def _angles_after_30_ms(plant: il.Plant) -> np.ndarray:
    end = plant.simulate(t_end=0.03, step=1e-6)
    return np.array([end[f"{angle}.q"][-1] for angle in ANGLES])


def _first_accelerations(plant: il.Plant) -> np.ndarray:
    """Accelerations of beta and Theta at the start."""
    rest = np.zeros(plant.n)
    a = plant.formulation.motion(plant.formulation.home(), rest, rest)["a"]
    return np.array([a[plant.coordinates.index(angle)] for angle in ANGLES[:2]])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Thin bars in bearings, body 3 as a plate, a motor behind body 1."""
    thin = 1.3e-3

    def link(end: str, color: str, radius: float = thin) -> tuple[il.Visual, ...]:
        return parts.bar("origin", end, radius, color, "z")

    lever = [(-3e-3, 2.5e-3), (3e-3, 2.5e-3), (SD + 2.5e-3, -SC + 1e-3), (SD, -SC - 3e-3),
             (2.5e-3, -SS - 2.5e-3), (-2.5e-3, -SS - 2.5e-3)]  # fmt: skip
    motor = il.visual(il.cylinder(0.011, 0.012, "z"), (0.0, 0.0, -0.011), parts.DARK,
                      material="paint")  # fmt: skip
    feet = (parts.bracket(at, 0.009, "xy") for at in ("A", "B", "C"))
    return {
        GROUND: (motor, *(part for foot in feet for part in foot)),
        "body_1": (
            il.visual(il.cylinder(0.0095, 2.5e-3, "z"), (0.0, 0.0, -3.5e-3), parts.BRASS,
                      material="metal"),
            *parts.bearing("F", 2.2e-3, 8e-3, "z"),
        ),
        "body_2": link("E", parts.RED),
        "body_3": (
            il.visual(il.plate(lever, 2.2e-3, "xy"), color=parts.GREEN, material="paint"),
            *parts.bearing("E", 2.2e-3, 5e-3, "z"),
            *parts.bearing("D", 1.8e-3, 5e-3, "z", parts.BRASS),
            *parts.bearing("origin", 2.6e-3, 5e-3, "z"),
        ),
        "body_4": link("E", parts.ORANGE),
        "body_5": link("H", parts.BLUE, 1.7e-3),
        "body_6": link("E", parts.ORANGE),
        "body_7": link("G", parts.BLUE, 1.7e-3),
    }  # fmt: skip


EXHIBIT = Exhibit(
    name="andrews",
    title="Andrews' squeezer (test set for IVP solvers)",
    look_at="Body 1 turns two and a half times in 30 ms while the others rock.",
    make=andrews,
    start="at rest in the position of the test set",
    seconds=0.03,
    view=View(
        "xy",
        ("beta.q", ("gamma.q", "delta.q", "Phi.q"), ("lam.loop_3.x", "lam.loop_3.y")),
        times=(0.0, 0.01, 0.0125),
        trace="body_2.E",
    ),
    step=1e-6,
    references=(
        Reference(
            what="accelerations of beta and Theta at the start",
            value=(14222.4439199541, -10666.8329399656),
            unit="rad/s²",
            tolerance=1e-6,
            source=SOURCE,
            measure=_first_accelerations,
        ),
        Reference(
            what="angles " + ", ".join(ANGLES) + " after 0.03 s",
            value=AFTER_30_MS,
            unit="rad",
            # the values of the test set are accurate to about 6e-9
            tolerance=4e-9,
            source=SOURCE,
            measure=_angles_after_30_ms,
        ),
    ),
    looks=_looks,
    reach=((-0.077, -0.027, -0.017), (0.021, 0.074, 0.005)),
)
