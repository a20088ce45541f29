"""Runs on a Ray cluster: bits and files of one machine, also when workers and nodes are lost."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

import inloop as il
from inloop.native.building.locking import exclusive
from inloop.simulate.many.places import find_place
from inloop.simulate.many.ray_cluster import knock

pytestmark = pytest.mark.begins_first

CHECKS = Path(__file__).parent / "ray_checks.py"
PATIENCE = 900.0  # for all checks, on a machine that is busy [s]


def end_session(leader: int) -> None:
    """End all processes of a session, those that Ray started in groups of their own too."""
    for process in psutil.process_iter():
        with contextlib.suppress(OSError, psutil.Error):  # it may end just now
            if os.getsid(process.pid) == leader:
                process.kill()


@pytest.fixture(scope="module")
def told(of_all_workers: Path, require_package: Callable[[str], Path]) -> dict[str, Any]:
    """What the checks found, all of them on one cluster; once, whoever asks."""
    require_package("ray")
    return told_of(of_all_workers / "ray", "sound")


@pytest.fixture(scope="module")
def told_of_losses(of_all_workers: Path, require_package: Callable[[str], Path]) -> dict[str, Any]:
    """The same where workers and nodes are lost."""
    require_package("ray")
    return told_of(of_all_workers / "ray_losses", "losses")


def told_of(place: Path, kind: str) -> dict[str, Any]:
    with exclusive(place.with_suffix(".lock"), patience=PATIENCE):
        if not (place / "told.json").exists():
            place.mkdir(exist_ok=True)
            make_checks(place, kind)
    return dict(json.loads((place / "told.json").read_text()))


def make_checks(place: Path, kind: str) -> None:
    """In a process of its own, which writes what it found."""
    # no cluster that runs here already
    environment = {name: text for name, text in os.environ.items() if not name.startswith("RAY_")}
    # its processes may take long to start on a machine that is busy
    environment |= {"RAY_raylet_start_wait_time_s": "600", "RAY_NUM_REDIS_GET_RETRIES": "600"}
    with tempfile.TemporaryDirectory(prefix="ray-") as short, open(place / "log.txt", "w") as log:
        # sockets lie there, whose paths must be short
        environment["RAY_TMPDIR"] = short
        process = subprocess.Popen(
            [sys.executable, str(CHECKS), str(place), kind],
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE)
        finally:
            end_session(process.pid)
            process.wait()
    assert code == 0, (place / "log.txt").read_text()[-4000:]


def test_two_nodes_give_the_bits_and_files_of_one_machine(told: dict[str, Any]) -> None:
    found = told["two nodes"]
    assert found["nodes"] == 2
    assert found["files"] and found["bits"] and found["gathered"]
    # there is no second cluster for a process that has one
    assert "not at 10.1.2.3:6379" in found["elsewhere"]


def test_a_local_cluster_is_not_seen_from_elsewhere(told: dict[str, Any]) -> None:
    found = told["local"]
    assert found["addresses"] == ["127.0.0.1"] and found["listening"] == []
    assert found["sockets"] > 3 and found["bits"]


@pytest.mark.long
def test_a_local_cluster_tells_nobody(told: dict[str, Any]) -> None:
    assert told["local"]["silent"] == [True, True]


@pytest.mark.long
def test_a_worker_that_dies_is_replaced(told_of_losses: dict[str, Any]) -> None:
    found = told_of_losses["lost worker"]
    assert found["attempts"] == 1 and found["files"] and found["failed"] == 0


@pytest.mark.long
def test_a_chunk_that_always_ends_its_worker_is_told(told_of_losses: dict[str, Any]) -> None:
    error = told_of_losses["hopeless"]["error"]
    assert "runs 0 to 19 crashed their workers 2 times" in error


def test_machines_of_another_kind_build_for_themselves(told: dict[str, Any]) -> None:
    found = told["another kind"]
    assert found["kinds"] == ["another"] and found["bits"]


@pytest.mark.long
def test_a_node_that_is_killed_changes_no_bit(told_of_losses: dict[str, Any]) -> None:
    found = told_of_losses["killed node"]
    assert not found["alive"] and found["written"] < found["of"]
    assert found["files"] and found["failed"] == 0


def test_a_place_where_nobody_listens_is_told_at_once() -> None:
    with socket.socket() as bound:  # a port that is nobody else's, and that nobody listens at
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with pytest.raises(il.SimulationError, match=f"answers at '127.0.0.1:{port}': .*refused"):
            knock(f"127.0.0.1:{port}")
        bound.listen()
        knock(f"ray://127.0.0.1:{port}")
    for odd in ("127.0.0.1:99999999999999999999", "[::1]:0"):
        with pytest.raises(il.SimulationError, match="answers at"):
            knock(odd)


def test_places_by_name() -> None:
    assert find_place(None) is None
    for address in ("10.0.0.5:6379", "ray://head:10001"):
        place = find_place(address)
        assert place is not None and place.address == address
    for wrong in ("", "ray:", "head", "http://head:80", " head:1", "head:port"):
        with pytest.raises(il.InputError, match="not a place to run"):
            find_place(wrong)
