"""Work in a thread that ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading

import pytest

from inloop.studio.plants import breakable


@pytest.mark.parametrize("lost", [0, 2])
def test_who_is_not_waited_for_ends(lost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is told when nobody hears: in a finalizer exceptions are lost."""
    monkeypatch.setattr(breakable, "CLEANS_WITHIN", 0.05)
    began, heard = threading.Event(), []

    def work() -> None:
        began.set()
        while True:
            try:
                while True:
                    threading.Event().wait(0.001)
            except SystemExit:
                heard.append(threading.current_thread())
                if len(heard) > lost:
                    raise

    async def main() -> None:
        task = asyncio.create_task(breakable.in_thread(work))
        await asyncio.to_thread(began.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not heard[0].is_alive()

    asyncio.run(main())
    assert len(heard) == lost + 1
