"""The topology of a tree, given by the parent index of each node (or GROUND)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

GROUND = -1


def children(parents: Sequence[int], node: int) -> tuple[int, ...]:
    """Return the nodes attached directly to a node (or to GROUND), in index order."""
    return tuple(k for k, parent in enumerate(parents) if parent == node)


def ancestors(parents: Sequence[int], node: int) -> tuple[int, ...]:
    """Return parent, grandparent, ... of a node, down to the one attached to the ground."""
    path = []
    node = parents[node]
    while node != GROUND:
        path.append(node)
        node = parents[node]
    return tuple(path)


def depth(parents: Sequence[int], node: int) -> int:
    """Return the number of joints between a node and the ground."""
    return 1 + len(ancestors(parents, node))


def base_to_tip(parents: Sequence[int]) -> tuple[int, ...]:
    """Return all nodes, each after its parent; otherwise in the order of their indices."""
    order: list[int] = []
    placed: set[int] = set()
    for node in range(len(parents)):
        missing = []
        while node != GROUND and node not in placed:
            missing.append(node)
            placed.add(node)
            node = parents[node]
        order += reversed(missing)
    return tuple(order)


def descendants(parents: Sequence[int], node: int) -> tuple[int, ...]:
    """Return all nodes that a node carries, base to tip; parents must precede children."""
    carried = {node}
    for k, parent in enumerate(parents):
        if parent in carried:
            carried.add(k)
    return tuple(sorted(carried - {node}))


def cycles(parents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every cycle of nodes once, each node followed by its parent."""
    finished: set[int] = set()
    for start in range(len(parents)):
        path: dict[int, None] = {}  # in order
        node = start
        while node != GROUND and node not in finished and node not in path:
            path[node] = None
            node = parents[node]
        if node in path:
            nodes = list(path)
            yield tuple(nodes[nodes.index(node) :])
        finished.update(path)
