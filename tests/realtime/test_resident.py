"""What a running loop keeps in memory: all that it uses, and nothing that is only reserved."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

import numpy as np

import inloop as il
from inloop.realtime.resident import bring_in

RESERVED = 512 << 20  # [bytes]


def kilobytes(name: str, text: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
    assert found is not None
    return int(found.group(1))


def test_what_is_only_reserved_is_not_fetched(plant: il.Plant, name: str) -> None:
    """Programs reserve far more than they use: stacks of threads, room of allocators."""
    status = Path("/proc/self/status")
    with mmap.mmap(-1, RESERVED):
        before = kilobytes("VmRSS", status.read_text())
        with il.start(plant, name=name, rate=1000):
            running = kilobytes("VmRSS", status.read_text())
    assert running - before < RESERVED / 1024 / 8


def test_code_and_memory_of_a_plant_are_there_before_its_first_step(
    plant: il.Plant, name: str
) -> None:
    with il.start(plant, name=name, rate=1000, paused=True) as loop:
        parts = re.split(
            r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(), flags=re.M
        )
        code = [part for part in parts if re.match(r"\S+ r-xp .*/library\.so\n", part)]
        sizes = [(kilobytes("Rss", part), kilobytes("Size", part)) for part in code]
        assert sizes and all(present == size for present, size in sizes)
        assert max(size for _, size in sizes) > 64  # more than comes with the first page
        memory = loop._wiring.instance.memory
        assert np.all(present_pages(memory))


def test_the_last_page_of_an_array_is_touched_wherever_it_begins() -> None:
    words = mmap.PAGESIZE // 8
    with mmap.mmap(-1, 4 * mmap.PAGESIZE) as room:
        array = np.frombuffer(room)[words // 2 :][: words + words // 2 + 8]  # ends in a third page
        bring_in(array)
        assert np.all(present_pages(array))
        del array


def present_pages(array: np.ndarray) -> np.ndarray:
    """Of each page of an array: whether it is in memory, as the kernel says."""
    begin = array.ctypes.data // mmap.PAGESIZE
    end = -(-(array.ctypes.data + array.nbytes) // mmap.PAGESIZE)
    with open("/proc/self/pagemap", "rb", buffering=0) as file:
        file.seek(8 * begin)
        entries = np.frombuffer(file.read(8 * (end - begin)), dtype=np.uint64)
    return entries >> np.uint64(63) == 1
