"""What restricts velocities and leaves positions free, as methods of `Model`.

A wheel that rolls without slip, an edge that does not move sideways, any relation that is linear in
the velocities: such constraints cannot be integrated, so that every position can be reached though
not every motion is possible (they are nonholonomic). What they exert are multipliers.
"""

from __future__ import annotations

from inloop.joints import Axis
from inloop.model.constraints.declaring import Named
from inloop.model.constraints.elements import LoopKind
from inloop.model.draft import ConstraintDraft, HasDraft, LoopDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import Handle, read_path
from inloop.model.intake import Intake
from inloop.model.laws.tracing import Law, trace_rows
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.parameters import read_unit
from inloop.model.rotations import read_axis
from inloop.symbolic import Expr, forward


def rolls(
    model: HasDraft,
    wheel: Handle | str,
    *,
    radius: Scalar,
    axis: Axis | None = None,
    on: Handle | str = GROUND_NAME,
    name: str | None = None,
) -> str:
    """Make a thin disc or a sphere roll on a plane, without slipping or lifting off.

    Of a disc the multipliers are "lam.<name>.longitudinal", along axis × normal, where a turn about
    the axis takes it, "lam.<name>.lateral", to the left of that, and "lam.<name>.normal"; of a
    sphere "lam.<name>.x" and ".y" along the axes of the plane, and ".normal". All are forces on
    what rolls [N]. It is held both ways: where it may lift off, let an event watch the normal one.

    Args:
        wheel: a body, a point or a frame, or its name: where the center is.
        radius: more than 0 [m].
        axis: of a disc, in axes of the wheel; None: it is a sphere.
        on: the ground, a body, a point or a frame: its x, y plane is rolled on, from the side
            that z points to. A frame may be tilted, and the body may move (a turntable).
        name: name of the constraint; made from the wheel if not given.

    Returns:
        The name; "<name>.force.x", ".y", ".z" in results is the force on what rolls, in world axes.
    """
    draft = model._draft
    read = draft.intake("rolls")
    plane, center = read_path(read, draft, on, "on"), read_path(read, draft, wheel, "wheel")
    name = _name(model, read, name, f"{(center or '').replace('.', '_')}_rolls")
    direction = (0.0, 0.0, 0.0) if axis is None else read_axis(read, axis)
    length = read.scalar(radius, "radius", fallback=1.0)
    kind: LoopKind = "sphere" if axis is None else "disc"
    if plane and center:
        draft.loops.append(LoopDraft(name, kind, plane, center, direction, length, read.where))
    return name


def knife_edge(
    model: HasDraft,
    edge: Handle | str,
    axis: Axis,
    *,
    on: Handle | str = GROUND_NAME,
    name: str | None = None,
) -> str:
    """Prevent a point from moving along an axis of its body: a skate, a sleigh, a simple wheel.

    The multiplier "lam.<name>.lateral" is the force on the edge, along the axis [N].

    Args:
        edge: a body, a point or a frame, or its name.
        axis: sideways, in axes of the body or of the frame.
        on: against what it does not move: the ground, or something on another body.
        name: name of the constraint; made from the edge if not given.

    Returns:
        The name of the constraint.
    """
    draft = model._draft
    read = draft.intake("knife edge")
    base, path = read_path(read, draft, on, "on"), read_path(read, draft, edge, "edge")
    name = _name(model, read, name, f"{(path or '').replace('.', '_')}_edge")
    direction = read_axis(read, axis)
    if base and path:
        draft.loops.append(LoopDraft(name, "knife edge", base, path, direction, 0.0, read.where))
    return name


def velocity_constraint(model: HasDraft, name: str, law: Law, unit: str = "m/s") -> str:
    """Demand that expressions linear in the velocities vanish: A(q, t) qd + b(q, t) = 0.

    Args:
        name: name of the constraint.
        law: takes q and qd, coordinates [rad or m] and velocities [rad/s or m/s] by joint name,
            `qd["wheel"]`, or the quaternion of a body on a ball joint by its components,
            `q["hull.qw"]`, and t [s]; returns what must vanish, one number or several.
            Parameters may be used in it; the joints may be declared later.
        unit: unit of what must vanish, a label.

    Returns:
        The name of the constraint; its multipliers are "lam.<name>.row_1", ...
    """
    draft = model._draft
    read = draft.intake(f"constraint {quoted(name)}")
    name = read.name(name)
    where = read.where
    unit = read_unit(read, unit)
    q, qd = Named(draft, name, "q"), Named(draft, name, "qd")
    before = len(draft.mistakes)
    rows = trace_rows(read, law, {"q": q, "qd": qd, "t": draft.time})
    for number, row in enumerate(rows, start=1):
        _check_linear(read, number, row, qd.used)
    if len(draft.mistakes) > before:
        rows = ()
    draft.constraints.append(ConstraintDraft(name, q.used, qd.used, rows, unit, where))
    return name


def _name(model: HasDraft, read: Intake, name: str | None, stem: str) -> str:
    automatic = model._draft.free_name(stem)
    read.label = f"{read.label} {quoted(automatic if name is None else name)}"
    return automatic if name is None else read.name(name)


def _check_linear(read: Intake, number: int, row: Scalar, speeds: dict[str, Expr]) -> None:
    """Complain about a row whose slope by one velocity depends on a velocity."""
    for joint, speed in speeds.items():
        slope = forward([row], speed)[0] if isinstance(row, Expr) else None
        if slope is not None and set(slope.graph.symbols_of([slope])) & set(speeds.values()):
            read.complain(
                f'row {number} is not linear in qd["{joint}"]',
                "Return sums of velocities times functions of q and t; for a force that "
                "depends on velocities in another way, write a law.",
            )
            return
