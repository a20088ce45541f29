"""Kinetic and potential energy, from the bodies as they are (not regrouped)."""

from __future__ import annotations

from inloop.formalisms.frames import Skeleton
from inloop.formalisms.kinematics import poses, velocities
from inloop.formalisms.vectors import add, cross, dot, matrix_times, scale, tensor_times
from inloop.symbolic import Expr


def kinetic_energy(skeleton: Skeleton) -> Expr:
    """T = Σ ½ m v² + v · (om × mc) + ½ om · J om + ½ armature qd² [J]."""
    graph = skeleton.graph
    total = graph.zero
    for link, (om, v) in zip(skeleton.links, velocities(skeleton), strict=True):
        graph.section = link.name
        inertia = link.inertia
        # momentum m v + 2 om × mc, so that one product with v serves both terms
        momentum = add(scale(inertia.m, v), scale(graph.constant(2.0), cross(om, inertia.mc)))
        total = total + dot(v, momentum) + dot(om, tensor_times(inertia.J, om))
        total = total + link.armature * (link.qd * link.qd)
    return 0.5 * total


def potential_energy(skeleton: Skeleton) -> Expr:
    """V = -Σ g · (m p + R mc), zero when all mass is at the origin of the world [J]."""
    graph = skeleton.graph
    total = graph.zero
    for link, pose in zip(skeleton.links, poses(skeleton), strict=True):
        graph.section = link.name
        inertia = link.inertia
        moment = add(scale(inertia.m, pose.p_WC), matrix_times(pose.R_WC, inertia.mc))
        total = total - dot(skeleton.gravity, moment)
    return total
