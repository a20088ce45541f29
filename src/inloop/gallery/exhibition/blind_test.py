"""A blind test in the studio: a parameter is hidden from the driver, who ranks the runs by feel."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import InputError


@dataclass(frozen=True)
class BlindTest:
    """Runs that differ in one hidden parameter, which is revealed after the last one.

    In each run the surprise of the scenery appears. Afterwards the page asks the driver to rank the
    runs by feel, then shows the values and the peaks of two signals after the surprise appeared.

    Attributes:
        parameter: the hidden parameter.
        values: its values, one for each run, in a secret order.
        quantity: name of the values when they are revealed.
        scale: factor from the values to `unit`.
        unit: unit in which they are shown.
        angle: signal of the angle that the hand turns [rad].
        torque: signal of the torque that it feels [N·m].
        task: what the driver should do, a sentence.
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
