"""Bodies and their joints, as methods of `Model`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inloop.geometry import Shape, Visual
from inloop.joints import JointSpec
from inloop.joints.kinds.fixed import fixed
from inloop.model.draft import BodyDraft, HasDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.intake import Intake, as_tuple
from inloop.model.joints import chain_suffixes, read_joint
from inloop.model.names import GROUND_NAME, quoted


def body(
    model: HasDraft,
    name: str,
    *,
    on: Handle | str,
    joint: JointSpec | Sequence[JointSpec],
    mass: Scalar = 0.0,
    com: Sequence[Scalar] = (0.0, 0.0, 0.0),
    inertia: Sequence[Any] = (0.0, 0.0, 0.0),
    doc: str = "",
    visuals: Sequence[Visual | Shape] = (),
) -> BodyHandle:
    """Attach a body to another one.

    The body frame is the frame after the joint; at q = 0 it coincides with the frame or point it is
    attached to. Every number may be an expression of parameters.

    Args:
        name: name of the body.
        on: the parent: a body, a point or a frame, or its name, which may be declared later.
        joint: revolute(...), prismatic(...), fixed(), ...; or several in series, such as
            universal(...), cylindrical(...) or planar(...), as for `chain`.
        mass: mass [kg].
        com: center of mass p_BC in body axes [m].
        inertia: about the center of mass, in body axes [kg·m²]: (ixx, iyy, izz),
            (ixx, iyy, izz, ixy, ixz, iyz) or a 3x3 matrix. Products are entries of the
            matrix: ixy = -∫ x y dm.
        doc: description.
        visuals: shapes to draw at the origin of the body, or visual(shape, at, color).
    """
    if isinstance(joint, list | tuple):
        return chain(
            model,
            name,
            on=on,
            joints=joint,
            mass=mass,
            com=com,
            inertia=inertia,
            doc=doc,
            visuals=visuals,
        )
    draft = model._draft
    read = draft.intake(f"body {quoted(name)}")
    name = read.name(name)
    written = BodyDraft(
        name=name,
        on=read_path(read, draft, on, "on") or GROUND_NAME,
        joint=read_joint(read, joint, name),
        # 1 kg stands in for a mass that cannot be read
        mass=read.scalar(mass, "mass", fallback=1.0),
        com=read.vector(com, "com"),
        inertia=read.inertia(inertia),
        visuals=_read_visuals(read, visuals),
        doc=doc,
        where=read.where,
    )
    draft.add_body(written)
    return BodyHandle(draft, name)


def chain(
    model: HasDraft,
    name: str,
    *,
    on: Handle | str,
    joints: Sequence[JointSpec],
    mass: Scalar = 0.0,
    com: Sequence[Scalar] = (0.0, 0.0, 0.0),
    inertia: Sequence[Any] = (0.0, 0.0, 0.0),
    doc: str = "",
    visuals: Sequence[Visual | Shape] = (),
) -> BodyHandle:
    """Attach a body to another one by several joints in series.

    Massless bodies carry all joints but the last: "base" with free() makes "base_tx", "base_ty",
    ... "base_ry" and "base", whose joint is "base_rz".

    Args:
        name: name of the last body.
        on: the parent of the first joint.
        joints: the joints, base to tip, such as free(), planar() or ball().
        mass: mass of the last body [kg].
        com: center of mass of the last body, in its axes [m].
        inertia: inertia of the last body about its center of mass [kg·m²], as in `body`.
        doc: description of the last body.
        visuals: shapes to draw for the last body, as in `body`.
    """
    if not joints or not all(isinstance(joint, JointSpec) for joint in joints):
        read = model._draft.intake(f"chain {quoted(name)}")
        read.complain("joints must be a list of joints", "Write [prismatic(...), ...].")
        joints = [fixed()]
    names = [
        joint.name or f"{name}_{suffix}"
        for joint, suffix in zip(joints, chain_suffixes(joints), strict=True)
    ]
    for step, joint in zip(names[:-1], joints, strict=False):
        on = body(model, step, on=on, joint=joint)
    return body(
        model,
        name,
        on=on,
        joint=replace(joints[-1], name=names[-1]),
        mass=mass,
        com=com,
        inertia=inertia,
        doc=doc,
        visuals=visuals,
    )


def _read_visuals(read: Intake, visuals: object) -> tuple[Visual, ...]:
    """Read the shapes to draw for a body."""
    items = as_tuple(visuals)
    placed = [Visual(item) if isinstance(item, Shape) else item for item in items or ()]
    found = tuple(item for item in placed if isinstance(item, Visual))
    if items is None or len(found) < len(items):
        read.complain(
            f"visuals must be a list of shapes, got {quoted(visuals)}",
            "Write a list such as [sphere(0.1), visual(box((0.1, 0.2, 0.3)), at=(0.1, 0, 0))].",
        )
    return found
