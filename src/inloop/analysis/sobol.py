"""Sobol indices of many runs: the share of each quantity in the variance of a result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.designs.design import unit_problem
from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import reals
from inloop.plant.keywords import checked_call
from inloop.simulate import ManyResult, blank_figure

SEED = 0  # of the resampling for confidence intervals
LEAST_BLOCKS = 16
FIRST, TOTAL = "#1f5fa8", "#d1651a"  # colors


@dataclass(frozen=True)
class SobolIndices:
    """Shares of the variance of a result, between 0 and 1 up to sampling errors.

    Attributes:
        of: description of the result.
        names: names of the varied quantities.
        first: first-order indices: share of each quantity by itself, shape (k,).
        total: total indices: share including interactions with others, shape (k,).
        first_confidence, total_confidence: half-widths of 95 % intervals, shape (k,).
        pairs: second-order indices: share of the interaction of each pair, shape (k, k), upper
            triangle; None if the design does not determine them.
        mean, deviation: mean and standard deviation of the result.
        notes: notes on runs that were left out.
    """

    of: str
    names: tuple[str, ...]
    first: Array
    total: Array
    first_confidence: Array
    total_confidence: Array
    pairs: Array | None
    mean: float
    deviation: float
    notes: tuple[str, ...]

    def __str__(self) -> str:
        width = max(map(len, self.names))
        head = f"{self.of}: mean {self.mean:.6g}, standard deviation {self.deviation:.6g}"
        lines = [head, f"{'':{width}s}  {'by itself':>16s}  {'with others':>16s}"]
        for k, name in enumerate(self.names):
            alone = f"{self.first[k]:.3f} ± {self.first_confidence[k]:.3f}"
            shared = f"{self.total[k]:.3f} ± {self.total_confidence[k]:.3f}"
            lines.append(f"{name:{width}s}  {alone:>16s}  {shared:>16s}")
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__  # typed at a prompt, it tells the same

    def plot(self, file: str | Path | None = None) -> Any:
        """Bar chart of both indices, with confidence intervals."""
        figure = blank_figure((7.0, 1.4 + 0.5 * len(self.names)), file)
        axes = figure.subplots()
        at = np.arange(len(self.names))
        kinds = (
            (-0.18, self.first, self.first_confidence, FIRST, "by itself"),
            (0.18, self.total, self.total_confidence, TOTAL, "with others"),
        )
        for shift, values, half, color, label in kinds:
            bars = {"height": 0.34, "color": color, "label": label}
            axes.barh(at + shift, values, xerr=half, capsize=3, **bars)
        axes.set_yticks(at, self.names)
        axes.invert_yaxis()
        axes.set_xlabel(f"part of the variance of {self.of}")
        axes.legend(frameon=False)
        if file is not None:
            figure.savefig(file)
        return figure


@checked_call
def sobol_indices(many: ManyResult, of: str | Array) -> SobolIndices:
    """Sobol indices of a result of runs whose design is `il.designs.sobol(...)`.

    Failed runs are left out, together with the runs that the method compares them with.

    Args:
        many: the runs.
        of: a signal, whose final value is used, or one number per run, shape (runs,).

    Raises:
        InputError: the runs have a different design, too few finished, or the result is constant.
    """
    if not isinstance(many, ManyResult):
        raise InputError(
            "Sobol indices need the result of many runs",
            fix="Give the result of plant.simulate_many.",
        )
    design = many.design or {}
    if design.get("kind") != "sobol":
        kind = design.get("kind", "none")
        raise InputError(
            f"Sobol indices need a special design; the design of these runs is: {kind}",
            fix="Run with vary=il.designs.sobol(...).",
        )
    # in the order of the design
    names, with_pairs = list(design["names"]), bool(design["pairs"])
    y, label = _result(many, of)
    size = (2 if with_pairs else 1) * len(names) + 2
    blocks = y.reshape(-1, size)
    good = np.all(np.isfinite(blocks), axis=1)
    if good.sum() < LEAST_BLOCKS:
        raise InputError(
            f"only {good.sum()} of {len(good)} groups of {size} runs finished",
            fix="Check many.reasons, or use a larger base.",
        )
    left = blocks[good].ravel()
    if not np.ptp(left) > 0.0:
        raise InputError(f"{label} is the same in all runs", fix="Vary what it depends on.")
    return _indices(label, names, left, with_pairs, int((~good).sum()) * size)


def _indices(
    label: str, names: list[str], y: Array, with_pairs: bool, dropped: int
) -> SobolIndices:
    problem = unit_problem(names)
    from SALib.analyze import sobol

    # a result far from zero would lose digits
    found = sobol.analyze(problem, y - y.mean(), calc_second_order=with_pairs, seed=SEED)
    notes = (f"{dropped} runs are left out because some in their groups failed",) if dropped else ()
    return SobolIndices(
        label,
        tuple(names),
        np.asarray(found["S1"]),
        np.asarray(found["ST"]),
        np.asarray(found["S1_conf"]),
        np.asarray(found["ST_conf"]),
        np.asarray(found["S2"]) if with_pairs else None,
        float(y.mean()),
        float(y.std()),
        notes,
    )


def _result(many: ManyResult, of: Any) -> tuple[Array, str]:
    if isinstance(of, str):
        return many[of][:, -1], f"{of} at the end"
    values = reals(of, "of")
    if values.shape != (len(many),):
        raise InputError(
            f"of has shape {values.shape}, there are {len(many)} runs",
            fix="Give one number per run.",
        )
    return values, "the result"
