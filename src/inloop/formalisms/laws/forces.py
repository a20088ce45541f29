"""Force laws, point-to-point forces and external inputs, as wrenches on links and joint efforts.

The laws were traced with placeholder symbols; here the placeholders are replaced by the kinematic
expressions of the derivation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.errors import InputError
from inloop.formalisms.flexible_links.beam import Beam
from inloop.formalisms.flexible_links.elasticity import efforts, port
from inloop.formalisms.frames import GROUND, Skeleton
from inloop.formalisms.laws.law_quantities import register, resolve_outputs
from inloop.formalisms.laws.loads import Loads
from inloop.formalisms.laws.ports import Feel, Port, Tangent
from inloop.formalisms.recursions.kinematics import Pose, poses, velocities, world_pose
from inloop.formalisms.symbols import ALL, Selection
from inloop.formalisms.vectors import (
    Matrix,
    Vector,
    add,
    as_vector,
    cross,
    dot,
    matrix_times,
    product,
    scale,
    sub,
    transpose,
    zero_vector,
)
from inloop.model import (
    AnyLaw,
    Frame,
    FrameForce,
    LawState,
    LineForce,
    Matrix3,
    Mechanism,
    Point,
    Torque,
)
from inloop.model import Force as ForceLaw
from inloop.symbolic import Expr, Scalar, reachable

NO_LENGTH = 1e-200  # [m²], negligible in the square of any length, and far from underflow


def build_loads(
    mechanism: Mechanism,
    skeleton: Skeleton,
    external_forces: Selection = (),
    places: Places | None = None,
) -> Loads:
    """Collect everything that acts on the mechanism.

    Args:
        mechanism: the model.
        skeleton: its links in internal frames.
        external_forces: "all", or names of bodies with force and torque inputs in addition to those
            declared by the model.
        places: kinematics of the bodies; by default from their joints.
    """
    loads = register(mechanism, skeleton.graph)
    _joint_inputs(mechanism, skeleton, loads)
    _external(mechanism, skeleton, loads, external_forces)
    _joint_laws(mechanism, skeleton, loads)
    _coupled_laws(mechanism, skeleton, loads)
    if mechanism.forces or mechanism.torques or mechanism.line_forces or mechanism.frame_forces:
        place = places or Places(skeleton)
        for force in mechanism.forces:
            _force(force, place, loads)
        for torque in mechanism.torques:
            _torque(torque, place, loads)
        for line_force in mechanism.line_forces:
            _line_force(line_force, place, loads)
        for frame_force in mechanism.frame_forces:
            _frame_force(frame_force, place, loads)
    for beam in skeleton.beams:
        _elasticity(beam, skeleton, loads)
    for drive in mechanism.drives:
        rates = [state.rate for state in drive.states]
        loads.rates += skeleton.symbols.substitute(rates, {})
    resolve_outputs(mechanism, loads, skeleton.graph)
    return loads


def _substituted(
    skeleton: Skeleton,
    law: AnyLaw,
    exprs: Sequence[Scalar],
    replace: dict[Expr, Expr],
    loads: Loads,
) -> list[Expr]:
    """A law's value with placeholders replaced by kinematics; also adds its rates and outputs."""
    known = {**loads.others, **replace, law.t: skeleton.symbols.t}
    loads.rates += skeleton.symbols.substitute([state.rate for state in law.states], known)
    outputs = skeleton.symbols.substitute([output.value for output in law.outputs], known)
    names = [output.name for output in law.outputs]
    loads.observed.update(zip(names, outputs, strict=True))
    return skeleton.symbols.substitute(exprs, known)


