"""A pendulum on a cart that runs between two walls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import GROUND, Exhibit, Reference, View, gravity_along, parts

ROOM = 0.5  # distance that the cart can move to either side [m]
CART, BOB, LENGTH = 1.0, 0.5, 0.4  # [kg, kg, m]
RAILS = (-0.05, 0.05)  # lateral positions of the rails [m]
SPEED = 1.5  # initial speed of the cart; the pendulum is at rest relative to it [m/s]


def cart_pendulum() -> il.Model:
    """A cart on a rail along x with a point mass on a light rod below it; walls stop the cart.

    At an impact the wall acts on the cart only; the impulse in the rod follows from the momentum
    balance.
    """
    m = il.Model(
        "cart_pendulum",
        gravity=gravity_along("-z"),
        doc="Pendulum on a cart that hits walls.",
    )
    e = m.parameter("e", 0.8, unit="1", range=(0.0, 1.0), doc="restitution of the walls")
    room = m.parameter("room", ROOM, unit="m", range=(0.1, 2.0), doc="from the middle to a wall")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.0, SPEED)), mass=CART)
    cart.point("front", (0.06, 0.0, 0.0))
    cart.point("back", (-0.06, 0.0, 0.0))
    m.body(
        "pendulum",
        on=cart,
        joint=il.revolute("y", initial=(0.5, 0.0)),
        mass=BOB,
        com=(0.0, 0.0, -LENGTH),
    )
    for side, way in (("left", -1.0), ("right", 1.0)):
        end = way * (room + 0.06)
        m.ground.point(f"wall_{side}", (end, 0.0, 0.0))
        for k, across in enumerate(RAILS):
            m.ground.point(f"rail_{side}_{k}", (end, across, -0.058))
    free = m.mode("free")
    for side, way in (("left", 1.0), ("right", -1.0)):
        _add_wall(m, side, way, cart, room, e, free)
    return m


def _add_wall(m: il.Model, side: str, way: float, cart: Any, room: Any, e: Any, free: str) -> None:
    """A wall that pushes the cart in the direction `way` at impacts, or while it leans on it."""
    leaning = m.mode(f"leaning_{side}")
    with m.during(leaning):
        wall = m.lock(cart, name=f"wall_{side}")
    m.event(
        f"hit_{side}",
        lambda q: room + way * q["cart"],
        mode=free,
        impact=leaning,
        restitution=e,
        settles_in=leaning,
        tolerance=1e-12,
    )
    m.event(f"leave_{side}", lambda force: way * force[wall], mode=leaning, to=free)


def _energy_balance(plant: il.Plant) -> float:
    """Initial energy less that lost at the walls, less the final energy [J]."""
    result = plant.simulate(t_end=10.0, step=1e-3)
    total = result["energy.total"]
    lost = sum(event.energy_lost for event in result.events)
    return float(total[0] - lost - total[-1])


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """A cart on two rails between buffers, which follow the parameter `room`."""
    wheels = [
        (x, y, -0.034) for x in (-0.038, 0.038) for y in RAILS
    ]  # fmt: skip
    buffers = [
        il.visual(shape, f"wall_{side}", color, material=material)
        for side, way in (("left", -1.0), ("right", 1.0))
        for shape, color, material in (
            (_box((way * 0.006, 0.0, 0.0), (0.012, 0.06, 0.04)), parts.RUBBER, "rubber"),
            (_box((way * 0.03, 0.0, -0.01), (0.036, 0.16, 0.13)), parts.DARK, "paint"),
        )
    ]
    rails = [
        il.rod(f"rail_left_{k}", f"rail_right_{k}", 0.008, parts.STEEL, material="metal")
        for k in range(len(RAILS))
    ]
    return {
        GROUND: (*buffers, *rails),
        "cart": (
            il.visual(il.box((0.116, 0.09, 0.045)), color=parts.BLUE, material="paint"),
            *(part for at in wheels for part in parts.bearing(at, 0.018, 0.014, "y", parts.DARK)),
            *parts.bearing((0.0, -0.055, 0.0), 0.014, 0.03, "y", parts.BRASS),
        ),
        "pendulum": (
            il.rod((0.0, -0.062, 0.0), (0.0, -0.062, -LENGTH), 0.006, parts.STEEL,
                   material="metal"),
            parts.ball((0.0, -0.062, -LENGTH), 0.045, parts.ORANGE),
        ),
    }  # fmt: skip


def _box(center: tuple[float, float, float], size: tuple[float, float, float]) -> il.Mesh:
    """A box whose center is offset from the point to which it is attached."""
    surface = il.box(size).surface()
    return il.Mesh(surface.vertices + np.array(center), surface.triangles)


EXHIBIT = Exhibit(
    name="cart_pendulum",
    title="Pendulum on a cart between walls",
    look_at="Each impact kicks the pendulum; the walls dissipate the energy step by step.",
    make=cart_pendulum,
    start="cart in the middle at 1.5 m/s, pendulum at 0.5 rad",
    seconds=10.0,
    view=View(
        "xz",
        ("cart.q", "pendulum.q", ("energy.kinetic", "energy.potential", "energy.total")),
        times=(0.0, 0.15, 0.3),
    ),
    references=(
        Reference(
            what="energy that is not accounted for after 10 s",
            value=(0.0,),
            unit="J",
            tolerance=1e-8,
            source="conservation of energy between impacts",
            measure=_energy_balance,
        ),
    ),
    looks=_looks,
    reach=((-0.85, -0.12, -0.46), (0.85, 0.08, 0.06)),
)
