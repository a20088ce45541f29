"""Random spatial linkages with loops: motion, multipliers and efforts against Pinocchio.

22 linkages, and 78 more with `-m long`.

A random tree is put into a random position, and loops are closed by construction between points
that happen to be there. Mass matrix, bias and the motion of the cut points come from Pinocchio; the
equations with multipliers (Eq. 3) are assembled and solved here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
import pytest
from random_trees import Tree, random_tree

import inloop as il
from inloop.formalisms import Derivation
from inloop.symbolic import interpret

LINKAGES, ALL_LINKAGES = 22, 100
ROWS = {"rod": 1, "ball": 3, "hinge": 5, "solid": 6}
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


@dataclass(frozen=True, eq=False)
class Cut:
    """A loop as numbers; body -1 is the ground.

    Attributes:
        kind: as in `m.close`.
        bodies: indices of the two bodies.
        p, R: for each end, the frame in axes of its body.
        axis: of a hinge, in axes of both frames.
        length: of a rod.
    """

    name: str
    kind: str
    bodies: tuple[int, int]
    p: tuple[np.ndarray, np.ndarray]
    R: tuple[np.ndarray, np.ndarray]
    axis: tuple[float, float, float]
    length: float


@dataclass(frozen=True)
class Linkage:
    """A tree, a position in which its loops are closed, and joints that are driven.

    Attributes:
        drives: by joint index, velocity and acceleration at t = 0; the position is that of q.
    """

    tree: Tree
    q: np.ndarray
    cuts: tuple[Cut, ...]
    drives: dict[int, tuple[float, float]]

    def model(self, live: str = "") -> il.Model:
        """The model; with `live`, drives follow inputs, with derivatives found in this way."""
        tree = self.tree
        m = il.Model(tree.name, gravity=tuple(tree.gravity))
        handles = {-1: m.ground}
        for k, limb in enumerate(tree.limbs):
            seat = handles[limb.parent].frame(f"seat_{limb.name}", limb.p_PJ, limb.R_PJ)
            kind = il.revolute if limb.kind == "revolute" else il.prismatic
            guess = float(self.q[k])
            joint = kind(limb.axis, name=f"j_{limb.name}", armature=limb.armature, guess=guess)
            handles[k] = m.body(
                limb.name, on=seat, joint=joint, mass=limb.mass, com=limb.com, inertia=limb.inertia
            )
        for cut in self.cuts:
            ends = (
                handles[body].frame(f"{cut.name}_{end}", p, R)
                for body, end, p, R in zip(cut.bodies, "ab", cut.p, cut.R, strict=True)
            )
            more = {"hinge": {"axis": cut.axis}, "rod": {"length": cut.length}}.get(cut.kind, {})
            m.close(*ends, kind=cut.kind, name=cut.name, **more)
        for k, (speed, rise) in self.drives.items():
            start = float(self.q[k])
            if live:
                m.drive(f"j_{tree.limbs[k].name}", derivatives=live)
                continue
            m.drive(
                f"j_{tree.limbs[k].name}",
                lambda t, a=start, b=speed, c=rise: a + b * t + c * t * t / 2.0,
            )
        return m

    def path(self, body: int) -> set[int]:
        return set() if body < 0 else {body} | self.tree.ancestors(body)

    def carrier(self, cut: Cut) -> int:
        """The last body that both ends hang on; -1 for the ground."""
        return max(self.path(cut.bodies[0]) & self.path(cut.bodies[1]), default=-1)


class Peer:
    """Pinocchio's view of a linkage; vectors in the order of the tree's limbs."""

    def __init__(self, linkage: Linkage) -> None:
        self.linkage = linkage
        peer = linkage.tree.pinocchio()
        self.model = peer.model
        self.pick = peer.order(tuple(f"j_{limb.name}" for limb in linkage.tree.limbs))
        self.joints = [0] * len(self.pick)
        for k, limb in enumerate(linkage.tree.limbs):
            self.joints[k] = self.model.getJointId(f"j_{limb.name}")
        self.ends = [[self._frame(cut, end) for end in (0, 1)] for cut in linkage.cuts]
        self.data = self.model.createData()

    def _frame(self, cut: Cut, end: int) -> int:
        joint = self.joint(cut.bodies[end])
        pose = pin.SE3(cut.R[end], cut.p[end])
        frame = pin.Frame(f"{cut.name}_{end}", joint, 0, pose, pin.FrameType.OP_FRAME)
        return int(self.model.addFrame(frame))

    def joint(self, body: int) -> int:
        return 0 if body < 0 else self.joints[body]

    def theirs(self, ours: np.ndarray) -> np.ndarray:
        vector = np.empty(len(ours))
        vector[self.pick] = ours
        return vector

    def move(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> None:
        pin.forwardKinematics(self.model, self.data, *map(self.theirs, (q, qd, qdd)))
        pin.updateFramePlacements(self.model, self.data)

    def equations(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M and c."""
        q_, qd_ = self.theirs(q), self.theirs(qd)
        M = np.array(pin.crba(self.model, self.data, q_))
        M = np.triu(M) + np.triu(M, 1).T
        c = np.array(pin.nonLinearEffects(self.model, self.data, q_, qd_))
        return M[np.ix_(self.pick, self.pick)], c[self.pick]

    def end(self, frame: int, q: np.ndarray) -> dict[str, np.ndarray]:
        """Pose, velocities, accelerations (for qdd as in `move`) and Jacobians, world axes."""
        model, data = self.model, self.data
        pose = data.oMf[frame]
        velocity = pin.getFrameVelocity(model, data, frame, AXES)
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, AXES)
        J = np.array(pin.computeFrameJacobian(model, data, self.theirs(q), frame, AXES))
        J = J[:, self.pick]
        return {
            "p": np.array(pose.translation), "R": np.array(pose.rotation),
            "v": np.array(velocity.linear), "w": np.array(velocity.angular),
            "a": np.array(acceleration.linear), "wd": np.array(acceleration.angular),
            "Jv": J[:3], "Jw": J[3:],
        }  # fmt: skip

    def rows(self, q: np.ndarray, qd: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """h, J and gamma of each cut; a hinge as three rows n_a = n_b, one of them too many."""
        self.move(q, qd, np.zeros_like(q))
        found = []
        for cut, frames in zip(self.linkage.cuts, self.ends, strict=True):
            a, b = (self.end(frame, q) for frame in frames)
            R = self.axes(self.linkage.carrier(cut))
            d = {key: a[key] - b[key] for key in ("p", "v", "w", "a", "wd", "Jv", "Jw")}
            if cut.kind == "rod":
                e = d["p"] / cut.length
                gamma = e @ d["a"] + d["v"] @ d["v"] / cut.length
                h = np.array([np.linalg.norm(d["p"]) - cut.length])
                found.append((h, (e @ d["Jv"])[None], np.array([gamma])))
                continue
            h, J, gamma = R.T @ d["p"], R.T @ d["Jv"], R.T @ d["a"]
            if cut.kind == "solid":
                turn = pin.log3(a["R"] @ b["R"].T)
                h = np.concatenate([h, R.T @ turn])
                J = np.vstack([J, R.T @ d["Jw"]])
                gamma = np.concatenate([gamma, R.T @ d["wd"]])
            if cut.kind == "hinge":
                n_a, n_b = a["R"] @ cut.axis, b["R"] @ cut.axis
                # d/dt n = w × n, d²/dt² n = wd × n + w × (w × n)
                rates = [
                    np.cross(e["wd"], n) + np.cross(e["w"], np.cross(e["w"], n))
                    for e, n in ((a, n_a), (b, n_b))
                ]
                turning = np.cross(a["Jw"], n_a, axisa=0).T - np.cross(b["Jw"], n_b, axisa=0).T
                h = np.concatenate([h, n_a - n_b])
                J = np.vstack([J, turning])
                gamma = np.concatenate([gamma, rates[0] - rates[1]])
            found.append((h, J, gamma))
        return found

    def axes(self, body: int) -> np.ndarray:
        """R_WB."""
        return np.eye(3) if body < 0 else np.array(self.data.oMi[self.joint(body)].rotation)


# the generator


def random_linkage(seed: int) -> Linkage:
    random = np.random.default_rng([3, seed])
    style = "mixed" if seed % 4 == 3 else "general"
    tree = random_tree(seed, size=int(random.integers(5, 15)), style=style)
    n = len(tree.limbs)
    q = random.uniform(-1.0, 1.0, n)
    peer = Peer(Linkage(tree, q, (), {}))
    peer.move(q, np.zeros(n), np.zeros(n))
    cuts: list[Cut] = []
    moving: set[int] = set()
    for _ in range(40):
        cut = _random_cut(random, peer, f"loop_{len(cuts)}")
        between = peer.linkage.path(cut.bodies[0]) ^ peer.linkage.path(cut.bodies[1])
        # loops of their own, each with a freedom left
        if len(between) > ROWS[cut.kind] and not between & moving:
            cuts.append(cut)
            moving |= between
        if len(cuts) == 3:
            break
    if not cuts:
        return random_linkage(seed + 1000)
    linkage = Linkage(tree, q, tuple(cuts), {})
    if seed % 3 == 0:
        free = _drivable(linkage)
        # joints in loops first
        order = sorted(random.permutation(free), key=lambda k: k not in moving)
        linkage = replace(linkage, drives={int(k): (0.7, -1.3) for k in order[:1]})
    return linkage


def _drivable(linkage: Linkage) -> list[int]:
    """Joints whose motion the loops leave free."""
    n = len(linkage.q)
    J = np.vstack([J for _, J, _ in Peer(linkage).rows(linkage.q, np.zeros(n))])
    rank = np.linalg.matrix_rank(J, 1e-9)
    return [k for k in range(n) if np.linalg.matrix_rank(np.delete(J, k, 1), 1e-9) == rank]


def _random_cut(random: np.random.Generator, peer: Peer, name: str) -> Cut:
    n = len(peer.linkage.tree.limbs)
    a, b = (int(k) for k in random.choice(np.arange(-1, n), 2, replace=False))
    kind = str(random.choice(["rod", "ball", "hinge", "solid"], p=[0.08, 0.22, 0.3, 0.4]))
    X_WA, X_WB = (peer.data.oMi[peer.joint(k)] for k in (a, b))
    p_a = random.uniform(-0.4, 0.4, 3)
    R_a = pin.exp3(random.uniform(-1.5, 1.5, 3))
    X_WF = X_WA * pin.SE3(R_a, p_a)
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    length = 0.0
    if kind == "rod":
        shift = random.uniform(-0.6, 0.6, 3)
        length = float(np.linalg.norm(shift))
        X_WF = pin.SE3(X_WF.rotation, X_WF.translation + shift)
    elif kind == "hinge":
        X_WF = X_WF * pin.SE3(pin.exp3(axis * random.uniform(-2.0, 2.0)), np.zeros(3))
    elif kind == "ball":
        X_WF = pin.SE3(pin.exp3(random.uniform(-1.5, 1.5, 3)), X_WF.translation)
    X_BF = X_WB.actInv(X_WF)
    poses = (p_a, np.array(X_BF.translation)), (R_a, np.array(X_BF.rotation))
    return Cut(name, kind, (a, b), *poses, tuple(map(float, axis)), length)


# the reference solution


def solve(
    M: np.ndarray, c: np.ndarray, J: np.ndarray, gamma: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """qdd and multipliers of M qdd + c = tau + Jᵀ lam, J qdd + gamma = 0; rows may repeat."""
    n, m = len(M), len(J)
    K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    x = np.linalg.lstsq(K, np.concatenate([tau - c, -gamma]), rcond=1e-12)[0]
    return x[:n], x[n:]


@dataclass(frozen=True)
class State:
    """A closed state of a plant and what the plant says about it."""

    plant: il.Plant
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    found: dict[str, np.ndarray]


def state_of(linkage: Linkage, plant: il.Plant, seed: int) -> State:
    """A closed state a little away from the position in which the loops were closed."""
    try:
        return _state_away(linkage, plant, seed, 0.05)
    except il.SimulationError:
        # a linkage near the end of its reach
        return _state_away(linkage, plant, seed, 0.002)


def _state_away(linkage: Linkage, plant: il.Plant, seed: int, away: float) -> State:
    random = np.random.default_rng([7, seed])
    n = plant.n
    q, qd, qdd, tau = linkage.q.copy(), *random.normal(size=(2, n)), random.normal(size=n)
    for k in plant.formulation.partition.independent:
        q[k] += away * random.uniform(-1.0, 1.0)
    for k, (speed, rise) in linkage.drives.items():
        qd[k], qdd[k], tau[k] = speed, rise, 0.0
    found = plant.formulation.motion(q, qd, tau, qdd=qdd)
    return State(plant, found["q"], found["v"], tau, found)


def near(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> bool:
    """Within a tolerance, relative to the largest entry."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return bool(np.abs(np.subtract(found, expected)).max(initial=0.0) <= tolerance * scale)


@functools.cache
def in_python(seed: int) -> tuple[Linkage, State]:
    """A random linkage and a state of its plant, derived once."""
    linkage = random_linkage(seed)
    return linkage, state_of(linkage, linkage.model().compile(backend="python"), seed)


MORE = [pytest.param(k, marks=pytest.mark.long) for k in range(LINKAGES, ALL_LINKAGES)]


@pytest.fixture(scope="module", params=[*range(LINKAGES), *MORE])
def case(request: pytest.FixtureRequest) -> tuple[Linkage, State]:
    return in_python(request.param)


@pytest.mark.thinned(6)
def test_all_rows_vanish_at_closed_positions(case: tuple[Linkage, State]) -> None:
    linkage, state = case
    rows = state.plant.evaluate("constraints", q=state.q, qd=state.qd)
    assert np.abs(rows["h"]).max() <= 1e-12
    for h, _, _ in Peer(linkage).rows(state.q, state.qd):
        assert np.abs(h).max() <= 1e-12


@pytest.mark.thinned(3)
def test_velocities_keep_the_loops_closed(case: tuple[Linkage, State]) -> None:
    linkage, state = case
    scale = max(1.0, float(np.abs(state.qd).max()))
    for _, J, _ in Peer(linkage).rows(state.q, state.qd):
        assert np.abs(J @ state.qd).max() <= 1e-12 * scale
    J = state.plant.evaluate("constraints", q=state.q, qd=state.qd)["J"]
    assert np.abs(J @ state.qd).max() <= 1e-12 * scale


def test_motion_and_efforts_solve_equation_3(case: tuple[Linkage, State]) -> None:
    linkage, state = case
    peer = Peer(linkage)
    M, c = peer.equations(state.q, state.qd)
    rows = peer.rows(state.q, state.qd)
    driven = sorted(linkage.drives)
    select = np.eye(len(M))[driven]
    J = np.vstack([*(J for _, J, _ in rows), select])
    rise = np.array([linkage.drives[k][1] for k in driven])
    gamma = np.concatenate([*(g for _, _, g in rows), -rise])
    qdd, lam = solve(M, c, J, gamma, state.tau)
    assert near(state.found["a"], qdd)
    assert near(state.found["effort"], lam[len(lam) - len(driven) :])
    # what loops and drives do to the joints
    assert near(M @ state.found["a"] + c - state.tau, J.T @ lam)


DRIVEN = [seed for seed in range(0, 12, 3) if random_linkage(seed).drives]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", DRIVEN)
@pytest.mark.parametrize("derivatives", ["given", "filtered"])
def test_live_drives_solve_equation_3(seed: int, derivatives: str) -> None:
    """The first sample of a run, whose drives move as their inputs or their filters say."""
    linkage = random_linkage(seed)
    ((k, (speed, rise)),) = linkage.drives.items()
    plant = linkage.model(live=derivatives).compile()
    joint = plant.coordinates[k]
    random = np.random.default_rng([11, seed])
    tau = random.normal(size=plant.n)
    tau[k] = 0.0
    free = {name: random.normal() for name in plant.formulation.independent}
    named = {f"{joint}.q": linkage.q[k]}
    if derivatives == "given":
        named |= {f"{joint}.qd": speed, f"{joint}.qdd": rise}
        found = plant.simulate(t_end=0.0, qd=free, tau=tau, inputs=named)
    else:
        rest = plant.simulate(t_end=0.0, qd=free, tau=tau, inputs=named)
        assert rest.end is not None
        moving = replace(rest.end, z=np.array([linkage.q[k], speed, rise]), x=None)
        begin = replace(rest, end=moving)
        found = plant.simulate(t_end=0.0, tau=tau, inputs=named, start=begin)
    q, qd = found.q[0], found.qd[0]
    peer = Peer(linkage)
    M, c = peer.equations(q, qd)
    rows = peer.rows(q, qd)
    J = np.vstack([*(J for _, J, _ in rows), np.eye(plant.n)[k : k + 1]])
    gamma = np.concatenate([*(g for _, _, g in rows), [-rise]])
    qdd, lam = solve(M, c, J, gamma, tau)
    assert qd[k] == speed
    assert max(np.abs(h).max() for h, _, _ in rows) < 1e-11
    assert near(J[:-1] @ qd, np.zeros(len(J) - 1))
    assert near([found[f"{name}.qdd"][0] for name in plant.coordinates], qdd)
    assert near(found[f"{joint}.effort"][0], lam[-1])


def test_reactions_along_the_axes_are_the_efforts(case: tuple[Linkage, State]) -> None:
    """A joint transmits along its axis what acts in it and nothing else: cut forces are right."""
    linkage, state = case
    plant, n = state.plant, state.plant.n
    efforts, found = state.tau.copy(), state.found
    efforts[sorted(linkage.drives)] += found["effort"]
    efforts -= [limb.armature * a for limb, a in zip(linkage.tree.limbs, found["a"], strict=True)]
    # interpreted: nothing to compile
    program = Derivation(plant.mechanism).program("joint_reactions")
    lam = plant.formulation.on_all_rows(found["lam"])
    reactions = interpret(program, q=state.q, qd=state.qd, qdd=found["a"], lam=lam)
    force, moment = reactions["force"].reshape(n, 3), reactions["moment"].reshape(n, 3)
    along = np.zeros(n)
    peer = Peer(linkage)
    peer.move(state.q, state.qd, found["a"])
    for k, limb in enumerate(linkage.tree.limbs):
        axis = peer.data.oMi[peer.joint(k)].rotation @ limb.direction
        along[k] = axis @ (moment if limb.kind == "revolute" else force)[k]
    scale = max(1.0, np.abs(force).max(), np.abs(moment).max())
    np.testing.assert_allclose(along, efforts, rtol=0, atol=1e-9 * scale)


def test_cut_forces_and_torques_as_vectors(case: tuple[Linkage, State]) -> None:
    """On the second end, in world axes, where no row of the cut is redundant."""
    linkage, state = case
    loops = state.plant.formulation
    ours = loops.cut_forces(state.q, state.found["lam"])
    for cut, (force, torque) in _wrenches(linkage, state).items():
        if any(f"'{cut.name}'" in note for note in loops.notes):
            continue  # multipliers of redundant rows are not unique
        assert near(ours[f"{cut.name}.force"], force), cut
        assert (f"{cut.name}.torque" in ours) == (cut.kind in ("solid", "hinge"))
        if cut.kind in ("solid", "hinge"):
            assert near(ours[f"{cut.name}.torque"], torque), cut
        assert (f"{cut.name}.tension" in ours) == (cut.kind == "rod")
        if cut.kind == "rod":
            a, b = (state.plant.position(end, state.q) for end in _paths(linkage, cut))
            pulled = force @ (a - b) / cut.length
            assert near(ours[f"{cut.name}.tension"], pulled), cut


def test_cut_forces_do_what_the_loops_must_do(case: tuple[Linkage, State]) -> None:
    """Also where rows are redundant: all wrenches together, through Pinocchio's Jacobians."""
    linkage, state = case
    peer = Peer(linkage)
    loops = state.plant.formulation
    ours = loops.cut_forces(state.q, state.found["lam"])
    M, c = peer.equations(state.q, state.qd)
    need = M @ state.found["a"] + c - state.tau
    for k, effort in zip(loops.partition.driven, state.found["effort"], strict=True):
        need[k] -= effort
    peer.move(state.q, state.qd, np.zeros_like(state.q))
    done = np.zeros_like(need)
    for cut, frames in zip(linkage.cuts, peer.ends, strict=True):
        force = ours[f"{cut.name}.force"]
        torque = ours.get(f"{cut.name}.torque", np.zeros(3))
        for frame, sign in zip(frames, (-1.0, 1.0), strict=True):
            end = peer.end(frame, state.q)
            done += sign * (end["Jv"].T @ force + end["Jw"].T @ torque)
    assert near(done, need)


def test_multipliers_are_in_axes_of_the_carrying_body() -> None:
    seen = 0
    for seed in range(20):
        linkage = random_linkage(seed)
        if all(linkage.carrier(cut) < 0 or cut.kind == "rod" for cut in linkage.cuts):
            continue
        _, state = in_python(seed)
        if state.plant.formulation.partition.dropped:
            continue  # multipliers of redundant rows are not unique
        lam = dict(zip(state.plant.formulation.row_names, state.found["lam"], strict=True))
        peer = Peer(linkage)
        peer.move(state.q, state.qd, np.zeros_like(state.q))
        for cut, (force, _) in _wrenches(linkage, state).items():
            if cut.kind != "rod":
                R_WB = peer.axes(linkage.carrier(cut))
                assert near([lam[f"{cut.name}.{axis}"] for axis in "xyz"], -R_WB.T @ force), cut
                seen += 1
    assert seen > 3


def _wrenches(linkage: Linkage, state: State) -> dict[Cut, tuple[np.ndarray, np.ndarray]]:
    """By cut, force and torque on the second end in world axes, from Pinocchio's equations."""
    peer = Peer(linkage)
    M, c = peer.equations(state.q, state.qd)
    rows = peer.rows(state.q, state.qd)
    select = np.eye(len(M))[sorted(linkage.drives)]
    J = np.vstack([*(J for _, J, _ in rows), select])
    # known accelerations: least squares over all rows; the drives' efforts are among them
    need = M @ state.found["a"] + c - state.tau
    lam = np.linalg.lstsq(J.T, need, rcond=1e-11)[0]
    found, at = {}, 0
    for cut, frames, (h, _, _) in zip(linkage.cuts, peer.ends, rows, strict=True):
        part = lam[at : at + len(h)]
        at += len(h)
        a, b = (peer.end(frame, state.q) for frame in frames)
        R = peer.axes(linkage.carrier(cut))
        force, torque = -R @ part[:3] if len(h) > 1 else np.zeros(3), np.zeros(3)
        if cut.kind == "rod":
            force = -part[0] * (a["p"] - b["p"]) / cut.length
        if cut.kind == "solid":
            torque = -R @ part[3:]
        if cut.kind == "hinge":
            # part · (w_a × n) = w_a · (n × part)
            torque = -np.cross(a["R"] @ cut.axis, part[3:])
        found[cut] = force, torque
    return found


def _paths(linkage: Linkage, cut: Cut) -> list[str]:
    names = ["ground" if k < 0 else linkage.tree.limbs[k].name for k in cut.bodies]
    return [f"{name}.{cut.name}_{end}" for name, end in zip(names, "ab", strict=True)]


def _for_pinocchio(seed: int) -> bool:
    """Pinocchio has contacts of 3 and 6 rows, and no driven joints."""
    linkage = random_linkage(seed)
    return not linkage.drives and all(cut.kind in ("ball", "solid") for cut in linkage.cuts)


@pytest.mark.parametrize("seed", filter(_for_pinocchio, range(LINKAGES)))
def test_pinocchio_agrees_on_balls_and_solids(seed: int) -> None:
    linkage, state = in_python(seed)
    peer = Peer(linkage)
    contacts = pin.StdVec_RigidConstraintModel()
    datas = pin.StdVec_RigidConstraintData()
    for cut in linkage.cuts:
        kind = pin.ContactType.CONTACT_3D if cut.kind == "ball" else pin.ContactType.CONTACT_6D
        ends = (
            item
            for body, p, R in zip(cut.bodies, cut.p, cut.R, strict=True)
            for item in (peer.joint(body), pin.SE3(R, p))
        )
        contacts.append(pin.RigidConstraintModel(kind, peer.model, *ends, pin.LOCAL))
        datas.append(contacts[-1].createData())
    pin.initConstraintDynamics(peer.model, peer.data, contacts, datas)
    settings = pin.ProximalSettings(1e-14, 1e-12, 50)
    qdd = pin.constraintDynamics(
        peer.model, peer.data, *map(peer.theirs, (state.q, state.qd, state.tau)),
        contacts, datas, settings,
    )  # fmt: skip
    assert near(state.found["a"], np.array(qdd)[peer.pick])


def test_the_linkages_have_everything() -> None:
    linkages = [random_linkage(seed) for seed in range(LINKAGES)]
    kinds = [cut.kind for linkage in linkages for cut in linkage.cuts]
    for kind in ROWS:
        assert kinds.count(kind) >= 4, kind
    assert sum(len(linkage.cuts) > 1 for linkage in linkages) > 5
    assert sum(bool(linkage.drives) for linkage in linkages) > 7
    assert sum(linkage.carrier(linkage.cuts[0]) >= 0 for linkage in linkages) > 5


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", [0, 3, 7])
def test_c_agrees_with_python(seed: int) -> None:
    linkage, interpreted = in_python(seed)
    found = []
    for state in (interpreted, state_of(linkage, linkage.model().compile(backend="c"), seed)):
        found.append(state.found | state.plant.formulation.cut_forces(state.q, state.found["lam"]))
    ours, theirs = found
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert near(theirs[name], value, 1e-12), name


def test_assembly_from_a_guess() -> None:
    """A guess nearby leads to a closed position."""
    for seed in range(10):
        linkage, state = in_python(seed)
        plant = state.plant
        random = np.random.default_rng(seed)
        guess = linkage.q + random.uniform(-0.1, 0.1, plant.n)
        found = plant.formulation.assemble(guess)
        rows = plant.evaluate("constraints", q=found.q, qd=np.zeros(plant.n))
        assert np.abs(rows["h"]).max() <= 1e-12
        assert np.abs(found.q - guess).max() < 1.0
