"""Kinds of joints: one object each, and recursions that ask it for all they need."""

from __future__ import annotations

import ast
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import casadi
import numpy as np
import pytest
from casadi import DM, SX

import inloop as il
from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba, crb, crb_common, ltdl
from inloop.joints import ANGLE, KINDS, LENGTH, WRITTEN, JointKind, JointSpec, Transform
from inloop.joints.kind import X, Y, Z
from inloop.symbolic import Expr, Graph, Input, Output, Program, forward, interpret

SOURCE = Path(il.__file__).parent
BUILT = {"revolute", "prismatic", "fixed"}
# a file format has types of its own, and a body of the gallery is called "ball"
MAY_NAME_KINDS = {"joints", "io", "gallery"}


@dataclass(frozen=True)
class Tumbling(JointKind):
    """A body that turns about all its axes while its origin follows a curve in space."""

    name = "tumbling"
    letter = "k"
    dimension = ANGLE
    turns = True
    slides = True

    def transform(self, q: Expr) -> Transform:
        turns = ((X, 0.7 * q), (Z, q * q * 0.2 - 0.4 * q), (Y, 1.1 * il.sin(q)))
        return Transform(turns, (0.3 * il.sin(2.0 * q), 0.2 * q - 0.1 * q * q, 0.5 * q))


@dataclass(frozen=True)
class Rail(JointKind):
    """A body that follows a curve and keeps its orientation."""

    name = "rail"
    letter = "k"
    dimension = LENGTH
    turns = False
    slides = True

    def transform(self, q: Expr) -> Transform:
        return Transform((), (0.3 * il.sin(2.0 * q), q, 0.4 * q * q))


@dataclass(frozen=True)
class Leaning(JointKind):
    """A turn about an axis that leans, beside the place where the body hangs."""

    name = "leaning"
    letter = "k"
    dimension = ANGLE
    turns = True
    slides = False

    def transform(self, q: Expr) -> Transform:
        graph = q.graph
        place = (graph.constant(0.1), graph.constant(-0.2), graph.constant(0.3))
        return Transform(((X, graph.constant(0.4)), (Z, q)), place)


def test_every_file_holds_a_kind() -> None:
    files = {path.stem for path in (SOURCE / "joints" / "kinds").glob("*.py")} - {"__init__"}
    assert files == set(KINDS) >= BUILT
    assert WRITTEN.keys() == KINDS.keys()
    assert set(KINDS) <= set(il.__all__) and all(getattr(il, k) is WRITTEN[k] for k in KINDS)


# what the others do depends on functions that a person writes
PLAIN = [k for k, kind in KINDS.items() if all("unit" in f.metadata for f in fields(kind))]


@pytest.mark.parametrize("name", PLAIN)
def test_a_kind_does_what_it_says(name: str) -> None:
    graph = Graph()
    q = graph.symbol("q")
    kind = KINDS[name](**{number.name: graph.symbol(number.name) for number in fields(KINDS[name])})
    where = kind.transform(q)
    angles = [angle for _, angle in where.rotations]
    assert kind.turns == any(slope is not graph.zero for slope in forward(angles, q))
    assert kind.slides == any(slope is not graph.zero for slope in forward(where.shift, q))
    assert kind.moves == (kind.turns or kind.slides)
    assert all(unit for _, unit in kind.numbers().values())
    assert str(kind) == name and kind.letter


def test_nobody_asks_for_a_kind_by_its_name() -> None:
    found = []
    for path in SOURCE.rglob("*.py"):
        if MAY_NAME_KINDS & set(path.relative_to(SOURCE).parts):
            continue
        text = path.read_text(encoding="utf-8")
        if not any(f'"{name}"' in text for name in KINDS):
            continue
        for node in ast.walk(ast.parse(text)):
            parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            parts += node.keys if isinstance(node, ast.Dict) else []
            names = [p.value for p in parts if isinstance(p, ast.Constant)]
            if set(names) & set(KINDS):
                found.append(f"{path}:{node.lineno}")
    assert not found


# what recursions make of any joint, against Lagrange's equations of the same mechanism

TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
BODIES = (
    (1.3, (0.1, -0.2, 0.15), (0.05, 0.07, 0.06, 0.01, -0.02, 0.005)),
    (0.9, (-0.12, 0.07, 0.2), (0.03, 0.04, 0.05, -0.004, 0.006, 0.01)),
    (0.7, (0.05, 0.11, -0.06), (0.02, 0.01, 0.025, 0.002, 0.001, -0.003)),
)
GRAVITY = (0.7, -1.1, -9.3)
KIND = {"tumbling": Tumbling, "rail": Rail, "leaning": Leaning}


def model(kind: str) -> il.Model:
    """A revolute joint, the joint in question, and a prismatic one."""
    m = il.Model("three", gravity=GRAVITY)
    data = [{"mass": mass, "com": com, "inertia": I} for mass, com, I in BODIES]
    a = m.body("a", on=m.ground, joint=il.revolute("y"), **data[0])
    site = a.frame("site", (0.2, 0.1, -0.3), TURN)
    b = m.body("b", on=site, joint=JointSpec(KIND[kind](), "x", armature=0.17), **data[1])
    m.body("c", on=b.point("p", (-0.1, 0.25, 0.05)), joint=il.prismatic("z"), **data[2])
    return m


