"""Small C programs for the tests of the build, and systems for those of the steppers."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hand_written import Mode, System, Transition

from inloop.native import (
    POINTER,
    REAL,
    BuildOptions,
    NativeLibrary,
    address_of,
    build_library,
    load_runtime,
    runtime_headers,
)
from inloop.native.library import Reals

SUM_HEADER = """#define EXPORT __attribute__((visibility("default")))
double weigh(double x);
EXPORT int weighted_sum(const double *x, const double *y, double *result);
"""
SUM_SOURCE = """#include "sum.h"
/* {note} */
int weighted_sum(const double *x, const double *y, double *result)
{{
    result[0] = weigh(x[0]) + y[1];
    return 7;
}}
"""
WEIGH_SOURCE = """#include <math.h>
#include "sum.h"
double weigh(double x) { return 2.5 * sin(x); }
"""

Program = tuple[dict[str, str], dict[str, str]]


@pytest.fixture
def program() -> Callable[[str], Program]:
    """`sources, headers = program(note)`: two C files and a header, different for each note."""

    def write(note: str) -> Program:
        sources = {"sum.c": SUM_SOURCE.format(note=note), "weigh.c": WEIGH_SOURCE}
        return sources, {"sum.h": SUM_HEADER}

    return write


class Problems:
    """Those of problems.c and machines.c, built under the strictest flags."""

    def __init__(self) -> None:
        folder = Path(__file__).parent
        own = {name: (folder / name).read_text() for name in ("problems.c", "machines.c")}
        linked = BuildOptions(strict=True, linked=(load_runtime().path,))
        path = build_library(own, runtime_headers(), options=linked)
        self.library = NativeLibrary(path)

    def system(
        self, name: str, n: int = 0, m: int = 0, context: Reals | None = None, **more: Any
    ) -> System:
        """A system by the name of its rates; other functions by theirs."""
        more = {k: self.library.address(v) if isinstance(v, str) else v for k, v in more.items()}
        address = 0 if context is None else address_of(context)
        return System(self.library.address(name), n, m, address, keep=(self, context), **more)

    def coupled(self, context: Reals | None = None, **more: Any) -> System:
        return self.system("coupled", 2, 1, context, **more)

    def warm(self, context: Reals) -> System:
        """Rates that keep a warm start; context = (it, its copy, limit of |q|, saves, restores)."""
        memory = {"save": "warm_save", "restore": "warm_restore"}
        return self.system("warm_rates", 1, context=context, **memory)

    def mode(
        self,
        system: System,
        indicators: str,
        tolerances: tuple[float, ...],
        *transitions: Transition,
        context: Reals | None = None,
    ) -> Mode:
        """A mode by the name of its indicators."""
        address = 0 if context is None else address_of(context)
        function = self.library.address(indicators)
        count = len(tolerances)
        return Mode(system, function, address, count, tolerances, transitions, (self, context))

    def coupled_at(self, t: float) -> Reals:
        """The exact solution of `coupled` at time t [s]."""
        x = np.empty(5)
        self.library.function("coupled_solution", REAL, POINTER, returns=None)(t, address_of(x))
        return x

    def rates(self, system: System) -> Callable[[float, Reals], Reals]:
        """The rates as a Python function."""
        function = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, REAL, POINTER, POINTER)(system.rates)

        def call(t: float, x: Reals) -> Reals:
            state, xd = np.ascontiguousarray(x), np.empty(len(x))
            assert function(system.context, t, address_of(state), address_of(xd)) == 0
            return xd

        return call


@pytest.fixture(scope="session")
def problems() -> Problems:
    return Problems()
