"""Recordings as a fit reads them: inputs and measured outputs of the plant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from inloop.analysis.recorded_inputs import Held, held
from inloop.errors import InputError, counted, name_hint, near_names
from inloop.plant import Array, BarePlant
from inloop.plant.arguments import by_name, name_list, reals
from inloop.plant.quantities.inputs_outputs import input_quantities, output_quantities
from inloop.simulate import Result

UNEVEN = 1e-3  # fraction of a period beyond which samples are not equally spaced
LEAST_SAMPLES = 8
# samples of an input that take effect
USED: dict[Held, slice] = {"from": slice(-1), "until": slice(1, None), "smooth": slice(None)}

Recording = Result | Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """One recording.

    Attributes:
        name: name in messages: "recording 1" and so on.
        period: time between samples [s].
        t: recorded times [s], shape (N,).
        acting: inputs, in the order of the plant's table, between consecutive samples, in equal
            parts of the period, shape (N - 1, parts, inputs).
        y: measured outputs, shape (N, channels).
        q, qd: all coordinates and velocities, if known; else those of the plant's initial state.
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
        """The first `count` samples."""
        kept = {name: getattr(self, name)[:count] for name in ("t", "y", "q", "qd")}
        return replace(self, acting=self.acting[: max(count - 1, 0)], **kept)


def read_recordings(
    plant: BarePlant, given: Sequence[Recording], outputs: Sequence[str], parts: int, between: Held
) -> tuple[Measured, ...]:
    """Read and check all recordings.

    Args:
        plant: the recorded plant.
        given: as returned by `listed`.
        outputs: names of the channels.
        parts: parts of a period in which smooth inputs are piecewise constant.
        between: how column inputs are held between samples.

    Raises:
        InputError: a recording is invalid; the text says which.
    """
    return tuple(
        _read(plant, one, f"recording {number}", outputs, parts, between)
        for number, one in enumerate(given, start=1)
    )


