"""Ball joints in closed loops: against chains of angles, in all hosts, with any choice."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il


def spatial_linkage(angles: bool) -> il.Model:
    """A crank and a rocker with a rod between balls (RSSR); the rod may spin."""
    m = il.Model("rssr_angles" if angles else "rssr")
    crank = m.body(
        "crank", on=m.ground, joint=il.revolute("z", initial=(0.3, 4.0)), mass=1.0,
        com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.03),
    )  # fmt: skip
    rod = m.body(
        "rod", on=crank.point("pin", (0.2, 0, 0.05)), joint=il.ball(angles=angles), mass=0.5,
        com=(0.2, 0.01, 0.02), inertia=(0.002, 0.01, 0.011),
    )  # fmt: skip
    rocker = m.body(
        "rocker", on=m.ground.point("pivot", (0.5, 0.3, 0)), joint=il.revolute("x"), mass=0.8,
        com=(0, 0.1, 0.05), inertia=(0.01, 0.012, 0.013),
    )  # fmt: skip
    m.close(rod.point("end", (0.55, 0, 0)), rocker.point("tip", (0, 0.1, 0.35)))
    return m


@cache
def plants() -> tuple[il.Plant, il.Plant]:
    return spatial_linkage(False).compile(rehearse=0), spatial_linkage(True).compile(rehearse=0)


@cache
def start() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """q and qd with quaternions where the one with angles begins."""
    q, qd = (getattr(plants()[1].simulate(t_end=1e-3, step=1e-3), kind)[0] for kind in ("q", "qd"))
    turn = Rotation.from_euler("XYZ", q[1:4])
    about_z = Rotation.from_euler("Z", q[3])
    about_yz = Rotation.from_euler("YZ", q[2:4])
    om = about_yz.inv().apply([qd[1], 0, 0]) + about_z.inv().apply([0, qd[2], 0]) + [0, 0, qd[3]]
    quaternion = np.roll(turn.as_quat(), 1)
    return (q[0], 0.0, 0.0, 0.0, q[4], *quaternion), (qd[0], *om, qd[4])


@cache
def reference(t_end: float) -> il.Result:
    return plants()[1].simulate(t_end=t_end, tolerance=1e-11)


@pytest.mark.parametrize(
    ("method", "step", "error"),
    [("rk4", 5e-4, 1e-9), ("dopri", 1e-3, 1e-9), ("rodas", 5e-4, 1e-9), ("implicit", 2.5e-4, 1e-5),
     ("euler", 1e-4, 1e-2)],
)  # fmt: skip
def test_the_same_as_a_chain_of_angles(method: str, step: float, error: float) -> None:
    q, qd = start()
    found = plants()[0].simulate(t_end=0.2, step=step, method=method, q=q, qd=qd)
    expected = reference(0.2)
    assert found.status == "OK" and found.constraint_violation < 1e-9
    for name in ("crank.q", "rocker.q", "crank.qd"):
        assert found[name][-1] == pytest.approx(expected[name][-1], abs=20 * error)
    turned = Rotation.from_quat(np.roll(found.q[-1, 5:], -1))
    angles = Rotation.from_euler("XYZ", [expected[f"rod_r{axis}.q"][-1] for axis in "xyz"])
    assert (turned.inv() * angles).magnitude() < 50 * error


def test_forces_in_the_cut_are_the_same() -> None:
    q, qd = start()
    found = plants()[0].simulate(t_end=0.15, tolerance=1e-10, q=q, qd=qd)
    expected = reference(0.15)
    names = [name for name in expected.signals if ".force." in name]
    assert len(names) == 3
    for name in names:
        assert found[name][-1] == pytest.approx(expected[name][-1], rel=1e-6)


def test_other_independent_coordinates_on_the_way() -> None:
    """Turns of the rod become independent, dependent, and independent again."""
    q, qd = start()
    found = plants()[0].simulate(t_end=0.6, step=2.5e-4, method="rk4", q=q, qd=qd)
    changes = [note for note in found.notes if "independent coordinates are now" in note]
    assert len(changes) >= 2 and any("rocker" in note for note in changes)
    assert found.status == "OK" and abs(found.energy_drift()) < 1e-8
    assert found.constraint_violation < 1e-12
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 5:], axis=1), 1.0, atol=1e-12)


def test_a_stepper_chooses_freely_and_comes_back() -> None:
    q, qd = start()
    plant = plants()[0]
    stepper = plant.stepper(step=2.5e-4, q=q, qd=qd, method="rk4")
    whole = plant.simulate(t_end=0.6, step=2.5e-4, method="rk4", q=q, qd=qd)
    for _ in range(1200):
        stepper.step()
    there = stepper.snapshot()

    def on() -> list[float]:
        for _ in range(1200):
            stepper.step()
        return [stepper[name] for name in ("crank.q", "rod.qw", "rod.qx", "rod_wy.qd")]

    first = on()
    stepper.restore(there)
    assert on() == first
    assert first[0] == pytest.approx(whole["crank.q"][-1], abs=1e-7)


def test_many_runs_from_other_starts() -> None:
    plant, speeds = plants()[0], np.array([3.0, 4.0, 5.0])
    many = plant.simulate_many(
        t_end=0.1, step=1e-3, qd={"crank": speeds, "rod_wx": 2.0}, method="rk4"
    )
    for k, speed in enumerate(speeds):
        alone = plant.simulate(
            t_end=0.1, step=1e-3, qd={"crank": speed, "rod_wx": 2.0}, method="rk4"
        )
        for name in ("crank.q", "rocker.qd", "rod.qx"):
            assert many[name][k, -1] == pytest.approx(alone[name][-1], abs=1e-9)


def test_small_motions_are_those_of_angles() -> None:
    """Eigenvalues do not depend on how positions are written down."""
    found = []
    for angles in (False, True):
        m = spatial_linkage(angles)
        # what holds the spin of the rod: a spring between points off its axis
        m.spring("rod.com", "ground", 40.0, 0.3, free_length=0.1)
        plant = m.compile(rehearse=0)
        rest = plant.equilibrium()
        found.append(np.sort_complex(rest.eigenvalues))
        assert rest.residual < 1e-9
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-8)
