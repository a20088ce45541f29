"""A simulated haptic device between a page and the simplified piano actions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from device_in_step import InStep

K1 = 620.0  # of model B [N/m]
PERIOD, SLOWEST = 1e-3, 7e-3  # of the plant, and of the servo at first [s]


def devices(studio: Any) -> list[int]:
    """Processes of the studio that hold a plant."""
    found = []
    for number in studio.children:
        with contextlib.suppress(OSError):  # it may end just now
            if b"--piped" in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0"):
                found.append(number)
    return found


@pytest.fixture(scope="module")
def action(start_studio: Callable[..., Any]) -> Iterator[Any]:
    found = start_studio("simple_action")
    yield found
    found.end()


async def move(page: Any, value: float) -> None:
    names = [x["name"] for x in page.hello["inputs"]]
    index = names.index(page.hello["device"]["input"])
    await page.socket.send(struct.pack("<BBHIdd", 8, 0, index, 1, value, 0.0))


def panel(test: Callable[[Any], bool] = lambda _: True) -> Callable[[Any], bool]:
    return lambda message: test(message["data"])


def test_a_device_holds_the_action_and_may_die(action: Any) -> None:
    async def main() -> None:
        async with action.page() as page:
            offered = {rig["name"] for rig in page.hello["chain"]["rigs"]}
            assert offered == {"coarse", "smooth"}  # the plant is too slow for the fine one
            await page.do("device", rig="fine")
            assert "fits" in (await page.text("notice"))["text"]
            assert page.hello["device"]["unit"] == "rad"

            # it feels k1 through the servo, and its limits come to be known
            steps = InStep(page.box, SLOWEST)
            await page.do("device", rig="coarse", settings={"lines": 100, "rate": 200})
            with steps.going_on():
                found = (await page.text("panel", panel(lambda d: d["rate_hz"] == 200.0)))["data"]
                assert found["shown_stiffness"] == pytest.approx(K1, rel=1e-2)
                assert found["shown_mass"] == pytest.approx(0.0, abs=1e-2)
                # the finger lifts the handle against the spring
                await move(page, 0.2)
                await page.text("panel", panel(lambda d: d["handle"] > 0.5 * 0.2 * 0.1016))
                found = (await page.text("panel", panel(lambda d: d["limits"] is not None)))["data"]
            # Colgate and Schenkel: K < 2 b / T
            assert found["limits"]["passive"] == pytest.approx(2 * 0.35 * 200.0)
            assert found["limits"]["measured"] == pytest.approx(2 * 0.35 * 200.0, rel=0.05)

            # a device that dies leaves a plant that goes on, and inputs that go to rest
            box = page.box
            [number] = devices(action)
            assert box.writer == number and box.peek()["hand.q"] > 0.0
            told = page.coming("chain", lambda m: m["rig"] == "mouse")
            os.kill(number, signal.SIGKILL)
            await told
            step = box.peek().step
            await page.pass_time(PERIOD)
            assert box.peek()["hand.q"] == 0.0
            await page.pass_time(1.0 - PERIOD)
            assert box.writer is None and box.peek()["hand.q"] == 0.0
            assert box.peek().step == step + round(1.0 / PERIOD) and box.peek().status_name == "OK"

    asyncio.run(main())
