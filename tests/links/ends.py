"""Ends of a UDP link at work in threads of a test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HANG = 120.0  # [s] after which something that should happen never will


@contextmanager
def running(*ends: Any) -> Iterator[None]:
    """The ends at work, each in a thread; what one raises is raised here."""
    raised: list[Exception] = []

    def work(end: Any) -> None:
        try:
            with end:
                end.run()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(end,)) for end in ends]
    for thread in threads:
        thread.start()
    try:
        yield
    except BaseException:
        for end in ends:
            print(end)
            end._error = RuntimeError("the test has failed")
        raise
    finally:
        for thread in threads:
            thread.join(HANG)
    assert not raised, raised
    assert not any(thread.is_alive() for thread in threads)
