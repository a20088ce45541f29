"""Unit quaternions of ball joints in generated C: at the end of q, and of the state x.

See `native/runtime/il_attitude.h`. `turned` holds, for each quaternion, the index of the first of
the three coordinates whose velocities turn it.
"""

from __future__ import annotations

from collections.abc import Sequence

COMPONENTS = 4


def numbers(turned: Sequence[int]) -> int:
    """Number of their entries in q and x."""
    return COMPONENTS * len(turned)


def headers(turned: Sequence[int]) -> list[str]:
    """Headers to include in a file that uses the functions below."""
    return ['#include "il_attitude.h"'] if turned else []


def table(turned: Sequence[int]) -> str:
    """The coordinates as an unnamed constant array."""
    return f"(const int64_t[]){{{', '.join(map(str, turned))}}}" if turned else "NULL"


def whole_position(turned: Sequence[int], n: int, behind: int) -> list[str]:
    """Statements that assemble the position of a tree in `q` from the state x.

    Args:
        turned: see above.
        n: number of coordinates.
        behind: index of the quaternions in x.
    """
    if not turned:
        return []
    count = numbers(turned)
    return [
        f"    double q[{n + count}];",
        f"    memcpy(q, x, {n} * sizeof *q);",
        f"    memcpy(q + {n}, x + {behind}, {count} * sizeof *q);",
    ]


def rates(turned: Sequence[int], p: str, qd: str, to: str) -> list[str]:
    """The statement that computes the rates of quaternions p at velocities qd."""
    if not turned:
        return []
    return [f"    il_attitude_rates({len(turned)}, {table(turned)}, {p}, {qd}, {to});"]
