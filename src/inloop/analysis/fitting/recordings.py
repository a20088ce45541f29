"""Recordings as a fit reads them: what went into the plant, and what came out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from inloop.analysis.recorded_inputs import held
from inloop.errors import InputError, name_hint
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, reals
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities
from inloop.simulate import Result

UNEVEN = 1e-3  # of a period: from there on samples count as not equally spaced
LEAST_SAMPLES = 8

Recording = Result | Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """One recording.

    Attributes:
        name: for messages: "recording 1" and so on.
        period: between samples [s].
        t: as recorded [s], shape (N,).
        acting: inputs of the plant's table while it goes from one sample to the next, in equal
            parts of this time, shape (N - 1, parts, inputs).
        y: what was measured, shape (N, channels).
        q, qd: of all coordinates, as far as they are known; where not, those of the plant's start.
    """

    name: str
    period: float
    t: Array
    acting: Array
    y: Array
    q: Array
    qd: Array

    def __len__(self) -> int:
        return len(self.t)

    def until(self, count: int) -> Measured:
        """Its first samples."""
        kept = {name: getattr(self, name)[:count] for name in ("t", "y", "q", "qd")}
        return replace(self, acting=self.acting[: max(count - 1, 0)], **kept)


def read_recordings(
    plant: BarePlant, given: Any, outputs: Sequence[str], parts: int, between: str = "from"
) -> tuple[Measured, ...]:
    """All recordings, checked.

    Args:
        plant: whose recordings they are.
        given: one, or a list of them.
        outputs: names of the channels.
        parts: of a period in which inputs that are functions of time count as constant.
        between: samples, inputs of columns are held "from" each on, or "smooth".

    Raises:
        InputError: one is of no use; the text says which.
    """
    return tuple(
        _read(plant, one, f"recording {number}", outputs, parts, between)
        for number, one in enumerate(_listed(given), start=1)
    )


def _listed(given: Any) -> Sequence[Recording]:
    """One or several recordings as a list.

    Raises:
        InputError: there is none, or one is none.
    """
    each = [given] if isinstance(given, Result | Mapping | str | Path) else given
    fix = 'Give il.read("run.mcap"), the result of a simulation, columns by name, or a list.'
    if not isinstance(each, list | tuple) or not each:
        raise InputError("there is no recording to fit to", fix=fix)
    for number, one in enumerate(each, start=1):
        if isinstance(one, str | Path):
            raise InputError(
                f"recording {number} is a string, '{one}'", fix=f'Read the file: il.read("{one}").'
            )
        if not isinstance(one, Result | Mapping):
            raise InputError(
                f"recording {number} is not a recording but a {type(one).__name__}", fix=fix
            )
    return each


def plants_of(plant: BarePlant) -> Mapping[str, BarePlant]:
    """Its modes, or itself."""
    return plant.by_mode or {plant.name: plant}


def known_outputs(plant: BarePlant) -> tuple[str, ...]:
    """All that can be compared with a recording."""
    return tuple(x.name for x in output_quantities(plants_of(plant)))


def default_outputs(plant: BarePlant, given: Any) -> tuple[str, ...]:
    """Sensors of the model that the first recording tells; else positions of coordinates."""
    first = _listed(given)[0]
    told = set(first.names if isinstance(first, Result) else first)
    sensors = [s for names in plant.mechanism.signals_by_sensor.values() for s in names]
    chosen = [name for name in sensors if name in told]
    positions = [f"{name}.q" for name in plant.formulation.independent]
    return tuple(chosen or [name for name in positions if name in told])


def _read(
    plant: BarePlant, given: Any, name: str, outputs: Sequence[str], parts: int, between: str
) -> Measured:
    if isinstance(given, Result):
        _check_run(plant, given, name)
        columns = {signal: np.asarray(given[signal], np.float64) for signal in given.names}
    else:
        columns = {key: reals(value, key) for key, value in by_name(given, name).items()}
    t = columns.get("t", np.zeros(0))
    period = _period(t, name)
    for signal, values in columns.items():
        if values.shape != t.shape:
            raise InputError(
                f"{name}: '{signal}' has shape {values.shape}", fix=f"Give {len(t)} values."
            )
    missing = [signal for signal in outputs if signal not in columns]
    if missing:
        raise InputError(
            f"{name} does not contain '{missing[0]}'",
            fix=name_hint(missing[0], [key for key in columns if key != "t"]),
        )
    y = np.stack([columns[signal] for signal in outputs], axis=1)
    if not np.all(np.isfinite(y)):
        bad = outputs[int(np.argmin(np.isfinite(y).all(axis=0)))]
        raise InputError(f"{name}: '{bad}' is not finite everywhere", fix="Remove such samples.")
    q, qd = _states(plant, given, columns, len(t))
    acting = _acting(plant, given, columns, parts, between)
    return Measured(name, period, t, acting, y, q, qd)


def _check_run(plant: BarePlant, run: Result, name: str) -> None:
    if run.coordinates != plant.coordinates and not plant.by_mode:
        raise InputError(
            f"{name} is a recording of '{run.name}', whose joints differ from those of "
            f"model '{plant.name}'",
            fix="Use the model that was recorded.",
        )
    if run.gaps:
        raise InputError(
            f"{name}: {run.gaps[0]}", fix="Cut it there and give both parts as two recordings."
        )
    if run.changes:
        raise InputError(
            f"{name}: parameters were changed at t = {run.changes[0].t:g} s",
            fix="Cut it there and fit the parts one by one.",
        )


def _period(t: Array, name: str) -> float:
    if t.ndim != 1 or len(t) < LEAST_SAMPLES:
        raise InputError(
            f"{name} has {t.size} samples", fix=f"Give at least {LEAST_SAMPLES}, with times in 't'."
        )
    period = float(t[-1] - t[0]) / (len(t) - 1)
    if not np.all(np.abs(np.diff(t) - period) <= UNEVEN * abs(period)) or period <= 0.0:
        raise InputError(
            f"{name}: its samples are not equally spaced", fix="Resample it, or cut it at gaps."
        )
    return period


def _states(
    plant: BarePlant, given: Recording, columns: Mapping[str, Array], count: int
) -> tuple[Array, Array]:
    """Positions and velocities of all coordinates at the samples, as a first guess."""
    if isinstance(given, Result):
        return np.nan_to_num(given.q), np.nan_to_num(given.qd)
    q = np.tile(plant.formulation.home(), (count, 1))
    qd = np.zeros((count, plant.n))
    for k, name in enumerate(plant.coordinates):
        if f"{name}.q" in columns:
            q[:, k] = columns[f"{name}.q"]
            qd[:, k] = np.gradient(q[:, k], columns["t"])
        if f"{name}.qd" in columns:
            qd[:, k] = columns[f"{name}.qd"]
    return q, qd


def _acting(
    plant: BarePlant, given: Recording, columns: Mapping[str, Array], parts: int, between: str
) -> Array:
    """Inputs between the samples, in the order of the plant's table."""
    names = [quantity.name for quantity in input_quantities(plants_of(plant))]
    first = dict(zip(plant.inputs, plant.first_inputs, strict=True))
    t = columns["t"]
    how = {
        name: held(given, name) if isinstance(given, Result) else between
        for name in names
        if name in columns
    }
    parts = parts if "smooth" in how.values() else 1
    acting = np.zeros((len(t) - 1, parts, len(names)))
    middles = t[:-1, None] + np.diff(t)[:, None] * (np.arange(parts) + 0.5) / parts
    for k, name in enumerate(names):
        kind = how.get(name)
        if kind is None:
            acting[:, :, k] = first.get(name, 0.0)
        elif kind == "smooth":
            acting[:, :, k] = scipy.interpolate.CubicSpline(t, columns[name])(middles)
        else:
            rows = columns[name][:-1] if kind == "from" else columns[name][1:]
            acting[:, :, k] = rows[:, None]
    if not np.all(np.isfinite(acting)):
        bad = names[int(np.argmin(np.isfinite(acting).all(axis=(0, 1))))]
        raise InputError(f"input '{bad}' is not finite everywhere", fix="Remove such samples.")
    return acting
