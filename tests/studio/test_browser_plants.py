"""Plants with a page: killed, played, held by a device, bent; Debian's Chromium shows them."""

from __future__ import annotations

import math
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_page import (
    SMALL,
    Studio,
    comes,
    grip,
    held,
    let_go,
    opened,
    own_plant,
    pass_time,
    says,
    seen,
    wait_for_end,
)
from device_in_step import InStep
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Mailbox
from inloop.studio.drawing.stage import make_stage

RATE = 1000.0
WIDE = {"width": 1440, "height": 900}
PICTURES = os.environ.get("INLOOP_PICTURES")  # a directory for the README's pictures
PLOTTED = ["key_front.travel", "key_front.force", "capstan.force", "hammer.q"]


@pytest.mark.long
def test_a_killed_loop_is_told_and_started_again(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    with (
        own_plant("pendulum", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors) as page,
    ):
        assert page.locator("#plant option").count() > 15  # the whole gallery
        [loop] = studio.children
        os.kill(loop, signal.SIGKILL)
        alarm = page.locator("#alarm.error")
        alarm.wait_for(state="visible")
        assert "died" in alarm.inner_text()
        page.get_by_role("button", name="Start again").click()
        says(page, "#chip", "running")
        assert "died" not in page.locator("#alarm").inner_text()
        with il.attach(studio.plant) as box:
            pass_time(page, box, 0.5)  # the page sees it
    assert not errors


def test_dragging_the_key_strikes_the_string(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    options = {"draws": PICTURES is not None, "viewport": WIDE if PICTURES else SMALL}
    with (
        own_plant("piano", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors, **options) as page,
        il.attach(studio.plant) as box,
    ):
        page.evaluate("(names) => inloop.plots.choose(names)", PLOTTED)
        pass_time(page, box, 1.0)
        assert abs(box.peek()["hammer.qd"]) < 0.01  # it rests
        x, y, per_meter = grip(page)
        page.mouse.move(x, y)
        page.mouse.down()
        while box.next() is not None:
            pass  # records of before
        # down to the bottom in 60 ms of the plant
        for part in np.linspace(0.0, 11.5e-3, 7)[1:]:
            page.mouse.move(x, y + part * per_meter)
            held(page, page.evaluate("inloop.hand.value"))
            pass_time(page, box, 0.01)
        assert page.evaluate("inloop.hand.value") == pytest.approx(11.5e-3, rel=0.02)
        pass_time(page, box, 0.3)
        assert blow(box) > 1.0 and box.peek()["string.force"] == 0.0  # and the hammer is back
        # a note that sounds is told
        page.locator("#note").wait_for(state="visible")
        name, velocity = page.locator("#note").inner_text().split("velocity")
        assert name.strip() and 1 <= int(velocity) <= 127
        page.mouse.up()
        let_go(page)
        pass_time(page, box, 0.3)
        assert box.peek()["finger"] == 0.0  # the key is let go
        # the same by a key of the keyboard
        page.keyboard.down("a")
        comes(page, "inloop.hand.value === inloop.hand.device.keys.KeyA")
        down = page.evaluate("inloop.hand.value")
        held(page, down)
        pass_time(page, box, 0.05)
        assert box.peek()["finger"] == down > 0.0
        page.keyboard.up("a")
        let_go(page)
        keep_pictures(page, box)
    assert not errors


def blow(box: Mailbox) -> float:
    """The largest force on the string in the records since the last time [N]."""
    most = 0.0
    while (outputs := box.next()) is not None:
        most = max(most, outputs["string.force"])
    return most


@pytest.mark.long
def test_model_a_runs_away_behind_a_coarse_encoder_and_a_better_sensor_or_b_helps(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    """What Gillespie and Cutkosky saw, with a hand that drags the key in the page."""
    # at the front: a rod of 8 in and 6.5 kg about a point 0.5 in from its middle, 4 in away; on it
    # a rod of 20 in and 10 g that turns 16/17 as fast (it lies at tan h = -1/4)
    key = 6.5 * (0.5**2 + 8.0**2 / 12.0) / 4.0**2
    hammer = 0.01 * (10.0**2 + 20.0**2 / 12.0) / 4.0**2 * (16.0 / 17.0) ** 2
    size = WIDE if PICTURES else SMALL
    options = {"draws": PICTURES is not None, "viewport": size}
    with own_plant("simple_action", "--set", "springs=false", recordings=tmp_path) as studio:
        with opened(browser, studio.address, errors, **options) as page:
            with il.attach(studio.plant) as box:
                panels = lift(page, box, "smooth", 1e-3)
                assert panels[0]["shown_mass"] == pytest.approx(key + hammer, rel=1e-3)
                assert max(panel["most_force"] for panel in panels) < 30.0
                assert all(panel["notice"] is None for panel in panels)
                keep_picture(page, "studio_device_smooth")

                panels = lift(page, box, "coarse", 7e-3)
                assert panels[-1]["most_force"] == 40.0 and panels[-1]["least_energy"] < 0.0
                page.get_by_text("is unstable: the motor is at its limit").wait_for()
                keep_picture(page, "studio_device_coarse")

            # the device stays when the other model is built
            page.locator("#option-panel summary").click()
            page.get_by_label("springs").check()
            page.get_by_role("button", name="Rebuild").click()
            comes(page, "inloop.hand.device?.input === 'hand.q'")
            with il.attach(studio.plant) as box:
                loop, panels = box.process, lift(page, box, None, 7e-3)
            assert max(panel["most_force"] for panel in panels) < 30.0
            assert all(panel["notice"] is None for panel in panels)
            others = set(studio.children) - {loop}
            assert others
        # it ends with the page: the loop is all that is left
        for number in others:
            wait_for_end(number)
        assert loop in studio.children
    assert not errors


def lift(page: Page, box: Mailbox, rig: str | None, period: float) -> list[dict[str, Any]]:
    """Drag the handle up by 25 mm with a device; what its panels told within 1 s of the plant.

    Args:
        page: with the device.
        box: of the plant.
        rig: to be chosen; None: it was chosen before.
        period: of its servo [s].
    """
    steps = InStep(box, period, started=rig is None)
    page.evaluate(
        """() => { const { device } = inloop; const { show } = device.constructor.prototype;
        device.panels = [];
        device.show = (data) => { device.panels.push(data); show.call(device, data); }; }"""
    )
    if rig is not None:
        page.select_option("#rig", rig)
    comes(page, f"inloop.device.rig === '{rig or 'coarse'}'")
    # it takes hold, which begins anew
    steps.pass_time(0.3)
    comes(page, "inloop.device.panels.length > 0")
    seen(page, box)
    x, y, per_meter = grip(page)
    page.mouse.move(x, y)
    page.mouse.down()
    begin = box.peek().t
    for part in np.linspace(0.0, 25e-3, 20):
        page.mouse.move(x, y - part * per_meter)
        held(page, page.evaluate("inloop.hand.value"))
        steps.pass_time(0.014)
    # of steps that fail when it runs away, the plant's own time takes no notice
    steps.pass_until(lambda: box.peek().t > begin + 1.0)
    steps.pass_time(0.2)
    comes(page, f"inloop.device.panels.at(-1).t >= {begin + 1.0!r}")
    page.mouse.up()
    found = page.evaluate("inloop.device.panels")
    return [panel for panel in found if panel["t"] >= begin]


def keep_picture(page: Page, name: str) -> None:
    """As it is now, if somebody asks for it."""
    if PICTURES is not None:
        page.locator(".limit.measured").wait_for()
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def keep_pictures(page: Page, box: Mailbox) -> None:
    """Both themes, while nothing moves, if somebody asks for them."""
    if PICTURES is None:
        return
    page.keyboard.down("a")
    held(page, page.evaluate("inloop.hand.device.keys.KeyA"))
    pass_time(page, box, 2.0)
    page.evaluate("inloop.connection.say('pause')")
    says(page, "#chip", "paused")
    for theme in ("light", "dark"):
        page.evaluate(
            "(theme) => { if (document.documentElement.dataset.theme !== theme) "
            "document.querySelector('#theme').click(); }",
            theme,
        )
        comes(page, "inloop.view.still && !inloop.view.drawing")
        page.screenshot(path=Path(PICTURES) / f"studio_{theme}.png")
    page.keyboard.up("a")
    page.evaluate("inloop.connection.say('go')")


LENGTH, MASS_PER_LENGTH, BENDING = 0.8, 0.5, 10.0  # [m], [kg/m], [N·m²]
FIRST = 1.875104**2 / (2.0 * math.pi) * math.sqrt(BENDING / (MASS_PER_LENGTH * LENGTH**4))
SAG = MASS_PER_LENGTH * 9.81 * LENGTH**4 / (8.0 * BENDING)  # of the tip, at rest [m]


def beam() -> il.Model:
    m = il.Model("beam", gravity=(0.0, 0.0, -9.81))
    # turned about and clamped beside the origin: the axes of link, nodes and world all differ
    foot = m.ground.frame("foot", (0.1, 0.2, 0.3), il.rpy(0.0, 0.0, math.pi))
    link = m.flexible_link(
        "beam", on=foot, length=LENGTH, mass_per_length=MASS_PER_LENGTH, EI=BENDING, elements=2
    )
    m.body("knob", on=link.tip, joint=il.revolute("y"), mass=1e-6, inertia=(1e-6, 1e-6, 1e-6))
    m.output("droop", "beam_2_w", lambda q: q, unit="m")
    return m


def spectrum(page: Page, values: np.ndarray) -> Any:
    return page.evaluate(
        """async ([values, rate]) => { const s = await import("/static/spectrum.js");
        const found = s.spectrum(values.map((_, i) => i / rate), values);
        return { ...found, amplitudes: [...found.amplitudes], peak: s.highestPeak(found, 1, 400),
            gap: s.evenFrom([0, 1, 2, 4, 5, 6], [0, 0, 0, 0, 0, 0]),
            lost: s.evenFrom([0, 1, 2, 2, 3], [0, 0, NaN, 0, 0]),
            even: s.evenFrom([0, 1, 2], [0, 0, 0]) }; }""",
        [values.tolist(), RATE],
    )


def check_spectrum(page: Page) -> None:
    """The page's spectrum is numpy's, and a sine of amplitude A shows A at its frequency."""
    t = np.arange(1500) / RATE
    values = 7.0 + 0.3 * np.sin(2 * np.pi * 41.37 * t + 0.4) + 0.02 * np.cos(2 * np.pi * 180.0 * t)
    found = spectrum(page, values)
    window = np.sin(np.pi * (np.arange(1500) + 0.5) / 1500) ** 2
    weighted = window * (values - np.average(values, weights=window))
    expected = 2.0 / window.sum() * np.abs(np.fft.rfft(weighted, 8192))
    np.testing.assert_allclose(found["amplitudes"], expected, rtol=1e-9, atol=1e-13)
    assert found["spacing"] == pytest.approx(RATE / 8192)
    assert found["peak"]["frequency"] == pytest.approx(41.37, abs=0.01)
    assert found["peak"]["amplitude"] == pytest.approx(0.3, rel=0.005)
    assert (found["gap"], found["lost"], found["even"]) == (3, 3, 0)


def where(page: Page, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a body is, as the server says, and where it is shown, at one moment."""
    actual, shown = page.evaluate(
        """(name) => { const { view } = inloop;
        const index = view.scene.bodies.findIndex((body) => body.name === name);
        const actual = [...view.bodies.slice(7 * index, 7 * index + 3)];
        return [actual, view.nodes.get(name).position.toArray()]; }""",
        name,
    )
    return np.array(actual), np.array(shown)


@pytest.mark.long
def test_spectrum_and_scaled_bending(browser: Browser, tmp_path: Path, errors: list[str]) -> None:
    make_stage(beam().build(), plots=("droop",)).save(tmp_path / "stage.json")
    plant, name = beam().compile(backend="c"), f"beam-{os.getpid()}"
    options = {"priority": None, "lock_memory": False, "stale_after": None}
    with il.start(plant, name=name, rate=RATE, clock=il.ScriptedClock(), **options):
        studio = Studio("--attach", name, "--stage", str(tmp_path / "stage.json"), "--port", "0")
        try:
            with opened(browser, studio.address, errors) as page, il.attach(name) as box:
                check_spectrum(page)
                page.select_option("#window", "2")
                page.click("#spectrum")
                comes(page, "String(inloop.plots.subscription.names) === 'droop'")
                pass_time(page, box, 2.3)
                comes(page, f"inloop.plots.samples.end === {box.peek().t!r}")
                page.click("#pause")
                says(page, "#chip", "paused")
                page.evaluate("inloop.plots.chooseBand(null) ?? inloop.plots.draw()")
                peak = page.evaluate("inloop.plots.charts[0].peaks[0]")
                # Euler & Bernoulli; let go from straight it swings about the sag, by nearly all
                assert peak["frequency"] == pytest.approx(FIRST, rel=0.01)
                assert peak["amplitude"] == pytest.approx(SAG, rel=0.05)
                # a record that was lost: only what follows is even, and the plot says so
                page.evaluate(
                    """() => { const { plots } = inloop; const { samples } = plots;
                    samples.columns.get("droop")[samples.length - 1002] = NaN;
                    plots.chooseBand(null); plots.draw(); }"""
                )
                note = page.locator("#plot-note").inner_text()
                assert note == "uneven samples: spectrum of the last 1 s"
                check_bending(page)
        finally:
            studio.end()
    assert not errors


def check_bending(page: Page) -> None:
    """The page shows the tip so many times as far from where it is on the straight beam."""
    rests = {"beam_1": np.array([0.1 - LENGTH / 2, 0.2, 0.3])}
    rests |= dict.fromkeys(("beam_2", "knob"), np.array([0.1 - LENGTH, 0.2, 0.3]))
    for name in rests:
        actual, shown = where(page, name)
        assert shown == pytest.approx(actual)
    slider = page.get_by_role("slider", name="Deflection")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator("#deflection output").inner_text() == "×10"
    for name, rest in rests.items():
        actual, shown = where(page, name)
        assert actual[2] != rest[2]  # it is bent
        assert shown == pytest.approx(rest + 10.0 * (actual - rest), abs=1e-5)
    # in a loop: from the chord through (2, 0.1), which the tip and what hangs on it do not leave
    turn = [0.0, 0.0, 0.0, 1.0]
    poses = [1.0, 0.06, 0.0, *turn, 2.0, 0.1, 0.0, *turn, 2.5, 0.1, 0.0, *turn]
    link = {"body": -1, "p": [0, 0, 0], "axes": np.eye(3).tolist(), "along": [1, 0, 0],
            "nodes": [{"body": 0, "rest": 1}, {"body": 1, "rest": 2}], "looped": True}  # fmt: skip
    scene = {"bodies": [{"parent": -1}, {"parent": -1}, {"parent": 1}], "flexible": [link]}
    found = page.evaluate(
        """async ([poses, scene]) =>
        (await import("/static/bending.js")).exaggerate(poses, scene, 10)""",
        [poses, scene],
    )
    positions = np.array(found).reshape(3, 7)[:, :3]
    assert positions == pytest.approx(np.array([[1.0, 0.15, 0], [2.0, 0.1, 0], [2.5, 0.1, 0]]))
