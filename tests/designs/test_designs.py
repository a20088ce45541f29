"""Designs of many runs: distributions beside SciPy's, strata, grids, indices in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import inloop as il
from inloop import designs
from inloop.designs import Distribution, read_distribution

U = np.linspace(0.003, 0.997, 41)
# our words, and what SciPy calls it
PAIRS = {
    "uniform(-0.4, 1.7)": stats.uniform(-0.4, 2.1),
    "loguniform(0.02, 30.0)": stats.loguniform(0.02, 30.0),
    "normal(1.3, 0.2)": stats.norm(1.3, 0.2),
    "normal(1.3, 0.2, 1.1, 1.9)": stats.truncnorm(-1.0, 3.0, 1.3, 0.2),
    "lognormal(2.5, 0.3)": stats.lognorm(0.3, scale=2.5),
    "triangular(-1.0, 0.5, 3.0)": stats.triang(0.375, -1.0, 4.0),
}


@pytest.mark.parametrize("words", PAIRS)
def test_quantiles_and_probabilities_are_those_of_scipy(words: str) -> None:
    ours, theirs = read_distribution(words), PAIRS[words]
    assert str(ours) == words
    values = theirs.ppf(U)
    np.testing.assert_allclose(ours.quantile(U), values, rtol=1e-12, atol=1e-13)
    found = [ours.probability(float(x)) for x in values]
    np.testing.assert_allclose(found, U, rtol=1e-11)
    ends = ours.quantile(np.array([0.0, 1.0]))
    assert np.all(np.isfinite(ends)) and ours.low <= ends[0] < ends[1] <= ours.high


def test_a_choice_takes_all_its_values_equally_often() -> None:
    drawn = designs.monte_carlo({"k": designs.choice(3.0, 1.0, 7.0)}, runs=3000, seed=4).columns[
        "k"
    ]
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [1.0, 3.0, 7.0]
    # four standard deviations of a binomial count
    assert np.all(np.abs(counts - 1000) < 4.0 * math.sqrt(3000 * 2 / 9))


def test_latin_hypercubes_meet_every_stratum_once() -> None:
    drawn = designs.latin_hypercube(
        {"a": designs.uniform(0.0, 1.0), "b": designs.uniform(0.0, 1.0)}, runs=50, seed=3
    )
    for column in drawn.columns.values():
        assert sorted((column * 50).astype(int)) == list(range(50))


@pytest.mark.parametrize("make", [designs.monte_carlo, designs.latin_hypercube])
def test_a_seed_decides(make: Any) -> None:
    def draw(seed: int) -> np.ndarray:
        return make({"a": designs.normal(0.0, 1.0)}, runs=20, seed=seed).columns["a"]

    assert np.array_equal(draw(5), draw(5)) and not np.any(draw(5) == draw(6))


def test_designs_keep_the_values_that_they_were_given() -> None:
    values = np.array([1.0, 2.0])
    table, grid = il.designs.table({"k": values}), il.designs.grid({"k": values})
    values[:] = 99.0
    assert table.columns["k"].tolist() == grid.columns["k"].tolist() == [1.0, 2.0]


def test_grids_hold_all_combinations() -> None:
    made = designs.grid({"a": [1.0, 2.0], "b": [10.0, 20.0, 30.0]})
    assert len(made) == 6
    assert list(zip(*made.columns.values(), strict=True)) == [
        (a, b) for a in (1.0, 2.0) for b in (10.0, 20.0, 30.0)
    ]


def of_design(design: designs.Design) -> il.ManyResult:
    """Runs that were never done: only their values count."""
    runs = len(design)
    nothing: Any = None
    return il.ManyResult(
        "none", (), (), np.zeros(1), nothing, ("OK",) * runs, {}, np.zeros(runs), "rk4", None, 0,
        design.columns, design.describe(),
    )  # fmt: skip


def test_sobol_indices_of_ishigami_are_known() -> None:
    """Ishigami and Homma 1990: y = sin a + 7 sin² b + 0.1 c⁴ sin a, all in ±π."""
    angle = designs.uniform(-math.pi, math.pi)
    many = of_design(designs.sobol({"a": angle, "b": angle, "c": angle}, base=1024, seed=1))
    a, b, c = many.varied.values()
    y = np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)
    found = il.sobol_indices(many, y)
    by_a = 0.5 * (1.0 + 0.1 * math.pi**4 / 5.0) ** 2
    by_b, by_ac = 49.0 / 8.0, 0.01 * math.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    variance = by_a + by_b + by_ac
    assert found.names == ("a", "b", "c")
    for values, half, parts in (
        (found.first, found.first_confidence, (by_a, by_b, 0.0)),
        (found.total, found.total_confidence, (by_a + by_ac, by_b, by_ac)),
    ):
        exact = np.array(parts) / variance
        # the confidence is 1.96 standard deviations
        assert np.all(np.abs(values - exact) < 2.0 * half + 1e-3)
        assert np.all(half < 0.15)
    text = str(found)
    assert "by itself" in text and text.splitlines()[-1].startswith("c ")


def test_runs_that_failed_are_left_out_with_their_group() -> None:
    unit = designs.uniform(0.0, 1.0)
    many = of_design(designs.sobol({"a": unit, "b": unit}, base=64, seed=2))
    a, b = many.varied.values()
    y = 3.0 * a + b
    y[5] = math.nan
    found = il.sobol_indices(many, y)
    assert found.notes == ("4 runs are left out because some in their groups failed",)
    assert abs(found.first[0] - 0.9) < 0.1 and abs(found.first[1] - 0.1) < 0.1
    y[::4] = math.nan
    with pytest.raises(il.InputError, match="only 0 of 64 groups of 4 runs"):
        il.sobol_indices(many, y)
    with pytest.raises(il.InputError, match="is the same in all runs"):
        il.sobol_indices(many, np.ones(256))
    with pytest.raises(il.InputError, match=r"of has shape \(3,\), there are 256 runs"):
        il.sobol_indices(many, np.ones(3))


def test_sobol_indices_need_their_design() -> None:
    many = of_design(designs.table({"a": [1.0, 2.0]}))
    with pytest.raises(il.InputError, match="the design of these runs is: table"):
        il.sobol_indices(many, np.ones(2))


@pytest.mark.parametrize(
    ("careless", "message"),
    [
        (lambda: designs.uniform(2.0, 1.0), "uniform from 2 to 1 makes no sense"),
        (lambda: designs.uniform(0.0, math.inf), "high is inf"),
        (lambda: designs.loguniform(0.0, 1.0), "begins at 0"),
        (lambda: designs.normal(1.0, -0.1), "the standard deviation is -0.1"),
        (lambda: designs.normal(1.0, 0.1, 5.0, 6.0), "next to no values between 5 and 6"),
        (lambda: designs.normal(1.0, 0.1, 2.0, 0.0), "no value is above 2 and below 0"),
        (lambda: designs.triangular(0.0, 3.0, 1.0), "3 is not from 0 to 1"),
        (designs.choice, "choice needs finite values"),
        (lambda: read_distribution("normal(1.2)"), "has 1 numbers. Write normal.mean, deviation"),
        (lambda: read_distribution("norml(1, 2)"), "Did you mean normal"),
        (lambda: read_distribution("normal(1, x)"), "something that is not a number"),
        (lambda: read_distribution("3.2"), "is not a distribution"),
        (lambda: designs.monte_carlo({}, runs=3), "nothing is varied"),
        (lambda: designs.monte_carlo({"a": 3.0}, runs=3), "'a' is '3.0'. Give a distribution"),
        (lambda: designs.monte_carlo({"a": designs.choice(1.0)}, runs=0), "0 runs make no sense"),
        (lambda: designs.monte_carlo({"a": designs.choice(1.0)}, runs=3, seed=-1), "seed of -1"),
        (lambda: designs.sobol({"a": designs.choice(1.0)}, base=100), "base of 100 runs"),
        (lambda: designs.grid({"a": []}), "Give a list of finite numbers"),
        (lambda: designs.grid({"a": [math.nan]}), "Give a list of finite numbers"),
        (lambda: designs.table({"a": [1.0], "b": [1.0, 2.0]}), "'a' has 1, 'b' has 2"),
    ],
)  # fmt: skip
def test_careless_designs_are_explained(careless: Any, message: str) -> None:
    with pytest.raises(il.InputError, match=message) as caught:
        careless()
    assert caught.value.mistakes[0].fix


def test_a_distribution_is_what_it_says() -> None:
    assert isinstance(designs.uniform(0, 1), Distribution)
    assert designs.uniform(0, 1) == designs.uniform(0.0, 1.0) != designs.uniform(0.0, 2.0)
