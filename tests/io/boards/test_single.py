"""C text in single precision, and its own sine, cosine and exponential."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.io.boards.single import in_single_precision
from inloop.io.boards.sources import board_file
from inloop.native import runtime_headers


def test_types_literals_and_functions() -> None:
    text = """#include <math.h>
/* double 1.5 stays */
const char *s = "double 2.5";
double f(double x) { return 1.0 / 3 + .5 * x + 1e-3 * sqrt(x) + DBL_EPSILON + 0x7ff + 10; }
"""
    assert (
        in_single_precision(text)
        == """#include "il_math_single.h"
/* double 1.5 stays */
const char *s = "double 2.5";
float f(float x) { return 1.0f / 3 + 0.5f * x + 0.001f * sqrt(x) + FLT_EPSILON + 0x7ff + 10; }
"""
    )


def test_literals_are_the_nearest_floats() -> None:
    numbers = [0.1, 1 / 3, 2**24 + 1.0, 1e-38, 123456789.0]
    text = in_single_precision(", ".join(map(repr, numbers)))
    found = [np.float32(word.strip(" f")) for word in text.split(",")]
    assert found == [np.float32(number) for number in numbers]
    assert all(word.endswith("f") for word in text.split(","))


def test_numbers_too_large_are_refused() -> None:
    with pytest.raises(il.InputError, match="single precision"):
        in_single_precision("double x = 1e39;")


def test_functions_within_an_ulp(tmp_path: Path, require_program: Callable[[str], str]) -> None:
    """Against NumPy in double precision, over the range that they are made for."""
    for name, header in runtime_headers().items():
        (tmp_path / name).write_text(in_single_precision(header))
    (tmp_path / "il_math_single.h").write_text(board_file("il_math_single.h"))
    (tmp_path / "f.c").write_text("""#define IL_SINGLE
#include "il_scalar.h"
void all(int n, const float *x, float *s, float *c, float *e)
{
    for (int k = 0; k < n; k++) {
        il_sincos_one(x[k], &s[k], &c[k]);
        e[k] = il_exp(x[k]);
    }
}
""")
    words = ["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    cc = require_program("cc")
    subprocess.run([cc, *words, "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "f.so"))
    x = np.concatenate([
        np.linspace(-7.0, 7.0, 20011), np.linspace(-7990.0, 8500.0, 20011),
        np.linspace(-90.0, 89.5, 20011), [0.0, np.inf, np.nan],
    ]).astype(np.float32)  # fmt: skip
    s, c, e = (np.zeros_like(x) for _ in range(3))
    library.all(len(x), *(ctypes.c_void_p(a.ctypes.data) for a in (x, s, c, e)))
    exact = np.where(np.isfinite(x), x, 1e9).astype(float)
    near = np.abs(exact) < 8500.0
    # half an ulp of 1 is 6e-8; the angle itself is known to half an ulp of the float it is
    assert np.max(np.abs(s - np.sin(exact))[near]) < 1.2e-7
    assert np.max(np.abs(c - np.cos(exact))[near]) < 1.2e-7
    assert np.isnan(s[-1]) and np.isnan(c[-1]) and np.isnan(e[-1])
    normal = (exact > -87.3) & (exact < 88.7)
    assert np.max(np.abs(e[normal] / np.exp(exact[normal]) - 1.0)) < 2e-7
    assert np.all(e[exact < -87.4] == 0.0) and np.isinf(e[-2]) and np.isinf(e[x > 89.0]).all()
