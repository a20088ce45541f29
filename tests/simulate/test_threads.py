"""Threads that share a plant: each run owns the roles of its coordinates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
from linkage_pair import linkage_pair

import inloop as il

STARTS = 4
THREADS = 4


def run(plant: il.Plant, start: int) -> il.Result:
    """Through several choices of independent coordinates, which are others for each start."""
    q = {"crank_0": 1.0 + 0.05 * start, "crank_1": 1.0 - 0.04 * start}
    method = ("rk4", "dopri")[start % 2]
    return plant.simulate(t_end=0.6, step=1e-3, method=method, q=q, sample=0.01)


def same(a: il.Result, b: il.Result) -> bool:
    """Equal to the last bit, signals and notes included."""
    arrays = [(a.q, b.q), (a.qd, b.qd), (a.energy, b.energy)]
    arrays += [(values, b.signals[name]) for name, values in a.signals.items()]
    return a.notes == b.notes and all(np.array_equal(x, y) for x, y in arrays)


def test_runs_in_threads_are_those_one_after_another() -> None:
    """The plants find and build their choices of coordinates in different orders."""
    alone, shared = linkage_pair().compile(), linkage_pair().compile()
    expected = [run(alone, start) for start in range(STARTS)]
    changes = {note.partition(": ")[2] for result in expected for note in result.notes}
    assert len(changes) >= 3
    together = Barrier(THREADS)

    def work(thread: int) -> list[il.Result]:
        together.wait()
        # each thread begins elsewhere
        return [run(shared, (k + thread) % STARTS) for k in range(STARTS)]

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(work, range(THREADS)))
    for thread, results in enumerate(found):
        for k, result in enumerate(results):
            assert same(result, expected[(k + thread) % STARTS])


def test_many_runs_in_threads_are_those_one_after_another() -> None:
    """Each call has threads of its own; single runs of the same plant go on beside them."""
    plant = linkage_pair().compile()
    options: dict[str, Any] = {"t_end": 0.05, "method": "rk4", "sample": 0.01}
    starts = [1.0 + 0.01 * np.arange(10.0) + 0.1 * k for k in range(THREADS)]

    def many(thread: int) -> il.ManyResult:
        return plant.simulate_many(q={"crank_0": starts[thread]}, **options)

    def work(thread: int) -> tuple[il.ManyResult, il.Result]:
        found = many(thread)
        return found, plant.simulate(q=found.q[3, 0], qd=found.qd[3, 0], **options)

    expected = [many(thread) for thread in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(work, range(THREADS)))
    for (result, one), alone in zip(found, expected, strict=True):
        assert not result.failed
        assert np.array_equal(result.q, alone.q) and np.array_equal(result.qd, alone.qd)
        # up to the last bits of a start that is closed once more
        np.testing.assert_allclose(result.q[3], one.q, rtol=1e-11)


def test_partitions_do_not_depend_on_their_order() -> None:
    """The text of a choice of coordinates is the same whatever was derived before it."""
    first, second = linkage_pair().compile(), linkage_pair().compile()
    met = dict.fromkeys(p for start in range(3) for p in run(first, start).partitions)
    choices = [partition for partition in met if partition not in first.formulation.known]
    assert len(choices) >= 3
    first.formulation.compile_partitions(choices)
    second.formulation.compile_partitions(reversed(choices))
    for partition in choices:
        names = [
            p.formulation.with_partition(partition).function("constrained") for p in (first, second)
        ]
        a, b = first.equations.engine(names[0]), second.equations.engine(names[1])
        assert a.files.sources == b.files.sources
