"""A check after merging: every joint must move some inertia."""

from __future__ import annotations

import numpy as np

from inloop.model import topology
from inloop.model.checks.findings import Findings
from inloop.model.elements import Body
from inloop.model.geometry import entries
from inloop.model.mechanism import Mechanism
from inloop.model.names import quoted
from inloop.model.parameters import Defaults
from inloop.model.topology import GROUND

TOLERANCE = 1e-12  # relative to the inertia about the origin


def check_mobility(mechanism: Mechanism, strict: bool, findings: Findings) -> None:
    """Report joints that move nothing with inertia: the mass matrix would be singular.

    Exceptions are driven joints and joints inside a loop, which move other bodies too.
    """
    defaults = Defaults(mechanism.parameters)
    led = _led_by_others(mechanism)
    # bodies that have or carry mass or inertia
    heavy = {k for link in mechanism.flexible_links for k in (link.body, *link.bodies)}
    light: set[int] = set()  # bodies whose joint moves no inertia, and their parents
    reported: list[Body] = []
    for body in reversed(mechanism.bodies):
        carries_heavy = body.index in heavy
        if carries_heavy or _has_inertia(body, defaults):
            heavy.add(body.parent)
        if body.index not in led and not carries_heavy and _is_light(body, defaults):
            # only the outermost body is reported: inertia there fixes all below it
            if body.index not in light:
                reported.append(body)
            light.add(body.parent)
    spoiled = {mistake.where for mistake in findings.mistakes}  # what was read there is a fallback
    for body in reversed(reported):
        if body.where in spoiled:
            continue
        findings.doubt(
            strict,
            f"body {quoted(body.name)}: its {body.joint.kind} joint {quoted(body.joint.name)} "
            "moves nothing that has inertia, so the mass matrix is singular",
            body.where,
            "Give the body mass and inertia, or give the joint an armature.",
        )


def _led_by_others(mechanism: Mechanism) -> set[int]:
    """Return the bodies whose joints are driven, or part of a loop, constraint or coupling."""
    led = {drive.body for drive in mechanism.drives}
    for constraint in mechanism.constraints:
        led.update(index for index, _ in constraint.velocities)
        if not constraint.on_velocities:
            led.update(index for index, _ in constraint.positions)
    for coupling in mechanism.couplings:
        led.update(index for index, _ in coupling.factors)
    for loop in mechanism.loops:
        # joints common to both ends do not move them relative to each other
        led |= _path(mechanism, loop.a.body) ^ _path(mechanism, loop.b.body)
    return led


def _path(mechanism: Mechanism, body: int) -> set[int]:
    """Return a body and all its ancestors, without the ground."""
    if body == GROUND:
        return set()
    return {body, *topology.ancestors(mechanism.parents, body)}


def _has_inertia(body: Body, defaults: Defaults) -> bool:
    values = defaults.of((body.mass, *entries(body.inertia)))
    return values is None or any(values)


def _is_light(body: Body, defaults: Defaults) -> bool:
    """Return whether the joint of a body moves no inertia of the body itself."""
    scalars = (body.mass, body.joint.armature, *body.com, *entries(body.inertia))
    values = np.array(defaults.of(scalars) or np.nan)
    # values that cannot be evaluated have been reported already
    if not np.all(np.isfinite(values)):
        return False
    mass, armature, com, inertia = values[0], values[1], values[2:5], values[5:].reshape(3, 3)
    kind = body.joint.kind
    if armature != 0.0 or (kind.slides and mass != 0.0):
        return False
    if not kind.turns:
        return True
    axis = np.array(body.joint.axis)
    # about the axis: a·I a + m |a × c|²
    moment = axis @ inertia @ axis + mass * np.sum(np.cross(axis, com) ** 2)
    whole = np.trace(inertia) + mass * (com @ com)
    return bool(moment <= TOLERANCE * whole)
