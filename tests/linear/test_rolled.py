"""`il.SparseLU` where a matrix repeats itself: steps alike share their code, and run in lanes."""

import itertools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import inloop as il
from inloop.codegen.sparse_lu.layout import Layout
from inloop.symbolic.pivot_order import THRESHOLD
from inloop.symbolic.repeated.batches import WIDTHS
from inloop.symbolic.repeated.blocks import cuts, period_of, realigned
from inloop.symbolic.repeated.elimination import eliminate_in_steps

SIZE = 6  # of a block
TOLERANCE = 1e-12


def branches(count: int, length: int, seed: int) -> scipy.sparse.csc_array:
    """Chains of blocks on one hub, which comes last; the same places in all blocks."""
    random = np.random.default_rng(3)
    own = random.random((SIZE, SIZE)) < 0.5
    own[np.arange(SIZE), random.permutation(SIZE)] = True
    there, back = (random.random((SIZE, SIZE)) < 0.25 for _ in range(2))
    hub = SIZE * count * length
    pattern = np.zeros((hub + SIZE, hub + SIZE), dtype=bool)
    for branch in range(count):
        for k in range(length):
            at = slice(first := SIZE * (branch * length + k), first + SIZE)
            beyond = slice(first + SIZE, first + 2 * SIZE) if k + 1 < length else slice(hub, None)
            pattern[at, at], pattern[at, beyond], pattern[beyond, at] = own, there, back
    pattern[hub:, hub:] = True
    values = np.random.default_rng(seed).normal(size=pattern.shape)
    A = np.where(pattern, values + 3.0 * np.sign(values), 0.0)
    # the same numbers in all blocks and for any seed: some ±1, one that is neither
    for first in range(0, hub, SIZE):
        for i, j, value in FIXED:
            A[first + i, first + j] = value * own[i, j]
    return scipy.sparse.csc_array(A)


FIXED = (
    (0, 0, 1.0),
    (1, 1, -1.0),
    (2, 2, 2.5),
    (3, 3, 1.0),
    (0, 4, -1.0),
    (5, 1, 1.0),
    (4, 2, 0.5),
)


def constant_in(A: scipy.sparse.csc_array) -> np.ndarray:
    """A mask of the values that are the same for all seeds."""
    other = branches(5, 4, 12345)
    assert np.array_equal(A.indices, other.indices)
    return np.asarray(A.data == other.data)


def backward_error(A: scipy.sparse.sparray, x: np.ndarray, b: np.ndarray) -> float:
    full = A.toarray().astype(np.longdouble)
    size = abs(full) @ abs(x.astype(np.longdouble)) + abs(b)
    return float(np.max(abs(b - full @ x.astype(np.longdouble)) / size))


@pytest.fixture(scope="module", params=["", "constants"])
def lu(request: pytest.FixtureRequest) -> il.SparseLU:
    samples = [branches(5, 4, seed) for seed in range(8)]
    mask = constant_in(samples[0])
    assert 0 < mask.sum() < len(mask) / 2
    return il.SparseLU(samples, kind="rolled", constant=mask if request.param else None)


def steps_of(A: scipy.sparse.csc_array) -> Layout:
    A = A.tocoo()
    places = [*zip(A.row.tolist(), A.col.tolist(), strict=True)]
    found = eliminate_in_steps(A.shape[0], places, A.data[None, :], THRESHOLD)
    assert found is not None
    return Layout(found.schedule)


# what is found


def test_a_period_is_found_and_cut_where_blocks_begin() -> None:
    A = branches(1, 12, 0).tocoo()
    places = [*zip(A.row.tolist(), A.col.tolist(), strict=True)]
    assert period_of(A.shape[0], places) == SIZE
    (labels,) = cuts(A.shape[0], places, SIZE)
    wanted = np.arange(A.shape[0]) // SIZE
    assert np.array_equal(labels - labels[0], wanted)
    shuffled = np.random.default_rng(0).permutation(A.shape[0]).tolist()
    assert period_of(A.shape[0], [(shuffled[i], shuffled[j]) for i, j in places]) is None


def blades(count: int, nodes: int) -> scipy.sparse.csc_array:
    """Rows of nodes with full blocks on a hub; roots are shorter than nodes."""
    root, blade = 4, 4 + SIZE * nodes
    n = SIZE + count * blade
    random = np.random.default_rng(7)
    A = np.zeros((n, n))
    for k in range(count):
        first = SIZE + k * blade
        bounds = [(0, SIZE), (first, first + root)]
        bounds += [(at, at + SIZE) for at in range(first + root, first + blade, SIZE)]
        for (a, b), (c, d) in itertools.pairwise(bounds):
            A[a:b, c:d] = random.normal(size=(b - a, d - c))
            A[c:d, a:b] = random.normal(size=(d - c, b - a))
            A[c:d, c:d] = random.normal(size=(d - c, d - c)) + 10.0 * np.eye(d - c)
    A[:SIZE, :SIZE] = 10.0 * np.eye(SIZE)
    return scipy.sparse.csc_array(A)


