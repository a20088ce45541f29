"""Random trees, each as an inloop model and, built by hand, as a Pinocchio model.

Both come from the same plain list of numbers, so that neither is derived from the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

import inloop as il

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
LETTERS = (*AXES, "-x", "-y", "-z")


@dataclass(frozen=True)
class Limb:
    """One body with its joint: numbers only.

    Attributes:
        parent: index of the parent in the tree, -1 for the ground.
        kind: "revolute" or "prismatic".
        axis: a letter with sign, or a unit vector.
        p_PJ, R_PJ: joint frame in the parent.
        inertia: about the center of mass, 3x3.
    """

    name: str
    parent: int
    kind: str
    axis: str | tuple[float, float, float]
    p_PJ: np.ndarray
    R_PJ: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    armature: float

    @property
    def direction(self) -> np.ndarray:
        if isinstance(self.axis, str):
            sign = -1.0 if self.axis[0] == "-" else 1.0
            return sign * np.array(AXES[self.axis[-1]])
        return np.array(self.axis)


@dataclass(frozen=True)
class Tree:
    """A mechanism as numbers; `probe` is a frame (body, p_BF, R_BF) to look at."""

    name: str
    limbs: tuple[Limb, ...]
    gravity: np.ndarray
    probe: tuple[int, np.ndarray, np.ndarray]

    def ancestors(self, k: int) -> set[int]:
        found = set()
        while (k := self.limbs[k].parent) >= 0:
            found.add(k)
        return found

    def model(self) -> il.Model:
        """The tree as a user would write it."""
        model = il.Model(self.name, gravity=tuple(self.gravity))
        handles = []
        for limb in self.limbs:
            parent = handles[limb.parent] if limb.parent >= 0 else model.ground
            if np.array_equal(limb.R_PJ, np.eye(3)):
                seat = parent.point(f"seat_{limb.name}", limb.p_PJ)
            else:
                seat = parent.frame(f"seat_{limb.name}", limb.p_PJ, limb.R_PJ)
            joint = il.revolute if limb.kind == "revolute" else il.prismatic
            handles.append(
                model.body(
                    limb.name,
                    on=seat,
                    joint=joint(limb.axis, name=f"j_{limb.name}", armature=limb.armature),
                    mass=limb.mass,
                    com=limb.com,
                    inertia=limb.inertia,
                )
            )
        body, p_BF, R_BF = self.probe
        handles[body].frame("probe", p_BF, R_BF)
        return model

    @property
    def probe_path(self) -> str:
        return f"{self.limbs[self.probe[0]].name}.probe"

    def pinocchio(self) -> Peer:
        """The same tree in Pinocchio, whose joints must come in depth-first order."""
        model = pin.Model()
        model.gravity.linear = self.gravity
        joints: dict[int, int] = {}
        for k in self._depth_first():
            limb = self.limbs[k]
            parent = joints[limb.parent] if limb.parent >= 0 else 0
            placement = pin.SE3(limb.R_PJ, limb.p_PJ)
            joint = model.addJoint(parent, _pin_joint(limb), placement, f"j_{limb.name}")
            inertia = pin.Inertia(limb.mass, limb.com, limb.inertia)
            model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
            joints[k] = joint
        armature = np.zeros(model.nv)
        for k, joint in joints.items():
            armature[model.joints[joint].idx_v] = self.limbs[k].armature
        model.armature = armature
        body, p_BF, R_BF = self.probe
        placement = pin.SE3(R_BF, p_BF)
        frame = pin.Frame("probe", joints[body], 0, placement, pin.FrameType.OP_FRAME)
        return Peer(model, model.addFrame(frame))

    def _depth_first(self) -> list[int]:
        order: list[int] = []
        waiting = [-1]
        while waiting:
            k = waiting.pop()
            if k >= 0:
                order.append(k)
            waiting += [c for c, limb in enumerate(self.limbs) if limb.parent == k]
        return order


class Peer:
    """A Pinocchio model whose answers come in the order of another's coordinates."""

    def __init__(self, model: pin.Model, probe: int) -> None:
        self.model = model
        self.data = model.createData()
        self.probe = probe
        # names in files may hold characters that no identifier has
        self.joints = {
            re.sub(r"[^A-Za-z0-9_]+", "_", name): joint
            for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True)
        }

    def order(self, coordinates: tuple[str, ...]) -> np.ndarray:
        """Where each of our coordinates stands in their vectors."""
        return np.array([self.joints[name].idx_v for name in coordinates])

    def answers(
        self, coordinates: tuple[str, ...], q: np.ndarray, qd: np.ndarray, x: np.ndarray
    ) -> dict[str, np.ndarray]:
        """M, c, tau, qdd, energies and the probe's motion; `x` serves as qdd and as tau."""
        model, data, pick = self.model, self.data, self.order(coordinates)

        def theirs(ours: np.ndarray) -> np.ndarray:
            vector = np.empty(model.nv)
            vector[pick] = ours
            return vector

        q_, qd_, x_ = self.configuration(coordinates, q), theirs(qd), theirs(x)
        M = np.array(pin.crba(model, data, q_)).reshape(model.nv, model.nv)
        M = np.triu(M) + np.triu(M, 1).T
        found = {
            "M": M[np.ix_(pick, pick)],
            "c": np.array(pin.nonLinearEffects(model, data, q_, qd_))[pick],
            "tau": np.array(pin.rnea(model, data, q_, qd_, x_))[pick],
            "qdd": np.array(pin.aba(model, data, q_, qd_, x_))[pick],
        }
        # Pinocchio counts the armature in the kinetic energy of some kinds of joints only
        armature = np.array(model.armature)
        model.armature = np.zeros(model.nv)
        kinetic = pin.computeKineticEnergy(model, data, q_, qd_) + armature @ qd_**2 / 2
        model.armature = armature
        found["E"] = np.array([kinetic, pin.computePotentialEnergy(model, data, q_)])
        return found | self.motion(q_, qd_, x_, pick)

    def configuration(self, coordinates: tuple[str, ...], q: np.ndarray) -> np.ndarray:
        """Their configuration; a joint without limits is (cos, sin) in files read by Pinocchio."""
        result = pin.neutral(self.model)
        for name, value in zip(coordinates, q, strict=True):
            joint = self.joints[name]
            if joint.nq == 1:
                result[joint.idx_q] = value
            else:
                result[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        return result

    def motion(
        self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, pick: np.ndarray
    ) -> dict[str, np.ndarray]:
        model, data, frame = self.model, self.data, self.probe
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.forwardKinematics(model, data, q, qd, qdd)
        pin.updateFramePlacements(model, data)
        velocity = pin.getFrameVelocity(model, data, frame, axes)
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, axes)
        pose = data.oMf[frame]
        found = {"p": pose.translation, "R": pose.rotation, "v": velocity.linear}
        found |= {"om": velocity.angular, "acc": acceleration.linear, "omd": acceleration.angular}
        found = {name: np.array(value) for name, value in found.items()}
        J = np.array(pin.computeFrameJacobian(model, data, q, frame, axes))
        J = J.reshape(6, model.nv)[:, pick]
        return found | {"Jv": J[:3], "Jw": J[3:]}


