"""Base classes of resources that are closed at the end of a `with` statement."""

from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Self

from inloop.realtime.signals import ended_by_sigterm


class Closing:
    """A resource that is held until it is closed."""

    def close(self) -> object:
        """Release the resource; further calls do nothing."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ClosingOnSigterm(Closing):
    """A resource that SIGTERM does not leave behind either."""

    def __enter__(self) -> Self:
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(ended_by_sigterm())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._stack:
            self.close()
