"""The implicit method for real time: its linear equations, its order, and stiff laws at 1 ms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from four_bar_model import four_bar, four_bar_with_a_tail
from scipy.integrate import solve_ivp
from stiff_models import ARM_START, Bench, arm, bristle, differences

import inloop as il
from inloop.gallery.puma560.model import DH_TABLE, POSES, puma560
from inloop.native import FixedSteps, MachineSnapshot, Method, run_machine

G = 3e-4  # [s], of a step of about 1 ms


def at_rest(m: il.Model) -> None:
    """Stiff laws of every kind that exert no force in the arm's first position at rest."""
    plant = arm(name="places").compile()
    tip, end, anchor = (
        plant.position(p, ARM_START) for p in ("slide.tip", "other.end", "ground.anchor")
    )
    R_first = plant.pose("other", ARM_START)[1]

    def held(place, stiffness, damping):
        def law(p, v):
            off = [a - b for a, b in zip(p, place, strict=True)]
            cross = 0.3 * stiffness * off[1]  # not symmetric
            return tuple(-stiffness * x - damping * y - cross for x, y in zip(off, v, strict=True))

        return law

    def turned(w, R):
        skew = R[0][1] * R_first[0][2] - R[0][2] * R_first[0][1]
        return (-40.0 * w[0] + 3e4 * skew, -30.0 * w[1], -50.0 * w[2] + 9e3 * skew)

    def rocked(q, qd, z):
        slide, base, other = (x - ARM_START[i] for x, i in zip(q, (2, 0, 3), strict=True))
        stretch = slide + 0.4 * base - 0.7 * other
        rate = qd[0] + 0.4 * qd[1] - 0.7 * qd[2]
        pull = -5e4 * stretch - 90.0 * rate - 3e3 * z
        # not symmetric
        return (pull, 0.3 * pull, -0.7 * pull - 20.0 * qd[0]), {"z": 4.0 * rate - 700.0 * z}

    def strut(l, ld, z):
        return 4e5 * (l - math.dist(tip, anchor)) + 300.0 * ld + 2e4 * z, {
            "z": 5.0 * ld - 900.0 * z
        }

    m.joint_force("base", bristle(4e5, 300.0, 5.0, 60.0), states={"z": 0.0})
    m.joint_force("slide", lambda q, qd: -9e5 * (q - ARM_START[2]) - 800.0 * qd)
    m.coupled_force(["slide", "base", "other"], rocked, states={"z": 0.0})
    m.line_force("slide.tip", "ground.anchor", strut, states={"z": 0.0})
    m.line_force(
        "slide.tip", "other.end", lambda l, ld: 2e5 * (l - math.dist(tip, end)) + 100.0 * ld
    )
    m.force("slide.tip", held(tip, 1e5, 200.0), frame="world")
    m.force("other.end", held(end, 2e5, 150.0), frame="body")
    m.torque("other", turned, frame="world")
    m.torque("other", turned, frame="body")


def test_the_predictor_solves_with_the_slopes_of_all_laws() -> None:
    """Against a dense solution with the slopes of tau_L = c - c_L and of the rates, by differences.

    Without force the slopes of J do not matter: W is all of what laws add to ∂f/∂x.
    """
    plant, bare = arm(at_rest).compile(), arm().compile()
    n, m = 4, 3
    q, qd, z = np.array(ARM_START), np.zeros(n), np.array([2e-5, 0.0, 0.0])
    tau = np.array([3.0, -20.0, 40.0, 5.0])
    bench = Bench(plant, Method.IMPLICIT, tau)
    x = bench.start(q, qd, z)

    def efforts(x: np.ndarray) -> np.ndarray:
        at = {"q": x[:n], "qd": x[n : 2 * n]}
        return bare.bias(**at) - plant.evaluate("bias", z=x[2 * n :], **at)["c"]

    M = plant.mass_matrix(q)
    W = np.zeros((2 * n + m, 2 * n + m))
    W[:n, n : 2 * n] = np.eye(n)
    W[n : 2 * n] = np.linalg.solve(M, differences(efforts, x))
    W[2 * n :] = differences(lambda x: bench.rates(0.0, x)[2 * n :], x)
    assert np.abs(W[n : 2 * n, 2 * n :]).min(axis=0).max() > 0.0 and np.abs(W).max() > 1e6
    f = bench.rates(0.0, x)
    expected = np.linalg.solve(np.eye(len(x)) - G * W, f)
    assert np.linalg.norm(expected - f) > 0.5 * np.linalg.norm(f)  # the laws do matter
    k = bench.predict(0.0, x, G)
    assert k == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())
    # at the same place, the corrector
    y = bench.correct(0.0, x, G, 1.7, k)
    again = np.linalg.solve(np.eye(len(x)) - G * W, 1.7 * f - k)
    assert y == pytest.approx(again, rel=1e-5, abs=1e-5 * np.abs(again).max())


