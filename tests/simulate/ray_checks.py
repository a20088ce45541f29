"""Runs on a Ray cluster of two nodes, or on one that loses a node; what came out, as JSON.

python ray_checks.py FOLDER sound|losses

A process of its own: Ray starts threads and processes, and all of them end with this one.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import inloop as il
from inloop import gallery
from inloop.simulate.many import ray_cluster, ray_worker
from inloop.simulate.many.gathering import Gathering
from inloop.simulate.many.storing import Storing

RUNS, CHUNK = 300, 20
LOOPBACK = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}


def runs(folder: Path | None, on: Any = None, **options: Any) -> il.ManyResult:
    plant = gallery.get("double_pendulum").make().compile()
    design = il.designs.monte_carlo(
        {"upper.q": il.designs.uniform(-1.0, 1.0), "lower_mass": il.designs.normal(1.0, 0.05)},
        runs=RUNS,
        seed=7,
    )
    options = {"t_end": 0.5, "method": "rk4", "sample": 0.1, "chunk": CHUNK, **options}
    return plant.simulate_many(vary=design, folder=folder, on=on, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def hooked(owner: Any, name: str, before: Callable[..., None]) -> Callable[[], None]:
    """Call something before each call of a method; what undoes it."""
    original = getattr(owner, name)

    def call(*args: Any, **options: Any) -> Any:
        before(*args)
        return original(*args, **options)

    setattr(owner, name, call)
    return lambda: setattr(owner, name, original)


def check_two_nodes(place: Path, alone: il.ManyResult, ray: Any) -> dict[str, Any]:
    many = runs(place / "two", on=ray)
    gathered = runs(None, on="ray")
    try:
        runs(None, on="10.1.2.3:6379")
    except il.InputError as error:
        elsewhere = str(error)
    return {
        "elsewhere": elsewhere,
        "nodes": sum(node["Alive"] for node in ray.nodes()),
        "files": contents(place / "two") == contents(place / "alone"),
        "bits": np.array_equal(many.q, alone.q) and np.array_equal(many.qd, alone.qd),
        "gathered": np.array_equal(gathered.q, alone.q),
    }


def check_local(alone: il.ManyResult, ray: Any) -> dict[str, Any]:
    """A cluster that `on="ray"` starts by itself; looked at when the first chunk comes."""
    seen: dict[str, Any] = {}

    def look(*_: Any) -> None:
        if not seen:
            seen["addresses"] = sorted({node["NodeManagerAddress"] for node in ray.nodes()})
            everywhere = of_all_processes(listening)
            seen["sockets"] = len(everywhere)
            seen["listening"] = [each for each in everywhere if each not in LOOPBACK]
            seen["silent"] = of_all_processes(silent_servers)

    undo = hooked(Gathering, "take", look)
    many = runs(None, on="ray")
    undo()
    return {**seen, "bits": np.array_equal(many.q, alone.q)}


def of_all_processes(ask: Callable[[psutil.Process], list[Any]]) -> list[Any]:
    """What is found in this process and in those that it has started and that run on."""
    this = psutil.Process()
    found = []
    for process in (this, *this.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            found += ask(process)
    return found


def listening(process: psutil.Process) -> list[str]:
    """Addresses that it listens at."""
    sockets = process.net_connections("tcp")
    return [each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN]


def silent_servers(process: psutil.Process) -> list[bool]:
    """For a server of Ray, whether its environment asks for silence."""
    if Path(process.exe()).name not in ("gcs_server", "raylet"):
        return []
    return [SILENT.items() <= process.environ().items()]


def check_lost_worker(place: Path) -> dict[str, Any]:
    """The first process that gets a chunk dies with it."""
    mark, attempts = place / "died", []
    undo = hooked(ray_cluster._Dispatch, "_try_again", lambda *_: attempts.append(0))

    def dies_once(key: str, shipment: Any, libraries: Any, chunk: Any) -> Any:
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return ray_worker.do_chunk(key, shipment, libraries, chunk)
        os._exit(1)

    ray_cluster.do_chunk, before = dies_once, ray_cluster.do_chunk
    many = runs(place / "lost", on="ray")
    ray_cluster.do_chunk = before
    undo()
    same = contents(place / "lost") == contents(place / "alone")
    return {"attempts": len(attempts), "files": same, "failed": len(many.failed)}


def check_hopeless(place: Path) -> dict[str, Any]:
    """The first chunk ends whoever takes it."""

    def dies(key: str, shipment: Any, libraries: Any, chunk: Any) -> Any:
        if chunk.begin == 0:
            os._exit(1)
        return ray_worker.do_chunk(key, shipment, libraries, chunk)

    ray_cluster.do_chunk, before = dies, ray_cluster.do_chunk
    ray_cluster.MOST_ATTEMPTS = 2
    try:
        runs(place / "hopeless", on="ray")
    except il.SimulationError as error:
        return {"error": str(error)}
    finally:
        ray_cluster.do_chunk = before
    return {"error": ""}


def check_another_kind(alone: il.ManyResult) -> dict[str, Any]:
    """Nodes that cannot use the libraries of this machine: they are built there, once."""
    builds: list[str] = []
    undo = hooked(ray_cluster._Dispatch, "_build_for", lambda _, found: builds.append(found.kind))

    def of_another_kind(key: str, shipment: Any, libraries: Any, chunk: Any) -> Any:
        ray_worker.machine_kind = lambda: "another"
        return ray_worker.do_chunk(key, shipment, libraries, chunk)

    ray_cluster.do_chunk, before = of_another_kind, ray_cluster.do_chunk
    many = runs(None, on="ray")
    ray_cluster.do_chunk = before
    undo()
    return {"kinds": sorted(set(builds)), "bits": bool(np.array_equal(many.q, alone.q))}


def check_killed_node(place: Path, cluster: Any, node: Any) -> dict[str, Any]:
    """One of two nodes is killed once a chunk has come."""
    left: list[int] = []

    def kill(*_: Any) -> None:
        if not left:
            left.append(len(list((place / "killed" / "runs").glob("*.parquet"))))
            cluster.remove_node(node, allow_graceful=False)

    undo = hooked(Storing, "take", kill)
    many = runs(place / "killed", on="ray")
    undo()
    return {
        "files": contents(place / "killed") == contents(place / "alone"),
        "written": left[0],
        "of": -(-RUNS // CHUNK),
        "alive": node.any_processes_alive(),
        "failed": len(many.failed),
    }


def main() -> None:
    place, sound = Path(sys.argv[1]), sys.argv[2] == "sound"
    alone = runs(place / "alone")
    import ray
    from ray.cluster_utils import Cluster

    told = {"local": check_local(alone, ray)} if sound else {}
    os.environ.update(SILENT)
    with ray_cluster.loopback(ray):
        head = {"num_cpus": 1, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        second = cluster.add_node(**head)
        ray.init(address=cluster.address, log_to_driver=False)
        try:
            if sound:
                told["two nodes"] = check_two_nodes(place, alone, ray)
                told["another kind"] = check_another_kind(alone)
            else:
                told["lost worker"] = check_lost_worker(place)
                told["hopeless"] = check_hopeless(place)
                told["killed node"] = check_killed_node(place, cluster, second)
        finally:
            ray.shutdown()
            cluster.shutdown()
    (place / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main()