def _pin_joint(limb: Limb) -> object:
    if isinstance(limb.axis, str) and limb.axis in AXES:
        letter = limb.axis.upper()
        return getattr(pin, f"JointModel{'R' if limb.kind == 'revolute' else 'P'}{letter}")()
    revolute, prismatic = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    return (revolute if limb.kind == "revolute" else prismatic)(limb.direction)


# the generator


def random_tree(seed: int, size: int | None = None, style: str | None = None) -> Tree:
    """A tree of up to 40 bodies.

    Args:
        seed: the same seed gives the same tree.
        size: number of bodies; random if not given, mostly small.
        style: "general" (nothing aligned), "machine" (coordinate axes, quarter turns, few
            offsets, as in robots) or "mixed"; random if not given.
    """
    random = np.random.default_rng(seed)
    if size is None:
        low, high = (1, 13) if random.random() < 0.8 else (13, 41)
        size = int(random.integers(low, high))
    style = style or str(random.choice(["general", "machine", "mixed"]))
    # 1: a chain; 0: every parent is equally likely
    depth = random.choice([0.0, 0.6, 0.95, 1.0])
    limbs: list[Limb] = []
    for k in range(size):
        parent = k - 1 if random.random() < depth else int(random.integers(-1, k))
        limbs.append(_limb(random, f"b{k}", parent, limbs, style))
    limbs = _loaded(random, limbs)
    body = int(random.integers(size))
    probe = (body, random.uniform(-0.4, 0.4, 3), _rotation(random, "general"))
    gravity = random.uniform(2.0, 9.0, 3) * random.choice([-1.0, 1.0], 3)
    if style == "machine":
        gravity = np.array([0.0, 0.0, -9.81])
    return Tree(f"tree_{seed}", tuple(limbs), gravity, probe)


