"""Whether the loops stayed closed in a run: all rows, including dropped ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from inloop.errors import SimulationError
from inloop.plant import BarePlant
from inloop.simulate.results.result import Result
from inloop.simulate.results.samples import Samples

OPEN = 1e-6  # in units of the rows: more than rounding


def check_closed(pieces: Iterable[tuple[BarePlant, Samples]], result: Result) -> None:
    """Reject a run whose loops opened.

    Args:
        pieces: samples with the plant of their mode.
        result: result of the run.

    Raises:
        SimulationError: names the loop and the time; `result` holds what was computed.
    """
    for plant, samples in pieces:
        opened = first_open(plant, samples)
        if opened is not None:
            t, told = opened
            error = SimulationError(
                f"model '{result.name}' lost its loops: from t = {t:.6g} s on {told}",
                fix="Use a smaller step, or start elsewhere; error.result holds the run so far.",
            )
            error.result = replace(result, status="LOOP_OPEN")  # type: ignore[attr-defined]
            raise error


def first_open(plant: BarePlant, samples: Samples) -> tuple[float, str] | None:
    """Time [s] of the first sample with an open loop, and the loop as text."""
    if samples.violation is None or not len(samples.t):
        return None
    formulation = plant.formulation
    smallest = float(formulation.rows.sizes.min(initial=1.0))
    for k in np.flatnonzero(~(samples.violation <= OPEN * smallest)):
        t = float(samples.t[k])
        gap = formulation.positions.gap(samples.q[k], OPEN, t)
        if gap is not None:
            return t, f"loop '{gap.loop}' is open by {gap.size:.3g} {gap.unit}".rstrip()
        slip = formulation.rows.slip(samples.q[k], samples.qd[k], OPEN, t)
        if slip is not None:
            return t, f"'{slip.row}' slips with {slip.speed:.3g}"
    return None