def _expose(
    skeleton: Skeleton,
    loads: Loads,
    law: AnyLaw,
    known: dict[Expr, Expr],
    efforts: Sequence[Scalar],
    work: Sequence[Expr],
    feels: Sequence[Feel],
) -> None:
    """Keep a law for implicit methods; its states are the last ones in `loads`."""
    known = {**loads.others, **known, law.t: skeleton.symbols.t}
    if law.states or any(isinstance(effort, Expr) for effort in efforts):
        first = len(loads.rates) - len(law.states)
        motion = (tuple(efforts), tuple(work), tuple(feels))
        loads.ports.append(Port(law.name, *motion, law.t, law.states, first, known))


def _along(position: Expr, velocity: Expr, rate: Expr) -> Feel:
    """A position with its own placeholder."""
    return Feel({position: position.graph.one}, velocity, rate)


def _elasticity(beam: Beam, skeleton: Skeleton, loads: Loads) -> None:
    """Elasticity and damping of a flexible link."""
    skeleton.graph.section = beam.name
    coordinates = (*beam.axial, *beam.lateral)
    q, qd = ([getattr(skeleton.links[k], name) for k in coordinates] for name in ("q", "qd"))
    for k, effort in zip(coordinates, efforts(beam, q, qd), strict=True):
        loads.push(k, effort)
    loads.ports.append(port(beam, skeleton))


def _joint_inputs(mechanism: Mechanism, skeleton: Skeleton, loads: Loads) -> None:
    for item in mechanism.joint_inputs:
        symbol = skeleton.graph.symbol(f"u.{item.name}")
        loads.inputs.append(symbol)
        loads.input_names.append(item.name)
        loads.push(item.body, symbol)


def _joint_laws(mechanism: Mechanism, skeleton: Skeleton, loads: Loads) -> None:
    for law in mechanism.joint_forces:
        link = skeleton.links[law.body]
        skeleton.graph.section = link.name
        radial = skeleton.graph.symbol(f"radial_{link.number}")
        replace = {law.q: link.q, law.qd: link.qd, law.radial: radial}
        if any(law.radial in reachable([r]) for r in _expressions(law.states)):
            loads.radial[law.body] = radial
        loads.push(law.body, _substituted(skeleton, law, [law.effort], replace, loads)[0])
        feel = _along(law.q, law.qd, link.qd)
        _expose(skeleton, loads, law, replace, [law.effort], [link.qd], [feel])


def _coupled_laws(mechanism: Mechanism, skeleton: Skeleton, loads: Loads) -> None:
    for law in mechanism.coupled_forces:
        links = [skeleton.links[k] for k in law.bodies]
        skeleton.graph.section = links[0].name
        rates = [link.qd for link in links]
        replace = dict(zip(law.q, (link.q for link in links), strict=True))
        replace |= dict(zip(law.qd, rates, strict=True))
        efforts = _substituted(skeleton, law, law.efforts, replace, loads)
        for index, effort in zip(law.bodies, efforts, strict=True):
            loads.push(index, effort)
        feels = list(map(_along, law.q, law.qd, rates))
        _expose(skeleton, loads, law, replace, law.efforts, rates, feels)


def _expressions(states: Sequence[LawState]) -> list[Expr]:
    """Rates of a law's states that are not plain numbers."""
    return [state.rate for state in states if isinstance(state.rate, Expr)]


def _external(mechanism: Mechanism, skeleton: Skeleton, loads: Loads, wanted: Selection) -> None:
    declared = {item.name: item for item in mechanism.external_forces}
    names = [body.name for body in mechanism.bodies]
    if wanted == ALL:
        # massless bodies are intermediate links of joint chains: nothing to push on
        wanted = [b.name for b in mechanism.bodies if isinstance(b.mass, Expr) or b.mass != 0.0]
    elif isinstance(wanted, str):
        wanted = [wanted]
    for name in wanted:
        if name not in names:
            raise InputError(
                f"external_forces: no body '{name}' in model '{mechanism.name}'",
                fix=f'Use "all" or names among: {", ".join(names[:12])}.',
            )
    for item in mechanism.external_forces:
        _external_at(item.name, item.at, item.R_BF, skeleton, loads)
    for body in mechanism.bodies:
        if body.name in wanted and body.name not in declared:
            at = mechanism.point(f"{body.name}.com")
            whole = Point("com", f"{body.name}.com", body.index, body.com, at.where)
            _external_at(body.name, whole, None, skeleton, loads)


