"""Bodies that pages hold: who may, how firmly, and when they are let go."""

from __future__ import annotations

import asyncio
import math
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from inloop.realtime import Flag
from inloop.studio.messaging.frames import NO_BODY, TOUCH, TOUCH_FRAME, read_frame
from inloop.studio.plants.touch import DAMPED, FAR, FIRMNESS, GRAVITY, QUICK, SAG

POINT, TARGET = (0.02, -0.9, 0.01), (0.6, -0.3, 0.0)


def touch(
    body: int = 0,
    sequence: int = 1,
    *,
    firmness: float = 1.0,
    point: tuple[float, ...] = POINT,
    target: tuple[float, ...] = TARGET,
    push: tuple[float, ...] = (0.0, 0.0, 0.0),
    page_time: float = 0.0,
) -> bytes:
    numbers = (page_time, firmness, *point, *target, *push)
    return TOUCH_FRAME.pack(TOUCH, body, sequence, *numbers)


LET_GO = touch(NO_BODY)


def test_frames_are_read_and_nonsense_is_not() -> None:
    found = read_frame(touch(3, 7, firmness=2.0, page_time=5.5))
    assert found is not None and not isinstance(found, int)
    assert (found.body, found.sequence, found.page_time, found.firmness) == (3, 7, 5.5, 2.0)
    assert (found.point, found.target, found.push) == (POINT, TARGET, (0.0, 0.0, 0.0))
    assert read_frame(LET_GO).body == -1  # type: ignore[union-attr]
    for bad in (math.nan, math.inf, -math.inf):
        for word in ("firmness", "page_time"):
            assert read_frame(touch(**{word: bad})) is None  # type: ignore[arg-type]
        for word in ("point", "target", "push"):
            assert read_frame(touch(**{word: (0.0, bad, 0.0)})) is None  # type: ignore[arg-type]
    assert read_frame(touch()[:-1]) is None and read_frame(touch() + b"\0") is None


async def hold(page: Any, frame: bytes) -> dict[str, Any]:
    """Hold a body until its mass is known and it is pulled."""
    held = page.coming("held", lambda m: m["holds"] and m["holds"][0]["stiffness"] > 0.0)
    await page.socket.send(frame)
    await page.heard()
    return await page.while_time_passes(held, 0.005)


def test_a_body_is_held_as_firmly_as_suits_it(
    on_page: Callable[[Callable[[Any], Awaitable[None]]], None],
) -> None:
    async def act(page: Any) -> None:
        assert {"pin", "let_go"} <= set(page.hello["can"])
        await page.do("reset")
        await page.heard()
        [told] = (await hold(page, touch(firmness=2.0)))["holds"]
        # a point mass of 1 kg on a rod of 1 m, held at r
        r = math.hypot(*POINT[:2])
        assert told["mass"] == pytest.approx(1.0 / r**2, rel=1e-6)
        bounds = page.hello["scene"]["bounds"]
        size = max(b - a for a, b in zip(bounds["min"], bounds["max"], strict=True))
        rate_squared = max(QUICK**2, GRAVITY / (SAG * size))
        assert told["stiffness"] == pytest.approx(2.0 * told["mass"] * rate_squared)
        assert (told["grip"], told["body"], told["pushes"]) == (0, 0, False)
        await page.pass_time(6.0)
        # moments about the joint balance
        [told] = (await page.text("held"))["holds"]
        pulls = page.box.hand.newest()
        assert pulls is not None and pulls[0] is not None
        grip = pulls[0].grip
        critical = 2.0 * math.sqrt(told["stiffness"] * told["mass"])
        assert grip.damping == pytest.approx(DAMPED * critical)
        force, q = np.array(told["force"]), page.box.peek().q[0]
        c, s = math.cos(q), math.sin(q)
        p = np.array([c * POINT[0] - s * POINT[1], s * POINT[0] + c * POINT[1], POINT[2]])
        assert force == pytest.approx(told["stiffness"] * (np.array(TARGET) - p), rel=1e-3)
        moment = np.cross(p, force)[2] - 9.81 * s
        assert abs(moment) < 1e-3 * np.linalg.norm(force)
        # pinned, it stays; taken out, it is free
        pinned = page.coming("held", lambda m: m["holds"] and m["holds"][0]["grip"] == 1)
        await page.do("pin")
        [pin] = (await page.while_time_passes(pinned))["holds"]
        assert pin["target"] == list(TARGET)
        free = page.coming("held", lambda m: not m["holds"])
        await page.do("let_go", grip=1)
        await page.while_time_passes(free, 0.005)
        await page.pass_time(0.01)
        assert not page.box.peek().flags & Flag.PULLED

    on_page(act)


def test_pushes_are_plain_forces(
    on_page: Callable[[Callable[[Any], Awaitable[None]]], None],
) -> None:
    async def act(page: Any) -> None:
        held = page.coming("held", lambda m: m["holds"] and any(m["holds"][0]["force"]))
        await page.socket.send(touch(push=(0.1, 0.0, 0.0)))
        [told] = (await page.while_time_passes(held, 0.005))["holds"]
        assert told["pushes"] and told["stiffness"] == 0.0
        assert told["force"][0] > 0.0 and told["force"][1:] == [0.0, 0.0]
        await page.do("let_go")
        await page.while_time_passes(page.coming("held", lambda m: not m["holds"]), 0.005)

    on_page(act)


def test_one_page_holds_and_when_it_is_closed_lets_go(studio: Any) -> None:
    async def main() -> None:
        async with studio.page() as watching:
            async with studio.page() as holding:
                await holding.do("reset")
                told = await hold(holding, touch(sequence=41, page_time=250.5))
                assert told["mine"]
                other = await watching.text("held", lambda m: bool(m["holds"]))
                assert not other["mine"]
                refused = watching.coming(
                    "notice", lambda m: "another page is holding" in m["text"]
                )
                await watching.socket.send(touch())
                await refused
                # the loop has used it: told with the page's own time
                await holding.socket.send(touch(sequence=42, page_time=300.5))
                await holding.heard()
                await holding.pass_time(0.05)
                count = len(holding.echoes)
                await holding.heard()
                echo = holding.echoes[count]
                sequence = struct.unpack("<I", echo[4:8])[0]
                used_at, page_time = struct.unpack("<dd", echo[32:48])
                assert (sequence, page_time) == (42, 300.5)
                assert 0.0 < used_at <= holding.box.clock.now
                free = watching.coming("held", lambda m: not m["holds"])
            await watching.while_time_passes(free, 0.005)
            await watching.pass_time(0.01)
            assert not watching.box.peek().flags & Flag.PULLED

    asyncio.run(main())


def test_hostile_holds_are_refused_or_limited(studio: Any) -> None:
    async def main() -> None:
        async with studio.page() as page:
            refused = page.coming("notice", lambda m: "there is no body number 7" in m["text"])
            await page.socket.send(touch(7))
            await refused
            refused = page.coming("notice", lambda m: "no body is held" in m["text"])
            await page.do("let_go")  # of none: nothing to be said
            await page.do("pin")
            await refused
            far = (1e300, -1e300, 0.0)
            told = await hold(page, touch(firmness=1e300, target=far, point=(1e3, 0.0, 0.0)))
            [held] = told["holds"]
            assert held["firmness"] == FIRMNESS[1] and max(held["target"]) < 100.0 * FAR
            await page.pass_time(0.3)
            assert page.box.peek().status == 0
            await page.socket.send(LET_GO)
            await page.while_time_passes(page.coming("held", lambda m: not m["holds"]), 0.005)
            await page.do("reset")
            await page.heard()

    asyncio.run(main())
