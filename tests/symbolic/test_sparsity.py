"""Places of factors against elimination with random numbers, where nothing cancels by chance."""

from __future__ import annotations

import numpy as np
import pytest

from inloop.symbolic.sparsity import fill, minimum_degree, solution_rows


def random_matrix(seed: int, n: int) -> np.ndarray:
    """Sparse, with a diagonal that dominates."""
    random = np.random.default_rng(seed)
    A = np.where(random.uniform(size=(n, n)) < 0.15, random.uniform(1.0, 2.0, (n, n)), 0.0)
    return A + np.diag(random.uniform(8.0, 9.0, n) + A.sum(axis=1))


def eliminated(A: np.ndarray) -> np.ndarray:
    """L below the diagonal and U, by dense elimination."""
    F = A.copy()
    for k in range(len(F)):
        F[k + 1 :, k] /= F[k, k]
        F[k + 1 :, k + 1 :] -= np.outer(F[k + 1 :, k], F[k, k + 1 :])
    return F


def places(A: np.ndarray) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(A)]


@pytest.mark.parametrize("seed", range(20))
def test_fill_is_where_elimination_puts_it(seed: int) -> None:
    A = random_matrix(seed, 25)
    pattern = fill(25, places(A))
    assert set(pattern.index) == set(places(eliminated(A)))
    assert pattern.size > np.count_nonzero(A)
    assert [*pattern.index.values()] == [*range(pattern.size)]


@pytest.mark.parametrize("seed", range(20))
def test_solutions_have_entries_where_the_rows_say(seed: int) -> None:
    A = random_matrix(seed, 12)
    B = np.where(np.random.default_rng(seed).uniform(size=(12, 5)) < 0.1, 1.5, 0.0)
    X = np.linalg.solve(A, B)
    rows = solution_rows(fill(12, places(A)), [np.flatnonzero(row).tolist() for row in B])
    found = {(i, c) for i, row in enumerate(rows) for c in row}
    # a solution may be zero where L and U lead there and back
    assert {(int(i), int(c)) for i, c in np.argwhere(np.abs(X) > 1e-14)} <= found


def test_an_arrow_is_eliminated_from_its_tip() -> None:
    """The first unknown meets all others: taken first it would fill everything."""
    arrow = [(i, 0) for i in range(9)] + [(i, i) for i in range(9)]
    order = minimum_degree(9, arrow)
    assert sorted(order) == [*range(9)]
    assert order.index(0) >= 7
    turn = {k: i for i, k in enumerate(order)}
    symmetric = [(turn[a], turn[b]) for i, j in arrow for a, b in ((i, j), (j, i))]
    assert fill(9, symmetric).size == 9 + 2 * 8
    assert fill(9, arrow + [(j, i) for i, j in arrow]).size == 81


def test_operations_of_a_full_matrix() -> None:
    """n reciprocals, n(n-1)/2 quotients, a product and a difference for each update."""
    n = 6
    updates = sum(k * k for k in range(n))
    full = fill(n, [(i, j) for i in range(n) for j in range(n)])
    assert full.operations() == n + n * (n - 1) // 2 + 2 * updates
