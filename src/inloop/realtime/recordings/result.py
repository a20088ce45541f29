"""Convert the records of a real-time run to a `Result`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inloop.errors import FileFormatError
from inloop.native import Status
from inloop.native.library import Reals
from inloop.realtime.mailboxes.layout import Layout, names
from inloop.realtime.mailboxes.outputs import Flag
from inloop.realtime.recordings.replay import GOOD
from inloop.realtime.recordings.table import RecordTable, read_table
from inloop.simulate.results.result import EventRecord, Gap, ParameterChange, Result
from inloop.simulate.results.whole_positions import whole_positions

MODE, EVENTS = "mode", "events"  # signals of plants with events
SHOWN = 3  # times in a note


def recorded_result(path: Path) -> Result:
    """The run in a recording.

    Raises:
        FileFormatError: it is not a recording, or invalid.
        InputError: it is too large, or empty.
    """
    try:
        return result_of(read_table(path))
    except OSError as error:
        raise FileFormatError(
            f"{str(path)!a} cannot be read: {error.strerror}", fix="Name a recording."
        ) from None


def result_of(table: RecordTable) -> Result:
    """The run in a table of records; unknown quantities are NaN, or missing."""
    layout, values = table.layout, table.values
    t, q, qd, z, signals, inputs = np.split(values, layout.cuts[:5], axis=1)
    t = t[:, 0]
    gaps = _gaps(table, t)
    found = _by_name([*names(layout.states), *names(layout.signals)], np.hstack([z, signals]))
    modes = _modes(layout, found.get(MODE))
    unknown = np.full(len(t), np.nan)
    parameters, changes = _parameters(table, t)
    last = int(table.count("status")[-1])
    return Result(
        name=layout.model,
        coordinates=tuple(names(layout.coordinates)),
        t=t,
        q=whole_positions(q, found),
        qd=qd,
        energy=np.stack([unknown, unknown], axis=1),
        status="OK" if last in GOOD else _status(last),
        signals=found,
        violation=unknown if dict(layout.about).get("loops") == "closed" else None,
        notes=_notes(table, t),
        events=_events(t, modes, found.get(EVENTS), gaps),
        modes=modes,
        units=_units(layout),
        work=unknown,
        method=dict(layout.about).get("method", ""),
        inputs=_by_name(names(layout.inputs), inputs),
        parameters=parameters,
        changes=changes,
        gaps=gaps,
        recorded=True,
    )


def _by_name(known: Sequence[str], columns: Reals) -> dict[str, Reals]:
    return dict(zip(known, np.ascontiguousarray(columns.T), strict=True))


def _gaps(table: RecordTable, t: Reals) -> tuple[Gap, ...]:
    missing = np.diff(table.count("sequence")) - 1
    return tuple(
        Gap(int(k) + 1, float(t[k]), float(t[k + 1]), int(missing[k]))
        for k in np.flatnonzero(missing)
    )


def _modes(layout: Layout, numbers: Reals | None) -> Any:
    """Mode names of all records; None if unknown."""
    known = dict(layout.about).get("modes", "").split()
    if numbers is None or not known or not np.isin(numbers, np.arange(len(known))).all():
        return None
    return np.array(known)[numbers.astype(np.int64)]


def _events(
    t: Reals, modes: Any, counts: Reals | None, gaps: Sequence[Gap]
) -> tuple[EventRecord, ...]:
    """Periods with events; those in gaps are unknown."""
    if modes is None or counts is None:
        return ()
    rows = np.flatnonzero(np.diff(counts) > 0.0) + 1
    after_gaps = {gap.row for gap in gaps}
    nan = float("nan")
    return tuple(
        EventRecord(float(t[k]), "", str(modes[k - 1]), str(modes[k]), nan, nan)
        for k in rows.tolist()
        if k not in after_gaps
    )


def _units(layout: Layout) -> dict[str, str]:
    """Units as results spell them."""
    units = {"t": "s"}
    for x in layout.coordinates:
        units |= {f"{x.name}.q": x.unit, f"{x.name}.qd": f"{x.unit}/s" if x.unit else ""}
    for x in (*layout.inputs, *layout.states, *layout.signals):
        units[x.name] = x.unit.replace("*", "·").replace("^2", "²")
    return units


def _parameters(
    table: RecordTable, t: Reals
) -> tuple[dict[str, float], tuple[ParameterChange, ...]]:
    """Parameters of the first record, and later changes."""
    known = names(table.layout.parameters)
    rows, settings = table.changes.tolist(), table.settings
    now = np.array([x.default for x in table.layout.parameters])
    if rows[:1] == [0]:
        now, rows, settings = settings[0], rows[1:], settings[1:]
    first, changes = dict(zip(known, now.tolist(), strict=True)), []
    for row, values in zip(rows, settings, strict=True):
        others = np.flatnonzero(values != now)
        if len(others):
            changed = {known[k]: float(values[k]) for k in others}
            changes.append(ParameterChange(row, float(t[row]), changed))
        now = values
    return first, tuple(changes)


def _notes(table: RecordTable, t: Reals) -> tuple[str, ...]:
    """Notes for readers of the result."""
    flags, status = table.count("flags"), table.count("status")
    notes = []
    set_again = np.flatnonzero(flags & Flag.SET)
    set_again = set_again[set_again > 0]
    if len(set_again):
        notes.append(f"the plant was set to another state {_times(t[set_again])}")
    if len(safe := np.flatnonzero(flags & Flag.SAFE)):
        notes.append(f"safe values stood in for the inputs in {len(safe)} records")
    for value in np.unique(status).tolist():
        if value not in GOOD:
            bad = t[status == value]
            notes.append(f"{_status(value)} in {len(bad)} records, {_times(bad)}")
    if not table.complete:
        notes.append(f"the recording breaks off after t = {t[-1]:.9g} s")
    return tuple(notes)


def _times(t: Reals) -> str:
    more = ", …" if len(t) > SHOWN else ""
    return "at t = " + ", ".join(f"{value:.9g}" for value in t[:SHOWN]) + f"{more} s"


def _status(value: int) -> str:
    known = {status.value: status.name for status in Status}
    return known.get(value, "UNKNOWN")
