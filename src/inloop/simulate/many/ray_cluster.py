"""Many runs on a Ray cluster: chunks are distributed, and repeated if their node is lost."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inloop.errors import InloopError, InputError, SimulationError, counted
from inloop.native.building.way import runs_as_python
from inloop.native.running.interruptible import WATCH_PERIOD
from inloop.native.running.many import Chunk, ChunkRuns, cores
from inloop.native.runtime_library import runtime_digest
from inloop.native.shipping import libraries_here
from inloop.simulate.many.order import Order
from inloop.simulate.many.ray_worker import Missing, Shipment, build_for_kind, do_chunk

AHEAD = 2  # chunks submitted per core, including those that wait
LOOK_PERIOD = 1.0  # [s]
KNOCK_TIME = 10.0  # timeout for an answer of a machine [s]
MOST_ATTEMPTS = 5  # of a chunk whose workers die
LOOPBACK = "127.0.0.1"

Take = Callable[[ChunkRuns, str], None]
Watch = Callable[[int, str], None]


@dataclass(frozen=True)
class RayCluster:
    """A cluster, which is connected to or started if necessary.

    Attributes:
        address: its address; None: the cluster that this process is connected to, that of
            RAY_ADDRESS, or else a local one, started for the duration of the runs.
    """

    address: str | None

    def run(self, order: Order, chunks: Iterator[Chunk], take: Take, watch: Watch) -> bool:
        """Compute all chunks; returns whether Ctrl-C ended them early.

        Raises:
            InputError: Ray is not installed, or a node cannot be used.
            SimulationError: the cluster cannot be reached, or chunks end their workers.
        """
        if runs_as_python():
            raise InputError(
                "runs on other machines need a C compiler on this one, and no working one was "
                "found",
                fix="Install one: pip install inloop[cc], or sudo apt-get install gcc libc6-dev.",
            )
        with _connected(self.address) as ray:
            return _Dispatch(ray, order, chunks).run(take, watch)


class _Dispatch:
    """Distribution of the chunks."""

    def __init__(self, ray: Any, order: Order, chunks: Iterator[Chunk]) -> None:
        self._ray, self._chunks, self._key = ray, chunks, secrets.token_hex(16)
        here = libraries_here(order.unit.library.path)
        self._shipment = [ray.put(Shipment(runtime_digest(), order.work, order.unit.texts))]
        self._libraries = {here.kind: ray.put(here)}
        self._under_way: dict[Any, Chunk] = {}
        self._again: list[Chunk] = []
        self._attempts: Counter[int] = Counter()
        self._done = self._nodes = self._cores = 0
        self._looked = -LOOK_PERIOD
        # attempts are counted here, so that a chunk that crashes its workers can be named
        options = {"num_cpus": 1, "max_retries": 0}
        self._do = ray.remote(**options)(do_chunk)
        self._build = ray.remote(**options)(build_for_kind)

    def run(self, take: Take, watch: Watch) -> bool:
        try:
            while self._hand_out():
                for reference in self._ready():
                    self._receive(reference, take)
                watch(self._done, f" on {counted(self._nodes, 'node')}")
        except KeyboardInterrupt:
            self._call_off()
            return True
        except BaseException:
            self._call_off()
            raise
        return False

    def _hand_out(self) -> bool:
        """Keep all cores busy; False when everything is done."""
        self._look()
        while len(self._under_way) < AHEAD * self._cores:
            chunk = self._again.pop() if self._again else next(self._chunks, None)
            if chunk is None:
                break
            sent = self._do.remote(self._key, self._shipment, dict(self._libraries), chunk)
            self._under_way[sent] = chunk
        return bool(self._under_way)

    def _ready(self) -> list[Any]:
        waiting = list(self._under_way)
        first, _ = self._ray.wait(waiting, num_returns=1, timeout=WATCH_PERIOD)
        if not first:
            return []
        ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return list(ready) or list(first)

    def _receive(self, reference: Any, take: Take) -> None:
        chunk = self._under_way.pop(reference)
        failures = self._ray.exceptions
        try:
            answer = self._ray.get(reference)
        except failures.RayTaskError as error:
            if not _is_loss(failures, error.cause):
                raise _own_error(error.as_instanceof_cause()) from error
            # the node that built for its kind, or held the libraries, is lost
            self._libraries = dict([next(iter(self._libraries.items()))])
            self._try_again(chunk, error)
            return
        except failures.RayError as error:
            self._try_again(chunk, error)
            return
        if isinstance(answer, Missing):
            self._build_for(answer)
            self._again.append(chunk)
            return
        take(answer.found, answer.made_by)
        self._done += chunk.end - chunk.begin

    def _try_again(self, chunk: Chunk, error: Exception) -> None:
        """Submit a chunk again, after its node or its process was lost."""
        self._attempts[chunk.begin] += 1
        if self._attempts[chunk.begin] >= MOST_ATTEMPTS:
            raise SimulationError(
                f"runs {chunk.begin} to {chunk.end - 1} crashed their workers {MOST_ATTEMPTS} "
                f"times: {str(error).splitlines()[0]}",
                fix="Run them on this machine, without on=, to see why; a smaller chunk= needs "
                "less memory.",
            ) from error
        self._again.append(chunk)

    def _build_for(self, missing: Missing) -> None:
        """Let one node build for all of its kind; chunks that need the libraries wait for them."""
        if missing.kind not in self._libraries:
            strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
            there = self._build.options(scheduling_strategy=strategy(missing.node, soft=False))
            self._libraries[missing.kind] = there.remote(self._shipment)

    def _call_off(self) -> None:
        for reference in self._under_way:
            self._ray.cancel(reference, force=True)

    def _look(self) -> None:
        """Update the size of the cluster periodically: nodes may join and leave."""
        if time.monotonic() < self._looked + LOOK_PERIOD:
            return
        self._looked = time.monotonic()
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        self._nodes = len(alive)
        self._cores = max(1, int(sum(node["Resources"].get("CPU", 0) for node in alive)))


def _is_loss(failures: Any, cause: Any) -> bool:
    """Whether a task failed because another one, or its node, is lost."""
    return isinstance(cause, failures.RayError) and not isinstance(cause, failures.RayTaskError)


def _own_error(error: Exception) -> Exception:
    """The error of a task as one of ours."""
    if isinstance(error, ModuleNotFoundError):
        return SimulationError(
            f"a node of the cluster lacks {error.name}",
            fix="Install inloop there: pip install inloop[ray], the same version as here.",
        )
    if isinstance(error, InloopError):
        return SimulationError(f"a node of the cluster cannot run its part: {error}", fix="")
    return error


def need_ray() -> Any:
    """The package ray.

    Raises:
        InputError: it is not installed.
    """
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise InputError(
            "runs on a cluster need Ray", fix="Install it with: pip install inloop[ray]"
        ) from error
    return ray


@contextlib.contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster; a connection or cluster started here ends here.

    Raises:
        SimulationError: no cluster answers at the address.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(_environment({"RAY_USAGE_STATS_ENABLED": "0"}))
        ray = need_ray()
        stack.enter_context(_quiet())
        if ray.is_initialized():
            _refuse_another(ray, address)
            yield ray
            return
        named = address or os.environ.get("RAY_ADDRESS")
        try:
            if named:
                _reach(ray, named)
                yield ray
            else:
                with _local_cluster(ray):
                    yield ray
        finally:
            ray.shutdown()


def _refuse_another(ray: Any, address: str | None) -> None:
    """Refuse a second cluster: a process has one at a time.

    Raises:
        InputError: it is connected to a cluster at another address.
    """
    present = ray.get_runtime_context().gcs_address
    if address not in (None, present):
        raise InputError(
            f"this process is connected to the Ray cluster at {present}, not at {address}",
            fix='Write on="ray" to use it, or call ray.shutdown() first.',
        )


def _reach(ray: Any, address: str) -> None:
    """Connect to a cluster.

    Raises:
        SimulationError: none answers there.
    """
    knock(address)
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise _unreachable(address, error) from error


def knock(address: str) -> None:
    """Check that a server listens at an address; Ray itself would try for minutes.

    Raises:
        SimulationError: none does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK_TIME).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> SimulationError:
    return SimulationError(
        f"no Ray cluster answers at {address[:60]!a}: {(str(error).splitlines() or [''])[0]}",
        fix="Check it with: ray status --address ADDRESS.",
    )


