"""The command as a process of its own: streams, pipes, signals, machines without a compiler."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import warm_python

COMMAND = [sys.executable, "-m", "inloop"]


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return warm_python.run(["-m", "inloop", *words], env={**os.environ, **environment})


def test_a_fresh_python_speaks_and_ends_as_one_that_has_imported_before() -> None:
    """Most processes of the tests are divided from one that has imported inloop."""
    words = ["-m", "inloop", "describe", "pumma560"]
    fresh = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    warm = warm_python.run(words)
    assert (warm.returncode, warm.stdout, warm.stderr) == (
        fresh.returncode, fresh.stdout, fresh.stderr,
    )  # fmt: skip
    assert fresh.returncode == 2


def test_json_comes_alone_on_stdout() -> None:
    done = run("run", "puma560", "--seconds", "0.1", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "OK"
    assert done.stderr == ""


def test_errors_have_exit_code_two() -> None:
    done = run("describe", "pumma560")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'puma560'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*COMMAND, "list"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert done.stderr == ""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("closed", "words", "code"), [(">&-", "--version", 0), ("2>&-", "describe pumma560", 2)]
)
def test_closed_streams_are_no_error(closed: str, words: str, code: int) -> None:
    line = f"exec {shlex.join(COMMAND)} {words} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


@pytest.mark.long
@pytest.mark.thinned(2)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_demo_tells_the_whole_story(encoding: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "demo"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    text = done.stdout.decode(encoding)
    assert done.returncode == 0, done.stderr
    for part in (
        "PUMA 560", "Double pendulum", "inverse_dynamics", "derived in", "hoist", "hot [ns]",
        "gravity torques in q_n", "released for 10 s, 10000 steps", "the energy drifted by",
        "the generated C is in", "What to try next",
    ):  # fmt: skip
        assert part in text, part
    assert ("path of its tip" in text) == (encoding == "utf-8")
    # a path stands on a line of its own and may be as long as it is
    assert (
        max(len(line) for line in text.splitlines() if not line.strip().startswith(os.sep)) <= 110
    )
    assert not list(tmp_path.iterdir()), "nothing is written unless asked for"


def test_the_demo_for_machines(tmp_path: Path) -> None:
    figure = tmp_path / "figure.png"
    done = run("demo", "--json", "--plot", str(figure))
    data = json.loads(done.stdout)
    for entry in data["mechanisms"].values():
        assert entry["ok"] and entry["checks"]
        assert entry["run"]["energy_drift"] < 1e-7
        assert entry["functions"]["direct_dynamics"]["hot_ns"] > 0.0
        assert list(Path(entry["sources"]).glob("*_direct_dynamics.c"))
    assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_without_a_compiler_the_demo_explains() -> None:
    done = run("demo", PATH="/nonexistent", INLOOP_CC="", CC="")
    assert done.returncode == 0, done.stderr
    assert "No C compiler works here" in done.stdout
    assert "10000 steps" in done.stdout  # it runs all the same
    assert done.stderr.startswith("note: ")
    assert "Traceback" not in done.stderr


def test_without_a_compiler_a_run_against_the_clock_explains() -> None:
    done = run("run", "pendulum", "--rate", "1000", PATH="/nonexistent", INLOOP_CC="", CC="")
    assert done.returncode == 2
    # one sentence that names a way out, and nothing else
    assert done.stderr.startswith("error: running in real time needs a C compiler")
    assert "pip install inloop[cc]" in done.stderr and done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_help_names_every_command() -> None:
    text = run("--help").stdout
    for name in ("list", "describe", "derive", "run", "check", "demo", "bench"):
        assert f"    {name} " in text
