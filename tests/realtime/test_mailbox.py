"""The mailbox: complete records under a hammering writer, owners, telemetry, names, damage."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from realtime_arm import HANG

import inloop as il
from inloop.native.realtime_functions import OUTPUTS, realtime_function
from inloop.realtime import Mailbox, running
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.segment import Segment, segment_path
from inloop.realtime.statistics import bin_edges

Python = Callable[..., "subprocess.Popen[str]"]

# a process that makes a segment by hand and writes records whose numbers are all the same
WRITER = """
import ctypes, sys
import numpy as np
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import realtime_function
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.realtime.mailboxes.segment import Segment
name, count, slots, ahead = sys.argv[1], *map(int, sys.argv[2:])
quantities = tuple(Quantity(f"c{k}") for k in range(40))
layout = Layout("hammer", quantities, (), (), (), (), 0, 1e-3)
segment = Segment(name, layout, (slots, 4, 4, 4, 4, 4))
box, record = mirror("inloop_mailbox")(), mirror("inloop_record")()
use, publish = (realtime_function(f"il_mailbox_{f}") for f in ("use", "publish"))
assert use(ctypes.addressof(box), segment.memory.address, segment.memory.size, 1) == 0
print("ready", flush=True)
sys.stdin.readline()
values = np.zeros(81)
for k in range(1, count + 1):
    values[:] = k
    publish(ctypes.addressof(box), 0, ctypes.addressof(record), values.ctypes.data)
    if ahead and k % ahead == 0:
        sys.stdin.readline()  # the reader has kept up