def curve(kind: str, q: SX) -> tuple[list[tuple[str, SX]], list[SX]]:
    """The kind's transform once more, by hand: its x, y, z are y, z, x of a joint about "x"."""
    if kind == "rail":
        return [], [0.4 * q**2, 0.3 * casadi.sin(2 * q), q]
    if kind == "leaning":
        return [("y", SX(0.4)), ("x", q)], [0.3, 0.1, -0.2]
    turns = [("y", 0.7 * q), ("x", 0.2 * q**2 - 0.4 * q), ("z", 1.1 * casadi.sin(q))]
    return turns, [0.5 * q, 0.3 * casadi.sin(2 * q), 0.2 * q - 0.1 * q**2]


def matrix(*rows: list[SX | float]) -> SX:
    return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))


def rotation(axis: str, angle: SX) -> SX:
    c, s = casadi.cos(angle), casadi.sin(angle)
    return {
        "x": matrix([1, 0, 0], [0, c, -s], [0, s, c]),
        "y": matrix([c, 0, s], [0, 1, 0], [-s, 0, c]),
        "z": matrix([c, -s, 0], [s, c, 0], [0, 0, 1]),
    }[axis]


@cache
def lagrange(kind: str) -> tuple[casadi.Function, casadi.Function]:
    """Efforts of q, qd, qdd by Lagrange's equations, and the last body's pose and its rates."""
    q, v, a = (SX.sym(name, 3) for name in ("q", "v", "a"))
    turns, path = curve(kind, q[1])
    poses = [(rotation("y", q[0]), SX.zeros(3))]
    R, p = poses[0]
    p = p + R @ DM([0.2, 0.1, -0.3])
    R = R @ DM(TURN)
    p = p + R @ casadi.vertcat(*path)
    for axis, angle in turns:
        R = R @ rotation(axis, angle)
    poses += [(R, p), (R, p + R @ casadi.vertcat(-0.1, 0.25, 0.05 + q[2]))]
    kinetic, potential = 0.5 * 0.17 * v[1] ** 2, 0
    for (R, p), (mass, com, I) in zip(poses, BODIES, strict=True):
        center = p + R @ DM(com)
        velocity = casadi.jtimes(center, q, v)
        spin = R.T @ casadi.reshape(casadi.jtimes(casadi.vec(R), q, v), 3, 3)
        om = casadi.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
        J = DM([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])
        kinetic += 0.5 * (mass * casadi.dot(velocity, velocity) + casadi.dot(om, J @ om))
        potential -= mass * casadi.dot(DM(GRAVITY), center)
    momenta = casadi.gradient(kinetic, v)
    tau = casadi.jtimes(momenta, q, v) + casadi.jtimes(momenta, v, a)
    tau -= casadi.gradient(kinetic - potential, q)
    R, p = poses[2]
    pose = casadi.vertcat(p, casadi.vec(R.T))
    J = casadi.jacobian(p, q)
    acc = casadi.jtimes(J @ v, q, v) + J @ a
    seen = casadi.Function("seen", [q, v, a], [pose, J, acc])
    return casadi.Function("tau", [q, v, a], [tau]), seen


def program(d: Derivation) -> Program:
    """All formalisms in one program."""
    n, s = d.n, d.symbols
    common = crb_common.mass_matrix(d.skeleton).rows(d.graph.zero)
    plain = crb.mass_matrix(d.skeleton).rows(d.graph.zero)
    right = [t - c for t, c in zip(s.tau, d.c, strict=True)]
    outputs = [
        Output.vector("tau", d.tau),
        Output.vector("c", d.c),
        Output.matrix("M", d.mass.rows(d.graph.zero)),
        Output.matrix("common", common),
        Output.matrix("plain", plain),
        Output.vector("aba", aba.direct_dynamics(d.skeleton, s.tau)),
        Output.vector("regrouped", aba.direct_dynamics(d.base, s.tau)),
        Output.vector("ltdl", ltdl.factorize(d.mass).solve(right)),
        *(out for p in d.sensor("c") for out in p.outputs),
        *d.energy().outputs,
        *d.power().outputs,
    ]
    inputs = [Input(x, tuple(getattr(s, x))) for x in ("q", "qd", "qdd", "tau")]
    assert n == 3
    return Program("all", (*inputs, d.parameters), tuple(outputs))


@pytest.mark.parametrize("kind", KIND)
@pytest.mark.parametrize("seed", range(3))
def test_recursions_take_any_joint(kind: str, seed: int) -> None:
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.4, 1.4, (3, 3))
    reference, seen = lagrange(kind)

    def effort(qdd: np.ndarray) -> np.ndarray:
        return reference(q, qd, qdd).full().ravel()

    wanted, c = effort(qdd), effort(np.zeros(3))
    M = np.column_stack([effort(e) - c for e in np.eye(3)])
    found = interpret(
        program(Derivation(model(kind).build())), q=q, qd=qd, qdd=qdd, tau=wanted, par=[]
    )
    size = np.max(np.abs(wanted))
    assert np.max(np.abs(c)) > 0.1
    for name, value in (("tau", wanted), ("c", c), ("M", M), ("common", M), ("plain", M)):
        assert found[name] == pytest.approx(value, abs=1e-12 * size), name
    for name in ("aba", "regrouped", "ltdl"):
        assert found[name] == pytest.approx(qdd, abs=1e-11), name
    pose, J, acc = (out.full() for out in seen(q, qd, qdd))
    assert [*found["p"], *np.ravel(found["R"])] == pytest.approx(pose.ravel(), abs=1e-13)
    assert found["Jv"] == pytest.approx(J, abs=1e-13)
    assert found["v"] == pytest.approx(J @ qd, abs=1e-12)
    assert found["om"] == pytest.approx(found["Jw"] @ qd, abs=1e-12)
    assert found["acc"] == pytest.approx(acc.ravel(), abs=1e-11)
    assert np.ravel(found["E"])[0] == pytest.approx(0.5 * qd @ M @ qd, abs=1e-12)
