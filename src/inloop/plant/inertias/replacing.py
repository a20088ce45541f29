"""Inertias of a mechanism replaced by others, under the names that live parameters have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from inloop.model import Body, Mechanism
from inloop.plant.engine import Array

MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")


def named(bodies: Sequence[Body], parameters: Array) -> dict[str, float]:
    """Ten parameters of each body as "<body>.mass", "<body>.com.x", "<body>.inertia.xx", …."""
    found: dict[str, float] = {}
    for body, own in zip(bodies, parameters.reshape(-1, 10), strict=True):
        m, c, I = about_center(own)
        found[f"{body.name}.mass"] = m
        found |= {f"{body.name}.com.{axis}": float(x) for axis, x in zip("xyz", c, strict=True)}
        entries = zip(MOMENTS, I[np.triu_indices(3)], strict=True)
        found |= {f"{body.name}.inertia.{axes}": float(x) for axes, x in entries}
    return found


def about_center(parameters: Array) -> tuple[float, Array, Array]:
    """Mass, center of mass and inertia about it, from a body's ten parameters."""
    m, *first = parameters[:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    c = np.array(first) / m
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return float(m), c, J - m * (c @ c * np.eye(3) - np.outer(c, c))


def with_inertias(mechanism: Mechanism, values: Mapping[str, float]) -> Mechanism:
    """The mechanism with the inertias, and armatures "<body>.armature", that have values."""
    return replace(mechanism, bodies=tuple(_with(body, values) for body in mechanism.bodies))


def _with(body: Body, values: Mapping[str, float]) -> Body:
    armature = values.get(f"{body.name}.armature", body.joint.armature)
    moved = replace(body, joint=replace(body.joint, armature=armature))
    if f"{body.name}.mass" not in values:
        return moved
    x, y, z = (values[f"{body.name}.com.{axis}"] for axis in "xyz")
    xx, xy, xz, yy, yz, zz = (values[f"{body.name}.inertia.{axes}"] for axes in MOMENTS)
    return replace(
        moved,
        mass=values[f"{body.name}.mass"],
        com=(x, y, z),
        inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)),
    )