print("done", flush=True)
sys.stdin.readline()
segment.close()
"""


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("slots", [4, 64])
def test_no_read_is_torn(python: Python, name: str, slots: int) -> None:
    """A writer as fast as it can, few slots, a reader that looks all the time: no mixed record.

    The same with threads in C, where reader and writer meet far more often: test_native.py.
    """
    process = python(WRITER, name, "1000000000", str(slots), "0")
    assert heard(process) == "ready"
    complete, last = 0, 0
    with il.attach(name) as box:
        begin(process)
        while complete < 1000:
            try:
                record = box.read()
            except il.MailboxError:
                continue  # not there yet, or overtaken: said, not mixed
            assert set(record.values.tolist()) == {float(record.sequence)}
            assert record.sequence >= last
            complete += record.sequence > last
            last = record.sequence
    process.kill()
    process.wait()
    segment_path(name).unlink(missing_ok=True)  # or another plant that starts has swept it


def test_telemetry_loses_nothing_as_long_as_the_reader_keeps_up(python: Python, name: str) -> None:
    """The writer is never more than half a ring ahead."""
    process = python(WRITER, name, "3000", "64", "32")
    assert heard(process) == "ready"
    found: list[int] = []
    with il.attach(name) as box:
        begin(process)
        while len(found) < 3000:
            assert box.wait(HANG) is not None
            new = [record.sequence for record in iter(box.next, None)]
            found += new
            # once for each half, also if `wait` tells of a record that `next` has read already
            if new and len(found) % 32 == 0:
                begin(process)
        assert box.lost == 0
    assert found == list(range(1, 3001))
    assert heard(process) == "done"
    begin(process)
    process.wait(HANG)


def test_telemetry_counts_what_it_lost(python: Python, name: str) -> None:
    process = python(WRITER, name, "5000", "64", "0")
    assert heard(process) == "ready"
    with il.attach(name) as box, il.attach(name) as other:
        begin(process)
        assert heard(process) == "done"
        found = []
        while (record := box.next()) is not None:
            found.append(record.sequence)
        # all that is left in the ring, less the slot that the writer would fill next
        assert found == list(range(5000 - 63 + 1, 5001))
        assert box.lost == 5000 - 63
        # the other reader has a cursor of its own; the sum of both is in the statistics
        assert other.lost == 0
        assert other.next() is not None
        assert box.statistics()["lost_telemetry"] == 2 * (5000 - 63)
    assert box.lost == 5000 - 63  # known also when it is closed
    begin(process)
    process.wait(HANG)


HOLDER = """
import sys
import inloop as il
box = il.attach(sys.argv[1])
box.write(push=float(sys.argv[2]))
print("holds", flush=True)
sys.stdin.readline()
"""


def test_one_writer_at_a_time_taken_over_when_it_was_killed(
    plant: il.Plant, python: Python, name: str
) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()), il.attach(name) as box:
        process = python(HOLDER, name, "1.25", fresh=True)
        assert heard(process) == "holds"
        assert box.writer == process.pid
        with pytest.raises(il.MailboxError, match=f"written by process {process.pid}"):
            box.write(push=2.0)
        with pytest.raises(il.MailboxError, match="written by process"):
            box.take()
        # killed and not yet collected by its parent: a zombie is dead
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert box.writer is None
        box.write(push=2.0)
        assert box.writer == os.getpid()
        process.wait()


def test_inputs_are_released_explicitly(plant: il.Plant, name: str) -> None:
    with (
        il.start(plant, name=name, clock=il.ScriptedClock()),
        il.attach(name) as one,
        il.attach(name) as two,
    ):
        one.take()
        # a second handle of the same process is another writer
        with pytest.raises(il.MailboxError, match="written by process"):
            two.write(push=1.0)
        one.release()
        two.write(push=1.0)
        two.close()
        one.write(push=1.5)


def test_inputs_that_are_not_given_stay_as_another_writer_left_them(
    plant: il.Plant, name: str
) -> None:
    """Two cells of a notebook, each with a mailbox of its own."""
    push, effort = "push", "elbow.tau"
    with il.start(plant, name=name, clock=il.ScriptedClock(), stale_after=0.05) as loop:
        with il.attach(name) as one:
            one.rest({effort: 3.0})
        with il.attach(name) as two:  # the plant has not used the first ones yet
            two.rest({push: 1.0})
        loop.clock.advance(0.01)
        assert [loop.mailbox.peek()[n] for n in (effort, push)] == [3.0, 1.0]
        with il.attach(name) as three:
            three.write({push: 2.0})
            loop.clock.advance(0.02)
            assert [three.peek()[n] for n in (effort, push)] == [3.0, 2.0]
        loop.clock.advance(0.1)  # nobody keeps them up: they are stale
        with il.attach(name) as four:
            four.write({push: 4.0})  # what is not safe does not come back
            loop.clock.advance(0.01)
            assert [four.peek()[n] for n in (effort, push)] == [0.0, 4.0]


def test_a_closed_mailbox_says_so(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()) as loop:
        box = il.attach(name)
        box.close()
        for use in (box.read, box.wait, box.write, box.take, box.statistics, box.pause):
            with pytest.raises(il.MailboxError, match="is closed"):
                use()
        with pytest.raises(il.MailboxError, match="is closed"):
            _ = box.parameters["stiffness"]
    for use in (loop.mailbox.read, loop.mailbox.statistics):
        with pytest.raises(il.MailboxError, match="is closed"):
            use()


def test_the_segment_is_for_its_user_alone(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()):
        path = segment_path(name)
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)
        with pytest.raises(il.MailboxError, match="open to others"):
            il.attach(name)
        path.chmod(0o600)
        assert name in running()
    assert name not in running()


def test_an_onlooker_does_not_change_what_is_new(plant: il.Plant, name: str) -> None:
    clock = il.ScriptedClock()
    with il.start(plant, name=name, clock=clock) as loop, il.attach(name) as box:
        first = box.read()
        loop.clock.advance(loop.options.period)
        assert box.peek().step == 1
        assert first.sequence == 1
        assert loop.report().steps == 1
        record = box.wait(0.0)
        assert record is not None
        assert record.sequence == 2
        assert box.wait(0.0) is None


def test_names_and_units(plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()), il.attach(name) as box:
        assert box.coordinates == plant.coordinates == ("shoulder", "elbow")
        assert box.inputs == ("shoulder.tau", "elbow.tau", "push")
        assert box.names == (
            "t", "shoulder.q", "elbow.q", "shoulder.qd", "elbow.qd", *box.inputs,
        )  # fmt: skip
        assert box.units["stiffness"] == "N*m/rad"
        with il.attach(name) as other:
            assert other.layout_hash == box.layout_hash
        with il.start(plant, name=f"{name}-2", inputs={"push": 1.0}, mode="lock-step") as loop:
            assert loop.mailbox.layout_hash != box.layout_hash
        assert box.units["shoulder.tau"] == "N*m"
        record = box.read()
        assert record["shoulder.qd"] == record.qd[0]
        with pytest.raises(il.InputError, match=r"no output 'sholder.q'"):
            _ = record["sholder.q"]
        # C finds the same places by the same names
        index = realtime_function("il_mailbox_index")
        for kind, label, expected in (
            ("q", "elbow", 2), ("qd", "shoulder", 3), ("applied", "push", 7), ("input", "push", 2),
            ("parameter", "damping", 1), ("q", "nothing", -1), ("nothing", "elbow", -1),
        ):  # fmt: skip
            assert index(box._use().address, kind.encode(), label.encode()) == expected


LEFT = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
loop = il.start(arm().compile(), name=sys.argv[1], clock=il.ScriptedClock())
print("running", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_plant_left_is_recognised_and_replaced(
    plant: il.Plant, python: Python, name: str
) -> None:
    process = python(LEFT, name, str(Path(__file__).parent))
    assert heard(process) == "running"
    process.wait()
    assert segment_path(name).exists()
    assert name not in running()
    with pytest.raises(il.MailboxError, match="has died"):
        il.attach(name)
    with il.start(plant, name=name, clock=il.ScriptedClock()), il.attach(name) as box:
        assert box.read().step == 0
        assert name in running()


def test_rubbish_under_the_name_is_replaced_and_never_attached(plant: il.Plant, name: str) -> None:
    path = segment_path(name)
    for rubbish in (b"", b"x" * 100, b"\xff" * 5000):
        path.write_bytes(rubbish)
        path.chmod(0o600)
        with pytest.raises(il.MailboxError, match="not a mailbox of this version"):
            il.attach(name)
        with il.start(plant, name=name, clock=il.ScriptedClock()), il.attach(name) as box:
            assert box.read().step == 0


def test_a_plant_that_dies_while_others_wait(python: Python, name: str) -> None:
    text = LEFT.replace("os.kill(os.getpid(), signal.SIGKILL)", "sys.stdin.readline()\n")
    process = python(text, name, str(Path(__file__).parent))
    assert heard(process) == "running"
    with il.attach(name) as box:
        box.read()
        assert box.wait(0.0) is None
        process.kill()
        process.wait()
        with pytest.raises(il.MailboxError, match="has ended"):
            box.wait(HANG)
    segment_path(name).unlink(missing_ok=True)  # or another plant that starts has swept it


def test_a_new_segment_never_replaces_a_living_one(name: str) -> None:
    layout = Layout("m", (Quantity("q"),), (), (), (), (), 2, 1e-3)
    first = Segment(name, layout, (4, 4, 4, 4, 4, 4))
    with pytest.raises(il.MailboxError, match="runs already"):
        Segment(name, layout, (4, 4, 4, 4, 4, 4))
    first.close()
    assert not list(Path("/dev/shm").glob(f"*{name}*"))


@pytest.mark.parametrize("owned", [False, True])
def test_closing_a_mailbox_in_which_another_thread_waits(
    plant: il.Plant, name: str, owned: bool
) -> None:
    """The one who waits is told; nobody touches memory that is gone."""
    for k in range(8):
        # every other time records come while it waits
        with il.start(plant, name=name, rate=1000.0, clock=il.ScriptedClock()) as loop:
            box = loop.mailbox if owned else il.attach(name)
            if k % 2 == 1:
                loop.clock.release()
            told: list[il.MailboxError] = []
            inside = threading.Event()

            def use(
                box: Mailbox = box,
                told: list[il.MailboxError] = told,
                inside: threading.Event = inside,
            ) -> None:
                try:
                    box.read()
                    inside.set()
                    while True:
                        box.wait(HANG)
                        box.statistics()
                except il.MailboxError as error:
                    told.append(error)

            thread = threading.Thread(target=use)
            thread.start()
            assert inside.wait(HANG)
            (loop if owned else box).close()
            thread.join(HANG)
        assert not thread.is_alive()
        assert re.search("is closed|has ended", str(told[0]))


def test_memory_that_is_cut_short(plant: il.Plant, name: str) -> None:
    """Neither the plant nor its onlookers die of it; all are told."""
    for left in (0, 10_000):
        options = {"rate": 2000.0, "seconds": 0.5, "clock": il.ScriptedClock()}
        with il.start(plant, name=name, **options) as loop, il.attach(name) as box:
            loop.clock.advance(0.1)
            assert box.read().step == 200
            os.truncate(segment_path(name), left)
            with pytest.raises(il.MailboxError, match="cut short"):
                box.wait(HANG)
            assert loop.running
            # it goes on in private memory, where counts begin anew
            loop.clock.release()
            assert loop.wait(HANG)
            assert any("cut short" in note for note in loop.notes)
            report = loop.close()
            assert report.steps == 800
            assert report.outputs is not None
            assert report.outputs.step == 1000


def test_bins_agree_with_their_edges() -> None:
    find, edges = realtime_function("il_mailbox_bin"), bin_edges()
    rng = np.random.default_rng(3)
    times = np.concatenate([np.arange(200), (2.0 ** rng.uniform(0, 36, 2000)).astype(np.int64)])
    for value in times.tolist():
        k = find(value)
        assert edges[k] <= value < edges[k + 1]
    assert find(2**63) == len(edges) - 2
    assert OUTPUTS == 0


def test_who_waits_for_inputs_is_woken_by_them(plant: il.Plant, name: str) -> None:
    with (
        il.start(plant, name=name, rate=1000, clock=il.ScriptedClock()) as loop,
        il.attach(name) as waiting,
    ):
        assert not waiting.written(0, 0.0)
        with ThreadPoolExecutor() as pool:
            for number in (1, 2):
                woken = pool.submit(waiting.written, number - 1, HANG)
                loop.mailbox.write(push=0.5)
                assert woken.result() and waiting.inputs_written == number
        assert waiting.written(1, 0.0) and not waiting.written(2, 0.0)
