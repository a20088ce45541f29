"""A chain of blocks is cut so that it can be eliminated from both ends at once, in two lanes.

From one end a block consists of a body and the constraints to the body before it, from the other
end of a body and the constraints to the one behind it: then both hand the same on to the next
block. So lines that lie in the later part of a period may belong to the block before or after.
What a block looks like from either end is compared for all such cuts; two that look alike are
taken, one for each half of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.sparsity import Place

Integers = NDArray[np.int64]

FEWEST = 8  # blocks of a chain
TRIED = 1  # pair of cuts


def from_both_ends(places: Sequence[Place], labels: Integers) -> Iterator[Integers]:
    """Other blocks for a chain; none for other graphs of blocks.

    Args:
        places: (row, column) of each given value.
        labels: block of each row and column, from end to end.
    """
    rows, columns = np.array(places).T
    labels = labels - labels.min()
    count = int(labels.max()) + 1
    if count < FEWEST or np.any(np.abs(labels[rows] - labels[columns]) > 1):
        return
    middle = count // 2
    cuts = [labels, *_shifted(labels)]
    seen: dict[tuple[bytes, ...], int] = {}
    for number, cut in enumerate(cuts):
        view = _view(rows, columns, cut, middle, 1)
        if view is not None:
            seen.setdefault(view, number)
    pairs = []
    for number, cut in enumerate(cuts):
        view = _view(rows, columns, cut, middle, -1)
        if view is not None and view in seen:
            pairs.append((len(view[0]), seen[view], number))
    for _, low, high in sorted(pairs)[:TRIED]:
        # no block has lines of both halves
        yield np.where(labels < middle, np.maximum(cuts[low], 0), np.minimum(cuts[high], count) + 2)


def _shifted(labels: Integers) -> Iterator[Integers]:
    """The later lines of each block go into the one before, or the one after."""
    starts = np.searchsorted(labels, labels)  # labels are in order
    inside = np.arange(len(labels)) - starts
    for first in range(1, int(inside.max()) + 1):
        for shift in (-1, 1):
            yield labels + shift * (inside >= first)


def _view(
    rows: Integers, columns: Integers, labels: Integers, block: int, onward: int
) -> tuple[bytes, ...] | None:
    """What the elimination of a block meets, all blocks on one side of it being gone.

    None if it has entries with blocks that are not its neighbors.
    """
    apart = labels[columns] - labels[rows]
    here = (labels[rows] == block) | (labels[columns] == block)
    if np.any(np.abs(apart[here]) > 1):
        return None
    own = np.flatnonzero(labels == block)
    beyond = block + onward
    kept = here & (labels[rows] != block - onward) & (labels[columns] != block - onward)
    gone = here & ~kept
    others = [np.unique(lines[kept & (labels[lines] == beyond)]) for lines in (rows, columns)]
    place = [{line: k for k, line in enumerate([*own, *other])} for other in others]
    pattern = np.zeros((len(place[0]), len(place[1])), dtype=bool)
    for i, j in zip(rows[kept], columns[kept], strict=True):
        pattern[place[0][i], place[1][j]] = True
    came = [
        np.isin(own, lines[gone & (labels[lines] == block)]).tobytes() for lines in (rows, columns)
    ]
    size = repr((len(own), *pattern.shape)).encode()
    return pattern.tobytes(), size, *came
