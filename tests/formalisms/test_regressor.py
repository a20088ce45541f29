"""The regressor of inverse dynamics agrees with Pinocchio's, and with our own recursion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from random_trees import Peer, random_tree

import inloop as il
from inloop.formalisms import Derivation
from inloop.formalisms.recursions.regressor import REGRESSOR, rigid_bodies
from inloop.gallery.puma560.model import DH_TABLE, puma560
from inloop.symbolic import interpret

TREES, ALL_TREES = 12, 60
TOLERANCE = 1e-9
# of our (m, mc, xx, xy, xz, yy, yz, zz) in theirs (m, mc, xx, xy, yy, xz, yz, zz)
THEIRS = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])


def columns(joints: list[int]) -> np.ndarray:
    """Columns of bodies in Pinocchio's regressor, by the numbers of their joints."""
    return np.concatenate([10 * (joint - 1) + THEIRS for joint in joints])


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(theirs).max() > 1.0
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * np.abs(theirs).max())


MORE = [pytest.param(seed, marks=pytest.mark.long) for seed in range(TREES, ALL_TREES)]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", [*range(TREES), *MORE])
def test_random_tree(seed: int) -> None:
    tree = random_tree(seed, size=3 + seed % 9)
    mechanism = tree.model().build()
    names, peer = mechanism.coordinates, tree.pinocchio()
    q, qd, qdd = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, len(names)))
    ours = interpret(Derivation(mechanism).program(REGRESSOR), q=q, qd=qd, qdd=qdd)["Y"]
    pick = peer.order(names)
    v, a = np.empty(len(names)), np.empty(len(names))
    v[pick], a[pick] = qd, qdd
    at = peer.configuration(names, q)
    theirs = np.array(pin.computeJointTorqueRegressor(peer.model, peer.data, at, v, a))
    joints = [list(peer.model.names).index(name) for name in names]
    assert_close(ours, theirs[np.ix_(pick, columns(joints))])


def puma_of_pinocchio() -> Peer:
    """The published table, joint after joint; body frame j is DH frame j-1 turned by q_j."""
    model = pin.Model()
    placement, joint = pin.SE3.Identity(), 0
    for number, row in enumerate(DH_TABLE, start=1):
        joint = model.addJoint(joint, pin.JointModelRZ(), placement, f"joint_{number}")
        R = pin.utils.rotate("x", row.alpha)
        placement = pin.SE3(R, np.array([row.a, 0.0, row.d]))
        com = placement.act(np.array(row.com))
        inertia = R @ np.diag(row.inertia) @ R.T
        model.appendBodyToJoint(joint, pin.Inertia(row.mass, com, inertia), pin.SE3.Identity())
    return Peer(model, 0)


def test_puma() -> None:
    """Compiled, many states at once."""
    plant, peer = puma560().compile(), puma_of_pinocchio()
    Y = il.identify.regressor(plant, armature=False)
    states = np.random.default_rng(5).uniform(-3.0, 3.0, (3, 7, 6))
    theirs = [
        pin.computeJointTorqueRegressor(peer.model, peer.data, *state)[
            :, columns([1, 2, 3, 4, 5, 6])
        ]
        for state in np.swapaxes(states, 0, 1)
    ]
    assert_close(Y(*states), np.array(theirs))


def test_base_parameters_of_a_second_robot() -> None:
    """Six parallel or perpendicular axes, the first vertical: Mayeda et al. 1990, 7·6 - 4 - 2."""
    robots = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    plant = il.load(robots / "ur_description" / "urdf" / "ur5_robot.urdf").compile(backend="python")
    assert plant.n == 6
    assert len(il.identify.base_parameters(plant, armature=False)) == 36


def floating_arm() -> il.Model:
    m = il.Model("floating", gravity=(1.1, -2.3, -9.2))
    hull = m.body(
        "hull",
        on=m.ground,
        joint=il.free(),
        mass=3.1,
        com=(0.11, -0.07, 0.23),
        inertia=(0.3, 0.4, 0.5),
    )
    elbow = hull.point("elbow", (0.21, 0.13, -0.35))
    m.body(
        "arm",
        on=elbow,
        joint=il.revolute("y"),
        mass=1.3,
        com=(0.05, 0.3, 0.17),
        inertia=(0.07, 0.09, 0.05),
    )
    return m


