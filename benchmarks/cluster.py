"""Runs on a Ray cluster of two nodes on this machine, compared with the same cores without Ray.

python -m benchmarks cluster
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import inloop as il
from benchmarks.report import Bar, Findings, Row, note, progress, show
from inloop import gallery
from inloop.native.running.many import cores
from inloop.simulate.many.ray_cluster import have_token, loopback, need_ray
from inloop.simulate.many.storing import Storing

RUNS, T_END, ROUNDS, BAR = 100_000, 1.0, 5, 0.85
KILL_AFTER = 10  # files
HEADERS = ["where", "wall-clock [s]", "processor [s]", "runs/s", "by wall clock", "by processor"]
LEGEND = """\
{runs} double pendulums, {steps} RK4 steps each, written as Parquet files: the whole call, median of
{rounds} rounds in turn. The cluster stands, two nodes with half of {cores} cores each, and its
processes have loaded the plant in a first call that does not count. Processor time is that of all
processes, Ray's own included; a loaded machine disturbs it less. All sweeps wrote the same files,
bit by bit: {same}."""


def run(rounds: int = ROUNDS) -> Findings:
    """Measure and print.

    Args:
        rounds: number of runs of each contestant.
    """
    plant = gallery.get("double_pendulum").make().compile()
    times: dict[str, list[tuple[float, float]]] = {"this process": [], "Ray, two nodes": []}
    digests = set()
    with _two_nodes() as (cluster, second):
        _sweep(plant, "ray", runs=RUNS // 20)
        for k in range(rounds):
            progress(f"cluster: round {k + 1} of {rounds}")
            for where, on in zip(times, (None, "ray"), strict=True):
                wall, cpu, digest = _sweep(plant, on)
                times[where].append((wall, cpu))
                digests.add(digest)
        progress("cluster: a node is killed")
        killed = _sweep(plant, "ray", lambda: cluster.remove_node(second, allow_graceful=False))
        digests.add(killed[2])
    alone, on_ray = (np.array(each) for each in times.values())
    ratios = np.median(alone / on_ray, axis=0)
    rows = [_row(where, np.median(each, axis=0)) for where, each in times.items()]
    # the processor time of a killed node is not known
    rows.append(_row("Ray, a node killed", (killed[0], np.nan)))
    rows[1] |= {"ratio": ratios[0], "cpu_ratio": ratios[1]}
    show(HEADERS, [_cells(row) for row in rows])
    said = {"runs": RUNS, "steps": round(T_END * 1000), "rounds": rounds, "cores": cores()}
    note(LEGEND.format(**said, same="yes" if len(digests) == 1 else "NO"))
    if len(digests) != 1:
        raise RuntimeError("sweeps of the same runs wrote different files")
    name = f"{RUNS} runs on two nodes to the same cores without Ray"
    kinds = zip(("wall clock", "processor time"), ratios, strict=True)
    return Findings(rows, [Bar(f"{name}, {kind}", ratio, BAR) for kind, ratio in kinds])


def _row(where: str, times: Any) -> Row:
    return {"where": where, "wall": times[0], "cpu": times[1], "rate": RUNS / times[0]}


def _cells(row: Row) -> list[str]:
    ratios = [f"{row[k]:.2f}" if k in row else "" for k in ("ratio", "cpu_ratio")]
    return [row["where"], f"{row['wall']:.1f}", f"{row['cpu']:.1f}", f"{row['rate']:,.0f}", *ratios]


def _sweep(
    plant: il.Plant, on: str | None, kill: Callable[[], None] | None = None, runs: int = RUNS
) -> tuple[float, float, str]:
    """Wall-clock time, processor time [s], and the digest of all files."""
    design = il.designs.monte_carlo(
        {"upper.q": il.designs.uniform(-0.5, 0.5), "lower_mass": il.designs.normal(1.0, 0.05)},
        runs=runs,
        seed=1,
    )
    with tempfile.TemporaryDirectory() as place, _killing(kill):
        folder = Path(place) / "sweep"
        begin, before = time.perf_counter(), _processor_time()
        many = plant.simulate_many(t_end=T_END, method="rk4", vary=design, folder=folder, on=on)
        wall, cpu = time.perf_counter() - begin, _processor_time() - before
        if many.failed:
            raise RuntimeError(f"a run failed: {many.reasons[many.failed[0]]}")
        digest = hashlib.sha256()
        for path in sorted(folder.rglob("*.parquet")):
            digest.update(path.name.encode() + path.read_bytes())
    return wall, cpu, digest.hexdigest()


@contextlib.contextmanager
def _killing(kill: Callable[[], None] | None) -> Iterator[None]:
    """Call a function once, after a number of files have been written."""
    take, written = Storing.take, [0]

    def counted(self: Storing, *found: Any) -> None:
        take(self, *found)
        written[0] += 1
        if kill is not None and written[0] == KILL_AFTER:
            kill()

    Storing.take = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        Storing.take = take  # type: ignore[method-assign]


@contextlib.contextmanager
def _two_nodes() -> Iterator[tuple[Any, Any]]:
    """A cluster with half of the cores in each node, and the second of them."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = need_ray()
    from ray.cluster_utils import Cluster

    have_token()
    with loopback(ray):
        options = {"include_dashboard": False}
        first = {**options, "num_cpus": cores() - cores() // 2}
        cluster = Cluster(initialize_head=True, head_node_args=first)
        try:
            second = cluster.add_node(**options, num_cpus=max(1, cores() // 2))
            ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
            yield cluster, second
        finally:
            ray.shutdown()
            cluster.shutdown()


def _processor_time() -> float:
    """Processor time of this process and of its running descendants [s]."""
    this, total = psutil.Process(), 0.0
    for process in (this, *this.children(recursive=True)):
        with contextlib.suppress(psutil.Error):  # it may just have ended
            total += sum(process.cpu_times()[:4])  # including its children that have ended
    return total


if __name__ == "__main__":
    run()
