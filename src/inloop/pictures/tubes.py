"""Springs and flexible links of a scene: tubes along curves that change with each pose."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from inloop.pictures.palette import BODIES
from inloop.pictures.shown import GROUND
from inloop.plant import Array

COILS, PER_COIL = 9, 14
COIL, WIRE = 0.012, 0.0025  # radius of the coil and of its wire, relative to the whole size
BETWEEN = 12  # curve points between two nodes
SIDES = 8


def tubes(scene: Mapping[str, Any], X: Array, size: float) -> Iterator[tuple[str, Array, float]]:
    """Color name in a palette, points and radius [m] of each tube.

    Args:
        scene: scene of the mechanism.
        X: poses of its bodies, shape (bodies, 12).
        size: size of the whole mechanism [m].
    """
    numbers = {body["name"]: k for k, body in enumerate(scene["bodies"])}
    for connector in scene["connectors"]:
        a, b = (
            _in_world(X, numbers.get(connector[end]["body"], GROUND), np.array(connector[end]["p"]))
            for end in ("from", "to")
        )
        yield "connector", _coil(a, b, COIL * size), WIRE * size
    for k, link in enumerate(scene["flexible"]):
        yield f"body-{k % BODIES + 1}", _bent(link, X), link["radius"]


def _in_world(X: Array, body: int, p: Array) -> Array:
    return p if body == GROUND else X[body, :3] + X[body, 3:].reshape(3, 3) @ p


def _turned(X: Array, body: int, v: Array) -> Array:
    return v if body == GROUND else X[body, 3:].reshape(3, 3) @ v


def _coil(a: Array, b: Array, radius: float) -> Array:
    """A helix with straight ends, as on the studio's page."""
    along = b - a
    length = float(np.linalg.norm(along)) or 1.0
    upright = abs(along[1]) > 0.9 * length
    side = np.cross((1.0, 0.0, 0.0) if upright else (0.0, 1.0, 0.0), along)
    side /= float(np.linalg.norm(side)) or 1.0
    up = np.cross(along, side)
    up /= float(np.linalg.norm(up)) or 1.0
    part = np.linspace(0.0, 1.0, COILS * PER_COIL + 1)[:, None]
    angle = 2.0 * math.pi * COILS * part
    coil = a + (0.12 + 0.76 * part) * along
    coil = coil + radius * (np.cos(angle) * side + np.sin(angle) * up)
    return np.vstack([a, coil, b])


def _bent(link: Mapping[str, Any], X: Array) -> Array:
    """A curve through root and nodes of a flexible link, tangent to their directions."""
    along = np.array(link["along"])
    points = [_in_world(X, link["body"], np.array(link["p"]))]
    slopes = [_turned(X, link["body"], np.array(link["axes"][0]))]
    rests = [0.0]
    for node in link["nodes"]:
        points.append(_in_world(X, node["body"], np.zeros(3)))
        slopes.append(_turned(X, node["body"], along))
        rests.append(node["rest"])
    curve = []
    s = np.linspace(0.0, 1.0, BETWEEN, endpoint=False)[:, None]
    for k in range(len(points) - 1):
        length = rests[k + 1] - rests[k]
        # cubic Hermite interpolation
        curve.append(
            (1 - s) ** 2 * (1 + 2 * s) * points[k] + s**2 * (3 - 2 * s) * points[k + 1]
            + s * (1 - s) ** 2 * length * slopes[k] - s**2 * (1 - s) * length * slopes[k + 1]
        )  # fmt: skip
    return np.vstack([*curve, points[-1]])


def tube(curve: Array, radius: float) -> tuple[Array, Any, Array]:
    """Vertices, triangles and corner normals of a tube along a curve, in the world."""
    steps = np.gradient(curve, axis=0)
    along = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-300)
    spare = np.where(np.abs(along[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    side = np.cross(along, spare)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    turn = 2.0 * math.pi * np.arange(SIDES)[:, None, None] / SIDES
    out = np.cos(turn) * side + np.sin(turn) * np.cross(along, side)
    out = out.transpose(1, 0, 2)  # (points, sides, 3)
    ring = np.arange(SIDES)
    low = SIDES * np.arange(len(curve) - 1)[:, None] + ring
    low_next = SIDES * np.arange(len(curve) - 1)[:, None] + (ring + 1) % SIDES
    quads = [np.stack([low, low_next, low_next + SIDES], axis=-1)]
    quads.append(np.stack([low, low_next + SIDES, low + SIDES], axis=-1))
    triangles = np.concatenate([quad.reshape(-1, 3) for quad in quads])
    vertices = (curve[:, None] + radius * out).reshape(-1, 3)
    return vertices, triangles, out.reshape(-1, 3)[triangles]
