"""Controllers in the page: the robot's at work along a path, those of a file, killed ones told."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_page import HANG, Studio, comes, heard, opened, own_plant, pass_time
from playwright.sync_api import Browser, Page

import inloop as il
from inloop import gallery
from inloop.gallery.robot.controllers.friction import DRY
from inloop.gallery.robot.controllers.guide import TOOL
from inloop.gallery.robot.controllers.pd import INERTIAS
from inloop.gallery.robot.paths import PATHS
from inloop.realtime import Mailbox

CART = """
import inloop as il

model = il.Model("cart")
model.body("cart", on=model.ground, joint=il.prismatic("x", name="rail"), mass=1.3)


def pd(t, outputs, kp=il.gain(90.0, "N/m", (0, 400)), kd=30.0, goal=il.gain(0.25, "m", (-1, 1))):
    '''Pull the cart to its goal.'''
    return {"rail.tau": kp * (goal - outputs["rail.q"]) - kd * outputs["rail.qd"]}


class Integral:
    '''The same with an integral.'''

    states = {"total": 0.0}

    def __call__(self, t, outputs, ki=200.0):
        error = 0.1 - outputs["rail.q"]
        self.total = self.total + 0.01 * error
        return {"rail.tau": 90.0 * error + ki * self.total - 30.0 * outputs["rail.qd"]}


def wrong(t, outputs):
    return {"rail.tau": 1.0 / 0.0}


controllers = [pd, Integral, wrong, lambda t, outputs: {}]
"""
TOLD = "inloop.controllers.message"


def controllers_of(studio: Studio) -> list[int]:
    """Processes of the studio that control its plant."""
    found = []
    for number in studio.children:
        with contextlib.suppress(OSError):  # it may end just now
            if b"--piped" in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0"):
                found.append(number)
    return found


def at_work(page: Page, name: str) -> None:
    """Wait until a controller works."""
    comes(page, f"{TOLD}?.active === '{name}' && {TOLD}.state === 'running'")


def go_on(box: Mailbox, count: int) -> Iterator[Any]:
    """So many periods, each after the controller has answered; the outputs after each."""
    period = box.layout.period
    for _ in range(count):
        assert box.answered(HANG)
        box.clock.advance(period)
        yield box.peek()


def say(page: Page, **request: Any) -> None:
    page.evaluate("(request) => inloop.connection.say(request)", request)
    heard(page)


@pytest.fixture(scope="module")
def opened_robot(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The robot as `inloop studio robot` opens it, its page, and its mailbox."""
    errors: list[str] = []
    with (
        own_plant("robot", recordings=tmp_path_factory.mktemp("robot")) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        at_work(page, "computed_torque")
        # it has waited at its start for the controller
        comes(page, "document.querySelector('#chip').textContent === 'running'")
        assert box.peek().t == 0.0
        yield studio, page, box
    assert not errors


@pytest.fixture
def robot(opened_robot: Any) -> Any:
    """The same on its way along the figure eight, whatever a test before has done."""
    _, page, box = opened_robot
    if page.evaluate(f"{TOLD}.active") != "computed_torque":
        page.select_option("#controller", "computed_torque")
        at_work(page, "computed_torque")
    say(page, do="follow", path="figure eight")
    comes(page, f"{TOLD}.path === 'figure eight'")
    for _ in go_on(box, 100):
        pass
    return opened_robot


@pytest.mark.long
def test_the_robot_opens_with_its_controller_along_a_path(robot: Any) -> None:
    """Off the path by no more than friction that nobody knows could push it: |J| F / (kp M)."""
    _, page, box = robot
    model = gallery.get("puma560").build().compile()
    say(page, do="tune", setting="seconds", value=2.0)
    say(page, do="tune", setting="kp", value=1e9)
    comes(page, f"{TOLD}.values.kp === 900")  # put into its range
    say(page, do="tune", setting="kp", value=225)
    assert page.evaluate(f"{TOLD}.path") == "figure eight"
    curve = np.array([PATHS["figure eight"](s) for s in np.linspace(0.0, 1.0, 401)])
    assert page.evaluate("inloop.controllers.setPoint.curve.length") == 97
    far = 0.0
    for k, outputs in enumerate(go_on(box, 2600)):
        if k >= 1600 and k % 20 == 0:  # the way to the path is behind
            place = model.pose(TOOL, outputs.q)[0]
            J = model.jacobian(TOOL, outputs.q)[:3]
            bound = np.linalg.norm(np.abs(J) @ (DRY / (225.0 * INERTIAS)))
            miss = np.linalg.norm(curve - place, axis=1).min()
            assert miss < bound
            far = max(far, float(miss))
    # friction is fed forward: what is left is much less
    assert far < 0.25 * bound
    comes(page, "inloop.controllers.errors.length > 0 && inloop.controllers.setPoint.wanted")
    assert page.evaluate("Math.max(...inloop.controllers.errors)") < bound


def test_a_set_point_is_dragged_in_the_picture_and_a_pose_held(robot: Any) -> None:
    _, page, box = robot
    comes(page, "inloop.controllers.setPoint.wanted")
    page.evaluate("inloop.controllers.setPoint.draw()")
    place = page.locator("#setpoint .marker").bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    eye = page.evaluate("inloop.view.eye.state")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 12, y - 25, steps=3)
    page.mouse.up()
    comes(page, f"{TOLD}.path === 'point' && !inloop.controllers.setPoint.timer")
    assert page.evaluate("inloop.view.eye.state") == eye  # the eye has not moved
    heard(page)
    target = np.array(page.evaluate(f"{TOLD}.target"))
    model = gallery.get("puma560").build().compile()
    begin = model.pose(TOOL, box.peek().q)[0]
    assert np.linalg.norm(begin - target) > 0.03
    *_, last = go_on(box, 1500)
    # within what dry friction holds
    J = model.jacobian(TOOL, last.q)[:3]
    bound = np.linalg.norm(np.abs(J) @ (1.3 * DRY / (225.0 * INERTIAS)))
    assert np.linalg.norm(model.pose(TOOL, last.q)[0] - target) < bound
    page.click("text=Hold")
    comes(page, f"{TOLD}.path === 'pose'")
    held = page.evaluate(f"{TOLD}.values['goal.joint_2']")
    assert held == pytest.approx(box.peek().q[1], abs=1e-6)


