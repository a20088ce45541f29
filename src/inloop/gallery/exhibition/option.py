"""Choices made when the model of an exhibit is built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

YES, NO = ("true", "on", "yes", "1"), ("false", "off", "no", "0")

Chosen = bool | int | float | str | Path
"""Value of an option, or a file."""


@dataclass(frozen=True)
class Option:
    """A choice made when the model is built, such as the number of links.

    Attributes:
        default: default value; its type determines how text is read.
        doc: what it means.
        range: smallest and largest value of a number.
    """

    default: bool | int | float
    doc: str
    range: tuple[float, float] | None = None

    @property
    def allowed(self) -> str:
        """Allowed values, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{kind} from {self.range[0]:g} to {self.range[1]:g}" if self.range else kind

    def fits(self, value: object) -> bool:
        """True if the option may have this value."""
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(value, bool) and isinstance(self.default, bool)
        kinds = int if isinstance(self.default, int) else (int, float)
        if not isinstance(value, kinds):
            return False
        return self.range is None or self.range[0] <= value <= self.range[1]

    def read(self, text: str) -> bool | int | float:
        """The value that a text represents; raises ValueError if it is not valid."""
        if isinstance(self.default, bool):
            word = text.lower()
            if word not in (*YES, *NO):
                raise ValueError(text)
            return word in YES
        return int(text) if isinstance(self.default, int) else float(text)
