"""Runs long work of the server in a thread that ends when the work is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
LOOK_EVERY = 0.02  # [s]
CLEANS_WITHIN = 10.0  # [s]: far longer than it takes to end a compiler


async def in_thread(call: Callable[..., T], *args: Any) -> T:
    """Like `asyncio.to_thread`, for derivation and compilation: cancelling it ends the work.

    A thread cannot be killed from outside, but an exception can be raised in its Python code at any
    time, like Ctrl-C in the main thread; compilers that it has started end with it.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(method: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            method(value)

    def work() -> None:
        try:
            result = call(*args)
        except Exception as error:
            loop.call_soon_threadsafe(settle, outcome.set_exception, error)
        else:
            loop.call_soon_threadsafe(settle, outcome.set_result, result)

    thread = threading.Thread(target=work, name="inloop-studio-work", daemon=True)
    thread.start()
    try:
        return await outcome
    except asyncio.CancelledError:
        await _break_off(thread)
        raise


async def _break_off(thread: threading.Thread) -> None:
    """Raise SystemExit in a thread, which ends it silently, and wait for its end."""
    again = 0.0  # [s] when to raise it again
    while thread.is_alive():
        if time.monotonic() >= again and _tell_to_leave(thread):
            # only if the exception was lost, e.g. in a finalizer: raising it twice interrupts
            # cleanup
            again = time.monotonic() + CLEANS_WITHIN
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(LOOK_EVERY)


def _tell_to_leave(thread: threading.Thread) -> bool:
    """Raise SystemExit in a thread; False while it is starting another thread.

    Until a new thread runs, it has the ident of its parent. The exception would be raised in the
    new thread before it signals that it has started, and the parent would wait for that forever.
    """
    assert thread.ident is not None
    number, leave = ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
    patience = sys.getswitchinterval()
    sys.setswitchinterval(60.0)  # no thread switch between check and raise
    try:
        frame = sys._current_frames().get(thread.ident)
        while frame is not None:
            if frame.f_code is threading.Thread.start.__code__:
                return False
            frame = frame.f_back
        if thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(number, leave)
        return True
    finally:
        sys.setswitchinterval(patience)
