"""A plant that runs in another process, observed and controlled through its mailbox."""

from __future__ import annotations

import threading

import numpy as np

from inloop.errors import MailboxError
from inloop.native import Status
from inloop.native.library import Reals
from inloop.realtime import Mailbox, State, attach
from inloop.realtime.mailboxes.hand import Hand
from inloop.realtime.mailboxes.telemetry import Block, Telemetry
from inloop.realtime.statistics import Histogram, bin_edges
from inloop.studio.messaging.message_types import Activity, Histograms, Times
from inloop.studio.plants.sources import Condition, Moment

STATES: dict[int, Activity] = {State.ARMED: "running", State.RUNNING: "running",
          State.PAUSED: "paused", State.ENDED: "ended"}  # fmt: skip
STATUSES = {status.value: status.name for status in Status}
COUNTED = {"overruns": "overruns", "stale": "stale_inputs", "lost": "lost_telemetry",
           "failed": "failed", "refused": "bad_inputs", "safe": "safe_steps",
           "inexact_contacts": "inexact_contacts"}  # fmt: skip
WIDE = 8  # bins of the loop per bin of the page: a quarter of an octave


class Live:
    """One reader for all clients, one writer of inputs, one thread at a time for commands.

    Attributes:
        name: name of the running plant.
        layout: names, units and sizes.
    """

    def __init__(self, name: str, wait: float = 0.0) -> None:
        self.name = name
        self._box = attach(name, wait)
        self.layout = self._box.layout
        self._orders: Mailbox = attach(name)  # for another thread
        self._lock = threading.Lock()
        self._telemetry = Telemetry(self._box)

    @property
    def process(self) -> int:
        """Process id of the plant."""
        return self._box.process

    @property
    def now(self) -> float:
        """The plant's clock [s]: that of the system, or a scripted one."""
        return self._box.clock.now

    # outputs

    def newest(self) -> Moment | None:
        """The newest outputs; None if the mailbox is damaged."""
        try:
            found = self._box.peek()
        except MailboxError:
            return None
        return Moment(
            found.sequence, 1e-9 * found.stamp, found.t, found.step, found.status_name,
            found.flags, found.parameter_sequence, found.values,
        )  # fmt: skip

    def take(self) -> list[Block]:
        """All records since the last call."""
        return self._telemetry.take()

    def to_plot(self, taken: list[Block]) -> tuple[bool, list[Block]]:
        """The same records: pages already have the earlier ones."""
        return False, taken

    def replot(self) -> None:
        """Do nothing: earlier records are not kept here."""

    def skip(self) -> None:
        """Skip the records since the last call."""
        self._telemetry.skip()

    def parameters(self) -> dict[str, float]:
        """Values by name."""
        return dict(self._box.parameters)

    def condition(self) -> Condition:
        """The current condition; "lost" if the process has died without notice."""
        shared, statistics = self._box._use().shared, self._box.statistics()
        state: Activity = STATES.get(self._box.state, "ended")
        if state != "ended" and self._box.gone:
            state = "lost"
        counters = {name: int(getattr(shared, key)) for name, key in COUNTED.items()}
        latched = STATUSES.get(statistics.latched, "") if statistics.latched else ""
        beyond = statistics.left_bounds(self.layout)
        jumps = statistics.drives_that_jump(self.layout)
        return Condition(state, float(shared.speed), counters, latched, beyond, jumps)

    def histograms(self) -> Histograms | None:
        """Timing histograms of the loop, in bins of a quarter of an octave."""
        found = self._box.statistics().histograms
        return {
            "kind": "histogram",
            "step_time": _coarse(found["step"]),
            "reaction": _coarse(found["reaction"]),
            "wake_up": _coarse(found["latency"]),
            "input_age": _coarse(found["input_age"]),
        }

    # commands

    def command(self, what: str, value: float = 0.0) -> None:
        """Execute a command and wait until it is done."""
        with self._lock:
            box = self._orders
            if what == "step":
                box.step(int(value))
            elif what == "speed":
                box.set_speed(value)
            else:
                {"pause": box.pause, "go": box.resume, "reset": box.reset}[what]()

    @property
    def hand(self) -> Hand:
        """The hand, which holds bodies of the plant."""
        return self._box.hand

    def place(self, coordinate: str, q: float, keep_velocities: bool) -> None:
        """Move a joint to a position and wait until it is there.

        Raises:
            InputError: the position is not possible, with the reason.
        """
        with self._lock:
            self._orders.place(coordinate, q, keep_velocities=keep_velocities)

    def set_parameters(self, values: dict[str, float]) -> None:
        """Change parameters, all between the same two steps."""
        with self._lock:
            self._orders.parameters.set(values)

    def take_inputs(self) -> None:
        """Become the writer of the inputs.

        Raises:
            MailboxError: another process writes them.
        """
        self._box.take()

    def write_inputs(self, values: Reals) -> int:
        """Write all inputs; returns the number of this record."""
        self._box.write(values)
        return self._box.inputs_written

    @property
    def inputs_written(self) -> int:
        """Number of the newest inputs."""
        return self._box.inputs_written

    def release_inputs(self) -> None:
        """Release the inputs for another process."""
        self._box.release()

    def rest_inputs(self, values: Reals) -> None:
        """Leave these inputs, which do not become stale, and release them for another process."""
        self._box.rest(values)

    def close(self) -> None:
        """Detach from the mailbox; the plant continues."""
        with self._lock:
            self._orders.close()
        self._box.close()


def _coarse(histogram: Histogram) -> Times:
    """A histogram with fewer bins, for the page."""
    edges, counts = bin_edges(), histogram.counts
    wide = np.arange(0, len(counts), WIDE)
    summed = np.add.reduceat(counts, wide)
    used = np.flatnonzero(summed)
    if not len(used):
        return _times([], [], histogram)
    begin, end = int(used[0]), int(used[-1]) + 1
    cut = np.append(edges[wide], edges[-1])[begin : end + 1]
    return _times((cut / 1e3).round(4).tolist(), summed[begin:end].tolist(), histogram)


def _times(edges_us: list[float], counts: list[int], histogram: Histogram) -> Times:
    told = histogram.summary()
    return {
        "edges_us": edges_us,
        "counts": counts,
        "p50": told["p50"],
        "p99": told["p99"],
        "p999": told["p999"],
        "max": told["max"],
    }
