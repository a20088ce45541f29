"""A robot of a file in the page: held until it is let go, with its notes and ranges of inputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_page import comes, heard, opened, own_plant, pass_time
from playwright.sync_api import Browser

import inloop as il

# a rod on a horizontal axis, horizontal at 0
ROBOT = """<robot name="rod_robot">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.4 0 0"/><mass value="1.3"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="1.5" effort="9" velocity="3"/>
    <safety_controller k_velocity="2"/></joint>
</robot>"""
PUSH = "#hand input[type=range]"


@pytest.mark.long
def test_a_robot_waits_until_it_is_let_go(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    with (
        own_plant(str(path), "--q", "hinge=0.2", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        pass_time(page, box, 0.5)
        assert box.peek().q[0] == pytest.approx(0.2, abs=1e-9)
        page.click("#remarks summary")
        notes = page.locator("#remarks li").all_inner_texts()
        assert any("not read: <safety_controller>" in note for note in notes)
        assert any("'hold' = 0 releases them" in note for note in notes)
        pushes = page.locator(PUSH)
        assert (pushes.get_attribute("min"), pushes.get_attribute("max")) == ("-9", "9")
        page.evaluate("inloop.parameters.rows.get('hold').send(0)")
        heard(page)
        pass_time(page, box, 0.3)
        comes(page, "inloop.parameters.rows.get('hold').value === 0")
        assert box.peek().q[0] > 0.4
        # the panel of controllers does the same
        comes(page, "inloop.controllers.message.active === 'none'")
        page.select_option("#controller", "hold")
        comes(page, "inloop.controllers.message.active === 'hold'")
        pass_time(page, box, 0.1)
        comes(page, "inloop.parameters.rows.get('hold').value === 1")
    assert not errors
