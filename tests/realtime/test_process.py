"""Programs and signals: nothing is left behind, a killed controller is replaced, the commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from realtime_arm import HANG, advance_with_controller, all_records

import inloop as il
from inloop.cli import main
from inloop.realtime import Flag, running
from inloop.realtime.clock import START
from inloop.realtime.mailboxes.segment import segment_path
from warm_python import WarmPython

HERE = str(Path(__file__).parent)
Python = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def inloop() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`inloop("run", "pendulum", …)`: the command line in a process of its own."""
    begun: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = WarmPython(["-m", "inloop.cli", *words], text=True, **pipes)
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate()
    return process.returncode, out, err


def test_run_against_the_clock_for_machines(inloop: Any, name: str) -> None:
    words = ("run", "pendulum", "--rate", "500", "--seconds", "0.5", "--clock", "scripted")
    code, out, _ = ended(inloop(*words, "--name", name, "--json"))
    data = json.loads(out)
    assert code == 0
    assert data["t"] == pytest.approx(0.5)
    real = data["realtime"]
    assert (real["steps"], real["periods"], real["overruns"]) == (250, 250, 0)
    assert {"stale_inputs", "lost_telemetry"} <= set(real)
    for times in ("step_us", "latency_us", "input_age_us"):
        assert set(real[times]) == {"p50", "p99", "p999", "max"}
    assert (real["step_us"]["max"], real["latency_us"]["max"]) == (0.0, 0.0)


@pytest.mark.long
def test_run_against_the_clock_of_the_system(inloop: Any, name: str) -> None:
    words = ("run", "pendulum", "--rate", "500", "--seconds", "0.5", "--bare-loop", "--json")
    real = json.loads(ended(inloop(*words, "--name", name))[1])["realtime"]
    assert real["steps"] == 250
    assert 0.0 < real["step_us"]["p50"] <= real["step_us"]["p99"] <= real["step_us"]["max"]
    assert set(real["bare_loop_latency_us"]) == {"p50", "p99", "p999", "max"}
    assert real["bare_loop_periods"] > 0


def test_the_state_at_the_end_is_that_of_a_simulation(inloop: Any, name: str) -> None:
    words = ("--json", "--seconds", "0.5")
    clocked = ("--rate", "500", "--clock", "scripted", "--name", name)
    real = json.loads(ended(inloop("run", "puma560", *clocked, *words))[1])
    batch = json.loads(ended(inloop("run", "puma560", "--headless", "--step", "0.002", *words))[1])
    assert real["q"] == pytest.approx(batch["q"], rel=0, abs=1e-12)
    assert max(abs(v) for v in batch["qd"].values()) > 0.01


