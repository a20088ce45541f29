"""The robot against closed forms, SciPy and its table; its controllers against each other."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exhibit_plants import plant_of
from scipy.integrate import solve_ivp

import inloop as il
from inloop import gallery
from inloop.cli.controllers import build_program
from inloop.gallery.robot.controllers import computed_torque, pd
from inloop.gallery.robot.controllers.motion import TOUR, Motion
from inloop.gallery.robot.controllers.settings import DEFAULTS, Settings

READY = (0.0, math.pi / 4, -math.pi, 0.0, math.pi / 4, 0.0)
_numbers = itertools.count()
JOINTS = [f"joint_{k}" for k in range(1, 7)]


@pytest.fixture(scope="module")
def smooth() -> il.Plant:
    """Without friction."""
    return gallery.get("robot").build(friction=False).compile(backend="c")


@pytest.fixture(scope="module")
def rough() -> il.Plant:
    """With friction."""
    return gallery.get("robot").build().compile(backend="c")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The controllers in C."""
    in_c = gallery.get("robot").controllers["pd_c"].program
    assert isinstance(in_c, gallery.CProgram)
    return build_program(in_c, tmp_path_factory.mktemp("controller"))


@pytest.fixture
def name() -> Iterator[str]:
    chosen = f"test-robot-{os.getpid()}-{next(_numbers)}"
    yield chosen
    assert not list(Path("/dev/shm").glob(f"inloop.*{chosen}*"))


def answered(
    plant: il.Plant, name: str, law: Callable[[il.Plant, il.realtime.Outputs], Any], **options: Any
) -> list[il.realtime.Outputs]:
    """A run in lock-step with a law in this process."""
    model, records = plant_of("puma560"), []
    with il.start(plant, name=name, mode="lock-step", **options) as loop:
        outputs = loop.mailbox.read()
        while loop.running:
            loop.mailbox.write(tau=law(model, outputs))
            try:
                outputs = loop.mailbox.wait(60.0)
            except il.MailboxError:
                break
            records.append(outputs)
    return records


def test_the_pose_is_that_of_the_table(smooth: il.Plant) -> None:
    """q_n with joint 3 one turn back is the same pose: the published mass matrix fits."""
    table = gallery.get("puma560").references[-1]
    M = smooth.mass_matrix(READY)[np.triu_indices(6)]
    assert np.allclose(M, table.value, atol=1e-9)


def test_friction_is_that_of_the_table_and_of_scipy(rough: il.Plant) -> None:
    """Joint 6 turns alone: elasto-plastic LuGre with M66, written by hand."""
    M66, G, B, Tc = 0.1941045057, 76.686, 36.7e-6, (3.96e-3, 10.5e-3)
    fc = G * 0.5 * sum(Tc)
    fs, vs, s2 = 1.3 * fc, 0.02, G**2 * B
    s0 = fs / 2.5e-3
    s1 = math.sqrt(s0 * M66)
    torque = 1.1 * fs

    def rates(t: float, x: np.ndarray) -> list[float]:
        _, v, z = x
        limit = fc + (fs - fc) * math.exp(-((v / vs) ** 2))
        most, part = limit / s0, 0.7 * fc / s0
        if v * z <= 0.0 or abs(z) <= part:
            alpha = 0.0
        elif abs(z) >= most:
            alpha = 1.0
        else:
            middle = (abs(z) - 0.5 * (most + part)) / (most - part)
            alpha = 0.5 * math.sin(math.pi * middle) + 0.5
        zd = v * (1.0 - alpha * z * s0 / limit * math.copysign(1.0, v))
        return [v, (torque - s0 * z - s1 * zd - s2 * v) / M66, zd]

    by_hand = solve_ivp(rates, (0.0, 0.6), [0.0, 0.0, 0.0], rtol=1e-9, atol=1e-12, max_step=1e-3)
    rough.parameters["g"] = 0.0
    try:
        result = rough.simulate(t_end=0.6, step=1e-4, tau=np.array([0, 0, 0, 0, 0, torque]))
        stuck = rough.simulate(t_end=0.6, step=1e-4, tau=np.array([0, 0, 0, 0, 0, 0.6 * fc]))
    finally:
        rough.parameters["g"] = 9.81
    assert by_hand.y[0, -1] > 0.05
    assert result["joint_6.q"][-1] == pytest.approx(by_hand.y[0, -1], rel=2e-3)
    assert result["joint_6.qd"][-1] == pytest.approx(by_hand.y[1, -1], rel=2e-3)
    # within the elastic part nothing slides: the bristles are a spring
    assert stuck["joint_6.q"][-1] == pytest.approx(0.6 * fc / s0, rel=1e-3)


