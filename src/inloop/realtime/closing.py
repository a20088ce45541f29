"""What is closed at the end of a `with` statement."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """A thing that holds something until it is closed."""

    def close(self) -> None:
        """Let go; a second time does nothing."""
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
