"""What others put under the name of a mailbox: nothing hangs, nothing is trusted, all is told."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import inloop as il
from inloop.native.mirror import mirror
from inloop.native.realtime_functions import realtime_function
from inloop.realtime import running
from inloop.realtime.mailboxes import segment
from inloop.realtime.mailboxes.layout import Layout, Quantity, header_of
from inloop.realtime.mailboxes.segment import Segment, segment_path

Python = Callable[..., "subprocess.Popen[str]"]

LAYOUT = Layout("m", (Quantity("q"),), (), (), (), (), 2, 1e-3)
SLOTS = (4, 4, 4, 4, 4, 4)
NOBODY = 65534


@pytest.fixture
def path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the mailbox would be, in a directory that no other plant of the machine sweeps."""
    monkeypatch.setattr(segment, "DIRECTORY", tmp_path)
    return segment_path(name)


def forged(creator: int, heartbeat: int = 0) -> bytes:
    """A whole and valid segment that nobody has mapped."""
    header, text = header_of(LAYOUT, SLOTS)
    header.creator = creator
    data = bytearray(header.size)
    data[: ctypes.sizeof(header)] = bytes(header)
    data[header.text_offset : header.text_offset + len(text)] = text
    statistics = mirror("inloop_statistics").from_buffer(data, header.statistics_offset)
    statistics.heartbeat = heartbeat
    del statistics
    return bytes(data)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))


def make_symlink(path: Path) -> None:
    path.symlink_to("/etc/passwd")


KINDS: dict[str, Callable[[Path], None]] = {
    "a fifo": os.mkfifo,
    "a symbolic link": make_symlink,
    "a directory": os.mkdir,
    "a socket": make_socket,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("owner", ["of yours", "of user 'nobody'"])
def test_what_is_no_file_is_told_and_left_alone(
    path: Path, name: str, plant: il.Plant, kind: str, owner: str
) -> None:
    KINDS[kind](path)
    if owner != "of yours":
        give_away(path)
    before = os.lstat(path)
    for use in (lambda: il.attach(name), lambda: il.start(plant, name=name, mode="free")):
        with pytest.raises(il.MailboxError, match=f"{kind} {owner} .*{path}.*another name"):
            use()
    assert name not in running()
    assert os.lstat(path).st_ino == before.st_ino
    assert not list(path.parent.glob(f"{path.name}.*"))


def give_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files to others")
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def test_a_mailbox_of_another_user_is_neither_used_nor_replaced(
    path: Path, name: str, plant: il.Plant
) -> None:
    """Complete, of a process that lives, and open to all."""
    path.write_bytes(forged(realtime_function("il_mailbox_self")(0)))
    path.chmod(0o666)
    give_away(path)
    for use in (lambda: il.attach(name), lambda: il.start(plant, name=name, mode="free")):
        with pytest.raises(il.MailboxError, match=r"a file of user 'nobody' .*another name"):
            use()
    assert name not in running()
    assert path.exists()


@pytest.mark.parametrize("process", ["this", "another"])
def test_a_forged_header_holds_no_name(
    path: Path, name: str, plant: il.Plant, python: Python, process: str
) -> None:
    """It names a process that lives, but that has not mapped the file."""
    creator = realtime_function("il_mailbox_self")(0)
    if process == "another":
        other = python("input()").pid
        fields = Path(f"/proc/{other}/stat").read_text().rpartition(")")[2].split()
        creator = (other << 32 | int(fields[19]) & 0xFFFFFFFF) << 10
    assert realtime_function("il_mailbox_alive")(creator)
    path.write_bytes(forged(creator))
    path.chmod(0o600)
    assert name not in running()
    with pytest.raises(il.MailboxError, match="has died"):
        il.attach(name)
    with il.start(plant, name=name, mode="free", paused=True), il.attach(name) as box:
        assert box.read().step == 0
        assert name in running()
        with pytest.raises(il.MailboxError, match=f"runs already, in process {os.getpid()}"):
            il.start(plant, name=name, mode="free")


def test_what_killed_plants_left_is_removed_by_the_next_one(path: Path, name: str) -> None:
    dead = 4_190_000 << 42  # no process has this number
    old, young, mine = (path.with_name(f"{path.name}.{word}") for word in ("old", "young", "mine"))
    old.write_bytes(forged(dead))
    # a plant whose process is not seen from here, but whose heart beats
    young.write_bytes(forged(dead, heartbeat=time.monotonic_ns()))
    mine.write_bytes(b"a file that has nothing to do with mailboxes")
    drafts = [path.with_name(f"{path.name}.{k}.0.new") for k in (4_190_000, os.getpid())]
    for draft in drafts:
        draft.write_bytes(b"half of it")
        os.utime(draft, (0, 0))
    next_one = Segment(name, LAYOUT, SLOTS)
    try:
        assert [p.exists() for p in (old, young, mine, *drafts)] == [False, True, True, False, True]
    finally:
        next_one.close()
        for left in (young, mine, drafts[1]):
            left.unlink()
