"""Loop rows, written with the bodies at their ends."""

from __future__ import annotations

from inloop.formalisms.frames import GROUND, Skeleton
from inloop.formalisms.loops.constraints import rows_between
from inloop.formalisms.loops.rows import End, Row, carrier_of, fixed_frame
from inloop.formalisms.recursions.kinematics import Pose
from inloop.formalisms.recursions.motion import times
from inloop.formalisms.redundant.bodies import BodyPlaces
from inloop.formalisms.vectors import (
    Matrix,
    add,
    cross,
    matrix_times,
    product,
    transpose,
    zero_vector,
)
from inloop.model import Frame, Loop


def cut_rows(loop: Loop, skeleton: Skeleton, places: BodyPlaces) -> list[Row]:
    """The rows of a loop in the axes of the carrying body, as for the reduced ones.

    `gamma` is the complete second derivative, including accelerations of the bodies. J is empty:
    the ends are not functions of coordinates.
    """
    carrier = carrier_of(skeleton, loop.a.body, loop.b.body)
    R_WB = places.pose(carrier).R_WC
    if carrier != GROUND:
        R_WB = product(R_WB, transpose(skeleton.links[carrier].R_BC))
    a, b = (_end(skeleton, places, frame, transpose(R_WB)) for frame in (loop.a, loop.b))
    return rows_between(loop, a, b, skeleton)


def _end(skeleton: Skeleton, places: BodyPlaces, frame: Frame, R_BW: Matrix) -> End:
    """One end of a loop relative to the world, with components in other axes."""
    p_CQ, R_CF = fixed_frame(skeleton, frame)
    pose, motion = places.pose(frame.body), places.motion(frame.body)
    R = product(R_BW, pose.R_WC)
    v = zero_vector(skeleton.graph)
    if frame.body != GROUND:
        v = matrix_times(R_BW, places.floating(frame.body).v)
    # gravity is subtracted at both ends
    return End(
        link=frame.body,
        p_CQ=p_CQ,
        pose=Pose(R, matrix_times(R_BW, pose.p_WC)),
        p=matrix_times(R_BW, pose.point(p_CQ)),
        R=product(R, R_CF),
        om=matrix_times(R, motion.om),
        v=add(v, matrix_times(R, cross(motion.om, p_CQ))),
        omd=matrix_times(R, motion.omd),
        acc=matrix_times(R, add(motion.acc, times(motion.beta, p_CQ))),
        path=(),
        poses=(),
    )
