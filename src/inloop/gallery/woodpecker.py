"""The woodpecker toy: it jams on its pole, swings, pecks, and so climbs down step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import (
    GROUND,
    Bench,
    Exhibit,
    Experiment,
    Outcome,
    Reference,
    View,
    gravity_along,
    parts,
)

SOURCE = (
    "Glocker and Studer 2005, Formulation and preparation for numerical evaluation of linear "
    "complementarity systems in dynamics, doi:10.1007/s11044-005-2519-6"
)
POLE, HOLE, SLEEVE = 0.0025, 0.0031, 0.0058  # radii of pole and hole, half height of sleeve [m]
TO_SPRING, TO_BIRD = 0.010, 0.015  # from the pole's axis to the spring, on to the bird's center [m]
BEAK = (-0.0201, 0.020)  # from the bird's center, to the right and up [m]
SLEEVE_MASS, SLEEVE_INERTIA = 3e-4, 5e-9  # [kg, kg·m²]
BIRD_MASS, BIRD_INERTIA = 4.5e-3, 7e-7
SPRING = 0.0056  # [N·m/rad]
PECK, FRICTION = 0.5, 0.3  # restitution of the beak, friction of all contacts
AXIS = (0.0, -1.0, 0.0)  # positive turns lift what is to the right
TOP, LOWEST = 0.2, 0.012  # height of the sleeve at the start, and on the foot [m]
BIRD_ANGLE, SPEEDS = -0.2788, (-0.3411, -7.4583)  # [rad], of the sleeve [m/s] and the bird [rad/s]
END, STEP = 1.0, 2e-5
# the cycle: peck to peck [s], and how far it climbs down [m]; for small angles 0.146 and 0.0194
PERIOD, DROP = 0.1307, 0.0145


def jammed() -> float:
    """Angle at which the lower edge of the hole touches the pole [rad]."""
    # HOLE cos a + SLEEVE sin a = POLE
    return math.asin(POLE / math.hypot(HOLE, SLEEVE)) - math.atan2(HOLE, SLEEVE)


def woodpecker() -> il.Model:
    """Sleeve and bird in the plane x, z, joined by a spring; three points touch the pole hard."""
    m = il.Model("woodpecker", gravity=gravity_along("-z"), doc="Woodpecker toy.")
    e = m.parameter("e", PECK, unit="1", range=(0.0, 1.0), doc="restitution of the beak")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.0), doc="friction of the pole")
    c = m.parameter("spring", SPRING, unit="N*m/rad", range=(0.001, 0.02), doc="between the two")
    start = jammed()
    slide = m.body("slide", on=m.ground, joint=il.prismatic("z", initial=(TOP, SPEEDS[0])))
    turn = il.revolute(AXIS, initial=(start - 1e-9, 0.0))
    sleeve = m.body("sleeve", on=slide, joint=turn, mass=SLEEVE_MASS, inertia=(SLEEVE_INERTIA,) * 3)
    turn = il.revolute(AXIS, initial=(BIRD_ANGLE - start, SPEEDS[1]))
    bird = m.body(
        "bird",
        on=sleeve.point("spring", (TO_SPRING, 0.0, 0.0)),
        joint=turn,
        mass=BIRD_MASS,
        com=(TO_BIRD, 0.0, 0.0),
        inertia=(BIRD_INERTIA,) * 3,
    )
    m.joint_force(bird, lambda q, qd: -c * q, name="coil")
    # the pole as a half-space, seen from the bird
    pole = m.ground.frame(
        "pole", (POLE, 0.0, 0.0), rotation=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))
    )
    places = {
        "beak": (bird.point("beak", (TO_BIRD + BEAK[0], 0.0, BEAK[1])), e),
        "lower": (sleeve.point("lower", (HOLE, 0.0, -SLEEVE)), 0.0),
        "upper": (sleeve.point("upper", (HOLE, 0.0, SLEEVE)), 0.0),
    }
    for name, (place, bounce) in places.items():
        law = il.hard(restitution=bounce, friction=mu)
        m.contact(pole, il.plane(), place, il.point(), law=law, name=name)
    m.hard_stop(slide, 0.0, limits=(LOWEST, math.inf), name="foot")
    return m


def pecks(run: il.Result) -> np.ndarray:
    """Times at which the beak hits the pole [s]."""
    hit = np.flatnonzero(run["beak.hit"] > 0.5)
    return np.asarray(run.t[hit[np.diff(hit, prepend=-1000) > 20]])


def cycle(run: il.Result) -> tuple[float, float]:
    """Time between two pecks [s], and how far it climbs down meanwhile [m]; mean of the last."""
    times = pecks(run)[-4:]
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    z = run["slide.q"][rows]
    return float(np.diff(times).mean()), float(-np.diff(z).mean())


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A bird of painted wood on a coil at a pole of brass."""
    tall = 0.235
    pole = il.rod((0.0, 0.0, 0.0), (0.0, 0.0, tall), POLE, parts.BRASS, material="metal")
    foot = il.visual(il.cylinder(0.03, 0.01, "z"), (0.0, 0.0, -0.003), "#7a5230", material="wood")
    knob = il.visual(il.sphere(0.005), (0.0, 0.0, tall), "#7a5230", material="wood")
    ring = il.lathe([(HOLE, -SLEEVE), (0.0052, -SLEEVE), (0.0052, SLEEVE), (HOLE, SLEEVE)], "z")
    sleeve = (
        il.visual(ring, color="#7a5230", material="wood"),
        il.rod((0.005, 0.0, 0.0), "spring", 0.0007, parts.STEEL, material="metal"),
    )
    coils = tuple(
        il.visual(
            il.torus(0.0018, 0.00045, axis="x"), (0.0009 * k, 0.0, 0.0), parts.STEEL,
            material="metal",
        )
        for k in range(1, 6)
    )  # fmt: skip
    x, z = TO_BIRD, BEAK[1]
    tip = (x + BEAK[0], 0.0, z)
    wing = [(x - 0.004, 0.003), (x + 0.003, 0.004), (x + 0.005, -0.004), (x + 0.003, -0.014)]
    bird = (
        il.rod((x - 0.002, 0.0, 0.009), (x + 0.001, 0.0, -0.009), 0.0078, "#4f8a5b",
               material="paint"),
        il.rod((x - 0.0062, 0.0, 0.006), (x - 0.0042, 0.0, -0.006), 0.0052, parts.CREAM,
               material="paint"),
        il.visual(il.sphere(0.0068), (x - 0.006, 0.0, z), "#4f8a5b", material="paint"),
        il.visual(il.sphere(0.0058), (x - 0.0048, 0.0, z + 0.003), parts.RED, material="paint"),
        il.rod((x - 0.0095, 0.0, z), (tip[0] + 0.0008, 0.0, tip[2]), 0.0016, "#d9b45a",
               material="paint"),
        il.rod((tip[0] + 0.003, 0.0, z), (tip[0] + 0.0006, 0.0, z), 0.0006, "#d9b45a",
               material="paint"),
        il.rod((x + 0.002, 0.0, -0.012), (x + 0.0015, 0.0, -0.027), 0.0028, "#4f8a5b",
               material="paint"),
        *(il.visual(il.sphere(0.0011), (x - 0.0095, 0.0052 * s, z + 0.0022), "#f4f1ea",
                    material="glass") for s in (-1.0, 1.0)),
        *(il.visual(il.plate(wing, 0.001, "xz"), (0.0, 0.0075 * s, 0.0), "#2f5a3c",
                    material="paint") for s in (-1.0, 1.0)),
        *coils,
    )  # fmt: skip
    return {"sleeve": sleeve, "bird": bird, GROUND: (pole, foot, knob)}


