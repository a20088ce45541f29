"""What hostile users say about the start of closed and driven mechanisms: kept, told or refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from moded_crank import moded_crank

import inloop as il
from inloop.cli.main import main

ARM, ROD = 0.2, 0.5


def crank(drive: Any = None, live: bool = False, **joints: Any) -> il.Model:
    """x = ARM cos a + sqrt(ROD² - ARM² sin² a)."""
    m = il.Model("crank", gravity=(0.0, 0.0, 0.0))
    heavy = {"mass": 0.3, "inertia": (0.1, 0.1, 0.1)}
    arm = m.body("arm", on=m.ground, joint=il.revolute("z", **joints.get("arm", {})), **heavy)
    rod = m.body("rod", on=arm.point("pin", (ARM, 0, 0)), joint=il.revolute("z"),
                 com=(0.25, 0, 0), **heavy)  # fmt: skip
    along = il.prismatic("x", **joints.get("slider", {"guess": 0.7}))
    slider = m.body("slider", on=m.ground, joint=along, mass=0.5)
    m.close(rod.point("end", (ROD, 0, 0)), slider.origin, name="eye")
    if drive is not None or live:
        m.drive(arm, *([drive] if drive is not None else []))
    return m


def stroke(angle: float) -> float:
    return ARM * math.cos(angle) + math.sqrt(ROD**2 - (ARM * math.sin(angle)) ** 2)


def angle_at(x: float) -> float:
    """By the law of cosines."""
    return math.acos((ARM**2 + x**2 - ROD**2) / (2.0 * ARM * x))


@pytest.fixture(scope="module")
def driven() -> il.Plant:
    return crank(drive=lambda t: 0.9 + 2.0 * t).compile()


def test_a_velocity_given_for_a_driven_joint_must_be_its_own(driven: il.Plant) -> None:
    with pytest.raises(il.InputError, match="qd starts 'arm' at 7, its drive at 2"):
        driven.simulate(t_end=1e-3, qd={"arm": 7.0})
    same = driven.simulate(t_end=1e-3, qd={"arm": 2.0})
    assert same.qd[0, 0] == 2.0 and not same.notes


def test_declared_values_that_a_drive_overrules_are_told() -> None:
    model = crank(drive=lambda t: 0.9 + 2.0 * t, arm={"initial": (0.4, 5.0)})
    notes = model.compile().simulate(t_end=1e-3).notes
    assert notes == (
        "'arm' starts at 0.9, declared 0.4: it is driven",
        "'arm' starts with velocity 2, declared 5: it is driven",
    )


def test_a_live_drive_starts_where_it_was_declared_and_tells_other_motions() -> None:
    plant = crank(live=True, arm={"initial": (0.4, 0.0)}).compile()
    first = plant.simulate(t_end=1e-3)
    assert first.q[0, 0] == 0.4 and not first.notes
    assert first["slider.q"][0] == pytest.approx(stroke(0.4), abs=1e-12)
    (told, _) = plant.simulate(t_end=1e-3, arm=lambda t: 0.5 + t).notes
    assert told == "'arm' starts at 0.5, declared 0.4: it is driven"


def test_a_declared_slider_that_contradicts_a_drive_names_both() -> None:
    with pytest.raises(il.ModelError, match=r"with 'arm' at 0.9 'slider' is at 0.599.*not 0.65"):
        crank(drive=lambda t: 0.9 + 2.0 * t, slider={"initial": (0.65, 0.0)}).compile()


def test_where_nothing_is_free_the_advice_is_no_empty_list(driven: il.Plant) -> None:
    with pytest.raises(il.InputError, match="leave no velocity free") as caught:
        driven.simulate(t_end=1e-3, qd={"slider": 7.0})
    assert "with 'arm' at 2 'slider' has -0.39537, not 7" in str(caught.value)


def five_bar(**joints: Any) -> il.Plant:
    """Two degrees of freedom."""
    m = il.Model("five", gravity=(0.0, 0.0, 0.0))
    heavy = {"mass": 0.3, "com": (0.1, 0, 0), "inertia": (1e-3, 1e-3, 1e-3)}

    def body(name: str, on: Any) -> Any:
        return m.body(name, on=on, joint=il.revolute("z", **joints.get(name, {})), **heavy)

    a = body("a", m.ground)
    b = body("b", a.point("end", (0.2, 0, 0)))
    c = body("c", m.ground.point("right", (0.3, 0, 0)))
    d = body("d", c.point("end", (0.25, 0, 0)))
    m.close(b.point("tip", (0.35, 0, 0)), d.point("tip", (0.3, 0, 0)), name="tip")
    # something else that takes no part in the quarrel
    m.body("wheel", on=m.ground, joint=il.revolute("x", initial=(0.2, 0.0)), **heavy)
    return m.compile()


@pytest.fixture(scope="module")
def five() -> il.Plant:
    return five_bar(a={"initial": (1.9, 0.0)}, c={"initial": (0.8, 0.0)})


def tip(q: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Where both sides of the cut are, by plane trigonometry."""
    left = 0.2 * np.exp(1j * q["a"]) + 0.35 * np.exp(1j * (q["a"] + q["b"]))
    right = 0.3 + 0.25 * np.exp(1j * q["c"]) + 0.3 * np.exp(1j * (q["c"] + q["d"]))
    return left, right