def test_a_law_that_drives_apart_is_left_out_of_the_matrix() -> None:
    """A slope of -m/g would make it singular."""
    m = il.Model("falling", gravity=(0, 0, 0))
    m.body("ball", on=m.ground, joint=il.prismatic("x", initial=(0.01, 0.0)), mass=2.0)
    m.joint_force("ball", lambda q, qd, z: (2.0 / G * qd, {"z": z / G}), states={"z": 0.3})
    bench = Bench(m.compile(), Method.IMPLICIT)
    k = bench.predict(0.0, np.array([0.01, 0.5, 0.3]), G)
    assert k == pytest.approx([0.5 + G * 0.5 / G, 0.5 / G, 0.3 / G], rel=1e-12)


def smooth_laws(m: il.Model) -> None:
    """Of moderate stiffness, without corners; one depends on time."""

    def creeping(l, ld, z):
        return 300.0 * (l - 0.5) + 4.0 * ld + 50.0 * z, {"z": 2.0 * ld - 30.0 * z * (1.0 + z)}

    def soft(p, v):
        return tuple(-k * x - 3.0 * y for k, x, y in zip((100.0, 150.0, 80.0), p, v, strict=True))

    m.joint_force("slide", lambda q, qd, t: -900.0 * (q - 0.5) - 8.0 * qd + 2.0 * il.sin(3.0 * t))
    m.joint_force(
        "base",
        lambda qd, z: (-(40.0 * z + 0.5 * qd), {"z": qd - 6.0 * il.sqrt(qd * qd + 0.01) * z}),
        states={"z": 0.0},
    )
    m.line_force("slide.tip", "ground.anchor", creeping, states={"z": 0.01})
    m.force("other.end", soft, frame="body")
    m.coupled_force(
        ("base", "other"),
        lambda q, qd, t: (40.0 * (q[1] - q[0]) - il.cos(2.0 * t), 60.0 * q[0] - 2.0 * qd[1]),
    )
    m.torque("upper", lambda w, R: (-3 * w[0] + 20 * R[1][2], -2 * w[1], -w[2]))
    m.bushing("upper", "other", (200.0, 300.0, 150.0, 20.0, 10.0, 15.0), (2.0,) * 6)


def orders(plant: il.Plant, t_end: float, steps: tuple[int, ...], **more) -> np.ndarray:
    """Measured orders, against SciPy on the same rates."""
    exact = plant.simulate(t_end=t_end, step=t_end, method="scipy", tolerance=1e-11, **more)
    assert np.abs(exact.q[-1] - exact.q[0]).max() > 0.04
    errors = []
    for count in steps:
        found = plant.simulate(t_end=t_end, step=t_end / count, method="implicit", **more)
        last = [np.abs(found.q[-1] - exact.q[-1]).max(), np.abs(found.qd[-1] - exact.qd[-1]).max()]
        names = [state.name for state in plant.mechanism.states]
        last += [abs(found[name][-1] - exact[name][-1]) for name in names]
        errors.append(last)
    return np.log2(np.array(errors[:-1]) / errors[1:])


def test_order_with_all_kinds_of_laws() -> None:
    found = orders(arm(smooth_laws).compile(), 0.5, (400, 800, 1600))
    assert found.min() > 1.8
    assert np.median(found) < 2.5


def test_order_without_laws() -> None:
    assert orders(arm().compile(), 0.5, (200, 400, 800)) == pytest.approx(2.0, abs=0.3)


def linkage_laws(m: il.Model) -> None:
    m.joint_force(
        "rocker",
        lambda qd, z: (-(8.0 * z + 0.01 * qd), {"z": qd - 6.0 * il.sqrt(qd * qd + 0.01) * z}),
        states={"z": 0.0},
    )
    m.spring("coupler.end", "crank.pin", 0.0, 0.0, free_length=1.0)
    m.spring("rocker.tip", "ground", 60.0, 0.5, free_length=0.5)


