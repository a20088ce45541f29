"""Makes the scene of the page from the sketch of a drawing, for the current parameters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from inloop.geometry import box, plate, rod, sphere, visual
from inloop.plant import Array
from inloop.plant.drawn.evaluated_poses import EvaluatedPoses
from inloop.plant.drawn.poses import Poses
from inloop.studio.drawing.hull_points import box_points, hull_points
from inloop.studio.drawing.sketch import GROUND, BodySketch, FlexibleSketch, Sketch
from inloop.studio.drawing.visuals import corners_of, placed_look

AXES = "xyz"
PLANES = {0: "yz", 1: "xz", 2: "xy"}  # by the axis of view
ROD, JOINT, WEIGHT, PLATE = 0.010, 0.016, 0.035, 0.02  # thickness relative to the whole size
PARALLEL, FLAT = 1.0 - 1e-6, 1e-6
MARGIN, NEAR = 0.15, 0.03  # around what may move, and if its range is known
SMALLEST, ROOM = 1e-2, 0.3  # [m]
POSITIONS = 100  # random positions sampled to estimate the range


def empty_scene() -> dict[str, Any]:
    """Of a plant that cannot be drawn."""
    bounds = {"min": [-1.0, -1.0, -1.0], "max": [1.0, 1.0, 1.0], "points": []}
    nothing: dict[str, Any] = {"bodies": [], "ground": [], "connectors": [], "flexible": []}
    return {"planar": None, "up": "z", "bounds": bounds, **nothing}


def make_scene(sketch: Sketch, poses: Poses | EvaluatedPoses) -> dict[str, Any]:
    """The scene; unspecified colors are chosen by the page.

    Args:
        sketch: the parts.
        poses: poses of the bodies, with the parameters of the plant.
    """
    points = _with_origin(poses.points)
    bounds = _bounds(sketch, poses)
    parts = _parts(sketch, poses, bounds)
    names = [body.name for body in sketch.bodies]
    bodies = [
        {"name": body.name, "parent": body.parent,
         "shapes": [placed_look(look, points) for look in looks]}
        for body, looks in zip(sketch.bodies, parts["bodies"], strict=True)
    ]  # fmt: skip
    connectors = [
        {"name": name, "look": "spring", "from": _end(names, a, points[p]),
         "to": _end(names, b, points[q])}
        for name, a, p, b, q in sketch.connectors
    ]  # fmt: skip
    planar = _planar(sketch, poses)
    return {
        "planar": planar,
        "up": _up(points[sketch.gravity], planar),
        "bounds": bounds,
        "bodies": bodies,
        "ground": [placed_look(look, points) for look in parts["ground"]],
        "connectors": connectors,
        "flexible": [_flexible(link, points, ROD * _size(bounds)) for link in sketch.flexible],
    }


def scene_parts(sketch: Sketch, poses: Poses | EvaluatedPoses) -> dict[str, Any]:
    """Parts of a scene, with the numbers of the points that they follow; see `placed_look`.

    For clients that place them again when points have moved; the list of parts and their thickness
    stay the same.
    """
    return _parts(sketch, poses, _bounds(sketch, poses)) | {
        "connectors": [[p, q] for _, _, p, _, q in sketch.connectors],
        "flexible": [
            {"origin": link.origin, "turn": link.turn, "along": link.along, "rests": link.rests}
            for link in sketch.flexible
        ],
    }


def _parts(
    sketch: Sketch, poses: Poses | EvaluatedPoses, bounds: Mapping[str, Any]
) -> dict[str, Any]:
    """Looks of all bodies and of the ground, not placed yet."""
    size, planar = _size(bounds), _planar(sketch, poses)
    points, X = _with_origin(poses.points), poses.over(np.array([sketch.start]))[0]
    bodies = []
    for k, body in enumerate(sketch.bodies):
        across = None
        if planar is not None:
            seen = next(axis for axis, plane in PLANES.items() if set(plane) == set(planar))
            across = X[k, 3:].reshape(3, 3)[seen]
        bodies.append(_looks(body, points, across, size))
    cube = visual(box((2.0 * JOINT * size,) * 3)).data()
    ground = sketch.ground_looks or [{**cube, "points": [p]} for p in sketch.ground]
    return {"bodies": bodies, "ground": list(ground)}


def _with_origin(points: Array) -> Array:
    """Points by number; index -1 is the origin of every body."""
    return np.vstack([points, np.zeros((1, 3))])


def _size(bounds: Mapping[str, Any]) -> float:
    """Size of the whole mechanism [m]."""
    return float(np.max(np.array(bounds["max"]) - np.array(bounds["min"]))) or 1.0


def _planar(sketch: Sketch, poses: Poses | EvaluatedPoses) -> str | None:
    """The plane of the motion, if it is planar."""
    normal = _normal(sketch, poses.over(np.array([sketch.start]))[0])
    return sketch.plane or (PLANES[normal] if normal is not None else None)


def _end(names: list[str], body: int, p: Array) -> dict[str, Any]:
    return {"body": "ground" if body == GROUND else names[body], "p": p.tolist()}


def _flexible(link: FlexibleSketch, points: Array, radius: float) -> dict[str, Any]:
    """A flexible link: pose of its root in its body, its nodes and their distances at rest."""
    p_BE, R_BE = points[link.origin], points[link.turn : link.turn + 3].T
    nodes = [
        {"body": node, "rest": float(R_BE[:, 0] @ (points[rest] - p_BE))}
        for node, rest in zip(link.nodes, link.rests, strict=True)
    ]
    return {
        "name": link.name,
        "body": link.body,
        "p": p_BE.tolist(),
        "axes": R_BE.T.tolist(),  # x along it, z bending axis, in body axes
        "along": points[link.along].tolist(),  # in axes of the nodes
        "nodes": nodes,
        "looped": link.looped,
        "radius": radius,
    }


def _up(gravity: Array, planar: str | None) -> str:
    if planar == "xy":
        return "y"
    if planar is not None:
        return "z"
    return "y" if abs(gravity[1]) > max(abs(gravity[2]), FLAT) else "z"


def _normal(sketch: Sketch, X: Array) -> int | None:
    """The world axis normal to all motion; None if there is none, or more than one."""
    fits = {0, 1, 2}
    for k, body in enumerate(sketch.bodies):
        along = np.abs(X[k, 3:].reshape(3, 3) @ np.array(body.axis))
        if body.turns:
            fits &= {a for a in range(3) if along[a] > PARALLEL}
        if body.slides:
            fits &= {a for a in range(3) if along[a] < FLAT}
    return fits.pop() if len(fits) == 1 else None


def _bounds(sketch: Sketch, poses: Poses | EvaluatedPoses) -> dict[str, Any]:
    """A box around everything that may be seen, and points that bound the visible part."""
    points = poses.points
    X = poses.over(np.array(_positions(sketch)))
    p_WB, R_WB = X[:, :, :3], X[:, :, 3:].reshape(*X.shape[:2], 3, 3)

    def around(looks: Sequence[Mapping[str, Any]]) -> list[Array]:
        return [corners_of(placed_look(look, points)) for look in looks]

    seen = [points[list(sketch.ground)], *around(sketch.ground_looks)]
    for k, body in enumerate(sketch.bodies):
        corners = np.vstack([np.zeros((1, 3)), points[list(body.corners)], *around(body.looks)])
        found = p_WB[:, k, None] + np.einsum("nij,cj->nci", R_WB[:, k], corners)
        seen.append(found.reshape(-1, 3))
    if sketch.reach is not None:
        seen.append(box_points(*np.array(sketch.reach)))
    all_seen = np.vstack(seen)
    least, most = np.min(all_seen, axis=0), np.max(all_seen, axis=0)
    if np.max(most - least) < SMALLEST:
        # a lone block or ball: add some room, and include the origin
        least, most = np.minimum(least - ROOM, 0.0), np.maximum(most + ROOM, 0.0)
        all_seen = np.array(list(itertools.product(*zip(least, most, strict=True))))
    # bodies held by contacts stay near their position
    known = sketch.reach is not None or sketch.contacts
    part = NEAR if known else MARGIN
    margin = np.full(3, part * max(float(np.max(most - least)), 1e-3))
    below = margin.copy()
    if (sketch.ground_looks or sketch.reach) and not sketch.plane:
        # no margin below: the mechanism stands on the floor
        below[AXES.index(_up(points[sketch.gravity], None))] = 0.0
    middle = 0.5 * (least + most)
    points = middle + (1.0 + 2.0 * part) * (hull_points(all_seen) - middle)
    return {
        "min": (least - below).tolist(),
        "max": (most + margin).tolist(),
        "points": np.clip(points, least - below, most + margin).tolist(),
    }


def _positions(sketch: Sketch) -> list[Array]:
    """The start, and random positions of a mechanism that moves freely."""
    start = np.array(sketch.start)
    if not sketch.roams:
        return [start]
    low, high = np.array([body.range for body in sketch.bodies]).reshape(-1, 2).T
    random = np.random.default_rng(1)
    others = random.uniform(low, high, (POSITIONS, len(low)))
    # after the coordinates, components of quaternions: any direction, any length
    turns = random.normal(size=(POSITIONS, len(start) - len(low)))
    return [start, *np.hstack([others, turns])]


def _looks(
    body: BodySketch, points: Array, across: Array | None, size: float
) -> Sequence[Mapping[str, Any]]:
    """Looks of a body: those specified, or plates and rods between its corners."""
    if body.looks:
        return body.looks
    if body.hidden:
        return []
    numbers = np.array([-1, *body.corners])
    corners, chosen = np.unique(points[numbers], axis=0, return_index=True)
    numbers = numbers[chosen]
    looks: list[dict[str, Any]] = []
    if body.weight is not None:
        looks.append({**visual(sphere(WEIGHT * size)).data(), "points": [body.weight]})
    hull = _hull(corners, across, size)
    if hull is not None:
        plane, edge = hull
        flat = corners[edge][:, [AXES.index(letter) for letter in plane]]
        outline = numbers[edge].tolist()
        looks.append({**visual(plate(flat, PLATE * size, plane)).data(), "outline": outline})
    bar = rod((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), ROD * size).data()
    looks += [{**bar, "points": numbers[[a, b]].tolist()} for a, b in _bars(corners)]
    return looks or [visual(sphere(WEIGHT * size)).data()]


def _bars(corners: Array) -> list[tuple[int, int]]:
    """Bars between collinear corners; otherwise from the origin to each corner. By number."""
    if len(corners) < 2:
        return []
    spread = corners - corners.mean(axis=0)
    _, widths, directions = np.linalg.svd(spread)
    if len(corners) == 2 or widths[1] <= FLAT * widths[0]:
        order = np.argsort(corners @ directions[0]).tolist()
        return list(itertools.pairwise(order))
    origin = int(np.flatnonzero(~np.any(corners, axis=1))[0])
    return [(origin, k) for k in range(len(corners)) if k != origin]


def _hull(corners: Array, across: Array | None, size: float) -> tuple[str, Array] | None:
    """The convex hull of corners in a plane through the body's origin, if it has an area.

    Returns:
        The plane, and the indices of the corners of the hull.
    """
    if across is None or np.max(np.abs(across)) < PARALLEL:
        return None
    normal = int(np.argmax(np.abs(across)))
    if np.ptp(corners[:, normal]) > FLAT * size or abs(corners[0, normal]) > FLAT * size:
        return None
    plane = PLANES[normal]
    flat = corners[:, [AXES.index(letter) for letter in plane]]
    try:
        return plane, scipy.spatial.ConvexHull(flat).vertices
    except scipy.spatial.QhullError:  # collinear
        return None
