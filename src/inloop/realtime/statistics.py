"""Statistics of the loop: a copy of those in the mailbox."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from inloop.native.library import Reals
from inloop.native.mirror import constant, mirror
from inloop.realtime.elements import contacts_of
from inloop.realtime.mailboxes.layout import Layout

SUB = 32  # bins per octave; up to this many nanoseconds one bin each
_NOT_COUNTED = (
    "state", "status", "failure", "latched", "parameters_seen", "parameters_refused", "beyond",
    "heartbeat", "thread", "speed", "lead",
)  # fmt: skip


def bin_edges() -> Reals:
    """Lower edges of all bins, and the end of the last one [ns], shape (bins + 1,)."""
    k = np.arange(constant("INLOOP_BINS") + 1)
    octave, part = np.maximum(k // SUB - 1, 0), k % SUB
    return np.where(k < SUB, k, (SUB + part) * 2.0**octave).astype(np.float64)


@dataclass(frozen=True)
class Histogram:
    """Times in log-spaced bins, 3 % wide.

    Attributes:
        counts: times per bin.
        total: sum of all times [ns].
        most: the longest time [ns], exactly.
    """

    counts: np.ndarray[Any, np.dtype[np.int64]]
    total: int
    most: int

    @property
    def count(self) -> int:
        """Number of times."""
        return int(self.counts.sum())

    def quantile(self, fraction: float) -> float | None:
        """Quantile [µs], to the width of a bin; None without data."""
        if self.count == 0:
            return None
        if fraction >= 1.0:
            return self.most / 1e3
        rank = np.searchsorted(np.cumsum(self.counts), fraction * self.count, side="left")
        edges = bin_edges()
        middle = 0.5 * (edges[rank] + edges[rank + 1])
        return float(min(middle, self.most)) / 1e3

    def summary(self) -> dict[str, float | None]:
        """p50, p99, p99.9 and the longest time [µs]."""
        fractions = {"p50": 0.5, "p99": 0.99, "p999": 0.999, "max": 1.0}
        return {name: self.quantile(fraction) for name, fraction in fractions.items()}


class Times:
    """A histogram under construction, with the bins of the loop."""

    def __init__(self) -> None:
        self._bins = [0] * constant("INLOOP_BINS")
        self._total = self._most = 0

    def add(self, time: int) -> None:
        """Count one time [ns]."""
        time = max(0, time)
        octave = max(0, time.bit_length() - SUB.bit_length())
        self._bins[min(len(self._bins) - 1, octave * SUB + (time >> octave))] += 1
        self._total += time
        self._most = max(self._most, time)

    @property
    def histogram(self) -> Histogram:
        """The histogram so far."""
        return Histogram(np.array(self._bins, dtype=np.int64), self._total, self._most)


@dataclass(frozen=True)
class Statistics:
    """Counters and histograms; see `inloop_statistics` in inloop.h for what is counted.

    Attributes:
        state: state of the loop (a number of `State`).
        status: of the last step (a number of `Status`).
        heartbeat: time of its clock at the loop's last sign of life [ns].
        thread: id of its thread.
        speed: simulated seconds per second.
        counters: by name.
        histograms: by name: step, step_cpu, reaction, warmup, latency, input_age,
            bare_loop.
        failure: status of the last failed step; 0 if none.
        latched: status that caused safe values until a resume (STOPPED: they were requested); 0 if
            there are none.
        beyond: index of the output that last left its bounds; 0 if none.
        jumped: index, from 1, of the input of the last drive that jumped; 0 if none.
        touched: index of the output (a gap) of the last brief contact; 0 if none.
        lead: how early it wakes up before each period to warm up [ns]; 0 for no warm-up.
    """

    state: int
    status: int
    heartbeat: int
    thread: int
    speed: float
    counters: dict[str, int]
    histograms: dict[str, Histogram]
    failure: int = 0
    latched: int = 0
    beyond: int = 0
    jumped: int = 0
    touched: int = 0
    lead: int = 0

    def __getitem__(self, name: str) -> int:
        """A counter by name."""
        return self.counters[name]

    def left_bounds(self, layout: Layout) -> str:
        """The quantity that last left its bounds, in words; "" if none."""
        names = layout.output_names
        if not 0 < self.beyond < len(names):
            return ""
        coordinate, _, kind = names[self.beyond].rpartition(".")
        what = "the speed of coordinate" if kind == "qd" else "coordinate"
        return f"{what} '{coordinate}' would have exceeded its bounds (plant.bounds)"

    def drives_that_jump(self, layout: Layout) -> str:
        """The drive whose position changes at zero velocity, in words; "" if none."""
        if not 0 < self.jumped <= len(layout.inputs):
            return ""
        joint = layout.inputs[self.jumped - 1].name.removesuffix(".q")
        return (
            f"'{joint}.q' was moved {self['drive_jumps']} times while '{joint}.qd' was 0: what "
            "hangs on that drive followed without inertia or damping; write both, or declare the "
            'drive with derivatives="filtered"'
        )

    def warming(self) -> str:
        """Result of the warm-ups, in words; "" if not requested."""
        if not self.lead:
            return ""
        late = self["late_warmups"]
        told = f"woken {self.lead / 1e3:g} µs early to warm up, {self['warmups']} times"
        if not late:
            return told
        return f"{told}; {late} periods began before that was done: use a longer lead (warm=)"

    def missed_turn(self) -> str:
        """Whether steps were too long for a nearby singular position, in words; "" if not."""
        if not self["missed_turns"]:
            return ""
        return (
            f"loops came near a singular position {self['missed_turns']} times, where the motion "
            "turns within few steps: it may be wrong from there on; use a higher rate or more "
            "substeps"
        )

    def inexact_contact(self) -> str:
        """Whether impulses of hard contacts were not found, in words; "" if all were."""
        if not self["inexact_contacts"]:
            return ""
        return (
            f"impulses of hard contacts were not found to 1e-6 in {self['inexact_contacts']} steps "
            "(CONTACT_INEXACT), and the best ones were used; use a higher rate, fewer contacts "
            "that support the same bodies, or hard(stiffness=...)"
        )

    def brief_contact(self, layout: Layout) -> str:
        """The contact that steps do not resolve, in words; "" if there is none."""
        names = layout.output_names
        if not 0 < self.touched < len(names):
            return ""
        gap = names[self.touched]
        known = contacts_of(layout).items()
        contact = next((name for name, data in known if data["outputs"]["gap"] == gap), gap)
        return (
            f"contact '{contact}' came and went within a few steps ({self['brief_contacts']} such "
            "contacts in all): its force is not resolved, and the rebound may have any energy; use "
            "a higher rate or more substeps, or a softer law"
        )


def statistics_at(shared: ctypes.Structure) -> Statistics:
    """A copy of the statistics in a segment. Counters may be one step apart."""
    names = (field[0] for field in mirror("inloop_statistics")._fields_)
    rest = {name: getattr(shared, name) for name in names if name not in _NOT_COUNTED}
    return Statistics(
        int(shared.state),
        int(shared.status),
        int(shared.heartbeat),
        int(shared.thread),
        float(shared.speed),
        {name: value for name, value in rest.items() if isinstance(value, int)},
        {name: _histogram(value) for name, value in rest.items() if not isinstance(value, int)},
        int(shared.failure),
        int(shared.latched),
        int(shared.beyond),
        int(shared.jumped),
        int(shared.touched),
        int(shared.lead),
    )


def _histogram(shared: ctypes.Structure) -> Histogram:
    counts = np.ctypeslib.as_array(shared.bins).astype(np.int64)
    return Histogram(np.maximum(counts, 0), int(shared.sum), int(shared.most))
