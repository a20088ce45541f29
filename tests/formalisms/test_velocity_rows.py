"""Rows of rolling, knife edges and constraints on velocities: material points, and rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il

RADIUS, AXIS = 0.37, np.array([0.2, 0.9, -0.3]) / np.linalg.norm([0.2, 0.9, -0.3])
OFFSET = (0.05, -0.02, 0.08)  # of the center in the axes of the wheel [m]
TINY = 1e-6  # of differences [s]


def model() -> tuple[il.Model, il.model.BodyHandle, il.model.BodyHandle]:
    """A wheel on a free joint with a quaternion, and a plane on a body that moves as well."""
    m = il.Model("contact")
    inertia = (0.3, 0.4, 0.5)
    arm = m.body("arm", on=m.ground, joint=il.revolute((0.3, -0.5, 0.8)), mass=1.1, inertia=inertia)
    rail = il.prismatic((0.6, 0.1, 0.2))
    tray = m.body("tray", on=arm.point("tip", (0.2, 0.4, -0.3)), joint=rail, mass=0.7,
                  inertia=inertia)  # fmt: skip
    tray.frame("plane", (0.1, -0.2, 0.15), il.rpy(0.2, -0.4, 0.7))
    wheel = m.body("wheel", on=m.ground, joint=il.free(), mass=1.3, inertia=inertia)
    wheel.point("center", OFFSET)
    return m, tray, wheel


def disc(m: il.Model) -> None:
    m.rolls("wheel.center", radius=RADIUS, axis=tuple(AXIS), on="tray.plane", name="c")


def sphere(m: il.Model) -> None:
    m.rolls("wheel.center", radius=RADIUS, on="tray.plane", name="c")


def edge(m: il.Model) -> None:
    m.knife_edge("wheel.center", tuple(AXIS), on="tray.plane", name="c")


def written(m: il.Model) -> None:
    m.velocity_constraint(
        "c",
        lambda q, qd, t: [
            il.sin(q["arm"]) * qd["tray"] + q["wheel.qx"] * qd["wheel_wy"] * il.cos(t) - 0.2 * t**2,
            q["tray"] ** 2 * qd["wheel_tx"] - q["wheel.qw"] * q["wheel.qz"] * qd["arm"],
        ],
    )


def turned(m: il.Model) -> None:
    """A constraint on positions that reads a quaternion: the z axis of the wheel stays level."""
    m.constraint("c", lambda q: 1.0 - 2.0 * (q["wheel.qx"] ** 2 + q["wheel.qy"] ** 2), unit="rad")


def states(plant: il.Plant) -> list[tuple[np.ndarray, np.ndarray]]:
    found = []
    random = np.random.default_rng(5)
    for _ in range(3):
        way, qd = random.normal(size=(2, plant.n))
        found.append((plant.configuration.moved(np.array(plant.mechanism.first_q), way), qd))
    return found


def compiled(write: Callable[[il.Model], None]) -> il.Plant:
    m, _, _ = model()
    write(m)
    return m.compile(backend="python")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("write", [disc, sphere, edge, written, turned])
def test_gamma_is_the_rate_of_j_qd(write: Callable[[il.Model], None]) -> None:
    """At constant velocities J qd + nu changes by gamma, and h by J qd + nu."""
    plant = compiled(write)
    for q, qd in states(plant):
        ends = []
        for dt in (TINY, -TINY):
            at = plant.configuration.moved(q, dt * qd)
            ends.append(plant.formulation.constraints(at, qd, 0.4 + dt))
        here = plant.formulation.constraints(q, qd, 0.4)
        rates = [found["J"] @ qd + found["nu"] for found in ends]
        slope = (rates[0] - rates[1]) / (2.0 * TINY)
        np.testing.assert_allclose(here["gamma"], slope, rtol=1e-7, atol=1e-7)
        assert np.abs(here["gamma"]).min() > 1e-3
        h_rate = (ends[0]["h"] - ends[1]["h"]) / (2.0 * TINY)
        held = plant.formulation.rows.holonomic
        np.testing.assert_allclose(
            (here["J"] @ qd + here["nu"])[held], h_rate[held], rtol=1e-7, atol=1e-7
        )
        assert np.all(here["h"][~held] == 0.0)


def contact_velocity(plant: il.Plant, q: np.ndarray, qd: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Velocity of the wheel's point at P, less that of the plane's point, by moving both bodies."""
    moved = []
    for dt in (TINY, -TINY):
        after = plant.configuration.moved(q, dt * qd)
        points = []
        for body in ("wheel", "tray"):
            p, R = plant.pose(body, q)
            p_after, R_after = plant.pose(body, after)
            points.append(p_after + R_after @ R.T @ (P - p))
        moved.append(points[0] - points[1])
    return np.asarray((moved[0] - moved[1]) / (2.0 * TINY))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("write", [disc, sphere, edge])
