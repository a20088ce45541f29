"""Formulations answer the same questions with and without loops; nobody asks which one it is."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.plant import BarePlant, Formulation
from inloop.plant.formulation import ReducedLoops, Tree

SOURCE = Path(il.__file__).parent
OWN = SOURCE / "plant" / "formulation"
KINDS = {"Tree", "ReducedLoops", "Redundant", "TreeCode", "PartitionCode", "RedundantCode"}
KINDS |= {"NoRows", "ClosedRows", "TreePositions", "ClosedPositions"}  # of its parts
CONSUMERS = ("plant", "simulate", "analysis", "control", "devices", "realtime", "studio", "cli")
LENGTH, MASS, GRAVITY = 0.7, 1.3, 9.81
MECHANISMS = ("double_pendulum", "puma560", "four_bar", "slider_crank", "suspension")


def questions(text: str) -> list[int]:
    """Lines that ask whether there is a formulation, whether there are loops, or of which class."""
    return sorted(
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Compare) and _compares(node))
        or (isinstance(node, ast.Name | ast.Attribute) and _name(node) in KINDS)
    )


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _compares(node: ast.Compare) -> bool:
    sides = (node.left, *node.comparators)
    about = any(_name(side) in ("formulation", "loops") for side in sides)
    return about and any(isinstance(side, ast.Constant) and side.value is None for side in sides)


def test_nobody_asks_which_formulation_it_is() -> None:
    files = [path for name in CONSUMERS for path in (SOURCE / name).rglob("*.py")]
    files = [SOURCE / "api.py", *(path for path in files if OWN not in path.parents)]
    assert len(files) > 100
    assert not [f"{path}:{n}" for path in files for n in questions(path.read_text("utf-8"))]


@pytest.mark.parametrize(
    "text",
    [
        "if plant.formulation is None: pass",
        "x = 0 if system.formulation is not None else 1",
        "if plant.loops is None: pass",
        "loops = plant.formulation\nif loops is not None: pass",
        "isinstance(plant.formulation, Tree)",
        "type(f) is formulation.ReducedLoops",
    ],
)
def test_such_a_question_is_found(text: str) -> None:
    assert questions(text)
    assert not questions("if plant.formulation.row_names: pass")


def test_a_plant_is_composed_and_runs_are_added_once() -> None:
    assert il.Plant.__mro__ == (il.Plant, BarePlant, object)
    own = {name for name in vars(il.Plant) if not name.startswith("__")}
    assert own and not own & set(vars(BarePlant))
    assert "__init__" not in vars(il.Plant)


@pytest.fixture(scope="module")
def pendulum() -> il.Plant:
    """A point mass below a slide; only the start of the pin is declared."""
    m = il.Model("pendulum", gravity=(0.0, 0.0, -GRAVITY))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x"), mass=0.4)
    m.body(
        "bob",
        on=slide,
        joint=il.revolute("y", initial=(0.4, -0.9)),
        mass=MASS,
        com=(0.0, 0.0, -LENGTH),
    )
    return m.compile(backend="python")


def test_a_tree_has_one_choice_and_no_rows(pendulum: il.Plant) -> None:
    tree = pendulum.formulation
    assert isinstance(tree, Tree) and tree.unconstrained
    assert tree.partition.independent == (0, 1) and tree.independent == ("slide", "bob")
    assert tree.driven == tree.row_names == tree.rows.names == tree.signal_names == ()
    assert tree.known == (tree.partition,) and tree.is_compiled and not tree.chooses_freely
    assert tree.positions.declared == (1,) and tree.home().tolist() == [0.0, 0.4]
    q = np.array([0.3, 2.0])
    assert tree.good_at(q) is tree and tree.with_partition(tree.partition) is tree
    assert (
        tree.repartition(q) is None
        and tree.positions.gap(q, 0.0) is None
        and tree.positions.singular_at(q) == ""
    )
    for found in (tree.assemble(q).q, tree.positions.keep(q, [0]).found.q, tree.close(q)):
        assert np.array_equal(found, q) and found is not q
    with pytest.raises(il.InputError, match="NaN"):
        tree.assemble(np.array([0.1, math.nan]))


def test_a_tree_keeps_velocities_as_they_are_said(pendulum: il.Plant) -> None:
    kept = pendulum.formulation.keep_velocities(np.zeros(2), {1: -0.7}, {0: 0.2, 1: 5.0})
    assert kept.qd.tolist() == [0.2, -0.7]
    assert kept.changed == kept.contradicted == ()


def test_arrays_of_no_rows_have_their_shapes(pendulum: il.Plant) -> None:
    tree, q = pendulum.formulation, np.full((5, 2), 0.3)
    found = tree.constraints(q, q)
    assert found["J"].shape == (5, 0, 2)
    assert all(found[name].shape == (5, 0) for name in ("h", "nu", "gamma"))
    assert tree.rows.violation(q, q).tolist() == [0.0] * 5
    assert tree.on_all_rows(np.zeros((5, 0))).shape == (5, 0)
    assert tree.guard(q[0]).shape == tree.rows.sizes.shape == (0,)


def test_motion_of_a_pendulum_on_a_slide(pendulum: il.Plant) -> None:
    """Lagrange by hand, with p below the slide at -l sin(q): (m0 + m) x'' - m l (sin q)'' = F."""
    q, qd, tau = np.array([0.2, 0.6]), np.array([0.4, -1.1]), np.array([0.3, 0.5])
    found = pendulum.formulation.motion(q, qd, tau)
    ml, c, s = MASS * LENGTH, math.cos(q[1]), math.sin(q[1])
    M = np.array([[0.4 + MASS, -ml * c], [-ml * c, ml * LENGTH]])
    right = tau - np.array([ml * s * qd[1] ** 2, ml * GRAVITY * s])
    assert found["a"] == pytest.approx(np.linalg.solve(M, right), rel=1e-12)
    assert np.array_equal(found["q"], q) and np.array_equal(found["v"], qd)
    assert found["lam"].shape == found["effort"].shape == (0,)
    many = pendulum.formulation.motion(np.tile(q, (3, 1)), np.tile(qd, (3, 1)), tau)
    assert many["a"] == pytest.approx(np.tile(found["a"], (3, 1)), rel=1e-14)
    assert many["lam"].shape == (3, 0)


def test_reduced_equations_of_a_tree_are_its_own(pendulum: il.Plant) -> None:
    q, qd = np.array([0.2, 0.6]), np.array([0.4, -1.1])
    found = pendulum.reduced_equations(q, qd)
    assert np.array_equal(found["T"], np.eye(2))
    assert np.array_equal(found["M"], pendulum.mass_matrix(q))
    assert np.array_equal(found["c"], pendulum.bias(q, qd))


@pytest.fixture(scope="module", params=MECHANISMS)
def plant(request: pytest.FixtureRequest) -> il.Plant:
    return gallery.get(request.param).build().compile(backend="python")


@pytest.mark.thinned(2)
def test_each_coordinate_has_one_role(plant: il.Plant) -> None:
    formulation = plant.formulation
    parts = formulation.partition
    roles = (*parts.independent, *parts.driven, *parts.dependent)
    assert sorted(roles) == list(range(plant.n))
    assert len(parts.rows) == len(parts.dependent) == len(formulation.row_names)
    assert len(parts.rows) + len(parts.dropped) == len(formulation.rows)
    assert isinstance(formulation, Tree if formulation.unconstrained else ReducedLoops)


def test_rows_and_positions_do_not_depend_on_roles(plant: il.Plant) -> None:
    """Other roles share the parts; what goes with the roles is told by their numbers."""
    first = plant.formulation
    parts = first.partition
    turned = replace(parts, rows=parts.rows[::-1], dependent=parts.dependent[::-1])
    other = first.with_partition(turned)
    assert other.rows is first.rows and other.positions is first.positions
    assert other.row_names == (first.row_names[::-1] if parts.rows else ())
    told = [name.rpartition(".")[0] for name in other.row_names]
    assert [other.loop_of(k) for k in range(len(told))] == told
    assert first.partition is parts


def test_home_fits_and_stays(plant: il.Plant) -> None:
    formulation: Formulation = plant.formulation
    home = formulation.home()
    assert formulation.positions.gap(home, 1e-9) is None
    assert formulation.rows.violation(home, np.zeros(plant.n)) < 1e-9
    assert formulation.assemble(home).q == pytest.approx(home, abs=1e-9)
    assert formulation.close(home) == pytest.approx(home, abs=1e-9)


def test_motion_satisfies_the_equations(plant: il.Plant) -> None:
    """M a + c = tau + Jᵀ lam + effort and J a + gamma = 0, whatever the formulation."""
    formulation, random = plant.formulation, np.random.default_rng(4)
    free = list(formulation.partition.independent)
    qd = np.zeros(plant.n)
    qd[free] = random.normal(size=len(free))
    tau, qdd = random.normal(size=plant.n), random.normal(size=plant.n)
    tau[list(formulation.driven_indices)] = 0.0  # else part of what a drive supplies
    found = formulation.motion(formulation.home(), qd, tau, qdd=qdd)
    q, v, a = found["q"], found["v"], found["a"]
    rows = formulation.constraints(q, v)
    push = np.zeros(plant.n)
    push[list(formulation.driven_indices)] = found["effort"]
    force = rows["J"].T @ formulation.on_all_rows(found["lam"]) + push + tau
    left = plant.mass_matrix(q) @ a + plant.bias(q, v)
    assert left == pytest.approx(force, abs=1e-8 * np.abs(left).max())
    slips = (rows["J"] @ v + rows["nu"], rows["J"] @ a + rows["gamma"])
    for slip, moves in zip(slips, (v, a), strict=True):
        assert np.abs(slip).max(initial=0.0) < 1e-8 * np.abs(moves).max()
    assert np.abs(a).max() > 0.1
