"""Exports without a method: what is not to be trusted is replaced, or told."""

from __future__ import annotations

import functools
import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.io.boards.export import export_for
from inloop.io.boards.targets import TARGETS
from inloop.simulate.choice import method_at_start
from inloop.simulate.fixed_steps import method_for_export

STEP = 1e-3


@functools.cache
def swamp(damping: float = 6000.0) -> il.Plant:
    """A mass of 1 kg that slides at 1 m/s, and from 0.1 m on in something viscous [N·s/m]."""
    m = il.Model("swamp")
    mass = m.body("mass", on=m.ground, joint=il.prismatic("x", name="x", initial=(0, 1)), mass=1.0)
    m.joint_force(mass, lambda q, qd: il.where(q > 0.1, -damping * qd, 0.0), name="mud")
    return m.compile()


@functools.cache
def andrews() -> il.Plant:
    return gallery.get("andrews").build().compile()


def test_what_becomes_stiff_on_the_way_gets_an_implicit_method() -> None:
    """It comes to rest at 0.1 m + v m / d; the classical method leaves all bounds."""
    plant = swamp()
    assert method_at_start(plant, None, None, {}, STEP) == "rk4"
    with pytest.warns(il.ExportWarning, match="rk4 is not accurate enough here") as told:
        method = method_for_export(plant, None, STEP, 0.3)
    assert method == "implicit"
    assert f"is exported with method '{method}'" in str(told[0].message)
    rest = 0.1 + 1.0 / 6000.0
    found = plant.simulate(t_end=0.3, step=STEP, method=method)["x.q"][-1]
    # the border is met within a step of 1 mm
    assert found == pytest.approx(rest, abs=1e-3)
    with pytest.raises(il.SimulationError, match="out of bounds"):
        plant.simulate(t_end=0.3, step=STEP, method="rk4")


def test_what_is_not_met_is_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert method_for_export(swamp(), None, STEP, 0.05) == "rk4"
        assert method_for_export(andrews(), None, 1e-5, 0.03) == "rk4"
        # a person knows better
        assert method_for_export(andrews(), "rk4", STEP, 0.03) == "rk4"


def test_what_no_method_does_at_these_steps_is_told(tmp_path: Path) -> None:
    """At t = 0.03 s coordinates of the mechanism are known: steps of 1 ms miss them."""
    with pytest.warns(il.ExportWarning, match="is not accurate up to t = 0.03 s") as told:
        andrews().export_c(tmp_path, t_end=0.03)
    (warning,) = told
    assert warning.filename == __file__
    method, off, name = re.search(
        r"method '(\w+)' .* coordinate '(\w+)' is off by up to ([\d.]+) %", str(warning.message)
    ).groups()
    options = {"t_end": 0.03, "step": STEP}
    found = andrews().simulate(**options, method=method)
    exact = andrews().simulate(t_end=0.03, step=STEP, method="dopri", tolerance=1e-10)
    share = np.abs(found[f"{off}.q"] - exact[f"{off}.q"]).max() / np.ptp(exact[f"{off}.q"])
    assert 100.0 * share == pytest.approx(float(name), rel=0.02)


@pytest.mark.filterwarnings("always::inloop.ExportWarning")
def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "andrews", "--out", str(tmp_path), "--seconds", "0.03", "--json"]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "note: model 'andrews' is exported with method" in told.err
    (warning,) = json.loads(told.out)["warnings"]
    assert "is not accurate up to t = 0.03 s" in warning


def test_the_report_of_a_board_tells_it(tmp_path: Path) -> None:
    absent = replace(TARGETS["cortex-m7"], cross="no-such-compiler-")
    with pytest.warns(il.ExportWarning, match="rk4 is not accurate enough here"):
        report = export_for(swamp(), tmp_path, absent, "double", None, STEP)
    (warning,) = report.warnings
    assert "is exported with method 'implicit'" in warning
    assert warning in (tmp_path / "REPORT.md").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["warnings"] == [warning]
