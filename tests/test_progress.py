"""Long work tells what it is at, on a terminal and nowhere else, and leaves the terminal clean."""

from __future__ import annotations

import os
import pty
import re
import textwrap
from itertools import pairwise
from pathlib import Path

import pytest

from warm_python import WarmPython, run

# everything counts as long here, and every text is shown
HEAD = """
    import numpy as np
    import inloop as il
    from inloop import gallery
    from inloop.native import progress
    from inloop.native.running import interruptible
    from inloop.simulate.progress import Progress
    progress.PATIENCE = progress.LEAST_PAUSE = 0.0
"""
# of the model alone: the runtime is there already
COMPILE = """
    import os
    from inloop.native import load_realtime, load_runtime
    load_runtime(), load_realtime()
    os.environ["INLOOP_CACHE"] = {cache!r}
    plant = gallery.get("double_pendulum").build().compile()
"""
RUN = """
    plant = gallery.get("{exhibit}").build().compile()
    print("\\nRUN", file=__import__("sys").stderr, flush=True)
    interruptible.WATCH_PERIOD = 1e-4
    plant.simulate(t_end={t_end}, step={step}, method="rk4", sample={t_end})
"""


def on_a_terminal(code: str, **environment: str) -> str:
    """What a program writes to a terminal that is its standard error."""
    near, far = pty.openpty()
    command = ["-c", textwrap.dedent(HEAD) + textwrap.dedent(code)]
    with WarmPython(command, stderr=far, env={**os.environ, **environment}) as process:
        os.close(far)
        written = b""
        while part := _read(near):
            written += part
    os.close(near)
    assert process.returncode == 0, written
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""


def shown(written: str) -> str:
    """What a person sees in the end: a carriage return begins the line anew."""
    line: list[str] = []
    column = 0
    for character in written.rsplit("\n", 1)[-1]:
        if character == "\r":
            column = 0
            continue
        line[column : column + 1] = character
        column += 1
    return "".join(line).strip()


def test_functions_and_parts_are_told(tmp_path: Path) -> None:
    written = on_a_terminal(COMPILE.format(cache=str(tmp_path)))
    functions = re.findall(r"deriving (\w+) of double_pendulum \((\d) of (\d)\)", written)
    assert [name for name, _, _ in functions] == [
        "inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy"
    ]  # fmt: skip
    assert [int(number) for _, number, _ in functions] == [1, 2, 3, 4, 5]
    assert {count for _, _, count in functions} == {"5"}
    parts = re.findall(r"compiling double_pendulum: (\d+) of (\d+) parts", written)
    assert [int(number) for number, _ in parts] == list(range(1, int(parts[0][1]) + 1))
    assert shown(written) == ""


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("exhibit", "t_end", "step"),
    [("double_pendulum", 200.0, 1e-4), ("four_bar", 2.0, 1e-3), ("bouncing_ball", 2.0, 1e-6)],
    ids=["tree", "closed, in pieces", "modes"],
)
def test_runs_tell_how_far_they_are(exhibit: str, t_end: float, step: float) -> None:
    code = RUN.format(exhibit=exhibit, t_end=t_end, step=step)
    written = on_a_terminal(code).rpartition("RUN")[2]
    percent = [int(number) for number in re.findall(r"simulating: +(\d+) %", written)]
    assert all(a <= b for a, b in pairwise(percent))
    # what comes after it has another name
    assert "simulating" not in written.partition("checking the steps")[2]
    assert percent[0] == 0 and percent[-1] <= 100 and any(0 < p < 100 for p in percent)
    if exhibit == "four_bar":
        # pieces begin behind the singular positions, at 0.72 s and 1.23 s of 2 s
        assert any(36 <= p <= 45 for p in percent) and any(61 <= p <= 70 for p in percent)
    assert shown(written) == ""


def test_nothing_is_told_to_files_and_pipes(tmp_path: Path) -> None:
    compile_it = textwrap.dedent(COMPILE.format(cache=str(tmp_path)))
    code = textwrap.dedent(HEAD) + compile_it + "plant.simulate(t_end=0.1)\n"
    done = run(["-c", code])
    assert done.returncode == 0
    assert done.stdout == done.stderr == ""


def test_work_that_says_nothing_is_told_of_after_a_while() -> None:
    """Of blocking work the text comes by itself."""
    code = """
        import io, sys, threading
        came = threading.Event()
        class Terminal(io.StringIO):
            def isatty(self):
                return True
            def write(self, text):
                if "deriving" in text:
                    came.set()
                return super().write(text)
        sys.stderr = Terminal()
        progress.PATIENCE = 1e-3
        with progress.ProgressLine("deriving inverse_dynamics of car"):
            assert came.wait(120.0)
        written, sys.stderr = sys.stderr.getvalue(), sys.__stderr__
        assert written.count("deriving") == 1 and written.endswith(" \\r"), written
    """
    on_a_terminal(code)


def test_the_line_goes_also_when_work_fails() -> None:
    code = """
        try:
            with progress.ProgressLine("deriving") as line:
                line.say("deriving this")
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
    """
    written = on_a_terminal(code)
    assert "deriving this" in written
    assert shown(written) == ""
