"""The flexible link in the loop, against a beam written by hand, closed forms and itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hinged_beam import beam

import inloop as il
from inloop import gallery
from inloop.control import LinearModel, discretize
from inloop.gallery.flexlink.controllers import design
from inloop.gallery.flexlink.controllers.card import Card
from inloop.gallery.flexlink.controllers.lq import LqController
from inloop.gallery.flexlink.controllers.pi import PiController
from inloop.gallery.flexlink.controllers.signals import COMMAND, UPRIGHT, Reference
from inloop.gallery.flexlink.experiments import rig

STEP = Reference(UPRIGHT, math.radians(94.0), at=0.1)
INERTIA = 0.788 * 1.5**3 / 3.0 + 0.0021  # of the straight link about the hub [kg m²]
WEIGHT = 0.788 * 1.5**2 / 2.0 * 9.81  # its torque when level [N m]


@pytest.fixture(scope="session")
def link() -> il.Plant:
    """The link that keeps its length."""
    return gallery.get("flexlink").build(axial=False).compile()


def lq(tuning: str = "1", **options: float) -> LqController:
    return LqController(design.lq(design.TUNINGS[tuning], **options))


# the design


def test_the_generated_linear_model_is_that_of_the_beam_by_hand() -> None:
    """Poles, and command to angle and strain from 2 to 60 Hz; gravity makes it fall and bend."""
    found = design.nominal()
    assert len(found.states) == 27
    by_hand = beam(4, gravity=9.81)
    frequency = np.array([2.0, 8.0, 14.0, 25.0, 40.0, 60.0])
    scale = np.array([[1.0], [design.STRAIN_GAIN]]) * design.torque_gain()
    np.testing.assert_allclose(
        found.response(frequency), by_hand.response(frequency) * scale, rtol=0.02
    )
    poles = by_hand.poles[np.argsort(np.abs(by_hand.poles))][:13]
    nearest = [found.poles[np.argmin(np.abs(found.poles - pole))] for pole in poles]
    np.testing.assert_allclose(np.imag(nearest), poles.imag, rtol=5e-4, atol=1e-3)
    np.testing.assert_allclose(np.real(nearest), poles.real, rtol=1e-3)
    falls = float(np.max(found.poles.real))
    assert falls == pytest.approx(math.sqrt(WEIGHT / INERTIA), rel=5e-3)


def test_stretching_is_out_of_reach_and_out_of_sight() -> None:
    """Why the rod may keep its length in the design: four modes, all decaying."""
    for modes in (
        il.control.unmoved(design.nominal(), all_modes=True),
        il.control.unseen(design.nominal(), all_modes=True),
    ):
        assert len(modes) == 4
        assert all(state.split(".")[0].endswith("_u") for mode in modes for state in mode.states)
    assert not il.control.unmoved(design.nominal())
    assert not il.control.unseen(design.nominal())


@pytest.mark.thinned(2)
@pytest.mark.parametrize("tuning", list(design.TUNINGS))
@pytest.mark.parametrize("delay", [0.0, 4e-3])
def test_the_controller_holds_the_beam_by_hand(tuning: str, delay: float) -> None:
    """A plant that the design has never seen, and answers that come late."""
    plant = discretize(_in_volts(beam(8, gravity=9.81)), design.PERIOD, delay)
    controller = design.lq(design.TUNINGS[tuning])
    x, seen = np.zeros(len(plant.states)), []
    goal = np.array([UPRIGHT + 0.07, 0.0])
    for _ in range(8000):
        y = plant.C @ x
        u = controller.step(y + np.array([UPRIGHT, 0.0]), goal)
        seen.append(y[0])
        x = plant.A @ x + plant.B @ u
    assert np.abs(np.array(seen[-2000:]) - 0.07).max() < 0.05 * 0.07


def _in_volts(model: LinearModel) -> LinearModel:
    scale = np.array([1.0, design.STRAIN_GAIN])[:, None]
    return LinearModel(
        model.A, design.torque_gain() * model.B, scale * model.C, model.D, model.states,
        (COMMAND,), ("encoder", "strain"),
    )  # fmt: skip


# in the loop


def test_at_rest_the_motor_carries_gravity_less_friction(link: il.Plant) -> None:
    trace = rig.in_lock_step(link, lq(), STEP, 3.0)
    carried = -float(np.mean(trace.torque[-200:]))
    assert abs(carried - WEIGHT * math.sin(math.radians(4.0))) < 0.1 + 0.02
    assert np.degrees(trace.angle[-1]) == pytest.approx(94.0, abs=0.3)
    # the least cost begins with K_r times the step
    wanted = design.lq(design.TUNINGS["1"]).gains.K_r[0, 0] * math.radians(4.0)
    assert np.max(trace.command) == pytest.approx(wanted, rel=0.02)


def test_the_period_of_pi_control(link: il.Plant) -> None:
    """ω² = (kp - weight) / J; the integral and the lag change it little."""
    link.parameters["friction"] = 0.02
    try:
        trace = rig.in_lock_step(link, PiController(design.pi(ki=0.0)), STEP, 3.0)
    finally:
        link.parameters["friction"] = 0.1
    moved = trace.angle - STEP.second
    turns = trace.t[1:][(moved[1:] >= 0.0) & (moved[:-1] < 0.0)]
    assert len(turns) == 2
    omega = math.sqrt((design.KP - WEIGHT) / INERTIA)
    assert turns[1] - turns[0] == pytest.approx(2.0 * math.pi / omega, rel=0.03)


@pytest.mark.long
def test_another_process_gives_the_same_bits(link: il.Plant) -> None:
    alone = rig.in_lock_step(link, lq("2"), STEP, 0.6)
    other = rig.with_program(link, "lq", ["--tuning", "2"], STEP, 0.6, "lock-step")
    assert len(alone.t) == 601
    for name in ("t", "angle", "strain", "command", "torque"):
        assert np.array_equal(getattr(alone, name), getattr(other, name))
    different = rig.in_lock_step(link, lq("2"), STEP, 0.6, seed=2)
    assert 0.0 < np.abs(different.angle - alone.angle).max() < 1e-4


def test_the_clock_changes_nothing(link: il.Plant) -> None:
    """Each answer comes in time, though the loop wakes up late: the same bits as in lock-step."""
    simulated = rig.in_lock_step(link, lq(), STEP, 1.5)
    assert np.degrees(np.ptp(simulated.angle)) > 3.5
    late = np.random.default_rng(4).uniform(0.0, 0.6 / rig.RATE, 1500)
    clock = il.ScriptedClock(late=late.tolist(), took=[0.3 / rig.RATE] * 1500)
    clocked = rig.with_program(link, "lq", [], STEP, 1.5, clock=clock)
    for name in ("t", "angle", "strain", "command", "torque"):
        assert np.array_equal(getattr(clocked, name), getattr(simulated, name))
    assert clocked.report.overruns == 0


# faults


@pytest.mark.long
def test_faults_do_what_their_names_say(link: il.Plant) -> None:
    wave = Reference(UPRIGHT, math.radians(93.0), at=0.1, turn=1.0)
    healthy = rig.in_lock_step(link, lq(), wave, 3.0)
    lost = rig.in_lock_step(link, lq(), wave, 3.0, ["lost:strain@0.5-2"])
    assert 1e-4 < np.abs(lost.angle - healthy.angle).max() < math.radians(1.0)
    weak = rig.in_lock_step(link, lq(), wave, 3.0, [f"limit:{COMMAND}=1.5@0.5-2"])
    during = (weak.t > 0.51) & (weak.t < 2.0)
    assert np.abs(weak.command[during]).max() == 1.5 < np.abs(weak.command[~during]).max()
    stuck = rig.in_lock_step(link, lq(), wave, 3.0, ["stuck:encoder@0.5"])
    assert stuck.fell and not (healthy.fell or lost.fell or weak.fell)
    assert len(stuck.standing.t) < len(stuck.t)


# the input card


def test_the_card_rounds_and_adds_noise(link: il.Plant) -> None:
    parameters = {
        "encoder_counts": 1000.0, "encoder_noise": 0.0, "strain_noise": 0.3, "strain_quantum": 0.0
    }  # fmt: skip
    card = Card(parameters, seed=3)
    read = np.array([card.read(0.01, 2.0) for _ in range(4000)])
    assert set(read[:, 0]) == {2.0 * math.pi / 1000.0 * 2.0}
    assert abs(read[:, 1].mean() - 2.0) < 5 * 0.3 / math.sqrt(4000)
    assert abs(read[:, 1].std() - 0.3) < 5 * 0.3 / math.sqrt(8000)
    card.tune({**parameters, "encoder_counts": 0.0, "strain_noise": 0.0, "strain_quantum": 0.25})
    assert card.read(0.01, 2.1) == (0.01, 2.0)
    assert card.read(0.01, 11.0)[1] == 10.0


def test_references_survive_the_command_line() -> None:
    import argparse

    from inloop.gallery.flexlink.controllers.signals import add_options, read_options

    wave = Reference(1.1, 1.2, at=0.3, turn=2.0)
    parser = argparse.ArgumentParser()
    add_options(parser)
    again = read_options(parser.parse_args(wave.words))
    times = np.linspace(0.0, 9.0, 400)
    np.testing.assert_allclose([again(t) for t in times], [wave(t) for t in times], rtol=1e-12)
    assert [wave(t) for t in (0.29, 0.31, 2.29, 2.31, 4.31)] == [1.1, 1.2, 1.2, 1.1, 1.2]


# experiments


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "seconds"),
    [("pi", 3.0), ("lq", 2.0), ("robustness", 2.0), ("faults", 5.0), ("durability", 12.5)],
)
def test_experiments_tell_and_draw(name: str, seconds: float, tmp_path: object) -> None:
    outcome = gallery.get("flexlink").experiment(name, seconds=seconds)
    assert len(outcome.figures) > 10
    assert outcome.plot(f"{tmp_path}/{name}.png").stat().st_size > 20_000