def test_stops_are_springs_at_the_limits(smooth: il.Plant) -> None:
    stiffness, limit = 60.0**2 * 0.1713484517, math.radians(100.0)
    smooth.parameters["g"] = 0.0
    try:
        result = smooth.simulate(t_end=6.0, step=1e-3, tau=np.array([0, 0, 0, 0, 2.0, 0]))
    finally:
        smooth.parameters["g"] = 9.81
    beyond = result["joint_5.q"] - limit
    assert result["joint_5.q"][0] < limit
    assert stiffness * beyond[-1] == pytest.approx(2.0, rel=0.05)


def test_a_push_at_the_flange_is_a_force(smooth: il.Plant) -> None:
    """The virtual work of the push, with differences of the flange's position."""
    rest, push = np.zeros(6), np.array([3.0, -5.0, 8.0])
    q = np.array(READY) + 0.1 * np.arange(6)

    def height(at: np.ndarray) -> float:
        return float(push @ smooth.position("link_6.flange", at))

    gradient = [
        (height(q + 1e-6 * e) - height(q - 1e-6 * e)) / 2e-6 for e in np.eye(6)
    ]  # fmt: skip
    before = smooth.inverse_dynamics(q, rest, rest)
    for axis, value in zip("xyz", push, strict=True):
        smooth.parameters[f"push_{axis}"] = float(value)
    try:
        after = smooth.inverse_dynamics(q, rest, rest)
    finally:
        smooth.parameters.reset()
    assert np.allclose(before - after, gradient, atol=1e-6)
    assert np.abs(gradient).max() > 1.0


def test_computed_torque_gives_the_error_of_a_double_integrator(
    smooth: il.Plant, name: str
) -> None:
    """e'' + kd e' + kp e = 0 for all joints at once: e = e0 (1 + w t) exp(-w t)."""
    goal = np.array(READY) + np.array([0.3, -0.2, 0.25, 0.4, -0.3, 0.5])
    wanted = (goal, np.zeros(6), np.zeros(6))
    rate = 4000.0
    records = answered(
        smooth,
        name,
        lambda model, out: computed_torque.law(model, out.q, out.qd, wanted, DEFAULTS),
        rate=rate,
        seconds=0.5,
    )
    w = math.sqrt(DEFAULTS["kp"])
    assert DEFAULTS["kd"] == 2 * w
    t = np.array([out.t for out in records])
    error = np.array([goal - out.q for out in records]) / (goal - READY)
    exact = (1 + w * t) * np.exp(-w * t)
    # torques are held for a period: that is like a delay of half of it
    assert np.abs(error - exact[:, None]).max() < 2 * w / rate
    assert np.abs(error - exact[:, None]).max() > 0.0


def test_a_push_shifts_a_computed_torque_robot_as_it_should(smooth: il.Plant, name: str) -> None:
    """At rest M kp e = -Jt F."""
    wanted, F = (np.array(READY), np.zeros(6), np.zeros(6)), np.array([0.0, 0.0, -20.0])
    with_push = dict(smooth.parameters) | {"push_z": F[2]}
    smooth.parameters.update(with_push)
    try:
        records = answered(
            smooth,
            name,
            lambda model, out: computed_torque.law(model, out.q, out.qd, wanted, DEFAULTS),
            rate=1000.0,
            seconds=1.5,
        )
        q = records[-1].q
        J = np.array(
            [
                (smooth.position("link_6.flange", q + 1e-6 * e)
                 - smooth.position("link_6.flange", q - 1e-6 * e)) / 2e-6
                for e in np.eye(6)
            ]
        )  # fmt: skip
    finally:
        smooth.parameters.reset()
    expected = np.linalg.solve(smooth.mass_matrix(q), -J @ F) / DEFAULTS["kp"]
    assert np.abs(expected).max() > 5e-3
    assert np.allclose(READY - q, expected, rtol=1e-3, atol=1e-6)


