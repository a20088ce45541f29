"""Conversion of C sources from double to single precision.

One rule for all sources, hand-written and generated, instead of a second set of equations:
`double` becomes `float`, each literal gets the suffix f, and the functions of `math.h` are those
for floats (`il_math_single.h`). What no such rule can cover (bits of a number, tolerances) is
selected by IL_SINGLE in `il_precision.h`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from inloop.codegen.c_plant import EventRow, PlantTable
from inloop.errors import InputError

# comments and strings are kept; otherwise names and numbers matter
_TOKEN = re.compile(
    r"""(?P<kept>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\#include[^\n]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)""",
    re.VERBOSE | re.DOTALL,
)
_DECIMAL = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")
_NAMES = {
    "double": "float",
    "DBL_EPSILON": "FLT_EPSILON",
    "DBL_MAX": "FLT_MAX",
    "DBL_MIN": "FLT_MIN",
    "HUGE_VAL": "HUGE_VALF",
}
MATH_HEADER = "il_math_single.h"
_MATH = re.compile(r"^#include <math\.h>$", re.MULTILINE)


def in_single_precision(text: str) -> str:
    """The text with `float` for `double`.

    Raises:
        InputError: a number in the text is too large for a float.
    """
    return _MATH.sub(f'#include "{MATH_HEADER}"', _TOKEN.sub(_written, text))


def _written(token: re.Match[str]) -> str:
    if token["name"]:
        return _NAMES.get(token["name"], token["name"])
    if token["number"] and _DECIMAL.fullmatch(token["number"]):
        return f"{_shortened(token['number'])}f"
    return token[0]


def _shortened(number: str) -> str:
    """A literal with enough digits to identify its float uniquely."""
    with np.errstate(over="ignore", under="ignore"):
        nearest = np.float32(float(number))
    if np.isinf(nearest):
        what = f"{number} is too large for single precision"
        raise InputError(what, fix="Export this plant in double precision.")
    return repr(float(str(nearest)))


def loosened(table: PlantTable) -> PlantTable:
    """The table with zero tolerances of event indicators adapted to floats."""
    modes = tuple(
        replace(mode, events=tuple(replace(e, tolerance=_tolerance(e)) for e in mode.events))
        for mode in table.modes
    )
    return replace(table, modes=modes)


def _tolerance(event: EventRow) -> float:
    return max(1e4 * event.tolerance, 1e-8)
