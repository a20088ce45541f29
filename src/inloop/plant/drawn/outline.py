"""What a drawing of a mechanism shows: the corners of its bodies, and its springs, in the world.

The corners of a body are its origin, its named points and frames, and where other bodies hang on
it; a body that has none of these beside its origin reaches to its center of mass.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inloop.formalisms import Derivation
from inloop.model.geometry import Vector3
from inloop.model.topology import GROUND
from inloop.plant.engine import Array
from inloop.symbolic import Expr, evaluate

if TYPE_CHECKING:
    from inloop.model import Body, Mechanism
    from inloop.plant.bare_plant import BarePlant


@dataclass(frozen=True)
class Outline:
    """A mechanism at N positions.

    Attributes:
        bodies: corners of each body by name [m], shape (N, corners, 3).
        line_forces: ends of springs and other forces between two points by name, shape (N, 2, 3).
        ground: named points of the ground and hinges on it, shape (points, 3).
        flexible: root and nodes of flexible links by name, shape (N, nodes + 1, 3).
    """

    bodies: dict[str, Array]
    line_forces: dict[str, Array]
    ground: Array
    flexible: dict[str, Array]


def outline(plant: BarePlant, q: Array) -> Outline:
    """Where the corners of all bodies are.

    Args:
        plant: the compiled mechanism; its parameters count.
        q: positions, shape (N, n).
    """
    mechanism, derivation = plant.mechanism, Derivation(plant.mechanism)
    symbols = derivation.symbols
    nodes = {k for link in mechanism.flexible_links for k in link.bodies}
    bodies = [body for body in mechanism.bodies if body.index not in nodes or _is_heavy(body)]
    corners = {body.name: _corners(mechanism, body, nodes) for body in bodies}
    ends = {law.name: (law.a, law.b) for law in mechanism.line_forces}
    rests = _rests(mechanism, nodes)
    ground = [point.p_BQ for point in mechanism.ground.points if point.path not in rests]
    hinged = (b for b in mechanism.bodies if b.parent == GROUND and b.joint.kind.hinges)
    ground += [body.attachment.p_PJ for body in hinged]
    # all in one list of expressions: poses of bodies, then points in body axes
    poses = [
        e
        for body in mechanism.bodies
        for out in derivation.sensor(body.name)[0].outputs
        for e in out.exprs
    ]
    local = [p for found in corners.values() for p in found]
    local += [point.p_BQ for pair in ends.values() for point in pair]
    roots = [link.p_BE for link in mechanism.flexible_links]
    local += roots + ground
    exprs = [*poses, *(e for p in local for e in symbols.vector(p, "corner", "m"))]
    values: dict[Expr, Any] = dict(zip(symbols.q, q.T, strict=True))
    for parameter, symbol in zip(symbols.parameters, symbols.symbols, strict=True):
        values[symbol] = plant.parameters[parameter.name]
    columns = [np.broadcast_to(x, len(q)) for x in evaluate(exprs, values)]
    table, count = np.stack(columns, axis=1), 12 * len(mechanism.bodies)
    pose, points = table[:, :count].reshape(len(q), -1, 12), table[:, count:].reshape(len(q), -1, 3)
    owners = [b.index for b in bodies for _ in corners[b.name]]
    owners += [point.body for pair in ends.values() for point in pair]
    owners += [link.body for link in mechanism.flexible_links] + [GROUND] * len(ground)
    world = np.stack(
        [_in_world(pose, points[:, k], owner) for k, owner in enumerate(owners)], axis=1
    )
    sizes = [len(found) for found in corners.values()] + [2] * len(ends)
    sizes += [len(roots), len(ground)]
    *pieces, root, last = np.split(world, np.cumsum(sizes)[:-1], axis=1)
    names = [*corners, *ends]
    return Outline(
        dict(zip(names[: len(corners)], pieces[: len(corners)], strict=True)),
        dict(zip(names[len(corners) :], pieces[len(corners) :], strict=True)),
        last[0] if len(q) else np.zeros((0, 3)),
        {
            link.name: np.concatenate(
                [root[:, [k]], pose[:, [node.rotation for node in link.nodes], :3]], axis=1
            )
            for k, link in enumerate(mechanism.flexible_links)
        },
    )


def _is_heavy(body: Body) -> bool:
    """Nodes of flexible links have corners of their own only if something is welded to them."""
    return isinstance(body.mass, Expr) or body.mass != 0.0


def _rests(mechanism: Mechanism, nodes: Collection[int]) -> set[str]:
    """Paths of the points where the nodes of straight links are."""
    return {mechanism.bodies[k].attachment.path for k in nodes}


def _corners(mechanism: Mechanism, body: Body, nodes: Collection[int]) -> list[Vector3]:
    """Points of a body in its own axes, p_BQ; flexible links are drawn by themselves."""
    rests = _rests(mechanism, nodes)
    ends = [point.p_BQ for point in body.points if point.path not in rests]
    ends += [frame.p_BF for frame in body.frames]
    children = (c for c in mechanism.children(body.index) if c.index not in nodes)
    ends += [child.attachment.p_PJ for child in children]
    return [(0.0, 0.0, 0.0), *(ends or [body.com])]


def _in_world(pose: Array, p_BQ: Array, owner: int) -> Array:
    """p_WQ = p_WB + R_WB p_BQ for rows of poses (p_WB, R_WB)."""
    if owner == GROUND:
        return p_BQ
    p_WB, R_WB = pose[:, owner, :3], pose[:, owner, 3:].reshape(-1, 3, 3)
    return np.asarray(p_WB + np.einsum("nij,nj->ni", R_WB, p_BQ))