def test_rows_are_velocities_of_what_touches(write: Callable[[il.Model], None]) -> None:
    plant = compiled(write)
    for q, qd in states(plant):
        center, R = plant.pose("wheel", q)
        center = center + R @ OFFSET
        origin, plane = plant.pose("tray.plane", q)
        n, e = plane[:, 2], R @ AXIS
        found = plant.formulation.constraints(q, qd)
        rates = found["J"] @ qd
        if write is edge:
            V = contact_velocity(plant, q, qd, center)
            assert rates == pytest.approx([e @ V], abs=1e-8)
            continue
        if write is sphere:
            P, ways = center - RADIUS * n, [n, plane[:, 0], plane[:, 1]]
        else:
            # the lowest point of the rim, compared with others
            up = n - (n @ e) * e
            up /= np.linalg.norm(up)
            P = center - RADIUS * up
            ahead = np.cross(e, n) / np.linalg.norm(np.cross(e, n))
            ways = [n, ahead, np.cross(n, ahead)]
            side = np.cross(e, up)
            angles = np.linspace(0.0, 2.0 * np.pi, 3600, endpoint=False)[:, None]
            rim = center - RADIUS * (np.cos(angles) * up + np.sin(angles) * side)
            assert np.argmin(rim @ n) == 0
        assert found["h"][0] == pytest.approx(n @ (P - origin), abs=1e-12)
        V = contact_velocity(plant, q, qd, P)
        assert rates == pytest.approx([way @ V for way in ways], abs=1e-8)


def test_forces_act_where_it_touches() -> None:
    """Cut forces tell the force on the wheel, and joint reactions carry it to the ground."""
    m = il.Model("wheel")
    axle = m.body("axle", on=m.ground.point("high", (0.0, 0.0, 0.7)), joint=il.prismatic("x"),
                  mass=2.0)  # fmt: skip
    wheel = m.body("wheel", on=axle, joint=il.revolute("y"), mass=3.0, inertia=(0.2, 0.3, 0.2))
    m.rolls(wheel, radius=0.7, axis="y", name="tire")
    plant = m.compile(backend="python")
    assert plant.formulation.notes == (
        "loop 'tire' adds nothing in direction normal; row dropped",
        "loop 'tire' adds nothing in direction lateral; row dropped",
    )
    tau, q, qd = np.array([5.0, 2.0]), np.array([0.3, 1.1]), np.array([1.4, 2.0])
    a = plant.direct_dynamics(q, qd, tau)
    # (m + I/r²) a = F + T/r, and the ground pushes with F_x = m a - F
    ahead = (5.0 + 2.0 / 0.7) / (5.0 + 0.3 / 0.49)
    assert a == pytest.approx([ahead, ahead / 0.7], rel=1e-12)
    found = plant.formulation.motion(q, qd, tau)
    assert found["lam"] == pytest.approx([5.0 * ahead - 5.0], rel=1e-12)
    force = plant.formulation.cut_forces(q, found["lam"])["tire.force"]
    assert force == pytest.approx([5.0 * ahead - 5.0, 0.0, 0.0], abs=1e-12)
    lam = plant.formulation.on_all_rows(found["lam"])
    reactions = plant.evaluate("joint_reactions", q=q, qd=qd, qdd=a, lam=lam)
    # the axle carries the wheel ahead: force m_w a less what the ground does, and the weight
    carried = [3.0 * ahead - force[0], 0.0, 3.0 * 9.81]
    assert reactions["force"][1] == pytest.approx(carried, abs=1e-10)
    assert reactions["moment"][1][1] == pytest.approx(2.0, abs=1e-10)
