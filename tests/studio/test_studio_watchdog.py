"""Plants of the studio have a watchdog, and pages see when it acts and how to go on."""

from __future__ import annotations

import asyncio
import signal
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inloop.native import Status
from inloop.realtime import Outputs
from inloop.studio.plants.health import Health
from inloop.studio.plants.sources import Condition, Moment
from warm_python import run

CONTROLLER = """
import os, signal, sys
import inloop as il
box = il.attach(sys.argv[1])
box.write({"angle.tau": 3.0})
print("written", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


PERIOD, STALE_AFTER = 1e-3, 0.5  # [s]


def words_of(state: dict[str, Any]) -> str:
    return "" if state["notice"] is None else str(state["notice"]["text"])


def is_safe(record: Outputs) -> bool:
    return record.status == Status.INPUT_STALE and record["angle.tau"] == 0.0


def test_the_force_of_a_killed_controller_does_not_stay_and_the_page_is_told(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            killed = run(["-c", CONTROLLER, studio.plant])
            assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "written\n")
            await page.pass_time(STALE_AFTER - 2 * PERIOD)
            assert page.box.peek()["angle.tau"] == 3.0
            await page.pass_time(4 * PERIOD)
            assert is_safe(page.box.peek())
            state = await page.text("state", lambda m: m["status"] == "INPUT_STALE")
            assert "watchdog" in state["notice"]["text"] and "reset" in state["notice"]["fix"]
            # the way out
            fine = page.coming("state", lambda m: m["status"] == "OK")
            await page.do("reset")
            state = await page.while_time_passes(fine, PERIOD)
            assert "watchdog" not in words_of(state)

    asyncio.run(act())


def test_the_force_of_a_stopped_studio_does_not_stay(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            await page.do("take_input")
            await page.socket.send(struct.pack("<BBHIdd", 8, 0, 0, 1, 5.0, 0.0))
            await page.heard()
            await page.pass_time(2 * STALE_AFTER)
            assert page.box.peek()["angle.tau"] == 5.0
            studio.process.send_signal(signal.SIGSTOP)
            try:
                facts = Path(f"/proc/{studio.process.pid}/stat")
                while facts.read_text().rpartition(")")[2].split()[0] != "T":
                    await asyncio.sleep(1e-3)
                page.box.clock.advance(STALE_AFTER + 2 * PERIOD)
                assert is_safe(page.box.peek())
            finally:
                studio.process.send_signal(signal.SIGCONT)
            # it goes on, and what it lets go may stay
            await page.seen()
            await page.pass_time(PERIOD)
            assert page.box.peek()["angle.tau"] == 5.0
            await page.do("release_input")
            await page.heard()
            await page.pass_time(2 * STALE_AFTER)
            assert page.box.writer is None
            await page.pass_time(2 * STALE_AFTER)
            record = page.box.peek()
            assert record.status_name == "OK" and record["angle.tau"] == 0.0

    asyncio.run(act())


@pytest.mark.parametrize(
    ("latched", "word"),
    [("DIVERGED", "diverged"), ("LOOP_OPEN", "closed"), ("CHATTERING", "events"),
     ("STOPPED", "put into the safe state")],
)  # fmt: skip
def test_a_page_sees_that_inputs_are_ignored_after_a_failed_step(latched: str, word: str) -> None:
    good = Moment(7, 0.1, 0.1, 6, "OK", 1, 1, np.zeros(3))
    notice = Health().notice(Condition("running", latched=latched), good)
    assert notice is not None
    assert word in notice["text"] and "inputs are ignored" in notice["text"]
    assert "reset" in notice["fix"]
    assert Health().notice(Condition("running"), good) is None


def test_a_page_sees_that_impulses_of_contacts_were_not_found() -> None:
    health = Health()
    assert health.notice(Condition("running", counters={"inexact_contacts": 3}), None) is None
    notice = health.notice(Condition("running", counters={"inexact_contacts": 4}), None)
    assert notice is not None and notice["level"] == "warn"
    assert "CONTACT_INEXACT" in notice["text"] and "stiffness" in notice["fix"]


def test_the_studio_tells_what_the_loop_has_latched(studio: Any) -> None:
    async def act() -> None:
        async with studio.page() as page:
            told = page.coming("state", lambda m: m["latched"] == "STOPPED")
            page.box.make_safe()
            assert "inputs are ignored" in (await told)["notice"]["text"]
            told = page.coming("state", lambda m: not m["latched"])
            await page.do("go")
            assert "ignored" not in words_of(await told)

    asyncio.run(act())
