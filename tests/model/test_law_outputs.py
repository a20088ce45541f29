"""Laws that make quantities known: traced with them, stored with units, refused when wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inloop.errors import Mistake
from inloop.model import ModelBuilder
from inloop.symbolic import Expr, evaluate

Write = Callable[[ModelBuilder], object]
Report = Callable[[ModelBuilder], tuple[Mistake, ...]]


def test_a_law_with_states_and_outputs(arm: ModelBuilder) -> None:
    def felt(q, qd, z):  # type: ignore[no-untyped-def]
        push = -41.0 * q - 0.3 * z
        return push, {"z": qd - z}, {"gap": q - 0.07, "push": push}

    arm.joint_force("slider", felt, "felt", states={"z": 0.2}, outputs={"gap": "m", "push": "N"})
    mechanism = arm.build()
    (law,) = mechanism.joint_forces
    assert mechanism.law_outputs == law.outputs
    assert [(out.name, out.unit) for out in law.outputs] == [("felt.gap", "m"), ("felt.push", "N")]
    gap = law.outputs[0].value
    assert isinstance(gap, Expr)
    assert evaluate([gap], {law.q: 0.5})[0] == pytest.approx(0.43, abs=1e-15)
    assert law.outputs[1].value is law.effort
    assert "felt.gap" in mechanism.describe()


def test_outputs_keep_the_order_of_the_laws(arm: ModelBuilder) -> None:
    arm.frame_force(
        "crank", "slider", lambda p: ((p, p), {"x": p[0]}), outputs={"x": "m"}, name="mount"
    )
    arm.spring("rod", "slider", 31.0, free_length=0.2, name="coil")
    arm.torque("rod", lambda w: (w, {"w": w[1]}), outputs={"w": "rad/s"}, name="drag")
    arm.force("rod", lambda v: (v, {"v": v[1]}), outputs={"v": "m/s"}, name="wind")
    arm.joint_stop("slider", 11.0, limits=(-1.0, 1.0), name="wall")
    arm.torsion_spring("rod", 2.0, name="coil_2")
    names = [f"{output.name} {output.unit}" for output in arm.build().law_outputs]
    assert names == [
        "wall.effort N", "coil_2.effort N*m", "wind.v m/s", "drag.w rad/s", "coil.length m",
        "coil.force N", "mount.x m",
    ]  # fmt: skip


# fmt: off
MISTAKES: list[tuple[Write, str]] = [
    (lambda m: m.joint_force("rod", lambda q: q, outputs={"a": "N"}),
     "joint_force 'rod_effort': the law has outputs and must return their values"),
    (lambda m: m.joint_force("rod", lambda q: (q, {}), outputs={"a": "N"}),
     "joint_force 'rod_effort': the law returns no value for output 'a'"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"a": q, "b": q}), outputs={"a": "N"}),
     "joint_force 'rod_effort': the law returns a value for 'b', which is not one of its outputs"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"a": q}), outputs=["a"]),
     "joint_force 'rod_effort': outputs must be names with units, got "),
    (lambda m: m.joint_force("rod", lambda q: (q, {"a": q}), outputs={"a": "furlong"}),
     "joint_force 'rod_effort': unknown unit 'furlong'"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"q": q}), outputs={"q": "rad"}),
     "joint_force 'rod_effort': output 'q': the name is reserved by inloop"),
    (lambda m: m.joint_force("rod", lambda z: (z, {"z": z}, {"z": z}),
                             states={"z": 0.0}, outputs={"z": "1"}),
     "joint_force 'rod_effort': output 'z': the name is reserved by inloop"),
    (lambda m: m.joint_force("rod", lambda q: (q, {"a": m.graph.symbol("x")}), outputs={"a": "1"}),
     "joint_force 'rod_effort': the law uses 'x', which is neither its argument nor"),
]
# fmt: on


@pytest.mark.parametrize(("write", "text"), MISTAKES)
def test_mistakes(write: Write, text: str, arm: ModelBuilder, mistakes_of: Report) -> None:
    write(arm)
    mistakes = mistakes_of(arm)
    assert len(mistakes) == 1, mistakes
    assert text in str(mistakes[0])


def test_an_output_may_not_hide_the_effort_of_a_drive(
    arm: ModelBuilder, mistakes_of: Report
) -> None:
    arm.drive("rod", lambda t: 0.3 * t)
    arm.joint_force("rod", lambda q: (q, {"effort": q}), "rod", outputs={"effort": "N*m"})
    (mistake,) = mistakes_of(arm)
    assert "output 'rod.effort': the name is already used by the drive" in str(mistake)
