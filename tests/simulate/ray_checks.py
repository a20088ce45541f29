"""Runs on a Ray cluster of two nodes, and on one that loses a node; what came out, as JSON.

A process of its own: Ray starts threads and processes, and all of them end with this one.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from inloop import gallery
from inloop.simulate.many import ray_cluster, ray_worker
from inloop.simulate.many.gathering import Gathering
from inloop.simulate.many.storing import Storing

RUNS, CHUNK = 300, 20
SILENT = b"RAY_USAGE_STATS_ENABLED=0"


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
            everywhere = listening()
            seen["sockets"] = len(everywhere)
            # 127.0.0.1, in the order of bytes of the kernel's tables
            seen["listening"] = [each for each in everywhere if not each.endswith("0100007F")]
            servers = [
                p for p in descendants(os.getpid()) if program(p) in ("gcs_server", "raylet")
            ]
            seen["silent"] = [says(process, SILENT) for process in servers]

    undo = hooked(Gathering, "take", look)
    many = runs(None, on="ray")
    undo()
    return {**seen, "bits": np.array_equal(many.q, alone.q)}


def program(process: int) -> str:
    """Name of the file that a process runs."""
    return Path(os.readlink(f"/proc/{process}/exe")).name


def says(process: int, variable: bytes) -> bool:
    """Whether a process has a variable in its environment."""
    return variable in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")


def listening() -> list[str]:
    """Addresses that a process started from here listens at."""
    inodes = set()
    for process in descendants(os.getpid()):
        for handle in Path(f"/proc/{process}/fd").glob("*"):
            try:
                inodes.add(os.readlink(handle).removeprefix("socket:[").removesuffix("]"))
            except OSError:
                continue
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                found.append(words[1].partition(":")[0])
    return found


def descendants(parent: int) -> list[int]:
    """Numbers of a process and all that it has started."""
    found = [parent]
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == parent:
            found += descendants(int(status.parent.name))
    return found


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


def cpu_time() -> float:
    """Of this process and all that it has started and that still run [s]."""
    ticks = 0
    for process in descendants(os.getpid()):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, words[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    place = Path(sys.argv[1])
    alone = runs(place / "alone")
    import ray
    from ray.cluster_utils import Cluster

    clock, told = time.monotonic(), {"local": check_local(alone, ray)}
    os.environ.update([SILENT.decode().split("=")])
    with ray_cluster.loopback(ray):
        head = {"num_cpus": 1, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        second = cluster.add_node(**head)
        ray.init(address=cluster.address, log_to_driver=False)
        try:
            told["two nodes"] = check_two_nodes(place, alone, ray)
            told["lost worker"] = check_lost_worker(place)
            told["another kind"] = check_another_kind(alone)
            told["hopeless"] = check_hopeless(place)
            told["killed node"] = check_killed_node(place, cluster, second)
            told["cpu"] = cpu_time()
        finally:
            ray.shutdown()
            cluster.shutdown()
    told["seconds"] = time.monotonic() - clock
    (place / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main()
