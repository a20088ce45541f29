"""Plants of the studio have a watchdog, and pages see when it acts and how to go on."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inloop.native import Status
from inloop.realtime import Mailbox, Outputs, attach
from inloop.studio.health import Health
from inloop.studio.sources import Condition, Moment

CONTROLLER = """
import os, signal, sys
import inloop as il
box = il.attach(sys.argv[1])
box.write({"angle.tau": 3.0})
print("written", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def input_frame(value: float, index: int = 0, sequence: int = 1) -> bytes:
    return struct.pack("<BBHIdd", 8, 0, index, sequence, value, 1e3 * time.monotonic())


def until(box: Mailbox, test: Callable[[Outputs], bool]) -> Outputs:
    record = box.read()
    while not test(record):
        record = box.wait(10.0) or record
    return record


def words_of(state: dict[str, Any]) -> str:
    return "" if state["notice"] is None else str(state["notice"]["text"])


def is_safe(record: Outputs) -> bool:
    return record.status == Status.INPUT_STALE and record["angle.tau"] == 0.0


def test_the_force_of_a_killed_controller_does_not_stay_and_the_page_is_told(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            command = [sys.executable, "-c", CONTROLLER, studio.plant]
            killed = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, b"written\n")
            state = await page.text("state", lambda m: m["status"] == "INPUT_STALE")
            assert "watchdog" in state["notice"]["text"] and "reset" in state["notice"]["fix"]
            with attach(studio.plant) as box:
                assert until(box, is_safe)
            # the way out
            await page.do("reset")
            # a machine that is busy may be late, and says so
            state = await page.text("state", lambda m: m["status"] in ("OK", "OVERRUN"))
            assert "watchdog" not in words_of(state)

    asyncio.run(act())


def test_the_force_of_a_stopped_studio_does_not_stay(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            with attach(studio.plant) as box:
                await page.do("take_input")
                await page.socket.send(input_frame(5.0, sequence=1))
                while box.read()["angle.tau"] != 5.0:
                    await asyncio.sleep(0.001)
                studio.process.send_signal(signal.SIGSTOP)
                try:
                    os.waitid(os.P_PID, studio.process.pid, os.WSTOPPED | os.WNOWAIT)
                    assert until(box, is_safe)
                finally:
                    studio.process.send_signal(signal.SIGCONT)
                # it goes on, and what it lets go may stay
                until(box, lambda record: record["angle.tau"] == 5.0)
                await page.do("release_input")
                while box.writer is not None:
                    await asyncio.sleep(0.001)
                assert box.read().status_name in ("OK", "OVERRUN")

    asyncio.run(act())


@pytest.mark.parametrize(
    ("latched", "word"),
    [("DIVERGED", "ran away"), ("LOOP_OPEN", "closed"), ("CHATTERING", "events"),
     ("STOPPED", "made the plant safe")],
)  # fmt: skip
def test_a_page_sees_that_inputs_are_ignored_after_a_failed_step(latched: str, word: str) -> None:
    good = Moment(7, 0.1, 0.1, 6, "OK", 1, 1, np.zeros(3))
    notice = Health().notice(Condition("running", latched=latched), good)
    assert notice is not None
    assert word in notice["text"] and "inputs are ignored" in notice["text"]
    assert "reset" in notice["fix"]
    assert Health().notice(Condition("running"), good) is None


def test_the_studio_tells_what_the_loop_has_latched(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            with attach(studio.plant) as box:
                box.make_safe()
            state = await page.text("state", lambda m: m["latched"] == "STOPPED")
            assert "inputs are ignored" in state["notice"]["text"]
            await page.do("go")
            state = await page.text("state", lambda m: not m["latched"])
            assert "ignored" not in words_of(state)

    asyncio.run(act())