def listed(given: Any) -> Sequence[Recording]:
    """One or several recordings as a list; files with columns only become columns by name.

    Raises:
        InputError: the list is empty, or an item is not a recording.
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
    return [
        {name: one[name] for name in one.names}
        if isinstance(one, Result) and one.columns_only
        else one
        for one in each
    ]


def plants_of(plant: BarePlant) -> Mapping[str, BarePlant]:
    """The plants of its modes, or the plant itself."""
    return plant.by_mode or {plant.name: plant}


def known_outputs(plant: BarePlant) -> tuple[str, ...]:
    """Names of all outputs that can be compared with a recording."""
    return tuple(x.name for x in output_quantities(plants_of(plant)))


def default_outputs(plant: BarePlant, first: Recording) -> tuple[str, ...]:
    """Sensors of the model that the first recording contains; else independent positions.

    Positions of ball joints are their quaternions.
    """
    available = set(first.names if isinstance(first, Result) else first)
    sensors = [s for names in plant.mechanism.signals_by_sensor.values() for s in names]
    chosen = [name for name in sensors if name in available]
    turned = {plant.coordinates[k] for each in plant.mechanism.attitudes for k in each.bodies}
    joints = [name for name in plant.formulation.independent if name not in turned]
    positions = [*(f"{name}.q" for name in joints), *plant.positions[plant.n :]]
    return tuple(chosen or [name for name in positions if name in available])


def chosen_outputs(plant: BarePlant, first: Recording, given: Any) -> tuple[str, ...]:
    """Outputs to compare: those named by the user, else `default_outputs`.

    Raises:
        InputError: there is nothing to compare, or a name is not an output.
    """
    known = known_outputs(plant)
    chosen = default_outputs(plant, first) if given is None else name_list(given, "outputs")
    if not chosen:
        raise InputError(
            f"the recording has no signals to compare with model '{plant.name}'",
            fix=_comparable(first, known),
        )
    for name in chosen:
        if name not in known:
            raise InputError(
                f"model '{plant.name}' has no output '{name}'", fix=name_hint(name, known)
            )
    return tuple(dict.fromkeys(chosen))


def _comparable(first: Recording, known: Sequence[str]) -> str:
    """The fix for a recording without any of the default outputs."""
    names = first.names if isinstance(first, Result) else tuple(map(str, first))
    both = [name for name in names if name in known]
    if both:
        return f"Name outputs that it has (outputs=): {', '.join(both[:6])}."
    columns = [name for name in names if name != "t"]
    small = {name.lower(): name for name in known}
    alike = [f"'{c}' as '{small[n]}'" for c in columns for n in near_names(c.lower(), small)[:1]]
    if alike:
        return f"Write {', '.join(alike[:3])}."
    return f"It has {', '.join(columns[:6]) or 'none'}; the model has {', '.join(known[:6])}."


def check_starts(plant: BarePlant, given: Sequence[Recording]) -> None:
    """Check that recordings which define the initial state contain finite values of it.

    Raises:
        InputError: one does not.
    """
    for number, run in enumerate(given, start=1):
        names = run.names if isinstance(run, Result) else run
        for name in (f"{c}.{kind}" for c in plant.formulation.independent for kind in ("q", "qd")):
            if name in names and not np.isfinite(np.ravel(run[name])[:1]).all():
                raise InputError(
                    f"recording {number} has no valid initial state: '{name}' is not finite",
                    fix="Cut it there, or let the start be fitted.",
                )


def _read(
    plant: BarePlant, given: Any, name: str, outputs: Sequence[str], parts: int, between: Held
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
    for attitude in plant.mechanism.attitudes:
        _join_quaternions(columns, attitude.names)
    missing = [signal for signal in outputs if signal not in columns]
    if missing:
        raise InputError(
            f"{name} does not contain '{missing[0]}'",
            fix=name_hint(missing[0], [key for key in columns if key != "t"]),
        )
    y = np.stack([columns[signal] for signal in outputs], axis=1)
    for signal in outputs:
        _check_finite(columns[signal], t, f"{name}: '{signal}'")
    q, qd = _states(plant, given, columns, len(t))
    acting = _acting(plant, given, name, columns, parts, between)
    return Measured(name, period, t, acting, y, q, qd)


def _join_quaternions(columns: dict[str, Array], names: Sequence[str]) -> None:
    """Choose among p and -p, the same attitude, so that quaternions do not jump."""
    if all(name in columns for name in names):
        p = np.stack([columns[name] for name in names], axis=1)
        jumps = np.sum(p[1:] * p[:-1], axis=1) < 0.0
        p[1:] *= np.cumprod(np.where(jumps, -1.0, 1.0))[:, None]
        columns.update(zip(names, p.T, strict=True))


def _check_finite(values: Array, t: Array, what: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InputError(
            f"{what} is not finite at {counted(len(bad), 'sample')}, first at t = {t[bad[0]]:g} s",
            fix="Repair them, or cut the recording there.",
        )


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
    apart, period = np.diff(t), float(t[-1] - t[0]) / (len(t) - 1)
    if not np.all(np.abs(apart - period) <= UNEVEN * abs(period)) or period <= 0.0:
        usual = float(np.median(apart))
        worst = int(np.argmax(np.abs(apart - usual)))
        raise InputError(
            f"{name}: its samples are not equally spaced: after t = {t[worst]:g} s the next one "
            f"comes {apart[worst]:.3g} s later, elsewhere {usual:.3g} s",
            fix="Resample it, or cut it at gaps.",
        )
    return period


def _states(
    plant: BarePlant, given: Recording, columns: Mapping[str, Array], count: int
) -> tuple[Array, Array]:
    """Positions and velocities of all coordinates at the samples, as an initial guess."""
    if isinstance(given, Result):
        return np.nan_to_num(given.q), np.nan_to_num(given.qd)
    home = np.tile(plant.formulation.home(), (count, 1))
    q = home.copy()
    for k, name in enumerate(plant.positions[plant.n :], start=plant.n):
        q[:, k] = columns.get(name, home[:, k])
    q = plant.configuration.normalized(np.where(np.isfinite(q), q, home))
    qd = plant.configuration.velocities(q, np.gradient(q, columns["t"], axis=0))
    for k, name in enumerate(plant.coordinates):
        if f"{name}.q" in columns:
            q[:, k] = columns[f"{name}.q"]
            qd[:, k] = np.gradient(q[:, k], columns["t"])
        if f"{name}.qd" in columns:
            qd[:, k] = columns[f"{name}.qd"]
    return np.where(np.isfinite(q), q, home), np.nan_to_num(qd)


def _acting(
    plant: BarePlant,
    given: Recording,
    label: str,
    columns: Mapping[str, Array],
    parts: int,
    between: Held,
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
            continue
        rows = USED[kind]
        _check_finite(columns[name][rows], t[rows], f"{label}: input '{name}'")
        if kind == "smooth":
            acting[:, :, k] = scipy.interpolate.CubicSpline(t, columns[name])(middles)
        else:
            acting[:, :, k] = columns[name][rows, None]
    return acting
