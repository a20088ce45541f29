"""Who owns what: reference cycles, forked children, many mailboxes, writers that were stopped."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import inloop as il
from inloop.native import Status
from inloop.native.realtime_functions import COMMANDS, PARAMETERS
from inloop.realtime.mailboxes import memory

Python = Callable[..., "subprocess.Popen[str]"]

HEAD = """
import gc, os, sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
name = sys.argv[1]
"""


def last_words(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    text, _ = process.communicate()
    return process.returncode, text.split()


CYCLE = """
class Controller:
    def __init__(self):
        self.box = il.attach(name)
        self.box.write()
        self.tick = self.step

    def step(self):
        self.box.write()

    def __del__(self):
        # the memory is still there, whatever has been finalized before
        print(self.box.read().step >= 0, self.box.name == name)

gc.disable()
with il.start(arm().compile(), name=name, mode="free", paused=True) as loop:
    for _ in range(50):
        controller = Controller()
        box = controller.box
        box.me, controller.again = box, [box, box.parameters]
        del controller, box
        gc.collect()
    print(loop.mailbox.writer)

loop = il.start(arm().compile(), name=name, mode="free")
loop.me = loop
del loop
gc.collect()
print(name in il.realtime.running())
"""


def test_garbage_collection_ends_no_process(python: Python, name: str) -> None:
    """Mailboxes and a loop in reference cycles, finalized in any order, used in finalizers."""
    code, words = last_words(python(HEAD + CYCLE, name, str(Path(__file__).parent)))
    assert code == 0
    assert words == ["True", "True"] * 50 + ["None", "False"]


FORK = """
with il.start(arm().compile(), name=name, mode="free", paused=True) as loop:
    box = il.attach(name)
    box.write(push=1.0)
    child = os.fork()
    if child == 0:
        try:
            box.write(push=2.0)
        except il.MailboxError as error:
            print(f"process {os.getppid()}" in str(error), flush=True)
        if sys.argv[3] == "close":
            box.close()
            loop.close()
        # the way of a child that is forgotten: atexit, finalizers, with statements
        sys.exit(0)
    print(os.waitpid(child, 0)[1], os.path.exists(f"/dev/shm/inloop.{os.geteuid()}.{name}"))
    print(name in il.realtime.running(), loop.running, box.writer == os.getpid())
    box.write(push=3.0)
    box.step()
    while box.wait() is None:
        pass
    print(box.read()["push"])
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("way", ["forget", "close"])
def test_the_exit_of_a_forked_child_takes_nothing_from_its_parent(
    python: Python, name: str, way: str
) -> None:
    code, words = last_words(python(HEAD + FORK, name, str(Path(__file__).parent), way))
    assert code == 0
    assert words == ["True", "0", "True", "True", "True", "True", "3.0"]


def test_a_mirror_stays_when_a_forked_child_ends(python: Python, name: str) -> None:
    text = """
import numpy as np
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.mirror import Mirror
from inloop.realtime.mailboxes.outputs import State
with Mirror(name, Layout("m", (Quantity("q"),), (), (), (), (), 2, 1e-3), np.zeros(0)) as mirror:
    mirror.tell(State.RUNNING)
    child = os.fork()
    if child == 0:
        sys.exit(0)
    print(os.waitpid(child, 0)[1], il.attach(name).state.name)
"""
    code, words = last_words(python(HEAD + text, name, str(Path(__file__).parent)))
    assert code == 0
    assert words == ["0", "RUNNING"]


def test_no_two_mailboxes_of_one_process_are_the_same_writer(
    plant: il.Plant, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = list(range(12, 0, -1))
    monkeypatch.setattr(memory, "_free_numbers", numbers.copy())
    with il.start(plant, name=name, mode="free", paused=True):
        with il.attach(name) as first:
            first.write()
            # however many were opened and closed before
            for _ in range(len(numbers) + 10):
                with il.attach(name) as other, pytest.raises(il.MailboxError, match="written by"):
                    other.write()
        with il.attach(name) as other:
            other.write()


def test_too_many_mailboxes_are_refused(
    plant: il.Plant, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_free_numbers", [3, 2, 1])
    with il.start(plant, name=name, mode="free", paused=True) as loop:
        first, second = il.attach(name), il.attach(name)
        with pytest.raises(il.MailboxError, match=r"mailboxes are open.*close\(\)"):
            il.attach(name)
        second.close()
        with il.attach(name) as third:
            assert third.read().step == 0
        first.close()
    assert not loop.running
    assert sorted(memory._free_numbers) == [1, 2, 3]


STOPPED = """
import ctypes, signal
import numpy as np
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import realtime_function
ring = int(sys.argv[3])
box = il.attach(name)
held, values = box._use(), np.ones(box.layout.counts[ring])
about = mirror("inloop_record")(status=3)
assert realtime_function("il_mailbox_take_briefly")(held.address, ring) == 0
os.kill(os.getpid(), signal.SIGSTOP)
publish = realtime_function("il_mailbox_publish_briefly")
print(publish(held.address, ring, ctypes.addressof(about), values.ctypes.data))
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize("ring", [PARAMETERS, COMMANDS])
def test_a_writer_that_was_stopped_holds_up_nobody(
    python: Python, plant: il.Plant, name: str, ring: int
) -> None:
    """Whoever is stopped between taking and writing is overtaken, and finds that out."""
    with il.start(plant, name=name, mode="free", paused=True) as loop, il.attach(name) as box:
        other = python(HEAD + STOPPED, name, str(Path(__file__).parent), str(ring), fresh=True)
        os.waitid(os.P_PID, other.pid, os.WSTOPPED | os.WNOWAIT)
        if ring == PARAMETERS:
            box.parameters["stiffness"] = 11.0
            box.parameters["damping"] = 0.7
        else:
            box.step(2)
            box.make_safe()
        other.send_signal(signal.SIGCONT)
        assert last_words(other) == (0, ["0"])
        # what it wanted to write is not there, what others wrote is
        if ring == PARAMETERS:
            box.step()
            assert (box.parameters["stiffness"], box.parameters["damping"]) == (11.0, 0.7)
        else:
            assert box.statistics().latched == Status.STOPPED
            while box.read().step < 2:
                box.wait(10.0)
        assert loop.mailbox.statistics()["bad_commands"] == 0
        assert loop.mailbox.statistics()["bad_parameters"] == 0
