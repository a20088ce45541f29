"""Bring in the memory that a real-time thread will use, before it starts.

The thread locks the pages that its process has touched, and those that it touches later, see
il_thread.c. It does not lock what is only reserved: stacks of other threads and reserves of
allocators can be many times as large as the memory in use, and locking would fetch all of it. So
what the thread will use, and nobody may have touched yet, is touched here.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from pathlib import Path

import numpy as np

from inloop.native.library import Reals

# plants, the runtime and the loop as they are in the build cache; the C library and its mathematics
CODE = re.compile(r"/(library\.so|lib[cm][.-][^/]*?)( \(deleted\))?$")


def bring_in(*arrays: Reals) -> None:
    """Touch each page of some arrays, and of the code of all plants in this process."""
    for array in arrays:
        pages = array.view(np.int64)[:: mmap.PAGESIZE // 8]
        pages |= 0  # a write that changes no bit: only then does a page exist
        array.view(np.int64)[-1:] |= 0  # the end may be in a page of its own
    for begin, end in _code():
        for page in range(begin, end, mmap.PAGESIZE):
            ctypes.string_at(page, 1)


def _code() -> list[tuple[int, int]]:
    """First and last addresses of the code, and of the constants beside it."""
    found = []
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        place, rights, _, _, _, *file = line.split(maxsplit=5)
        if file and "r" in rights and CODE.search(file[0]):
            begin, end = (int(word, 16) for word in place.split("-"))
            found.append((begin, end))
    return found
