"""Fits of mechanisms with a loop, modes and impacts, a ball joint, to motions in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.gallery.bouncing_ball import bouncing_ball

PERIOD = 4e-3  # [s]
K, C = 8.3, 0.21  # [N m/rad], [N m s/rad]
ARM, FIRST, MIDDLE = 0.3, 1.9, 1.3  # length [m], angles at the start and without torque [rad]
INERTIAS, COUPLER = (0.013, 0.029), 1.1  # of the cranks about their pivots [kg m²], [kg]


def parallelogram() -> il.Plant:
    """Two cranks of one length and a coupler that only translates; a spring turns one crank."""
    m = il.Model("parallelogram", gravity=(0.0, 0.0, 0.0))
    k, c = m.parameter("k", 6.0, unit="N*m/rad"), m.parameter("c", 0.1, unit="N*m*s/rad")
    pivot = m.ground.point("pivot", (0.5, 0.0, 0.0))
    start = il.revolute("y", initial=(FIRST, 0.0))
    crank, rocker = (
        m.body(name, on=on, joint=joint, mass=0.2, inertia=(inertia, inertia, inertia))
        for name, on, joint, inertia in (
            ("crank", m.ground, start, INERTIAS[0]),
            ("rocker", pivot, il.revolute("y", guess=FIRST), INERTIAS[1]),
        )
    )
    coupler = m.body(
        "coupler", on=crank.point("pin", (ARM, 0.0, 0.0)), joint=il.revolute("y", guess=-FIRST),
        mass=COUPLER, com=(0.25, 0.0, 0.0), inertia=(0.01, 0.02, 0.03),
    )  # fmt: skip
    m.close(coupler.point("end", (0.5, 0.0, 0.0)), rocker.point("end", (ARM, 0.0, 0.0)))
    m.joint_force("crank", lambda q, qd: -k * (q - MIDDLE) - c * qd, "spring")
    return m.compile()


def test_mechanism_with_a_loop() -> None:
    plant = parallelogram()
    assert plant.formulation.independent == ("crank",)
    inertia = sum(INERTIAS) + COUPLER * ARM**2
    decay = C / (2.0 * inertia)
    omega = np.sqrt(K / inertia - decay**2)
    t = np.arange(0.0, 1.6, PERIOD)
    swing = np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    noise = 1e-3 * np.random.default_rng(6).normal(size=len(t))
    q = MIDDLE + (FIRST - MIDDLE) * swing + noise
    found = il.fit(plant, {"t": t, "crank.q": q}, ["k", "c"])
    assert np.abs((found.values - [K, C]) / found.deviations).max() < 4.0
    assert found.deviations[0] < 0.01 * K and found.deviations[1] < 0.05 * C


def test_mechanism_with_modes() -> None:
    height, g, e = 0.93, 9.6, 0.74  # [m], [m/s²], -
    plant = bouncing_ball().compile()
    plant.parameters.update(g=9.9, e=0.72)
    t = np.arange(0.0, 1.6, PERIOD)
    first = np.sqrt(2.0 * height / g)
    # impacts, and the speed behind each of them
    impacts = first * np.array([1.0, 1.0 + 2.0 * e, 1.0 + 2.0 * e + 2.0 * e**2])
    after = t[:, None] - impacts
    hops = g * first * e ** np.arange(1, 4) * after - 0.5 * g * after**2
    z = np.select([after[:, 2] > 0.0, after[:, 1] > 0.0, after[:, 0] > 0.0],
                  [hops[:, 2], hops[:, 1], hops[:, 0]], height - 0.5 * g * t**2)  # fmt: skip
    assert impacts[1] < t[-1]
    z += 1e-3 * np.random.default_rng(7).normal(size=len(t))
    found = il.fit(plant, {"t": t, "ball.q": z}, ["g", "e"])
    assert np.abs((found.values - [g, e]) / found.deviations).max() < 4.0
    assert found.deviations[0] < 0.02 * g and found.deviations[1] < 0.01 * e
    assert found.derivatives.startswith("exact")


LENGTH, MASS, DRAG, G = 0.31, 0.47, 0.052, 9.81  # [m], [kg], [N m s/rad], [m/s²]


def balanced() -> dict[str, np.ndarray]:
    """An inverted pendulum that a controller balances and shakes for 8 s, by the formula.

    Its torque is held from sample to sample; over the recording a deviation would grow by e^45.
    """
    random = np.random.default_rng(4)
    count, fine = 2000, 8
    state, rows = np.array([0.05, 0.0]), []
    shake = 0.8 * np.repeat(random.choice([-1.0, 1.0], count // 50), 50)

    def rate(x: np.ndarray, torque: float) -> np.ndarray:
        inertia = MASS * LENGTH**2
        return np.array([x[1], G / LENGTH * np.sin(x[0]) + (torque - DRAG * x[1]) / inertia])

    for k in range(count):
        torque = float(-5.0 * state[0] - 0.6 * state[1] + shake[k])
        rows.append((state[0], torque))
        h = PERIOD / fine
        for _ in range(fine):
            a = rate(state, torque)
            b = rate(state + h / 2 * a, torque)
            c = rate(state + h / 2 * b, torque)
            d = rate(state + h * c, torque)
            state = state + h / 6 * (a + 2 * b + 2 * c + d)
    q, torque = np.array(rows).T
    q = q + 5e-4 * random.normal(size=count)
    return {"t": PERIOD * np.arange(count), "rod.q": q, "motor": torque}


@pytest.mark.long
def test_inverted_pendulum_needs_segments() -> None:
    m = il.Model("inverted", gravity=(0.0, 0.0, -G))
    drag = m.parameter("drag", 0.02, unit="N*m*s/rad")
    mass = m.parameter("mass", 0.6, unit="kg")
    motor = m.input("motor", unit="N*m")
    rod = il.revolute("y", guess=0.0)
    m.body("rod", on=m.ground, joint=rod, mass=mass, com=(0.0, 0.0, LENGTH))
    m.joint_force("rod", lambda q, qd: motor - drag * qd, "bearing")
    plant, recording = m.compile(), balanced()
    found = il.fit(plant, recording, ["drag", "mass"], segments=0.25)
    off = (found.values - [DRAG, MASS]) / found.deviations
    assert np.abs(off).max() < 4.0
    assert np.all(found.deviations < 0.01 * found.values)
    assert not any("gaps" in note for note in found.notes) and found.tests[0].white
    assert found.derivatives.startswith("exact")
    with pytest.raises((il.ResidualError, il.SimulationError)):
        il.fit(plant, recording, ["drag", "mass"])


def test_positions_that_velocities_lead() -> None:
    """Where a skate is follows from its way: a run that begins elsewhere is refused by name."""
    m = il.Model("skate", gravity=(0.0, 0.0, 0.0))
    drag = m.parameter("drag", 0.2, unit="N*m*s/rad")
    along = m.body("along", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    across = m.body("across", on=along, joint=il.prismatic("y"), mass=0.7)
    skate = m.body("skate", on=across, joint=il.revolute("z"), mass=0.3, inertia=(0.1, 0.1, 0.1))
    m.knife_edge(skate, "y")
    m.joint_force("skate", lambda q, qd: -drag * qd, "drag")
    plant = m.compile()
    led = [plant.coordinates[k] for k in plant.formulation.led_positions]
    assert led
    t = np.arange(0.0, 0.4, PERIOD)
    columns = {"t": t, "skate.q": 0.3 * t, f"{led[0]}.q": 0.5 + 0.0 * t}
    for options, begin in (({}, 0.5), ({"segments": 0.1}, 0.0)):
        recording = {**columns, f"{led[0]}.q": begin + 0.0 * t}
        with pytest.raises(il.InputError, match=f"govern '{led[0]}', whose initial position"):
            il.fit(plant, recording, ["drag"], outputs=["skate.q"], **options)


def gyro() -> il.Plant:
    m = il.Model("gyro", gravity=(0.0, 0.0, 0.0))
    I3 = m.parameter("I3", 0.07, unit="kg*m^2")
    top = m.body("top", on=m.ground, joint=il.ball(), mass=1.0, inertia=(0.05, 0.05, I3))
    m.sensor("mark", il.sensors.position(top.point("mark", (0.2, -0.1, 0.3))))
    return m.compile()


def test_ball_joint() -> None:
    """A symmetric top without torques, I3 = 0.08 kg m^2, in closed form.

    It turns about its angular momentum, in space, and about its own axis (Landau & Lifshitz,
    Mechanics, section 33).
    """
    I1, I3, om = 0.05, 0.08, np.array([1.2, -0.7, 3.1])
    t, first = 6e-3 * np.arange(130), Rotation.from_quat([0.2, -0.4, 0.4, 0.8])
    L = first.apply([I1, I1, I3] * om)
    own = np.outer(t, [0.0, 0.0, om[2] * (1.0 - I3 / I1)])
    attitude = Rotation.from_rotvec(np.outer(t, L) / I1) * first * Rotation.from_rotvec(own)
    random = np.random.default_rng(2)
    quaternions = attitude.as_quat()[:, [3, 0, 1, 2]]
    quaternions *= np.where(quaternions[:, :1] < 0.0, -1.0, 1.0)  # as many devices tell them
    assert np.abs(np.diff(quaternions, axis=0)).max() > 0.5
    noisy = quaternions + 1e-3 * random.normal(size=(len(t), 4))
    names = [f"top.q{part}" for part in "wxyz"]
    plant = gyro()
    found = il.fit(plant, {"t": t, **dict(zip(names, noisy.T, strict=True))}, "I3")
    assert found.outputs == tuple(names) and found.derivatives.startswith("exact")
    assert abs(found["I3"] - I3) < 4.0 * found.deviations[0] < 0.01 * I3
    # one point of the body, from a rough guess of the start
    mark = attitude.apply([0.2, -0.1, 0.3]) + 1e-3 * random.normal(size=(len(t), 3))
    guess = {name: np.full(len(t), value) for name, value in zip(names, noisy[0], strict=True)}
    guess |= {f"top_w{axis}.qd": np.full(len(t), w) for axis, w in zip("xyz", om, strict=True)}
    seen = {f"mark.{axis}": row for axis, row in zip("xyz", mark.T, strict=True)}
    found = il.fit(plant, {"t": t, **seen, **guess}, "I3")
    assert found.outputs == tuple(seen) and found.derivatives.startswith("exact")
    assert abs(found["I3"] - I3) < 4.0 * found.deviations[0] < 0.02 * I3
    with pytest.raises(il.InputError, match="has ball joints: its recordings cannot be cut"):
        il.fit(plant, {"t": t, **seen}, "I3", segments=0.2)
