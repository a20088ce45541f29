"""Random trees of bodies on joints of all kinds, for inloop and for Pinocchio."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import inloop as il

Array = NDArray[np.float64]
GRAVITY = (0.7, -0.4, -9.6)


@dataclass
class Pair:
    """The same tree twice, and how positions and velocities correspond.

    Attributes:
        model: ours.
        peer: Pinocchio's.
        q_of: for each entry of Pinocchio's q the name of ours.
        v_of: likewise of velocities.
    """

    model: il.Model
    peer: pin.Model
    q_of: list[str] = field(default_factory=list)
    v_of: list[str] = field(default_factory=list)


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def random_inertia(rng: np.random.Generator) -> Array:
    """Of a cloud of points: one that a real body may have."""
    points = rng.normal(size=(6, 3)) * rng.uniform(0.1, 0.4, 3)
    return np.einsum("pi,pi->", points, points) * np.eye(3) - points.T @ points


def make_tree(seed: int, bodies: int = 5) -> Pair:
    """A tree whose first body floats in every second case."""
    rng = np.random.default_rng(seed)
    model = il.Model(f"tree_{seed}", gravity=GRAVITY)
    peer = pin.Model()
    peer.gravity.linear = np.array(GRAVITY)
    pair, known = Pair(model, peer), [(model.ground, 0)]  # the way from the ground to a body
    for k in range(bodies):
        # on the last body or what that hangs on: Pinocchio wants branches one after the other
        del known[1 + rng.integers(len(known)) :]
        handle, number = known[-1]
        kinds = ("free",) if k == 0 and seed % 2 else ("revolute", "prismatic", "ball", "ball")
        kind = kinds[rng.integers(len(kinds))]
        axis, place, rpy = unit(rng.normal(size=3)), rng.normal(size=3), rng.uniform(-2, 2, 3)
        name = f"b{k}"
        placed = handle.frame(f"f{k}", tuple(place), il.rpy(*rpy))
        pose = pin.SE3(pin.rpy.rpyToMatrix(*rpy), place)
        single = {"revolute": il.revolute, "prismatic": il.prismatic}
        several = {"ball": il.ball, "free": il.free}
        joint = single[kind](tuple(axis)) if kind in single else several[kind]()
        mass, com, inertia = rng.uniform(0.3, 2.0), rng.normal(size=3) * 0.2, random_inertia(rng)
        body = model.body(
            name, on=placed, joint=joint, mass=mass, com=tuple(com), inertia=inertia.tolist()
        )
        number = _hang(pair, kind, axis, number, pose, name)
        peer.appendBodyToJoint(number, pin.Inertia(mass, com, inertia), pin.SE3.Identity())
        known.append((body, number))
    return pair


def _hang(pair: Pair, kind: str, axis: Array, on: int, pose: pin.SE3, name: str) -> int:
    """Add the joint to the peer; a free joint is a translation, then a ball, as ours is."""
    q_of, v_of, peer = pair.q_of, pair.v_of, pair.peer
    if kind in ("revolute", "prismatic"):
        made = {
            "revolute": pin.JointModelRevoluteUnaligned,
            "prismatic": pin.JointModelPrismaticUnaligned,
        }[kind](axis)
        q_of.append(name)
        v_of.append(name)
        return peer.addJoint(on, made, pose, name)
    if kind == "free":
        along = [f"{name}_t{a}" for a in "xyz"]
        q_of += along
        v_of += along
        on = peer.addJoint(on, pin.JointModelTranslation(), pose, f"{name}_t")
        pose = pin.SE3.Identity()
    # Pinocchio's quaternions are (x, y, z, w)
    q_of += [f"{name}.q{c}" for c in "xyzw"]
    v_of += [f"{name}_w{c}" for c in "xyz"]
    return peer.addJoint(on, pin.JointModelSpherical(), pose, name)


def random_position(mechanism: il.Mechanism, rng: np.random.Generator) -> Array:
    """Any position: unit quaternions, and turns of ball joints that must not matter."""
    n = len(mechanism.coordinates)
    q = rng.normal(size=len(mechanism.positions))
    for first in range(n, len(q), 4):
        q[first : first + 4] = unit(q[first : first + 4])
    return q