def test_floating_base() -> None:
    """Linear velocity along axes of the world here, of the hull there: v_pin = T qd."""
    plant = floating_arm().compile()
    assert [body.name for body in rigid_bodies(plant.mechanism)] == ["hull", "arm"]
    model = pin.Model()
    model.gravity.linear = np.array([1.1, -2.3, -9.2])
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "hull")
    model.appendBodyToJoint(
        base,
        pin.Inertia(3.1, np.array([0.11, -0.07, 0.23]), np.diag([0.3, 0.4, 0.5])),
        pin.SE3.Identity(),
    )
    elbow = pin.SE3(np.eye(3), np.array([0.21, 0.13, -0.35]))
    arm = model.addJoint(base, pin.JointModelRY(), elbow, "arm")
    model.appendBodyToJoint(
        arm,
        pin.Inertia(1.3, np.array([0.05, 0.3, 0.17]), np.diag([0.07, 0.09, 0.05])),
        pin.SE3.Identity(),
    )
    random = np.random.default_rng(2)
    turn = random.normal(size=4)
    turn /= np.linalg.norm(turn)
    place, qd, qdd = random.uniform(-1.0, 1.0, 3), *random.uniform(-2.0, 2.0, (2, 7))
    q = np.concatenate([place, np.zeros(3), [0.7], turn])
    R = pin.Quaternion(*turn).toRotationMatrix()
    T = np.eye(7)
    T[:3, :3] = R.T
    v = T @ qd
    a = T @ qdd
    a[:3] -= np.cross(v[3:6], v[:3])  # dT/dt qd
    at = np.concatenate([place, turn[1:], turn[:1], [0.7]])
    theirs = pin.computeJointTorqueRegressor(model, model.createData(), at, v, a)
    Y = il.identify.regressor(plant, armature=False)
    assert_close(Y(q, qd, qdd), T.T @ np.array(theirs)[:, columns([1, 2])])


def test_kinds_of_joints() -> None:
    """Joints that Pinocchio's trees above do not have: our own Newton-Euler recursion agrees."""
    m = il.Model("kinds", gravity=(0.3, -1.2, -9.7))
    on = m.ground
    joints = {
        "cart": il.planar("xz"),
        "nut": il.screw((0.0, 0.6, 0.8), pitch=0.13, armature=0.3),
        "cross": il.universal("x", "z"),
        "tool": il.ball(armature=0.05),
    }
    for k, (name, joint) in enumerate(joints.items(), start=1):
        body = m.body(
            name,
            on=on,
            joint=joint,
            mass=0.4 + k,
            com=(0.1 * k, -0.2, 0.3),
            inertia=(0.3, 0.4, 0.2 + 0.1 * k),
        )
        on = body.frame("end", (0.3, 0.1 * k, -0.2), il.rpy(0.3, -0.4, 0.5 * k))
    plant = m.compile()
    Y = il.identify.regressor(plant)
    assert len(Y.inertial.bodies) == 4
    random = np.random.default_rng(1)
    q = random.uniform(-1.0, 1.0, (3, plant.nq))
    q[:, plant.n :] /= np.linalg.norm(q[:, plant.n :], axis=1, keepdims=True)
    qd, qdd = random.uniform(-2.0, 2.0, (2, 3, plant.n))
    assert_close(Y(q, qd, qdd) @ Y.values, plant.inverse_dynamics(q, qd, qdd))


def test_live_parameters() -> None:
    """Lengths and inertias as they are now."""
    plant = floating_arm().compile(live="all")
    plant.parameters.update({"hull.elbow.x": 0.9, "arm.mass": 2.7, "arm.com.y": -0.4})
    Y = il.identify.regressor(plant)
    assert Y.values[Y.index("arm.mc.y")] == pytest.approx(2.7 * -0.4)
    random = np.random.default_rng(3)
    q = np.concatenate([random.uniform(-1.0, 1.0, 7), [0.5, 0.5, -0.5, 0.5]])
    qd, qdd = random.uniform(-2.0, 2.0, (2, 7))
    assert_close(Y(q, qd, qdd) @ Y.values, plant.inverse_dynamics(q, qd, qdd))
