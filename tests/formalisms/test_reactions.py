"""Forces and moments in joints: Pinocchio, closed forms, and Newton's law on every body."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from comparing import random_states
from random_trees import random_tree

import inloop as il
from inloop.formalisms import Derivation
from inloop.symbolic import interpret

G = 9.81


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(40))
def test_trees_against_pinocchio(seed: int) -> None:
    tree = random_tree(seed, size=14 if seed < 4 else None)
    mechanism = tree.model().build()
    names = mechanism.coordinates
    q, qd, qdd = random_states(seed, len(names), 1)
    program = Derivation(mechanism).program("joint_reactions")
    found = interpret(program, q=q, qd=qd, qdd=qdd)
    peer = tree.pinocchio()
    model, data, pick = peer.model, peer.data, peer.order(names)
    theirs = np.empty((2, model.nv))
    theirs[:, pick] = qd[0], qdd[0]
    at = peer.configuration(names, q[0])
    pin.rnea(model, data, at, *theirs)
    pin.forwardKinematics(model, data, at)  # rnea leaves the poses alone
    force, moment = found["force"].reshape(-1, 3), found["moment"].reshape(-1, 3)
    scale = max(1.0, np.abs(force).max(), np.abs(moment).max())
    for k, name in enumerate(names):
        joint = peer.joints[name].id
        R_WB = data.oMi[joint].rotation
        np.testing.assert_allclose(
            force[k], R_WB @ data.f[joint].linear, rtol=0, atol=1e-10 * scale
        )
        np.testing.assert_allclose(
            moment[k], R_WB @ data.f[joint].angular, rtol=0, atol=1e-10 * scale
        )


def test_tension_of_a_pendulum() -> None:
    m = il.Model("pendulum")
    m.body("bob", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.0, 0.0, -0.7))
    plant = m.compile()
    q, qd = 0.6, 2.1
    found = plant.joint_reactions([q], [qd])
    # along the string, from the bob to the pivot: m l om² + m g cos q; nothing across it
    up = np.array([np.sin(q), 0.0, np.cos(q)])
    expected = (1.3 * 0.7 * qd**2 + 1.3 * G * np.cos(q)) * up
    np.testing.assert_allclose(found["bob.force"], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["bob.moment"], 0.0, atol=1e-12)
    # held by an effort, the joint transmits it as a moment
    held = plant.joint_reactions([q], [0.0], [0.0])
    weight = np.cross(np.array([-0.7 * np.sin(q), 0.0, -0.7 * np.cos(q)]), [0.0, 0.0, -1.3 * G])
    np.testing.assert_allclose(held["bob.force"], [0.0, 0.0, 1.3 * G], rtol=0, atol=1e-12)
    np.testing.assert_allclose(held["bob.moment"], -weight, rtol=0, atol=1e-12)


def slider_crank(cut: str) -> il.Model:
    """The same linkage, cut at the slider or at the crank; springs and a load act on it."""
    m = il.Model(f"linkage_{cut}", gravity=(0.4, 0.3, -9.6))
    crank = m.body("crank", on=m.ground, joint=il.revolute("y", initial=(-0.7, 3.0)), mass=0.8,
                   com=(0.05, 0.02, 0.01), inertia=(1e-3, 2e-3, 2.5e-3))  # fmt: skip
    crank.point("pin", (0.1, 0.03, 0.0))
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.37), mass=1.1,
                    com=(0.01, 0.02, 0.03), inertia=(1e-3, 2e-3, 3e-3))  # fmt: skip
    slider.point("eye", (0.0, 0.03, 0.0))
    inertia = (1e-3, 5e-3, 6e-3)
    if cut == "slider":
        rod = m.body("rod", on="crank.pin", joint=il.revolute("y", guess=0.9), mass=0.6,
                     com=(0.15, 0.01, 0.02), inertia=inertia)  # fmt: skip
        m.close(rod.point("end", (0.3, 0.0, 0.0)), "slider.eye", name="loop")
    else:
        rod = m.body("rod", on="slider.eye", joint=il.revolute("y", guess=0.2), mass=0.6,
                     com=(-0.15, 0.01, 0.02), inertia=inertia)  # fmt: skip
        m.close(rod.point("end", (-0.3, 0.0, 0.0)), "crank.pin", name="loop")
    m.spring(m.ground.point("wall", (0.9, 0.1, 0.0)), "slider.com", 90.0, 3.0, free_length=0.4)
    m.force("rod.com", lambda v: (-0.4 * v[0], 0.7, -0.3 * v[2]), name="wind")
    m.joint_force("crank", lambda q: 0.3 - 0.1 * q)
    return m


def newton_euler_gaps(plant: il.Plant, q: np.ndarray, qd: np.ndarray, lam_at: tuple) -> list[float]:
    """By body: |forces - m a| and |moments about the center of mass - rate of momentum|."""
    motion = plant.formulation.motion(q, qd, np.zeros(plant.n))
    q, v, a = motion["q"], motion["v"], motion["a"]
    mechanism = plant.mechanism
    on_a, on_b = lam_at
    lam = np.zeros(3)
    for name, value in zip(plant.formulation.row_names, motion["lam"], strict=True):
        lam["xyz".index(name[-1])] = value
    outputs = plant.law_outputs(q, v)
    pulls = {on_a: lam, on_b: -lam}
    wall, eye = (plant.position(path, q) for path in ("ground.wall", "slider.com"))
    unit = (wall - eye) / np.linalg.norm(wall - eye)
    (spring,) = (name for name in outputs if name.endswith("spring.force"))
    pulls["slider.com"] = outputs[spring] * unit
    rod = plant.velocity("rod.com", q, v)
    pulls["rod.com"] = np.array([-0.4 * rod[0], 0.7, -0.3 * rod[2]])
    reactions = plant.joint_reactions(q, v)
    gaps = []
    for body in mechanism.bodies:
        com = plant.position(f"{body.name}.com", q)
        seen = plant.motion(f"{body.name}.com", q, v, a)
        force = body.mass * (np.array(mechanism.gravity) - seen["acc"])
        R = plant.pose(body.name, q)[1]
        I = R @ np.array(body.inertia, dtype=float) @ R.T
        moment = -I @ seen["omd"] - np.cross(seen["om"], I @ seen["om"])
        for child in (body, *mechanism.children(body.index)):
            sign = 1.0 if child is body else -1.0
            f, n = (sign * reactions[f"{child.joint.name}.{kind}"] for kind in ("force", "moment"))
            force = force + f
            moment = moment + n + np.cross(plant.position(child.name, q) - com, f)
        for path, pull in pulls.items():
            if path.partition(".")[0] == body.name:
                force = force + pull
                moment = moment + np.cross(plant.position(path, q) - com, pull)
        gaps += [float(np.abs(force).max()), float(np.abs(moment).max())]
    return gaps


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("cut", "ends"),
    [("slider", ("rod.end", "slider.eye")), ("crank", ("rod.end", "crank.pin"))],
)
def test_every_body_of_a_closed_mechanism_obeys_newton_and_euler(
    cut: str, ends: tuple[str, str]
) -> None:
    plant = slider_crank(cut).compile()
    q = plant.formulation.positions.first.q
    qd = plant.vector(crank=3.0)
    assert max(newton_euler_gaps(plant, q, qd, ends)) < 1e-9


def test_reactions_do_not_depend_on_where_the_loop_is_cut() -> None:
    start = {"q": {"crank": -0.7}, "qd": {"crank": 3.0}}
    runs = [
        slider_crank(cut)
        .compile()
        .simulate(t_end=0.4, step=5e-4, sample=0.02, reactions="all", **start)
        for cut in ("slider", "crank")
    ]
    assert np.ptp(runs[0]["crank.q"]) > 0.3
    # joints that both models have; across the plane the balls share the load differently
    shared = (
        "crank.force.x",
        "crank.force.z",
        "crank.moment.y",
        "slider.force.z",
        "slider.moment.y",
    )
    pairs = [(runs[0][name], runs[1][name]) for name in shared]
    # the pin on the crank is a joint of the rod in one model and a cut in the other
    pairs += [(runs[0][f"rod.force.{axis}"], runs[1][f"lam.loop.{axis}"]) for axis in "xz"]
    for a, b in pairs:
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-6 * max(1.0, np.abs(a).max()))
    assert min(np.abs(a).max() for a, _ in pairs) > 0.01
    for run in runs:
        # along its axis a joint transmits the effort in it, and nothing else
        np.testing.assert_allclose(run["slider.force.x"], 0.0, atol=1e-10)
        effort = 0.3 - 0.1 * run["crank.q"]
        np.testing.assert_allclose(run["crank.moment.y"], effort, rtol=0, atol=1e-10)


def test_given_accelerations_of_a_loop_need_their_multipliers() -> None:
    plant = slider_crank("slider").compile()
    q, qd = plant.formulation.positions.first.q, plant.vector(crank=3.0)
    motion = plant.formulation.motion(q, qd, np.zeros(3))
    by_efforts = plant.joint_reactions(q, qd)
    given = plant.joint_reactions(q, motion["v"], motion["a"], lam=motion["lam"])
    for name, vector in by_efforts.items():
        np.testing.assert_allclose(given[name], vector, rtol=0, atol=1e-9, err_msg=name)
    with pytest.raises(il.InputError, match="needs the multipliers"):
        plant.joint_reactions(q, qd, motion["a"])
    with pytest.raises(il.InputError, match="one state of a mechanism with loops at a time"):
        plant.joint_reactions([q, q], [qd, qd])
