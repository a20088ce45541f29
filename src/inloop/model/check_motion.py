"""Checks after merging: can every joint be accelerated, does every link join two bodies?"""

from __future__ import annotations

import numpy as np

from inloop.model.elements import Body
from inloop.model.findings import Findings
from inloop.model.geometry import entries
from inloop.model.mechanism import Mechanism
from inloop.model.names import quoted
from inloop.model.parameters import Defaults

TOLERANCE = 1e-12  # of the inertia about the origin


def check_links(mechanism: Mechanism, findings: Findings) -> None:
    """Report links whose two points never move against each other."""
    for link in mechanism.links:
        if link.a.body == link.b.body:
            findings.mistake(
                f"link {quoted(link.name)}: {quoted(link.a.path)} and {quoted(link.b.path)} are "
                "on the same rigid body",
                link.where,
                "Join points of two bodies that move against each other.",
            )


def check_drives(mechanism: Mechanism, strict: bool, findings: Findings) -> None:
    """Report joints that move nothing with inertia: the mass matrix would be singular."""
    defaults = Defaults(mechanism.parameters)
    heavy: set[int] = set()  # bodies with mass or inertia, or that carry some
    light: set[int] = set()  # bodies whose joint feels none, and what they hang on
    reported: list[Body] = []
    for body in reversed(mechanism.bodies):
        carries_heavy = body.index in heavy
        if carries_heavy or _has_inertia(body, defaults):
            heavy.add(body.parent)
        if not carries_heavy and _is_light(body, defaults):
            # only the outermost body is reported: inertia there helps all below it
            if body.index not in light:
                reported.append(body)
            light.add(body.parent)
    for body in reversed(reported):
        findings.doubt(
            strict,
            f"body {quoted(body.name)}: its {body.joint.kind} joint {quoted(body.joint.name)} "
            "moves nothing that has inertia, so the mass matrix is singular",
            body.where,
            "Give the body mass and inertia, or give the joint an armature.",
        )


def _has_inertia(body: Body, defaults: Defaults) -> bool:
    values = defaults.of((body.mass, *entries(body.inertia)))
    return values is None or any(values)


def _is_light(body: Body, defaults: Defaults) -> bool:
    """Tell whether the joint of a body feels no inertia of the body itself."""
    scalars = (body.mass, body.joint.armature, *body.com, *entries(body.inertia))
    values = np.array(defaults.of(scalars) or np.nan)
    # what cannot be evaluated has been reported already
    if not np.all(np.isfinite(values)):
        return False
    mass, armature, com, inertia = values[0], values[1], values[2:5], values[5:].reshape(3, 3)
    if body.joint.kind == "prismatic":
        return bool(mass + armature == 0.0)
    axis = np.array(body.joint.axis)
    # about the axis: a·I a + m |a × c|²
    moment = axis @ inertia @ axis + mass * np.sum(np.cross(axis, com) ** 2)
    whole = np.trace(inertia) + mass * (com @ com)
    return bool(armature == 0.0 and moment <= TOLERANCE * whole)