def _climb(bench: Bench) -> Outcome:
    """A second of climbing down: the phases of a cycle."""
    run = bench.compile().simulate(t_end=bench.seconds or END, step=STEP)
    period, drop = cycle(run)
    figures: dict[str, float | tuple[float, ...]] = {
        "time between pecks [s]": period,
        "time between pecks, known [s]": PERIOD,
        "climbs down in a cycle [m]": drop,
        "climbs down in a cycle, known [m]": DROP,
        "pecks in a second": float(len(pecks(run))),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        above.plot(run.t, 1e3 * run["slide.q"])
        above.set_ylabel("sleeve z [mm]")
        middle.plot(run.t, run["sleeve.q"], label="sleeve")
        middle.plot(run.t, run["sleeve.q"] + run["bird.q"], label="bird")
        for t in pecks(run):
            middle.axvline(t, color="gray", linewidth=0.6)
        middle.set_ylabel("angle [rad]")
        middle.legend()
        for name in ("lower", "upper"):
            below.plot(run.t, run[f"{name}.force"], label=f"{name} edge", linewidth=0.7)
        below.set_ylim(0.0, 2.0)
        below.set_ylabel("pole pushes [N]")
        below.set_xlabel("t [s]")
        below.legend()

    return Outcome(figures, draw, size=(8.0, 8.0), result=run)


def _cycle(plant: il.Plant) -> tuple[float, float]:
    return cycle(plant.simulate(t_end=END, step=STEP))


EXHIBIT = Exhibit(
    name="woodpecker",
    title="Woodpecker toy",
    look_at="It jams, swings, pecks and slips: nothing drives it but its weight. Lift it up again.",
    make=woodpecker,
    start="jammed on its pole, swinging down",
    seconds=2.0,
    step=1e-4,
    method="moreau",
    view=View("xz", ("slide.q", ("sleeve.q", "bird.q"), ("lower.force", "upper.force"))),
    looks=_looks,
    reach=((-0.035, -0.035, -0.008), (0.05, 0.035, 0.24)),
    experiments={"climb": Experiment("a second of climbing down, beside a known cycle", _climb)},
    references=(
        Reference(
            what="time between two pecks",
            value=(PERIOD,),
            unit="s",
            tolerance=2e-4,
            source=f"Moreau's rule in NumPy, contacts by trying all modes; data of {SOURCE}",
            measure=lambda plant: _cycle(plant)[0],
        ),
        Reference(
            what="how far it climbs down in a cycle",
            value=(DROP,),
            unit="m",
            tolerance=1e-4,
            source="the same",
            measure=lambda plant: _cycle(plant)[1],
        ),
    ),
)