@contextlib.contextmanager
def _local_cluster(ray: Any) -> Iterator[None]:
    """A local cluster, which listens only at 127.0.0.1.

    Raises:
        SimulationError: it would listen elsewhere.
    """
    have_token()
    with loopback(ray):
        ray.init(
            address="local",
            num_cpus=cores(),
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
        )
        (node,) = ray.nodes()
        if node["NodeManagerAddress"] != LOOPBACK:
            raise SimulationError(
                f"Ray listens at {node['NodeManagerAddress']}, where others can reach it",
                fix="Start a cluster yourself and give its address.",
            )
        yield


def have_token() -> None:
    """Make Ray require a token that other users of this machine do not have.

    Without one, Ray would write a new one to the user's home. It stays valid for the lifetime of
    this process, which may start Ray again: Ray reads it once.
    """
    kept = Path.home() / ".ray" / "auth_token"
    if not kept.exists() and "RAY_AUTH_TOKEN_PATH" not in os.environ:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


@contextlib.contextmanager
def loopback(ray: Any) -> Iterator[None]:
    """Make Ray use the loopback address, which is not reachable from other machines."""
    # read from RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER when Ray is imported, possibly long before
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        with _environment({constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0"}):
            yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress all messages of Ray except errors."""
    logger = logging.getLogger("ray")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables temporarily, except those set by the user."""
    mine = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(mine)
    try:
        yield
    finally:
        for name in mine:
            os.environ.pop(name, None)
