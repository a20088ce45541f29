"""Small dense linear systems in C, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from inloop.native import COUNT, POINTER, address_of, load_runtime


def factor(A: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    LU, pivots = A.copy(), np.zeros(len(A), dtype=np.int64)
    function = load_runtime().function("il_lu_factor", COUNT, POINTER, POINTER, returns=COUNT)
    return function(len(A), address_of(LU), pivots.ctypes.data), LU, pivots


def solve(LU: np.ndarray, pivots: np.ndarray, b: np.ndarray) -> np.ndarray:
    x = b.copy()
    function = load_runtime().function(
        "il_lu_solve", COUNT, POINTER, POINTER, POINTER, returns=None
    )
    function(len(LU), address_of(LU), pivots.ctypes.data, address_of(x))
    return x


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 40])
def test_solves_like_numpy(n: int) -> None:
    random = np.random.default_rng(n)
    A, b = random.normal(size=(n, n)), random.normal(size=n)
    status, LU, pivots = factor(A)
    assert status == 0
    assert solve(LU, pivots, b) == pytest.approx(np.linalg.solve(A, b), rel=1e-9, abs=1e-12)
    # P A = L U with factors of at most 1: the largest entry was taken as pivot
    L = np.tril(LU, -1) + np.eye(n)
    assert np.abs(L).max(initial=1.0) <= 1.0
    permuted = A.copy()
    for k, p in enumerate(pivots):
        permuted[[k, p]] = permuted[[p, k]]
    assert L @ np.triu(LU) == pytest.approx(permuted, abs=1e-13)


def test_a_zero_in_the_corner_needs_a_swap() -> None:
    A = np.array([[0.0, 2.5], [-1.5, 0.7]])
    status, LU, pivots = factor(A)
    assert status == 0 and pivots[0] == 1
    assert solve(LU, pivots, A @ [0.3, -4.0]) == pytest.approx([0.3, -4.0])


def test_singular_matrices_are_told() -> None:
    assert factor(np.array([[2.0, 3.0, 1.0], [4.0, 6.0, 2.0], [0.0, 0.0, 5.0]]))[0] == 2
    assert factor(np.array([[np.nan, 1.0], [2.0, 3.0]]))[0] == 1