def _external_at(
    name: str, at: Point, R_BF: Matrix3 | None, skeleton: Skeleton, loads: Loads
) -> None:
    if at.body == GROUND:
        return
    graph = skeleton.graph
    link = skeleton.links[at.body]
    graph.section = link.name
    columns = []
    for kind, short in (("force", "frc"), ("torque", "trq")):
        symbols = [graph.symbol(f"u.{short}_{name}_{axis}") for axis in "xyz"]
        loads.inputs += symbols
        loads.input_names += [f"{name}.{kind}.{axis}" for axis in "xyz"]
        vector: Vector = (symbols[0], symbols[1], symbols[2])
        if R_BF is not None:
            vector = matrix_times(skeleton.symbols.matrix(R_BF), vector)
        columns.append(link.to_internal(vector))
    p_CQ = internal_point(skeleton, at)
    loads.apply(at.body, p_CQ, columns[0], columns[1])


def internal_point(skeleton: Skeleton, point: Point) -> Vector:
    """p_CQ of a model point; its numbers may be live under the point's name."""
    p_BQ = skeleton.symbols.vector(point.p_BQ, point.path, "m")
    if point.body == GROUND:
        return p_BQ
    return skeleton.links[point.body].point(p_BQ)


@dataclass(frozen=True)
class PlacedFrame:
    """A frame F with origin Q on a link with internal frame C.

    Attributes:
        p_CQ: origin, in axes of C.
        R_CF: axes, fixed in C.
        lever: p_CQ in world axes.
        p: p_WQ.
        R: R_WF.
        v: velocity of Q, in world axes.
        om: angular velocity, in world axes.
    """

    p_CQ: Vector
    R_CF: Matrix
    lever: Vector
    p: Vector
    R: Matrix
    v: Vector
    om: Vector


class Places:
    """World kinematics of points, computed once for all laws."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self._poses = poses(skeleton)
        self._velocities = velocities(skeleton)

    def pose(self, index: int) -> Pose:
        """Pose of a link's internal frame, or of the world."""
        return self._poses[index] if index != GROUND else world_pose(self.skeleton.graph)

    def point(self, point: Point) -> tuple[Vector, Vector, Vector]:
        """p_CQ, p_WQ and the velocity of Q in world axes."""
        graph = self.skeleton.graph
        p_CQ = internal_point(self.skeleton, point)
        pose = self.pose(point.body)
        if point.body == GROUND:
            return p_CQ, p_CQ, zero_vector(graph)
        om, v = self._velocities[point.body]
        return p_CQ, pose.point(p_CQ), matrix_times(pose.R_WC, add(v, cross(om, p_CQ)))

    def frame(self, frame: Frame) -> PlacedFrame:
        """World kinematics of a frame."""
        point = Point(frame.name, frame.path, frame.body, frame.p_BF, frame.where)
        p_CQ = internal_point(self.skeleton, point)
        R_BF = self.skeleton.symbols.matrix(frame.R_BF)
        if frame.body == GROUND:
            zero = zero_vector(self.skeleton.graph)
            return PlacedFrame(p_CQ, R_BF, p_CQ, p_CQ, R_BF, zero, zero)
        link, pose = self.skeleton.links[frame.body], self.pose(frame.body)
        R_CF = product(transpose(link.R_BC), R_BF)
        om_C, v_C = self._velocities[frame.body]
        # levers in world axes serve positions, velocities and moments
        lever, om = matrix_times(pose.R_WC, p_CQ), matrix_times(pose.R_WC, om_C)
        return PlacedFrame(
            p_CQ=p_CQ,
            R_CF=R_CF,
            lever=lever,
            p=add(pose.p_WC, lever),
            R=product(pose.R_WC, R_CF),
            v=add(matrix_times(pose.R_WC, v_C), cross(om, lever)),
            om=om,
        )

    def om(self, index: int) -> Vector:
        """Angular velocity in the link's internal axes."""
        return self._velocities[index][0]