def test_pd_holds_against_gravity(smooth: il.Plant, name: str) -> None:
    """In the wanted pose the law is the gravity of the table, and the robot stays."""
    wanted = (np.array(READY), np.zeros(6), np.zeros(6))
    model = plant_of("puma560")
    tau = pd.law(model, np.array(READY), np.zeros(6), wanted, DEFAULTS)
    assert np.allclose(tau, (0, 31.6398803784, 6.0351380230, 0, 0.0282528, 0), atol=1e-8)


def run_program(
    plant: il.Plant, name: str, command: list[str], seconds: float
) -> list[il.realtime.Outputs]:
    """All records of a run in lock-step with a program of its own."""
    with il.start(plant, name=name, mode="lock-step", rate=1000.0, seconds=seconds) as loop:
        process = subprocess.Popen(command)
        try:
            assert loop.wait(300.0)
            records = list(iter(loop.mailbox.next, None))
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    return records


def python_command(law: str, name: str) -> list[str]:
    return [sys.executable, "-m", f"inloop.gallery.robot.controllers.{law}", name]


def test_the_program_is_clean_c(program: Path) -> None:
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O2"]
    command = ["cc", *strict, f"-I{il.include_dir()}", "-c", "robot_controller.c", "-o", "strict.o"]
    done = subprocess.run(
        command, cwd=program.parent, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.thinned(2)
@pytest.mark.parametrize("law", ["pd", "computed_torque"])
def test_the_same_law_in_c_and_python(smooth: il.Plant, name: str, program: Path, law: str) -> None:
    seconds = 1.2
    ours = run_program(smooth, name, python_command(law, name), seconds)
    theirs = run_program(smooth, name, [str(program), law, name], seconds)
    assert len(ours) == len(theirs) == 1201
    difference = [np.abs(a.q - b.q).max() for a, b in zip(ours, theirs, strict=True)]
    assert max(difference) < 1e-9
    # they do move the robot along the tour
    motion, settings = Motion(JOINTS, np.array(READY), 0.0), dict(DEFAULTS)
    error = max(np.abs(out.q - motion.at(out.t, settings)[0]).max() for out in ours)
    assert np.abs(ours[-1].q - READY).max() > 0.3
    assert error < {"pd": 0.2, "computed_torque": 2e-3}[law]


def test_a_move_is_smooth_and_arrives() -> None:
    settings = {**DEFAULTS, "hold": 0.5}
    motion = Motion(JOINTS, np.array(READY), 0.0)
    t = np.linspace(0.0, 2.4, 2401)
    q, qd, qdd = (np.array(x) for x in zip(*(motion.at(s, settings) for s in t), strict=True))
    assert np.allclose(q[-1], TOUR[1])
    assert np.allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-5)
    assert np.allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-2)
    assert np.abs(qd[[0, -1]]).max() == 0.0


def test_goals_change_while_it_runs(
    smooth: il.Plant, name: str, program: Path, tmp_path: Path
) -> None:
    """A file is read ten times a second of the plant's clock; a move takes 0.2 s."""
    file, rate = tmp_path / "settings", 500.0
    file.write_text("goal.joint_1 0.2  # here\nduration 0.2\n")
    with il.start(smooth, name=name, rate=rate, clock=il.ScriptedClock()) as loop:
        box, start, k = loop.mailbox, loop.clock.now, 0
        process = subprocess.Popen([str(program), "computed_torque", name, str(file)])
        try:
            for goal in (0.2, -0.4):
                assert box.answered(60.0)
                file.write_text(f"goal.joint_1 {goal}\nduration 0.2\nkp 400\nkd 40\n")
                for _ in range(round(0.9 * rate)):
                    k += 1
                    assert box.answered(60.0)
                    loop.clock.advance_to(start + k / rate)
                # 0.1 s until it is read, 0.2 s to move, and 0.6 s = 12 / sqrt(kp) to settle
                assert box.read()["joint_1.q"] == pytest.approx(goal, abs=1e-3)
            assert loop.report().stale_inputs == 0
        finally:
            process.kill()
            process.wait()


def test_settings_that_make_no_sense_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings"
    file.write_text("kp 300\nkd -3\nkx 1\nduration nan\nhold\ngoal.joint_3 -1.5\n")
    settings = Settings(JOINTS, str(file))
    settings.look(0.0)
    assert settings.values == {**DEFAULTS, "kp": 300.0, "goal.joint_3": -1.5}
    assert capsys.readouterr().err.count("no setting") == 4
