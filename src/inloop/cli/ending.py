"""Child processes that do not outlive their parent."""

from __future__ import annotations

import ctypes
import os
import signal
from types import FrameType

from inloop.studio.plants.processes import PARENT

PR_SET_PDEATHSIG = 1  # Linux constant


def end_with_parent() -> None:
    """Let the kernel send SIGTERM to this process when its parent ends, for whatever reason.

    SIGTERM unwinds the program, so that it cleans up.
    """
    # the parent may have ended while this process imported its modules: then getppid() has changed
    parent = int(os.environ.pop(PARENT, os.getppid()))
    signal.signal(signal.SIGTERM, _leave)
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(128 + signal.SIGTERM)  # it has ended meanwhile


def _leave(number: int, frame: FrameType | None) -> None:
    # it arrives once per thread of the parent: nothing may interrupt the cleanup
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