def _force(law: ForceLaw, place: Places, loads: Loads) -> None:
    skeleton = place.skeleton
    p_CQ, p_WQ, v_W = place.point(law.at)
    replace = {
        **dict(zip(law.p, p_WQ, strict=True)),
        **dict(zip(law.v, v_W, strict=True)),
    }
    f = as_vector(_substituted(skeleton, law, law.components, replace, loads))
    if law.at.body == GROUND:
        return
    link = skeleton.links[law.at.body]
    R_CW = transpose(place.pose(law.at.body).R_WC)
    work = v_W
    if law.axes == "world":
        f_C = matrix_times(R_CW, f)
    else:
        R_BF = skeleton.symbols.matrix(law.R_BF)
        f_C = link.to_internal(matrix_times(R_BF, f))
        R_FC = product(transpose(R_BF), link.R_BC)
        work = matrix_times(product(R_FC, R_CW), v_W)
    _expose(
        skeleton, loads, law, replace, law.components, work, list(map(_along, law.p, law.v, v_W))
    )
    loads.apply(law.at.body, p_CQ, f_C, zero_vector(skeleton.graph))


def _torque(law: Torque, place: Places, loads: Loads) -> None:
    skeleton = place.skeleton
    if law.body == GROUND:
        return
    link = skeleton.links[law.body]
    pose = place.pose(law.body)
    # R_CF: axes of the body as written in the internal frame
    R_CF = product(transpose(link.R_BC), skeleton.symbols.matrix(law.R_BF))
    R_WF = product(pose.R_WC, R_CF)
    om_C = place.om(law.body)
    R_to = pose.R_WC if law.axes == "world" else transpose(R_CF)
    om = matrix_times(R_to, om_C)
    replace = {
        **dict(zip(law.w, om, strict=True)),
        **{
            s: e
            for srow, row in zip(law.R, R_WF, strict=True)
            for s, e in zip(srow, row, strict=True)
        },
    }
    components = as_vector(_substituted(skeleton, law, law.components, replace, loads))
    turns = [_turn(law, axis) for axis in range(3)]
    _expose(skeleton, loads, law, replace, law.components, om, list(map(Feel, turns, law.w, om)))
    n = matrix_times(transpose(R_to), components)
    zero = zero_vector(skeleton.graph)
    loads.apply(law.body, zero, zero, n)


def _turn(law: Torque, axis: int) -> Tangent:
    """Derivative of R_WF with respect to a rotation about one of the law's axes.

    With e the unit vector of the axis: e~ R in world axes, R e~ in body axes.
    """
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = law.R
    if law.axes == "world":
        return {R[j][c]: -R[k][c] for c in range(3)} | {R[k][c]: R[j][c] for c in range(3)}
    return {R[r][j]: R[r][k] for r in range(3)} | {R[r][k]: -R[r][j] for r in range(3)}


def _vanishes_with_length(skeleton: Skeleton, law: LineForce, loads: Loads) -> bool:
    """Whether the force vanishes at zero length, as for a spring without free length."""
    zero = skeleton.graph.zero
    known = {**loads.others, law.l: zero, law.ld: zero, law.t: skeleton.symbols.t}
    return skeleton.symbols.substitute([law.force], known)[0] is zero


