"""The structures of il_system.h and il_run.h, and a call of C that Ctrl-C can end."""

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

_REAL, _COUNT = ctypes.c_double, ctypes.c_int64


class SystemStructure(ctypes.Structure):
    """il_system."""

    _fields_ = (
        ("rates", POINTER),
        ("jacobian", POINTER),
        ("save", POINTER),
        ("restore", POINTER),
        ("predict", POINTER),
        ("correct", POINTER),
        ("context", POINTER),
        ("n", _COUNT),
        ("m", _COUNT),
        ("autonomous", _COUNT),
    )


class RunStructure(ctypes.Structure):
    """il_run."""

    _fields_ = (
        ("system", SystemStructure),
        ("method", _COUNT),
        ("work", POINTER),
        ("pivots", POINTER),
        ("t0", _REAL),
        ("last_step", _COUNT),
        ("t_end", _REAL),
        ("rtol", POINTER),
        ("atol", POINTER),
        ("h_min", _REAL),
        ("h_max", _REAL),
        ("max_steps", _COUNT),
        ("stride", _COUNT),
        ("sample_step", _REAL),
        ("capacity", _COUNT),
        ("t_samples", POINTER),
        ("x_samples", POINTER),
        ("stop", POINTER),
        ("fraction", _REAL),
        ("t", _REAL),
        ("x", POINTER),
        ("slope", POINTER),
        ("slope_known", _COUNT),
        ("step", _COUNT),
        ("h", _REAL),
        ("error_before", _REAL),
        ("steps_done", _COUNT),
        ("rejected", _COUNT),
        ("evaluations", _COUNT),
        ("jacobians", _COUNT),
        ("samples", _COUNT),
        ("next_sample", _COUNT),
        ("sampled", _COUNT),
    )


def call_interruptible(
    name: str,
    run: RunStructure,
    stop: ctypes.c_int,
    keep: tuple[object, ...],
    watch: Watch | None,
) -> int:
    """Call il_run_fixed or il_run_adaptive in a thread: Python sees no signal while it is in C.

    `keep` lives as long as the thread, even when a second Ctrl-C breaks off the wait for it.
    Whatever else `watch` raises ends the run too and is raised again.
    """
    function = load_runtime().function(name, POINTER)
    statuses: list[int] = []
    # not thread.join: interrupted once, it does not wait any more in Python 3.11
    done = threading.Event()

    def work(alive: tuple[object, ...]) -> None:
        statuses.append(function(ctypes.addressof(run)))
        done.set()

    threading.Thread(target=work, args=((run, stop, keep),), name="inloop-run", daemon=True).start()
    try:
        if watch is None:
            done.wait()
        else:
            while not done.wait(WATCH_PERIOD):
                watch(run.fraction)
    except KeyboardInterrupt:
        stop.value = 1
        done.wait()
    except BaseException:
        stop.value = 1
        done.wait()
        raise
    return statuses[0]
