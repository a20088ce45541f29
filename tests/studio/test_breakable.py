"""Work in a thread that ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from inloop.studio.plants import breakable

HANG = 60.0  # [s] after which it never ends by itself


@pytest.mark.parametrize("lost", [0, 2])
def test_who_is_not_waited_for_ends(lost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is told when nobody hears: in a finalizer exceptions are lost."""
    monkeypatch.setattr(breakable, "CLEANS_WITHIN", 0.05)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)  # as without pytest
    began, given_up = threading.Event(), threading.Event()
    heard: list[threading.Thread] = []

    def work() -> None:
        began.set()
        while not given_up.is_set():
            try:
                while not given_up.is_set():
                    threading.Event().wait(0.001)
            except SystemExit:
                heard.append(threading.current_thread())
                if len(heard) > lost:
                    raise

    async def main() -> None:
        asyncio.get_running_loop().call_later(HANG, given_up.set)
        task = asyncio.create_task(breakable.in_thread(work))
        await asyncio.to_thread(began.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not heard[0].is_alive()

    asyncio.run(main())
    assert not given_up.is_set()


def test_who_is_starting_another_thread_is_told_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread that is being born would hear it in place of its parent, who waits for its cry."""
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    really_start = threading._start_new_thread  # type: ignore[attr-defined]
    starting, may_start = threading.Event(), threading.Event()
    child = threading.Thread(target=may_start.wait)

    def start_slowly(*words: Any) -> Any:
        if threading.current_thread().name == "inloop-studio-work":
            starting.set()
            may_start.wait(HANG)
        return really_start(*words)

    def work() -> None:
        child.start()
        while True:
            threading.Event().wait(0.001)

    async def main() -> None:
        task = asyncio.create_task(breakable.in_thread(work))
        await asyncio.to_thread(starting.wait)
        task.cancel()
        await asyncio.sleep(5 * breakable.LOOK_EVERY)  # it is told in this time, or not
        may_start.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr(threading, "_start_new_thread", start_slowly)
    asyncio.run(main())
    child.join()  # which cannot be done with who was not born