def _line_force(law: LineForce, place: Places, loads: Loads) -> None:
    """A force along the line between two points."""
    skeleton = place.skeleton
    graph = skeleton.graph
    pa_C, pa_W, va_W = place.point(law.a)
    pb_C, pb_W, vb_W = place.point(law.b)
    d = sub(pb_W, pa_W)
    square = dot(d, d)
    if _vanishes_with_length(skeleton, law, loads):
        # coincident points have no direction, and any will do
        square = square + graph.constant(NO_LENGTH)
    length = graph.label(graph.call("sqrt", square), f"l_{law.name}")
    unit = scale(graph.one / length, d)
    rate = graph.label(dot(unit, sub(vb_W, va_W)), f"ld_{law.name}")
    replace = {law.l: length, law.ld: rate}
    pull = _substituted(skeleton, law, [law.force], replace, loads)[0]
    graph.label(pull, f"F_{law.name}")
    # positive tension shortens: its power is negative times the rate of the length
    _expose(skeleton, loads, law, replace, [-law.force], [rate], [_along(law.l, law.ld, rate)])
    on_a = scale(pull, unit)
    zero = zero_vector(graph)
    for point, p_C, f_W in ((law.a, pa_C, on_a), (law.b, pb_C, scale(graph.constant(-1.0), on_a))):
        R_CW = transpose(place.pose(point.body).R_WC)
        loads.apply(point.body, p_C, matrix_times(R_CW, f_W), zero)


@dataclass(frozen=True)
class BetweenFrames:
    """Relative pose and motion of frame B with respect to frame A, in axes of A.

    Attributes:
        p: p_AB.
        R: R_AB.
        v: rate of p in A.
        w: angular velocity of B relative to A.
    """

    p: Vector
    R: Matrix
    v: Vector
    w: Vector


def between_frames(place: Places, a: Frame, b: Frame) -> BetweenFrames:
    """Relative pose and motion of B with respect to A."""
    of_a, of_b = place.frame(a), place.frame(b)
    R_AW = transpose(of_a.R)
    p = matrix_times(R_AW, sub(of_b.p, of_a.p))
    w_A = matrix_times(R_AW, of_a.om)
    v = sub(matrix_times(R_AW, sub(of_b.v, of_a.v)), cross(w_A, p))
    return BetweenFrames(p, product(R_AW, of_b.R), v, sub(matrix_times(R_AW, of_b.om), w_A))


def _frame_force(law: FrameForce, place: Places, loads: Loads) -> None:
    """Force and torque between two frames, from their relative position and rotation."""
    skeleton = place.skeleton
    graph = skeleton.graph
    a, b = place.frame(law.a), place.frame(law.b)
    between = between_frames(place, law.a, law.b)
    p, R, v, w = between.p, between.R, between.v, between.w
    # small rotation vector
    r = (0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1]))
    replace: dict[Expr, Expr] = {}
    placeholders = (law.p, law.v, law.r, law.w, *law.R)
    for names, values in zip(placeholders, (p, v, r, w, *R), strict=True):
        replace.update(zip(names, values, strict=True))
    found = _substituted(skeleton, law, (*law.force, *law.torque), replace, loads)
    # the rate of the small rotation vector is approximately the angular velocity
    feels = list(map(_along, (*law.p, *law.r), (*law.v, *law.w), (*v, *w)))
    _expose(skeleton, loads, law, replace, (*law.force, *law.torque), (*v, *w), feels)
    f_A, n_A = as_vector(found[:3]), as_vector(found[3:])
    zero, minus = zero_vector(graph), graph.constant(-1.0)
    # on the link of B, about its origin: in world axes, then in its own
    f_W = matrix_times(a.R, f_A)
    n_W = add(matrix_times(a.R, n_A), cross(b.lever, f_W))
    R_CW = transpose(place.pose(law.b.body).R_WC)
    loads.apply(law.b.body, zero, matrix_times(R_CW, f_W), matrix_times(R_CW, n_W))
    # on the link of A at the same point: in axes of A, then rotated to its own
    lever = add(matrix_times(transpose(a.R_CF), a.p_CQ), p)
    n_A = add(n_A, cross(lever, f_A))
    f, n = (scale(minus, matrix_times(a.R_CF, x)) for x in (f_A, n_A))
    loads.apply(law.a.body, zero, f, n)
