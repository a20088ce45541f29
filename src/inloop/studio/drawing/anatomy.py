"""The structure of a mechanism for the inspector: bodies, joints, loops, contacts, sensors.

Numbers that may depend on live parameters (masses, centers of mass, inertias, positions of frames)
are points of the pose library: three numbers each, referred to by their index.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from inloop.model import Body, Mechanism
from inloop.plant import Array
from inloop.studio.drawing.sketch import GROUND, Collector
from inloop.studio.messaging.anatomy_types import Anatomy

Numbered = dict[str, Any]  # an anatomy with point indices instead of numbers


def empty_anatomy() -> Anatomy:
    """Of a plant that is known only by its mailbox."""
    return {"bodies": [], "loops": [], "contacts": [], "sensors": []}


def make_anatomy(mechanism: Mechanism, found: Collector) -> Numbered:
    """The constant data, and the indices of the points that hold the rest.

    Args:
        mechanism: the frozen model.
        found: collects the points; must be called before any rotation is added.
    """
    return {
        "bodies": [_body(mechanism, body, found) for body in mechanism.bodies],
        "loops": [*_loops(mechanism), *_couplings(mechanism)],
        "contacts": [
            {"name": c.name, "bodies": [c.a.body, c.b.body]} for c in mechanism.contacts
        ],
        "sensors": [{"name": s.name, "bodies": _places(s.at)} for s in mechanism.sensors],
    }  # fmt: skip


def fill_anatomy(numbered: Mapping[str, Any], points: Array) -> Anatomy:
    """The same with the numbers filled in.

    Args:
        numbered: result of `make_anatomy`.
        points: points of the pose library for the current parameters.
    """
    bodies = []
    for body in numbered["bodies"]:
        moments, axes = principal(points[body["inertia"]])
        numbers = {
            "mass": float(points[body["mass"]][0]),
            "com": points[body["com"]].tolist(),
            "moments": moments,
            "axes": axes,
            "frames": [{"name": n, "p": points[k].tolist()} for n, k in body["frames"]],
        }
        bodies.append({**body, **numbers})
        del bodies[-1]["inertia"]
    return cast(Anatomy, {**numbered, "bodies": bodies})


def principal(inertia: Array) -> tuple[list[float], list[list[float]]]:
    """Principal moments, the smallest first [kg·m²], and their axes as rows, in body axes."""
    if not np.all(np.isfinite(inertia)):
        return [math.nan] * 3, np.eye(3).tolist()
    moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
    # signs: largest component positive; right-handed
    R = axes * np.where(axes[np.argmax(np.abs(axes), axis=0), range(3)] < 0.0, -1.0, 1.0)
    if np.linalg.det(R) < 0.0:
        R[:, 2] *= -1.0
    return moments.tolist(), R.T.tolist()


def _body(mechanism: Mechanism, body: Body, found: Collector) -> Numbered:
    nodes = {k for link in mechanism.flexible_links for k in link.bodies}
    named = [(frame.name, found.point(frame.p_BF)) for frame in body.frames]
    named += [(point.name, found.point(point.p_BQ)) for point in body.points]
    return {
        "name": body.name,
        "parent": body.parent,
        "doc": body.doc,
        "node": body.index in nodes,
        "mass": found.point((body.mass, 0.0, 0.0)),
        "com": found.point(body.com),
        "inertia": [found.point(row) for row in body.inertia],
        "frames": named,
        "joint": _joint(mechanism, body),
    }


def _joint(mechanism: Mechanism, body: Body) -> Numbered:
    joint = body.joint
    low, high = joint.limits or (-math.inf, math.inf)
    effort = float(joint.effort)
    return {
        "name": joint.name,
        "kind": joint.kind.name,
        "unit": joint.kind.dimension.unit,
        "axis": [float(x) for x in joint.axis],
        "low": float(low) if math.isfinite(low) else None,
        "high": float(high) if math.isfinite(high) else None,
        "start": float(joint.initial[0]),
        "effort": effort if math.isfinite(effort) else None,
        "driven": any(drive.body == body.index for drive in mechanism.drives),
        "of_ball": any(body.index in attitude.bodies for attitude in mechanism.attitudes),
    }


def _loops(mechanism: Mechanism) -> list[Numbered]:
    return [
        {
            "name": loop.name,
            "kind": loop.kind,
            "bodies": [loop.a.body, loop.b.body],
            "joints": _between(mechanism, loop.a.body, loop.b.body),
        }
        for loop in mechanism.loops
    ]


def _couplings(mechanism: Mechanism) -> list[Numbered]:
    """Gears and racks are listed with the loops: they constrain joints in the same way."""
    return [
        {"name": c.name, "kind": c.kind, "bodies": joints, "joints": joints}
        for c in mechanism.couplings
        for joints in [[k for k, _ in c.factors]]
    ]


def _between(mechanism: Mechanism, a: int, b: int) -> list[int]:
    """Bodies whose joints are on the path between two bodies of the tree."""

    def way(body: int) -> list[int]:
        if body == GROUND:
            return []
        return [body, *(x.index for x in mechanism.ancestors(body))]

    first, second = way(a), way(b)
    return sorted(set(first) ^ set(second))


def _places(at: Sequence[Any]) -> list[int]:
    """Bodies on which a sensor is mounted."""
    found: list[int] = []
    for place in at:
        if isinstance(place, Body):
            found.append(place.index)
        elif isinstance(getattr(place, "body", None), int):
            found.append(place.body)
    return found