def _limb(
    random: np.random.Generator, name: str, parent: int, limbs: list[Limb], style: str
) -> Limb:
    aligned = style == "machine" or (style == "mixed" and random.random() < 0.5)
    above = limbs[parent] if parent >= 0 else None
    kind = "revolute" if random.random() < 0.75 else "prismatic"
    axis: str | tuple[float, float, float]
    if above is not None and random.random() < 0.3:
        # parallel to the joint before, up to the sign
        axis, R_PJ = above.axis, np.eye(3)
        if random.random() < 0.3:
            axis = _opposite(axis)
    else:
        axis = str(random.choice(LETTERS)) if aligned else _unit(random)
        R_PJ = _rotation(random, "quarter" if aligned else "general")
    p_PJ = random.uniform(-0.6, 0.6, 3)
    if aligned:
        p_PJ = p_PJ * (random.random(3) < 0.5)
    massless = random.random() < 0.15
    mass = 0.0 if massless else float(random.uniform(0.2, 4.0))
    com = random.uniform(-0.3, 0.3, 3) * (random.random() < 0.8)
    if aligned:
        com = com * (random.random(3) < 0.6)
    inertia = np.zeros((3, 3)) if massless else _inertia(random, mass)
    armature = float(random.uniform(0.01, 0.3)) if random.random() < 0.25 else 0.0
    if massless:
        com = np.zeros(3)
        # what would be singular: a second joint along or about the same axis, with no mass between
        armature = armature or float(random.choice([0.0, 0.07]))
    return Limb(name, parent, kind, axis, p_PJ, R_PJ, mass, com, inertia, armature)


def _loaded(random: np.random.Generator, limbs: list[Limb]) -> list[Limb]:
    """Massless bodies only where M stays regular."""
    children: dict[int, list[Limb]] = {}
    for limb in limbs:
        children.setdefault(limb.parent, []).append(limb)
    result = []
    for k, limb in enumerate(limbs):
        if limb.mass == 0.0 and limb.armature == 0.0:
            below = children.get(k, [])
            bare = any(c.mass == 0.0 for c in below)
            alike = any(abs(limb.direction @ c.R_PJ @ c.direction) > 0.999 for c in below)
            if not below or bare or alike:
                mass = float(random.uniform(0.2, 4.0))
                com = random.uniform(-0.3, 0.3, 3)
                limb = replace(limb, mass=mass, com=com, inertia=_inertia(random, mass))
        result.append(limb)
    return result


def _opposite(axis: str | tuple[float, float, float]) -> str | tuple[float, float, float]:
    if isinstance(axis, str):
        return axis[1:] if axis[0] == "-" else f"-{axis}"
    return -axis[0], -axis[1], -axis[2]


def _unit(random: np.random.Generator) -> tuple[float, float, float]:
    v = random.normal(size=3)
    x, y, z = (float(c) for c in v / np.linalg.norm(v))
    return x, y, z


def _rotation(random: np.random.Generator, kind: str) -> np.ndarray:
    if kind == "general":
        Q, R = np.linalg.qr(random.normal(size=(3, 3)))
        Q = Q * np.sign(np.diag(R))
        return Q if np.linalg.det(Q) > 0 else -Q
    if random.random() < 0.4:
        return np.eye(3)
    # a permutation of axes with signs and determinant 1
    P = np.eye(3)[random.permutation(3)] * random.choice([-1.0, 1.0], 3)
    return P if np.linalg.det(P) > 0 else -P


def _inertia(random: np.random.Generator, mass: float) -> np.ndarray:
    """tr(S) E - S with a positive S: what a real body has."""
    size = random.uniform(0.05, 0.3, 3)
    S = mass * np.diag(size**2)
    if random.random() < 0.6:
        R = _rotation(random, "general")
        S = R @ S @ R.T
    I = np.trace(S) * np.eye(3) - S
    return (I + I.T) / 2


def turned_tree(tree: Tree, seed: int) -> Tree:
    """The same mechanism written in other body frames.

    A body frame B may be turned at will and slid along its joint axis (for a prismatic joint:
    anywhere), B' = B X_BB', without any change of the coordinates.
    """
    random = np.random.default_rng(seed)
    turns = [_rotation(random, "general") for _ in tree.limbs]
    shifts = []
    for limb in tree.limbs:
        slide = random.uniform(-0.5, 0.5) * limb.direction
        shifts.append(slide if limb.kind == "revolute" else random.uniform(-0.5, 0.5, 3))
    limbs = []
    for limb, R, p in zip(tree.limbs, turns, shifts, strict=True):
        # X_P'J' = X_PP'⁻¹ X_PJ X_BB'
        R_PP = turns[limb.parent] if limb.parent >= 0 else np.eye(3)
        p_PP = shifts[limb.parent] if limb.parent >= 0 else np.zeros(3)
        limbs.append(
            replace(
                limb,
                axis=tuple(R.T @ limb.direction),
                p_PJ=R_PP.T @ (limb.p_PJ + limb.R_PJ @ p - p_PP),
                R_PJ=R_PP.T @ limb.R_PJ @ R,
                com=R.T @ (limb.com - p),
                inertia=(R.T @ limb.inertia @ R + (R.T @ limb.inertia @ R).T) / 2,
            )
        )
    body, p_BF, R_BF = tree.probe
    probe = (body, turns[body].T @ (p_BF - shifts[body]), turns[body].T @ R_BF)
    return replace(tree, name=f"{tree.name}_turned", limbs=tuple(limbs), probe=probe)
