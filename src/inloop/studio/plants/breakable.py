"""Long work of the server in a thread that ends when nobody waits for it any more."""

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
    again = 0.0  # [s] when it is told once more
    while thread.is_alive():
        if time.monotonic() >= again and _tell_to_leave(thread):
            # once more only if it was lost, in a finalizer for example: it breaks off cleaning up
            again = time.monotonic() + CLEANS_WITHIN
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(LOOK_EVERY)


def _tell_to_leave(thread: threading.Thread) -> bool:
    """Raise SystemExit in a thread; not while it starts another one: False.

    Until a new thread runs it bears the number of who starts it. It would be the one that is told,
    and die before it has told its parent that it lives, who would wait for that for ever.
    """
    assert thread.ident is not None
    number, leave = ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
    patience = sys.getswitchinterval()
    sys.setswitchinterval(60.0)  # so that no other thread comes between looking and telling
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
