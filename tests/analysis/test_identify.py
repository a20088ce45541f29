"""Base parameters, least squares, excitation, and runs as sources of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from puma_trials import PumaTrials
from random_trees import random_tree

import inloop as il
from inloop.analysis.identify.closing import Closing
from inloop.analysis.identify.filtering import ZeroPhaseFilter
from inloop.gallery.puma560.model import puma560
from inloop.realtime.recordings.recorder import Recorder

Controller = Callable[[float, Mapping[str, float]], dict[str, float]]


def two_links() -> il.Model:
    """A double pendulum in the plane, with motors."""
    m = il.Model("two_links")
    first = m.body(
        "upper", on=m.ground, joint=il.revolute("y", armature=0.05),
        mass=1.2, com=(0.1, 0.02, 0.3), inertia=(0.1, 0.11, 0.12),
    )  # fmt: skip
    m.body(
        "lower", on=first.point("elbow", (0.0, 0.0, 0.5)), joint=il.revolute("y", armature=0.02),
        mass=0.7, com=(0.05, 0.0, 0.2), inertia=(0.01, 0.02, 0.02),
    )  # fmt: skip
    return m


def random_states(
    plant: il.Plant, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    motion = Closing(plant).random_states(count, seed)
    return motion.q, motion.qd, motion.qdd


@pytest.fixture(scope="module")
def links() -> il.Plant:
    return two_links().compile()


@pytest.fixture(scope="module")
def trials() -> PumaTrials:
    return PumaTrials()


# base parameters


def test_double_pendulum_in_closed_form(links: il.Plant) -> None:
    base = il.identify.base_parameters(links, armature=False)
    assert dict(zip(base.names, base.formulas, strict=True)) == {
        "upper.J.yy": "upper.J.yy + 0.25 lower.mass",
        "upper.mc.x": "upper.mc.x",
        "upper.mc.z": "upper.mc.z + 0.5 lower.mass",
        "lower.J.yy": "lower.J.yy",
        "lower.mc.x": "lower.mc.x",
        "lower.mc.z": "lower.mc.z",
    }
    assert {"upper.mass", "upper.J.xx", "lower.mc.y"} <= set(base.unseen)
    assert "lower.mass" not in base.unseen
    # the armature of the second joint turns with neither body, so it can be told from J
    with_motors = il.identify.base_parameters(links)
    assert len(with_motors) == 7
    assert with_motors.formulas[0] == "upper.J.yy + 0.25 lower.mass + upper.armature"


def test_number_of_base_parameters_of_the_puma() -> None:
    """36 of links (Mayeda et al. 1990: 7·6 - 4 - 2, first axis vertical), 40 with four motors.

    Motors of joints 1 and 2 cannot be told from the links: Gautier & Khalil 1990.
    """
    plant = puma560().compile()
    assert len(il.identify.base_parameters(plant, armature=False)) == 36
    base = il.identify.base_parameters(plant)
    assert len(base) == 40
    motors = [name for name in base.names if name.endswith(".armature")]
    assert motors == [f"joint_{k}.armature" for k in (3, 4, 5, 6)]
    # grouping by the rules of Khalil & Dombre 2002, §9.4.2: mass, first moment along z and one
    # moment of inertia of each link go to the link before, over a2, a3, d3, d4 of the table
    a2, a3, d3, d4 = 0.4318, 0.0203, 0.15005, 0.4318
    group = dict(zip(base.names, base.grouping, strict=True))
    masses = [base.regressor.index(f"link_{k}.mass") for k in (3, 4, 5, 6)]
    expected = {
        "link_2.mc.x": [a2, a2, a2, a2],
        "link_2.J.zz": [a2**2, a2**2, a2**2, a2**2],
        "link_2.J.xx": [-(a2**2)] * 4,
        "link_2.J.xz": [0.0, -a2 * d3, -a2 * d3, -a2 * d3],
        "link_3.mc.x": [0.0, a3, a3, a3],
        "link_3.mc.y": [0.0, 0.0, d4, d4],
        "link_3.J.zz": [0.0, a3**2, a3**2 + d4**2, a3**2 + d4**2],
    }
    for name, factors in expected.items():
        np.testing.assert_allclose(group[name][masses], factors, rtol=0, atol=1e-9, err_msg=name)
    assert group["link_2.J.zz"][base.regressor.index("joint_2.armature")] == pytest.approx(1.0)
    assert group["link_1.J.zz"][base.regressor.index("joint_1.armature")] == pytest.approx(1.0)
    # and the kept columns say all that all columns say, at other states than those of the search
    Y = base.regressor(*random_states(plant, 20, seed=99))
    found = Y[..., list(base.kept)] @ base.grouping
    np.testing.assert_allclose(found, Y, rtol=0, atol=1e-9 * np.abs(Y).max())


@pytest.mark.parametrize("seed", range(4, 8))
def test_random_trees(seed: int) -> None:
    """As many as the rank of the regressor at other states, and nothing is lost with the rest."""
    plant = random_tree(seed, size=seed - 2).model().compile(backend="python")
    base = il.identify.base_parameters(plant)
    Y = base.regressor(*random_states(plant, 120, seed=7)).reshape(-1, len(base.regressor.names))
    seen = [k for k, name in enumerate(base.regressor.names) if name not in base.unseen]
    unit = Y[:, seen] / np.linalg.norm(Y[:, seen], axis=0)
    values = np.linalg.svd(unit, compute_uv=False)
    assert values[len(base) - 1] > 1e-5 * values[0]
    assert len(base) == len(seen) or values[len(base)] < 1e-12 * values[0]
    found = Y[:, list(base.kept)] @ base.grouping
    np.testing.assert_allclose(found, Y, rtol=0, atol=1e-9 * np.abs(Y).max())


def test_sliding_joint() -> None:
    """A body on a rail tells its mass, and nothing of its moments of inertia."""
    m = il.Model("rail")
    m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0, inertia=(0.1, 0.2, 0.3))
    base = il.identify.base_parameters(m.compile())
    assert base.formulas == ("cart.mass + cart.armature",)


# least squares


def test_puma_from_noisy_measurements(trials: PumaTrials) -> None:
    """Encoders of 4000 counts, efforts with 1 % noise; all 58 base parameters."""
    errors = np.abs([trials.deviations(seed) for seed in (0, 1)])
    assert np.mean(errors < 3.0) >= 0.95
    assert 0.5 < np.mean(errors**2) < 1.6  # deviations are neither too small nor too large


@pytest.mark.long
def test_puma_two_hundred_times(trials: PumaTrials) -> None:
    """Each parameter lies within three of its deviations in 95 % of the trials."""
    errors = np.abs([trials.deviations(seed) for seed in range(200)])
    assert np.mean(errors < 3.0, axis=0).min() >= 0.95
    assert 0.9 < np.mean(errors**2) < 1.1


def test_motion_that_does_not_tell_everything(links: il.Plant) -> None:
    """With the elbow still, the second body cannot be told from the first."""
    t = np.arange(0.0, 4.0, 0.01)
    still = np.zeros_like(t)
    q = np.stack([0.8 * np.sin(3.0 * t), still + 0.4], axis=1)
    qd = np.stack([2.4 * np.cos(3.0 * t), still], axis=1)
    qdd = np.stack([-7.2 * np.sin(3.0 * t), still], axis=1)
    tau = links.inverse_dynamics(q, qd, qdd)
    found = il.identify.fit(links, t, q, tau, qd=qd, qdd=qdd, friction=())
    assert len(found.values) < 7
    assert any("the motion does not separate" in note for note in found.notes)
    # what it does tell is right: efforts are those measured
    np.testing.assert_allclose(found.residuals, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.values, found.base.values, rtol=1e-6)


def test_force_laws_are_known() -> None:
    m = two_links()
    m.joint_force("lower", lambda q, qd: -3.0 * q - 0.2 * qd, name="spring")
    plant = m.compile()
    q, qd, qdd = random_states(plant, 50, seed=4)
    t = np.arange(50.0)
    tau = plant.inverse_dynamics(q, qd, qdd)
    found = il.identify.fit(plant, t, q, tau, qd=qd, qdd=qdd, armature=False, friction=())
    np.testing.assert_allclose(found.values, found.base.values, rtol=1e-9, atol=1e-12)
    assert "taken as known: force laws spring" in found.notes
    assert "taken as known: armatures of the model" in found.notes


def test_what_noise_hides_is_told(links: il.Plant) -> None:
    """There is no friction: what was found of it is hardly larger than its deviation."""
    q, qd, qdd, t = *_smooth_motion(links), np.arange(0.0, 6.0, 0.01)
    noise = 0.1 * np.random.default_rng(6).normal(size=q.shape)
    found = il.identify.fit(links, t, q, links.inverse_dynamics(q, qd, qdd) + noise, qd=qd, qdd=qdd)
    names = [f"{joint}.{kind}" for kind in ("viscous", "coulomb") for joint in links.coordinates]
    assert set(found.weak) >= {"upper.viscous", "upper.coulomb"}
    assert set(found.weak) <= {*names, "lower.armature"}
    np.testing.assert_allclose(found.noise, 0.1, rtol=0.15)


def test_inputs_of_the_plant_are_known() -> None:
    """A motor that is an input of the model, and a joint without one."""
    m = two_links()
    push = m.input("push", unit="N·m")
    m.joint_force("upper", lambda: 2.0 * push, name="motor")
    plant = m.compile()
    q, qd, qdd = random_states(plant, 60, seed=4)
    tau = plant.inverse_dynamics(q, qd, qdd)  # with push = 0
    tau[:, 0], push_ = 0.0, tau[:, 0] / 2.0
    t = np.arange(60.0)
    found = il.identify.fit(plant, t, q, tau, qd=qd, qdd=qdd, inputs={"push": push_}, friction=())
    np.testing.assert_allclose(found.values, found.base.values, rtol=1e-9, atol=1e-12)


def test_wrong_friction_is_seen_in_the_residuals(links: il.Plant) -> None:
    q, qd, qdd, t = *_smooth_motion(links), np.arange(0.0, 6.0, 0.01)
    tau = links.inverse_dynamics(q, qd, qdd) + 0.5 * np.abs(qd) * qd
    found = il.identify.fit(links, t, q, tau, qd=qd, qdd=qdd)
    assert any("residuals of upper are correlated" in note for note in found.notes)


def _smooth_motion(plant: il.Plant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    motion = il.identify.Excitation(
        plant.coordinates, 6.0, np.array([0.2, -0.3]),
        np.array([[1.0, -0.4, 0.7], [0.5, 0.9, -1.1]]),
        np.array([[-0.3, 0.8, 0.2], [0.6, -0.2, 1.3]]),
    )  # fmt: skip
    return motion(np.arange(0.0, 6.0, 0.01))


# runs

RATE = 500  # of the controller [Hz]


@pytest.fixture(scope="module")
def motion(links: il.Plant) -> il.identify.Excitation:
    return il.identify.excitation(
        links, speed=4.0, acceleration=15.0, period=3.0, friction=(), seed=1, iterations=5
    )


@pytest.fixture(scope="module")
def controller(links: il.Plant, motion: il.identify.Excitation) -> Controller:
    """Leads the links along a motion that was looked for."""

    def efforts(t: float, y: Mapping[str, float]) -> dict[str, float]:
        q, qd, _ = (rows[0] for rows in motion([t]))
        return {
            f"{name}.tau": 800.0 * (q[k] - y[f"{name}.q"]) + 40.0 * (qd[k] - y[f"{name}.qd"])
            for k, name in enumerate(links.coordinates)
        }

    return efforts


@pytest.fixture(scope="module")
def run(links: il.Plant, motion: il.identify.Excitation, controller: Controller) -> il.Result:
    q, qd, _ = motion([0.0])
    return links.simulate(
        t_end=6.0, step=1 / RATE, q=q[0], qd=qd[0], controller=controller, period=1 / RATE
    )


def test_simulated_run(links: il.Plant, run: il.Result) -> None:
    found = il.identify.fit_run(links, run, cutoff=20.0)
    inertial = 7
    np.testing.assert_allclose(found.values[:inertial], found.base.values[:inertial], rtol=1e-3)
    np.testing.assert_allclose(found.values[inertial:], 0.0, atol=2e-4)  # there is no friction
    # efforts half a sample late would be seen
    late = {f"{name}.tau": run[f"{name}.tau"] for name in links.coordinates}
    wrong = il.identify.fit(
        links, run.t, run.q, np.stack(list(late.values()), 1), qd=run.qd, cutoff=20.0
    )
    assert np.abs(wrong.values - found.values).max() > 1e-3


def test_recorded_run(
    links: il.Plant, motion: il.identify.Excitation, controller: Controller, tmp_path: Path
) -> None:
    """A controller at a mailbox, on a scripted clock, and what a recorder has seen of it."""
    file = tmp_path / "run.mcap"
    q, qd, _ = motion([0.0])
    options = {"clock": il.ScriptedClock(), "stale_after": None, "name": "identified"}
    with il.start(links, rate=RATE, q=q[0], qd=qd[0], **options) as loop:
        box = il.attach("identified")
        with box, Recorder(box, file) as recorder:
            for _ in range(4 * RATE):
                outputs = box.read()
                box.write(**controller(outputs["t"], outputs))
                loop.clock.advance(1 / RATE)
            while recorder.take():
                pass
            recorder.finish()
    recording = il.read(file)
    assert not recording.gaps and len(recording.t) == 4 * RATE + 1
    found = il.identify.fit_run(links, recording, cutoff=20.0)
    inertial = 7
    np.testing.assert_allclose(found.values[:inertial], found.base.values[:inertial], rtol=1e-3)
    np.testing.assert_allclose(found.values[inertial:], 0.0, atol=2e-4)


def test_identified_parameters_in_a_model(links: il.Plant, run: il.Result) -> None:
    """The guess is far off; the identified model needs the efforts of the true one."""
    off = two_links().compile(live="all")
    inertia = {"lower.inertia.xx": 0.15, "lower.inertia.yy": 0.2, "lower.inertia.zz": 0.1}
    off.parameters.update({"upper.mass": 3.0, "lower.com.z": 0.05, **inertia})
    found = il.identify.fit_run(off, run, cutoff=20.0)
    other = il.compile_mechanism(found.mechanism())
    q, qd, qdd = random_states(links, 20, seed=8)
    expected = links.inverse_dynamics(q, qd, qdd)
    assert np.abs(off.inverse_dynamics(q, qd, qdd) - expected).max() > 1.0
    np.testing.assert_allclose(other.inverse_dynamics(q, qd, qdd), expected, atol=5e-3)
    live = {name: value for name, value in found.parameters.items() if name in off.parameters}
    off.parameters.update(live)
    np.testing.assert_allclose(off.inverse_dynamics(q, qd, qdd), expected, atol=5e-3)


def test_table_and_figure(links: il.Plant, run: il.Result, tmp_path: object) -> None:
    found = il.identify.fit_run(links, run, cutoff=20.0)
    text = str(found)
    assert "upper.J.yy + 0.25 lower.mass + upper.armature" in text
    assert "not identified: upper.mass" in text
    figure = found.plot(joints=["lower"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["lower [N·m]"]


# excitation


def test_excitation_keeps_limits_and_tells_more(links: il.Plant) -> None:
    options = {"speed": {"upper": 2.0, "lower": 3.0}, "acceleration": 9.0, "period": 5.0}
    position = {"upper": (-0.5, 1.5)}
    found = il.identify.excitation(links, position=position, seed=3, iterations=20, **options)
    assert found.condition < 0.6 * found.first_condition
    t = np.linspace(0.0, 5.0, 4001)
    q, qd, qdd = found(t)
    assert q[:, 0].min() >= -0.5 and q[:, 0].max() <= 1.5
    assert np.all(np.abs(q[:, 1]) <= np.pi)
    assert np.all(np.abs(qd).max(axis=0) <= [2.0, 3.0])
    assert np.abs(qdd).max() <= 9.0
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-4)
    again = il.identify.excitation(links, position=position, seed=3, iterations=20, **options)
    assert np.array_equal(again.sines, found.sines)


# filtering


@pytest.mark.parametrize("what", ["position", "speed", "acceleration"])
def test_limits_of_unknown_joints_are_refused(links: il.Plant, what: str) -> None:
    both = {"upper": 1.0, "lower": 1.0}
    limits = {"position": {}, "speed": both, "acceleration": both}
    limits[what] = {**limits[what], "uper": (0.0, 1.0)}
    with pytest.raises(il.InputError, match=f"{what} of 'uper'.*Did you mean upper"):
        il.identify.excitation(links, period=3.0, **limits)


def test_filter_keeps_what_is_slow_and_differentiates_it() -> None:
    t = np.arange(0.0, 12.0, 2e-3)
    w = 2.0 * np.pi * 1.1
    y = 0.3 + 0.4 * t + np.sin(w * t)
    smooth = ZeroPhaseFilter.for_samples(t, 10.0)
    inner = slice(smooth.settling, -smooth.settling)
    rates = (y, 0.4 + w * np.cos(w * t), -(w**2) * np.sin(w * t))
    for order, expected in enumerate(rates):
        found = smooth(y[:, None], order)[:, 0]
        np.testing.assert_allclose(found[inner], expected[inner], atol=1e-4 * w**order)


def test_filtered_noise_is_white_where_it_is_sampled() -> None:
    noise = np.random.default_rng(0).normal(size=(400_000, 1))
    smooth = ZeroPhaseFilter(1e-3, 20.0)
    kept = smooth(noise)[:: smooth.stride, 0]
    assert abs(np.corrcoef(kept[1:], kept[:-1])[0, 1]) < 0.1
    # its mean over long times is as uncertain as that of the noise it came from
    assert len(kept) / kept.var() <= 1.05 * len(noise)


# what is refused


def test_refusals(links: il.Plant) -> None:
    from inloop.gallery.bouncing_ball import bouncing_ball

    with pytest.raises(il.InputError, match="has modes: its efforts do not follow"):
        il.identify.regressor(bouncing_ball().compile())
    with pytest.raises(il.InputError, match="no friction 'stribeck'"):
        il.identify.base_parameters(links, friction="stribeck")
    t, rest = np.arange(0.0, 1.0, 0.01), np.zeros((100, 2))
    with pytest.raises(il.InputError, match="without a filter"):
        il.identify.fit(links, t, rest, rest)
    with pytest.raises(il.InputError, match="not equally spaced"):
        il.identify.fit(links, t**1.1, rest, rest, cutoff=5.0)
    with pytest.raises(il.InputError, match=r"needs \(100, 2\)"):
        il.identify.fit(links, t, rest[:, :1], rest, cutoff=5.0)
    with pytest.raises(il.InputError, match="too few"):
        il.identify.fit(links, t, rest, rest, cutoff=5.0)
    with pytest.raises(il.InputError, match="all efforts are zero"):
        il.identify.fit(links, t, rest + np.sin(t)[:, None], rest, cutoff=20.0)
    with pytest.raises(il.InputError, match="no input 'push'"):
        il.identify.fit(links, t, rest, rest, cutoff=5.0, inputs={"push": t})
    others = il.identify.base_parameters(two_links().compile())
    with pytest.raises(il.InputError, match="does not contain base parameters of plant"):
        il.identify.fit(links, t, rest, rest, cutoff=5.0, base=others)
    with pytest.raises(il.InputError, match="speed of 'lower' is missing"):
        il.identify.excitation(links, speed={"upper": 1.0}, acceleration=1.0)
