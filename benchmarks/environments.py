"""Gymnasium environments: many that step together, compared with single ones in a loop.

python -m benchmarks environments
"""

from __future__ import annotations

import time
from collections.abc import Callable

import gymnasium
import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, Row, note, show
from inloop import gallery

COUNT, PERIODS, ROUNDS = 256, 40, 5
HEADERS = ["environment", "vector [µs]", "SyncVectorEnv [µs]", "single [µs]", "single / vector"]
LEGEND = """\
Processor time of a period of 20 ms, 20 steps of RK4, for one environment, best of the rounds: a
busy machine disturbs it little. The vector environment shares it among all cores."""
BAR = 1.5


def run() -> Findings:
    """Time of a period per environment, both ways."""
    found = Findings([_measure(name) for name in ("double_pendulum", "puma560")])
    cells = []
    for row in found.rows:
        ratio = row["single"] / row["vector"]
        found.bars.append(Bar(f"vector environment of {row['what']} against one", ratio, BAR))
        times = (f"{1e6 * row[key]:.1f}" for key in ("vector", "sync", "single"))
        cells.append([row["what"], *times, f"{ratio:.1f}"])
    show(HEADERS, cells)
    note(LEGEND)
    return found


def _measure(name: str) -> Row:
    task = _task(name)
    actions = np.zeros((COUNT, len(task.action)))
    vector, single = il.gym.VectorEnvironment(task, COUNT), il.gym.Environment(task)
    sync = gymnasium.vector.SyncVectorEnv([lambda: il.gym.Environment(task)] * 16)
    for env in (vector, single, sync):
        env.reset(seed=0)
    return {
        "what": name,
        "vector": _best(lambda: vector.step(actions)) / COUNT,
        "sync": _best(lambda: sync.step(actions[:16])) / 16,
        "single": _best(lambda: single.step(actions[0])),
    }


def _task(name: str) -> il.gym.Task:
    plant = gallery.get(name).build().compile()
    seen = [f"{joint}.{kind}" for joint in plant.coordinates for kind in ("q", "qd")]
    action = {f"{joint}.tau": (-1.0, 1.0) for joint in plant.coordinates}
    return il.gym.Task(plant, seen, action, reward=lambda y, a: 0.0, seconds=1e6)


def _best(work: Callable[[], object]) -> float:
    """The shortest mean processor time of a call, all threads together [s]."""
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(PERIODS):
            work()
        times.append((time.process_time() - begin) / PERIODS)
    return min(times)


if __name__ == "__main__":
    run()
