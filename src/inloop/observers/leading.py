"""A controller that reads the estimates of an observer instead of outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inloop.observers.observer import Observer
from inloop.observers.symbols import refuse_symbols


class Leading:
    """A controller behind an observer."""

    def __init__(self, observer: Observer, controller: Any) -> None:
        """Connect a controller to the estimates of an observer."""
        self._observer, self._controller = observer, controller
        self.__name__ = getattr(controller, "__name__", type(controller).__name__)

    def reset(self) -> None:
        """Reset the observer and the controller."""
        self._observer.reset()
        if hasattr(self._controller, "reset"):
            self._controller.reset()

    def __call__(self, t: float, outputs: Mapping[str, float]) -> Mapping[str, float]:
        """The controller's output for the new estimate."""
        refuse_symbols(t)
        answer: Mapping[str, float] = self._controller(t, self._observer.step(outputs))
        return answer
