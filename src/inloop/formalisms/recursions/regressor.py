"""The regressor of inverse dynamics: tau = Y(q, qd, qdd) π, with π the inertias of all bodies.

The Newton–Euler equations are linear in the inertia of a body. Its wrench for a unit of each
parameter comes from the recursion of `rne`, and the power of that wrench along the motion of the
body for qd_j = 1 is the entry of Y in row j (virtual power). Motion and wrench are written in the
user's body frame B, so that π has the usual meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from inloop.errors import InputError
from inloop.formalisms.frames import Link, Skeleton
from inloop.formalisms.inertia import Inertia
from inloop.formalisms.recursions.motion import Motion, beta_of, motions, times
from inloop.formalisms.recursions.rne import inertial
from inloop.formalisms.rotation import General, Rotation
from inloop.formalisms.vectors import (
    Vector,
    add,
    add_cross,
    as_vector,
    cross,
    dot,
    matrix_times,
    scale,
)
from inloop.model import Body, Mechanism
from inloop.symbolic import Expr, Graph, Output, Program

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

REGRESSOR, PARAMETERS = "inverse_dynamics_regressor", "inertial_parameters"
# mass [kg], first moment [kg·m] and inertia about the origin of the body frame [kg·m²]
INERTIAL = ("mass", "mc.x", "mc.y", "mc.z", "J.xx", "J.xy", "J.xz", "J.yy", "J.yz", "J.zz")
_TENSOR = ("J.xx", "J.yy", "J.zz", "J.xy", "J.xz", "J.yz")  # the order of `Inertia.J`

Twist = tuple[Vector, Vector]  # angular velocity, velocity of the origin


def rigid_bodies(mechanism: Mechanism) -> tuple[Body, ...]:
    """The bodies with inertia: all but the intermediate bodies of multi-axis joints."""
    return tuple(body for body in mechanism.bodies if not _is_step(mechanism, body))


def inverse_dynamics_regressor(d: Derivation) -> Program:
    """Y from q, qd, qdd: ten columns for each of `rigid_bodies`, in the order of INERTIAL."""
    if d.skeleton.beams:
        name = d.mechanism.flexible_links[0].name
        raise InputError(
            f"flexible link '{name}': the regressor supports only rigid bodies",
            fix="Describe the link as a rigid body.",
        )
    motion, twists = motions(d.skeleton, d.symbols.qdd), _unit_twists(d.skeleton)
    columns = [
        column
        for body in rigid_bodies(d.mechanism)
        for column in _columns(d, body.index, motion[body.index], twists[body.index])
    ]
    rows = [list(row) for row in zip(*columns, strict=True)]
    out = Output.matrix("Y", rows, "∂tau/∂π, ten columns for each body: " + ", ".join(INERTIAL))
    doc = "Regressor of inverse dynamics: tau = Y π without armatures and force laws."
    return d.make(REGRESSOR, "q qd qdd", (out,), doc, "Newton-Euler, virtual power")


def inertial_parameters(d: Derivation) -> Program:
    """π and the armatures of the model; they depend on parameters only."""
    found: list[Expr] = []
    for body in rigid_bodies(d.mechanism):
        link = d.skeleton.links[body.index]
        # from the internal frame of the equations back to the user's
        own = link.inertia.to_parent(Rotation((General(link.R_BC),)), link.p_BC)
        tensor = dict(zip(_TENSOR, own.J, strict=True))
        found += [own.m, *own.mc, *(tensor[name] for name in INERTIAL[4:])]
    outputs = (
        Output.vector("pi", found, "of each body: " + ", ".join(INERTIAL)),
        Output.vector("armature", [link.armature for link in d.skeleton.links], "of each joint"),
    )
    doc = "Inertial parameters about the origins of the body frames."
    return d.make(PARAMETERS, "q", outputs, doc, "bodies as given, not regrouped")


def _columns(
    d: Derivation, index: int, motion: Motion, twists: Mapping[int, Twist]
) -> Iterator[list[Expr]]:
    """The ten columns of a body: zero in the rows of joints that do not move it."""
    graph, link = d.graph, d.skeleton.links[index]
    motion = _in_body_frame(link, motion)
    moved = {joint: _twist_in_body_frame(link, twist) for joint, twist in twists.items()}
    for name in INERTIAL:
        wrench = inertial(replace(link, inertia=_unit(graph, name)), motion, None)
        column = [graph.zero] * d.n
        for joint, (om, v) in moved.items():
            column[joint] = dot(om, wrench.n) + dot(v, wrench.f)
        yield column


def _unit(graph: Graph, name: str) -> Inertia:
    """An inertia with a single nonzero entry, which is one."""

    def entry(own: str) -> Expr:
        return graph.one if own == name else graph.zero

    xx, yy, zz, xy, xz, yz = map(entry, _TENSOR)
    first = as_vector([entry(f"mc.{axis}") for axis in "xyz"])
    return Inertia(entry("mass"), first, (xx, yy, zz, xy, xz, yz))


def _unit_twists(skeleton: Skeleton) -> list[dict[int, Twist]]:
    """For each link, the motion of its frame C for qd_j = 1, by joint j, in its axes."""
    found: list[dict[int, Twist]] = []
    for link in skeleton.links:
        skeleton.graph.section = link.name
        below = found[link.parent] if link.parent >= 0 else {}
        carried = {joint: _to_child(link, twist) for joint, twist in below.items()}
        own = link.motion.angular, link.motion.linear
        found.append(carried | {link.number - 1: own})
    return found


def _to_child(link: Link, twist: Twist) -> Twist:
    """The same motion at the frame of a child at rest relative to its parent."""
    om_P, v_P = twist
    om = link.R_PC.to_child(om_P)
    v = link.R_PC.to_child(add(v_P, cross(om_P, link.p_PC)))
    return om, add_cross(v, om, link.motion.shift)


def _twist_in_body_frame(link: Link, twist: Twist) -> Twist:
    om, v_C = twist
    v_B = add_cross(v_C, om, _body_origin(link))
    return matrix_times(link.R_BC, om), matrix_times(link.R_BC, v_B)


def _in_body_frame(link: Link, motion: Motion) -> Motion:
    """The motion of the user's frame B, in its axes."""
    graph = link.q.graph
    acc = add(motion.acc, times(motion.beta, _body_origin(link)))
    om, omd, acc_B, om_J = (
        matrix_times(link.R_BC, v) for v in (motion.om, motion.omd, acc, motion.om_J)
    )
    return Motion(om, omd, beta_of(graph, om, omd), acc_B, om_J)


def _body_origin(link: Link) -> Vector:
    """p_CB, the origin of the user's frame B in C."""
    return link.to_internal(scale(link.q.graph.constant(-1.0), link.p_BC))


def _is_step(mechanism: Mechanism, body: Body) -> bool:
    """Whether a body is an intermediate body of a joint, such as "hull_tx" of "hull"."""
    if any(value != 0.0 for value in (body.mass, *body.com, *sum(body.inertia, ()))):
        return False
    for after in mechanism.bodies[body.index + 1 :]:
        if after.parent != after.index - 1 or after.where != body.where:
            return False
        if body.name.startswith(f"{after.name}_"):
            return True
    return False
