"""Sources of the page's data: a running plant, or a recording of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.telemetry import Block
from inloop.studio.messaging.message_types import Activity, Histograms

COMMANDS = ("pause", "go", "step", "speed", "reset")
MOVES = ("seek", "step_back")  # recordings only


@dataclass(frozen=True)
class Moment:
    """The newest outputs.

    Attributes:
        sequence: sequence number of the record.
        stamp: when it was written, on the clock of the source [s].
        t: simulated time [s].
        step: successful steps since the start.
        status: name of the status of the step.
        flags: see `Flag`.
        parameters: sequence number of the parameters in use.
        values: all values, in the order of the layout.
    """

    sequence: int
    stamp: float
    t: float
    step: int
    status: str
    flags: int
    parameters: int
    values: Reals


@dataclass(frozen=True)
class Condition:
    """Condition of a source.

    Attributes:
        state: activity.
        speed: simulated seconds per second.
        counters: overruns, stale, failed, ….
        latched: status because of which inputs are replaced by safe values until somebody resumes
            ("STOPPED": on request); "" if they are not.
        beyond: what exceeded its bounds last, as text; "" if nothing did.
        jumps: note on a drive that is moved without its velocity, as text; "" if there is none.
    """

    state: Activity
    speed: float = 1.0
    counters: dict[str, int] = field(default_factory=dict)
    latched: str = ""
    beyond: str = ""
    jumps: str = ""


class Source(Protocol):
    """A running plant, or a recording."""

    layout: Layout
    name: str

    @property
    def now(self) -> float:
        """The clock of time stamps [s]."""
        ...

    def newest(self) -> Moment | None:
        """The newest outputs."""
        ...

    def take(self) -> list[Block]:
        """All records since the last call."""
        ...

    def to_plot(self, taken: list[Block]) -> tuple[bool, list[Block]]:
        """Records for plots, after the records just taken.

        Returns:
            Whether earlier records must be discarded, and the records that follow.
        """
        ...

    def replot(self) -> None:
        """The plotted signals have changed: send the records around the current moment again."""
        ...

    def skip(self) -> None:
        """Skip the records since the last call."""
        ...

    def parameters(self) -> dict[str, float]:
        """Current values by name."""
        ...

    def condition(self) -> Condition:
        """The current condition."""
        ...

    def histograms(self) -> Histograms | None:
        """Timing histograms of the loop; None if there are none."""
        ...

    def command(self, what: str, value: float = 0.0) -> None:
        """Execute one of COMMANDS or MOVES; may be slow, so not called from the event loop."""
        ...

    def set_parameters(self, values: dict[str, float]) -> None:
        """Change parameters, all between the same two steps."""
        ...
