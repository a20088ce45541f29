"""Where the page's numbers come from: a plant that runs, or a recording of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.telemetry import Block
from inloop.studio.messaging.message_types import Activity, Histograms

COMMANDS = ("pause", "go", "step", "speed", "reset")
MOVES = ("seek", "step_back")  # of recordings only


@dataclass(frozen=True)
class Moment:
    """The newest outputs.

    Attributes:
        sequence: number of the record.
        stamp: when it was written, on the clock of the source [s].
        t: simulated time [s].
        step: good steps since the start.
        status: how the step ended, a word.
        flags: see `Flag`.
        parameters: number of the parameters in use.
        values: all numbers in the order of the layout.
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
    """How it goes.

    Attributes:
        state: in one word.
        speed: simulated seconds per second.
        counters: overruns, stale, failed, ….
        latched: status because of which safe values stand in for the inputs until somebody resumes
            ("STOPPED": somebody has asked for it); "" if they do not.
        beyond: what left its bounds last, in words; "" if nothing did.
        jumps: of a drive that is moved without its velocity, in words; "" if none is.
    """

    state: Activity
    speed: float = 1.0
    counters: dict[str, int] = field(default_factory=dict)
    latched: str = ""
    beyond: str = ""
    jumps: str = ""


class Source(Protocol):
    """A plant that runs, or a recording."""

    layout: Layout
    name: str

    @property
    def now(self) -> float:
        """The clock by which moments are stamped [s]."""
        ...

    def newest(self) -> Moment | None:
        """The newest outputs."""
        ...

    def take(self) -> list[Block]:
        """All records since the last time."""
        ...

    def to_plot(self, taken: list[Block]) -> tuple[bool, list[Block]]:
        """Records for those who plot, after those that were just taken.

        Returns:
            Whether what they have must be forgotten, and the records that follow.
        """
        ...

    def replot(self) -> None:
        """Somebody plots other signals: give what is around the moment shown again."""
        ...

    def skip(self) -> None:
        """Forget the records since the last time."""
        ...

    def parameters(self) -> dict[str, float]:
        """Values by name, as they are now."""
        ...

    def condition(self) -> Condition:
        """How it goes."""
        ...

    def histograms(self) -> Histograms | None:
        """Times of the loop; None if nobody has measured them."""
        ...

    def command(self, what: str, value: float = 0.0) -> None:
        """Do one of COMMANDS or MOVES; may take a while, and is not called from the event loop."""
        ...

    def set_parameters(self, values: dict[str, float]) -> None:
        """Change parameters, all between the same two steps."""
        ...
