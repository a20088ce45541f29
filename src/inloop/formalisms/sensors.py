"""Programs for the pose, motion and Jacobian of points and frames of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inloop.errors import ModelError
from inloop.formalisms.frames import GROUND
from inloop.formalisms.recursions import kinematics
from inloop.formalisms.recursions.kinematics import Target
from inloop.formalisms.vectors import product, transpose
from inloop.model import Frame, Mechanism
from inloop.symbolic import Output, Program

if TYPE_CHECKING:
    from inloop.formalisms.derive import Derivation

BODY_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def sensor_name(path: str) -> str:
    """A name for generated code; "a.b_c" and "a_b.c" get different ones."""
    owner, _, name = path.rpartition(".")
    return f"sensor_{len(owner)}_{owner}_{name}"


def sensor(d: Derivation, path: str) -> tuple[Program, Program, Program]:
    """Programs for pose, motion and Jacobian of a point or frame, in world axes."""
    target = target_of(d, _frame(d.mechanism, path))
    name = sensor_name(path)
    sensed = kinematics.sense(d.skeleton, target, d.symbols.qdd)
    pose = (
        Output.vector("p", sensed.p_WQ, "position [m], world axes"),
        Output.matrix("R", sensed.R_WF, "orientation R_WF"),
    )
    motion = (
        Output.vector("v", sensed.v, "velocity [m/s], world axes"),
        Output.vector("om", sensed.om, "angular velocity [rad/s], world axes"),
        Output.vector("acc", sensed.acc, "acceleration [m/s²], world axes"),
        Output.vector("omd", sensed.omd, "angular acceleration [rad/s²], world axes"),
    )
    linear, angular = kinematics.jacobian(d.skeleton, target)
    jacobian = (
        Output.matrix("Jv", linear, "∂v/∂qd, world axes"),
        Output.matrix("Jw", angular, "∂om/∂qd, world axes"),
    )
    forward = "forward kinematics"
    return (
        d.make(f"{name}_pose", "q", pose, f"Position and orientation of {path}.", forward),
        d.make(f"{name}_motion", "q qd qdd", motion, f"Motion of {path}.", forward),
        d.make(f"{name}_jacobian", "q", jacobian, f"Jacobian of {path}.", "geometric Jacobian"),
    )


def target_of(d: Derivation, frame: Frame) -> Target:
    """A point or frame of the model in internal axes."""
    p_BF = d.symbols.vector(frame.p_BF, frame.path, "m")
    R_BF = d.symbols.matrix(frame.R_BF)
    if frame.body == GROUND:
        return Target(GROUND, p_BF, R_BF)
    link = d.skeleton.links[frame.body]
    d.graph.section = link.name
    return Target(frame.body, link.point(p_BF), product(transpose(link.R_BC), R_BF))


def _frame(mechanism: Mechanism, path: str) -> Frame:
    """A frame by its path; a point is a frame with the axes of its body."""
    try:
        return mechanism.frame(path)
    except ModelError:
        point = mechanism.point(path)
        return Frame(point.name, path, point.body, point.p_BQ, BODY_AXES, point.where)
