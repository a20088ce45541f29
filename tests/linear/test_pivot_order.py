"""Pivots from samples: a valid order, large enough in every sample, with little fill."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from inloop.symbolic.elimination import eliminate
from inloop.symbolic.pivot_order import StructuralRankError, pivot_order
from inloop.symbolic.sparsity import Place


def regular_places(n: int, seed: int, density: float) -> list[Place]:
    """A pattern with an entry in every row and column."""
    random = np.random.default_rng(seed)
    mask = random.random((n, n)) < density
    mask[np.arange(n), random.permutation(n)] = True
    return [(int(i), int(j)) for i, j in np.argwhere(mask)]


def dense(n: int, places: list[Place], values: np.ndarray) -> np.ndarray:
    A = np.zeros((n, n))
    A[tuple(np.transpose(places))] = values
    return A


@given(st.integers(1, 25), st.integers(0, 2**32 - 1))
def test_pivots_are_large_in_every_sample(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    places = regular_places(n, seed, 0.15)
    samples = random.normal(size=(5, len(places)))
    order = pivot_order(n, places, samples, 0.05)
    assert sorted(order.rows) == sorted(order.columns) == list(range(n))
    weakest = 1.0
    for values in samples:
        # the same elimination with a full array, rows scaled by their largest entry
        A = dense(n, places, values)
        A = (A / np.abs(A).max(axis=1, keepdims=True))[np.ix_(order.rows, order.columns)]
        for k in range(n):
            weakest = min(weakest, abs(A[k, k]) / np.abs(A[k:, k]).max())
            A[k + 1 :] -= np.outer(A[k + 1 :, k] / A[k, k], A[k])
    assert order.weakest == pytest.approx(weakest, rel=1e-6)


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 2**32 - 1))
def test_all_entries_of_the_factors_have_places(n: int, seed: int) -> None:
    have_places(n, seed)


@pytest.mark.long
@settings(max_examples=300)
@given(st.integers(1, 25), st.integers(0, 2**32 - 1))
def test_all_entries_of_the_factors_have_places_of_many(n: int, seed: int) -> None:
    have_places(n, seed)


def have_places(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    places = regular_places(n, seed, 0.15)
    e = eliminate(n, places, random.normal(size=(3, len(places))))
    A = dense(n, places, random.normal(size=len(places)))[np.ix_(e.order.rows, e.order.columns)]
    for k in range(n):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    named = np.zeros((n, n), dtype=bool)
    named[tuple(np.transpose([*e.pattern.index]))] = True
    assert not A[~named].any()
    # factors, updates and both substitutions, counted one by one
    lower, upper = np.tril(named, -1), np.triu(named, 1)
    updates = int((lower.sum(axis=0) * upper.sum(axis=1)).sum())
    assert e.operations == updates + 2 * int(lower.sum()) + int(upper.sum()) + 2 * n


@settings(max_examples=30)
@given(st.integers(2, 20), st.integers(0, 2**32 - 1))
def test_new_pivots_have_room(n: int, seed: int) -> None:
    """SciPy's factors with any pivots of the columns have no more entries than are set aside."""
    have_room(n, seed)


@pytest.mark.long
@settings(max_examples=300)
@given(st.integers(2, 20), st.integers(0, 2**32 - 1))
def test_new_pivots_have_room_of_many(n: int, seed: int) -> None:
    have_room(n, seed)


def have_room(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    places = regular_places(n, seed, 0.15)
    e = eliminate(n, places, random.normal(size=(3, len(places))))
    lower, upper = e.bound_with_new_pivots()
    for _ in range(3):
        A = dense(n, places, random.normal(size=len(places)) * 10.0 ** random.uniform(-6, 6))
        # columns are exchanged in rows of fixed order: rows in columns of the transpose
        # from SciPy's factors, with the values random enough not to cancel
        P, L, U = scipy.linalg.lu(A[list(e.order.rows)].T)
        assert np.count_nonzero(abs(U) > 1e-300) - n <= lower
        assert np.count_nonzero(abs(L) > 1e-300) - n <= upper
        assert P.sum() == n


def test_arrows_are_eliminated_from_their_tips() -> None:
    # the full row and column come last: no fill
    n = 12
    places = [(i, i) for i in range(n)] + [(0, i) for i in range(1, n)]
    places += [(i, 0) for i in range(1, n)]
    values = np.random.default_rng(0).uniform(1.0, 2.0, (4, len(places)))
    e = eliminate(n, places, values)
    assert e.pattern.size == len(places)


def test_an_entry_that_is_small_in_one_sample_is_no_pivot() -> None:
    places = [(0, 0), (0, 1), (1, 0), (1, 1)]
    samples = np.array([[2.0, 1.0, 1.0, 3.0], [1e-9, 1.0, 1.0, 1e-9]])
    order = pivot_order(2, places, samples)
    assert (order.rows[0], order.columns[0]) in ((0, 1), (1, 0))


def test_singular_patterns_are_told() -> None:
    with pytest.raises(StructuralRankError):
        pivot_order(3, [(0, 0), (1, 0), (2, 1), (2, 2)], np.ones((1, 4)))
