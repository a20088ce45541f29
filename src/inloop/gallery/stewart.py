"""The Stewart platform: a plate on six legs, six degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Option, Reference, View, gravity_along, parts

BASE_RADIUS, PLATE_RADIUS = 0.6, 0.35  # [m]
BASE_HALF_ANGLE, PLATE_HALF_ANGLE = 0.25, 0.8  # between a pair of joints and its middle [rad]
HEIGHT = 0.7  # initial height of the plate [m]
MASS, INERTIA = 8.0, (0.28, 0.26, 0.5)  # of the plate [kg, kg·m²]
TUBE = 0.4  # length of the lower part of a leg [m]
OFFSET = (0.013, -0.021, 0.0)  # initial offset of the plate from the center [m]
LEGS = range(1, 7)
PLATE = ("plate_tx", "plate_ty", "plate_tz", "plate_rx", "plate_ry", "plate_rz")


def base_point(leg: int) -> tuple[float, float, float]:
    """Foot of a leg on the ground, p_WA [m]."""
    return _on_circle(leg, BASE_RADIUS, BASE_HALF_ANGLE)


def plate_point(leg: int) -> tuple[float, float, float]:
    """Joint of a leg on the plate, in axes of the plate [m]."""
    return _on_circle(leg, PLATE_RADIUS, PLATE_HALF_ANGLE)


def _on_circle(leg: int, radius: float, half: float) -> tuple[float, float, float]:
    pair, side = divmod(leg - 1, 2)
    angle = 2.0 * math.pi / 3.0 * pair + (half if side else -half)
    return radius * math.cos(angle), radius * math.sin(angle), 0.0


def stewart(pistons: bool = False) -> il.Model:
    """A plate on six legs, each a spring between a cardan joint below and a ball joint above.

    18 joints: six of the plate (translations, then rotations about x, y, z) and two of the cardan
    joint of each leg. The tube of a leg points at its ball joint on the plate: two constraints per
    leg, 12 in all, written by hand. The piston in the tube has no mass and no coordinate.

    With pistons as bodies there are 24 joints and 18 constraints, six cuts at balls: the same
    mechanism if their mass is zero.

    Args:
        pistons: True gives each leg a sliding piston with mass.
    """
    m = il.Model(
        "stewart",
        gravity=gravity_along("-z"),
        doc="Stewart platform on springs; six degrees of freedom.",
    )
    stiffness = m.parameter("stiffness", 2500.0, unit="N/m", range=(100.0, 1e4), doc="of a leg")
    free_length = m.parameter("free_length", 0.78, unit="m", range=(0.5, 1.2),
                              doc="of the spring in a leg")  # fmt: skip
    piston_mass: Any = 0.0
    if pistons:
        piston_mass = m.parameter(
            "piston_mass", 0.4, unit="kg", range=(0.0, 2.0), doc="of a piston"
        )
    start = (*OFFSET[:2], HEIGHT, 0.05, -0.03, 0.1)
    kinds = [il.prismatic] * 3 + [il.revolute] * 3
    joints = [
        kind(axis, initial=(x, 0.0)) for kind, axis, x in zip(kinds, "xyzxyz", start, strict=True)
    ]
    plate = m.chain("plate", on=m.ground, joints=joints, mass=MASS, inertia=INERTIA)
    for leg in LEGS:
        foot = m.ground.point(f"A{leg}", base_point(leg))
        head = plate.point(f"B{leg}", plate_point(leg))
        tube = _add_tube(m, leg, foot, start)
        if pistons:
            piston = m.body(
                f"piston_{leg}",
                on=tube,
                joint=il.prismatic("z", guess=math.hypot(*_aim(leg, start))),
                mass=piston_mass,
                com=(0.0, 0.0, -0.2),
                inertia=(piston_mass * 0.013, piston_mass * 0.013, piston_mass * 0.0002),
            )
            m.close(piston.origin, head, name=f"ball_{leg}")
        else:
            m.constraint(f"aim_{leg}", _aiming(leg))
        m.spring(foot, head, stiffness, free_length=free_length, name=f"spring_{leg}")
    m.independent(*PLATE)
    return m


def _add_tube(m: il.Model, leg: int, foot: Any, start: Sequence[float]) -> Any:
    """The lower part of a leg, along its z axis, turning about x and then y."""
    x, y, z = _aim(leg, start)
    # direction of z after Rx(a) Ry(b): (sin b, -sin a cos b, cos a cos b)
    a, b = math.atan2(-y, z), math.asin(x / math.hypot(x, y, z))
    return m.chain(
        f"tube_{leg}",
        on=foot,
        joints=[il.revolute("x", guess=a), il.revolute("y", guess=b)],
        mass=0.9,
        com=(0.0, 0.0, TUBE / 2.0),
        inertia=(0.0125, 0.0125, 0.0004),
    )


def _aim(leg: int, start: Sequence[float]) -> np.ndarray:
    """p_AB of a leg in world axes, for numerical coordinates of the plate."""
    return np.array([float(x) for x in _leg_vector(leg, start, np.sin, np.cos)])


def _leg_vector(leg: int, plate: Any, sin: Any, cos: Any) -> list[Any]:
    """p_AB = p_WP + R_WP p_PB - p_WA with R_WP = Rx Ry Rz; for numbers or expressions."""
    (S1, C1), (S2, C2), (S3, C3) = ((sin(x), cos(x)) for x in plate[3:])
    X, Y, _ = plate_point(leg)
    # Rz, then Ry, then Rx
    x, y = C3 * X - S3 * Y, S3 * X + C3 * Y
    x, z = C2 * x, -S2 * x
    y, z = C1 * y - S1 * z, S1 * y + C1 * z
    return [p + r - a for p, r, a in zip(plate[:3], (x, y, z), base_point(leg), strict=True)]


def _aiming(leg: int) -> Any:
    """The constraint that the plate's joint lies on the z axis of a tube."""

    def law(q: Any) -> tuple[Any, Any]:
        x, y, z = _leg_vector(leg, [q[name] for name in PLATE], il.sin, il.cos)
        a, b = q[f"tube_{leg}_rx"], q[f"tube_{leg}_ry"]
        # components along the tube's own axes: Rx(a) Ry(b) transposed
        y, z = il.cos(a) * y + il.sin(a) * z, il.cos(a) * z - il.sin(a) * y
        return il.cos(b) * x - il.sin(b) * z, y

    return law


