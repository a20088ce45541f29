"""The screw joint, against closed forms, a turn and a shift that are coupled, and Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import inloop as il
from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba, crb_common
from inloop.symbolic import Input, Output, Program, interpret

PITCH, MASS, SPIN = 0.013, 0.83, 1.7e-3
# parent, axis, pitch (None: revolute), place, mass, center of mass, inertia
TREE = (
    (-1, (0.6, 0.0, 0.8), None, (0.1, 0.2, -0.1), 1.3, (0.1, -0.2, 0.15), (0.05, 0.07, 0.06)),
    (0, (0.48, -0.64, 0.6), 0.31, (0.3, -0.1, 0.2), 0.9, (-0.1, 0.07, 0.2), (0.03, 0.04, 0.05)),
    (1, (0.0, 1.0, 0.0), -0.17, (0.0, 0.25, 0.1), 0.7, (0.05, 0.11, -0.06), (0.02, 0.01, 0.03)),
    (2, (0.0, 0.0, -1.0), 0.23, (0.1, -0.3, 0.05), 0.6, (0.02, -0.1, 0.08), (0.02, 0.03, 0.01)),
    (1, (1.0, 0.0, 0.0), None, (-0.2, 0.1, 0.3), 0.4, (0.2, 0.01, 0.03), (0.01, 0.02, 0.015)),
)


def nut(pitch: object = PITCH) -> il.Model:
    """A nut that gravity drives down a vertical spindle."""
    m = il.Model("nut")
    m.body("nut", on=m.ground, joint=il.screw("z", pitch, initial=(0.3, 2.0)), mass=MASS,
           com=(0.02, 0.0, 0.0), inertia=(2e-3, 3e-3, SPIN))  # fmt: skip
    return m


def pair() -> il.Model:
    """The same nut as a turn on a slide, whose coordinates a constraint ties."""
    m = il.Model("pair")
    slide = m.body("slide", on=m.ground, joint=il.prismatic("z", guess=0.3 * PITCH))
    m.body("nut", on=slide, joint=il.revolute("z", initial=(0.3, 2.0)), mass=MASS,
           com=(0.02, 0.0, 0.0), inertia=(2e-3, 3e-3, SPIN))  # fmt: skip
    m.constraint("thread", lambda q: q["slide"] - PITCH * q["nut"])
    return m


def fall() -> float:
    """(J + m h²) qdd = -m g h, with J about the axis."""
    about_axis = SPIN + MASS * 0.02**2
    return -MASS * 9.81 * PITCH / (about_axis + MASS * PITCH**2)


def test_a_nut_falls_as_by_hand() -> None:
    plant = nut().compile()
    run = plant.simulate(t_end=0.8, step=1e-3)
    expected = 0.3 + 2.0 * run.t + 0.5 * fall() * run.t**2
    assert run.status == "OK"
    assert run.q[:, 0] == pytest.approx(expected, abs=1e-11)
    kinetic, potential = plant.energy(run.q, run.qd).T
    assert potential == pytest.approx(MASS * 9.81 * PITCH * expected, abs=1e-11)
    assert kinetic + potential == pytest.approx(np.full(len(run.t), kinetic[0] + potential[0]))


def test_a_nut_is_a_turn_and_a_shift_that_are_tied() -> None:
    alone, tied = nut().compile(), pair().compile()
    one = alone.simulate(t_end=0.5, step=1e-3)
    two = tied.simulate(t_end=0.5, step=1e-3)
    turn = tied.coordinates.index("nut")
    assert one.q[:, 0] == pytest.approx(two.q[:, turn], abs=1e-11)
    assert one.q[:, 0] * PITCH == pytest.approx(two.q[:, 1 - turn], abs=1e-11)


def test_the_pitch_may_be_a_parameter() -> None:
    m = nut()
    live = m.compile(live=["nut.pitch"])
    live.parameters["nut.pitch"] = -2.0 * PITCH
    fixed = nut(-2.0 * PITCH).compile()
    state = {"q": [0.4], "qd": [1.1], "tau": [0.02]}
    assert live.direct_dynamics(**state) == pytest.approx(fixed.direct_dynamics(**state), rel=1e-14)
    declared = il.Model("declared")
    lead = declared.parameter("lead", 0.02)
    declared.body("nut", on=declared.ground, joint=il.screw("z", lead / 6.5), mass=1.0)
    assert "screw pitch" in declared.describe()
    # a point mass on the axis: m h² qdd = tau - m g h
    h = 0.02 / 6.5
    found = declared.compile().direct_dynamics([0.0], [0.0], [0.5])
    assert found == pytest.approx([(0.5 - 9.81 * h) / h**2], rel=1e-12)


def test_every_digit_of_the_pitch_counts() -> None:
    one, same, other = (nut(h).compile().digest for h in (PITCH, PITCH, PITCH * (1.0 + 1e-12)))
    assert one == same != other


def test_mistakes_are_named() -> None:
    with pytest.raises(il.ModelError, match="body 'nut': pitch"):
        nut("steep").build()
    with pytest.raises(il.ModelError, match="body 'nut': pitch is inf"):
        m = il.Model("m")
        m.body("nut", on=m.ground, joint=il.screw("z", 1.0 / m.parameter("n", 0.0)), mass=1.0)
        m.build()


def test_units_are_those_of_an_angle() -> None:
    run = nut().compile().simulate(t_end=0.01, step=1e-3)
    assert run.units["nut.q"] == "rad" and run.units["nut.effort"] == "N·m"


def tree() -> il.Model:
    m = il.Model("tree", gravity=(0.4, -0.9, -9.6))
    bodies: list[il.Handle] = []
    for k, (parent, axis, pitch, place, mass, com, inertia) in enumerate(TREE):
        on = (m.ground if parent < 0 else bodies[parent]).point(f"p{k}", place)
        joint = il.revolute(axis) if pitch is None else il.screw(axis, pitch)
        bodies.append(m.body(f"b{k}", on=on, joint=joint, mass=mass, com=com, inertia=inertia))
    return m


def peer() -> pin.Model:
    model = pin.Model()
    model.gravity.linear = np.array([0.4, -0.9, -9.6])
    joints: list[int] = []
    for k, (parent, axis, pitch, place, mass, com, inertia) in enumerate(TREE):
        kind = (
            pin.JointModelRevoluteUnaligned(np.array(axis))
            if pitch is None
            else pin.JointModelHelicalUnaligned(np.array(axis), pitch)
        )
        X = pin.SE3(np.eye(3), np.array(place))
        joint = model.addJoint(0 if parent < 0 else joints[parent], kind, X, f"j{k}")
        body = pin.Inertia(mass, np.array(com), np.diag(inertia))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
        joints.append(joint)
    return model


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_of_screws_moves_as_in_pinocchio(seed: int) -> None:
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 5))
    model = peer()
    data = model.createData()
    tau, c = pin.rnea(model, data, q, qd, qdd), pin.nonLinearEffects(model, data, q, qd)
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    d = Derivation(tree().build())
    outputs = (
        Output.vector("tau", d.tau),
        Output.vector("c", d.c),
        Output.matrix("M", d.mass.rows(d.graph.zero)),
        Output.matrix("common", crb_common.mass_matrix(d.skeleton).rows(d.graph.zero)),
        Output.vector("qdd", d.qdd[0]),
        Output.vector("aba", aba.direct_dynamics(d.base, d.symbols.tau)),
    )
    inputs = [Input(x, tuple(getattr(d.symbols, x))) for x in ("q", "qd", "qdd", "tau")]
    program = Program("all", (*inputs, d.parameters), outputs)
    found = interpret(program, q=q, qd=qd, qdd=qdd, tau=tau, par=[])
    for name, value in (("tau", tau), ("c", c), ("M", M), ("common", M)):
        assert found[name] == pytest.approx(value, abs=1e-12 * np.max(np.abs(tau))), name
    assert found["qdd"] == pytest.approx(qdd, abs=1e-9)
    assert found["aba"] == pytest.approx(qdd, abs=1e-9)
    assert np.max(np.abs(tau)) > 1.0


def jack(*, tied: bool) -> il.Model:
    """A spindle that lifts a lever by a rod; as a screw, or as a turn and a shift that are tied."""
    m = il.Model("jack")
    data = {"mass": MASS, "com": (0.02, 0.01, 0.05), "inertia": (2e-3, 3e-3, SPIN)}
    if tied:
        slide = m.body("slide", on=m.ground, joint=il.prismatic("z", guess=0.0))
        spindle = m.body("spindle", on=slide, joint=il.revolute("z", initial=(0.4, 3.0)), **data)
        m.constraint("thread", lambda q: q["slide"] - PITCH * q["spindle"])
    else:
        joint = il.screw("z", PITCH, initial=(0.4, 3.0))
        spindle = m.body("spindle", on=m.ground, joint=joint, **data)
    hinge = m.ground.point("hinge", (0.5, 0.03, 0.1))
    lever = m.body("lever", on=hinge, joint=il.revolute("y", guess=0.1), mass=0.6,
                   com=(-0.2, 0, 0.02), inertia=(0.01, 0.02, 0.03))  # fmt: skip
    top, end = spindle.point("top", (0.01, 0.02, 0.1)), lever.point("end", (-0.45, 0, 0))
    m.close(top, end, kind="rod", length=0.3, name="rod")
    return m


def test_a_screw_in_a_loop() -> None:
    runs = [jack(tied=tied).compile().simulate(t_end=0.4, step=1e-3) for tied in (False, True)]
    assert [run.status for run in runs] == ["OK", "OK"]
    for name in ("spindle", "lever"):
        one, two = (run[f"{name}.q"] for run in runs)
        assert one == pytest.approx(two, abs=1e-9)
    assert np.ptp(runs[0]["lever.q"]) > 0.02


def test_a_thread_without_friction_turns_force_into_moment() -> None:
    found = nut().compile().joint_reactions([0.7], [1.3], [fall()])
    force, moment = found["nut.force"], found["nut.moment"]
    assert force[2] == pytest.approx(MASS * (9.81 + PITCH * fall()), rel=1e-12)
    assert moment[2] == pytest.approx(-PITCH * force[2], rel=1e-12)
