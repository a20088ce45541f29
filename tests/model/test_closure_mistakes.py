"""Every mistake about loops, constraints, drives, force elements and states: text and line."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from inloop.errors import Mistake
from inloop.model import ModelBuilder, fixed, revolute

Write = Callable[[ModelBuilder], object]
Report = Callable[[ModelBuilder], tuple[Mistake, ...]]
NAN, INF = math.nan, math.inf
OTHER = ModelBuilder("other")


def pull(l: object) -> object:
    return l


T, Q = [0.1, 0.2, 0.4], [0.3, 0.5, 0.4]

# each case is written on one line, so that its place is known
# fmt: off
LOOPS: list[tuple[Write, str]] = [
    (lambda m: m.close("rod", "crank.pn"),
     "loop 'rod_crank_pn': ends at 'crank.pn', which does not exist"),
    (lambda m: m.close("crank.pin", "crank"),
     "loop 'crank_pin_crank': 'crank.pin' and 'crank' are on the same rigid body"),
    (lambda m: m.close(m.body("w", on="rod", joint=fixed()), "rod"),
     "loop 'w_rod': 'w' and 'rod' are on the same rigid body"),
    (lambda m: m.close(m.ground, m.ground.point("p", (0.1, 0.2, 0.3))),
     "loop 'ground_ground_p': 'ground' and 'ground.p' are on the same rigid body"),
    (lambda m: m.close("rod", "slider", kind="weld"),
     "loop 'rod_slider': unknown kind 'weld'"),
    (lambda m: m.close("rod", "slider", kind="hinge"),
     "loop 'rod_slider': a hinge needs an axis"),
    (lambda m: m.close("rod", "slider", kind="hinge", axis="w"),
     "loop 'rod_slider': unknown axis 'w'"),
    (lambda m: m.close("rod", "slider", kind="hinge", axis=(0, 0, 0)),
     "loop 'rod_slider': axis has length zero"),
    (lambda m: m.close("rod", "slider", axis="x"),
     "loop 'rod_slider': a ball loop has no axis"),
    (lambda m: m.close("rod", "slider", kind="rod"),
     "loop 'rod_slider': a rod needs a length"),
    (lambda m: m.close("rod", "slider", kind="solid", length=0.3),
     "loop 'rod_slider': a solid loop has no length"),
    (lambda m: m.close("rod", "slider", kind="rod", length=0),
     "loop 'rod_slider': length must be > 0 m, got 0"),
    (lambda m: m.close("rod", "slider", kind="rod", length=-m.parameter("l", 0.3)),
     "loop 'rod_slider': length must be > 0 m, got -0.3"),
    (lambda m: m.close("rod", "slider", kind="rod", length=NAN),
     "loop 'rod_slider': length is nan"),
    (lambda m: m.close("rod", "slider", kind="rod", length="3"),
     "loop 'rod_slider': length must be a number, got '3'"),
    (lambda m: m.close("rod", "slider", kind="rod", length=m.input("u")),
     "loop 'rod_slider': length uses 'u', which is not a parameter"),
    (lambda m: m.close("rod", 7),
     "loop: b must be a body, a point, a frame or its name, got '7'"),
    (lambda m: m.close(OTHER.ground, "rod"),
     "loop: a is 'ground' of another model"),
    (lambda m: m.close("rod", "slider", name="a b"),
     "loop 'a b': the name is not an identifier in C"),
    (lambda m: [m.close("rod", "slider", name="c") for _ in "ab"],
     "loop 'c': the name is already used by the loop declared at "),
    (lambda m: [m.line_force("rod", "slider", pull, name="c"), m.close("rod", "slider", name="c")],
     "loop 'c': the name is already used by the line_force declared at "),
]

CONSTRAINTS: list[tuple[Write, str]] = [
    (lambda m: m.constraint("c", lambda q: q["crnk"]),
     "constraint 'c': there is no joint 'crnk'"),
    (lambda m: [m.body("w", on="rod", joint=fixed()), m.constraint("c", lambda q: q["w"])],
     "constraint 'c': joint 'w' is fixed and has no coordinate"),
    (lambda m: m.constraint("c", lambda q: q[0]),
     "constraint 'c': q has no entry '0': coordinates are named after their joint"),
    (lambda m: m.constraint("c", lambda q: [2 * x for x in q]),
     "constraint 'c': q has no entry '0': coordinates are named after their joint"),
    (lambda m: m.constraint("c", lambda q, qd: q["rod"]),
     "constraint 'c': the law has an unknown argument 'qd'"),
    (lambda m: m.constraint("c", lambda q: None),
     "constraint 'c': the law returns nothing"),
    (lambda m: m.constraint("c", lambda q: ()),
     "constraint 'c': the law returns no rows"),
    (lambda m: m.constraint("c", lambda q: (q["rod"], NAN)),
     "constraint 'c': a row of the law's result is nan"),
    (lambda m: m.constraint("c", lambda t: 3 * t),
     "constraint 'c': it does not depend on any coordinate"),
    (lambda m: m.constraint("c", lambda q, t: (q["rod"] - t, 2.0)),
     "constraint 'c': row 2 does not depend on any coordinate"),
    (lambda m: m.constraint("c", lambda q: q["rod"] - m.input("u")),
     "constraint 'c': the law uses 'u', which is neither its argument nor a parameter"),
    (lambda m: m.constraint("c", 7),
     "constraint 'c': the law must be a function, got '7'"),
    (lambda m: m.constraint("c", lambda q: q["rod"], unit="parsec"),
     "constraint 'c': unknown unit 'parsec'"),
    (lambda m: m.constraint("2c", lambda q: q["rod"]),
     "constraint '2c': the name is not an identifier in C"),
    (lambda m: [m.constraint("c", lambda q: q["rod"]) for _ in "ab"],
     "constraint 'c': the name is already used by the constraint declared at "),
]

COUPLINGS: list[tuple[Write, str]] = [
    (lambda m: m.gear("crank", "rd", ratio=2.0),
     "gear 'rd_crank_gear': there is no joint 'rd'"),
    (lambda m: [m.body("w", on="rod", joint=fixed()), m.gear("crank", "w", ratio=2.0)],
     "gear 'w_crank_gear': joint 'w' is fixed and has no coordinate"),
    (lambda m: m.gear("crank", "rod", ratio=0.0, name="g"),
     "gear 'g': ratio must not be 0"),
    (lambda m: m.gear("crank", "rod", ratio=m.parameter("r", 0.0), name="g"),
     "gear 'g': ratio must not be 0"),
    (lambda m: m.gear("crank", "rod", ratio=INF, name="g"),
     "gear 'g': ratio is inf"),
    (lambda m: m.gear("crank", "rod", ratio="2", name="g"),
     "gear 'g': ratio must be a number, got '2'"),
    (lambda m: m.gear("crank", "rod", ratio=m.input("u"), name="g"),
     "gear 'g': factor of 'crank' uses 'u', which is not a parameter"),
    (lambda m: m.gear("crank", "rod", ratio=2.0, offset=m.graph.symbol("t"), name="g"),
     "gear 'g': offset uses 't', which is not a parameter"),
    (lambda m: m.gear("crank", "slider", ratio=2.0, name="g"),
     "gear 'g': joint 'slider' must turn, its coordinate is in m"),
    (lambda m: m.gear("rod", "rod", ratio=2.0, name="g"),
     "gear 'g': 'rod' occurs twice"),
    (lambda m: m.rack("slider", "rod", radius=0.02, name="r"),
     "rack 'r': joint 'rod' must slide, its coordinate is in rad"),
    (lambda m: m.rack("crank", "slider", radius=0, name="r"),
     "rack 'r': radius must not be 0"),
    (lambda m: m.rack(7, "slider", radius=0.02, name="r"),
     "rack: joint must be a body, a point, a frame or its name, got '7'"),
    (lambda m: m.couple({"crank": 1, "rod": NAN}, name="c"),
     "coupling 'c': factor is nan"),
    (lambda m: m.couple({"crank": 0, "rod": 0.0}, name="c"),
     "coupling 'c': all factors are 0, so it constrains nothing"),
    (lambda m: m.couple({"crank": 1}, name="c"),
     "coupling 'c': it needs at least two joints"),
    (lambda m: m.couple({}, name="c"),
     "coupling 'c': it needs at least two joints"),
    (lambda m: m.couple(["crank", "rod"]),
     "coupling: factors must be a mapping, got "),
    (lambda m: m.couple({"crank": 1, OTHER.ground: 1}, name="c"),
     "coupling: joint is 'ground' of another model"),
    (lambda m: m.couple({"crank": 1, "rod": 1}, name="a b"),
     "coupling 'a b': the name is not an identifier in C"),
    (lambda m: [m.couple({"crank": 1, "rod": 1}, name="c"), m.lock("rod", name="c")],
     "lock 'c': the name is already used by the coupling declared at "),
]

DRIVES: list[tuple[Write, str]] = [
    (lambda m: m.drive("crnk"),
     "drive 'crnk': there is no joint 'crnk'"),
    (lambda m: m.drive(m.body("w", on="rod", joint=fixed())),
     "drive 'w': joint 'w' is fixed and has no coordinate"),
    (lambda m: m.drive(3),
     "drive: joint must be a body, a point, a frame or its name, got '3'"),
    (lambda m: [m.drive("rod"), m.drive("rod", lambda t: t)],
     "drive 'rod': the joint is already driven by "),
    (lambda m: [m.joint_input("rod"), m.drive("rod")],
     "drive 'rod': the joint also has a joint_input"),
    (lambda m: m.drive("rod", lambda t: t, samples=(T, Q)),
     "drive 'rod': has both a motion and samples"),
    (lambda m: m.drive("rod", lambda q: q),
     "drive 'rod': the law has an unknown argument 'q'"),
    (lambda m: m.drive("rod", lambda t: (t, t)),
     "drive 'rod': the law returns 2 components, needs 1 number"),
    (lambda m: m.drive("rod", lambda t: t * m.input("u")),
     "drive 'rod': the law uses 'u', which is neither its argument nor a parameter"),
    (lambda m: m.drive("rod", 0.3),
     "drive 'rod': the law must be a function, got '0.3'"),
    (lambda m: m.drive("rod", samples=(T, [0.3, NAN, 0.4])),
     "drive 'rod': samples: a table holds NaN or infinity"),
    (lambda m: m.drive("rod", samples=([0.1, 0.4, 0.2], Q)),
     "drive 'rod': samples: table abscissas must increase strictly"),
    (lambda m: m.drive("rod", samples=(T, Q[:2])),
     "drive 'rod': samples: a cubic table needs at least 3 points with one value each"),
    (lambda m: m.drive("rod", samples=(T, ["a", "b", "c"])),
     "drive 'rod': samples must be plain numbers"),
    (lambda m: m.drive("rod", samples=T),
     "drive 'rod': samples must be two lists, times and positions"),
    (lambda m: m.drive("rod", samples=7),
     "drive 'rod': samples must be two lists, times and positions"),
    (lambda m: m.drive("rod", derivatives="guessed"),
     "drive 'rod': unknown derivatives 'guessed'"),
    (lambda m: m.drive("rod", lambda t: t, derivatives="filtered"),
     "drive 'rod': derivatives=\"filtered\" is only for a live input"),
    (lambda m: m.drive("rod", derivatives="filtered", cutoff=0),
     "drive 'rod': cutoff must be > 0 Hz, got 0"),
    (lambda m: m.drive("rod", derivatives="filtered", cutoff=NAN),
     "drive 'rod': cutoff is nan"),
    (lambda m: m.independent("crnk"),
     "independent: there is no joint 'crnk'"),
    (lambda m: m.independent(None),
     "independent: joint must be a body, a point, a frame or its name, got 'None'"),
    (lambda m: m.independent(m.body("w", on="rod", joint=fixed())),
     "independent: joint 'w' is fixed and has no coordinate"),
    (lambda m: [m.drive("rod"), m.independent("crank", "rod")],
     "independent: joint 'rod' is driven"),
]

ELEMENTS: list[tuple[Write, str]] = [
    (lambda m: m.spring("rod", "slider", -3.0, free_length=0.1),
     "spring 'rod, slider': stiffness must be >= 0, got -3"),
    (lambda m: m.spring("rod", "slider", 3.0, NAN, free_length=0.1),
     "spring 'rod, slider': damping is nan"),
    (lambda m: m.spring("rod", "slider", 3.0, free_length="long", name="s"),
     "spring 's': free_length must be a number, got 'long'"),
    (lambda m: m.spring("rod", "slidr", 3.0, free_length=0.1),
     "line_force 'rod_slidr_spring': acts on 'slidr', which does not exist"),
    (lambda m: m.torsion_spring("rodd", 3.0),
     "joint_force 'rodd_spring': there is no joint 'rodd'"),
    (lambda m: m.torsion_spring("rod", 3.0, rest=INF),
     "torsion_spring 'rod': rest is inf"),
    (lambda m: m.torsion_spring("rod", OTHER.graph.symbol("k")),
     "torsion_spring 'rod': stiffness uses an expression of another model"),
    (lambda m: m.joint_stop("slider", 3.0),
     "joint_stop 'slider': joint 'slider' has no limits"),
    (lambda m: m.joint_stop(3, 3.0),
     "joint_force: target must be a body, a point, a frame or its name, got '3'"),
    (lambda m: m.joint_stop("rod", -3.0),
     "joint_stop 'rod': stiffness must be >= 0, got -3"),
    (lambda m: m.joint_stop("rod", 3.0, limits=(0.4, 0.1)),
     "joint_stop 'rod': limits (0.4, 0.1) are reversed"),
    (lambda m: m.joint_stop("rod", 3.0, limits=(-INF, INF)),
     "joint_stop 'rod': both limits are infinite, so there is no stop"),
    (lambda m: m.joint_stop("rod", 3.0, limits=0.3),
     "joint_stop 'rod': limits needs 2 numbers, got '0.3'"),
    (lambda m: m.joint_stop("rod", 3.0, limits=(NAN, 0.3)),
     "joint_stop 'rod': limits is nan"),
    (lambda m: m.bushing("rod", "slider", (1, 2, 3)),
     "bushing 'rod, slider': stiffness needs 6 components, got 3"),
    (lambda m: m.bushing("rod", "slider", 7.0),
     "bushing 'rod, slider': stiffness needs 6 components, got '7.0'"),
    (lambda m: m.bushing("rod", "slider", (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, -6)),
     "bushing 'rod, slider': damping must be >= 0, got -6"),
    (lambda m: m.bushing("crank", "crank.pin", (1, 2, 3, 4, 5, 6)),
     "frame_force 'crank_crank_pin_bushing': 'crank' and 'crank.pin' are on the same rigid body"),
    (lambda m: m.frame_force("rod", "slider", lambda p: p),
     "frame_force 'rod_slider_frame_force': the law returns 3 components, needs a force and"),
    (lambda m: m.frame_force("rod", "slider", lambda p: (p, p[:2])),
     "the law returns 2 components, needs a force and a torque, 3 components each"),
    (lambda m: m.frame_force("rod", "slider", lambda q: (q, q)),
     "frame_force 'rod_slider_frame_force': the law has an unknown argument 'q'"),
    (lambda m: m.frame_force("rod", "slidr", lambda p: (p, p)),
     "frame_force 'rod_slidr_frame_force': acts on 'slidr', which does not exist"),
]

STATES: list[tuple[Write, str]] = [
    (lambda m: m.joint_force("rod", lambda q: -q, states={"z": 0.0}),
     "joint_force 'rod_effort': the law has states and must return their rates"),
    (lambda m: m.joint_force("rod", lambda z: (z, {}), states={"z": 0.0}),
     "joint_force 'rod_effort': the law returns no rate for state 'z'"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": z, "y": z}), states={"z": 0.0}),
     "joint_force 'rod_effort': the law returns a rate for 'y', which is not one of its states"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": NAN}), states={"z": 0.0}),
     "joint_force 'rod_effort': the rate of 'z' is nan"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": z}), states={"z": NAN}),
     "joint_force 'rod_effort': state 'z' is nan"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": z}), states=["z"]),
     "joint_force 'rod_effort': states must be names with initial values, got "),
    (lambda m: m.joint_force("rod", lambda q: (q, {"q": q}), states={"q": 0.0}),
     "joint_force 'rod_effort': state 'q': the name is reserved by inloop"),
    (lambda m: m.force("rod", lambda p_x: (p_x, {"p_x": p_x}), states={"p_x": 0.0}),
     "force 'rod_force': state 'p_x': the name is reserved by inloop"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"a b": q}), states={"a b": 0.0}),
     "joint_force 'rod_effort': state 'a b': the name is not an identifier in C"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"z": q})),
     "joint_force 'rod_effort': the law returns rates or outputs that were not declared"),
    (lambda m: m.line_force("rod", "slider", lambda z: ((z, z), {"z": z}), states={"z": 0.0}),
     "line_force 'rod_slider_line_force': the law returns 2 components, needs 1 number"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": m.graph.symbol("x")}), states={"z": 0.0}),
     "joint_force 'rod_effort': the law uses 'x', which is neither its argument nor"),
]
# fmt: on


@pytest.mark.parametrize(
    ("write", "text"), LOOPS + CONSTRAINTS + COUPLINGS + DRIVES + ELEMENTS + STATES
)
def test_mistake(write: Write, text: str, arm: ModelBuilder, mistakes_of: Report) -> None:
    write(arm)
    mistakes = mistakes_of(arm)
    assert len(mistakes) == 1, mistakes
    assert text in mistakes[0].what
    assert mistakes[0].where == f"{__file__}:{write.__code__.co_firstlineno}"
    assert mistakes[0].fix.endswith((".", "?"))


def test_suggestions(arm: ModelBuilder, mistakes_of: Report) -> None:
    arm.close("rod", "crank.pim")
    arm.constraint("c", lambda q: q["slidr"])
    arm.joint_force("rod", lambda z: (z, {"zz": z, "z": z}), states={"z": 0.0})
    fixes = {mistake.fix for mistake in mistakes_of(arm)}
    assert fixes == {"Did you mean 'crank.pin'?", "Did you mean 'slider'?", "Did you mean 'z'?"}


def test_a_stop_before_its_joint(arm: ModelBuilder, mistakes_of: Report) -> None:
    arm.joint_stop("hand", 3.0)
    arm.joint_stop("hand", 3.0, limits=(-0.2, 0.3))
    arm.body("hand", on="rod", joint=revolute("x"), mass=0.2, com=(0.1, 0.2, 0.3))
    (mistake,) = mistakes_of(arm)
    assert mistake.what == "joint_stop 'hand': the limits of the joint are not known here"
    assert mistake.fix == "Declare the body first, or write limits=(lowest, highest)."


def test_massless_bodies_outside_the_loop_are_still_found(mistakes_of: Report) -> None:
    m = ModelBuilder("loop")
    # the base carries the whole loop: closing it does not help its joint
    base = m.body("base", on=m.ground, joint=revolute("x"))
    a = m.body("a", on=base, joint=revolute("y"))
    b = m.body("b", on=base.point("p", (0.3, 0.2, 0.1)), joint=revolute("y"))
    m.body("flag", on=m.ground, joint=revolute("z"))
    m.close(a.point("end", (0.2, 0.1, 0.4)), b)
    texts = [mistake.what for mistake in mistakes_of(m)]
    assert [text.partition(":")[0] for text in texts] == ["body 'base'", "body 'flag'"]
    assert all("moves nothing that has inertia" in text for text in texts)
