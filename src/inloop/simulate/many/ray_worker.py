"""Work of the processes of a Ray cluster: chunks of runs, with libraries sent to them."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inloop.errors import InputError
from inloop.native.running.many import Chunk, ChunkRuns, ChunkWorker, ManyWork
from inloop.native.runtime_library import runtime_digest
from inloop.native.shipping import Libraries, LibraryText, build_libraries, machine_kind


@dataclass(frozen=True)
class Shipment:
    """Data shared by all chunks of a sweep.

    Attributes:
        runtime: digest of the runtime's source, which must be the same everywhere.
        work: data shared by the runs.
        texts: sources of all libraries, for machines of another kind.
    """

    runtime: str
    work: ManyWork
    texts: tuple[LibraryText, ...]


@dataclass(frozen=True)
class Done:
    """A completed chunk, and the machine and compiler that built its code."""

    found: ChunkRuns
    made_by: str


@dataclass(frozen=True)
class Missing:
    """There are no libraries yet for machines of the kind of this node."""

    kind: str
    node: str


# the current sweep of this process: its key, its worker, machine and compiler of its code
_present: list[tuple[str, ChunkWorker, str]] = []


def do_chunk(
    key: str, shipment: list[Any], libraries: Mapping[str, Any], chunk: Chunk
) -> Done | Missing:
    """Compute the runs of a chunk.

    Args:
        key: key of the sweep.
        shipment: reference to its `Shipment`, in a list: each process reads it once.
        libraries: references to its `Libraries` by kind of machine.
        chunk: the runs.

    Raises:
        InputError: this node has another version of inloop.
    """
    import ray

    if not _present or _present[0][0] != key:
        kind = machine_kind()
        if kind not in libraries:
            return Missing(kind, ray.get_runtime_context().get_node_id())
        shared: Shipment = ray.get(shipment[0])
        _check_version(shared)
        code: Libraries = ray.get(libraries[kind])
        worker = ChunkWorker(shared.work, code.load(), ctypes.c_int(0))
        _present[:] = [(key, worker, code.made_by)]
    _, worker, made_by = _present[0]
    return Done(worker.do(chunk), made_by)


def build_for_kind(shipment: list[Any]) -> Libraries:
    """Build the libraries on a node, for all machines of its kind.

    Raises:
        BuildError: there is no compiler, or it rejects the source.
    """
    import ray

    shared: Shipment = ray.get(shipment[0])
    _check_version(shared)
    return build_libraries(shared.texts)


def _check_version(shared: Shipment) -> None:
    if shared.runtime != _own_digest():
        import ray

        address = ray.get_runtime_context().get_node_id()[:8]
        raise InputError(
            f"node {address} has another version of inloop", fix="Install the same one everywhere."
        )


_own_digest = functools.cache(runtime_digest)
