"""Linear models with constraints on velocities: the benchmark bicycle and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.gallery.bicycle import ACCELERATIONS, FALLING, LEANING, REAR_RADIUS, eigenvalues

# canonical matrices of Meijaard et al. 2007, doi 10.1098/rspa.2007.1857
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
# table 2 of the same: real and imaginary part of weave, capsize, castering [1/s]
TABLE = {
    2: (2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831735),
    4: (0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447),
    6: (-1.52644486584142, 5.87673060598709, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362, 7.19525913329805, 0.10268170574766, -18.15788466125262),
    9: (-3.21675402252485, 9.69377351531791, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404),
}


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return gallery.get("bicycle").build().compile()


def canonical(speed: float) -> np.ndarray:
    """δ² M + δ v C1 + g K0 + v² K2 as a matrix of lean, steer and their rates."""
    stiffness = np.linalg.solve(M, 9.81 * K0 + speed**2 * K2)
    damping = np.linalg.solve(M, speed * C1)
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]])


@pytest.mark.parametrize("speed", TABLE)
def test_eigenvalues_are_the_published_ones(plant: il.Plant, speed: int) -> None:
    real, imaginary, capsize, caster = TABLE[speed]
    weave = complex(real, imaginary)
    known = np.sort_complex([weave, weave.conjugate(), capsize, caster])[::-1]
    assert eigenvalues(plant, float(speed)) == pytest.approx(known, abs=1e-11)


def test_the_linear_model_has_a_state_for_each_free_position(plant: il.Plant) -> None:
    """Nine positions of the bicycle less two that touch, three velocities; the benchmark inside."""
    speed = 3.7
    ahead = {"belt": -speed, "rear_wheel": speed / REAR_RADIUS, "lean": 0.0, "steer": 0.0}
    linear = plant.linearize(qd=ahead, inputs=["steering", "lean.effort"])
    names = list(linear.states)
    assert sorted(names) == sorted(
        [f"{k}.q" for k in ("lean", "steer", "rear_wheel", "x", "y", "yaw", "front_wheel")]
        + [f"{k}.qd" for k in ("lean", "steer", "rear_wheel")]
    )
    places = [names.index(k) for k in ("lean.q", "steer.q", "lean.qd", "steer.qd")]
    # the benchmark counts steer about an axis that points down: lean in the same sense, steer not
    sign = np.diag([1.0, -1.0, 1.0, -1.0])
    inner = linear.A[np.ix_(places, places)]
    assert inner == pytest.approx(sign @ canonical(speed) @ sign, abs=1e-9)
    # torques on steer and lean, by M⁻¹
    torques = linear.B[places[2:]][:, [1, 0]]
    turn = np.diag([1.0, -1.0])
    assert torques == pytest.approx(turn @ np.linalg.inv(M) @ turn, abs=1e-9)
    # heading and path: yaw' = (v steer + trail steer') cos(tilt) / wheelbase, y' = v yaw
    yaw, y = linear.A[names.index("yaw.q")], linear.A[names.index("y.q")]
    cos = math.cos(math.pi / 10)
    assert yaw[names.index("steer.q")] == pytest.approx(speed * cos / 1.02, abs=1e-9)
    assert yaw[names.index("steer.qd")] == pytest.approx(0.08 * cos / 1.02, abs=1e-9)
    assert y[names.index("yaw.q")] == pytest.approx(speed, abs=1e-9)
    # it stays on the treadmill, and rolls on the belt
    assert linear.rates[names.index("x.q")] == pytest.approx(0.0, abs=1e-12)
    assert linear.rates[names.index("front_wheel.q")] == pytest.approx(speed / 0.35, abs=1e-12)


def test_it_stands_as_an_inverted_pendulum_that_may_steer(plant: il.Plant) -> None:
    """At rest the same four eigenvalues, and two zeros: rolling ahead is free."""
    standing = plant.equilibrium()
    values, _ = standing.motion.eigen()
    known = [5.53094371765393, 3.13164324790656, 0.0, 0.0, -3.13164324790656, -5.53094371765393]
    assert np.sort(values.real)[::-1] == pytest.approx(known, abs=1e-9)
    assert np.abs(values.imag).max() == 0.0
    assert standing.stability == "unstable"


def test_a_run_grows_as_the_eigenvalue_says(plant: il.Plant) -> None:
    """Capsize at 8 m/s: after the other motions have died out, lean grows by exp(λ t)."""
    ahead = {"rear_wheel": 8.0 / REAR_RADIUS, "lean": 1e-6}
    run = plant.simulate(t_end=8.0, step=2e-3, qd=ahead)
    late = run.t > 5.0
    slope = np.polyfit(run.t[late], np.log(np.abs(run["lean.q"][late])), 1)[0]
    assert slope == pytest.approx(0.14327879765713, rel=1e-4)


def test_what_does_not_follow_the_way_is_refused(plant: il.Plant) -> None:
    with pytest.raises(il.InputError, match="which a sweep does not follow") as caught:
        plant.sweep("steering", [0.0, 0.1])
    assert "simulate" in caught.value.mistakes[0].fix
    t = np.linspace(0.0, 1.0, 9)
    with pytest.raises(il.InputError, match="which an inverse run does not follow"):
        plant.inverse_dynamics_run(t, {"lean": 0.0 * t, "steer": 0.1 * t, "rear_wheel": t})


def test_small_turns_about_a_body_that_turns() -> None:
    """Of a free body that spins about an axis, δ' = δom - om × δ: eigenvalues ± i w beside Euler's.

    A body with moments A, A, C that spins with w about its axis: om across it turns with
    (C - A) w / A (Euler), and small turns, seen in axes that turn, with -w.
    """
    across, about, spin = 0.3, 0.5, 2.4
    m = il.Model("top", gravity=(0.0, 0.0, 0.0))
    m.body("top", on=m.ground, joint=il.ball(), mass=1.0, inertia=(across, across, about))
    linear = m.compile(backend="python").linearize(qd={"top_wz": spin})
    found = np.sort(linear.eigenvalues.imag)
    euler = (about - across) / across * spin
    assert found == pytest.approx(np.sort([spin, -spin, euler, -euler, 0.0, 0.0]), abs=1e-8)
    assert np.abs(linear.eigenvalues.real).max() < 1e-8


def test_accelerations_far_from_upright_are_the_published_ones(plant: il.Plant) -> None:
    """Table 1 of Basu-Mandal et al. 2007, doi 10.1098/rspa.2007.1849: leaning 36°, steering 13°.

    Their angles count otherwise: psi = π/2 - lean, phi = π + pitch, theta, psi_f, beta_r and beta_f
    are yaw, steer and the angles of the wheels.
    """
    run = plant.simulate(t_end=1e-3, step=1e-3, q=LEANING, qd=FALLING)
    assert run["pitch.q"][0] == pytest.approx(3.1257073014894 - math.pi, abs=1e-12)
    rates = [run[f"{k}.qd"][0] for k in ("yaw", "pitch", "front_wheel")]
    assert rates == pytest.approx([0.7830033527065, -0.0119185528069, 8.0133620584155], abs=1e-12)
    for name, known in ACCELERATIONS.items():
        assert run[f"{name}.qdd"][0] == pytest.approx(known, abs=2e-12)
