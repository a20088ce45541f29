"""Cut a chain of blocks so that it can be eliminated from both ends at once, in two lanes.

Seen from one end, a block consists of a body and the constraints to the body before it; seen from
the other end, of a body and the constraints to the one after it. Then both halves pass the same
pattern on to the next block, so rows in the later part of a period may belong to the block before
or after. All such cuts are compared by what a block looks like from either end; two cuts that look
the same are taken, one for each half of the chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from inloop.symbolic.sparsity import Place

Integers = NDArray[np.int64]

FEWEST = 8  # blocks in a chain
TRIED = 1  # pairs of cuts to try


def from_both_ends(places: Sequence[Place], labels: Integers) -> Iterator[Integers]:
    """Other partitions of a chain into blocks; empty if the blocks do not form a chain.

    Args:
        places: (row, column) of each given value.
        labels: block of each row and column, from one end of the chain to the other.
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
        # no block may contain rows of both halves
        yield np.where(labels < middle, np.maximum(cuts[low], 0), np.minimum(cuts[high], count) + 2)


def _shifted(labels: Integers) -> Iterator[Integers]:
    """Move the later rows of each block to the block before or after."""
    starts = np.searchsorted(labels, labels)  # labels are in order
    inside = np.arange(len(labels)) - starts
    for first in range(1, int(inside.max()) + 1):
        for shift in (-1, 1):
            yield labels + shift * (inside >= first)


def _view(
    rows: Integers, columns: Integers, labels: Integers, block: int, onward: int
) -> tuple[bytes, ...] | None:
    """The entries that the elimination of a block meets after all blocks on one side are gone.

    None if it has entries with blocks other than its neighbors.
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