def test_blocks_begin_anew_at_each_blade() -> None:
    """In a band of full blocks nearly all numbers look like a period, and roots shift them."""
    A = blades(4, 6).tocoo()
    places = [*zip(A.row.tolist(), A.col.tolist(), strict=True)]
    assert period_of(A.shape[0], places) == SIZE
    labels = realigned(A.shape[0], places, SIZE)
    for k in range(4):
        first = SIZE + k * (4 + SIZE * 6) + 4
        nodes = labels[first : first + SIZE * 6].reshape(6, SIZE)
        assert np.array_equal(nodes - nodes[0, 0], np.arange(6)[:, None] * np.ones(SIZE))
    assert max(lanes for _, lanes in steps_of(A.tocsc()).plan.kernels) == 4


def test_branches_run_in_lanes_and_a_long_chain_needs_little_code() -> None:
    layout = steps_of(branches(WIDTHS[0], 6, 0))
    assert max(lanes for _, lanes in layout.plan.kernels) == WIDTHS[0]
    chain = steps_of(branches(1, 48, 0)).plan
    written = sum(shape.operations for shape, _ in chain.kernels)
    # other values may need other pivots here and there; not one kernel for each block
    assert written < sum(step.shape.operations for step in chain.placed) / 3


def test_every_step_comes_after_those_it_needs() -> None:
    layout = steps_of(branches(5, 4, 1))
    batch_of = {k: at for at, batch in enumerate(layout.plan.batches) for k in batch.steps}
    for number, step in enumerate(layout.plan.placed):
        assert all(batch_of[k] < batch_of[number] for k in step.after)
    # each row and each column is a pivot once
    assert sorted(layout.rows) == sorted(layout.columns) == [*range(5 * 4 * SIZE + SIZE)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("count", "length"), [(5, 4), (4, 6), (1, 48)])
def test_no_cell_is_written_before_it_was_read(count: int, length: int) -> None:
    layout = steps_of(branches(count, length, 1))
    written: dict[int, tuple[int, int]] = {}  # place → the cell that was written there last
    places = cells = 0
    for batch in layout.plan.batches:
        own = {
            layout.factor_cell((k, number)): (k, number)
            for k in batch.steps
            for number in range(len(layout.plan.placed[k].shape.cells))
        }
        read = [cell for k in batch.steps for cell in layout.plan.placed[k].cells]
        # a kernel may write before it has read everything
        assert not {layout.factor_cell(cell) for cell in read} & own.keys()
        assert all(written[layout.factor_cell(cell)] == cell for cell in read)
        written |= own
        places, cells = len(written), cells + len(own)
    assert layout.first_factor[-1] <= min(written)
    assert max(written) < layout.first_lower[0]
    assert places < cells / 2  # their memory is used again


def linked(bodies: int, seed: int) -> scipy.sparse.csc_array:
    """[M Gᵀ; G 0]: bodies of three coordinates, each held to the one before by two constraints."""
    random = np.random.default_rng(seed)
    A = np.zeros((5 * bodies, 5 * bodies))
    for k in range(bodies):
        own, rows = slice(5 * k, 5 * k + 3), slice(5 * k + 3, 5 * k + 5)
        root = random.normal(size=(3, 3))
        A[own, own] = root @ root.T + np.eye(3)
        for side in (own, slice(5 * k - 5, 5 * k - 2)) if k else (own,):
            G = np.hstack([np.eye(2), random.normal(size=(2, 1))])
            A[rows, side], A[side, rows] = G, G.T
    return scipy.sparse.csc_array(A)


def test_a_chain_is_eliminated_from_both_ends_in_two_lanes() -> None:
    samples = [linked(45, seed) for seed in range(4)]
    layout = steps_of(samples[0])
    twos = [batch for batch in layout.plan.batches if len(batch.steps) == 2]
    assert len(twos) >= 12
    for batch in twos:
        low, high = (layout.plan.placed[k].rows[0] for k in batch.steps)
        assert low < 5 * 45 / 2 < high
    lu = il.SparseLU(samples, kind="rolled")
    for seed in range(3, 8):  # not only samples
        A, b = linked(45, seed), np.random.default_rng(seed).normal(size=225)
        assert backward_error(A, lu.solve_with(A, b), b) <= TOLERANCE
        assert backward_error(A, lu.solve(b), b) <= TOLERANCE
        assert backward_error(A.T, lu.solve(b, transposed=True), b) <= TOLERANCE
        assert not lu.report.new_pivots


# right


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_any_values(lu: il.SparseLU, seed: int) -> None:
    solves(lu, seed)


@pytest.mark.long
@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_any_of_many_values(lu: il.SparseLU, seed: int) -> None:
    solves(lu, seed)


def solves(lu: il.SparseLU, seed: int) -> None:
    A, b = branches(5, 4, seed), np.random.default_rng(seed).normal(size=lu.n)
    assert lu.kind == "rolled"
    x = lu.solve_with(A, b)
    assert backward_error(A, x, b) <= TOLERANCE
    assert backward_error(A.T, lu.solve(b, transposed=True), b) <= TOLERANCE


