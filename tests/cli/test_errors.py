"""What goes wrong: short messages, exit codes, no tracebacks, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.cli.advice import shell_words
from inloop.simulate.progress import Progress

Capture = pytest.CaptureFixture[str]
ENTITIES = """<?xml version="1.0"?>
<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>
"""


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (("run", "puma"), ("Did you mean 'puma560'?",)),
        (("describe", "pendulun"), ("Did you mean 'pendulum'?",)),
        (("describe", "nothing.urdf"), ("nothing.urdf", "No such file")),
        (("describe", "nothing.py"), ("no file 'nothing.py'",)),
        (("describe", "."), ("'.' is a folder",)),
        (("describe", "/"), ("/",)),
        (("describe", ""), ("the gallery has no mechanism ''",)),
        (("describe", "a\0b/c.urdf"), ("is not a file name",)),
        (("describe", "x" * 5000), ("...",)),
        (("describe", "\x1b]0;title\x07"), ("\\x1b",)),
        (("check", "pendulum", "pndulum"), ("Did you mean 'pendulum'?",)),
        (("run", "pendulum", "--set", "lenght=1"), ("Did you mean length?",)),
        (("describe", "pendulum", "--set", "lenght=1"), ("Did you mean length?",)),
        (("describe", "pendulum", "--set", "length=30"), ("outside 0.1 .. 3 m",)),
        (("derive", "pendulum", "--set", "lenght=1"), ("Did you mean length?",)),
        (("run", "pendulum", "--set", "length=30"), ("outside 0.1 .. 3 m",)),
        (("run", "pendulum", "--set", "length=nan"), ("nan is not a number",)),
        (("run", "pendulum", "--set", "length=long"), ("Give a number.",)),
        (("run", "pendulum", "--set", "length"), ("not an assignment", "length=0.8")),
        (("run", "n_pendulum", "--set", "n=2.5"), ("a whole number from 1 to 400",)),
        (("run", "puma560", "--set", "friction=maybe"), ("true or false",)),
        (("run", "pendulum", "--seconds", "nan"), ("makes no sense",)),
        (("run", "pendulum", "--seconds", "-1"), ("makes no sense",)),
        (("run", "pendulum", "--seconds", "inf"), ("makes no sense",)),
        (("run", "pendulum", "--step", "0"), ("makes no sense",)),
        (("run", "pendulum", "--step", "1e-300"), ("more than 1e+15 steps",)),
        (("run", "pendulum", "--step", "1e-310"), ("more than 1e+15 steps",)),
        (("run", "pendulum", "--step", "99"), ("shorter than one step",)),
        (("run", "pendulum", "--save", "a.txt"), (".csv or .npz",)),
        (("run", "pendulum", "--plot", "a.foo"), (".png",)),
        (("run", "pendulum", "--plot", "no/where.png"), ("no directory 'no'",)),
        (("describe", "pendulum", "--set", "lenght=1"), ("Did you mean length?",)),
        (("describe", "pendulum", "--set", "length=30"), ("outside 0.1 .. 3 m",)),
        (("derive", "four_bar", "--set", "n=1"), ("no live parameter 'n'",)),
        (("derive", "pendulum", "--functions", "bais"), ("Did you mean 'bias'?",)),
        (("derive", "pendulum", "--functions", ","), ("--functions is empty",)),
        (("derive", "pendulum", "--live", "bar.weight"), ("bar.weight",)),
        (("derive", "pendulum", "--external-forces", "rod"), ("no body 'rod'",)),
        (("derive", "pendulum", "--out", "/dev/null/x"), ("/dev/null/x", "Check the path.")),
        (("derive", "pendulum", "--out", __file__), ("File exists. Choose another name.",)),
    ],
)  # fmt: skip
def test_mistakes_give_a_short_message(
    words: tuple[str, ...],
    texts: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: ")
    assert "Traceback" not in shown.err and "\x1b" not in shown.err
    assert len(shown.err) < 600
    for text in texts:
        assert text in shown.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("x = 1\n", "defines no il.Model, and neither `model` nor `plant`. Define `model`"),
        ("def build_model():\n    pass\n", "`build_model` returns it, write: model = build_model."),
        ("model = 3\n", "`model` is, or returns, a int. Define `model`"),
        ("def model(n):\n    return n\n", "model(n) needs arguments. Give them default values."),
        ("import inloop as il\na, b = il.Model('a'), il.Model('b')\n", "2 models: a, b. Call the"),
    ],
)  # fmt: skip
def test_python_files_say_what_was_looked_for(
    content: str, text: str, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "mine.py").write_text(content)
    assert main(["describe", str(tmp_path / "mine.py")]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        (("run", "pendulum", "--step", "99"), "Use a smaller --step.", "smaller step"),
        (("run", "pendulum", "--set", "zzz=1"), "`inloop describe` lists", "plant.parameters"),
        (("derive", "pendulum", "--live", "zzz"), "--live all", "live="),
        (("run", "zzz"), "no mechanism 'zzz'. `inloop list` shows them all", "pendulum"),
        (("run", "robot", "--rate", "1000", "--controller", "computed_torqe"),
         "Did you mean computed_torque?", "flexlink"),
        (("record", "nothing_runs", "--to", "a.mcap"), "no plant named 'nothing_runs'", "wait"),
    ],
)  # fmt: skip
def test_advice_is_in_words_of_the_shell(
    words: tuple[str, ...], right: str, wrong: str, capsys: Capture
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert right in error and wrong not in error


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ('use method="rodas" with tolerance=1e-6', "use --method rodas with --tolerance 1e-6"),
        ("with step=1e-4.", "with --step 1e-4."),
        (
            "Leave it out, or compile without formulation='redundant'.",
            "Leave it out, or leave out --formulation.",
        ),
        ("only to formulation='redundant'", "only to --formulation redundant"),
        (
            "Use a step smaller than 0.5 s or an implicit method, look for laws, "
            "or set wider bounds: plant.bounds.",
            "Use a --step below 0.5 s or --method implicit, look for laws.",
        ),
        ("Use it; error.result holds the run so far.", "Use it."),
        ("a timestep=3 of its own", "a timestep=3 of its own"),
    ],
)
def test_arguments_become_options(python: str, shell: str) -> None:
    assert shell_words(python) == shell


def test_json_errors_are_one_object(capsys: Capture) -> None:
    assert main(["describe", "puma", "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "ERROR"
    assert "puma" in data["mistakes"][0]["what"]
    assert "puma560" in data["mistakes"][0]["fix"]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("lst", "did you mean list?"),
        ("piano", "write: inloop run piano, or inloop studio piano"),
        ("arm.urdf", "write: inloop run arm.urdf"),
        ("zzzzz", "`inloop --help` lists all commands"),
    ],
)
def test_wrong_commands_are_answered_with_near_ones(word: str, told: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main([word])
    assert f"no command '{word}'; " in (error := capsys.readouterr().err)
    assert told in error and "describe" not in error


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--t-end", "1"], "there is no option --t-end; did you mean --seconds?"),
        (["--Step=1e-3"], "there is no option --Step=1e-3; did you mean --step?"),
        (["--zzzzz"], "there is no option --zzzzz; `inloop run --help` lists all options"),
        (["pendulum"], "unrecognized arguments: pendulum"),
    ],
)
def test_wrong_options_are_answered_with_near_ones(
    words: list[str], told: str, capsys: Capture
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "four_bar", *words])
    assert told in capsys.readouterr().err


def test_wrong_usage_is_json_too(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--json"])
    assert json.loads(capsys.readouterr().out)["status"] == "ERROR"


def test_debug_shows_the_traceback() -> None:
    with pytest.raises(il.InputError):
        main(["describe", "puma", "--debug"])


@pytest.mark.parametrize(
    "words",
    [
        ("fly",), ("run",), ("run", "pendulum", "--method", "magic"),
        ("run", "pendulum", "--seconds", "soon"), ("derive", "pendulum", "--language", "cobol"),
        ("run", "pendulum", "--stale-after", "soon"), ("record", "pendulum", "--to", ""),
        *(("run", "pendulum", option, "") for option in ("--save", "--record", "--name")),
    ],
)  # fmt: skip
def test_wrong_usage_is_explained(words: tuple[str, ...], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("usage: inloop") and "_age" not in shown
    assert len(shown.splitlines()) == 2  # the options, some thirty of them, are for --help


def test_a_figure_that_cannot_be_written_is_told_before_the_run(capsys: Capture) -> None:
    words = ("run", "pendulum", "--rate", "500", "--seconds", "9", "--plot", "swing.foo")
    assert main(words) == 2
    shown = capsys.readouterr().err
    assert "cannot draw a figure as '.foo'" in shown and "running" not in shown


def test_a_misspelled_controller_of_a_file(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "arm.py"
    file.write_text(
        "import inloop as il\n"
        "model = il.Model('arm')\n"
        "model.body('arm', on='ground', joint=il.revolute('y'), mass=1, com=(0, 0, -1))\n"
        "def steady(t, outputs): return {}\n",
        encoding="utf-8",
    )
    for words in (["run", str(file)], ["control", "arm", str(file)]):
        assert main([*words, "--controller", "stedy"]) == 2
        shown = capsys.readouterr().err
        assert "has no function or class 'stedy'. Did you mean steady?" in shown
    for program in ("./steady", "pd"):
        assert main(["run", str(file), "--controller", program]) == 2
        assert "--controller is only for runs in real time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "texts"),
    [
        (KeyError("lever"), ("a bug in inloop: KeyError: 'lever'", "--debug")),
        (MemoryError(), ("not enough memory",)),
    ],
)
def test_a_bug_shows_no_traceback(
    error: Exception, texts: tuple[str, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr("inloop.cli.commands.describe.find_subject", fail)
    assert main(["describe", "pendulum"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("error: ") and "Traceback" not in shown
    for text in texts:
        assert text in shown
    with pytest.raises(type(error)):
        main(["describe", "pendulum", "--debug"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.urdf", "<robot name='a'><link"),
        ("empty.urdf", ""),
        ("hostile.urdf", ENTITIES),
        ("other.xml", "<svg/>"),
        ("noise.mbs", "\x00\x01\x02"),
        ("crash.py", "1/0\n"),
        ("syntax.py", "def\n"),
        ("leaves.py", "raise SystemExit(0)\n"),
        ("none.py", "x = 1\n"),
        ("number.py", "model = 3\n"),
        ("needs.py", "def model(n):\n    return n\n"),
        ("two.py", "import inloop as il\na, b = il.Model('a'), il.Model('b')\n"),
    ],
)
def test_bad_files_are_told(name: str, content: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / name).write_text(content)
    assert main(["describe", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and "Traceback" not in error
    assert len(error) < 1500


def test_a_python_file_tells_its_line(tmp_path: Path, capsys: Capture) -> None:
    for third_line in ("math.sqrt(-1)", "def", "raise SystemExit(0)"):
        (tmp_path / "crash.py").write_text(f"import math\n\n{third_line}\n")
        assert main(["describe", str(tmp_path / "crash.py")]) == 2
        assert "crash.py:3" in capsys.readouterr().err


def test_a_run_that_diverges_keeps_what_it_has(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "run.npz"
    words = ["run", "double_pendulum", "--step", "0.5", "--seconds", "100"]
    assert main([*words, "--save", str(file), "--json"]) == 2
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert data["status"] == "OUT_OF_BOUNDS"
    assert 0.0 < data["t"] < 100.0
    assert np.isfinite(list(data["q"].values())).all()
    assert "out of bounds" in shown.err and "--step below 0.5 s" in shown.err
    assert len(np.load(file)["t"]) >= 2


def test_ctrl_c_keeps_what_was_computed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pressed as soon as the run tells that a part of it is done."""
    file = tmp_path / "run.npz"

    def press(self: Progress, fraction: float) -> None:
        if fraction > 0.0:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Progress, "__call__", press)
    words = ["run", "pendulum", "--seconds", "1e8", "--save", str(file), "--json"]
    assert main(words) == 130
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "STOPPED"
    assert 0.0 < data["t"] < 1e8
    assert np.load(file)["t"][-1] == data["t"]


def test_ctrl_c_before_the_run(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupted(name: str) -> gallery.Exhibit:
        raise KeyboardInterrupt

    monkeypatch.setattr(gallery, "get", interrupted)
    assert main(["describe", "pendulum"]) == 130
    assert capsys.readouterr().err.startswith("interrupted: ")
    assert main(["describe", "pendulum", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["status"] == "STOPPED"
