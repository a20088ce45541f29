"""`inloop run --save --plot`: the same files against the clock as from a simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.cli import main

SUBJECT = ("run", "pendulum", "--seconds", "0.5", "--method", "rk4")


def test_both_kinds_of_run_write_the_same(tmp_path: Path) -> None:
    kinds = {
        "simulated": ("--headless", "--step", "0.001"),
        "timed": ("--rate", "1000", "--clock", "scripted", "--name", "run_files"),
    }
    found = {}
    for kind, words in kinds.items():
        files = [tmp_path / f"{kind}.{ending}" for ending in ("npz", "png")]
        assert main([*SUBJECT, *words, "--save", str(files[0]), "--plot", str(files[1])]) == 0
        assert files[1].read_bytes().startswith(b"\x89PNG")
        found[kind] = il.read(files[0])
    timed, simulated = found["timed"], found["simulated"]
    np.testing.assert_allclose(timed.t, simulated.t, rtol=0, atol=1e-12)
    for name in (name for name in simulated.names if name in timed.names):
        np.testing.assert_allclose(timed[name], simulated[name], rtol=1e-9, atol=1e-9)
    assert "energy.total" in timed.names and timed.parameters == simulated.parameters


@pytest.mark.parametrize("words", [("--save", "a.txt"), ("--plot", "nowhere/a.png")])
def test_a_run_whose_files_cannot_be_written_is_not_begun(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SUBJECT, "--rate", "1000", *words]) == 2
    told = capsys.readouterr().err
    assert "running" not in told and ("cannot write" in told or "no directory" in told)
