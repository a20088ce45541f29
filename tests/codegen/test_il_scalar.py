"""The arithmetic of generated code against math and mpmath: values, accuracy, special numbers."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from inloop.native import (
    COUNT,
    POINTER,
    BuildOptions,
    NativeLibrary,
    address_of,
    aligned_zeros,
    build_library,
)
from inloop.native.runtime_library import runtime_headers

SCALAR_FLAGS = {
    "portable": BuildOptions(
        flags=("-std=c99", "-O2", "-fPIC", "-fvisibility=hidden"), strict=True
    ),
    "native": BuildOptions(strict=True),
    "lanes": BuildOptions(extra_flags=("-std=gnu99", "-DIL_LANES=4")),
}
UNARY = ("abs", "sign", "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "tanh")
BINARY = ("min", "max", "lt", "le", "atan2", "pow")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.3, -2.7, 1e-310, 1e300, -1e300, math.inf, -math.inf, math.nan]

HARNESS = """#include "il_export.h"
#include "il_scalar.h"
#ifdef IL_LANES
#define WIDTH IL_LANES
#else
#define WIDTH 1
#endif
/* n is a multiple of WIDTH */
IL_EXPORT void sincos_rows(int64_t n, const double *x, double *s, double *c)
{
    il_sincos((int)(n / WIDTH), (const real *)x, (real *)s, (real *)c);
}
IL_EXPORT void sincos_one_rows(int64_t n, const double *x, double *s, double *c)
{
    for (int64_t k = 0; k < n / WIDTH; k++)
        il_sincos_one(((const real *)x)[k], (real *)s + k, (real *)c + k);
}
#ifndef IL_LANES
IL_EXPORT void turned_rows(int64_t n, const double *x, const double *d, double *s, double *c)
{
    for (int64_t k = 0; k < n; k++) {
        il_sincos_one(x[k], s + k, c + k);
        il_turn(d[k], s + k, c + k);
    }
}
#endif
IL_EXPORT void where_rows(int64_t n, const double *a, const double *b, const double *c, double *y)
{
    for (int64_t k = 0; k < n / WIDTH; k++)
        ((real *)y)[k] = il_where(((const real *)a)[k], ((const real *)b)[k], ((const real *)c)[k]);
}
"""
ONE = """IL_EXPORT void {name}_rows(int64_t n, const double *x, double *y)
{{
    for (int64_t k = 0; k < n / WIDTH; k++) ((real *)y)[k] = il_{name}(((const real *)x)[k]);
}}
"""
TWO = """IL_EXPORT void {name}_rows(int64_t n, const double *a, const double *b, double *y)
{{
    for (int64_t k = 0; k < n / WIDTH; k++)
        ((real *)y)[k] = il_{name}(((const real *)a)[k], ((const real *)b)[k]);
}}
"""


class Harness:
    """Calls of il_scalar.h over arrays."""

    def __init__(self, options: BuildOptions) -> None:
        functions = [ONE.format(name=n) for n in UNARY] + [TWO.format(name=n) for n in BINARY]
        text = "\n".join([HARNESS, *functions])
        path = build_library({"harness.c": text}, runtime_headers(), options=options)
        self.library = NativeLibrary(path)

    def __call__(self, name: str, *inputs: np.ndarray, outputs: int = 1) -> list[np.ndarray]:
        count = len(inputs[0])
        padded = -(-count // 4) * 4
        arrays = [np.concatenate([x, np.full(padded - count, 0.5)]) for x in inputs]
        results = [np.full(padded, np.nan) for _ in range(outputs)]
        every = [aligned(x) for x in (*arrays, *results)]
        function = self.library.function(
            f"{name}_rows", COUNT, *[POINTER] * len(every), returns=None
        )
        function(padded, *(address_of(x) for x in every))
        return [x[:count] for x in every[len(inputs) :]]


def aligned(values: np.ndarray) -> np.ndarray:
    result = aligned_zeros(len(values))
    result[:] = values
    return result


@pytest.fixture(scope="module", params=SCALAR_FLAGS)
def harness(request: pytest.FixtureRequest) -> Harness:
    return Harness(SCALAR_FLAGS[request.param])


def sincos(harness: Harness, x: np.ndarray) -> list[np.ndarray]:
    return harness("sincos", x, outputs=2)


def errors_in_ulp(got: np.ndarray, exact: np.ndarray) -> float:
    """Largest error in units of the last place; exact values in extended precision."""
    return float(np.max(np.abs(got - exact) / np.spacing(np.abs(got))))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("limit", [math.pi / 4, 3.2, 100.0, 1e5])
def test_sines_are_right_to_two_units_of_the_last_place(harness: Harness, limit: float) -> None:
    x = np.random.default_rng(6).uniform(-limit, limit, 250_000)
    s, c = sincos(harness, x)
    wide = x.astype(np.longdouble)
    assert errors_in_ulp(s, np.sin(wide)) < 2.0
    assert errors_in_ulp(c, np.cos(wide)) < 2.0


@pytest.mark.thinned(2)
def test_sines_near_multiples_of_quarter_turns(harness: Harness) -> None:
    """Where sine or cosine vanishes the error is absolute: the last bits of π/2 are missing."""
    k = np.concatenate([np.arange(-40, 41), np.arange(-63_600, 63_600, 211)])
    x = np.concatenate([k * (math.pi / 2), np.nextafter(k * (math.pi / 2), 1e9)])
    s, c = sincos(harness, x)
    with mpmath.workprec(200):
        for angle, sine, cosine in zip(x.tolist(), s.tolist(), c.tolist(), strict=True):
            exact_sine, exact_cosine = mpmath.sin(angle), mpmath.cos(angle)
            assert abs(sine - exact_sine) < 1.2e-16 * abs(exact_sine) + 1e-21
            assert abs(cosine - exact_cosine) < 1.2e-16 * abs(exact_cosine) + 1e-21


def test_sines_of_zero_and_of_tiny_angles(harness: Harness) -> None:
    x = np.array([0.0, -0.0, 5e-324, -1e-310, 1e-160, -1e-30, 1e-9])
    s, c = sincos(harness, x)
    np.testing.assert_array_equal(s, np.sin(x))
    np.testing.assert_array_equal(c, np.cos(x))


@pytest.mark.parametrize("far", [1e5, -1e5, 1e9, 1e22, -1e300, math.inf, -math.inf, math.nan])
def test_far_angles_go_to_the_c_library(harness: Harness, far: float) -> None:
    """One far angle among near ones; all are right."""
    x = np.array([0.4, -1.2, far, 2.5, 99.0, -0.0, 7.0])
    s, c = sincos(harness, x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(s, np.sin(x), rtol=4e-16)
        np.testing.assert_allclose(c, np.cos(x), rtol=4e-16)


def test_sines_just_inside_the_limit(harness: Harness) -> None:
    x = np.array([np.nextafter(1e5, 0), -np.nextafter(1e5, 0), 99_999.5])
    s, c = sincos(harness, x)
    np.testing.assert_allclose(s, np.sin(x), rtol=5e-16)
    np.testing.assert_allclose(c, np.cos(x), rtol=5e-16)


def test_single_sines_are_those_of_many(harness: Harness) -> None:
    x = np.concatenate([np.random.default_rng(8).uniform(-50.0, 50.0, 1000), [2e5, np.inf, np.nan]])
    for one, many in zip(harness("sincos_one", x, outputs=2), sincos(harness, x), strict=True):
        np.testing.assert_allclose(one, many, rtol=4e-16, atol=1e-18)


@pytest.mark.parametrize("flags", ["portable", "native"])
def test_sines_after_a_small_turn(flags: str) -> None:
    rng = np.random.default_rng(9)
    x, d = rng.uniform(-9.0, 9.0, 2000), rng.uniform(-1e-3, 1e-3, 2000)
    s, c = Harness(SCALAR_FLAGS[flags])("turned", x, d, outputs=2)
    wide = x.astype(np.longdouble) + d.astype(np.longdouble)
    assert np.abs(s - np.sin(wide)).max() < 3e-16
    assert np.abs(c - np.cos(wide)).max() < 3e-16


def test_exponentials_are_right_to_one_unit_of_the_last_place(harness: Harness) -> None:
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.uniform(-708, 709, 250_000), rng.uniform(-1, 1, 50_000)])
    [y] = harness("exp", x)
    assert errors_in_ulp(y, np.exp(x.astype(np.longdouble))) < 1.0


def test_arctangents_are_right_to_two_units_of_the_last_place(harness: Harness) -> None:
    rng = np.random.default_rng(10)
    joints = np.tan(np.array([1.0, 3.0]) * math.pi / 8.0)  # where it changes its formula
    x = np.concatenate([rng.uniform(-4.0, 4.0, 100_000), 10.0 ** rng.uniform(-8, 8, 50_000),
                        -(10.0 ** rng.uniform(-300, 300, 1000)),
                        *(np.linspace(j - 1e-9, j + 1e-9, 501) for j in joints)])  # fmt: skip
    [y] = harness("atan", x)
    assert errors_in_ulp(y, np.arctan(x.astype(np.longdouble))) < 2.0
    [ends] = harness("atan", np.array([math.inf, -math.inf, 0.0, -0.0, math.nan]))
    assert ends[:4].tolist() == [0.5 * math.pi, -0.5 * math.pi, 0.0, 0.0]
    assert np.signbit(ends[3]) and not np.signbit(ends[2]) and np.isnan(ends[4])


def test_exponentials_at_the_ends(harness: Harness) -> None:
    """No numbers below the smallest normal one: they would be slow."""
    x = np.array([709.78, 709.79, 1e4, math.inf, -708.38, -708.4, -745.0, -1e4, -math.inf, -0.0])
    [y] = harness("exp", x)
    assert y[:4] == pytest.approx([math.exp(709.78), math.inf, math.inf, math.inf], rel=1e-15)
    assert y[4] == pytest.approx(math.exp(-708.38), rel=1e-15)
    np.testing.assert_array_equal(y[5:], [0.0, 0.0, 0.0, 0.0, 1.0])


NUMPY = {
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "abs": np.abs, "sign": np.sign,
    "min": np.minimum, "max": np.maximum, "lt": lambda a, b: 1.0 * (a < b),
    "le": lambda a, b: 1.0 * (a <= b), "atan2": np.arctan2, "pow": np.power,
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(harness: Harness, name: str) -> None:
    x = np.concatenate([SPECIAL, np.random.default_rng(7).uniform(-3, 3, 200)])
    [y] = harness(name, x)
    with np.errstate(all="ignore"):
        want = NUMPY.get(name, getattr(np, name, None))(x)
    np.testing.assert_allclose(y, want, rtol=1e-15)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_numbers(harness: Harness, name: str) -> None:
    """NaN is never lost in a minimum or maximum: a model that diverges is seen to do so."""
    a, b = (grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL))
    [y] = harness(name, a, b)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(y, NUMPY[name](a, b), rtol=1e-15)


def test_where(harness: Harness) -> None:
    condition = np.array([0.0, -0.0, 1.0, -0.5, math.nan, math.inf, 5e-324])
    a, b = np.arange(7) + 0.5, np.full(7, math.nan)
    [y] = harness("where", condition, a, b)
    np.testing.assert_array_equal(y, np.where(condition != 0, a, b))