@pytest.mark.thinned(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_behind(inloop: Any, name: str, number: int) -> None:
    process = inloop("run", "pendulum", "--rate", "1000", "--clock", "held", "--name", name)
    assert process.stderr.readline().startswith(f"running '{name}' at 1000 Hz until Ctrl-C")
    with il.attach(name) as box:
        box.clock.advance(0.02)
        assert box.read().step == 20
        process.send_signal(number)
        code, out, err = ended(process)
    assert not segment_path(name).exists()
    assert "Traceback" not in err
    # Ctrl-C still gives the report
    assert code == (130 if number == signal.SIGINT else 143)
    assert ("overruns" in out) == (number == signal.SIGINT)


def test_the_report_is_written(name: str, tmp_path: Path) -> None:
    for ending in ("json", "txt", "png"):
        target = tmp_path / f"report.{ending}"
        words = ("run", "pendulum", "--rate", "1000", "--seconds", "0.1", "--clock", "scripted")
        assert main([*words, "--name", name, "--report", str(target)]) == 0
        assert target.stat().st_size > 100
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["steps"] == 100


def test_options_that_do_not_fit_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    cases = {
        ("--rate", "1000", "--step", "0.1"): "--step is only for simulations",
        ("--rate", "1000", "--experiment", "x"): "--experiment is only for simulations",
        ("--headless", "--clock", "held"): "--clock is only for runs in real time",
        ("--headless", "--bare-loop"): "--bare-loop is only for runs in real time",
        ("--rate", "1000", "--method", "scipy"): "cannot run in real time",
        ("--rate", "0"): "rate = 0",
        ("--rate", "1000", "--report", "nowhere/x.json"): "--report cannot write",
    }
    for words, text in cases.items():
        assert main(["run", "pendulum", *words]) == 2
        assert text in capsys.readouterr().err


def test_monitor(inloop: Any, plant: il.Plant, name: str) -> None:
    with il.start(plant, name=name, clock=il.ScriptedClock()):
        code, out, _ = ended(inloop("monitor", name, "--once"))
        assert code == 0
        assert "shoulder.q" in out
        assert "overruns" in out
        code, out, _ = ended(inloop("monitor", name, "--json"))
        data = json.loads(out)
        assert data["state"] == "RUNNING"
        assert set(data["outputs"]) >= {"t", "elbow.qd", "push"}
        assert name in json.loads(ended(inloop("monitor", "--json"))[1])["running"]
        # again and again
        watching = inloop("monitor", name)
        views = (line for line in watching.stdout if line.startswith(name))
        assert "steps/s" not in next(views)
        assert "0 steps/s" in next(views)
    # it ends with the plant
    code, _, err = ended(watching)
    assert code == 0
    assert "has ended" in err
    code, _, err = ended(inloop("monitor", name))
    assert code == 2
    assert f"no plant named '{name}'" in err


def test_include(inloop: Any) -> None:
    folder = Path(ended(inloop("--include"))[1].strip())
    assert folder == il.include_dir()
    assert (folder / "inloop.h").is_file()


FORGETFUL = """
import sys
sys.path.insert(0, sys.argv[2])
from realtime_arm import arm
import inloop as il
loop = il.start(arm().compile(), name=sys.argv[1], clock=il.ScriptedClock())
loop.clock.advance(0.1)
{end}
"""


@pytest.mark.parametrize(
    "end",
    [
        "raise ValueError('oh')",
        *(pytest.param(e, marks=pytest.mark.long) for e in ("", "del loop", "sys.exit(3)")),
    ],
)
def test_a_loop_that_nobody_closed_ends_with_the_program(
    python: Python, name: str, end: str
) -> None:
    process = python(FORGETFUL.format(end=end), name, HERE)
    process.communicate()
    assert process.returncode in (0, 1, 3)
    assert not segment_path(name).exists()
    assert name not in running()


CONTROLLER = """
import sys
import inloop as il
box = il.attach(sys.argv[1])
outputs, first = box.read(), True
while True:
    box.write(push=float(sys.argv[2]) + 0.0 * outputs.q[0])
    if first:
        print("controls", flush=True)
        first = False
    outputs = box.wait(60.0) or outputs
"""


@pytest.mark.long
def test_a_killed_controller_is_replaced_while_the_plant_runs_on(
    plant: il.Plant, python: Python, name: str
) -> None:
    options = {"rate": 1000.0, "stale_after": 0.1, "clock": il.ScriptedClock()}
    with il.start(plant, name=name, **options) as loop:
        first = python(CONTROLLER, name, "1.5")
        advance_with_controller(loop, 300)
        assert loop.mailbox.answered(HANG)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        loop.clock.advance_to(START + 0.7)
        second = python(CONTROLLER, name, "2.5")
        advance_with_controller(loop, 200)
        records = all_records(loop.mailbox)
        second.kill()
    # one plant all the time, no step missing
    assert [r.step for r in records] == list(range(901))
    # what the dead one wrote last is used for as long as it is fresh
    assert [r["push"] for r in records] == [0.0] + 400 * [1.5] + 300 * [0.0] + 200 * [2.5]
    safe = [r.step for r in records if r.flags & Flag.SAFE]
    assert safe == list(range(401, 701))
