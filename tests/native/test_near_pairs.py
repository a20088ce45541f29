"""Which members of a pile may touch: a grid finds what comparing all with all finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inloop.native import (
    COUNT,
    POINTER,
    BuildOptions,
    NativeLibrary,
    build_library,
    load_runtime,
    runtime_headers,
)


@pytest.fixture(scope="module")
def library() -> NativeLibrary:
    own = (Path(__file__).parent / "near_pairs.c").read_text()
    linked = BuildOptions(strict=True, linked=(load_runtime().path,))
    return NativeLibrary(build_library({"near_pairs.c": own}, runtime_headers(), options=linked))


def near_pairs(
    library: NativeLibrary, low: np.ndarray, high: np.ndarray, endless: np.ndarray
) -> np.ndarray:
    count = len(low)
    size = library.function("near_memory", COUNT, returns=COUNT)(count)
    memory = np.zeros(size // 8 + 1)
    bounds = np.ascontiguousarray(np.hstack([low, high]))
    pairs = np.zeros((count * count, 2), np.int64)
    flags = endless.astype(np.int64)
    call = library.function("near_pairs", COUNT, *[POINTER] * 4, returns=COUNT)
    found = call(count, *(array.ctypes.data for array in (bounds, flags, memory, pairs)))
    return pairs[:found]


def expected(low: np.ndarray, high: np.ndarray, endless: np.ndarray) -> np.ndarray:
    overlap = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    overlap |= endless[:, None] | endless[None]
    # two planes are both the ground
    overlap &= ~(endless[:, None] & endless[None])
    return np.argwhere(np.triu(overlap, 1))


@pytest.mark.parametrize("count", [5, 128, 129, 400])
def test_the_grid_finds_what_all_pairs_find_in_the_same_order(
    library: NativeLibrary, count: int
) -> None:
    for seed in range(6):
        random = np.random.default_rng(seed)
        middle = random.normal(size=(count, 3)) * count ** (1 / 3) * [1.0, 0.5, 0.2 + seed]
        half = random.uniform(0.2, 0.6, size=(count, 3))
        half[:: max(1, count // 3)] *= 9.0  # some are much wider
        endless = np.zeros(count, bool)
        endless[[1, count // 2]] = seed % 2 == 0
        low, high = middle - half, middle + half
        pairs = expected(low, high, endless)
        assert len(pairs) > 2
        assert np.array_equal(near_pairs(library, low, high, endless), pairs)


def test_far_and_lost_members_are_compared_still(library: NativeLibrary) -> None:
    middle = np.zeros((140, 3))
    middle[:, 0] = np.arange(140) * 2.0
    middle[10:14] += 1e13  # beyond all cells
    low, high = middle - 0.6, middle + 0.6
    low[20], high[20] = np.nan, np.nan
    endless = np.zeros(140, bool)
    found = near_pairs(library, low, high, endless)
    assert np.array_equal(found, expected(low, high, endless))
