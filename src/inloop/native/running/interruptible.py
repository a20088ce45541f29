"""Call C functions so that Ctrl-C can interrupt them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

from inloop.native.library import POINTER
from inloop.native.runtime_library import load_runtime

# called with the completed fraction of a run, 0 to 1
Watch = Callable[[float], None]

WATCH_PERIOD = 0.1
"""Time between two calls of a watch [s]."""


def call_interruptible(
    name: str,
    run: ctypes.Structure,
    stop: ctypes.c_int,
    keep: tuple[object, ...],
    watch: Watch | None,
    short: bool = False,
) -> int:
    """Call il_run_fixed or il_run_adaptive in a thread: Python handles no signals while in C.

    A `short` run ends before the user could interrupt it, and needs no thread.

    `keep` lives as long as the thread, even if a second Ctrl-C interrupts the wait for it.
    Any other exception raised by `watch` also ends the run and is re-raised.
    """
    function = load_runtime().function(name, POINTER)
    if short:
        return int(function(ctypes.addressof(run)))
    statuses: list[int] = []
    # not thread.join: in Python 3.11 it does not wait again once interrupted
    done = threading.Event()

    def work(alive: tuple[object, ...]) -> None:
        statuses.append(function(ctypes.addressof(run)))
        done.set()

    thread = threading.Thread(
        target=work, args=((run, stop, keep),), name="inloop-run", daemon=True
    )
    try:
        thread.start()
        if watch is None:
            done.wait()
        else:
            while not done.wait(WATCH_PERIOD):
                watch(run.fraction)
    except KeyboardInterrupt:
        stop.value = 1
        if thread.ident is None:
            raise
        done.wait()
    except BaseException:
        stop.value = 1
        done.wait()
        raise
    return statuses[0]
