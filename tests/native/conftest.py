"""Small C programs for the tests of the build."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