def test_what_a_page_may_not_say_changes_nothing(robot: Any) -> None:
    studio, page, _ = robot
    before, processes = page.evaluate(TOLD), controllers_of(studio)
    for request, answer in (
        ({"do": "control", "name": "../../etc/passwd"}, "there is no controller"),
        ({"do": "control", "name": "os.system"}, "there is no controller"),
        ({"do": "tune", "setting": "path", "value": 2}, "has no setting"),
        ({"do": "tune", "setting": "leave", "value": 1}, "has no setting"),
        ({"do": "tune", "setting": "kp"}, "tune needs value"),
        ({"do": "tune", "setting": "kp", "value": "1"}, "value must be a number"),
        ({"do": "follow", "path": "point"}, "there is no path"),
        ({"do": "aim", "x": 1e9, "y": 0, "z": 0}, "too far away"),
        ({"do": "aim", "x": 0, "y": 0}, "aim needs z"),
        ({"do": "hold", "pose": [1]}, "does not take"),
    ):
        page.evaluate("document.querySelector('#notices').replaceChildren()")
        say(page, **request)
        comes(page, f"document.querySelector('#notices').textContent.includes('{answer}')")
    assert page.evaluate(TOLD) == before
    assert controllers_of(studio) == processes


def test_another_controller_takes_over(robot: Any) -> None:
    studio, page, box = robot
    (first,) = controllers_of(studio)
    page.select_option("#controller", "pd")
    at_work(page, "pd")
    (second,) = controllers_of(studio)
    assert second != first
    # it goes on from where the other one was: efforts jump by no more than friction had held
    before = box.peek().inputs[:6].copy()
    (after,) = go_on(box, 1)
    assert not np.array_equal(after.inputs[:6], before)
    assert (np.abs(after.inputs[:6] - before) < 1.3 * DRY).all()
    page.select_option("#controller", "none")
    comes(page, f"{TOLD}.state === 'none'")
    assert controllers_of(studio) == []


def test_controllers_of_a_file_and_one_that_is_killed(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    file = tmp_path / "cart.py"
    file.write_text(CART)
    with (
        own_plant(str(file), "--controller", "pd", "--rate", "100", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        at_work(page, "pd")
        # it has waited at its start for the controller
        comes(page, "document.querySelector('#chip').textContent === 'running'")
        offered = [each["name"] for each in page.evaluate(f"{TOLD}.offered")]
        assert offered == ["pd", "Integral", "wrong"]  # one without a name cannot be found again
        *_, last = go_on(box, 200)
        assert last["rail.q"] == pytest.approx(0.25, abs=2e-3)
        page.evaluate("inloop.controllers.rows.get('goal').send(-0.5)")
        heard(page)
        *_, last = go_on(box, 200)
        assert last["rail.q"] == pytest.approx(-0.5, abs=5e-3)
        (working,) = controllers_of(studio)
        os.kill(working, signal.SIGKILL)
        comes(page, f"{TOLD}.state === 'ended'")
        assert "killed by signal 9" in page.inner_text("#controllers")
        # the watchdog of the plant sees it, too
        pass_time(page, box, 0.7)
        comes(page, "document.querySelector('#alarm').textContent.includes('watchdog')")
        page.click("#controller-again")
        at_work(page, "pd")
        for _ in go_on(box, 5):
            pass
        comes(page, "document.querySelector('#chip').textContent === 'running'")
        page.select_option("#controller", "wrong")
        comes(page, f"{TOLD}.state === 'ended'")
        assert "ZeroDivisionError" in page.inner_text("#controllers")
    assert not errors