def test_any_two_joints_of_a_five_bar_are_kept_and_the_others_told(five: il.Plant) -> None:
    run = five.simulate(t_end=1e-3, q={"b": -1.4, "d": 1.1}, qd={"b": 2.0, "d": -3.0})
    first = dict(zip(five.coordinates, run.q[0], strict=True))
    assert (first["b"], first["d"]) == pytest.approx((-1.4, 1.1), abs=1e-14)
    assert run["b.qd"][0] == pytest.approx(2.0, rel=1e-12)
    assert run["d.qd"][0] == pytest.approx(-3.0, rel=1e-12)
    left, right = tip(first)
    assert abs(left - right) < 1e-12
    told = [note.partition(" starts ")[0] for note in run.notes]
    assert told == ["'a'", "'c'", "'a'", "'c'"]  # positions, then velocities


def test_only_those_that_contradict_each_other_are_named(five: il.Plant) -> None:
    given = {"wheel": 0.7, "a": 1.9, "b": -1.4, "d": 1.1}
    with pytest.raises(il.InputError) as caught:
        five.simulate(t_end=1e-3, q=given)
    text = str(caught.value)
    assert "with 'a' at 1.9, 'b' at -1.4, 'd' at 1.1 as given" in text and "wheel" not in text
    with pytest.raises(il.InputError) as caught:
        five.simulate(t_end=1e-3, qd={"wheel": 9.0, "a": 1.0, "c": 2.0, "b": 5.0})
    text = str(caught.value)
    assert "with 'a' at 1, 'c' at 2 'b' has 0.194864, not 5." in text


def test_declared_contradictions_name_those_alone() -> None:
    with pytest.raises(il.ModelError) as caught:
        five_bar(a={"initial": (1.9, 0.0)}, c={"initial": (0.8, 0.0)}, b={"initial": (-1.0, 0.0)})
    text = str(caught.value)
    assert "with 'a' at 1.9, 'b' at -1 'c' is at" in text and "wheel" not in text


def struts(**hull: Any) -> il.Model:
    """A hull and a strut on ball joints, joined at their ends."""
    m = il.Model("struts")
    heavy = {"mass": 1.0, "inertia": (0.1, 0.2, 0.3)}
    a = m.body("hull", on=m.ground.point("o", (0, 0, 1.0)), joint=il.ball(**hull), **heavy)
    b = m.body("strut", on=m.ground.point("p", (0.6, 0, 0.3)), joint=il.ball(), **heavy)
    m.close(a.point("end", (0.6, 0, 0)), b.point("end", (0, 0, 0.7)), name="pin")
    return m


def test_attitudes_that_cannot_be_met_are_told_as_quaternions() -> None:
    turned = (math.cos(0.15), 0.0, 0.0, math.sin(0.15))
    with pytest.raises(il.ModelError) as caught:
        struts(initial=turned).compile()
    text = str(caught.value)
    assert "'hull' is at (0.9" in text and "not (0.988771, 0, 0, 0.149438)" in text
    assert "hull_w" not in text
    with pytest.raises(
        il.InputError, match=r"with 'hull' at \(0.988771, 0, 0, 0.149438\) as given"
    ):
        struts().compile().simulate(t_end=1e-3, q={"hull": turned})


def test_a_velocity_declared_at_a_dead_point_is_refused() -> None:
    """At x = 0.2 the slider turns back; no crank, however fast, moves it there."""
    with pytest.raises(il.InputError, match=r"'slider' has 0, not 2.37867"):
        moded_crank().compile().simulate(t_end=1e-3, step=1e-4, q={"slider": 0.2})


@pytest.mark.parametrize("slow", [6e-8, -3e-7])
def test_a_small_velocity_that_passes_as_rounding_is_told(slow: float) -> None:
    """Stretched out, the slider turns back: whatever the crank does, its velocity is 0."""
    plant = crank(arm={"initial": (0.0, 0.0)}).compile()
    run = plant.simulate(t_end=1e-3, qd={"arm": 1.0, "slider": slow})
    assert run["slider.qd"][0] == pytest.approx(0.0, abs=1e-15)
    (told,) = run.notes
    assert told.startswith("'slider' starts with velocity ")
    assert told.endswith(f", declared {slow:.6g}")


FILE = """
import inloop as il

model = il.Model("crank", gravity=(0, 0, 0))
heavy = {"mass": 0.3, "inertia": (0.1, 0.1, 0.1)}
arm = model.body("arm", on=model.ground, joint=il.revolute("z", initial=(0.4, 0.0)), **heavy)
rod = model.body("rod", on=arm.point("pin", (0.2, 0, 0)), joint=il.revolute("z"), **heavy)
slider = model.body("slider", on=model.ground, joint=il.prismatic("x", guess=0.7), mass=0.5)
model.close(rod.point("end", (0.5, 0, 0)), slider.origin, name="eye")
"""


def test_a_position_of_the_command_line_wins_over_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "crank.py"
    file.write_text(FILE)
    assert main(["run", str(file), "--seconds", "0.001", "--q", "slider=0.6"]) == 0
    shown = capsys.readouterr().out
    assert f"'arm' starts at {angle_at(0.6):.6g}, declared 0.4" in shown
    assert main(["run", str(file), "--q", "slider=0.6", "--q", "arm=0.1"]) == 2
    assert "with 'arm' at 0.1 'slider' is at" in capsys.readouterr().err


def test_a_run_against_the_clock_starts_and_tells_as_a_simulation_does() -> None:
    plant = crank(arm={"initial": (0.4, 0.0)}).compile()
    options: dict[str, Any] = {"seconds": 1e-3, "clock": il.ScriptedClock(), "rehearse": 0.0}
    report = il.run(plant, name="said-start", q={"slider": 0.6}, **options)
    assert f"'arm' starts at {angle_at(0.6):.6g}, declared 0.4" in report.notes
    assert report.outputs["slider.q"] == pytest.approx(0.6, abs=1e-9)
