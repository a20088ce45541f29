"""Choice of the integrator of an exported plant, which runs at fixed steps without supervision.

Nobody checks a plant once it has left Python. So the run is rehearsed up to its end with the
method that suits its start, and checked as in `simulate` (judging/verdict.py). If the result is
doubtful, the implicit methods follow at the same steps. Their results have to agree with an
adaptive run, because stiff laws that such a method settles within one step are not checked. If
none is trustworthy, the best one is exported, with a warning that says why and what to do.
"""

from __future__ import annotations

import functools
import sys
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inloop.errors import ExportWarning, SimulationError
from inloop.plant import BarePlant
from inloop.plant.controlling import controller_of
from inloop.simulate.choice import STIFF, SUDDEN, TOLERANCE, method_at_start, own_method
from inloop.simulate.controlled.run import simulate_controlled
from inloop.simulate.machine import simulate_modes
from inloop.simulate.results.result import Result
from inloop.simulate.run import simulate
from inloop.simulate.schedules import check_method

APART = 0.05  # of a coordinate's range: maximum distance from the adaptive run
SMALL = 1e-3  # minimum range of a coordinate, relative to the largest one
REHEARSED = 1.0  # [s], for exports without an end time
ADVICE = "Use a smaller step=, or choose a method=; see docs/c.md"


@dataclass(frozen=True)
class _Rehearsal:
    """A run before the export.

    Attributes:
        method: its integrator.
        result: what was computed, or None.
        doubt: why the result is not trustworthy; "" if it is.
    """

    method: str
    result: Result | None
    doubt: str


@dataclass(frozen=True)
class ExportMethod:
    """The integrator of an export.

    Attributes:
        name: name of the method.
        remark: why it is not the first choice, or not trustworthy; "" if there is no issue.
    """

    name: str
    remark: str = ""


def method_for_export(plant: BarePlant, method: str | None, step: float, t_end: float) -> str:
    """The integrator of an export, see `judged_method`; warns with its remark."""
    chosen = judged_method(plant, method, step, t_end)
    warn_of(chosen)
    return chosen.name


def judged_method(plant: BarePlant, method: str | None, step: float, t_end: float) -> ExportMethod:
    """The integrator of an export, and whether it is trustworthy.

    Args:
        plant: the compiled mechanism, with its current parameters.
        method: named by the user, and then used unchecked.
        step: step of the export [s].
        t_end: end of the rehearsal [s].

    Raises:
        InputError: unknown method.
    """
    if method is not None:
        check_method(method)
        return ExportMethod(method)
    suits = method_at_start(plant, None, None, {}, step)
    owned = own_method(list(plant.by_mode.values()) or [plant]) is not None
    others = [] if owned else [name for name in (STIFF, SUDDEN) if name != suits]
    exact = functools.cache(lambda: _steps_with_tolerance(plant, step, t_end))
    tried: list[_Rehearsal] = []
    for name in (suits, *others):
        run = _rehearsed(plant, name, step, t_end)
        if not run.doubt and name in (STIFF, SUDDEN):
            run = replace(run, doubt=_apart(run, exact()))
        if not run.doubt:
            if not tried:
                return ExportMethod(name)
            why = f"{suits} is not accurate enough here: {_cause(tried[0].doubt)}"
            told = f"model '{plant.name}' is exported with method '{name}'; {why}."
            return ExportMethod(name, told)
        tried.append(run)
    # none is good: choose the closest one
    chosen = min(tried, key=lambda run: _distance(run, exact() if others else None)[0])
    at = f"with method '{chosen.method}' at steps of {step:g} s, and is not accurate up to"
    told = (
        f"model '{plant.name}' is exported {at} t = {t_end:g} s: {_cause(chosen.doubt)}. {ADVICE}."
    )
    return ExportMethod(chosen.method, told)


def _run(plant: BarePlant, **options: Any) -> Result:
    """Run from the start, as `plant.simulate` does."""
    plants = plant.by_mode or {plant.name: plant}
    if controller_of(plants) is not None:
        return simulate_controlled(plants, None, **options)
    return simulate_modes(plants, **options) if plant.by_mode else simulate(plant, **options)


def _rehearsed(plant: BarePlant, method: str, step: float, t_end: float) -> _Rehearsal:
    try:
        result = _run(plant, t_end=_whole(t_end, step), step=step, method=method)
    except SimulationError as error:
        kept: Result | None = getattr(error, "result", None)
        what = error.mistakes[0].what.removeprefix(f"model '{plant.name}' ")
        return _Rehearsal(method, kept, what)
    return _Rehearsal(method, result, result.doubts[0] if result.doubts else "")


def _whole(t_end: float, step: float) -> float:
    """The end after a whole number of steps [s], so that their length is unchanged."""
    return max(1, round(t_end / step)) * step


def _steps_with_tolerance(plant: BarePlant, step: float, t_end: float) -> Result | None:
    """The same run with adaptive steps; None if even that is not trustworthy."""
    options = {"t_end": _whole(t_end, step), "step": step}
    try:
        found = _run(plant, **options, method=SUDDEN, tolerance=TOLERANCE)
    except SimulationError:
        return None
    return None if found.doubts else found


def _apart(rehearsal: _Rehearsal, exact: Result | None) -> str:
    """Why a run is too far from the adaptive one, as text; "" if it is not."""
    share, name = _distance(rehearsal, exact)
    if share <= APART:
        return ""
    if not name:
        return "there is no run with a tolerance that it could be compared with"
    by = f"{100.0 * share:.3g} % of its range"
    return f"coordinate '{name}' is off by up to {by} from steps with tolerance {TOLERANCE:g}"


def _distance(rehearsal: _Rehearsal, exact: Result | None) -> tuple[float, str]:
    """The largest error relative to a coordinate's range, with its name; infinite if unknown."""
    found = rehearsal.result
    if found is None or exact is None or found.q.shape != exact.q.shape:
        return np.inf, ""
    # coordinates that a mode lacks are NaN
    kept = slice(len(exact.coordinates))
    there, off = np.nan_to_num(exact.q[:, kept]), np.nan_to_num((found.q - exact.q)[:, kept])
    ranges = np.ptp(there, axis=0)
    shares = np.abs(off).max(axis=0) / np.maximum(ranges, SMALL * ranges.max(initial=SMALL))
    worst = int(np.argmax(shares))
    return float(shares[worst]), exact.coordinates[worst]


def _cause(doubt: str) -> str:
    """A doubt without the advice that applies to simulations only."""
    return doubt.partition(" Use ")[0].rstrip(".")


def warn_of(chosen: ExportMethod) -> None:
    """Warn with the remark of a method, if any."""
    if not chosen.remark:
        return
    # at the line that called inloop, at any depth; code of `exec` may have no __name__
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("inloop."):
        level, frame = level + 1, frame.f_back
    warnings.warn(chosen.remark, ExportWarning, stacklevel=level)
