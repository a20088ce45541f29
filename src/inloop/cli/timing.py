"""Time per evaluation: hot, state by state, and in batches."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import inloop as il
from inloop.native import COUNT, POINTER
from inloop.plant import Array, NativeEngine

ROWS = 4096  # states that fit in the cache
BATCH = 20_000
REPEATS = 7


def random_states(plant: il.Plant, rows: int) -> dict[str, Array]:
    """Random q, qd, qdd, tau; identical in every call."""
    random = np.random.default_rng(7)
    return {name: random.uniform(-1.0, 1.0, (rows, plant.n)) for name in ("q", "qd", "qdd", "tau")}


def hot_nanoseconds(plant: il.Plant, function: str) -> float:
    """Best time of one evaluation on one core, called in a loop in C [ns]."""
    engine = plant.equations.engine(function)
    states = random_states(plant, ROWS)
    if not isinstance(engine, NativeEngine):
        return _best(lambda: plant.evaluate(function, **states), ROWS)
    program = engine.unit.find(function)
    arrays = [plant.prepared(function)]
    arrays += [states.get(b.name, np.zeros((ROWS, len(b.symbols)))) for b in program.inputs[1:]]
    arrays += [np.empty((ROWS, *out.shape)) for out in program.outputs]
    loop = engine.library.function(
        f"{engine.unit.prefix}_{function}_rows", COUNT, *[POINTER] * len(arrays), returns=None
    )
    addresses = [array.ctypes.data for array in arrays]
    return _best(lambda: loop(ROWS, *addresses), ROWS)


def batch_nanoseconds(plant: il.Plant, function: str) -> float:
    """Best time per state when many are evaluated in one call from Python, on all cores [ns]."""
    states = random_states(plant, BATCH)
    return _best(lambda: plant.evaluate(function, **states), BATCH)


def _best(work: Callable[[], object], rows: int) -> float:
    work()  # warm up
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best / rows * 1e9
