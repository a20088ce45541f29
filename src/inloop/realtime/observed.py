"""An observer that follows the records of a plant: its signals and memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from inloop.errors import InputError, counted, name_hint
from inloop.native.running.follower import FollowerTable, NativeFollower
from inloop.realtime.mailboxes.layout import Layout, Quantity
from inloop.simulate.judging.innovations import idle_note, innovation_note

EXACT = 1e-9  # fraction of a period
FACT = "observer"  # description of the observer among the facts of a layout


class Observes(Protocol):
    """An observer that can run in C: `il.observer(...)`."""

    def follower(self) -> FollowerTable:
        """The same observer, at its start, for C."""
        ...


def following(observer: Observes, layout: Layout, *, inside: bool) -> tuple[Layout, NativeFollower]:
    """A layout extended by the outputs of an observer as its last signals, and its follower.

    Args:
        observer: the observer, which is copied.
        layout: layout of the plant.
        inside: whether it reads the records that it extends; otherwise those of the plant.

    Raises:
        InputError: it is not an observer, or does not fit the plant.
    """
    if not callable(getattr(observer, "follower", None)):
        raise InputError(
            f"observer = {type(observer).__name__} makes no sense",
            fix="Make one: il.observer(plant, measured={...}).",
        )
    table = observer.follower()
    every = _every(table.period, layout)
    for name in table.measured:
        if name not in layout.index:
            raise InputError(
                f"plant '{layout.model}' has no output '{name}', which the observer measures",
                fix=name_hint(name, layout.index),
            )
    for name, _ in table.told:
        if name in layout.index:
            raise InputError(
                f"plant '{layout.model}' has an output '{name}' already, which the observer tells",
                fix="Give that element another name, or observe beside a plant without observer.",
            )
    signals = (*layout.signals, *(Quantity(name, unit) for name, unit in table.told))
    about = (*layout.about, (FACT, table.facts))
    wider = replace(layout, signals=signals, about=about)
    index = wider.index if inside else layout.index
    return wider, NativeFollower(table, index, layout.period, every)


def signals_of_plant(layout: Layout) -> int:
    """Number of signals of a layout that belong to the plant itself."""
    if FACT not in dict(layout.about):
        return len(layout.signals)
    told = [x.name.startswith(f"{FACT}.") for x in layout.signals]
    return told.index(True) if any(told) else len(told)


def notes_of(follower: NativeFollower) -> tuple[str, ...]:
    """Unusual events of an observer so far, in words."""
    told = []
    if follower.lost:
        told.append(f"the observer missed {counted(follower.lost, 'sample')}, which it has bridged")
    if follower.restarts:
        told.append(
            f"the observer restarted {counted(follower.restarts, 'time')}: updates failed, or the "
            "time of records jumped (observer.status)"
        )
    if note := idle_note(follower.idle):
        told.append(f"of the observer: {note}")
    if note := innovation_note(*follower.innovations):
        told.append(f"of the observer, {note}")
    return tuple(told)


def _every(period: float, layout: Layout) -> int:
    """Records per sample."""
    count = round(period / layout.period)
    if count < 1 or abs(count * layout.period - period) > EXACT * period:
        raise InputError(
            f"the period of the observer, {period:g} s, is not a whole number of periods of "
            f"plant '{layout.model}', which are {layout.period:g} s",
            fix=f"Make the observer with period={max(1, count) * layout.period:g}.",
        )
    return count
