"""Kinetic and potential energy (inertias not regrouped)."""

from __future__ import annotations

from inloop.formalisms.flexible_links.assembly import bend
from inloop.formalisms.flexible_links.elasticity import strain_energy
from inloop.formalisms.frames import GROUND, Skeleton
from inloop.formalisms.recursions.kinematics import poses, velocities, world_pose
from inloop.formalisms.vectors import (
    add,
    cross,
    dot,
    matrix_times,
    scale,
    tensor_times,
    zero_vector,
)
from inloop.symbolic import Expr


def kinetic_energy(skeleton: Skeleton) -> Expr:
    """T = Σ ½ m v² + v · (om × mc) + ½ om · J om + ½ armature qd² [J]."""
    graph = skeleton.graph
    total = graph.zero
    for link, (om, v) in zip(skeleton.links, velocities(skeleton), strict=True):
        graph.section = link.name
        inertia = link.inertia
        # momentum m v + 2 om × mc, so that one product with v covers both terms
        momentum = add(scale(inertia.m, v), scale(graph.constant(2.0), cross(om, inertia.mc)))
        total = total + dot(v, momentum) + dot(om, tensor_times(inertia.J, om))
        total = total + link.armature * (link.qd * link.qd)
    total = 0.5 * total
    moving, zero = velocities(skeleton), zero_vector(graph)
    for bent in bend(skeleton):
        om, v = moving[bent.beam.link] if bent.beam.link != GROUND else (zero, zero)
        total = total + bent.kinetic_energy(om, v)
    return total


def potential_energy(skeleton: Skeleton) -> Expr:
    """V = -Σ g · (m p + R mc), zero when all mass is at the world origin [J].

    Flexible links add their strain energy.
    """
    graph = skeleton.graph
    total = graph.zero
    for link, pose in zip(skeleton.links, poses(skeleton), strict=True):
        graph.section = link.name
        inertia = link.inertia
        moment = add(scale(inertia.m, pose.p_WC), matrix_times(pose.R_WC, inertia.mc))
        total = total - dot(skeleton.gravity, moment)
    placed, world = poses(skeleton), world_pose(graph)
    for bent in bend(skeleton):
        pose = placed[bent.beam.link] if bent.beam.link != GROUND else world
        inertia = bent.inertia()
        moment = add(scale(inertia.m, pose.p_WC), matrix_times(pose.R_WC, inertia.mc))
        total = total - dot(skeleton.gravity, moment)
    for beam in skeleton.beams:
        q = [skeleton.links[k].q for k in (*beam.axial, *beam.lateral)]
        total = total + strain_energy(beam, q)
    return total
