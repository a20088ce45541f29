"""Derivatives of fits: exact ones against closed forms, and where differences take their place."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il
from inloop.analysis.fitting.derivatives import EXACT, Derivatives
from inloop.analysis.fitting.fit import _read, _shooting
from inloop.analysis.fitting.shooting import Shooting
from inloop.analysis.fitting.unknowns import choose_unknowns
from inloop.gallery.bouncing_ball import bouncing_ball

MASS, K, C, X0, V0, PUSH = 1.7, 240.0, 3.1, 0.31, -0.8, 21.0  # [kg], [N/m], ..., [N]
T = np.arange(0.0, 1.2, 4e-3)  # [s]
TINY = 1e-30


@pytest.fixture(scope="module")
def slider() -> il.Plant:
    m = il.Model("slider", gravity=(0.0, 0.0, 0.0))
    k, c = m.parameter("k", K, unit="N/m"), m.parameter("c", C, unit="N*s/m")
    push = m.input("push", unit="N")
    block = m.body("block", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("block", lambda q, qd: push - k * q - c * qd, "spring")
    m.sensor("imu", il.sensors.imu(block))
    return m.compile()


def swing(t: np.ndarray, k: complex, c: complex, x0: complex, v0: complex) -> np.ndarray:
    """The slider under a constant force, in closed form, for complex arguments, too."""
    decay = c / (2 * MASS)
    omega, rest = np.sqrt(k / MASS - decay**2), PUSH / k
    x = x0 - rest
    wave = x * np.cos(omega * t) + (v0 + decay * x) / omega * np.sin(omega * t)
    return rest + np.exp(-decay * t) * wave


def shooting_of(
    plant: il.Plant, recording: dict[str, np.ndarray], names: list[str], *, outputs: list[str],
    segments: float | None = None, method: str = "rk4",
) -> Shooting:  # fmt: skip
    runs, steps = _read(plant, [recording], outputs, 5e-4, method, "from")
    unknowns = choose_unknowns(plant, names, outputs, runs[0].period, {}, None)
    return _shooting(plant, runs, unknowns, tuple(outputs), {}, steps, "fit", segments)


def recording(**columns: np.ndarray) -> dict[str, np.ndarray]:
    q = swing(T, K, C, X0, V0).real
    qd = swing(T + 1j * TINY, K, C, X0, V0).imag / TINY
    return {"t": T, "block.q": q, "block.qd": qd, "push": np.full(len(T), PUSH), **columns}


def test_exact_ones_are_those_of_the_closed_form(slider: il.Plant) -> None:
    shooting = shooting_of(slider, recording(), ["k", "c"], outputs=["block.q"])
    derivatives = Derivatives(shooting)
    assert derivatives.how == EXACT
    values = np.array([K, C])
    (seen,), _ = derivatives(values, shooting.nodes)
    at = np.array([K, C, X0, V0])
    for column in range(4):
        step = at + 1j * TINY * np.eye(4)[column]
        wanted = swing(T, *step).imag / TINY
        off = np.abs(seen[:, 0, column] - wanted).max() / np.abs(wanted).max()
        assert off < 1e-8, column  # what steps of 0.5 ms leave


def test_segments_and_what_they_hand_over(slider: il.Plant) -> None:
    outputs = ["block.q", "block.qd"]
    shooting = shooting_of(slider, recording(), ["k", "c"], outputs=outputs, segments=0.3)
    assert len(shooting.segments) == 4
    seen, slopes = Derivatives(shooting)(np.array([K, C]), shooting.nodes)
    # from one start to the next: motion is linear in the start
    last = shooting.segments[1]
    length = last.handover or 0
    for column, start in ((2, (1.0, 0.0)), (3, (0.0, 1.0))):
        free = swing(T, K, C, *start) - swing(T, K, C, 0.0, 0.0)
        assert slopes[1, 0, column] == pytest.approx(free[length], abs=1e-8)
        assert seen[1][:, 0, column] == pytest.approx(free[:length], abs=1e-8)


def test_sensors_and_delays_agree_with_differences(slider: il.Plant) -> None:
    shooting = shooting_of(
        slider, recording(**{"imu.accel.x": np.zeros(len(T))}), ["k", "c", "imu.accel.x.delay"],
        outputs=["imu.accel.x"],
    )  # fmt: skip
    values = np.array([K, C, 2.7e-3])
    exact, plain = Derivatives(shooting), Derivatives(shooting, exact=False)
    assert exact.how == EXACT
    (mine,), (other,) = exact(values, shooting.nodes)[0], plain(values, shooting.nodes)[0]
    size = np.abs(other).max(axis=0)
    assert np.all(size > 0.0)
    assert (np.abs(mine - other) / size).max() < 1e-6


def test_efforts_that_change_with_each_sample(slider: il.Plant) -> None:
    """An effort of the joint and the input `push` are the same force."""
    force = np.sin(9.0 * T)
    by_joint = recording(**{"block.tau": force, "push": np.zeros(len(T))})
    by_input = recording(push=force)
    told = []
    for each in (by_joint, by_input):
        shooting = shooting_of(slider, each, ["k", "c"], outputs=["block.q", "block.qd"])
        derivatives = Derivatives(shooting)
        assert derivatives.how == EXACT
        told.append(derivatives(np.array([K, C]), shooting.nodes)[0][0])
    np.testing.assert_allclose(told[0], told[1], atol=1e-12 * np.abs(told[1]).max())


def hops(t: np.ndarray, g: complex, e: complex, z0: complex, v0: complex) -> np.ndarray:
    """The height of a ball past its impacts, in closed form, for complex arguments, too."""
    begin, v, z = 0.0 + 0.0j, complex(v0), np.full(len(t), complex(z0))
    height = complex(z0)
    while begin.real < t[-1]:
        after = t - begin
        z = np.where(after.real >= 0.0, height + v * after - 0.5 * g * after**2, z)
        fall = (v + np.sqrt(v * v + 2.0 * g * height)) / g
        begin, v, height = begin + fall, e * (g * fall - v), 0.0
    return z


def test_events_have_derivatives_of_their_own() -> None:
    """Past four impacts, whose times change with everything."""
    plant = bouncing_ball().compile()
    at, t = np.array([9.6, 0.74, 0.93, 0.4]), np.arange(0.0, 1.9, 4e-3)
    plant.parameters.update(g=at[0], e=at[1])
    begin = {"t": t, "ball.q": at[2] + 0.0 * t, "ball.qd": at[3] + 0.0 * t}
    shooting = shooting_of(plant, begin, ["g", "e"], outputs=["ball.q"])
    derivatives = Derivatives(shooting)
    (seen,), _ = derivatives(at[:2], shooting.nodes)
    assert derivatives.how == EXACT
    for column in range(4):
        wanted = hops(t, *(at + 1j * TINY * np.eye(4)[column])).imag / TINY
        off = np.abs(seen[:, 0, column] - wanted).max() / np.abs(wanted).max()
        assert off < 1e-9, column


def test_inputs_that_change_between_events() -> None:
    """An effort that is another one in each period, beside differences of runs."""
    plant = bouncing_ball().compile()
    t = np.arange(0.0, 0.8, 4e-3)
    begin = {
        "t": t,
        "ball.q": 0.5 + 0.0 * t,
        "ball.qd": 0.0 * t,
        "ball.tau": 3.0 * np.sin(11.0 * t),
    }
    shooting = shooting_of(plant, begin, ["mass", "e"], outputs=["ball.q", "ball.qd"])
    values = np.array([1.3, 0.8])
    (mine,), (other,) = (Derivatives(shooting, exact=x)(values, shooting.nodes)[0] for x in (1, 0))
    size = np.abs(other).max(axis=0)
    assert np.all(size > 0.0) and (np.abs(mine - other) / size).max() < 1e-6


def test_where_differences_take_their_place(slider: il.Plant) -> None:
    implicit = shooting_of(slider, recording(), ["k"], outputs=["block.q"], method="implicit")
    assert Derivatives(implicit).how.endswith("because runs are integrated by 'implicit'")
    found = il.fit(slider, recording(), ["k", "c"], outputs=["block.q"])
    assert found.derivatives == EXACT
    found = il.fit(slider, recording(), ["k"], outputs=["block.q"], method="implicit")
    assert found.derivatives.startswith("central differences, because")
