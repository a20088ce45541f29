"""Poses of MJCF elements: a position, and an orientation in one of five forms."""

from __future__ import annotations

import math

from inloop.io.mjcf.settings import Settings
from inloop.io.poses import from_quaternion
from inloop.io.values import Triple, numbers, vector_attribute
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.geometry import NO_ROTATION, Matrix3, cross, times_matrix, transpose
from inloop.model.rotations import about

SHORTEST = 1e-10  # minimum length of a direction vector
_AXES: dict[str, Triple] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def read_pose(element: Element, settings: Settings) -> Pose:
    """Return the pose of an element in the frame in which it is written."""
    p = vector_attribute(element, "pos", (0.0, 0.0, 0.0))
    return Pose(p, read_orientation(element, settings))


def read_orientation(element: Element, settings: Settings) -> Matrix3:
    """Return the rotation R of an element, in any of its forms."""
    unit = math.pi / 180.0 if settings.degrees else 1.0
    if "quat" in element.attributes:
        return from_quaternion(element, _values(element, "quat", 4))
    if "axisangle" in element.attributes:
        *axis, angle = _values(element, "axisangle", 4)
        return about(unit_vector(element, (axis[0], axis[1], axis[2])), angle * unit)
    if "xyaxes" in element.attributes:
        values = _values(element, "xyaxes", 6)
        return _from_axes(element, values[:3], values[3:])
    if "zaxis" in element.attributes:
        x, y, z = _values(element, "zaxis", 3)
        return along(unit_vector(element, (x, y, z)))
    if "euler" in element.attributes:
        return _from_euler(_values(element, "euler", 3), unit, settings.eulerseq)
    return NO_ROTATION


def along(direction: Triple) -> Matrix3:
    """Return the shortest rotation that turns z into a unit direction."""
    x, y, z = direction
    sine = math.hypot(x, y)
    if sine < SHORTEST:
        return NO_ROTATION if z > 0.0 else about(_AXES["x"], math.pi)
    return about((-y / sine, x / sine, 0.0), math.atan2(sine, z))


def unit_vector(element: Element, vector: Triple) -> Triple:
    """Return a direction, normalized."""
    length = math.hypot(*vector)
    if length < SHORTEST:
        element.fail(f"a direction of {element.label} has length zero", "Write a direction.")
    return vector[0] / length, vector[1] / length, vector[2] / length


def _values(element: Element, name: str, count: int) -> list[float]:
    text = element.attributes[name]
    return list(numbers(element, text, f"{name} of <{element.tag}>", count=count))


def _from_axes(element: Element, x_axis: list[float], y_axis: list[float]) -> Matrix3:
    x = unit_vector(element, (x_axis[0], x_axis[1], x_axis[2]))
    # the component of the y axis perpendicular to the x axis counts
    component = sum(a * b for a, b in zip(x, y_axis, strict=True))
    a, b, c = (value - component * part for value, part in zip(y_axis, x, strict=True))
    y = unit_vector(element, (a, b, c))
    return transpose((x, y, cross(x, y)))


def _from_euler(angles: list[float], unit: float, sequence: str) -> Matrix3:
    R = NO_ROTATION
    for angle, letter in zip(angles, sequence, strict=True):
        turn = about(_AXES[letter.lower()], angle * unit)
        # lower case: about rotating (intrinsic) axes; upper case: about fixed ones
        R = times_matrix(R, turn) if letter.islower() else times_matrix(turn, R)
    return R
