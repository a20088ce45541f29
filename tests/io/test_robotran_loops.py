"""ROBOTRAN files with cuts: the model moves as the same mechanism written in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop.errors import FileFormatError, InputError, ModelError
from inloop.io.load import load
from inloop.io.robotran.reader import RobotranData

STIFFNESS, DAMPING, FREE_LENGTH = 42.0, 3.1, 0.57
DEPENDENT = ("knee", "rock", "swing")


def tie_law(l: Any, ld: Any) -> Any:
    return STIFFNESS * (l - FREE_LENGTH) + DAMPING * ld


def press() -> il.Model:
    """The mechanism of data/press.mbs."""
    m = il.Model("press", gravity=(0.3, -0.2, -9.6))
    carriage = m.body(
        "carriage",
        on=m.ground,
        joint=il.prismatic("x", name="travel", initial=(0.11, 0.0)),
        mass=7.3,
        inertia=(0.31, 0.42, 0.53),
    )
    crank = m.body(
        "crank",
        on=carriage.point("A", (0.03, 0.21, 0.52)),
        joint=il.revolute("y", name="turn", initial=(-0.83, 2.9)),
        mass=0.47,
        com=(0.13, 0.02, 0.01),
        inertia=(0.003, 0.007, 0.006, 0.0, 0.0004, 0.0),
    )
    coupler = m.body(
        "coupler",
        on=crank.point("B", (0.24, 0.07, 0.0)),
        joint=il.revolute("y", name="knee", guess=0.44),
        mass=1.21,
        com=(0.39, -0.01, 0.03),
        inertia=(0.013, 0.084, 0.082, 0.0012, 0.0, 0.0),
    )
    rocker = m.body(
        "rocker",
        on=carriage.point("D", (0.71, 0.17, 0.45)),
        joint=il.revolute("y", name="rock", guess=0.4),
        mass=0.92,
        com=(0.02, 0.04, 0.27),
        inertia=(0.041, 0.043, 0.005, 0.0, 0.0, -0.0007),
    )
    yoke = m.body(
        "yoke",
        on=carriage.point("E", (1.23, 0.36, 0.94)),
        joint=il.revolute("x", name="sway", initial=(0.17, -0.6)),
    )
    hammer = m.body(
        "hammer",
        on=yoke,
        joint=il.revolute("y", name="swing", guess=0.21),
        mass=2.6,
        com=(0.03, -0.02, -0.38),
        inertia=(0.061, 0.064, 0.015),
    )
    G = hammer.point("G", (-0.06, 0.05, -0.31))
    m.close(coupler.point("C", (0.78, -0.02, 0.0)), rocker.point("C", (0.04, 0.09, 0.56)))
    m.close(rocker.point("F", (-0.05, 0.14, 0.33)), G, kind="rod", length=0.43)
    m.spring(m.ground.point("anchor", (1.4, -0.3, 0.2)), G, STIFFNESS, DAMPING,
             free_length=FREE_LENGTH)  # fmt: skip
    m.drive("travel")
    m.independent("turn", "sway")
    return m


@pytest.fixture(scope="module")
def loaded(data: Path) -> il.Plant:
    return il.load(data / "press.mbs", link_laws={"tie": tie_law}).compile()


@pytest.fixture(scope="module")
def written_by_hand() -> il.Plant:
    return press().compile()


def test_cuts_drives_and_natures(loaded: il.Plant) -> None:
    mechanism = loaded.mechanism
    found = [(p.name, p.kind, p.a.path, p.b.path, p.length) for p in mechanism.loops]
    assert found == [
        ("pin_C", "ball", "coupler.C", "rocker.C", 0.0),
        ("tie", "rod", "rocker.F", "hammer.G", 0.43),
    ]
    assert all(loop.where.endswith(f"press.mbs:{line}") for loop, line in
               zip(mechanism.loops, (80, 85), strict=True))  # fmt: skip
    # the file has a cut and a link of one name
    assert [law.name for law in mechanism.line_forces] == ["tie_2"]
    (drive,) = mechanism.drives
    assert (mechanism.bodies[drive.body].joint.name, drive.kind) == ("travel", "input")
    assert loaded.formulation.independent == ("turn", "sway")
    assert loaded.formulation.driven == ("travel",)
    assert len(loaded.formulation.partition.rows) == len(DEPENDENT)
    kept = mechanism.metadata["robotran"]
    assert isinstance(kept, RobotranData)
    assert kept.loops == ("pin_C", "tie")


def test_it_moves_as_the_same_mechanism_in_python(
    loaded: il.Plant, written_by_hand: il.Plant
) -> None:
    assert loaded.coordinates == written_by_hand.coordinates
    rng = np.random.default_rng(11)
    start = loaded.formulation.positions.first.q
    for _ in range(20):
        q = start + rng.uniform(-0.1, 0.1, loaded.n)
        qd, qdd, tau = rng.uniform(-3.0, 3.0, (3, loaded.n))
        one, other = (
            plant.formulation.motion(q, qd, tau, qdd=qdd) for plant in (loaded, written_by_hand)
        )
        for what in ("q", "v", "a", "effort"):
            np.testing.assert_allclose(one[what], other[what], rtol=1e-10, atol=1e-10)
        assert np.abs(one["a"]).min() > 1e-3  # the motion is no trivial one


def test_it_moves_as_the_open_tree_with_multipliers(loaded: il.Plant) -> None:
    """[M -Jᵀ; J 0] (qdd, lam) = (tau - c, -gamma), with the acceleration of the drive given."""
    rng = np.random.default_rng(12)
    n, driven = loaded.n, loaded.coordinates.index("travel")
    for _ in range(5):
        q = loaded.formulation.positions.first.q + rng.uniform(-0.1, 0.1, n)
        qdd, tau = rng.uniform(-3.0, 3.0, (2, n))
        found = loaded.formulation.motion(q, rng.uniform(-3.0, 3.0, n), tau, qdd=qdd)
        q, qd = found["q"], found["v"]
        rows = loaded.evaluate("constraints", q=q, qd=qd)
        J = np.vstack([rows["J"], np.eye(n)[driven]])
        gamma = np.append(rows["gamma"], -qdd[driven])
        M, c = loaded.mass_matrix(q), loaded.bias(q, qd)
        system = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
        # the row of the ball that follows from the others makes the matrix singular
        expected = np.linalg.lstsq(system, np.concatenate([tau - c, -gamma]), rcond=1e-12)[0]
        np.testing.assert_allclose(found["a"], expected[:n], rtol=1e-9, atol=1e-9)


def test_a_run_keeps_the_loops_closed(loaded: il.Plant) -> None:
    run = loaded.simulate(t_end=0.5, step=1e-3, travel=lambda t: 0.11 + 0.08 * il.sin(5.0 * t))
    assert run.violation is not None and run.violation.max() < 1e-12
    assert np.ptp(run.q, axis=0).min() > 0.02
    # initial velocities of the file
    assert run.qd[0][loaded.coordinates.index("turn")] == pytest.approx(2.9, rel=1e-12)


def test_links_without_a_law_exert_no_force(data: Path) -> None:
    mechanism = load(data / "press.mbs").build()
    assert not mechanism.line_forces
    assert any("1 links are kept in the metadata but exert no force ('tie')" in note
               for note in mechanism.notes)  # fmt: skip
    assert len(mechanism.loops) == 2


def test_a_law_for_no_link(data: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(data / "press.mbs", link_laws={"tia": tie_law})
    (mistake,) = caught.value.mistakes
    assert "system 'press' has no link 'tia'" in mistake.what
    assert "'tie'" in mistake.fix


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("<length>0.43</length>", "", FileFormatError, "rod cut 'tie': length must be > 0 m"),
        ("<length>0.43<", "<length>-2<", FileFormatError, "length must be > 0 m, got -2"),
        ("<bodyname>rocker</bodyname><pointname>F", "<bodyname>hammer</bodyname><pointname>G",
         ModelError, "loop 'tie': 'hammer.G' and 'hammer.G' are on the same rigid body"),
    ],
)  # fmt: skip
def test_broken_cuts(data: Path, written, old: str, new: str, error: Any, said: str) -> None:
    text = (data / "press.mbs").read_text()
    assert text.count(old) == 1
    path = written(text.replace(old, new))
    with pytest.raises(error) as caught:
        load(path)
    (mistake,) = caught.value.mistakes
    assert said in mistake.what
    assert mistake.where == f"{path}:85"


def test_solid_cuts_and_the_older_word_for_driven(data: Path, written) -> None:
    text = (data / "press.mbs").read_text()
    text = text.replace("ball>", "solid>").replace(">driven<", ">forced<")
    mechanism = load(written(text)).build()
    assert [loop.kind for loop in mechanism.loops] == ["solid", "rod"]
    assert len(mechanism.drives) == 1


def test_dependent_joints_without_cuts_are_free(data: Path, written) -> None:
    text = (data / "press.mbs").read_text()
    start, end = text.index("<cuts>"), text.index("</cuts>")
    mechanism = load(written(text[:start] + text[end + len("</cuts>") :])).build()
    assert not mechanism.loops and not mechanism.independent
    assert any("3 joints are 'dependent' in the file, which cuts no loop" in note
               for note in mechanism.notes)  # fmt: skip
