from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inloop.model import topology
from inloop.model.topology import GROUND

#      0 ── 1 ── 4
#      └─── 3 ── 5      2 on its own
PARENTS = (GROUND, 0, GROUND, 0, 1, 3)


def test_relatives() -> None:
    assert topology.children(PARENTS, GROUND) == (0, 2)
    assert topology.children(PARENTS, 0) == (1, 3)
    assert topology.ancestors(PARENTS, 4) == (1, 0)
    assert topology.descendants(PARENTS, 0) == (1, 3, 4, 5)
    assert [topology.depth(PARENTS, k) for k in range(6)] == [1, 2, 1, 2, 3, 3]


def test_base_to_tip_keeps_the_order_where_it_can() -> None:
    assert topology.base_to_tip(PARENTS) == (0, 1, 2, 3, 4, 5)
    assert topology.base_to_tip((3, GROUND, 0, 1)) == (1, 3, 0, 2)


@pytest.mark.parametrize(
    ("parents", "rings"),
    [
        (PARENTS, []),
        ((0,), [(0,)]),
        ((1, 2, 0, 1), [(0, 1, 2)]),
        ((1, 0, 3, 2, GROUND, 4), [(0, 1), (2, 3)]),
    ],
)
def test_cycles(parents: tuple[int, ...], rings: list[tuple[int, ...]]) -> None:
    assert list(topology.cycles(parents)) == rings


@given(st.data())
def test_base_to_tip_of_any_tree(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 30))
    # a tree in order, then its nodes renamed at random
    ordered = [data.draw(st.integers(-1, k - 1)) for k in range(size)]
    names = data.draw(st.permutations(range(size)))
    parents = [GROUND] * size
    for node, parent in enumerate(ordered):
        parents[names[node]] = GROUND if parent == GROUND else names[parent]
    order = topology.base_to_tip(parents)
    assert sorted(order) == list(range(size))
    place = {node: k for k, node in enumerate(order)}
    assert all(parents[k] == GROUND or place[parents[k]] < place[k] for k in range(size))
    assert list(topology.cycles(parents)) == []


def test_long_chains_need_no_recursion() -> None:
    parents = [k + 1 for k in range(9_999)] + [GROUND]
    assert topology.base_to_tip(parents) == tuple(range(9_999, -1, -1))
    assert topology.depth(parents, 0) == 10_000
