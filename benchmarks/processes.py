"""Measurements that need a separate process: clean memory, clean caches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from benchmarks.report import Row


def measured_apart(
    module: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> Row:
    """Run `python -m module arguments` and read the JSON object it prints last.

    Raises:
        RuntimeError: it failed; the text ends with its last output.
    """
    command = [sys.executable, "-m", module, *arguments]
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed: {done.stderr.strip()[-2000:]}")
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row
