"""The studio's server as a browser sees it: a real process, a real WebSocket, a real loop."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import math
import os
import signal
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np

from inloop.realtime import attach, running
from inloop.realtime.segment import segment_path

PERIOD = 1e-3


def input_frame(value: float, index: int = 0, sequence: int = 1) -> bytes:
    return struct.pack("<BBHIdd", 8, 0, index, sequence, value, 1e3 * time.monotonic())


def pose_of(frame: bytes) -> tuple[float, np.ndarray]:
    _, _, count, _, _, t = struct.unpack("<BBHIdd", frame[:24])
    assert count == 1 and len(frame) == 24 + 28 + 4 + 4
    return t, np.frombuffer(frame, "<f4", 7, 24)


def test_greeting_tells_all_and_poses_follow_the_angle(on_page: Any) -> None:
    async def act(page: Any) -> None:
        hello = page.hello
        assert hello["plant"]["name"] == "pendulum" and hello["plant"]["rate_hz"] == 1000.0
        assert [b["name"] for b in hello["scene"]["bodies"]] == ["bar"]
        assert hello["scene"]["planar"] == "xy" and hello["scene"]["up"] == "y"
        # it may swing all around: the scene has room for that
        assert hello["scene"]["bounds"]["min"][1] < -1.0 < 1.0 < hello["scene"]["bounds"]["max"][1]
        length = next(p for p in hello["parameters"] if p["name"] == "length")
        assert length["unit"] == "m" and length["low"] < length["value"] < length["high"]
        assert {"angle.q", "angle.qd", "angle.tau"} <= {s["name"] for s in hello["signals"]}
        assert [i["name"] for i in hello["inputs"]] == ["angle.tau"]
        assert "four_bar" in [m["name"] for m in hello["menu"]]
        options = {m["name"]: m["options"] for m in hello["menu"]}
        links = next(option for option in options["n_pendulum"] if option["name"] == "n")
        assert links["range"] == [1, 400] and links["allowed"] == "a whole number from 1 to 400"
        generation = await page.subscribe("angle.q")
        begin = len(page.poses)
        await page.until(lambda: len(page.poses) > begin + 20)
        await asyncio.sleep(0.1)
        _, rows = page.table(generation)
        seen = 0
        for frame in page.poses[begin:]:
            t, pose = pose_of(frame)
            at = np.flatnonzero(np.abs(rows[:, 0] - t) < PERIOD / 2)
            if len(at):
                # a turn by q about z: (0, 0, sin(q/2), cos(q/2)), up to its sign
                q, seen = rows[at[0], 1], seen + 1
                half = np.array([0.0, 0.0, math.sin(q / 2), math.cos(q / 2)])
                assert abs(abs(half @ pose[3:]) - 1.0) < 1e-6 and not np.any(pose[:3])
        assert seen > 10 and np.ptp(rows[:, 1]) > 0.01

    on_page(act)


def test_samples_are_complete_or_thinned_as_asked(on_page: Any) -> None:
    async def act(page: Any) -> None:
        for rate, every in ((None, 1), (100.0, 10)):
            words = {} if rate is None else {"rate_hz": rate}
            generation = await page.subscribe("angle.q", "angle.qd", **words)
            await page.until(lambda g=generation, n=every: len(page.table(g)[0]) > 600 // n)
            numbers, rows = page.table(generation, every)
            assert np.all(np.diff(numbers) == every)
            assert np.allclose(np.diff(rows[:, 0]), every * PERIOD, atol=1e-9)
            # they belong together: qd is the slope of q
            slope = np.diff(rows[:, 1]) / np.diff(rows[:, 0])
            middle = 0.5 * (rows[1:, 2] + rows[:-1, 2])
            assert np.max(np.abs(slope - middle)) < 5e-3 * max(1.0, np.max(np.abs(middle)))

    on_page(act)


def test_a_slider_changes_the_physics_for_all(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as one, studio.page() as other:
            heard = asyncio.create_task(other.text("parameters", lambda m: m["values"]["g"] == 0.0))
            await asyncio.sleep(0)
            await one.do("set", parameter="g", value=0.0)
            await heard
            generation = await one.subscribe("angle.qd")
            await one.until(lambda: len(one.table(generation)[0]) > 200)
            _, rows = one.table(generation)
            # nothing pulls any more: as fast as before
            assert np.ptp(rows[:, 1]) < 1e-6
            # too much is put into the range
            for value, kept in ((1e9, 25.0), (-3.0, 0.0)):
                heard = asyncio.create_task(
                    other.text("parameters", lambda m, k=kept: m["values"]["g"] == k)
                )
                await asyncio.sleep(0)
                await one.do("set", parameter="g", value=value)
                await heard
            # a longer bar is drawn longer
            drawn = asyncio.create_task(other.text("scene"))
            await asyncio.sleep(0)
            await one.do("set", parameter="length", value=2.0)
            rod = next(
                s for s in (await drawn)["scene"]["bodies"][0]["shapes"] if s["kind"] == "rod"
            )
            assert abs(math.dist(rod["a"], rod["b"]) - 2.0) < 1e-12
            heard = asyncio.create_task(
                other.text("parameters", lambda m: m["values"] == {"g": 9.81, "length": 1.0,
                                                                   "mass": 1.0})
            )  # fmt: skip
            await asyncio.sleep(0)
            await one.do("reset_parameters")
            await heard

    asyncio.run(act())


def test_one_hand_drives_and_what_it_held_comes_to_rest(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as watching:
            generation = await watching.subscribe("angle.tau")

            def newest() -> float:
                rows = watching.table(generation)[1]
                return float(rows[-1, 1]) if len(rows) else math.nan

            async with studio.page() as driving:
                await driving.do("take_input")
                for k in range(20):
                    await driving.socket.send(input_frame(0.75, sequence=k + 1))
                    await asyncio.sleep(0.01)
                await watching.until(lambda: newest() == 0.75)
                # it is not taken for a controller that has died, though nothing new comes
                await asyncio.sleep(0.3)
                assert newest() == 0.75
                assert (await watching.text("state"))["stale"] == 0
                # somebody else may not
                refused = asyncio.create_task(watching.text("notice"))
                await asyncio.sleep(0)
                await watching.socket.send(input_frame(-5.0))
                assert "somebody else" in (await refused)["text"]
                # how long it took: the page's clock is ours
                await driving.socket.send(struct.pack("<BQ", 9, 77))
                await driving.until(lambda: driving.echoes)
                echo = driving.echoes[0]
                (sequence,) = struct.unpack("<I", echo[4:8])
                token, used, sent = struct.unpack("<Qdd", echo[24:48])
                assert token == 77 and sequence == 20
                assert 0.0 < used - 1e-3 * sent < 1.0
            # the page is closed without a word
            await watching.until(lambda: newest() == 0.0)
            # and the inputs are free again
            async with studio.page() as driving:
                await driving.socket.send(input_frame(0.25))
                await watching.until(lambda: newest() == 0.25)
                await driving.do("release_input")
                await watching.until(lambda: newest() == 0.0)

    asyncio.run(act())


def test_pause_step_speed_reset(on_page: Any) -> None:
    async def act(page: Any) -> None:
        async def told(what: str, test: Any, **words: Any) -> dict[str, Any]:
            heard = asyncio.create_task(page.text("state", test))
            await asyncio.sleep(0)
            await page.do(what, **words)
            return await heard

        before = await told("pause", lambda m: m["state"] == "paused")
        await asyncio.sleep(0.1)
        before = await page.text("state")
        after = await told("step", lambda m: m["step"] == before["step"] + 5, count=5)
        assert abs(after["t"] - before["t"] - 5 * PERIOD) < 1e-9 and after["state"] == "paused"
        await told("reset", lambda m: m["t"] == 0.0 and m["step"] == 0)
        await told("speed", lambda m: m["speed"] == 0.25, factor=0.25)
        begun = await told("go", lambda m: m["state"] == "running" and m["t"] > 0.0)
        clock = time.monotonic()
        later = await page.text("state", lambda m: m["t"] > begun["t"] + 0.2)
        # the clock of the page is coarse
        assert 0.5 < (time.monotonic() - clock) * 0.25 / (later["t"] - begun["t"]) < 1.6
        await told("speed", lambda m: m["speed"] == 1.0, factor=1.0)
        histogram = await page.text("histogram")
        times = histogram["step_time"]
        assert len(times["edges_us"]) == len(times["counts"]) + 1 and times["p50"] < times["max"]

    on_page(act)


def test_record_download_replay(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            await page.do("record", on=True)
            await page.text("record", lambda m: m["active"])
            await asyncio.sleep(0.6)
            await page.do("record", on=False)
            found = await page.text("record", lambda m: not m["active"] and m["files"])
            name, size = found["files"][0]["name"], found["files"][0]["bytes"]
            data = get(studio, f"/recording/{name}")
            assert data.status == 200 and len(data.body) == size
            assert data.body[1:5] == b"MCAP"
            assert get(studio, "/recording/..%2F..%2Fetc%2Fpasswd").status == 404
            begin = len(page.texts)
            await page.do("replay", file=name)
            hello = await page.until(
                lambda: next((m for m in page.texts[begin:] if m["kind"] == "hello"), None)
            )
            assert "live" in hello["can"] and "set" not in hello["can"]
            generation = await page.subscribe("angle.q")
            state = await page.text("state", lambda m: m["source"] == name)
            assert state["state"] in ("running", "paused")
            await page.text("state", lambda m: m["state"] == "paused")  # to its end
            numbers, rows = page.table(generation)
            assert len(numbers) > 100 and np.ptp(rows[:, 0]) > 0.2
            refused = asyncio.create_task(page.text("notice"))
            await asyncio.sleep(0)
            await page.do("set", parameter="g", value=1.0)
            assert "recording" in (await refused)["text"]
            await page.do("live")
            await page.text("state", lambda m: m["source"] == "live" and m["state"] == "running")

    asyncio.run(act())


def test_ten_pages_and_one_that_does_not_read(studio: Any) -> None:
    async def act() -> None:
        async with contextlib.AsyncExitStack() as stack:
            lazy = await stack.enter_async_context(studio.page(max_queue=1, close_timeout=0.2))
            lazy._reader.cancel()
            await lazy.socket.send('{"do":"subscribe","signals":["angle.q","angle.qd"]}')
            pages = [await stack.enter_async_context(studio.page()) for _ in range(9)]
            generations = [await page.subscribe("angle.q") for page in pages]
            await asyncio.sleep(1.0)
            tables = [p.table(g) for p, g in zip(pages, generations, strict=True)]
            for numbers, _ in tables:
                assert len(numbers) > 500 and np.all(np.diff(numbers) == 1)
            # all saw the same at the same time
            common = set(tables[0][0]).intersection(*(set(n) for n, _ in tables[1:]))
            assert len(common) > 300

    asyncio.run(act())


def test_a_killed_loop_is_told_and_can_be_started_again(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            heard = asyncio.create_task(page.text("state", lambda m: m["state"] == "lost"))
            await asyncio.sleep(0)
            os.kill(studio.loop, signal.SIGKILL)
            lost = await heard
            assert lost["notice"]["level"] == "error" and "Start it again" in lost["notice"]["fix"]
            begin = len(page.texts)
            await page.do("choose", name="pendulum", options={})
            await page.until(lambda: any(m["kind"] == "hello" for m in page.texts[begin:]))
            state = await page.text("state", lambda m: m["state"] == "running" and m["t"] > 0.1)
            assert state["notice"] is None or state["notice"]["level"] == "warn"
            # what makes no sense leaves the present one alone
            for words in ({"name": "nothing"}, {"name": "pendulum", "options": {"n": 3}}):
                refused = asyncio.create_task(page.text("notice"))
                await asyncio.sleep(0)
                await page.do("choose", **words)
                assert (await refused)["level"] == "error"
            assert (await page.text("state"))["state"] == "running"
            # one that cannot start leaves a menu to choose from, also to a page that comes later
            await page.do("choose", name="n_pendulum", options={"n": 2, "length": 1e9})
            heard = await page.text("state", lambda m: m["state"] == "ended")
            assert heard["notice"]["level"] == "error" and "{" not in heard["notice"]["text"]
            async with studio.page() as later:
                assert later.hello["menu"] and later.hello["can"] == ["choose"]
            await page.do("choose", name="pendulum")
            await page.text("state", lambda m: m["state"] == "running")

    asyncio.run(act())


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


def get(studio: Any, path: str, **headers: str) -> Answer:
    place = studio.address.removeprefix("http://")
    connection = http.client.HTTPConnection(place, timeout=10)
    connection.request("GET", path, headers=headers)
    found = connection.getresponse()
    answer = Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read())
    connection.close()
    return answer


def test_the_page_is_served_with_a_strict_policy(studio: Any) -> None:
    page = get(studio, "/")
    policy = page.headers["content-security-policy"]
    assert page.status == 200 and b"<html" in page.body
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert get(studio, "/static/../../cli/main.py").status == 404
    # a page elsewhere that has borrowed our address
    assert get(studio, "/", Host="evil.example").status == 403


def test_a_killed_studio_takes_its_loop_along(studio: Any, tmp_path: Path) -> None:
    other = type(studio)(tmp_path, "double_pendulum", "--token", "correct-horse")
    with attach(other.plant, wait=20.0) as box:
        while box.peek().t < 0.1:
            time.sleep(0.02)
    other.end(signal.SIGKILL)
    end = time.monotonic() + 20.0
    while other.plant in running() and time.monotonic() < end:
        time.sleep(0.02)
    assert other.plant not in running() and not segment_path(other.plant).exists()
