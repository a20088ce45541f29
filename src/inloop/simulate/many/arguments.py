"""Arguments of many runs: shared values, and columns with one number per run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inloop.errors import InputError, name_hint
from inloop.plant import Array
from inloop.plant.arguments import by_name, real, reals, whole

Columns = Mapping[str, Any] | Array | None


@dataclass(frozen=True)
class Given:
    """One argument of many runs.

    Attributes:
        what: name of the argument.
        shared: values common to all runs, by name: numbers, or functions of time.
        columns: one number per run, by name, shape (runs,).
        is_whole: given as an array of all coordinates with one row per run.
        vector: given as one vector for all runs, which `shared` contains by name.
        several: names that stand for several columns, in this order.
    """

    what: str
    shared: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Array] = field(default_factory=dict)
    is_whole: bool = False
    vector: Array | None = None
    several: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def common(self) -> Mapping[str, Any] | Array | None:
        """The shared values, as a single run takes them; None if there are none."""
        return self.vector if self.vector is not None else self.shared or None

    def first(self) -> Mapping[str, Any] | Array | None:
        """The values for the first run."""
        if self.vector is not None:
            return self.vector
        values = {**self.shared, **{n: float(c[0]) for n, c in self.columns.items()}}
        for name, parts in self.several.items():
            if set(parts) <= self.columns.keys():
                values[name] = tuple(values.pop(part) for part in parts)
        return values or None

    def fill(self, row: Array, names: Sequence[str], suffix: str = "") -> Array:
        """A row for each run from a common row, which is returned if no run differs."""
        if not self.columns:
            return row
        runs = len(next(iter(self.columns.values())))
        rows = np.tile(row, (runs, 1)) if row.ndim == 1 else row
        for name, column in self.columns.items():
            rows[:, names.index(name + suffix)] = column
        return rows


def read_given(
    value: Any,
    what: str,
    known: Sequence[str],
    functions: bool = False,
    several: Mapping[str, Sequence[str]] | None = None,
) -> Given:
    """One argument: numbers or columns by name, a vector, or an array with a row per run.

    Args:
        value: given by the user.
        what: name of the argument.
        known: valid names.
        functions: whether functions of time are allowed as well.
        several: names that stand for several consecutive numbers, with the names of these.

    Raises:
        InputError: invalid names, shapes or numbers.
    """
    if value is None:
        return Given(what)
    if not isinstance(value, Mapping):
        return _read_array(value, what, known)
    shared: dict[str, Any] = {}
    columns: dict[str, Array] = {}
    for name, item in by_name(value, what).items():
        label = f"'{name}' in {what}"
        if several and name in several:
            _read_several(reals(item, label), label, name, several[name], shared, columns)
            continue
        if name not in known:
            raise _unknown(name, what, known)
        if functions and (callable(item) or _is_samples(item)):
            shared[name] = item
            continue
        column = reals(item, label)
        if column.ndim == 0:
            shared[name] = real(item, label)
        elif column.ndim == 1 and len(column):
            columns[name] = column
        else:
            raise _shape(label, column.shape, "Give one number, or one per run: shape (runs,).")
        _check_finite(column, label)
    return Given(what, shared, columns, several=several or {})


def _read_several(
    table: Array,
    label: str,
    name: str,
    parts: Sequence[str],
    shared: dict[str, Any],
    columns: dict[str, Array],
) -> None:
    """Read one row of numbers for all runs, or a row per run."""
    width = len(parts)
    if table.shape == (width,):
        shared[name] = tuple(table.tolist())
    elif table.ndim == 2 and table.shape[1] == width and len(table):
        columns.update({part: table[:, k] for k, part in enumerate(parts)})
    else:
        fix = f"Give {width} numbers, or {width} per run: shape (runs, {width})."
        raise _shape(label, table.shape, fix)
    _check_finite(table, label)


def _is_samples(item: Any) -> bool:
    """Whether it is (times, values), as accepted for inputs."""
    return isinstance(item, tuple) and len(item) == 2 and all(np.ndim(part) == 1 for part in item)


def _read_array(value: Any, what: str, known: Sequence[str]) -> Given:
    table, n = reals(value, what), len(known)
    if table.shape == (n,) and n:
        _check_finite(table, what)
        return Given(what, dict(zip(known, table.tolist(), strict=True)), vector=table)
    if table.ndim != 2 or table.shape[1] != n or not len(table):
        raise _shape(what, table.shape, f"Give shape (runs, {n}), or columns by name.")
    _check_finite(table, what)
    columns = {name: table[:, k] for k, name in enumerate(known)}
    return Given(what, {}, columns, is_whole=True)


def count_runs(runs: Any, given: Sequence[Given]) -> int:
    """The number of runs.

    Raises:
        InputError: it is not given, or arguments contradict each other.
    """
    lengths = {
        f"'{name}' in {item.what}": len(column)
        for item in given
        for name, column in item.columns.items()
    }
    if runs is not None:
        lengths = {"runs": whole(runs, "runs"), **lengths}
    if not lengths:
        raise InputError("the number of runs is not given", fix="Give runs=1000, for example.")
    (first, count), *others = lengths.items()
    if count < 1:
        raise InputError(f"{count} runs make no sense", fix="Use runs >= 1.")
    for name, length in others:
        if length != count:
            other = f"{first} is {count}" if first == "runs" else f"{first} has {count} numbers"
            raise InputError(f"{name} has {length} numbers, {other}", fix="Give one per run.")
    return count


def check_each(given: Given, refuse: Callable[[str, float], object]) -> None:
    """Check all numbers with a function that raises; its error is extended by the run.

    Raises:
        InputError: one is invalid.
    """
    for name, value in given.shared.items():
        refuse(name, value)
    for name, column in given.columns.items():
        # ranges are intervals: if its extremes are allowed, all of a column is
        for run in (int(np.argmin(column)), int(np.argmax(column))):
            try:
                refuse(name, float(column[run]))
            except InputError as error:
                mistake = error.mistakes[0]
                raise InputError(f"run {run}: {mistake.what}", mistake.where, mistake.fix) from None


def _unknown(name: str, what: str, known: Sequence[str]) -> InputError:
    return InputError(f"{what}: there is no '{name}'", fix=name_hint(name, known))


def _shape(what: str, shape: tuple[int, ...], fix: str) -> InputError:
    return InputError(f"{what} has shape {shape}", fix=fix)


def _check_finite(values: Array, what: str) -> None:
    bad = np.argwhere(~np.isfinite(np.atleast_1d(values)))
    if len(bad):
        where = f" for run {int(bad[0, 0])}" if values.ndim else ""
        raise InputError(f"{what} holds NaN or infinity{where}", fix="Give finite numbers.")
