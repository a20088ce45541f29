"""A blind test in the studio: who drives is not told a parameter, and says what it felt like."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import InputError


@dataclass(frozen=True)
class BlindTest:
    """Runs that differ in one hidden parameter; all is revealed after the last one.

    In each run the surprise of the scenery appears. Afterwards the page asks for the order in which
    the runs felt, and tells the values and the peaks of two signals after the surprise had come.

    Attributes:
        parameter: that is hidden.
        values: of it, one for each run, in an order that nobody is told.
        quantity: what the values are called when they are told.
        scale: of the values, to get to `unit`.
        unit: in which they are told.
        angle: signal of what the hand turns [rad].
        torque: signal of what it feels [N·m].
        task: what who drives should do, a sentence.
    """

    parameter: str
    values: tuple[float, ...]
    quantity: str
    scale: float
    unit: str
    angle: str
    torque: str
    task: str

    def __post_init__(self) -> None:
        if not 2 <= len(self.values) <= 6:
            raise InputError(
                f"a blind test of '{self.parameter}' has {len(self.values)} runs",
                fix="Give 2 to 6 values.",
            )
