"""Panels of contacts and sensors in a real browser: they tell what the physics does.

A sledge falls on the floor, and one of its two runners is too short to reach it: at rest the spring
of the floor is compressed by m g / k, and an IMU at rest tells g upwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_page import Studio, comes, opened, pass_time
from playwright.sync_api import Browser, Page

import inloop as il
from inloop.realtime import Mailbox
from inloop.studio.drawing.stage import make_stage

MASS, GRAVITY, STIFFNESS, HEIGHT = 2.0, 9.81, 4e4, 0.03
PICTURES = os.environ.get("INLOOP_PICTURES")  # a directory for pictures to look at
LOOKS = {
    "sledge": (
        il.visual(il.sphere(0.05), (0.2, 0.0, 0.05)),
        il.visual(il.sphere(0.05), (-0.2, 0.0, 0.0512)),
        il.visual(il.box((0.5, 0.2, 0.03)), (0.0, 0.0, 0.1)),
    ),
    "ground": (il.visual(il.box((0.8, 0.4, 0.02)), (0.0, 0.0, -0.01)),),
}
SIZES = {"desk": (1440, 900), "tablet": (1000, 760), "small": (800, 900), "phone": (390, 844)}


def sledge() -> il.Model:
    m = il.Model("sledge", gravity=(0.0, 0.0, -GRAVITY))
    joint = il.prismatic("z", name="lift", initial=HEIGHT)
    body = m.body("sledge", on=m.ground, joint=joint, mass=MASS, inertia=(0.1, 0.1, 0.1))
    law = il.hunt_crossley(STIFFNESS, 1.0, 0.6)
    for name, x, z in (("front_runner", 0.2, 0.05), ("rear_runner_of_the_sledge", -0.2, 0.0512)):
        ball = body.frame(name, (x, 0.0, z))
        rub = il.coulomb_contact(0.3)
        m.contact(m.ground, il.plane(), ball, il.sphere(0.05), law=law, friction=rub, name=name)
    m.sensor("hull", il.sensors.imu(body))
    m.sensor("lift_encoder", il.sensors.encoder("lift"))
    m.sensor("floor_force", il.sensors.contact_force("front_runner"))
    m.joint_force("lift", lambda qd: -60.0 * qd, name="air")
    return m


@pytest.fixture(scope="module")
def loop() -> Iterator[il.Loop]:
    name = f"panels-{os.getpid()}"
    options = {"priority": None, "lock_memory": False, "stale_after": None}
    clock = il.ScriptedClock()
    with il.start(sledge().compile(), name=name, rate=2000.0, clock=clock, **options) as running:
        yield running


@pytest.fixture(scope="module")
def studio(loop: il.Loop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    directory = tmp_path_factory.mktemp("studio")
    make_stage(sledge().build(), title="A sledge", plane="xz", looks=LOOKS).save(
        directory / "stage.json"
    )
    found = Studio(
        "--attach", loop.name, "--stage", str(directory / "stage.json"),
        "--recordings", str(directory / "recordings"), "--port", "0",
    )  # fmt: skip
    yield found
    found.end()


@pytest.fixture
def box(loop: il.Loop) -> Iterator[Mailbox]:
    with il.attach(loop.name) as found:
        yield found


def cells(page: Page, row: int) -> list[str]:
    return page.locator(f"#contacts li >> nth={row} >> output").all_inner_texts()


def test_panels_tell_what_touches_and_what_sensors_measure(
    browser: Browser, studio: Studio, box: Mailbox, errors: list[str]
) -> None:
    with opened(browser, studio.address, errors) as page:
        # above the floor: both runners are open, and the page knows their gaps
        comes(page, "document.querySelector('#contact-note').textContent === '0 of 2 touch'")
        assert cells(page, 0) == ["30 mm", "–", "–"] and cells(page, 1) == ["31.2 mm", "–", "–"]
        names = page.locator("#contacts li .name").all_inner_texts()
        assert names == ["front runner", "rear runner of the sledge"]
        assert page.locator("#contacts li .about >> nth=0").inner_text() == (
            "ground – sledge.front_runner"
        )
        # at rest on the front one: k d = m g
        pass_time(page, box, 3.0)
        comes(page, "document.querySelector('#contact-note').textContent === '1 of 2 touch'")
        depth = MASS * GRAVITY / STIFFNESS
        comes(
            page,
            f"document.querySelector('#contacts output').textContent === '−{1e6 * depth:.3g} µm'",
        )
        assert cells(page, 0)[1] == f"{MASS * GRAVITY:.3g} N"
        assert cells(page, 1) == [f"{1e6 * (0.0012 - depth):.3g} µm", "–", "–"]
        states = page.locator("#contacts li .dot")
        assert [states.nth(k).get_attribute("aria-label") for k in (0, 1)] == ["touching", "open"]
        lines = [line.split("\n") for line in page.locator("#sensors .reading").all_inner_texts()]
        force = f"{MASS * GRAVITY:.3g}"
        assert lines == [
            ["accel x y z", "0", "0", f"{GRAVITY:.3g}", "m/s²"],
            ["gyro x y z", "0", "0", "0", "rad/s"],
            [f"−{1e6 * depth:.3g}", "µm"],
            ["normal", force, "N"],
            ["x y z", "0", "0", force, "N"],
        ]
        abouts = page.locator("#sensors .about").all_inner_texts()
        assert abouts == ["imu · sledge", "encoder · sledge", "contact force · front_runner"]
    assert not errors


@pytest.mark.long
def test_nothing_is_cut_or_overlaps(browser: Browser, studio: Studio, errors: list[str]) -> None:
    for size, (width, height) in SIZES.items():
        view = {"width": width, "height": height}
        with opened(browser, studio.address, errors, draws=bool(PICTURES), viewport=view) as page:
            comes(page, "document.querySelector('#contact-note').textContent !== ''")
            cut = page.evaluate(
                """() => [...document.querySelectorAll("#contacts output, #sensors output")]
                .filter((x) => x.scrollWidth > x.clientWidth + 1 && getComputedStyle(x).display
                    !== "inline" || x.getBoundingClientRect().right > innerWidth)
                .map((x) => x.textContent)"""
            )
            assert not cut, (size, cut)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, size
            overlapping = page.evaluate(
                """() => [...document.querySelectorAll("#contacts header, .touches")]
                .concat([...document.querySelectorAll("#sensors header, #sensors .reading")])
                .flatMap((row) => {
                    const boxes = [...row.children].map((x) => x.getBoundingClientRect());
                    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
                        a.left < b.right - 1 && b.left < a.right - 1 &&
                        a.top < b.bottom - 1 && b.top < a.bottom - 1).map(() => row.innerText));
                })"""
            )
            assert not overlapping, (size, overlapping)
            for theme in ("light", "dark") if PICTURES else ():
                if page.evaluate("document.documentElement.dataset.theme") != theme:
                    page.click("#theme")
                page.locator("#contact-panel").scroll_into_view_if_needed()
                page.locator("#sensor-panel").scroll_into_view_if_needed()
                page.screenshot(path=Path(PICTURES) / f"panels_{size}_{theme}.png")
    assert not errors