def test_order_of_a_closed_mechanism() -> None:
    found = orders(four_bar(linkage_laws).compile(), 0.5, (200, 400, 800))
    assert found == pytest.approx(2.0, abs=0.3)


@pytest.mark.long
def test_order_with_a_driven_joint() -> None:
    found = orders(four_bar_with_a_tail().compile(), 1.0, (200, 400, 800))
    assert found == pytest.approx(2.0, abs=0.3)


@pytest.mark.long
def test_order_with_friction_from_joint_reactions() -> None:
    """The reaction depends on accelerations, which the predictor knows to first order only."""
    m = arm(name="pressed")
    m.lugre(
        "slide", stiffness=20.0, damping=1.0, coulomb=0.4, viscous=0.1, elastic=0.0,
        normal="reaction", reaction_time=0.05, reaction_start=10.0,
    )  # fmt: skip
    found = orders(m.compile(), 0.1, (200, 400, 800), qd={"slide": 1.0})
    assert found.min() > 1.7


def test_dense_output_is_of_second_order() -> None:
    plant = arm(smooth_laws).compile()
    bench = Bench(plant, Method.IMPLICIT)
    x = bench.start(np.array(ARM_START), np.zeros(4), plant.first_states)
    errors = []
    exact = solve_ivp(
        bench.rates, (0.0, 0.3), x, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True
    )
    for count in (150, 300, 600):
        schedule = FixedSteps(Method.IMPLICIT, 0.3 / count, count, sample=7.7e-4)
        found = run_machine(bench.held.table, MachineSnapshot(0, x), schedule)
        errors.append(np.abs(found.x - exact.sol(found.t).T).max(axis=0))
    assert np.median(np.log2(np.array(errors[:-1]) / errors[1:])) == pytest.approx(2.0, abs=0.4)


# stiff laws at 1 ms


def block(law, states=None, mass: float = 1.0, name: str = "block") -> il.Plant:
    m = il.Model(name, gravity=(0, 0, 0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=mass)
    m.joint_force("block", law, states=states)
    return m.compile()


@pytest.mark.parametrize("damping", [0.0, 10.0, 6000.0])
def test_a_stiff_spring_settles(damping: float) -> None:
    """k = 1e7 N/m on 1 kg, 3 steps of 1 ms per radian: RK4 explodes."""
    plant = block(lambda q, qd: -1e7 * (q - 1e-3) - damping * qd)
    result = plant.simulate(t_end=0.5, step=1e-3, method="implicit", tau={"block": 50.0})
    assert result.q[-1, 0] == pytest.approx(1e-3 + 50.0 / 1e7, rel=1e-9)
    assert np.abs(result.q).max() < 4e-3
    with pytest.raises(il.SimulationError, match="'block' would exceed its bound") as ended:
        plant.simulate(t_end=0.5, step=1e-3, method="rk4", tau={"block": 50.0})
    assert np.abs(ended.value.result.q).max() > 1e3


def test_two_masses_on_a_stiff_spring_move_as_one() -> None:
    """The slow motion is that of both masses together on the soft spring, to second order."""
    m = il.Model("train", gravity=(0, 0, 0))
    first = m.body("first", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.0)), mass=0.7)
    m.body("second", on=first, joint=il.prismatic("x"), mass=0.4)
    m.joint_force("first", lambda q: -300.0 * q)
    m.joint_force("second", lambda q, qd: -1e7 * q - 100.0 * qd)
    plant = m.compile()
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        result = plant.simulate(t_end=1.0, step=step, method="implicit")
        errors.append(abs(result["first.q"][-1] - 0.1 * math.cos(math.sqrt(300.0 / 1.1))))
    assert errors[-1] < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("driven", [False, True])
