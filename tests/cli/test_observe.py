"""`inloop observe`, and what other commands show of observers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import inloop as il
from inloop.cli import main
from inloop.realtime import record

MODEL = """
import inloop as il
model = il.Model("sledge", gravity=(0.0, 0.0, 0.0))
rail = il.prismatic("x", name="rail", initial=(0.1, 0.0))
model.body("mass", on=model.ground, joint=rail, mass=1.3)
model.joint_force("rail", lambda q, qd: -37.0 * q - 0.9 * qd)
"""
OBSERVER = """
def observer():
    return il.observer(model.compile(), measured={"rail.q": 1e-4}, period=2e-3)
"""
NAME = f"sledge-{os.getpid()}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("observe")
    (made / "sledge.py").write_text(MODEL)
    (made / "observed.py").write_text(MODEL + OBSERVER)
    (made / "wrong.py").write_text(MODEL + "observer = 3\nobserver = lambda: 3\n")
    return made


@pytest.fixture(scope="module")
def sledge(folder: Path) -> il.Plant:
    names: dict[str, object] = {}
    exec(MODEL, names)
    return names["model"].compile()


@pytest.fixture
def running(sledge: il.Plant) -> Iterator[il.Loop]:
    """A plant that stands: there is one record, and no more."""
    with il.start(sledge, name=NAME, rate=500.0, mode="lock-step") as loop:
        yield loop


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return json.loads(capsys.readouterr().out)


def test_a_plant_that_runs(
    running: il.Loop, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--seconds", "0.05", "--json"]
    words = ["--measured", "rail.q=1e-4", "--unknown", "rail.tau=2", "--method", "ukf"]
    assert main(["observe", NAME, str(folder / "sledge.py"), *words, *few]) == 0
    data = told(capsys)
    assert data["name"] == f"{NAME}.observed"
    assert data["records"] == 1
    words = ["--measured", "rail.q=1e-4", "--state", "rail.qd=1e-3", "--method", "mhe"]
    words += ["--horizon", "4", "--step", "1e-3", "--integrator", "implicit"]
    assert main(["observe", NAME, str(folder / "sledge.py"), *words, *few]) == 0
    assert told(capsys)["records"] == 1
    assert main(["observe", NAME, str(folder / "observed.py"), "--as", "other-name", *few]) == 0
    assert told(capsys)["name"] == "other-name"


def test_inside_the_loop_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--rate", "500", "--clock", "scripted", "--seconds", "0.1", "--name", f"{NAME}-own"]
    file = str(folder / "observed.py")
    assert main(["run", file, "--observer", "observer", *words, "--json"]) == 0
    data = told(capsys)
    assert data["outputs"]["observer.rail.qd"] == pytest.approx(data["qd"]["rail"], abs=1e-4)
    assert main(["run", file, "--observer", "nobody", *words]) == 2
    assert "has no observer 'nobody'" in capsys.readouterr().err


def test_what_is_wrong(running: il.Loop, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(folder / "sledge.py")
    for words, message in (
        ([NAME], f"the model of '{NAME}' is not known here"),
        ([NAME, model], f"observer of '{NAME}': no measured outputs"),
        ([NAME, model, "--measured", "rail.q"], "does not assign a number"),
        ([NAME, model, "--measured", "rail.w=1"], "the plant has no output 'rail.w'"),
        (
            [NAME, model, "--measured", "rail.q=1", "--measured", "rail.q=2"],
            "'rail.q' is given twice",
        ),
        ([NAME, model, "--measured", "rail.q=1", "--delay", "rail.q=3e-3"], "not a whole number"),
        ([NAME, str(folder / "observed.py"), "--method", "ukf"], "--method does not change the"),
        ([NAME, str(folder / "wrong.py")], "`observer` is, or returns, a int"),
    ):
        assert main(["observe", *words]) == 2
        assert message in capsys.readouterr().err


def test_estimates_are_shown_by_name_and_replayed(
    sledge: il.Plant, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, observer = (
        folder / "run.mcap",
        il.observer(sledge, measured={"rail.q": 1e-4}, period=2e-3),
    )
    with il.start(
        sledge, name=NAME, rate=500.0, mode="lock-step", observer=observer
    ) as loop, il.attach(NAME) as box:  # fmt: skip
        box.rewind()
        for _ in range(8):
            loop.mailbox.read()
            loop.mailbox.write({"rail.tau": 1.0})
            loop.mailbox.wait(30.0)
        assert main(["monitor", NAME, "--once"]) == 0
        assert "observer: NIS" in capsys.readouterr().out
        assert main(["monitor", NAME, "--once", "--signals", "observer.rail.*,rail.q"]) == 0
        shown = capsys.readouterr().out
        assert "observer.rail.qd.deviation" in shown
        assert "rail.tau" not in shown
        assert main(["monitor", NAME, "--once", "--signals", "nobody.*"]) == 2
        loop.close()
        record(box, file)
    assert main(["replay", str(file), str(folder / "sledge.py"), "--json"]) == 0
    found = told(capsys)
    assert found["identical"]
    assert found["observed"] == found["steps"] == 8