def elastic_energy(plant: il.Plant, q: np.ndarray) -> np.ndarray:
    """Energy stored in the springs of the legs [J], for rows of coordinates."""
    k, l0 = plant.parameters["stiffness"], plant.parameters["free_length"]
    rows = np.atleast_2d(q)
    columns = [plant.coordinates.index(name) for name in PLATE]
    total = np.zeros(len(rows))
    for leg in LEGS:
        vector = _leg_vector(leg, rows[:, columns].T, np.sin, np.cos)
        total += 0.5 * k * (np.linalg.norm(vector, axis=0) - l0) ** 2
    return total


def _freedom(plant: il.Plant) -> tuple[int, int, int]:
    """Numbers of joints, degrees of freedom and independent constraints."""
    parts = plant.formulation.partition
    return plant.n, len(parts.independent), len(parts.rows)


def _energy_drift(plant: il.Plant) -> float:
    """Largest change of the total energy in 10 s, over the largest elastic energy."""
    run = plant.simulate(t_end=10.0, step=2.5e-4)
    elastic = elastic_energy(plant, run.q)
    total = run.energy.sum(axis=1) + elastic
    return float(np.ptp(total) / np.max(elastic))


def _looks(pistons: bool) -> Mapping[str, tuple[il.Visual, ...]]:
    """Two plates, cardan joints below, balls above, and legs of tube, rod and coil."""
    rod = il.rod((0.0, 0.0, TUBE - 0.1), (0.0, 0.0, 0.62), 0.012, parts.STEEL, material="metal")
    tube = (
        il.disc((0.0, 0.0, 0.04), (0.0, 0.0, TUBE), 0.026, parts.DARK, material="paint"),
        il.disc((0.0, 0.0, TUBE - 0.03), (0.0, 0.0, TUBE + 0.008), 0.034, parts.BRASS,
                material="metal"),
        il.visual(il.cylinder(0.02, 0.08, "y"), color=parts.IRON, material="metal"),
    )  # fmt: skip
    whole: tuple[il.Visual, ...] = tube if pistons else (*tube, rod)
    legs = {f"tube_{leg}": whole for leg in LEGS}
    if pistons:
        end = il.rod((0.0, 0.0, -0.5), (0.0, 0.0, 0.0), 0.012, parts.STEEL, material="metal")
        legs |= {f"piston_{leg}": (end,) for leg in LEGS}
    feet = [
        il.visual(il.cylinder(0.05, 0.024), (x, y, -0.032), parts.IRON, material="metal")
        for x, y, _ in map(base_point, LEGS)
    ]
    balls = [parts.ball(plate_point(leg), 0.03, parts.BRASS) for leg in LEGS]
    base = il.visual(il.cylinder(BASE_RADIUS + 0.09, 0.04), (0.0, 0.0, -0.064), parts.DARK,
                     material="paint")  # fmt: skip
    return {
        GROUND: (base, *feet),
        "plate": (
            il.visual(il.plate(_around(PLATE_RADIUS + 0.06), 0.026), (0.0, 0.0, 0.034),
                      parts.BLUE, material="paint"),
            il.visual(il.cylinder(0.16, 0.012), (0.0, 0.0, 0.05), parts.STEEL, material="metal"),
            *balls,
        ),
        **legs,
    }  # fmt: skip


def _around(radius: float) -> list[tuple[float, float]]:
    """A triangle with cut corners about the joints of the plate [m]."""
    angles = [
        2.0 * math.pi / 3.0 * pair + way * (PLATE_HALF_ANGLE + 0.12)
        for pair in range(3)
        for way in (-1.0, 1.0)
    ]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


EXHIBIT = Exhibit(
    name="stewart",
    title="Stewart platform on springs",
    look_at="18 joints, 12 constraints: the plate bounces and turns with six degrees of freedom.",
    make=stewart,
    start="at rest, next to and above its equilibrium",
    seconds=10.0,
    view=View(
        "xyz",
        (
            "plate_tz.q",
            ("plate_tx.q", "plate_ty.q"),
            ("plate_rx.q", "plate_ry.q", "plate_rz.q"),
            "energy.kinetic",
        ),
        times=(0.0, 0.2),
        until=2.0,
    ),
    step=2.5e-4,
    options={"pistons": Option(False, "pistons as bodies with mass: 24 joints, 18 constraints")},
    references=(
        Reference(
            what="joints, degrees of freedom, independent constraints",
            value=(18.0, 6.0, 12.0),
            unit="-",
            tolerance=0.0,
            source="Stewart platform of the ROBOTRAN paper",
            measure=lambda plant: np.array(_freedom(plant)),
        ),
        Reference(
            what="relative change of energy in 10 s, springs included",
            value=(0.0,),
            unit="-",
            tolerance=1e-8,
            source="conservation of energy",
            measure=_energy_drift,
        ),
    ),
    looks=_looks,
    reach=((-0.69, -0.69, -0.09), (0.69, 0.69, 0.8)),
)
