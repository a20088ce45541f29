"""Deadline report of a loop: as text, as JSON, as a figure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import InputError, counted
from inloop.native import Status
from inloop.realtime.mailboxes.outputs import Outputs, State
from inloop.realtime.statistics import Histogram, Statistics, bin_edges
from inloop.simulate.results.cards import card, curve, lines, table
from inloop.simulate.results.figure import blank_figure

TIMES = {
    "step": "step, wall clock",
    "step_cpu": "step, processor",
    "reaction": "from inputs to outputs",
    "warmup": "used of the early waking",
    "latency": "wake-up latency",
    "input_age": "age of inputs",
    "bare_loop": "latency of a bare loop",
}
WHERE_ASKED = ("warmup", "bare_loop")


@dataclass(frozen=True)
class Report:
    """Deadline report of a real-time run.

    Attributes:
        name: of the running plant.
        period: simulated time per step [s].
        statistics: counters and histograms.
        status: "OK", or why the loop ended.
        outputs: the last outputs; None while it runs.
        notes: differences from the declared start; refused privileges, and what to do.
        most_iterations: maximum iterations of Newton's method for loops; 0 if there are none.
    """

    name: str
    period: float
    statistics: Statistics
    status: str = "OK"
    outputs: Outputs | None = None
    notes: tuple[str, ...] = ()
    most_iterations: int = 0

    @classmethod
    def of(cls, name: str, period: float, statistics: Statistics) -> Report:
        """The report so far of a loop that may still run."""
        known = {status.value: status.name for status in Status}
        return cls(name, period, statistics, known.get(statistics.status, "UNKNOWN"))

    def __getattr__(self, name: str) -> int:
        """Counters by name: steps, overruns, made_up, skipped, stale_inputs, …."""
        counters = self.__dict__["statistics"].counters if "statistics" in self.__dict__ else {}
        if name in counters:
            return int(counters[name])
        raise AttributeError(f"a report has no '{name}'; counters are {', '.join(counters)}")

    def times(self, which: str) -> dict[str, float | None]:
        """p50, p99, p999 and max [µs] of "step", "reaction", "latency", … (`TIMES`)."""
        return self._histogram(which).summary()

    @property
    def overrun_share(self) -> float:
        """Overruns per period."""
        return self.overruns / max(1, self.periods)

    @property
    def bare_loop_share(self) -> float | None:
        """Overruns per period of the parallel bare loop; None if there was none."""
        periods = self.bare_loop_periods
        return self.bare_loop_overruns / periods if periods else None

    def data(self) -> dict[str, Any]:
        """The numbers as plain data."""
        counters = dict(self.statistics.counters)
        counters.pop("commands_done")
        result: dict[str, Any] = {"rate": 1.0 / self.period, "status": self.status, **counters}
        for which in TIMES:
            if which not in WHERE_ASKED or self._histogram(which).count:
                key = "bare_loop_latency_us" if which == "bare_loop" else f"{which}_us"
                result[key] = self.times(which)
        result["lead_us"] = self.statistics.lead / 1e3
        more = {"most_iterations": self.most_iterations, "notes": list(self.notes)}
        return {**result, **more}

    def to_json(self) -> str:
        """The numbers as JSON text."""
        return json.dumps(self.data(), indent=2)

    def save(self, path: str | Path) -> Path:
        """Write it: .json for numbers, .txt for the table, else a figure (.png, .svg, .pdf)."""
        target = Path(path)
        if target.suffix == ".json":
            target.write_text(self.to_json() + "\n", encoding="utf-8")
        elif target.suffix == ".txt":
            target.write_text(f"{self}\n", encoding="utf-8")
        else:
            self.plot(target)
        return target

    def rows(self) -> list[tuple[str, ...]]:
        """Cells of a table of times [µs]."""
        shown = [w for w in TIMES if self._histogram(w).count]
        return [(TIMES[w], *(_cell(value) for value in self.times(w).values())) for w in shown]

    def sentences(self) -> list[str]:
        """The counts in words."""
        s, lines = self.statistics, []
        rate = f"{1.0 / self.period:g} Hz" + (f" at speed {s.speed:g}" if s.speed != 1.0 else "")
        lines.append(f"{counted(s['steps'], 'step')} at {rate}, {_state(s)}, {self.status}")
        lines.append(
            f"{counted(s['overruns'], 'overrun')} of {counted(s['periods'], 'period')} "
            f"({100 * self.overrun_share:.3g} %): {s['woken_late']} woken late, "
            f"{s['preempted']} preempted, {s['too_long']} too long; "
            f"{s['made_up']} made up, {s['skipped']} skipped, {s['backlog']} due"
        )
        if warming := s.warming():
            lines.append(warming)
        if self.bare_loop_share is not None:
            lines.append(
                f"a bare loop beside it: {s['bare_loop_overruns']} of "
                f"{counted(s['bare_loop_periods'], 'period')} ({100 * self.bare_loop_share:.3g} %)"
            )
        lines.append(
            f"{counted(s['stale_inputs'], 'step')} with stale inputs, "
            f"{counted(s['bad_inputs'], 'input')} refused, "
            f"{counted(s['safe_steps'], 'step')} in the safe state, {s['failed']} failed, "
            f"{counted(s['lost_telemetry'], 'telemetry record')} lost"
        )
        if self.most_iterations:
            lines.append(
                f"loops are closed in at most {self.most_iterations} iterations each time; "
                f"independent coordinates changed {counted(s['partitions'], 'time')}, "
                f"{counted(s['singular'], 'singular position')} stepped over"
            )
        if s["events"]:
            lines.append(f"{counted(s['events'], 'event')} in which a mode began")
        return [*lines, *self.notes]

    def __str__(self) -> str:
        head = f"{'time [µs]':24}" + "".join(f"{h:>12}" for h in ("p50", "p99", "p99.9", "max"))
        table = [f"{name:24}" + "".join(f"{c:>12}" for c in cells) for name, *cells in self.rows()]
        first, *others = self.sentences()
        return "\n".join([f"{self.name}: {first}", *others, head, *table])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def _repr_html_(self) -> str:
        curves = []
        for which in ("step", "reaction", "latency"):
            microseconds, share = _beyond(self._histogram(which))
            if len(share) > 1:
                span = f"{microseconds[0]:.3g} to {microseconds[-1]:.3g} µs"
                title = f"{TIMES[which]}: share of steps beyond {span}"
                ends = (f"{100 * share[0]:.3g} %", f"{100 * share[-1]:.2g} %")
                curves.append(curve(title, np.log10(microseconds), np.log10(share), ends))
        first, *others = self.sentences()
        times = table(("time [µs]", "p50", "p99", "p99.9", "max"), self.rows())
        return card(self.name, first, times, "".join(curves), lines(others))

    def plot(self, file: str | Path | None = None) -> Any:
        """Plot the fraction of steps longer than each time, on logarithmic axes.

        Args:
            file: write the figure to this file.
        """
        figure = blank_figure((8.0, 5.0), file)
        axes = figure.subplots()
        for which, label in TIMES.items():
            histogram = self._histogram(which)
            if histogram.count:
                axes.step(*_beyond(histogram), where="post", label=label)
        axes.axvline(self.period / self.statistics.speed * 1e6, color="gray", linestyle="--")
        axes.set(xscale="log", yscale="log", xlabel="time [µs]; dashed: the period")
        axes.set_ylabel("share beyond")
        axes.grid(True, alpha=0.3)
        axes.legend()
        figure.suptitle(
            f"{self.name}: {counted(self.steps, 'step')}, {counted(self.overruns, 'overrun')}"
        )
        if file is not None:
            figure.savefig(file, dpi=120)
        return figure

    def _histogram(self, which: str) -> Histogram:
        if which not in self.statistics.histograms:
            raise InputError(f"no times of '{which}'", fix=f"Known: {', '.join(TIMES)}.")
        return self.statistics.histograms[which]


def _beyond(histogram: Histogram) -> tuple[Any, Any]:
    """Times [µs] and the fraction of steps that took longer."""
    used = np.flatnonzero(histogram.counts)
    left = histogram.count - np.cumsum(histogram.counts)
    share = np.maximum(left[used], 0.5) / histogram.count
    return np.maximum(bin_edges()[used + 1], 1.0) / 1e3, share


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _state(statistics: Statistics) -> str:
    known = {state.value: state.name.lower() for state in State}
    return known.get(statistics.state, "unknown state")
