"""The studio's server as a browser sees it: a real process, a real WebSocket, a real loop."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import math
import os
import re
import select
import signal
import struct
from pathlib import Path
from typing import Any

import numpy as np

from inloop.realtime import attach, running
from inloop.realtime.mailboxes.segment import segment_path

PERIOD = 1e-3
HANG = 120.0  # [s] after which something that should come never will


def input_frame(value: float, sequence: int = 1, page_time: float = 0.0) -> bytes:
    return struct.pack("<BBHIdd", 8, 0, 0, sequence, value, page_time)


def pose_of(frame: bytes) -> tuple[int, float, np.ndarray]:
    """Number of the outputs, time and pose."""
    _, _, count, sequence, _, t = struct.unpack("<BBHIdd", frame[:24])
    assert count == 1 and len(frame) == 24 + 28 + 4
    return sequence, t, np.frombuffer(frame, "<f4", 7, 24)


def test_greeting_tells_all_and_poses_follow_the_angle(on_page: Any) -> None:
    async def act(page: Any) -> None:
        hello = page.hello
        assert hello["plant"]["name"] == "pendulum" and hello["plant"]["rate_hz"] == 1000.0
        assert [b["name"] for b in hello["scene"]["bodies"]] == ["bar"]
        assert hello["scene"]["planar"] == "xy" and hello["scene"]["up"] == "y"
        # it swings below its pivot: the scene has room for that, and for the pivot
        assert hello["scene"]["bounds"]["min"][1] < -1.0 < 0.0 < hello["scene"]["bounds"]["max"][1]
        length = next(p for p in hello["parameters"] if p["name"] == "length")
        assert length["unit"] == "m" and length["low"] < length["value"] < length["high"]
        assert {"angle.q", "angle.qd", "angle.tau"} <= {s["name"] for s in hello["signals"]}
        assert [i["name"] for i in hello["inputs"]] == ["angle.tau"]
        assert "four_bar" in [m["name"] for m in hello["menu"]]
        options = {m["name"]: m["options"] for m in hello["menu"]}
        links = next(option for option in options["n_pendulum"] if option["name"] == "n")
        assert links["range"] == [1, 400] and links["allowed"] == "a whole number from 1 to 400"
        generation = await page.subscribe("angle.q")
        await page.until(lambda: page.poses)  # where it stands
        begin = len(page.poses)
        await page.pass_time(1.2)
        numbers, rows = await page.all_rows(generation)
        frames = page.poses[begin:]
        assert len(frames) == 24
        for frame in frames:
            sequence, t, pose = pose_of(frame)
            [row] = np.flatnonzero(numbers == sequence)
            assert rows[row, 0] == t
            # a turn by q about z: (0, 0, sin(q/2), cos(q/2)), up to its sign
            q = rows[row, 1]
            half = np.array([0.0, 0.0, math.sin(q / 2), math.cos(q / 2)])
            assert abs(abs(half @ pose[3:]) - 1.0) < 1e-6 and not np.any(pose[:3])
        assert np.ptp(rows[:, 1]) > 0.01

    on_page(act)


def test_samples_are_complete_or_thinned_as_asked(on_page: Any) -> None:
    async def act(page: Any) -> None:
        for rate, every in ((None, 1), (100.0, 10)):
            words = {} if rate is None else {"rate_hz": rate}
            generation = await page.subscribe("angle.q", "angle.qd", **words)
            before = page.box.peek().sequence
            await page.pass_time(0.65)
            numbers, rows = await page.all_rows(generation, every)
            # all of them, or those whose numbers are multiples
            expected = range(before + 1, page.box.peek().sequence + 1)
            assert numbers.tolist() == [number for number in expected if number % every == 0]
            assert np.allclose(np.diff(rows[:, 0]), every * PERIOD, atol=1e-9)
            # they belong together: qd is the slope of q
            slope = np.diff(rows[:, 1]) / np.diff(rows[:, 0])
            middle = 0.5 * (rows[1:, 2] + rows[:-1, 2])
            assert np.max(np.abs(slope - middle)) < 5e-3 * max(1.0, np.max(np.abs(middle)))

    on_page(act)


def test_a_slider_changes_the_physics_for_all(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as one, studio.page() as other:
            heard = other.coming("parameters", lambda m: m["values"]["g"] == 0.0)
            await one.do("set", parameter="g", value=0.0)
            await one.while_time_passes(heard, PERIOD)
            generation = await one.subscribe("angle.qd")
            await one.pass_time(0.2)
            _, rows = await one.all_rows(generation)
            # nothing pulls any more: as fast as before
            assert np.ptp(rows[:, 1]) < 1e-6
            # too much is put into the range
            for value, kept in ((1e9, 25.0), (-3.0, 0.0)):
                heard = other.coming("parameters", lambda m, k=kept: m["values"]["g"] == k)
                await one.do("set", parameter="g", value=value)
                await one.while_time_passes(heard, PERIOD)
            # a longer bar is drawn longer
            coming = other.coming("scene")
            await one.do("set", parameter="length", value=2.0)
            drawn = await one.while_time_passes(coming, PERIOD)
            shapes = [visual["shape"] for visual in drawn["scene"]["bodies"][0]["shapes"]]
            rod = next(shape for shape in shapes if shape["kind"] == "capsule")
            assert abs(rod["length"] - 2.0) < 1e-12
            usual = {"g": 9.81, "length": 1.0, "mass": 1.0}
            heard = other.coming("parameters", lambda m: m["values"] == usual)
            await one.do("reset_parameters")
            await one.while_time_passes(heard, PERIOD)

    asyncio.run(act())


def test_one_hand_drives_and_what_it_held_comes_to_rest(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as watching:
            generation = await watching.subscribe("angle.tau")

            async def after(seconds: float) -> list[float]:
                """Efforts from now on."""
                before = watching.box.peek().sequence
                await watching.pass_time(seconds)
                numbers, rows = await watching.all_rows(generation)
                return list(rows[numbers > before, 1])

            async with studio.page() as driving:
                stale = (await watching.text("state"))["stale"]
                while watching.box.next() is not None:
                    pass  # records of before
                await driving.do("take_input")
                for k in range(20):
                    await driving.socket.send(input_frame(0.75, k + 1, 250.5 + k))
                await driving.heard()
                assert await after(PERIOD) == [0.75]
                first = watching.box.next()
                # it is not taken for a controller that has died, though nothing new comes
                assert set(await after(2.0)) == {0.75}
                assert (await watching.text("state"))["stale"] == stale
                # somebody else may not
                refused = watching.coming("refused")
                await watching.socket.send(input_frame(-5.0))
                assert re.match(r"page \d+ is driving", (await refused)["text"])
                # when it was used: in the first step after it, on the plant's clock
                await driving.socket.send(struct.pack("<B7xQ", 9, 77))
                echo = await driving.until(
                    lambda: next((e for e in driving.echoes if e[24] == 77), None)
                )
                (sequence,) = struct.unpack("<I", echo[4:8])
                _, used, sent = struct.unpack("<Qdd", echo[24:48])
                assert sequence == 20 and sent == 269.5 and used == 1e-9 * first.stamp
            # the page is closed without a word
            await watching.text("state", lambda m: not m["driven"])
            assert await after(PERIOD) == [0.0]
            # and the inputs are free again
            async with studio.page() as driving:
                await driving.socket.send(input_frame(0.25))
                await driving.heard()
                assert await after(PERIOD) == [0.25]
                await driving.do("release_input")
                await driving.heard()
                assert await after(PERIOD) == [0.0]

    asyncio.run(act())


def test_a_page_that_comes_while_the_plant_stands_sees_it(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as first:
            await first.seen()
            async with studio.page() as second:
                await second.seen()
                assert second.poses[-1] == first.poses[-1]

    asyncio.run(act())


def test_pause_step_speed_reset(on_page: Any) -> None:
    async def act(page: Any) -> None:
        box = page.box

        async def told(what: str, test: Any, **words: Any) -> dict[str, Any]:
            heard = page.coming("state", test)
            await page.do(what, **words)
            return await heard

        await told("pause", lambda m: m["state"] == "paused")
        step, t = box.peek().step, box.peek().t
        await page.pass_time(0.1)
        assert box.peek().step == step
        after = await told("step", lambda m: m["step"] == step + 5, count=5)
        assert abs(after["t"] - t - 5 * PERIOD) < 1e-9 and after["state"] == "paused"
        await told("reset", lambda m: m["t"] == 0.0 and m["step"] == 0)
        await told("speed", lambda m: m["speed"] == 0.25, factor=0.25)
        await told("go", lambda m: m["state"] == "running")
        # from one step to another: a quarter of the steps in the same time
        for speed, steps in ((0.25, 100), (1.0, 400)):
            await told("speed", lambda m, s=speed: m["speed"] == s, factor=speed)
            await page.pass_time(PERIOD / speed)
            step = box.peek().step
            await page.pass_time(0.4)
            assert box.peek().step == step + steps
        counted = box.statistics().histograms["step"].counts.sum()
        assert counted > 500
        await page.text("histogram", lambda m: sum(m["step_time"]["counts"]) == counted)
        message = await page.text("histogram")
        assert sum(message["reaction"]["counts"]) == counted  # every step reacts to its inputs
        times = message["step_time"]
        assert len(times["edges_us"]) == len(times["counts"]) + 1 and times["p50"] <= times["max"]

    on_page(act)


def test_commands_act_in_their_order(on_page: Any) -> None:
    async def act(page: Any) -> None:
        for _ in range(5):
            step = page.box.peek().step
            seen = page.coming("state", lambda m, n=step + 15: m["step"] == n)
            await page.do("pause")
            for count in range(1, 6):  # possible only after the pause
                await page.do("step", count=count)
            assert (await seen)["state"] == "paused"
            gone = page.coming("state", lambda m: m["state"] == "running")
            await page.do("go")
            await gone
        assert not [m for m in page.texts if m["kind"] == "notice"]

    on_page(act)


def test_record_download_replay(studio: Any, start_studio: Any, tmp_path: Path) -> None:
    async def act() -> None:
        async with studio.page() as page:
            begun = page.coming("record", lambda m: m["phase"] == "on")
            await page.do("record", on=True)
            await begun
            before = page.box.peek().sequence
            await page.pass_time(0.6)
            last = page.box.peek().sequence
            # it can be looked at while it is written
            written = await page.text("record", lambda m: m["bytes"] > 20_000)
            growing = page.coming("timeline")
            await page.do("replay", file=written["file"])
            assert (await growing)["grows"]
            await page.do("live")
            await page.text("state", lambda m: m["source"] == "live")
            ended = page.coming("record", lambda m: m["phase"] == "off" and m["files"])
            await page.do("record", on=False)
            found = await ended
            name, size = found["files"][0]["name"], found["files"][0]["bytes"]
            data = get(studio, f"/recording/{name}")
            assert data.status == 200 and len(data.body) == size
            assert data.body[1:5] == b"MCAP"
            assert get(studio, "/recording/..%2F..%2Fetc%2Fpasswd").status == 404
            greeting = page.coming("hello")
            await page.do("replay", file=name)
            hello = await greeting
            assert "live" in hello["can"] and "set" not in hello["can"]
            await page.text("state", lambda m: m["source"] == name)
            # from its start to its end: all that was recorded
            paused = page.coming("state", lambda m: m["state"] == "paused")
            await page.do("pause")
            await paused
            await page.subscribe("angle.q")
            there = page.coming("place", lambda m: m["record"] == last)
            await page.do("seek", at=1e9)  # no further than to its end
            place = await there
            assert place["at"] > 0.6 - PERIOD

            def generation() -> int:
                told = [m for m in page.texts if m["kind"] == "subscribed"]
                return int(told[-1]["generation"])

            # what lies before the moment shown is plotted again after a jump
            await page.until(lambda: last in page.table(generation())[0])
            numbers, rows = page.table(generation())
            async with studio.page() as later:  # it is told where the others are
                shown = await later.until(
                    lambda: next((m for m in later.texts if m["kind"] == "place"), None)
                )
                assert shown["record"] == last
            back = page.coming("place", lambda m: m["record"] == last - 3)
            await page.do("step_back", count=3)
            assert abs((await back)["at"] - place["at"] + 3 * PERIOD) < 1e-6
            # at once, and yet one after the other
            for count in range(1, 13):
                moved = page.coming("place", lambda m, n=last - count: m["record"] == n)
                await page.do("go")
                await page.do("pause")
                await page.do("seek", at=1e9)
                await page.do("step_back", count=count)
                await moved
                await page.heard()
                shown = [m["record"] for m in page.texts if m["kind"] == "place"]
                assert shown[-1] == last - count
            await page.do("go")
            played = numbers[numbers > before].tolist()
            assert played == list(range(before + 1, last + 1)) and len(played) == 600
            assert np.allclose(np.diff(rows[numbers > before, 0]), PERIOD, atol=1e-9)
            await page.text("state", lambda m: m["state"] == "paused")
            refused = page.coming("notice")
            await page.do("set", parameter="g", value=1.0)
            assert "recording" in (await refused)["text"]
            await page.do("live")
            await page.text("state", lambda m: m["source"] == "live" and m["state"] == "running")
            kept.append(data.body)

    kept: list[bytes] = []
    asyncio.run(act())
    show_without_a_plant(start_studio, tmp_path, kept[0])


def show_without_a_plant(start_studio: Any, directory: Path, data: bytes) -> None:
    """`inloop studio run.mcap`, of a recorder that was killed: up to where it breaks off."""
    torn = directory / "torn.mcap"
    # the footer tells where the summary begins, right behind the end of the data
    summary = int.from_bytes(data[-28:-20], "little")
    torn.write_bytes(data[: summary - 5])
    studio = start_studio(str(torn))

    async def act() -> None:
        async with studio.page() as page:
            # greeted again when the file has been read
            hello = await page.until(lambda: page.hello if page.hello["scene"]["bodies"] else None)
            assert hello["plant"]["title"].startswith("Simple")
            assert "seek" in hello["can"] and not {"live", "record"} & {*hello["can"]}
            found = await page.until(
                lambda: next((m for m in page.texts if m["kind"] == "timeline"), None)
            )
            assert not found["complete"] and not found["grows"] and found["file"] == "torn.mcap"
            paused = page.coming("state", lambda m: m["state"] == "paused")
            await page.do("pause")
            await paused
            there = page.coming("place", lambda m: abs(m["at"] - found["length"] / 2) < 0.01)
            await page.do("seek", at=found["length"] / 2)
            await there
            refused = page.coming("notice")
            await page.do("record", on=True)
            assert "no plant is running here" in (await refused)["text"]

    try:
        asyncio.run(act())
    finally:
        studio.end()


def test_ten_pages_and_one_that_does_not_read(studio: Any) -> None:
    async def act() -> None:
        async with contextlib.AsyncExitStack() as stack:
            lazy = await stack.enter_async_context(studio.page(max_queue=1, close_timeout=0.2))
            lazy._reader.cancel()
            await lazy.socket.send('{"do":"subscribe","signals":["angle.q","angle.qd"]}')
            pages = [await stack.enter_async_context(studio.page()) for _ in range(9)]
            generations = [await page.subscribe("angle.q") for page in pages]
            before = pages[0].box.peek().sequence
            await pages[0].pass_time(1.0)
            tables = [await p.all_rows(g) for p, g in zip(pages, generations, strict=True)]
            for numbers, rows in tables:
                # all saw the same
                assert numbers.tolist() == list(range(before + 1, before + 1001))
                assert np.array_equal(rows, tables[0][1])

    asyncio.run(act())


def test_a_killed_loop_is_told_and_can_be_started_again(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            heard = page.coming("state", lambda m: m["state"] == "lost")
            os.kill(studio.loop, signal.SIGKILL)
            lost = await heard
            assert lost["notice"]["level"] == "error" and "Start it again" in lost["notice"]["fix"]
            greeting = page.coming("hello")
            await page.do("choose", name="pendulum", options={})
            await greeting
            page.detach()
            await page.pass_time(0.2)
            state = await page.text("state", lambda m: m["state"] == "running" and m["t"] > 0.1)
            assert state["notice"] is None
            # what makes no sense leaves the present one alone
            for words in ({"name": "nothing"}, {"name": "pendulum", "options": {"n": 3}}):
                refused = page.coming("notice")
                await page.do("choose", **words)
                assert (await refused)["level"] == "error"
            assert (await page.text("state"))["state"] == "running"
            # one that cannot start leaves a menu to choose from, also to a page that comes later
            ended = page.coming("state", lambda m: m["state"] == "ended")
            await page.do("choose", name="n_pendulum", options={"n": 2, "length": 1e9})
            notice = (await ended)["notice"]
            assert notice["level"] == "error" and "{" not in notice["text"]
            async with studio.page() as later:
                assert later.hello["menu"] and later.hello["can"] == ["choose", "restart"]
            again = page.coming("state", lambda m: m["state"] == "running")
            await page.do("choose", name="pendulum")
            await again

    asyncio.run(act())


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


def get(studio: Any, path: str, **headers: str) -> Answer:
    place = studio.address.removeprefix("http://")
    connection = http.client.HTTPConnection(place, timeout=HANG)
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
    with attach(other.plant, HANG) as box:
        box.clock.advance(0.1)
        assert box.peek().step > 0
    loop = os.pidfd_open(other.loop)
    other.end(signal.SIGKILL)
    assert select.select([loop], [], [], HANG)[0]
    os.close(loop)
    assert other.plant not in running() and not segment_path(other.plant).exists()
