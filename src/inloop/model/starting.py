"""Initial positions set after the bodies are declared, for models read from files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from inloop.errors import InputError
from inloop.joints.kinds.ball import Ball, ball
from inloop.model.draft import BodyDraft, Draft, HasDraft
from inloop.model.names import quoted, suggestion

# mobility of the root link of a robot: fixed, free with a quaternion, or free with angles
Base = Literal["fixed", "free", "angles"]


def start_at(model: HasDraft, q: Mapping[str, float | Sequence[float]]) -> None:
    """Replace the declared initial positions of joints.

    Args:
        model: the model, with all of its bodies.
        q: a number for each coordinate [rad or m]; for a body on a ball joint, by its name, a
            quaternion (w, x, y, z) of any length. Joints in loops keep these values, and declared
            positions of other joints yield to them.

    Raises:
        InputError: a joint is unknown, or a value is invalid or outside its limits. Nothing is
            changed then.
    """
    draft = model._draft
    if not isinstance(q, Mapping):
        raise InputError(f"q is {quoted(q)}", fix='Write q={"elbow": 0.3}.')
    turning = _turning(draft)
    moving = {
        body.joint.name: body
        for body in draft.bodies
        if body.joint.kind.moves and not isinstance(body.joint.kind, Ball)
    }
    changes = []
    for name, value in q.items():
        if name in moving:
            body = moving[name]
            initial = (_position(body, value), body.joint.initial[1])
            declared = (True, body.joint.declared[1])
            changes.append((body, replace(body.joint, initial=initial, declared=declared)))
        elif name in turning:
            specs = ball(initial=_quaternion(name, value))
            for body, spec in zip(turning[name], specs, strict=True):
                declared = (True, body.joint.declared[1])
                changes.append((body, replace(body.joint, kind=spec.kind, declared=declared)))
        else:
            raise InputError(
                f"q: model {quoted(draft.name)} has no coordinate {quoted(name)}",
                fix=suggestion(str(name), [*moving, *turning]),
            )
    for body, joint in changes:
        draft.change_joint(body, joint)
        draft.started.append(joint.name)


def _turning(draft: Draft) -> dict[str, list[BodyDraft]]:
    """The three parts of each ball joint, by the name of the body it carries."""
    parts = [body for body in draft.bodies if isinstance(body.joint.kind, Ball)]
    return {parts[k + 2].name: parts[k : k + 3] for k in range(0, len(parts), 3)}


def _position(body: BodyDraft, value: object) -> float:
    joint = body.joint
    try:
        q = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        q = math.nan
    if not math.isfinite(q):
        raise InputError(f"q: {quoted(joint.name)} is {quoted(value)}", fix="Give one number.")
    if joint.limits is not None and not joint.limits[0] <= q <= joint.limits[1]:
        low, high = joint.limits
        raise InputError(
            f"q: {quoted(joint.name)} = {q:g} is outside its limits ({low:g}, {high:g})",
            where=joint.where,
            fix="Start inside the limits.",
        )
    return q


def _quaternion(name: str, value: object) -> tuple[float, float, float, float]:
    try:
        w, x, y, z = (float(part) for part in value)  # type: ignore[attr-defined]
        length = math.hypot(w, x, y, z)
    except (TypeError, ValueError, OverflowError):
        length = math.nan
    if not 0.0 < length < math.inf:
        raise InputError(
            f"q: {quoted(name)} is {quoted(value)}, no quaternion",
            fix="Give four numbers (w, x, y, z), such as 1, 0, 0, 0.",
        )
    return w, x, y, z
