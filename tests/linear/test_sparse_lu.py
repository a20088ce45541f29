"""`il.SparseLU`: right to rounding, and never wrong in silence."""

from __future__ import annotations

import copy
import pickle
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import inloop as il
from inloop.native.library import NativeLibrary

KINDS = ("straight", "tables")
TOLERANCE = 1e-12


def random_matrix(
    n: int, seed: int, density: float = 0.1, form: str = "csc"
) -> scipy.sparse.sparray:
    """Regular with probability one; its diagonal is mostly empty."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, n)) * (random.random((n, n)) < density)
    A[np.arange(n), random.permutation(n)] = random.normal(size=n)
    return scipy.sparse.csr_array(A) if form == "csr" else scipy.sparse.csc_array(A)


def backward_error(
    A: scipy.sparse.sparray, x: np.ndarray, b: np.ndarray, *, strict: bool = False
) -> float:
    """Componentwise, in extended precision (Oettli and Prager).

    Unless `strict`, rows whose terms are nothing but rounding are compared with what they would be
    if all unknowns, in units in which the matrix is balanced, were as large as the largest (Arioli,
    Demmel, Duff).
    """
    full = A.toarray().astype(np.longdouble)
    x, b = x.astype(np.longdouble), b.astype(np.longdouble)
    unit = (abs(full) / abs(full).max(axis=1, keepdims=True)).max(axis=0)
    size = abs(full) @ abs(x) + abs(b)
    whole = abs(full) @ (1.0 / unit) * (abs(x) * unit).max()
    if not strict:
        size += np.where(size <= 1e3 * np.finfo(float).eps * len(b) * whole, whole, 0.0)
    return float(np.max(abs(b - full @ x) / np.where(size > 0.0, size, 1.0)))


@pytest.fixture(scope="module", params=KINDS)
def lu(request: pytest.FixtureRequest) -> il.SparseLU:
    return il.SparseLU(random_matrix(40, 3), kind=request.param)


# right


@settings(max_examples=8)
@given(
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
    st.sampled_from(KINDS),
    st.sampled_from(["csc", "csr"]),
)
def test_any_pattern(n: int, seed: int, kind: str, form: str) -> None:
    A = random_matrix(n, seed, form=form)
    b = np.random.default_rng(seed).normal(size=(n, 3))
    lu = il.SparseLU(A, kind=kind)
    lu.factor(A)
    x = lu.solve(b)
    for k in range(3):
        assert backward_error(A, x[:, k], b[:, k]) <= TOLERANCE
    y = lu.solve(b[:, 0], transposed=True)
    assert backward_error(A.T, y, b[:, 0]) <= TOLERANCE
    both = lu.solve_with(A, b[:, 1])
    assert backward_error(A, both, b[:, 1]) <= TOLERANCE
    np.testing.assert_array_equal(lu.solve_with(A, b[:, 1]), both)


SEEDS, DECADES = st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 6.0])


@settings(max_examples=30)
@given(SEEDS, DECADES)
def test_any_values(lu: il.SparseLU, seed: int, decades: float) -> None:
    """Values of twelve decades in one pattern: most need other pivots."""
    solves(lu, seed, decades)


@pytest.mark.long
@settings(max_examples=300)
@given(SEEDS, DECADES)
def test_any_of_many_values(lu: il.SparseLU, seed: int, decades: float) -> None:
    solves(lu, seed, decades)


def solves(lu: il.SparseLU, seed: int, decades: float) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=lu.entries) * 10.0 ** random.uniform(-decades, decades, lu.entries)
    A = scipy.sparse.csc_array((values, lu.pattern.indices, lu.pattern.indptr))
    b = random.normal(size=lu.n)
    x = lu.solve_with(values, b)
    assert lu.report.status == "OK"
    assert lu.report.backward_error <= TOLERANCE
    assert backward_error(A, x, b) <= 2.0 * TOLERANCE
    assert backward_error(A.T, lu.solve(b, transposed=True), b) <= 2.0 * TOLERANCE


@given(st.integers(0, 2**32 - 1))
def test_units_do_not_matter(lu: il.SparseLU, seed: int) -> None:
    """Rows and columns in other units, over twelve decades: same pivots, same digits."""
    random = np.random.default_rng(seed)
    A, x = random_matrix(40, 3), random.normal(size=40)
    row, column = (10.0 ** random.uniform(-6.0, 6.0, 40) for _ in range(2))
    S = scipy.sparse.csc_array(A.multiply(row[:, None]).multiply(1.0 / column))
    found = lu.solve_with(S, S @ (column * x)) / column
    assert not lu.report.new_pivots
    # what rounding of b alone can do, by the condition that does not depend on units of rows
    inverse = abs(np.linalg.inv(A.toarray()))
    assert np.all(abs(found - x) <= 1e-13 * (inverse @ abs(A.toarray()) @ abs(x)))


def test_agrees_with_lapack_to_its_condition(lu: il.SparseLU) -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        A = random_matrix(40, 3)
        A.data *= random.uniform(0.5, 2.0, A.nnz)
        b = random.normal(size=40)
        wanted = np.linalg.solve(A.toarray(), b)
        error = np.linalg.norm(lu.solve_with(A, b) - wanted) / np.linalg.norm(wanted)
        assert error <= 1e-14 * np.linalg.cond(A.toarray())


def test_kinds_give_the_same_factors() -> None:
    A, b = random_matrix(30, 7), np.arange(1.0, 31.0)
    both = [il.SparseLU(A, kind=kind) for kind in KINDS]
    assert both[0].order == both[1].order
    one, other = (lu.solve_with(A, b) for lu in both)
    np.testing.assert_allclose(one, other, rtol=1e-9)


# values


def test_matrices_with_fewer_entries_and_other_formats() -> None:
    A = random_matrix(20, 5)
    lu = il.SparseLU(A, kind="tables")
    B = A.toarray()
    i, j = next((i, j) for i, j in lu.pattern.places if abs(B[i]).astype(bool).sum() > 2)
    B[i, j] = 0.0
    b = np.arange(1.0, 21.0)
    wanted = lu.solve_with(scipy.sparse.csr_array(B), b)
    np.testing.assert_array_equal(lu.solve_with(B, b), wanted)
    np.testing.assert_array_equal(lu.solve_with(scipy.sparse.coo_array(B), b), wanted)
    assert backward_error(scipy.sparse.csc_array(B), wanted, b) <= TOLERANCE


def test_values_are_copied(lu: il.SparseLU) -> None:
    A, b = random_matrix(40, 3), np.ones(40)
    values = A.data.copy()
    lu.factor(values)
    wanted = lu.solve(b)
    values[:] = np.nan
    np.testing.assert_array_equal(lu.solve(b), wanted)


def test_samples_of_different_patterns_are_united() -> None:
    A, B = random_matrix(15, 1), random_matrix(15, 2)
    lu = il.SparseLU([A, B], kind="tables")
    assert lu.entries == (abs(A) + abs(B)).nnz
    for matrix in (A, B):
        x = lu.solve_with(matrix, np.ones(15))
        assert backward_error(matrix, x, np.ones(15)) <= TOLERANCE


# values that never change


def with_constants(seed: int) -> tuple[scipy.sparse.sparray, np.ndarray]:
    """A matrix of which half of the values are ±1, 0 or 2.5 for any seed, and a mask of those."""
    A, random = random_matrix(40, 3), np.random.default_rng(8)
    mask = random.random(A.nnz) < 0.5
    fixed = random.choice([1.0, -1.0, 0.0, 2.5], A.nnz, p=[0.4, 0.4, 0.05, 0.15])
    A.data = np.where(mask, fixed, np.random.default_rng(seed).normal(size=A.nnz))
    return A, mask


@pytest.fixture(scope="module")
def folded() -> il.SparseLU:
    samples = [with_constants(seed)[0] for seed in range(8)]
    return il.SparseLU(samples, constant=with_constants(0)[1], kind="straight")


@given(st.integers(0, 2**32 - 1))
def test_constants_are_folded_and_solutions_right(folded: il.SparseLU, seed: int) -> None:
    A, _ = with_constants(seed)
    b = np.random.default_rng(seed).normal(size=40)
    assert backward_error(A, folded.solve_with(A, b), b) <= TOLERANCE
    # the transposed one needs all factors; after it the code finds its own again
    assert backward_error(A.T, folded.solve(b, transposed=True), b) <= TOLERANCE
    assert backward_error(A, folded.solve(b), b) <= TOLERANCE


def test_constants_need_no_refinement_in_samples(folded: il.SparseLU) -> None:
    b = np.arange(1.0, 41.0)
    for seed in range(8):
        for transposed in (False, True, False):
            folded.factor(with_constants(seed)[0])
            folded.solve(b, transposed=transposed)
            assert (folded.report.refinements, folded.report.new_pivots) == (0, False)


def test_a_constant_that_has_changed_costs_no_digits(folded: il.SparseLU) -> None:
    A, mask = with_constants(2)
    b = np.ones(40)
    for k in np.flatnonzero(mask)[::9]:
        B = A.copy()
        B.data[k] += 0.7
        x = folded.solve_with(B, b)
        assert folded.report.refinements > 0 or folded.report.new_pivots
        assert backward_error(B, x, b) <= TOLERANCE


def test_constants_may_be_given_as_a_matrix_and_leave_the_code_shorter() -> None:
    A, mask = with_constants(0)
    full = il.SparseLU(A, kind="straight")
    marked = scipy.sparse.csc_array((mask.astype(float), A.indices, A.indptr))
    less = il.SparseLU(A, kind="straight", constant=marked)
    assert less.code_size < full.code_size
    b = np.arange(1.0, 41.0)
    np.testing.assert_allclose(less.solve_with(A, b), full.solve_with(A, b), rtol=1e-8)


# never wrong in silence


# values in the order in which the code reads them


@pytest.mark.parametrize("kind", KINDS)
def test_arranged_values(kind: str) -> None:
    A, mask = with_constants(0)
    lu = il.SparseLU(A, constant=mask, kind=kind, arranged=True)
    assert sorted(lu.arrangement) == [*range(A.nnz)]
    known = mask[lu.arrangement]
    assert not known[: A.nnz - mask.sum()].any()  # constants are not read: they come last
    for seed in range(3):
        B, _ = with_constants(seed)
        b = np.random.default_rng(seed).normal(size=40)
        x = lu.solve_with(B.data[lu.arrangement], b)
        assert backward_error(B, x, b) <= TOLERANCE
        assert lu.solve_with(B, b) == pytest.approx(x, rel=1e-12)
        lu.factor(B.data[lu.arrangement])
        assert backward_error(B, lu.solve(b), b) <= TOLERANCE
        transposed = lu.solve(b, transposed=True)
        assert backward_error(scipy.sparse.csc_array(B.T), transposed, b) <= TOLERANCE


def test_an_arranged_pivot_that_becomes_nothing_is_repaired() -> None:
    A = scipy.sparse.csc_array(np.random.default_rng(2).normal(size=(6, 6)))
    lu, b = il.SparseLU(A, arranged=True), np.arange(1.0, 7.0)
    A[lu.order[0][0], lu.order[1][0]] = 0.0
    x = lu.solve_with(A, b)
    assert lu.report.new_pivots
    assert backward_error(A, x, b) <= TOLERANCE


def first_pivot(lu: il.SparseLU) -> int:
    """Number of the value that is the first pivot."""
    rows, columns = lu.order
    return lu.pattern.places.index((rows[0], columns[0]))


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-16, 1e-9])
def test_a_pivot_that_becomes_nothing_is_repaired(size: float) -> None:
    A = scipy.sparse.csc_array(np.random.default_rng(2).normal(size=(6, 6)))
    for kind in KINDS:
        lu = il.SparseLU(A, kind=kind)
        values = A.data.copy()
        values[first_pivot(lu)] = size
        B = scipy.sparse.csc_array((values, A.indices, A.indptr))
        b = np.arange(1.0, 7.0)
        x = lu.solve_with(values, b)
        assert lu.report.new_pivots or lu.report.refinements == 1
        assert lu.report.new_pivots == (size < 1e-10)
        assert backward_error(B, x, b) <= TOLERANCE
        assert backward_error(B.T, lu.solve(b, transposed=True), b) <= TOLERANCE
        # the next matrix is factored as ever
        lu.solve_with(A, b)
        assert not lu.report.new_pivots


SINGULAR = {
    "zero": np.zeros((3, 3)),
    "ones": np.ones((3, 3)),
    "steps": np.arange(1.0, 10.0).reshape(3, 3),
    "scaled": np.arange(1.0, 10.0).reshape(3, 3) * [[1e9], [1.0], [1e-9]],
    "in other units": np.arange(1.0, 10.0).reshape(3, 3) * [1e9, 1.0, 1e-9],
}


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("kind", KINDS)
def test_singular_matrices_are_told(name: str, kind: str) -> None:
    lu = il.SparseLU(np.random.default_rng(0).normal(size=(3, 3)), kind=kind)
    A = SINGULAR[name]
    # a right side that fits, which hides it, and one that does not
    for b in (A @ [1.0, 2.0, 4.0] if A.any() else np.ones(3), np.array([1.0, 2.0, 4.0])):
        with pytest.raises(il.SolveError, match="singular to working precision"):
            lu.solve_with(A, b)
        assert lu.report.status == "SINGULAR"


def test_nearly_singular_matrices_are_solved() -> None:
    A = np.arange(1.0, 10.0).reshape(3, 3)
    lu = il.SparseLU(np.random.default_rng(0).normal(size=(3, 3)), kind="tables")
    for distance in (1e-3, 1e-6, 1e-9, 1e-12):
        B = A + distance * np.diag([1.0, 0.0, 0.0])
        x = lu.solve_with(B, B @ [1.0, 2.0, 4.0])
        assert backward_error(scipy.sparse.csc_array(B), x, B @ [1.0, 2.0, 4.0]) <= TOLERANCE
    # only there its error was asked for, and it is a bound of what it is
    assert lu.report.forward_error is not None
    assert np.max(abs(x - [1.0, 2.0, 4.0])) <= 10.0 * 4.0 * lu.report.forward_error


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_told(lu: il.SparseLU, bad: float) -> None:
    A = random_matrix(40, 3)
    for k in (0, A.nnz // 2, A.nnz - 1):
        values = A.data.copy()
        values[k] = bad
        with pytest.raises(il.SolveError, match="NaN or infinity"):
            lu.solve_with(values, np.ones(40))
    b = np.ones(40)
    b[7] = bad
    with pytest.raises(il.SolveError, match="NaN or infinity"):
        lu.solve_with(A, b)
    assert lu.report.status == "NOT_FINITE"
    lu.solve_with(A, np.ones(40))
    assert lu.report.status == "OK"


def test_small_unknowns_beside_large_ones_are_solved_as_well() -> None:
    """Values and right sides over twelve decades; rows that cannot be satisfied are counted."""
    n, random = 80, np.random.default_rng(3)
    beam = scipy.sparse.diags_array([1.0, -4.0, 6.0, -4.0, 1.0], offsets=[-2, -1, 0, 1, 2],
                                    shape=(n, n), format="csc")  # fmt: skip
    lu = il.SparseLU(beam, kind="tables")
    counted = []
    for decades, sets in ((6, 40), (9, 40)):
        for _ in range(sets):
            A, b = beam.copy(), random.normal(size=n) * 10.0 ** random.uniform(-decades, decades, n)
            A.data *= 10.0 ** random.uniform(-decades, decades, len(A.data))
            x = lu.solve_with(A, b)
            assert backward_error(A, x, b) <= TOLERANCE
            strict = backward_error(A, x, b, strict=True) <= 1.1 * TOLERANCE
            assert strict == (lu.report.rounded_rows == 0)
            counted.append(not strict)
    assert not any(counted[:40]) and any(counted[40:])


def test_a_tolerance_that_cannot_be_kept_is_told() -> None:
    A = random_matrix(20, 5)
    lu = il.SparseLU(A, kind="tables", tolerance=1e-19)
    with pytest.raises(il.SolveError, match="above the tolerance, also with new pivots"):
        lu.solve_with(A, np.random.default_rng(0).normal(size=20))
    assert lu.report.status == "INEXACT"
    assert lu.report.new_pivots
    assert 1e-19 < lu.report.backward_error < 1e-14


def test_no_right_side_at_all() -> None:
    lu = il.SparseLU(np.eye(2), kind="tables")
    lu.factor(np.eye(2))
    assert lu.solve(np.zeros((2, 0))).shape == (2, 0)
    with pytest.raises(il.InputError, match="for several"):
        lu.solve_with(np.eye(2), np.ones((2, 3)))


def test_nothing_is_solved_without_factors() -> None:
    lu = il.SparseLU(np.eye(2), kind="tables")
    with pytest.raises(il.SolveError, match=r"Call factor"):
        lu.solve(np.ones(2))
    with pytest.raises(il.SolveError, match="singular"):
        lu.factor(np.zeros((2, 2)))
    with pytest.raises(il.SolveError, match=r"Call factor"):
        lu.solve(np.ones(2))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: il.SparseLU(np.ones((2, 3))), "square"),
        (lambda: il.SparseLU([]), "empty"),
        (lambda: il.SparseLU("matrix"), "real numbers"),
        (lambda: il.SparseLU(np.eye(2) * 1j), "real"),
        (lambda: il.SparseLU(np.diag([1.0, np.nan])), "NaN"),
        (lambda: il.SparseLU(np.array([[1.0, 0.0], [1.0, 0.0]])), "whatever its values"),
        (lambda: il.SparseLU(np.ones((2, 2)), samples=np.ones((3, 4))), "samples are singular"),
        (lambda: il.SparseLU(np.eye(2), samples=np.ones((3, 5))), "one row of 2 values"),
        (lambda: il.SparseLU([np.eye(2), np.eye(3)]), "one size"),
        (lambda: il.SparseLU(np.eye(2), kind="fast"), "straight"),
        (lambda: il.SparseLU(np.eye(2), tolerance=0.0), "tolerance"),
        (lambda: il.SparseLU(np.eye(2), constant=[True]), "each of the 2 values"),
        (lambda: il.SparseLU(np.eye(2), constant=[1.0, 0.0]), "True or False"),
        (lambda: il.SparseLU([np.eye(2), 2.0 * np.eye(2)], constant=np.eye(2)), "differs"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").factor(np.ones((2, 2))), "row 1, column 0"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").factor(np.ones(3)), "has 2"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").factor(np.eye(3)), "shape"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").solve(np.ones(3)), "shape"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").factor(np.ones(2) * 1j), "values: .* real"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").solve(np.ones(2) * 1j), "b: .* real"),
        (lambda: il.SparseLU(np.eye(2), kind="tables").solve([1.0, [2.0]]), "b: .* real"),
        (lambda: il.SparseLU(np.eye(2), samples=np.ones((2, 2)) * 1j), "samples: .* real"),
        (lambda: il.SparseLU(np.eye(2), tolerance="small"), "tolerance='small'"),
        (lambda: il.SparseLU(scipy.sparse.csc_array((2, 2))), "no entries"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make: Callable[[], object], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        make()


def test_copies_and_pickles_solve_on_their_own(lu: il.SparseLU) -> None:
    A, b = random_matrix(40, 3), np.arange(1.0, 41.0)
    lu.factor(A)
    x = lu.solve(b)
    for other in (pickle.loads(pickle.dumps(lu)), copy.copy(lu)):
        with pytest.raises(il.SolveError, match="no factored matrix"):
            other.solve(b)
        other.factor(2.0 * A)
        lu.factor(A)
        np.testing.assert_array_equal(other.solve(b), x / 2.0)
        assert (other.kind, other.order) == (lu.kind, lu.order)


def test_threads_wait_for_each_other() -> None:
    A, b = scipy.sparse.csc_array(random_matrix(60, 5, 0.05)), np.ones(60)
    lu = il.SparseLU(A, kind="tables")

    def solve(factor: float) -> bool:
        return all(
            backward_error(factor * A, lu.solve_with(factor * A, b), b) <= TOLERANCE
            for _ in range(20)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(solve, (1.0, -2.0, 3.0, -4.0)))


def test_values_near_the_largest_number() -> None:
    A = 1.6e308 * np.diag([1.0, -1.0])
    x = il.SparseLU(A, kind="tables").solve_with(A, [0.8e308, 0.4e308])
    np.testing.assert_allclose(x, [0.5, -0.25], rtol=1e-15)


# MBDyn's own matrices


@pytest.fixture(scope="module")
def mbdyn(repository: Path, require_file: Callable[[str, str], None]) -> dict[str, np.ndarray]:
    path = repository.parent / "shared" / "data" / "mbdyn_jacobians.npz"
    require_file(str(path), "none: it lies beside the repository")
    with np.load(path) as data:
        return dict(data)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", ["robot", "robotf", "fourbar", "slider", "rotor"])
def test_jacobians_of_mbdyn(mbdyn: dict[str, np.ndarray], name: str) -> None:
    """Pivots of the first half of a trajectory hold in the other one."""
    indices, indptr, values = (mbdyn[f"{name}_{part}"] for part in ("indices", "indptr", "values"))
    sets = [scipy.sparse.csc_array((each, indices, indptr)) for each in values]
    half = len(sets) // 2
    lu = il.SparseLU(sets[:half], kind="tables" if name == "rotor" else "straight")
    assert lu.weakest_pivot >= 0.05
    b = np.random.default_rng(4).normal(size=lu.n)
    for A in sets[half:]:
        x = lu.solve_with(A, b)
        assert (lu.report.new_pivots, lu.report.refinements) == (False, 0)
        assert backward_error(A, x, b) <= TOLERANCE


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.long)])
def test_no_regular_matrix_is_refused_in_any_units(
    mbdyn: dict[str, np.ndarray], count: int
) -> None:
    """Rows and columns over twelve decades, values doubled or halved: all are solved."""
    indices, indptr, values = (mbdyn[f"robotf_{part}"] for part in ("indices", "indptr", "values"))
    n, random = len(indptr) - 1, np.random.default_rng(11)
    sets = [scipy.sparse.csc_array((each, indices, indptr)) for each in values[:16]]
    lu, column = il.SparseLU(sets, kind="tables"), np.repeat(np.arange(n), np.diff(indptr))
    for _ in range(count):
        row_unit, column_unit = 10.0 ** random.uniform(-6.0, 6.0, (2, n))
        some = values[random.integers(16, 32)] * 2.0 ** random.uniform(-1.0, 1.0, len(indices))
        b = random.normal(size=n) * row_unit
        A = scipy.sparse.csc_array(
            (some * row_unit[indices] * column_unit[column], indices, indptr)
        )
        x = lu.solve_with(A, b)
        assert lu.report.backward_error <= TOLERANCE
        assert backward_error(A, x, b, strict=True) <= TOLERANCE


def test_a_solution_that_is_not_found_is_no_singular_matrix(mbdyn: dict[str, np.ndarray]) -> None:
    """Each value by a factor of its own over twelve decades: determinants are products of them."""
    indices, indptr, values = (mbdyn[f"robot_{part}"] for part in ("indices", "indptr", "values"))
    sets = [scipy.sparse.csc_array((each, indices, indptr)) for each in values[:16]]
    lu, random, refused = il.SparseLU(sets, kind="tables"), np.random.default_rng(3), 0
    for _ in range(200):
        some = values[random.integers(16, 32)] * 10.0 ** random.uniform(-6.0, 6.0, len(indices))
        try:
            lu.solve_with(some, random.normal(size=lu.n))
        except il.SolveError:
            refused += 1
            assert (lu.report.status, lu.report.new_pivots) == ("INEXACT", True)
    assert 0 < refused < 30


# in C


MAIN = """
#include "il_sparse_lu.h"
#include <stdio.h>
const il_sparse_lu *sparse_lu(void);
static double bytes[100000];
int main(void)
{
    const double A[] = {4.0, 1.0, 1.0, 3.0}, b[] = {6.0, 7.0};
    double x[2];
    il_sparse_lu_memory memory;
    if ((size_t)il_sparse_lu_bytes(sparse_lu()) > sizeof bytes) return 1;
    il_sparse_lu_prepare(sparse_lu(), 1e-12, bytes, &memory);
    const int status = il_sparse_lu_solve_with(sparse_lu(), A, b, &memory, x);
    printf("%d %.12f %.12f\\n", status, x[0], x[1]);
    return 0;
}
"""


def test_in_a_program_of_its_own(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    lu = il.SparseLU(np.array([[4.0, 1.0], [1.0, 3.0]]), kind="straight")
    files = lu.export_c(tmp_path / "c")
    (tmp_path / "c" / "main.c").write_text(MAIN)
    sources = [str(file) for file in files if file.suffix == ".c"] + [
        str(tmp_path / "c" / "main.c")
    ]
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]
    program = str(tmp_path / "program")
    gcc = require_program("gcc")
    subprocess.run([gcc, *strict, *sources, "-o", program, "-lm"], check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert told == "0 1.000000000000 2.000000000000\n"
    # nothing is allocated, printed or asked of the system
    library = str(tmp_path / "library.so")
    subprocess.run([gcc, *strict, "-shared", "-fPIC", *sources[:-1], "-o", library], check=True)
    needed = {name for name in NativeLibrary(Path(library)).needed_symbols() if name[0] != "_"}
    assert needed <= {"memcpy", "memset", "memmove", "fabs"}
