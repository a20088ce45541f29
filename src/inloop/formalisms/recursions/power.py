"""Power of all loads except inertia, gravity and the elasticity of flexible links.

    P = Σ efforts · qd + Σ (f · v + n · om) + d(strain energy)/dt - ∫ α rd · v dm

Force laws and inputs act as joint efforts and as wrenches on links. The elasticity of flexible
links is among the efforts, but its energy is potential energy: its part is removed again, which
leaves the dissipation by stiffness-proportional damping. Mass-proportional damping acts inside the
inertia of a link (flexible_links/assembly.py). With this, along every motion of a tree, d(T + V)/dt
= P + tau · qd.
"""

from __future__ import annotations

from inloop.formalisms.flexible_links.assembly import bend
from inloop.formalisms.flexible_links.elasticity import strain_energy
from inloop.formalisms.frames import GROUND, Skeleton
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.recursions.kinematics import velocities
from inloop.formalisms.vectors import dot, zero_vector
from inloop.symbolic import Expr, directional


def applied_power(skeleton: Skeleton, loads: Loads) -> Expr:
    """Power of force laws, of inputs and of the damping of flexible links [W]."""
    graph, links = skeleton.graph, skeleton.links
    moving, zero = velocities(skeleton), zero_vector(graph)
    total = graph.zero
    for k, effort in loads.efforts.items():
        total = total + effort * links[k].qd
    for k, wrench in loads.wrenches.items():
        om, v = moving[k]
        total = total + dot(wrench.f, v) + dot(wrench.n, om)
    for beam in skeleton.beams:
        coordinates = [*beam.axial, *beam.lateral]
        stored = strain_energy(beam, [links[k].q for k in coordinates])
        along = {links[k].q: links[k].qd for k in coordinates}
        total = total + directional([stored], along)[0]
    for bent in bend(skeleton):
        om, v = moving[bent.beam.link] if bent.beam.link != GROUND else (zero, zero)
        total = total - bent.damping_power(om, v)
    return total
