"""`inloop identify` with numbers of a model that are no parameters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inloop.cli.main import main

ROD = """
import inloop as il

model = il.Model("rod")
hinge = il.revolute("y", initial=(0.3, 0.0))
about = {"mass": 1.2, "com": (0, 0, -0.4), "inertia": (0.02, 0.03, 0.02)}
model.body("rod", on=model.ground, joint=hinge, **about)
"""


def test_numbers_of_a_body_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers that are no parameters are fitted by --live, and set by the file of the fit."""
    model, run, found = tmp_path / "rod.py", tmp_path / "run.csv", tmp_path / "found.txt"
    model.write_text(ROD)
    t, depth = 0.01 * np.arange(100), 0.46
    omega = np.sqrt(1.2 * 9.81 * depth / (0.03 + 1.2 * depth**2))
    angle = 1e-3 * np.cos(omega * t)  # small: a harmonic motion
    run.write_text(
        "\n".join(["t,rod.q", *(f"{a:.17g},{b:.17g}" for a, b in zip(t, angle, strict=True))])
    )
    words = ["identify", str(model), str(run), "--fit", "rod.com.z", "--out", str(found)]
    assert main(words) == 2
    assert "Numbers of the model are live if it is compiled with --live" in capsys.readouterr().err
    words += ["--live", "rod.com.z", "--bounds", "rod.com.z=-2,-0.3"]
    assert main(words) == 0
    capsys.readouterr()
    assert main(["run", str(model), "--set", f"@{found}", "--seconds", "0.01", "--json"]) == 0
    energy = json.loads(capsys.readouterr().out)["energy"]
    assert energy["kinetic"] + energy["potential"] == pytest.approx(
        -1.2 * 9.81 * depth * np.cos(0.3), rel=1e-4
    )
    for word, text in (("rod.com.z=1", "does not assign two numbers"), ("c=1,2", "bounds of 'c'")):
        assert main([*words[:-1], word]) == 2
        assert text in capsys.readouterr().err
