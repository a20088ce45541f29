"""Base class of resources that are closed at the end of a `with` statement."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """A resource that is held until it is closed."""

    def close(self) -> None:
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
