"""Mistakes together: all at once, in order, none twice; doubts about files become notes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from inloop.errors import Mistake, ModelError
from inloop.model import ModelBuilder, free, prismatic, revolute

Report = Callable[[ModelBuilder], tuple[Mistake, ...]]
NAN = math.nan
X, Y = prismatic("x"), revolute("y")


def test_model_name_and_gravity(mistakes_of: Report) -> None:
    m = ModelBuilder("my arm", gravity=(0, NAN, -9.81))
    texts = [mistake.what for mistake in mistakes_of(m)]
    assert texts == [
        "model 'my arm': the name is not an identifier in C",
        "model 'my arm': gravity is nan",
    ]


def test_all_at_once_from_top_to_bottom() -> None:
    m = ModelBuilder("bad")
    k = m.parameter("k", 3.0, range=(5, 4))
    a = m.body("a", on="nowhere", joint=revolute("w"), mass=-2.0)
    m.body("a", on=a, joint=prismatic("x"), mass=k, inertia=(1, 2, 9))
    m.joint_force("c", lambda q, speed: speed)
    with pytest.raises(ModelError) as caught:
        m.build()
    places = [int(mistake.where.rpartition(":")[2]) for mistake in caught.value.mistakes]
    assert len(places) == 8
    assert places == sorted(places)
    lines = str(caught.value).splitlines()
    assert lines[0] == "model 'bad' has 8 mistakes:"
    assert lines[2].startswith("  2. body 'a': unknown axis 'w' (")
    assert lines[2].endswith('). Write "x", "y", "z", "-x", ... or three numbers.')


def test_cycle_of_several_bodies(mistakes_of: Report) -> None:
    m = ModelBuilder("ring")
    for name, parent in (("a", "c"), ("b", "a"), ("c", "b"), ("d", "a")):
        m.body(name, on=parent, joint=prismatic("x"), mass=1.5)
    (mistake,) = mistakes_of(m)
    assert mistake.what == "body 'a': is attached to itself: 'a' on 'c' on 'b' on 'a'"


def test_suggestions(arm: ModelBuilder, mistakes_of: Report) -> None:
    arm.body("b", on="crank.pim", joint=X, mass=1)
    arm.joint_force("zzz", lambda q: q)
    first, second = mistakes_of(arm)
    assert first.fix == "Did you mean 'crank.pin'?"
    assert second.fix == "Known names: 'b', 'crank', 'rod', 'slider'."


def test_line_inside_a_law_of_several_lines(arm: ModelBuilder, mistakes_of: Report) -> None:
    def law(q, qd):  # type: ignore[no-untyped-def]
        force = -3.0 * q
        if qd > 0.5:
            force = force - 2.0
        return force

    arm.joint_force("rod", law)
    (mistake,) = mistakes_of(arm)
    assert mistake.where == f"{__file__}:{law.__code__.co_firstlineno + 2}"
    assert "where(condition, a, b)" in mistake.fix


def test_only_the_outermost_massless_body_is_reported(mistakes_of: Report) -> None:
    m = ModelBuilder("empty")
    m.chain("base", on=m.ground, joints=free())
    (mistake,) = mistakes_of(m)
    assert mistake.what.startswith("body 'base': its ball joint 'base_wz'")


def test_armature_moves_only_its_own_joint(mistakes_of: Report) -> None:
    m = ModelBuilder("empty")
    a = m.body("a", on=m.ground, joint=prismatic("x"))
    m.body("b", on=a, joint=prismatic("y", armature=0.3))
    (mistake,) = mistakes_of(m)
    assert mistake.what.startswith("body 'a': ")


def test_rounded_inertia_of_files_is_a_note() -> None:
    m = ModelBuilder("urdf", strict_inertia=False)
    a = m.body("a", on=m.ground, joint=Y, mass=1.3, inertia=(1, 2, 3.01))
    b = m.body("b", on=a, joint=Y, mass=1.4, inertia=(2, 2, 2, 3, 0, 0))
    c = m.body("c", on=b, joint=Y, inertia=(2, 3, 4))
    m.body("d", on=c, joint=Y)
    notes = m.build().notes
    assert [note.partition(":")[0] for note in notes] == [f"body '{name}'" for name in "abcd"]
    assert "triangle inequality" in notes[0] and "singular" in notes[3]


def test_inertia_within_rounding_is_accepted() -> None:
    m = ModelBuilder("rounded")
    m.body("plate", on=m.ground, joint=Y, mass=1.3, inertia=(0.1, 0.2, 0.3000002))
    assert m.build().notes == ()


def test_units_that_are_not_si_are_noted(arm: ModelBuilder) -> None:
    arm.parameter("stroke", 12.0, unit="mm")
    (note,) = arm.build().notes
    assert note.startswith("parameter 'stroke' is in mm: equations use the number unchanged")


def test_a_broken_value_is_reported_once(arm: ModelBuilder, mistakes_of: Report) -> None:
    # the stand-ins for values that cannot be read raise no further mistakes
    k = arm.parameter("k", NAN, range=(2.0, 3.0))
    arm.body("b", on="rod", joint=revolute("w"), mass=k, com=(NAN, 1, 2), inertia=(9, NAN, 1))
    assert len(mistakes_of(arm)) == 4
