"""Every kind of mistake, one by one: its text and its line."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from IPython.core.compilerop import CachingCompiler

from inloop.errors import Mistake
from inloop.model import ModelBuilder, fixed, prismatic, revolute

Write = Callable[[ModelBuilder], object]
Report = Callable[[ModelBuilder], tuple[Mistake, ...]]
NAN, INF = math.nan, math.inf
OTHER = ModelBuilder("other")
X, Y = prismatic("x"), revolute("y")
SKEW = [[3, 0.1, 0.4], [0.2, 4, 0.3], [0.4, 0.3, 5]]

# each case is written on one line, so that its place is known
# fmt: off
BODIES: list[tuple[Write, str]] = [
    (lambda m: m.body("b", on=m.ground, joint=X, mass=-1.2),
     "body 'b': mass must be >= 0 kg, got -1.2"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=NAN),
     "body 'b': mass is nan"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass="2"),
     "body 'b': mass must be a number, got '2'"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=True),
     "body 'b': mass must be a number, got 'True'"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, com=(0.1, INF, 0.2)),
     "body 'b': com is inf"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, com=(0.1, 0.2)),
     "body 'b': com needs 3 components, got 2 components"),
    # without its center of mass, nothing is known about what the joint moves
    (lambda m: m.body("b", on=m.ground, joint=Y, mass=1, com=(0.1, 0.2)),
     "body 'b': com needs 3 components, got 2 components"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, com=7),
     "body 'b': com needs 3 components, got '7'"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, com=np.array(7.0)),
     "com needs 3 components, got 'array(7.)'"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=(1, NAN, 9)),
     "body 'b': inertia is nan"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=(1, 2)),
     "body 'b': inertia must have 3 or 6 components or be a 3x3 matrix"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=[[1, 2], [3, 4], 5]),
     "body 'b': inertia must be a 3x3 matrix"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=SKEW),
     "body 'b': inertia is not symmetric: ixy = 0.1, iyx = 0.2"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=(1, 2, 3.1)),
     "body 'b': inertia violates the triangle inequality, principal moments 1 + 2 < 3.1 kg·m²"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1, inertia=(2, 2, 2, 3, 0, 0)),
     "body 'b': inertia is not positive semidefinite, a principal moment is -1 kg·m²"),
    (lambda m: m.body("b", on=m.ground, joint=Y, inertia=(2, 3, 4)),
     "body 'b': has inertia but no mass"),
    (lambda m: m.body("b", on=m.ground, joint=X),
     "body 'b': its prismatic joint 'b' moves nothing that has inertia, so"),
    (lambda m: m.body("b", on=m.ground, joint=Y, mass=1, com=(0, 0.3, 0)),
     "body 'b': its revolute joint 'b' moves nothing that has inertia"),
    (lambda m: m.body("b", on=m.ground, joint=revolute("y", armature=-0.1), mass=1, com=(1, 2, 3)),
     "body 'b': armature must be >= 0, got -0.1"),
    (lambda m: m.body("b", on=m.ground, joint=revolute("w"), mass=1, com=(1, 2, 3)),
     "body 'b': unknown axis 'w'"),
    (lambda m: m.body("b", on=m.ground, joint=revolute((0, 0, 0)), mass=1, com=(1, 2, 3)),
     "body 'b': axis has length zero"),
    (lambda m: m.body("b", on=m.ground, joint=revolute((1, NAN, 0)), mass=1, com=(1, 2, 3)),
     "body 'b': axis is nan"),
    (lambda m: m.body("b", on=m.ground, joint=revolute((1, 2)), mass=1, com=(1, 2, 3)),
     "body 'b': axis must have 3 components, got '(1, 2)'"),
    (lambda m: m.body("b", on=m.ground, joint=prismatic((1.7e308, 1e308, 1e308)), mass=1),
     "body 'b': axis is too long for a floating-point number"),
    (lambda m: m.body("b", on=m.ground, joint=prismatic((m.input("u"), 1, 2)), mass=1),
     "body 'b': axis must be a plain number, got an expression"),
    (lambda m: m.body("b", on=m.ground, joint=prismatic("x", limits=(2, 1)), mass=1),
     "body 'b': limits (2, 1) are reversed"),
    (lambda m: m.body("b", on=m.ground, joint=prismatic("x", limits=3), mass=1),
     "body 'b': limits needs 2 numbers, got '3'"),
    (lambda m: m.body("b", on="rod", joint=prismatic("x", limits=(1, 2), initial=(3, 0)), mass=1),
     "body 'b': initial q = 3 is outside the limits (1, 2)"),
    (lambda m: m.body("b", on=m.ground, joint="hinge", mass=1, inertia=(1, 1, 1)),
     "body 'b': joint must be a joint such as revolute(...) or fixed(), got "),
    (lambda m: m.chain("b", on=m.ground, joints=[], mass=1),
     "chain 'b': joints must be a list of joints"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=OTHER.parameter("k", 2.0)),
     "body 'b': mass uses an expression of another model"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=m.input("u")),
     "body 'b': mass uses 'u', which is not a parameter"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=1 / m.parameter("z", 0.0)),
     "body 'b': mass is inf at the default parameters"),
    (lambda m: m.body("b", on=m.ground, joint=X, mass=-m.parameter("z", 3.5)),
     "body 'b': mass must be >= 0 kg, got -3.5"),
]

STRUCTURE: list[tuple[Write, str]] = [
    (lambda m: m.body("b", on="crnk", joint=X, mass=1),
     "body 'b': is attached to 'crnk', which does not exist"),
    (lambda m: m.body("b", on="crank.pim", joint=X, mass=1),
     "body 'b': is attached to 'crank.pim', which does not exist"),
    (lambda m: m.body("b", on=7, joint=X, mass=1),
     "body 'b': on must be a body, a point, a frame or its name, got '7'"),
    (lambda m: m.body("b", on=OTHER.ground, joint=X, mass=1),
     "body 'b': on is 'ground' of another model"),
    (lambda m: m.body("b", on="b", joint=X, mass=1),
     "body 'b': is attached to itself: 'b' on 'b'"),
    (lambda m: m.body("crank", on="ground", joint=X, mass=1),
     "body 'crank': the name is already used by the body declared at "),
    (lambda m: m.body("b", on="ground", joint=prismatic("x", name="rod"), mass=1),
     "joint 'rod': the name is already used by the joint declared at "),
    (lambda m: m.body("ground", on="rod", joint=X, mass=1),
     "body 'ground': the name is reserved by inloop"),
    (lambda m: m.body("two words", on="rod", joint=X, mass=1),
     "body 'two words': the name is not an identifier in C"),
    (lambda m: m.body("double", on="rod", joint=X, mass=1),
     "body 'double': the name is a keyword of C"),
    (lambda m: m.body("", on="rod", joint=X, mass=1),
     "body '': the name is empty"),
    (lambda m: m.body(3, on="rod", joint=X, mass=1),
     "body '3': a name must be a string, got int"),
    (lambda m: m.body("b" * 64, on="rod", joint=X, mass=1),
     "the name has 64 characters, but C distinguishes only the first 63"),
    (lambda m: m.body("b", on="rod", joint=prismatic("x", name="a-b"), mass=1),
     "body 'b': the name is not an identifier in C"),
    (lambda m: m.ground.point("origin", (1, 2, 3)),
     "point 'origin': the name is reserved by inloop"),
    (lambda m: [m.ground.point("p", (1, 2, 3)), m.ground.frame("p")],
     "frame 'ground.p': the name is already used by the point declared at "),
    (lambda m: m.ground.point("p", (1, 2)),
     "point 'ground.p': position needs 3 components, got 2 components"),
    (lambda m: m.ground.frame("f", rotation=[[1, 0, 0], [0, 0.7071, -0.7071], [0, 0.7071, 0.7071]]),
     "frame 'ground.f': rotation is not orthonormal, R Rᵀ is off by "),
    (lambda m: m.ground.frame("f", rotation=np.diag([1, 1, -1])),
     "frame 'ground.f': rotation is a reflection, its determinant is -1"),
    (lambda m: m.ground.frame("f", rotation=(1, 2, 3)),
     "frame 'ground.f': rotation must be a 3x3 matrix"),
    (lambda m: m.ground.frame("f", rotation=[[1, 0, 0], [0, NAN, 0], [0, 0, 1]]),
     "frame 'ground.f': rotation is nan"),
]

PARAMETERS: list[tuple[Write, str]] = [
    (lambda m: m.parameter("k", NAN),
     "parameter 'k': default is nan"),
    (lambda m: m.parameter("k", "3"),
     "parameter 'k': default must be a number, got '3'"),
    (lambda m: m.parameter("k", 3.0, range=(4, 5)),
     "parameter 'k': default 3 is outside the range (4, 5)"),
    (lambda m: m.parameter("k", 3.0, range=(5, 2)),
     "parameter 'k': range (5, 2) is reversed"),
    (lambda m: m.parameter("k", 3.0, range=(NAN, 5)),
     "parameter 'k': range is nan"),
    (lambda m: m.parameter("k", 3.0, unit="parsec"),
     "parameter 'k': unknown unit 'parsec'"),
    (lambda m: m.parameter("k", 3.0, unit="rad", range=(-36000, 36000)),
     "parameter 'k': -36000 rad is outside any realistic range"),
    (lambda m: m.parameter("k", 2e6, unit="m"),
     "parameter 'k': 2e+06 m is outside any realistic range"),
    (lambda m: m.parameter("k", 2e9, unit="kg"),
     "parameter 'k': 2e+09 kg is outside any realistic range"),
    (lambda m: m.parameter("t", 3.0),
     "parameter 't': the name is reserved by inloop"),
    (lambda m: m.parameter("2k", 3.0),
     "parameter '2k': the name is not an identifier in C"),
    (lambda m: [m.parameter("k", 3.0), m.parameter("k", 4.0)],
     "parameter 'k': the name is already used by the parameter declared at "),
    (lambda m: [m.parameter("k", 3.0), m.input("k")],
     "input 'k': the name is already used by the parameter declared at "),
    (lambda m: m.input("u", unit="furlong"),
     "input 'u': unknown unit 'furlong'"),
]

EFFECTS: list[tuple[Write, str]] = [
    (lambda m: m.joint_force("crnk", lambda q: q),
     "joint_force 'crnk_effort': there is no joint 'crnk'"),
    (lambda m: m.joint_force(m.body("w", on="rod", joint=fixed()), lambda q: q),
     "joint_force 'w_effort': joint 'w' is fixed and has no coordinate"),
    (lambda m: m.joint_force(4, lambda q: q),
     "joint_force: target must be a body, a point, a frame or its name, got '4'"),
    (lambda m: m.joint_force("rod", lambda q: q, name="a b"),
     "joint_force 'a b': the name is not an identifier in C"),
    (lambda m: [m.joint_force("rod", lambda q: q, name="f") for _ in "ab"],
     "joint_force 'f': the name is already used by the joint_force declared at "),
    (lambda m: m.joint_input("crnk"),
     "joint input 'crnk.tau': there is no joint 'crnk'"),
    (lambda m: [m.joint_input("rod"), m.joint_input("rod")],
     "joint input 'rod.tau': the name is already used by the joint input declared at "),
    (lambda m: m.force("crank.pn", lambda: (1, 2, 3)),
     "force 'crank_pn_force': acts on 'crank.pn', which does not exist"),
    (lambda m: m.force("crank", lambda: (1, 2, 3), frame="local"),
     "force 'crank_force': unknown frame 'local'"),
    (lambda m: m.torque("crank.pin", lambda: (1, 2, 3)),
     "torque 'crank_pin_torque': acts on the point 'crank.pin'"),
    (lambda m: m.line_force("crank.pin", "crank", lambda l: l),
     "line_force 'crank_pin_crank_line_force': 'crank.pin' and 'crank' are on the same rigid body"),
    (lambda m: m.external_force("crnk"),
     "external force 'crnk': there is no such body"),
    (lambda m: m.external_force(m.ground),
     "external force 'ground': the ground does not move"),
    (lambda m: m.external_force("rod", at="tip"),
     "external force 'rod_tip': there is no point 'rod.tip'"),
    (lambda m: m.external_force("rod", at="crank.pin"),
     "external force 'rod_crank.pin': point 'crank.pin' is not on body 'rod'"),
    (lambda m: m.external_force(None),
     "external_force: body must be a body, a point, a frame or its name, got 'None'"),
]

LAWS: list[tuple[Write, str]] = [
    (lambda m: m.joint_force("rod", lambda angle: angle),
     "joint_force 'rod_effort': the law has an unknown argument 'angle'"),
    (lambda m: m.joint_force("rod", lambda q: q if q > 0 else 0),
     "a symbolic expression has no truth value while a law is traced"),
    (lambda m: m.joint_force("rod", lambda q: None),
     "joint_force 'rod_effort': the law returns nothing"),
    (lambda m: m.joint_force("rod", lambda q: (q, q)),
     "joint_force 'rod_effort': the law returns 2 components, needs 1 number"),
    (lambda m: m.joint_force("rod", lambda q: "q"),
     "joint_force 'rod_effort': the law's result must be a number, got 'q'"),
    (lambda m: m.joint_force("rod", lambda q: NAN),
     "joint_force 'rod_effort': the law's result is nan"),
    (lambda m: m.joint_force("rod", lambda q: 2 * math.sin(q)),
     "has no fixed value"),
    (lambda m: m.joint_force("rod", lambda q: {}["k"] * q),
     "the law failed with KeyError: 'k'"),
    (lambda m: m.joint_force("rod", 7.0),
     "joint_force 'rod_effort': the law must be a function, got '7.0'"),
    (lambda m: m.force("rod", lambda p: p[:2]),
     "force 'rod_force': the law returns 2 components, needs 3 components (x, y, z)"),
    (lambda m: m.force("rod", lambda p: p[0]),
     "force 'rod_force': the law returns 1 number, needs 3 components (x, y, z)"),
    (lambda m: m.force("rod", lambda p: (1, INF, 2)),
     "force 'rod_force': a component of the law's result is inf"),
    (lambda m: m.torque("rod", lambda q: (q, 1, 2)),
     "torque 'rod_torque': the law has an unknown argument 'q'"),
    (lambda m: m.line_force("rod", "slider", lambda x: x),
     "line_force 'rod_slider_line_force': the law has an unknown argument 'x'"),
    (lambda m: m.joint_force("rod", lambda q: m.graph.symbol("loose") * q),
     "joint_force 'rod_effort': the law uses 'loose', which is neither its argument nor"),
    (lambda m: m.joint_force("rod", lambda q: q * OTHER.parameter("k", 2.0)),
     "belongs to another model"),
]
# fmt: on


@pytest.mark.parametrize(("write", "text"), BODIES + STRUCTURE + PARAMETERS + EFFECTS + LAWS)
def test_mistake(write: Write, text: str, arm: ModelBuilder, mistakes_of: Report) -> None:
    write(arm)
    mistakes = mistakes_of(arm)
    assert len(mistakes) == 1, mistakes
    assert text in mistakes[0].what
    assert mistakes[0].where == f"{__file__}:{write.__code__.co_firstlineno}"
    assert mistakes[0].fix.endswith((".", "?"))


def test_a_parameter_is_not_an_argument_of_a_law(arm: ModelBuilder, mistakes_of: Report) -> None:
    arm.parameter("stiffness", 3.0)
    arm.joint_force("rod", lambda q, stiffness: -stiffness * q)
    (mistake,) = mistakes_of(arm)
    assert "write what m.parameter(...) or m.input(...) returned" in mistake.fix


@pytest.mark.parametrize(
    ("law", "advice"),
    [
        (lambda v: -0.5 * v, "use np.array(v)"),
        (lambda v: v + 1.0, "use np.array(v)"),
        (lambda v: drag * v[0], "define the name before"),  # noqa: F821
    ],
)
def test_advice_fits_what_a_law_raised(
    law: Callable[..., object], advice: str, arm: ModelBuilder, mistakes_of: Report
) -> None:
    arm.force("rod", law)
    (mistake,) = mistakes_of(arm)
    assert advice in mistake.fix


def test_a_misspelled_argument_of_a_law_is_found(arm: ModelBuilder, mistakes_of: Report) -> None:
    arm.joint_force("rod", lambda qdd: qdd)
    (mistake,) = mistakes_of(arm)
    assert mistake.fix == "Did you mean 'qd'?"


def test_a_cell_of_a_notebook_is_called_by_its_number(
    arm: ModelBuilder, mistakes_of: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = CachingCompiler()
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    cell = "import math\nm.body('b', on='ground', joint=joint, mass=-1.2)"
    exec(compile(cell, compiler.cache(cell, 5), "exec"), {"m": arm, "joint": X})
    (mistake,) = mistakes_of(arm)
    assert mistake.where == "Cell In[5]:2"
