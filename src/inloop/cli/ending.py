"""Processes that do not outlive the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
from types import FrameType

from inloop.studio.plants.processes import PARENT

PR_SET_PDEATHSIG = 1  # of Linux


def end_with_parent() -> None:
    """Let the kernel send SIGTERM to this process when its parent ends, however it ends.

    SIGTERM unwinds the program, so that it cleans up behind itself.
    """
    # it may have ended while this one was importing its modules: then another one is the parent now
    parent = int(os.environ.pop(PARENT, os.getppid()))
    signal.signal(signal.SIGTERM, _leave)
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(128 + signal.SIGTERM)  # it has ended meanwhile


def _leave(number: int, frame: FrameType | None) -> None:
    # it comes once for each thread that the parent had: nothing may interrupt the cleaning up
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
