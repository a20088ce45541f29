"""Processes that end with the one that started them, even if it is gone before they look."""

from __future__ import annotations

import os
import subprocess
import sys

from inloop.studio.plants.processes import PARENT, child_environment

LIVES = "from inloop.cli.ending import end_with_parent; end_with_parent(); print('lives')"


def test_a_parent_that_has_ended_before_its_child_has_looked() -> None:
    """A plant that was still importing its modules stayed for ever when its studio was ended."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for parent, code, said in ((gone.pid, 143, ""), (os.getpid(), 0, "lives\n")):
        environment = {**child_environment(), PARENT: str(parent)}
        command = [sys.executable, "-c", LIVES]
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (code, said)
