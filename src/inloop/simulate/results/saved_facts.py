"""What the columns of a saved result do not contain, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from inloop.simulate.results.result import EventRecord, Gap, ParameterChange, Result

LONGEST = 1 << 26  # maximum characters of the text
SAME = (
    "name", "coordinates", "status", "method", "tolerance", "parameters", "notes", "doubts",
    "events", "changes", "gaps", "recorded", "columns_only",
)  # fmt: skip


@dataclass(frozen=True)
class SavedFacts:
    """Attributes as in `Result`, except these.

    Attributes:
        inputs: names of the inputs.
        modes: first sample and name of each interval in one mode; None without modes.
        recorded: None in files that lack it, such as older ones.
    """

    name: str
    coordinates: tuple[str, ...]
    status: str
    method: str
    tolerance: float | None
    parameters: dict[str, float]
    notes: tuple[str, ...]
    doubts: tuple[str, ...]
    events: tuple[EventRecord, ...]
    changes: tuple[ParameterChange, ...]
    gaps: tuple[Gap, ...]
    recorded: bool | None
    columns_only: bool
    units: dict[str, str]
    inputs: tuple[str, ...]
    modes: tuple[tuple[int, str], ...] | None

    @classmethod
    def of(cls, result: Result) -> SavedFacts:
        """The facts about a result."""
        units = {name: unit for name in result.names if (unit := result.units.get(name))}
        modes = None if result.modes is None else _stretches(result.modes)
        same = {name: getattr(result, name) for name in SAME}
        return cls(**same, units=units, inputs=tuple(result.inputs), modes=modes)

    def text(self) -> str:
        """The facts as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> SavedFacts:
        """Read what `text` has written.

        Raises:
            ValueError: invalid text.
        """
        if len(text) > LONGEST:
            raise ValueError("too long")
        try:
            entries = {"recorded": None, "columns_only": False, **json.loads(text)}
            return cls(
                **{field.name: _READ[field.name](entries[field.name]) for field in fields(cls)}
            )
        except (TypeError, KeyError, OverflowError, RecursionError, AttributeError) as error:
            raise ValueError(str(error)) from None

    def modes_of(self, count: int) -> Any:
        """Name of the mode at each of `count` samples; None without modes.

        Raises:
            ValueError: the intervals are not consecutive.
        """
        if self.modes is None:
            return None
        begins = [begin for begin, _ in self.modes]
        if begins[:1] != [0] or begins != sorted(set(begins)) or begins[-1] >= count:
            raise ValueError("modes that do not follow each other")
        return np.repeat([name for _, name in self.modes], np.diff([*begins, count]))


def _stretches(modes: Any) -> tuple[tuple[int, str], ...]:
    begins = [0, *(np.flatnonzero(modes[1:] != modes[:-1]) + 1).tolist()]
    return tuple((begin, str(modes[begin])) for begin in begins)


def _word(value: object) -> str:
    """A printable text."""
    if not isinstance(value, str):
        raise ValueError(value)
    return "".join(c if c.isprintable() else " " for c in value)


def _words(values: Any) -> tuple[str, ...]:
    return tuple(_word(value) for value in values)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {_word(name): float(value) for name, value in values.items()}


def _event(entry: Mapping[str, Any]) -> EventRecord:
    numbers = ("t", "energy_before", "energy_after", "restitution")
    return EventRecord(
        name=_word(entry["name"]),
        mode=_word(entry["mode"]),
        next_mode=_word(entry["next_mode"]),
        restitutions=_numbers(entry["restitutions"]),
        impulses=_numbers(entry["impulses"]),
        settled=bool(entry["settled"]),
        **{name: float(entry[name]) for name in numbers},
    )


def _gap(entry: Mapping[str, Any]) -> Gap:
    return Gap(int(entry["row"]), float(entry["begin"]), float(entry["end"]), int(entry["lost"]))


_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("name", "status", "method"), _word),
    **dict.fromkeys(("coordinates", "inputs", "notes", "doubts"), _words),
    "tolerance": lambda value: None if value is None else float(value),
    "parameters": _numbers,
    "units": lambda values: {_word(name): _word(unit) for name, unit in values.items()},
    "events": lambda values: tuple(_event(entry) for entry in values),
    "changes": lambda values: tuple(
        ParameterChange(int(e["row"]), float(e["t"]), _numbers(e["values"])) for e in values
    ),
    "recorded": lambda value: None if value is None else bool(value),
    "columns_only": bool,
    "gaps": lambda values: tuple(_gap(entry) for entry in values),
    "modes": lambda values: (
        None if values is None else tuple((int(begin), _word(name)) for begin, name in values)
    ),
}
