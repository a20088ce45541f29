"""Facts about the machine of the measurement, and how programs are run on it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.peers.cache import cached, content_key
from benchmarks.peers.toolchain import BENCHMARKS, compiler_identity, cpu_model, run_compiler

REAL_TIME_PRIORITY = 10
OPERATIONS_PER_CYCLE = 2


def run_alone(command: Sequence[str | Path]) -> list[dict[str, Any]]:
    """Run a timing program on one core, with real-time priority where allowed; its JSON lines."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=_take_core)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _take_core() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    # not permitted for ordinary users: figures are then noisier, but not wrong
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(REAL_TIME_PRIORITY))


def machine_facts() -> dict[str, Any]:
    """Processor, clock [GHz], arithmetic, cost of reading the time [ns], cores and load."""
    clock = run_alone([_clock_program()])[0]
    load = [round(x, 2) for x in os.getloadavg()]
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "load": load, **clock}


def limit_ns(operations: float, ghz: float) -> float:
    """Minimum time of a number of operations at two per cycle [ns]."""
    return operations / (OPERATIONS_PER_CYCLE * ghz)


@cache
def _clock_program() -> Path:
    flags = ["-O3", "-march=native"]
    sources = [BENCHMARKS / "clock.c", BENCHMARKS / "timing.h"]
    key = content_key(compiler_identity("gcc"), " ".join(flags), *sources)

    def make(work: Path) -> None:
        run_compiler(["gcc", *flags, str(sources[0]), "-o", str(work / "clock"), "-lm"])

    return cached("clock", key, make) / "clock"
