"""Messages and visitors that mean no good."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
import struct
import urllib.error
import urllib.request
from typing import Any

import pytest
import websockets

from inloop.errors import InputError
from inloop.studio.messaging.client import MOST_BYTES, Allowance, Client
from inloop.studio.messaging.frames import read_frame
from inloop.studio.messaging.requests import RequestError, read_request
from inloop.studio.server.gate import Gate

HANG = 120.0  # [s] after which something that should come never will
NONSENSE = [
    "", "nonsense", "[]", "3", '"set"', "{}", '{"do":3}', '{"do":"explode"}', '{"do":"set"}',
    '{"do":"set","parameter":"g"}', '{"do":"set","parameter":"g","value":NaN}',
    '{"do":"set","parameter":"g","value":1e999}', '{"do":"set","parameter":"g","value":"1"}',
    '{"do":"set","parameter":"g","value":true}', '{"do":"set","parameter":["g"],"value":1}',
    '{"do":"set","parameter":"g","value":1,"more":2}', '{"do":"step","count":-1}',
    '{"do":"step","count":1.5}', '{"do":"subscribe","signals":"q"}',
    '{"do":"subscribe","signals":[1]}', '{"do":"record","on":1}', '{"do":"choose","name":""}',
    '{"do":"choose","name":"a","options":{"n":null}}', '{"do":"choose","name":"a","options":[1]}',
    '{"do":"set","parameter":"g","value":' + "9" * 400 + "}",
    "[" * 900,
]  # fmt: skip


@pytest.mark.parametrize("text", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        read_request(text)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x08", b"\x07" * 24, struct.pack("<BBHIdd", 8, 0, 0, 1, math.nan, 0.0),
     struct.pack("<BBHIdd", 8, 0, 0, 1, math.inf, 0.0), b"\x09" * 10],
)  # fmt: skip
def test_frames_that_make_no_sense(data: bytes) -> None:
    assert read_frame(data) is None


def test_the_gate() -> None:
    local = Gate()
    here = {"host": "127.0.0.1:8750"}
    own = {**here, "origin": "http://127.0.0.1:8750"}
    assert not local.refusal(here, "") and not local.socket_refusal(own, "")
    for host in ("", "evil.example", "127.0.0.1.evil.example", "evil.example:8750", "[", "::1x"):
        assert local.refusal({"host": host}, "")
    for origin in ("http://evil.example", "null", "http://127.0.0.1:8751", "http://localhost:8750"):
        assert local.socket_refusal({**here, "origin": origin}, "")
    assert local.socket_refusal(here, ""), "a program without a token"
    for host, token in (("0.0.0.0", ""), ("127.0.0.1", "short")):
        with pytest.raises(InputError):
            Gate(host, token)
    open_to_others = Gate("0.0.0.0", "a-long-token", frozenset({"lab"}))
    for cookie, query, passes in (
        ("", "", False), ("", "token=a-long-toke", False), ("inloop_token_8750=wrong", "", False),
        ("", "token=a-long-token", True), ("inloop_token_8750=a-long-token", "", True),
        ("inloop_token_8751=a-long-token", "", False),
    ):  # fmt: skip
        headers = {"host": "lab:8750", "cookie": cookie}
        assert (not open_to_others.refusal(headers, query)) == passes
        assert (not open_to_others.socket_refusal(headers, query)) == passes
    assert open_to_others.refusal({"host": "other:8750"}, "token=a-long-token")


def test_a_studio_has_a_token_of_its_own(start_studio: Any) -> None:
    """Other users of this machine do not get in, neither to the page nor to its socket."""
    studio = start_studio("pendulum", tokens=True)
    try:
        assert len(studio.token) >= 16
        own = {"origin": studio.address}
        assert get(studio.address + "/") == 403
        assert get(studio.address + "/static/main.js") == 403
        assert get(studio.address + f"/?token={studio.token}x") == 403
        assert get(studio.address + f"/static/main.js?token={studio.token}") == 200
        url = studio.address.replace("http", "ws") + "/ws"

        async def act() -> None:
            for wrong in (url, f"{url}?token={studio.token[:-1]}"):
                with pytest.raises(websockets.InvalidStatus):
                    await websockets.connect(wrong, **own)
            cookie = f"inloop_token_{studio.address.rpartition(':')[2]}={studio.token}"
            for right, headers in ((f"{url}?token={studio.token}", {}), (url, {"Cookie": cookie})):
                async with websockets.connect(right, additional_headers=headers, **own) as socket:
                    assert await socket.recv()

        asyncio.run(act())
    finally:
        studio.end()


def get(address: str) -> int:
    try:
        with urllib.request.urlopen(address) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_foreign_pages_do_not_get_in(studio: Any) -> None:
    url = studio.address.replace("http", "ws") + "/ws"

    async def try_to(**options: Any) -> int:
        try:
            async with websockets.connect(url, **options):
                return 101
        except websockets.InvalidStatus as error:
            return int(error.response.status_code)

    async def act() -> None:
        assert await try_to(origin=studio.address) == 101
        assert await try_to(origin="http://evil.example") == 403
        assert await try_to(origin="null") == 403
        assert await try_to() == 403

    asyncio.run(act())


def test_an_allowance_is_kept_to_the_message() -> None:
    now = 7.0
    allowance = Allowance(rate=200.0, burst=400.0, clock=lambda: now)
    assert [allowance.take() for _ in range(402)] == 400 * [True] + 2 * [False]
    # two come back in a hundredth of a second, and never more than there were at first
    now += 2.01 / 200.0
    assert [allowance.take() for _ in range(3)] == [True, True, False]
    now += 3600.0
    assert [allowance.take() for _ in range(401)] == 400 * [True] + [False]


def test_offenders_are_told_and_let_go(studio: Any) -> None:
    async def offend(*messages: str | bytes) -> tuple[int, str]:
        """Until the studio has enough of it."""
        async with studio.page() as page, asyncio.timeout(HANG):
            with contextlib.suppress(websockets.ConnectionClosed):
                for message in itertools.cycle(messages):
                    await page.socket.send(message)
                    await asyncio.sleep(0)  # hear what the studio says to that
            await page._reader
            notices = [m["text"] for m in page.texts if m["kind"] == "notice"]
            return page.socket.close_code, notices[-1]

    async def act() -> None:
        async with studio.page() as bystander:
            ping = struct.pack("<B7xQ", 9, 1)
            set_g = json.dumps({"do": "set", "parameter": "g", "value": 9.81})
            for messages, word in (
                (("x" * 5000,), "bytes"),
                ((b"\x08" * 5000,), "bytes"),
                ((ping, set_g), "messages per second"),
                (("nonsense",), "no sense"),
            ):
                code, text = await offend(*messages)
                assert code == 1008 and word in text
            # wrong names and numbers are told, and forgiven now and then
            async with studio.page() as page:
                for message in (
                    '{"do":"set","parameter":"nothing","value":1}',
                    '{"do":"subscribe","signals":["nothing"]}',
                    '{"do":"replay","file":"../../etc/passwd"}',
                    struct.pack("<BBHIdd", 8, 0, 999, 1, 0.0, 0.0),
                    struct.pack("<BBHIdd", 8, 0, 0, 1, math.nan, 0.0),
                ):
                    told = page.coming("notice")
                    await page.socket.send(message)
                    assert (await told)["level"] == "error"
            # nobody else has noticed
            assert (await bystander.text("state"))["state"] == "running"

    asyncio.run(act())


def test_a_page_that_does_not_read_loses_samples_and_is_told() -> None:
    class Stuck:
        """A browser that has stopped."""

        async def send_text(self, data: str) -> None:
            await asyncio.Event().wait()

        send_bytes: Any = send_text

    async def act() -> None:
        client = Client(Stuck())
        sender = asyncio.create_task(client.send_all())
        frame, queued = bytes(1000), 0
        for k in range(10_000):
            client.show(b"pose %d" % k)
            queued += client.plot(frame, 10)
            if k % 100 == 0:
                await asyncio.sleep(0)
        assert MOST_BYTES - 2000 < 1000 * queued <= MOST_BYTES + 2000
        assert client.lost == 10 * (10_000 - queued) > 0
        # of poses only the newest waits
        assert client._pose == b"pose 9999"
        for _ in range(2000):
            client.notice("info", "x")
        assert client.overwhelmed
        sender.cancel()

    asyncio.run(act())