def test_a_stiff_spring_follows_a_motion(driven: bool) -> None:
    """Steps of 2 ms lag behind by h² a, not by h v: ∂f/∂t of laws and drives is in the method."""

    def way(t):
        return 0.3 * il.sin(5.0 * t)

    m = il.Model("puppet", gravity=(0, 0, 0))
    m.body("block", on=m.ground, joint=il.prismatic("x", initial=(0.0, 1.5)), mass=1.0)
    if driven:
        m.body("hand", on=m.ground, joint=il.prismatic("x"), mass=0.1)
        m.drive("hand", way)
        m.ground.point("far", (-2.0, 0, 0))
        m.bushing("hand", "block", (1e7, 0, 0, 0, 0, 0), (3000.0, 0, 0, 0, 0, 0))
    else:

        def pull(q, qd, t):
            return -1e7 * (q - way(t)) - 3000.0 * (qd - 1.5 * il.cos(5.0 * t))

        m.joint_force("block", pull)
    result = m.compile().simulate(t_end=2.0, step=2e-3, method="implicit")
    lag = result["block.q"] - 0.3 * np.sin(5.0 * result.t)
    assert np.abs(lag).max() < 4e-6 * 0.3 * 25.0
    assert np.abs(lag).max() > 0.0


@pytest.mark.parametrize("sigma0", [1e5, 1e6])
def test_lugre_sticks(sigma0: float) -> None:
    """Below the level the block comes to rest on bristles that carry all of the load."""
    level, push = 2.0, 1.2
    plant = block(bristle(sigma0, math.sqrt(sigma0), 0.4, level), {"z": 0.0})
    result = plant.simulate(t_end=2.0, step=1e-3, method="implicit", tau={"block": push})
    assert 0.5 * push / sigma0 < result["block.q"][-1] < 5.0 * push / sigma0
    assert np.ptp(result["block.q"][500:]) < 1e-3 * push / sigma0
    z = next(k for k in result.signals if k.endswith(".z"))
    assert result[z][-1] == pytest.approx(push / sigma0, rel=1e-3)


@pytest.mark.parametrize("sigma0", [1e5, 1e6])
def test_lugre_slides(sigma0: float) -> None:
    """m qdd = F - Fc - σ2 qd once it slides, in closed form."""
    level, push, viscous = 2.0, 5.0, 0.4
    plant = block(bristle(sigma0, math.sqrt(sigma0), viscous, level), {"z": 0.0})
    result = plant.simulate(t_end=3.0, step=1e-3, method="implicit", tau={"block": push})
    speed = (push - level) / viscous * (1.0 - np.exp(-viscous * result.t))
    # friction builds up during the first step
    assert np.abs(result["block.qd"] - speed).max() < level * 1e-3
    z = next(k for k in result.signals if k.endswith(".z"))
    assert result[z][100:] == pytest.approx(level / sigma0, rel=1e-6)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("sigma0", [1e5, 1e6])
