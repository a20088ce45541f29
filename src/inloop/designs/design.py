"""Designs: the values of all varied quantities in each run, sampled or given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inloop.designs.distributions import Distribution
from inloop.errors import InputError
from inloop.plant import Array
from inloop.plant.arguments import by_name, reals, useless, whole

MOST_RUNS = 1_000_000_000


@dataclass(frozen=True)
class Design:
    """Values of the varied quantities by run.

    Attributes:
        kind: "monte carlo", "latin hypercube", "sobol", "grid" or "table".
        columns: name → one value per run, shape (runs,).
        distributions: name → the distribution it was drawn from.
        facts: further settings, such as the seed.
    """

    kind: str
    columns: Mapping[str, Array]
    distributions: Mapping[str, Distribution] = field(default_factory=dict)
    facts: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def describe(self) -> dict[str, Any]:
        """Everything but the values, as JSON data."""
        drawn = {name: str(each) for name, each in self.distributions.items()}
        return {
            "kind": self.kind,
            "names": list(self.columns),
            "distributions": drawn,
            **self.facts,
        }


def table(columns: Mapping[str, Sequence[float] | Array]) -> Design:
    """A design of given values, one per run in each column."""
    arrays = {name: _column(values, name) for name, values in _named(columns).items()}
    lengths = {len(column) for column in arrays.values()}
    if len(lengths) > 1:
        counts = ", ".join(f"'{name}' has {len(column)}" for name, column in arrays.items())
        raise InputError(f"columns differ in length: {counts}", fix="Give one value per run.")
    return Design("table", arrays)


def grid(values: Mapping[str, Sequence[float] | Array]) -> Design:
    """All combinations of some values of each quantity; the last one changes fastest."""
    axes = {name: _column(given, name) for name, given in _named(values).items()}
    runs = int(np.prod([float(len(axis)) for axis in axes.values()]))
    _check_runs(runs)
    crossed = np.meshgrid(*axes.values(), indexing="ij")
    columns = {name: part.ravel() for name, part in zip(axes, crossed, strict=True)}
    return Design("grid", columns)


def monte_carlo(distributions: Mapping[str, Distribution], *, runs: int, seed: int = 0) -> Design:
    """Independent values, drawn from the distribution of each quantity.

    Args:
        distributions: distributions by name of the varied quantity.
        runs: number of runs.
        seed: random seed.
    """
    draw = lambda count, width, seed: np.random.default_rng(seed).random((count, width))  # noqa: E731
    return _drawn("monte carlo", distributions, runs, seed, draw)


def latin_hypercube(
    distributions: Mapping[str, Distribution], *, runs: int, seed: int = 0
) -> Design:
    """Each of `runs` equally likely strata of every distribution is sampled once.

    Args:
        distributions: distributions by name of the varied quantity.
        runs: number of runs.
        seed: random seed.
    """

    def draw(count: int, width: int, seed: int) -> Array:
        from scipy.stats import qmc  # slow to import

        return np.asarray(qmc.LatinHypercube(width, rng=np.random.default_rng(seed)).random(count))

    return _drawn("latin hypercube", distributions, runs, seed, draw)


def sobol(
    distributions: Mapping[str, Distribution], *, base: int, seed: int = 0, pairs: bool = False
) -> Design:
    """The runs for Sobol indices: base (k + 2) for k quantities, base (2 k + 2) with pairs.

    Args:
        distributions: distributions by name of the varied quantity.
        base: a power of 2; larger values narrow the confidence intervals.
        seed: random seed.
        pairs: also for second-order indices.

    Raises:
        InputError: SALib is not installed, or arguments are invalid.
    """
    base, seed = whole(base, "base"), _seed(seed)
    if base < 2 or base & (base - 1):
        raise InputError(f"a base of {base} runs makes no sense", fix="Use a power of 2, 1024 say.")
    named = _distributed(distributions)
    _check_runs(base * (2 * len(named) + 2))
    problem = unit_problem(list(named))
    from SALib.sample import sobol as sampler

    u = sampler.sample(problem, base, calc_second_order=bool(pairs), seed=seed)
    facts = {"base": base, "seed": seed, "pairs": int(bool(pairs))}
    return _mapped("sobol", named, np.asarray(u), facts)


def unit_problem(names: Sequence[str]) -> dict[str, Any]:
    """Independent quantities between 0 and 1, as a SALib problem.

    Raises:
        InputError: SALib is not installed.
    """
    try:
        import SALib  # noqa: F401
    except ImportError as error:
        raise InputError(
            "Sobol indices need SALib", fix="Install it with: pip install inloop[sobol]"
        ) from error
    return {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}


def _drawn(
    kind: str,
    distributions: Mapping[str, Distribution],
    runs: int,
    seed: int,
    draw: Callable[[int, int, int], Array],
) -> Design:
    count, seed, named = whole(runs, "runs"), _seed(seed), _distributed(distributions)
    _check_runs(count)
    return _mapped(kind, named, draw(count, len(named), seed), {"seed": seed})


def _mapped(
    kind: str, distributions: Mapping[str, Distribution], u: Array, facts: Mapping[str, int]
) -> Design:
    """Map probabilities, shape (runs, quantities), to values."""
    columns = {
        name: np.ascontiguousarray(each.quantile(u[:, k]))
        for k, (name, each) in enumerate(distributions.items())
    }
    return Design(kind, columns, distributions, facts)


def _distributed(distributions: Any) -> dict[str, Distribution]:
    for name, each in _named(distributions).items():
        if not isinstance(each, Distribution):
            fix = "Give a distribution, such as il.designs.normal(1.2, 0.05)."
            raise useless(each, f"'{name}'", fix)
    return dict(distributions)


def _named(given: Any) -> Mapping[str, Any]:
    named = by_name(given, "what is varied")
    if not named:
        raise InputError("nothing is varied", fix='Name quantities, {"rod.mass": ...} say.')
    return named


def _column(values: Any, name: str) -> Array:
    column = np.atleast_1d(reals(values, f"'{name}'"))
    if column.ndim != 1 or not len(column) or not np.all(np.isfinite(column)):
        raise useless(values, f"'{name}'", "Give a list of finite numbers.")
    return column.copy()  # of an array that its owner may alter


def _seed(seed: Any) -> int:
    number = whole(seed, "seed")
    if number < 0:
        raise InputError(f"a seed of {number} makes no sense", fix="Use 0 or more.")
    return number


def _check_runs(runs: int) -> None:
    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"{runs} runs make no sense", fix=f"Use 1 to {MOST_RUNS:,}.")
