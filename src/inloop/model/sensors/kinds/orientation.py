"""The orientation of a frame, as a quaternion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.model.elements import Frame
from inloop.model.geometry import Matrix3, Scalar, times_matrix, transpose
from inloop.model.handles import Handle
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec
from inloop.symbolic import functions as sf


@dataclass(frozen=True)
class Orientation(SensorKind):
    """Tells how a frame is turned, as a unit quaternion with w >= 0."""

    name: ClassVar[str] = "orientation"
    roles: ClassVar[tuple[Role, ...]] = ("frame", "frame")

    def signals(self, at: Sequence[Frame]) -> dict[str, str]:
        """See `SensorKind`."""
        return dict.fromkeys("wxyz", "1")

    def read(self, seen: Seen, at: Sequence[Frame]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        R_WF, R_WA = seen.pose(at[0])[1], seen.pose(at[1])[1]
        return quaternion(times_matrix(transpose(R_WA), R_WF))


def orientation(at: Handle | str, relative_to: Handle | str = "ground") -> SensorSpec:
    """Measure how a frame is turned: "<name>.w", ".x", ".y", ".z", a unit quaternion.

    It turns components in the frame into those in `relative_to`; w is never negative, so that it
    jumps to its negative, which is the same orientation, where a turn passes 180°.

    Args:
        at: a frame or a body.
        relative_to: frame in whose axes; the world if not given.
    """
    return SensorSpec(Orientation(), (at, relative_to))


def quaternion(R: Matrix3) -> tuple[Scalar, ...]:
    """Unit quaternion (w, x, y, z) of a rotation, w >= 0.

    From the largest of the four components the others follow without loss of digits.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    # four times the square of each component
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    # rows of 4 (w, x, y, z) times w, x, y and z
    w_x, w_y, w_z = zy - yz, xz - zx, yx - xy
    x_y, x_z, y_z = xy + yx, xz + zx, yz + zy
    products = (
        (squares[0], w_x, w_y, w_z),
        (w_x, squares[1], x_y, x_z),
        (w_y, x_y, squares[2], y_z),
        (w_z, x_z, y_z, squares[3]),
    )
    row: tuple[Scalar, ...] = products[0]
    largest, size = squares[0], squares[0]
    for square, other in zip(squares[1:], products[1:], strict=True):
        row = tuple(
            sf.where(square > largest, new, old) for new, old in zip(other, row, strict=True)
        )
        size = sf.where(square > largest, square, size)
        largest = sf.maximum(square, largest)
    turned = sf.where(row[0] < 0.0, -1.0, 1.0)
    factor = turned * 0.5 / sf.sqrt(size)
    return tuple(factor * entry for entry in row)