def test_lugre_stops_and_turns_round(sigma0: float) -> None:
    """Pushed to and fro through sticking and sliding, against LSODA on equations by hand."""
    level, viscous, sigma1 = 2.0, 0.4, math.sqrt(sigma0)
    m = il.Model("shaken", gravity=(0, 0, 0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.joint_force("block", bristle(sigma0, sigma1, viscous, level), states={"z": 0.0})
    m.joint_force("block", lambda t: 2.5 * il.sin(3.0 * t), name="push")
    result = m.compile().simulate(t_end=4.0, step=1e-3, method="implicit")

    def rates(t, x):
        _, v, z = x
        zd = v - sigma0 * abs(v) / level * z
        return [v, 2.5 * math.sin(3.0 * t) - sigma0 * z - sigma1 * zd - viscous * v, zd]

    exact = solve_ivp(
        rates, (0.0, 4.0), [0.0, 0.0, 0.0], method="LSODA", rtol=1e-9, atol=1e-13, t_eval=result.t
    )
    assert np.ptp(exact.y[0]) > 0.04  # it slides
    assert (np.abs(exact.y[1]) < 1e-3).sum() > 500  # and sticks
    assert np.abs(result.q[:, 0] - exact.y[0]).max() < 2e-3 * np.ptp(exact.y[0])


def test_a_robot_with_friction_in_all_joints() -> None:
    """PUMA 560 with bristles that bend by 50 µrad, through sticking and sliding, against RODAS."""
    m = puma560()
    for number, row in enumerate(DH_TABLE, start=1):
        coulomb = abs(row.gear * row.coulomb[0])
        m.lugre(
            f"joint_{number}", stiffness=coulomb / 50e-6, damping=20.0 * coulomb,
            viscous=row.gear**2 * row.viscous, coulomb=coulomb, static=1.5 * coulomb,
            stribeck=0.02,
        )  # fmt: skip
    plant = m.compile()
    rest = np.zeros(6)
    push = np.array([40.0, -60.0, 15.0, 3.0, 3.0, 0.1])  # the last joint sticks
    tau = plant.inverse_dynamics(POSES["q_n"], rest, rest) + push
    exact = plant.simulate(t_end=0.5, step=0.1, method="rodas", tolerance=1e-8, tau=tau)
    moved = np.ptp(exact.q, axis=0)
    assert moved[:5].min() > 0.2 and moved[5] < 0.05
    # 2 ms are too long for bristles that break away, but the run goes on near the right one
    for step, allowed in ((2e-3, 0.3), (1e-3, 2e-3), (5e-4, 5e-4)):
        found = plant.simulate(t_end=0.5, step=step, method="implicit", tau=tau)
        assert np.abs(found.q[-1] - exact.q[-1]).max() < allowed


def test_a_stiff_law_in_a_closed_mechanism() -> None:
    """A rocker held by 1e6 N·m/rad: the linkage comes to rest where statics says."""
    angle = four_bar().compile().simulate(t_end=0.0, q={"crank": 1.0}).q[0]

    def laws(m: il.Model) -> None:
        m.joint_force("rocker", lambda q, qd: -1e6 * (q - float(angle[2])) - 100.0 * qd)

    plant = four_bar(laws).compile()
    result = plant.simulate(t_end=1.0, step=1e-3, method="implicit", q={"crank": 1.0})
    assert result.status == "OK"
    assert np.abs(result.qd[-1]).max() < 1e-9
    assert np.abs(result.q - result.q[0]).max() < 1e-3
    assert result.constraint_violation < 1e-12
    # virtual work at rest: what gravity asks of the joints, seen from the crank
    effort = plant.inverse_dynamics(result.q[-1], np.zeros(3), np.zeros(3))
    turn = np.linalg.svd(plant.evaluate("constraints", q=result.q[-1], qd=np.zeros(3))["J"])[2][-1]
    assert effort @ turn == pytest.approx(0.0, abs=1e-6 * np.abs(effort).max())
    assert np.abs(effort).max() > 1.0


# runs


def test_runs_repeat_and_continue_to_the_last_bit() -> None:
    for plant in (arm(smooth_laws).compile(), four_bar(linkage_laws).compile()):
        whole = plant.simulate(t_end=0.4, step=1e-3, method="implicit")
        again = plant.simulate(t_end=0.4, step=1e-3, method="implicit")
        half = plant.simulate(t_end=0.2, step=1e-3, method="implicit")
        rest = plant.simulate(t_end=0.4, step=1e-3, method="implicit", start=half)
        assert (whole.q == again.q).all() and (whole.qd == again.qd).all()
        assert (whole.q[200:] == rest.q).all() and (whole.qd[200:] == rest.qd).all()


def test_a_mechanism_that_is_driven_altogether_leaves_the_states() -> None:
    """z' = v - σ0 |v| z / level with a given velocity, against SciPy."""
    m = il.Model("shown", gravity=(0, 0, 0))
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=1.0)
    m.drive("block", lambda t: 0.01 * il.sin(6.0 * t))
    m.joint_force("block", bristle(1e3, 3.0, 0.1, 2.0), name="f", states={"z": 0.0})
    result = m.compile().simulate(t_end=1.0, step=1e-3, method="implicit")

    def rate(t, z):
        v = 0.06 * np.cos(6.0 * t)
        return v - 1e3 * np.abs(v) / 2.0 * z

    exact = solve_ivp(rate, (0.0, 1.0), [0.0], rtol=1e-9, atol=1e-12, t_eval=result.t)
    assert np.abs(result["f.z"] - exact.y[0]).max() < 1e-3 * np.abs(exact.y[0]).max()


def test_a_law_that_gives_nan_ends_the_run_with_the_last_good_state() -> None:
    plant = block(lambda q, qd: -100.0 * q - il.sqrt(0.05 - q))
    with pytest.raises(il.SimulationError, match="'block_effort' has no finite value") as caught:
        plant.simulate(t_end=1.0, step=1e-3, method="implicit", tau={"block": 20.0})
    result = caught.value.result
    assert result.status == "DIVERGED" and 10 < len(result.t) < 1000
    assert np.isfinite(result.q).all() and 0.045 < result.q[-1, 0] < 0.052


def test_without_an_error_estimate_it_takes_fixed_steps() -> None:
    with pytest.raises(il.InputError, match="no error estimate"):
        block(lambda q: -q).simulate(t_end=1.0, method="implicit", tolerance=1e-6)
