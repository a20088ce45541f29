"""What all generated C of a closed mechanism shares: sizes, tables, its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ClosedUnit:
    """What the generated C needs to know of a partition.

    Attributes:
        n: number of coordinates.
        independent, dependent, driven: their indices.
        states: number of internal states of force laws.
        drive_inputs: names of the input blocks of the function of the drives.
        lengths: some dependent coordinate is a length, and counts in parts of the mechanism's size.
    """

    n: int
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    driven: tuple[int, ...]
    states: int = 0
    drive_inputs: tuple[str, ...] = ("pre", "t")
    lengths: bool = False


def indices(unit: ClosedUnit, *names: str) -> str:
    """Tables of coordinates: independent, dependent, driven."""
    return "\n".join([*(_table(name, getattr(unit, name)) for name in names), ""])


def _table(name: str, values: Sequence[int]) -> str:
    listed = ", ".join(map(str, values)) or "0"
    return f"static const int {name}[] = {{{listed}}};"


def context(unit: ClosedUnit) -> str:
    """The structure that all functions get; mirrored in simulate/systems.py."""
    blocks = ", ".join(f"const double *{name}" for name in unit.drive_inputs)
    return f"""/* prescribed motion of the driven joints at time t */
typedef void (*drive_function)({blocks}, double *q, double *qd, double *qdd);

struct context {{
    const double *pre, *tau, *u;
    drive_function drives; /* NULL: driven joints are where the next three say */
    const double *drive_pre;
    const double *q, *qd, *qdd;
    const double *guard;   /* times reciprocal pivots: beyond 0 to 1 the partition is bad */
    const double *per_unit; /* of each dependent coordinate: 1/rad, or one over a length [1/m] */
    double tolerance;      /* corrections below this, in units, end Newton's method */
    double farthest;       /* longer corrections, in units, lead to another branch */
    double pull;           /* how fast estimates of dependent coordinates come to closure [1/s] */
    int64_t most_iterations;
    int64_t bad_row;       /* out: the row that could not be closed */
    il_inputs *inputs;     /* NULL: inputs stay the same */
    int64_t bad_drive;     /* the last one that was not finite, and when; else -1 */
    double bad_t;
    /* for implicit steps: functions of the rates, what they settle, prepared quantities, factors */
    int (*settle)(void *context, double t, const double *x);
    int (*rates)(void *context, double t, const double *x, double *xd);
    double *at_q, *at_qd, *at_qdd;
    const double *implicit_pre;
    double *kept;
    const double *jacobian_pre;
}};
"""
