"""Long work of the server in a thread that ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
LOOK_EVERY = 0.02  # [s]
CLEANS_WITHIN = 10.0  # [s]: far longer than compilers take to be ended


async def in_thread(call: Callable[..., T], *args: Any) -> T:
    """Like `asyncio.to_thread`, for derivation and compilation: who cancels it ends the work.

    A thread cannot be ended from outside, but what it does in Python can raise an exception at any
    time, as after Ctrl-C in the main thread; compilers that it has started end with it.
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
    """Let a thread raise SystemExit, which ends it without a word, and wait for its end."""
    assert thread.ident is not None
    number, leave = ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
    while thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, leave)
        # again only when it was lost, in a finalizer for example: it would break off cleaning up
        again = time.monotonic() + CLEANS_WITHIN
        while thread.is_alive() and time.monotonic() < again:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(LOOK_EVERY)
