"""Numbers and vectors from the text of a file; non-finite or absurdly large ones are rejected."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inloop.io.xml import Element
from inloop.model.geometry import Matrix3, Pose, times_matrix
from inloop.model.names import quoted
from inloop.model.rotations import about

# larger numbers do not occur in SI and would overflow in products
LARGEST_NUMBER = 1e12
# per file; far more than equations can be derived for
MOST_BODIES = 2_000
# files round π/2 to 12 digits or more
ANGLE_ROUNDING = 1e-11  # rad

Triple = tuple[float, float, float]


def number(element: Element, text: str, quantity: str) -> float:
    """Return a finite number of plausible magnitude."""
    value = limit(element, text, quantity)
    if abs(value) > LARGEST_NUMBER:
        element.fail(
            f"{quantity} = {value:g} is outside any realistic range",
            f"Use SI units; numbers are at most {LARGEST_NUMBER:g}.",
        )
    return value


def limit(element: Element, text: str, quantity: str) -> float:
    """Return a number of any magnitude, possibly infinite."""
    try:
        # Python reads 1_000, other programs do not
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if math.isnan(value):
        element.fail(f"{quantity} is {quoted(text)}, which is not a number", "Write a number.")
    return value


def number_attribute(element: Element, name: str, default: float | None = None) -> float:
    """Return an attribute as a number; it is required unless a default is given."""
    if default is not None and name not in element.attributes:
        return default
    return number(element, element.attribute(name), f"{name} of <{element.tag}>")


def vector_attribute(element: Element | None, name: str, default: Triple) -> Triple:
    """Return an attribute of three numbers, or a default."""
    if element is None or name not in element.attributes:
        return default
    x, y, z = numbers(element, element.attributes[name], f"{name} of <{element.tag}>", count=3)
    return x, y, z


def numbers(element: Element, text: str, quantity: str, count: int) -> Sequence[float]:
    """Return the given number of values, separated by whitespace."""
    words = text.split()
    if len(words) != count:
        element.fail(
            f"{quantity} has {len(words)} numbers, not {count}: {quoted(text)}",
            f"Write {count} numbers separated by blanks.",
        )
    return [number(element, word, quantity) for word in words]


def pose(origin: Element | None) -> Pose:
    """Return the pose of <origin xyz rpy>; missing values are zero."""
    p = vector_attribute(origin, "xyz", (0.0, 0.0, 0.0))
    return Pose(p, rotation(vector_attribute(origin, "rpy", (0.0, 0.0, 0.0))))


def rotation(angles: Triple) -> Matrix3:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll) for the angles roll, pitch, yaw [rad].

    An angle within ANGLE_ROUNDING of a multiple of π/2 is replaced by that multiple, so that
    files with 1.57079632679 yield exact zeros and ones.
    """
    roll, pitch, yaw = (_unrounded(angle) for angle in angles)
    Rzy = times_matrix(about((0.0, 0.0, 1.0), yaw), about((0.0, 1.0, 0.0), pitch))
    return times_matrix(Rzy, about((1.0, 0.0, 0.0), roll))


def _unrounded(angle: float) -> float:
    right_angle = math.pi / 2.0
    multiple = round(angle / right_angle)
    # beyond one turn the angle itself is too coarse
    if abs(multiple) <= 4 and abs(angle - multiple * right_angle) < ANGLE_ROUNDING:
        return multiple * right_angle
    return angle
