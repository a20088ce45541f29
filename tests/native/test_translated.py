"""C as Python: what a compiler makes of C text, the translation makes of it too."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inloop.errors import BuildError
from inloop.native import COUNT, POINTER, REAL, BuildOptions, NativeLibrary, build_library
from inloop.native.building.compiler import python_compiler
from inloop.native.runtime_library import runtime_headers, runtime_sources

STRICT = BuildOptions(extra_flags=("-O1", "-ffp-contract=off"))  # no fused operations

INTEGERS = """
#include <stdint.h>
#include <string.h>
int64_t quotients(int64_t a, int64_t b) { return 1000 * (a / b) + a % b; }
int64_t wraps(int64_t a, int64_t b)
{
    uint64_t u = (uint64_t)a - (uint64_t)b;
    uint32_t w = (uint32_t)u;
    return (int64_t)(u >> 60) + (int32_t)w + (int64_t)(w << 3) + (uint8_t)a;
}
int64_t shifts(int64_t a, int64_t b) { return (a >> 2) ^ (a & 255) << b | ~b; }
int64_t truths(int64_t a, int64_t b)
{
    int both = a && b, either = a || b;
    return both + 10 * either + 100 * !a + 1000 * (a < b) + 10000 * (a == b);
}
int64_t loops(int64_t a, int64_t b)
{
    int64_t sum = 0, k = 0;
    for (int64_t i = 0; i < a; i++) {
        if (i % 3 == b) continue;
        if (i > 20) break;
        for (int64_t j = i; j < a; j += 2) sum += i * j;
    }
    while (k < a) { k++; if (k % 2) continue; sum -= k; }
    do { sum++; } while (sum % 7);
    return sum;
}
int64_t switches(int64_t a, int64_t b)
{
    switch (a) {
    case 0:
    case 1: return b;
    case 2: b = 5; break;
    default: b = -b; break;
    }
    return b + 1;
}
"""
MEMORY = """
#include <stdint.h>
#include <string.h>
#include <math.h>
enum { ROWS = 3, LAST = ROWS - 1 };
typedef struct { int32_t kind; double at[ROWS]; struct inner { char c; int64_t n; } in; } thing;
typedef double (*of_thing)(thing t, double x);
static const double table[ROWS][2] = {{1.0, 2.0}, [LAST] = {5.0, 6.0}};
static int64_t called;
static thing made(int32_t kind, double x)
{
    thing t = {kind, {x, 2.0 * x}, .in = {'a', 1 << kind}};
    called++;
    return t;
}
static double total(thing t, double x)
{
    t.at[0] += x; /* its own copy */
    return t.at[0] + t.at[1] + t.at[2] + (double)t.in.n + t.in.c;
}
static void step(double **at, int64_t *count) { *(*at)++ = table[LAST][*count % 2]; (*count)--; }
double of_structs(double x, double y)
{
    thing a = made(3, x), b, *p = &b;
    of_thing const known[] = {NULL, total};
    b = a;
    p->at[LAST] = y;
    p->in = (struct inner){.n = 7};
    return known[1](made(2, y), total(b, x)) + total(a, y) + (double)called + (double)sizeof(thing);
}
double of_pointers(double x, double y)
{
    double row[4] = {x, y}, *at = row + 1;
    int64_t count = 2;
    while (count) step(&at, &count);
    return row[0] + 10.0 * row[1] + 100.0 * row[2] + 1000.0 * (double)(at - row) + at[-1];
}
double of_bits(double x, double y)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= UINT64_C(1) << 63;
    memcpy(&x, &bits, sizeof x);
    return x + y;
}
double of_limits(double x, double y)
{
    double q = x / y, r = sqrt(x), s = log(fabs(y)), t = pow(x, y), u = fmax(x, y);
    return (isfinite(q) ? q : 7.0) + (isnan(r) ? 8.0 : r) + (isfinite(s) ? s : 9.0)
         + (isfinite(t) ? t : 10.0) + u + floor(x) + copysign(3.0, y);
}
"""
MACROS = """
#define TWICE(x) ((x) + (x))
#define NAMED(name, value) static double of_##name(double x) { return TWICE(x) + value; }
#define one 1.0
#if defined(one) && !defined(other)
NAMED(first, one)
#else
double broken(
#endif
#ifndef one
#error "it is defined"
#elif 2 > 1
double all(double x, double y) { return of_first(x) * y; }
#endif
"""


def both(text: str) -> tuple[NativeLibrary, NativeLibrary]:
    """A library as machine code, and as Python."""
    exported = {"a.c": "#pragma GCC visibility push(default)\n" + text}
    compiled = build_library(exported, options=STRICT)
    translated = build_library({"a.c": text}, compiler=python_compiler())
    assert translated.suffix == ".py"
    return NativeLibrary(compiled), NativeLibrary(translated)


NUMBERS = (-(2**40), -37, -8, -7, -2, -1, 0, 1, 2, 3, 9, 30, 2**33 + 5)


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("quotients", NUMBERS, [b for b in NUMBERS if b]),
        ("wraps", NUMBERS, NUMBERS),
        ("shifts", NUMBERS, range(5)),
        ("truths", NUMBERS, NUMBERS),
        ("loops", range(0, 30, 7), range(-1, 3)),
        ("switches", range(-1, 5), NUMBERS),
    ],
)
def test_integers(name: str, left: Any, right: Any) -> None:
    compiled, translated = (
        library.function(name, COUNT, COUNT, returns=COUNT) for library in both(INTEGERS)
    )
    pairs = [(a, b) for a in left for b in right]
    results = [compiled(a, b) for a, b in pairs]
    assert [translated(a, b) for a, b in pairs] == results
    assert len(set(results)) > 3  # the cases tell something


VALUES = (-2.5, -1.0, -0.0, 0.0, 0.3, 1.0, 7.25, 1e300, math.inf, math.nan)


@pytest.mark.parametrize("name", ["of_structs", "of_pointers", "of_bits", "of_limits"])
def test_memory_and_floating_point(name: str) -> None:
    compiled, translated = (
        library.function(name, REAL, REAL, returns=REAL) for library in both(MEMORY)
    )
    for x in VALUES:
        for y in VALUES:
            expected = struct.pack("d", abs(compiled(x, y)))  # the sign of NaN is nobody's
            assert struct.pack("d", abs(translated(x, y))) == expected, (x, y)


def test_arrays_and_structures_are_passed_as_ctypes_passes_them() -> None:
    text = (
        "#include <stdint.h>\n"
        "typedef struct { int64_t n; double sum; } run;\n"
        "void add(run *r, const double *x) { for (int64_t k = 0; k < r->n; k++) r->sum += x[k]; }\n"
        "void *none(void) { return (void *)0; }\n"
    )

    class Run(ctypes.Structure):
        _fields_ = (("n", ctypes.c_int64), ("sum", ctypes.c_double))

    translated = both(text)[1]
    run, x = Run(3, 0.5), np.array([1.0, 2.0, 4.0, 8.0])
    call = translated.function("add", POINTER, POINTER, returns=None)
    assert call(ctypes.byref(run), x.ctypes.data) is None
    assert run.sum == 7.5
    assert translated.function("none", returns=POINTER)() is None
    assert "add" in translated and "missing" not in translated


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("int f(int a) { goto end; end: return a; }", "goto"),
        ("int f(int a) { switch (a) { case 1: a = 2; case 2: a = 3; } return a; }", "runs into"),
        ("#define IL_LANES 4\n#include <math.h>\n#include \"b.h\"\n", "macros of its own"),
        ("#include <pthread.h>\nint f(void) { return pthread_self(); }", "pthread_self"),
        ("int f(int a) { return a @ 2; }", "@"),
    ],
)  # fmt: skip
def test_other_c_is_refused_by_name(text: str, what: str) -> None:
    with pytest.raises(BuildError, match=what):
        build_library({"a.c": text}, {"b.h": "\n"}, compiler=python_compiler())


def test_macros() -> None:
    compiled, translated = (
        library.function("all", REAL, REAL, returns=REAL) for library in both(MACROS)
    )
    assert translated(3.0, 2.0) == compiled(3.0, 2.0) == 14.0


SCALARS = ("sin", "cos", "exp", "abs", "sign", "tanh")


def scalar_functions() -> str:
    one = [f"double o_{n}(double x, double y) {{ (void)y; return il_{n}(x); }}\n" for n in SCALARS]
    two = [f"double o_{n}(double x, double y) {{ return il_{n}(x, y); }}\n"
           for n in ("min", "max", "lt", "le", "atan2", "pow")]  # fmt: skip
    return '#include "il_scalar.h"\n' + "".join(one + two)


@pytest.mark.parametrize("name", [*SCALARS, "min", "max", "lt", "le", "atan2", "pow"])
def test_operations_of_generated_code_have_the_same_bits(name: str) -> None:
    text, headers = scalar_functions(), runtime_headers()
    visible = {"a.c": "#pragma GCC visibility push(default)\n" + text}
    libraries: list[Callable[..., Path]] = [
        lambda: build_library(visible, headers, options=STRICT),
        lambda: build_library({"a.c": text}, headers, compiler=python_compiler()),
    ]
    compiled, translated = (
        NativeLibrary(make()).function(f"o_{name}", REAL, REAL, returns=REAL) for make in libraries
    )
    for x in (*VALUES, 0.7, -3.1, 40.0, -800.0, 2e5, 1e-300):
        for y in (0.5, -2.0, math.nan):
            expected = struct.pack("d", abs(compiled(x, y)))
            assert struct.pack("d", abs(translated(x, y))) == expected, (x, y)


def test_sizes_of_structs_are_those_of_the_compiler() -> None:
    """Memory that Python lays out by the headers is the memory that translated code reads."""
    from inloop.native.mirror import mirror

    names = ("il_run", "il_machine", "il_tape", "il_event", "il_many")
    text = "".join(
        f'#include "{h}"\n' for h in ("il_run.h", "il_machine.h", "il_tape.h", "il_many.h")
    )
    text += "".join(f"int64_t s_{n}(void) {{ return (int64_t)sizeof({n}); }}\n" for n in names)
    library = NativeLibrary(
        build_library({"a.c": text}, runtime_headers(), compiler=python_compiler())
    )
    for name in names:
        size = library.function(f"s_{name}", returns=COUNT)()
        assert size == ctypes.sizeof(mirror(name)), name


@pytest.mark.long
def test_the_whole_runtime_is_translated() -> None:
    library = build_library(runtime_sources(), runtime_headers(), compiler=python_compiler())
    text = library.read_text()
    for name in ("il_run_fixed", "il_run_adaptive", "il_advance", "il_expand_rows", "il_run_many"):
        assert f"\ndef c_{name}(" in text