def test_values_that_lie_side_by_side_for_all_lanes() -> None:
    A, b = branches(5, 4, 1), np.random.default_rng(1).normal(size=branches(5, 4, 1).shape[0])
    lu = il.SparseLU(A, kind="rolled", arranged=True)
    assert sorted(lu.arrangement) == [*range(A.nnz)]
    x = lu.solve_with(A.data[lu.arrangement], b)
    assert backward_error(A, x, b) <= 1e-12
    assert lu.report.new_pivots is False


def test_factors_are_those_of_the_samples(lu: il.SparseLU) -> None:
    """No refinement, no new pivots: the compiled elimination itself is right."""
    b = np.arange(1.0, lu.n + 1.0)
    for seed in range(8):
        A = branches(5, 4, seed)
        x = lu.solve_with(A, b)
        assert (lu.report.refinements, lu.report.new_pivots) == (0, False)
        error = np.linalg.norm(x - np.linalg.solve(A.toarray(), b)) / np.linalg.norm(x)
        assert error <= 1e-14 * np.linalg.cond(A.toarray())
        lu.solve(b, transposed=True)
        assert (lu.report.refinements, lu.report.new_pivots) == (0, False)


@pytest.mark.parametrize("which", [0, 40, -1])
@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-16])
def test_a_pivot_that_becomes_nothing_is_repaired(lu: il.SparseLU, which: int, size: float) -> None:
    A, b = branches(5, 4, 0), np.ones(lu.n)
    given = {place: k for k, place in enumerate(lu.pattern.places)}
    pivots = [place for place in zip(*lu.order, strict=True) if place in given]
    values = A.data.copy()
    values[given[pivots[which]]] = size
    B = scipy.sparse.csc_array((values, A.indices, A.indptr))
    assert backward_error(B, lu.solve_with(values, b), b) <= TOLERANCE
    assert backward_error(B.T, lu.solve(b, transposed=True), b) <= TOLERANCE


def test_singular_and_not_finite_matrices_are_told(lu: il.SparseLU) -> None:
    A = branches(5, 4, 0)
    row = A.toarray()
    row[7] = 0.0
    with pytest.raises(il.SolveError, match="singular to working precision"):
        lu.solve_with(row, np.ones(lu.n))
    A.data[100] = np.nan
    with pytest.raises(il.SolveError, match="NaN or infinity"):
        lu.solve_with(A, np.ones(lu.n))


def test_a_matrix_without_period_is_told() -> None:
    with pytest.raises(il.InputError, match="does not repeat itself"):
        il.SparseLU(np.random.default_rng(0).normal(size=(30, 30)), kind="rolled")


@pytest.mark.thinned(2)
def test_without_vectors_of_the_compiler(
    lu: il.SparseLU, tmp_path: Path, require_program: Callable[[str], str]
) -> None:
    """C99 alone: a loop over the lanes, same solution."""
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0", "-DIL_NO_VECTORS"]
    lu.export_c(tmp_path)
    check_exported(tmp_path, lu, branches(5, 4, 2), [require_program("gcc"), *strict])


@pytest.mark.long
def test_after_a_long_sleep(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    """What has to come from memory is read before it is needed, and nothing beyond its end."""
    A = blades(4, 6)  # four lanes, for which values are read too
    lu = il.SparseLU(A, kind="rolled")
    lu.export_c(tmp_path)
    header = tmp_path / "il_prefetch.h"
    text, count = re.subn(r"return [^;]*;", "return 1;", header.read_text())
    assert count == 2  # "is far", with a clock and without one
    header.write_text(text)
    check_exported(tmp_path, lu, A, [require_program("gcc"), "-O0", "-fsanitize=address"])


def check_exported(
    folder: Path, lu: il.SparseLU, A: scipy.sparse.csc_array, gcc: list[str]
) -> None:
    """What was exported to a folder finds the same solution."""
    b = np.arange(1.0, lu.n + 1.0)
    numbers = [f"static const double {name}[] = {{{', '.join(map(repr, each.tolist()))}}};"
               for name, each in (("A", A.data), ("b", b))]  # fmt: skip
    (folder / "main.c").write_text("\n".join([*numbers, MAIN]))
    files, program = map(str, folder.glob("*.c")), str(folder / "program")
    subprocess.run([*gcc, f"-I{folder}", *files, "-o", program, "-lm"], check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    np.testing.assert_allclose(np.array(told.split(), dtype=float), lu.solve_with(A, b), rtol=1e-9)


MAIN = """
#include "il_sparse_lu.h"
#include <stdio.h>
const il_sparse_lu *sparse_lu(void);
static double bytes[200000], x[1000];
int main(void)
{
    il_sparse_lu_memory memory;
    if ((size_t)il_sparse_lu_bytes(sparse_lu()) > sizeof bytes) return 1;
    il_sparse_lu_prepare(sparse_lu(), 1e-12, bytes, &memory);
    const int status = il_sparse_lu_solve_with(sparse_lu(), A, b, &memory, x);
    for (int k = 0; k < sparse_lu()->n; k++) printf("%.17g ", x[k]);
    return status;
}
"""
