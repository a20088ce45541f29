"""A call of C that Ctrl-C can end."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

from inloop.native.library import POINTER
from inloop.native.runtime_library import load_runtime

# told which part of a run is done, 0 to 1
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
    """Call il_run_fixed or il_run_adaptive in a thread: Python sees no signal while it is in C.

    A `short` run is over before anybody could break it off, and needs no thread.

    `keep` lives as long as the thread, even when a second Ctrl-C breaks off the wait for it.
    Whatever else `watch` raises ends the run too and is raised again.
    """
    function = load_runtime().function(name, POINTER)
    if short:
        return int(function(ctypes.addressof(run)))
    statuses: list[int] = []
    # not thread.join: interrupted once, it does not wait any more in Python 3.11
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
