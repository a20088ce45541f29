"""Read joints, and build the short chains that represent larger ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inloop.errors import ModelError
from inloop.joints import KINDS, Axis, JointKind, JointSpec, Pair, Traced
from inloop.joints.kinds.ball import ball
from inloop.joints.kinds.prismatic import prismatic
from inloop.joints.kinds.revolute import revolute
from inloop.model.elements import Joint
from inloop.model.intake import Intake, as_tuple, is_number
from inloop.model.laws.tracing import trace
from inloop.model.names import quoted
from inloop.model.rotations import read_axis
from inloop.model.source import caller_line


def free(
    *,
    position: Sequence[float] | None = None,
    velocity: Sequence[float] | None = None,
    attitude: tuple[float, float, float, float] | None = None,
    rate: tuple[float, float, float] | None = None,
    angles: bool = False,
) -> list[JointSpec]:
    """Let a body move in all directions: translation along x, y, z, then a ball joint.

    Args:
        position: initial position, in the frame that the body is attached to [m].
        velocity: initial velocity, in the axes of that frame [m/s].
        attitude: initial unit quaternion (w, x, y, z); see `ball`.
        rate: initial angular velocity, in body axes [rad/s].
        angles: use three revolute joints in series instead of the ball joint; see `ball`.
    """
    at, speed = (_three(position, "position"), _three(velocity, "velocity"))
    slides = [
        prismatic(axis, initial=None if (x, v) == (None, None) else (x, v))
        for axis, x, v in zip("xyz", at, speed, strict=True)
    ]
    return [*slides, *ball(initial=attitude, rate=rate, angles=angles)]


def _three(given: Sequence[float] | None, what: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] | None = (None, None, None) if given is None else as_tuple(given)
    if found is None or len(found) != 3:
        raise ModelError(
            f"free joint: {what} is {quoted(given)}",
            where=caller_line(),
            fix="Write three numbers, along x, y and z.",
        )
    return found


def planar(plane: str = "xy") -> list[JointSpec]:
    """Three joints for `chain`: two translations in a plane, then the rotation about its normal."""
    normal = {"x", "y", "z"} - set(plane)
    if len(plane) != 2 or len(normal) != 1:
        raise ModelError(
            f"planar joint: unknown plane {quoted(plane)}",
            where=caller_line(),
            fix='Write two different axes, such as "xy" or "xz".',
        )
    return [prismatic(plane[0]), prismatic(plane[1]), revolute(normal.pop())]


def universal(first: Axis = "x", second: Axis = "y") -> list[JointSpec]:
    """Two joints for `chain`: rotations about the two axes of a cross."""
    return [revolute(first), revolute(second)]


def cylindrical(axis: Axis = "z") -> list[JointSpec]:
    """Two joints for `chain`: translation along an axis, then rotation about it."""
    return [prismatic(axis), revolute(axis)]


def chain_suffixes(specs: Sequence[JointSpec]) -> list[str]:
    """Return one suffix per joint of a chain: "tx", "rz", "rz2", or "r3" for a general axis."""
    suffixes: list[str] = []
    for number, spec in enumerate(specs, start=1):
        letter = str(spec.axis).lstrip("+-")
        stem = spec.kind.letter + (letter if letter in ("x", "y", "z") else "")
        suffix = stem if len(stem) == 2 and stem not in suffixes else f"{stem}{number}"
        suffixes.append(suffix)
    return suffixes


def read_joint(read: Intake, spec: object, body_name: str) -> Joint:
    """Read a joint as written under a body."""
    if not isinstance(spec, JointSpec):
        read.complain(
            f"joint must be a joint such as revolute(...) or fixed(), got {quoted(spec)}",
            f"Joints are: {', '.join(sorted(KINDS))}. For several degrees of freedom use "
            "chain(...).",
        )
        spec = revolute("z")
    limits = None if spec.limits is None else _read_limits(read, spec.limits)
    initial, declared = _read_initial(read, spec)
    given = declared[0] or spec.guess is not None
    if given and limits and not limits[0] <= initial[0] <= limits[1]:
        read.complain(
            f"initial q = {initial[0]:g} is outside the limits ({limits[0]:g}, {limits[1]:g})",
            "Start inside the limits.",
        )
    name = body_name if spec.name is None else read.name(spec.name)
    return Joint(
        name=name,
        kind=_read_kind(read, spec.kind, name),
        axis=read_axis(read, spec.axis),
        limits=limits,
        initial=initial,
        armature=read.scalar(spec.armature, "armature"),
        where=read.where,
        declared=declared,
        effort=spec.effort,
    )


def _read_kind(read: Intake, kind: JointKind, joint: str) -> JointKind:
    """The kind of joint with its numbers read, such as a screw pitch, and its functions traced."""
    values: dict[str, object] = {
        name: read.scalar(value, name) for name, (value, _) in kind.numbers().items()
    }
    for name, (function, components) in kind.functions().items():
        q = read.graph.symbol(f"{joint}.{name}.q")
        values[name] = Traced(q, trace(read, function, {"q": q}, components))
    return kind.with_values(values)


def _read_initial(read: Intake, spec: JointSpec) -> tuple[Pair, tuple[bool, bool]]:
    """Return the initial q and qd, and which of them are declared."""
    both: tuple[object, ...] | None = (None, None)
    if spec.initial is not None:
        both = (spec.initial, None) if is_number(spec.initial) else as_tuple(spec.initial)
    if both is None or len(both) != 2:
        read.complain(
            f"initial needs q and qd, or q alone, got {quoted(spec.initial)}",
            "Write initial=(0.3, 0.0), or initial=0.3.",
        )
        both = (None, None)
    declared = both[0] is not None, both[1] is not None
    if declared[0] and spec.guess is not None:
        read.complain(
            "initial and guess both give q",
            "Write initial= for a q that must hold, guess= for a first estimate.",
        )
    q = spec.guess if both[0] is None else both[0]
    numbers = [0.0 if x is None else read.number(x, "initial") for x in (q, both[1])]
    return (numbers[0], numbers[1]), declared


def _read_limits(read: Intake, value: object) -> Pair:
    low, high = read.pair(value, "limits", infinite=True)
    if low > high:
        read.complain(f"limits ({low:g}, {high:g}) are reversed", "Write (lowest, highest).")
    return low, high
