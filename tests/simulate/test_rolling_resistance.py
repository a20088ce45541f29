"""Rolling and drilling resistance of hard contacts, beside motions that are known by hand."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

G, MASS, RADIUS = 9.81, 2.3, 0.13
INERTIA = 0.4 * MASS * RADIUS**2
C, S = 0.004, 0.002  # lengths of resistance [m]
K = 0.4  # I / m r²


def sphere(law: il.model.Hard, gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> il.Plant:
    """A solid sphere that touches a plane."""
    m = il.Model("sphere", gravity=gravity)
    place = il.free(position=(0.0, 0.0, RADIUS))
    body = m.body("ball", on=m.ground, joint=place, mass=MASS, inertia=(INERTIA,) * 3)
    m.contact(m.ground, il.plane(), body, il.sphere(RADIUS), law=law, name="floor")
    return m.compile()


@pytest.fixture(scope="module")
def resisting() -> il.Plant:
    """A sphere on a level plane that resists rolling and drilling."""
    return sphere(il.hard(friction=0.5, rolling=C, spinning=S))


def start(v: tuple[float, float], spin: float = 0.0) -> dict[str, np.ndarray]:
    """It rolls with this velocity [m/s], and turns about the normal [rad/s]."""
    return {"qd": np.array([v[0], v[1], 0.0, -v[1] / RADIUS, v[0] / RADIUS, spin])}


def moment_of(run: il.Result) -> np.ndarray:
    """Size of the moment against rolling [N·m]."""
    return np.hypot(run["floor.rolling_1"], run["floor.rolling_2"])


def test_a_sphere_that_rolls_slows_down_and_stops(resisting: il.Plant) -> None:
    v, towards = 0.8, np.array([0.6, 0.8])
    slower = G * C / (RADIUS * (1.0 + K))
    run = resisting.simulate(t_end=4.0, step=1e-3, **start(tuple(v * towards)))
    k = 1000
    assert run.q[k, :2] == pytest.approx((v - 0.5 * slower) * towards, abs=1e-9)
    assert run.qd[k, :2] == pytest.approx((v - slower) * towards, abs=1e-9)
    # it stops after v / slower = 3.7 s, and stays
    assert run.q[-1, :2] == pytest.approx(v**2 / (2.0 * slower) * towards, abs=1e-6)
    assert np.abs(run.qd[-1]).max() < 1e-11
    assert moment_of(run)[k] == pytest.approx(C * MASS * G, rel=1e-9)
    assert (moment_of(run) <= C * run["floor.normal"] * (1.0 + 1e-12)).all()
    assert run["floor.residual"].max() < 1e-9
    assert not run.notes


def test_drilling_slows_down_by_hand(resisting: il.Plant) -> None:
    spin, slower = 5.0, MASS * G * S / INERTIA
    run = resisting.simulate(t_end=2.0, step=1e-3, **start((0.0, 0.0), spin))
    assert run.qd[1000, 5] == pytest.approx(spin - slower, abs=1e-9)
    assert np.abs(run.qd[-1]).max() < 1e-11  # after 1.7 s
    assert run["floor.spinning"][1000] == pytest.approx(-S * MASS * G, rel=1e-9)
    assert (np.abs(run["floor.spinning"]) <= S * run["floor.normal"] * (1.0 + 1e-12)).all()


@pytest.mark.parametrize("steeper", [-0.01, 0.02])
def test_on_an_incline_it_stands_up_to_the_ratio_of_length_and_radius(steeper: float) -> None:
    alpha = np.arctan(C / RADIUS + steeper)
    plant = sphere(il.hard(friction=0.5, rolling=C), (G * np.sin(alpha), 0.0, -G * np.cos(alpha)))
    run = plant.simulate(t_end=1.0, step=1e-3)
    rolls = max(0.0, G * (np.sin(alpha) - np.cos(alpha) * C / RADIUS) / (1.0 + K))
    assert run.qd[-1, 0] == pytest.approx(rolls, abs=1e-11)
    assert (rolls > 0.0) == (steeper > 0.0)
    if rolls == 0.0:
        assert moment_of(run)[-1] == pytest.approx(MASS * G * np.sin(alpha) * RADIUS, rel=1e-9)


def test_energy_never_grows_whatever_slips(resisting: il.Plant) -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        qd = rng.normal(size=6) * (1.0, 1.0, 1.0, 9.0, 9.0, 9.0)
        run = resisting.simulate(t_end=0.6, step=1e-3, qd=qd)
        moving = 0.5 * MASS * np.sum(run.qd[:, :3] ** 2, axis=1)
        turning = 0.5 * INERTIA * np.sum(run.qd[:, 3:] ** 2, axis=1)
        energy = moving + turning + MASS * G * run.q[:, 2]
        assert np.diff(energy).max() < 1e-9 * energy[0]
        assert energy[0] - energy[-1] > 0.05  # [J]
        assert run["floor.residual"].max() < 1e-8


def cart(order: tuple[int, ...], law: il.model.Hard) -> il.Model:
    """A body on four wheels, which are rims, on a plane."""
    m = il.Model("cart")
    place = il.free(position=(0.0, 0.0, RADIUS))
    body = m.body("body", on=m.ground, joint=place, mass=5.0, inertia=(0.2, 0.3, 0.4))
    wheels = {}
    for k, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.25, 0.2), (-0.25, -0.2)]):
        hub = body.point(f"hub_{k}", (x, y, 0.0))
        turn = il.revolute("y")
        wheels[k] = m.body(f"wheel_{k}", on=hub, joint=turn, mass=0.4, inertia=(2e-3, 4e-3, 2e-3))
    for k in order:
        rim = il.rim(RADIUS, "y")
        m.contact(m.ground, il.plane(), wheels[k], rim, law=law, name=f"touch_{k}")
    return m


@pytest.mark.long
def test_a_cart_rolls_out_in_any_order_of_its_wheels() -> None:
    law = il.hard(friction=0.6, rolling=C, spinning=S, stiffness=1e7)
    v, ends = 0.9, []
    for order in ((0, 1, 2, 3), (2, 0, 3, 1)):
        plant = cart(order, law).compile()
        qd = np.zeros(plant.n)
        qd[0], qd[6:] = v, v / RADIUS
        run = plant.simulate(t_end=0.5, step=1e-3, qd=qd)
        assert not run.notes
        ends.append(run.qd[-1])
    # four moments c N / r against 6.6 kg and four wheels that turn
    mass = 5.0 + 4 * 0.4
    slower = mass * G * C / RADIUS / (mass + 4 * 4e-3 / RADIUS**2)
    assert ends[0][0] == pytest.approx(v - 0.5 * slower, abs=1e-5)
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)


def test_a_wheel_in_the_plane_slows_down_and_lengths_may_be_parameters() -> None:
    m = il.Model("wheel")
    c = m.parameter("c", C)
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, 0.8)))
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(RADIUS, 0.0)))
    turn = il.revolute("y", initial=(0.0, 0.8 / RADIUS))
    wheel = m.body("wheel", on=z, joint=turn, mass=MASS, inertia=(INERTIA,) * 3)
    law = il.hard(friction=0.5, rolling=c, spinning=S)
    m.contact(m.ground, il.plane(), wheel, il.circle(RADIUS, "y"), law=law, name="floor")
    plant = m.compile()
    for length in (C, 3.0 * C, 0.0):
        plant.parameters.update(c=length)
        run = plant.simulate(t_end=0.5, step=1e-3)
        slower = G * length / (RADIUS * (1.0 + K))
        assert run.qd[-1, 0] == pytest.approx(0.8 - 0.5 * slower, abs=1e-9)
        assert not run.notes


def test_lengths_of_zero_leave_all_as_it_was() -> None:
    runs = []
    for law in (il.hard(0.2, 0.5), il.hard(0.2, 0.5, rolling=0.0, spinning=0)):
        plant = sphere(law)
        runs.append(plant.simulate(t_end=0.05, step=1e-3, **start((0.4, 0.1), 2.0)))
    assert "floor.rolling_1" not in runs[1].signals
    assert (runs[0].q == runs[1].q).all() and (runs[0].qd == runs[1].qd).all()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("wheel", [il.cylinder(RADIUS, axis="y", length=0.2), il.sphere(RADIUS)])
def test_touches_that_are_found_slow_down_alike(wheel: il.geometry.Shape) -> None:
    m = il.Model("found")
    c = m.parameter("c", C)
    place = il.free(position=(0.0, 0.0, RADIUS))
    body = m.body("wheel", on=m.ground, joint=place, mass=MASS, inertia=(INERTIA,) * 3)
    flat = il.terrain(lambda x, y: 0.0, size=(3.0, 3.0), cell=0.15)
    law = il.hard(friction=0.5, rolling=c, spinning=S)
    m.contact(m.ground, flat, body, wheel, law=law, name="road")
    plant = m.compile()
    for length in (C, 2.0 * C):
        plant.parameters.update(c=length)
        run = plant.simulate(t_end=0.5, step=1e-3, **start((0.8, 0.0)))
        slower = G * length / (RADIUS * (1.0 + K))
        assert run.qd[-1, 0] == pytest.approx(0.8 - 0.5 * slower, abs=1e-6)
        assert not run.notes
        for k in range(1, 4):
            pressed = run[f"road.touch_{k}_normal"]
            moment = np.hypot(run[f"road.touch_{k}_roll_1"], run[f"road.touch_{k}_roll_2"])
            assert (moment <= pressed * (1.0 + 1e-9) + 1e-12).all()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("table", [il.plane(), il.box((1.0, 1.0, 0.2))])
def test_a_turntable_takes_a_sphere_along(table: il.geometry.Shape) -> None:
    m = il.Model("turntable")
    disc = m.body("disc", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.drive("disc")
    top = 0.1 if isinstance(table, il.geometry.Box) else 0.0
    place = il.free(position=(0.0, 0.0, top + RADIUS))
    body = m.body("ball", on=m.ground, joint=place, mass=MASS, inertia=(INERTIA,) * 3)
    law = il.hard(friction=0.5, rolling=C, spinning=S)
    m.contact(disc, table, body, il.sphere(RADIUS), law=law, name="top")
    speed, faster = 4.0, MASS * G * S / INERTIA
    run = m.compile().simulate(t_end=2.0, step=1e-3, disc=lambda t: speed * t)
    spin = run.qd[:, -1]
    assert spin[1000] == pytest.approx(faster, rel=1e-6)
    assert spin[-1] == pytest.approx(speed, rel=1e-9)
