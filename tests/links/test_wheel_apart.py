"""A computer with the wheel, another with the model: over UDP and over ROS 2."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import pytest
from ends import running
from mock_wheel import NAME, MockWheel

import inloop as il
from inloop.links import Address, MirrorEnd, PlantEnd
from inloop.links.wheel import Feel, Pedal, WheelLink, WheelProfile
from inloop.links.wheel.link import PlantPort

HANG = 120.0  # [s] after which something that should happen never will
PERIOD = 0.004  # [s]
SPRING = 3.0  # [N·m/rad]
TURNED = -math.radians(450.0) * (36000 - 32767.5) / 32767.5  # of the wheel at 36000 counts [rad]
PEDALS = {"throttle": Pedal(2, 255, 0), "brake": Pedal(5, 255, 0)}
PROFILE = WheelProfile(NAME, turn=900.0, torque=2.1, rate=250.0, pedals=PEDALS)
FEEL = Feel(gain=0.4, limit=2.0, damping=0.0, ramp=0.0)
OTHERS = {"throttle": "throttle", "brake": "brake"}


@pytest.fixture(scope="module")
def column() -> il.Plant:
    """A steering wheel that follows "steering.q" against a spring, which a hand feels."""
    m = il.Model("column")
    wheel = m.body("wheel", on=m.ground, joint=il.revolute("z", name="steering"),
                   mass=1.0, inertia=(0.02, 0.02, 0.04))  # fmt: skip
    m.drive(wheel, derivatives="filtered", cutoff=15.0)
    for pedal in OTHERS:
        m.input(pedal, "1")
    m.joint_force(
        wheel, lambda q: (-SPRING * q, {"hand": -SPRING * q}), "column", outputs={"hand": "N*m"}
    )
    return m.compile(backend="c")


def drive(link: WheelLink, wheel: MockWheel, loop: Any, eventually: Any) -> None:
    """Turn the wheel, press the throttle, and wait until its force is that of the spring."""
    wanted = -SPRING * TURNED * FEEL.gain
    now = iter(range(10**9))
    link.step(0.0)
    wheel.report(0, 36000)
    wheel.report(2, 51)

    def step() -> bool:
        link.step(PERIOD * next(now))
        loop.clock.advance(1e-3)
        return bool(abs(link.force - wanted) < 1e-3)

    eventually(step)
    values = loop.mailbox.read()
    assert values["steering.q"] == pytest.approx(TURNED, abs=1e-3)
    assert (values["throttle"], values["brake"]) == pytest.approx((0.8, 0.0))
    assert wheel.level == pytest.approx(wanted / PROFILE.torque, abs=1e-3)


def test_over_udp(column: il.Plant, name: str, ports: tuple[int, int], eventually: Any) -> None:
    near, far = (Address("127.0.0.1", port) for port in ports)
    with il.start(column, name=name, stale_after=60.0, clock=il.ScriptedClock()) as loop:
        ends = PlantEnd(name, near, far), MirrorEnd(f"{name}.far", far, near)
        with running(*ends), il.attach(f"{name}.far", wait=HANG) as mirror:
            wheel = MockWheel()
            port = PlantPort(mirror, "steering.q", "column.hand", OTHERS)
            link = WheelLink(port, PROFILE, FEEL, wheel.open)
            drive(link, wheel, loop, eventually)
            # the plant ends, and its mirror with it: no force is left
            loop.mailbox.stop()
            eventually(lambda: mirror.gone)
            with pytest.raises(il.MailboxError):
                link.run(seconds=60.0)
            assert link.force == 0.0 and wheel.level == 0.0
            wheel.close()


def test_over_ros_2(
    column: il.Plant, name: str, eventually: Any, require_package: Callable[[str], Any]
) -> None:
    require_package("cyclonedds")
    from inloop.links.ros2 import Ros2Link
    from inloop.links.wheel.ros2_port import Ros2Port

    domain = 1 + os.getpid() % 100
    with (
        il.start(column, name=name, stale_after=60.0, clock=il.ScriptedClock()) as loop,
        running(Ros2Link(name, domain=domain)),
    ):
        wheel = MockWheel()
        port = Ros2Port(name, "steering.q", OTHERS, domain=domain)
        link = WheelLink(port, PROFILE, FEEL, wheel.open)
        drive(link, wheel, loop, eventually)
        # its time stands, nothing comes any more: the force goes before long
        eventually(lambda: port.torque() is None)
        link.step(1e6)
        assert link.force == 0.0 and wheel.level == 0.0
        link.close()
        wheel.close()
        loop.mailbox.stop()
