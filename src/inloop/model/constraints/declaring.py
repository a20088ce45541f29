"""What the motion must obey beside the joints of the tree, as methods of `Model`.

Loops, constraints, driven joints, and which coordinates shall be independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from inloop.errors import ExpressionError
from inloop.joints import Axis
from inloop.model.constraints.elements import CutKind, Derivatives
from inloop.model.draft import (
    ConstraintDraft,
    Draft,
    DriveDraft,
    HasDraft,
    IndependentDraft,
    LoopDraft,
)
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, Handle, read_path
from inloop.model.intake import Intake, as_tuple, is_number
from inloop.model.laws.tracing import Law, trace, trace_rows
from inloop.model.names import quoted
from inloop.model.parameters import read_unit
from inloop.model.rotations import read_axis
from inloop.symbolic import Expr
from inloop.symbolic.samples import samples_over_time

KINDS = {"q": "coordinates", "qd": "velocities"}
Samples = tuple[Sequence[float], Sequence[float]]


def close(
    model: HasDraft,
    a: Handle | str,
    b: Handle | str,
    *,
    kind: CutKind = "ball",
    axis: Axis | None = None,
    length: Scalar | None = None,
    name: str | None = None,
) -> str:
    """Close a kinematic loop between two bodies.

    Args:
        a: a point or a frame, or its name, which may be declared later; a body stands for
            its own frame, a point for a frame with the axes of its body.
        b: the same on another body or on the ground.
        kind: "ball", the points coincide; "solid", the frames coincide in position and
            orientation; "hinge", the points coincide and the frames share an axis; "rod",
            the points stay at a distance.
        axis: of a hinge: "x", "y", "z", "-x", ... or three numbers; this direction in axes
            of a and this direction in axes of b are parallel.
        length: of a rod, more than 0 [m].
        name: name of the loop; made from a and b if not given.

    Returns:
        The name of the loop.
    """
    draft = model._draft
    read = draft.intake("loop")
    path_a, path_b = (read_path(read, draft, end, role) for end, role in ((a, "a"), (b, "b")))
    stem = "_".join((path or "").replace(".", "_") for path in (path_a, path_b))
    automatic = draft.free_name(stem)
    read.label = f"loop {quoted(automatic if name is None else name)}"
    name = automatic if name is None else read.name(name)
    if str(kind) not in get_args(CutKind):
        read.complain(f"unknown kind {quoted(kind)}", 'Write "ball", "solid", "hinge" or "rod".')
        return name
    direction = _read_hinge_axis(read, kind, axis)
    distance = _read_rod_length(read, kind, length)
    if path_a and path_b:
        draft.loops.append(LoopDraft(name, kind, path_a, path_b, direction, distance, read.where))
    return name


def constraint(model: HasDraft, name: str, law: Law, unit: str = "m") -> str:
    """Constrain expressions of the coordinates to zero: h(q, t) = 0.

    Args:
        name: name of the constraint.
        law: takes q, the coordinates by joint name, `q["crank"]` [rad or m], or the quaternion
            of a body on a ball joint by its components, `q["hull.qw"]`, and t [s]; returns what
            must vanish, one number or several. Parameters may be used in it; the joints may be
            declared later.
        unit: unit of what must vanish, a label.

    Returns:
        The name of the constraint.
    """
    draft = model._draft
    read = draft.intake(f"constraint {quoted(name)}")
    name = read.name(name)
    where = read.where
    unit = read_unit(read, unit)
    q = Named(draft, name, "q")
    before = len(draft.mistakes)
    rows = trace_rows(read, law, {"q": q, "t": draft.time})
    if len(draft.mistakes) > before:
        rows = ()
    draft.constraints.append(ConstraintDraft(name, q.used, None, rows, unit, where))
    return name


def drive(
    model: HasDraft,
    joint: BodyHandle | str,
    motion: Law | None = None,
    *,
    samples: Samples | None = None,
    derivatives: Derivatives = "given",
    cutoff: float = 50.0,
) -> str:
    """Prescribe the motion of a joint; the required effort is a result.

    Without motion and samples the joint follows live inputs, which rest at the joint's
    initial position until something is connected: `<joint>.q`, `<joint>.qd`, `<joint>.qdd`
    among `plant.inputs`. They may be given as signals to `plant.simulate(inputs=...)`.

    Args:
        joint: the body that the joint moves, or the name of either.
        motion: takes t [s]; returns q [rad or m]. Velocity and acceleration follow exactly.
        samples: times [s], strictly increasing, and positions [rad or m]; a cubic spline
            runs through them and stands still before and after.
        derivatives: of a live input: "given", velocity and acceleration are inputs too and
            must fit the position; "filtered", `<joint>.q` is the only input, and the joint
            follows it through a critically damped low-pass of third order, which gives
            position, velocity and acceleration that fit each other.
        cutoff: frequency at which that filter is down to 1/√2 [Hz]; it delays slow motion by
            0.243 / cutoff.

    Returns:
        The name of the joint.
    """
    draft = model._draft
    read = draft.intake("drive")
    target = read_path(read, draft, joint, "joint")
    if target is None:
        return ""
    body = draft.body_of_joint(target)
    name = body.joint.name if body else target
    read.label = f"drive {quoted(name)}"
    where = read.where
    live = motion is None and samples is None
    cutoff = _check_filter(read, derivatives, cutoff, live)
    position: Scalar | None = None
    if motion is not None and samples is not None:
        read.complain("has both a motion and samples", "Give one of them.")
    elif motion is not None:
        (position,) = trace(read, motion, {"t": draft.time}, 1)
    elif samples is not None:
        position = _read_samples(read, samples, draft.time)
    draft.drives.append(DriveDraft(target, position, derivatives, cutoff, where))
    return name


def independent(model: HasDraft, *joints: BodyHandle | str) -> None:
    """Choose the preferred independent coordinates of closed loops.

    They are taken where the loops allow it; other coordinates are chosen by pivoting.

    Args:
        joints: bodies that the joints move, or names of either.
    """
    draft = model._draft
    read = draft.intake("independent")
    for joint in joints:
        target = read_path(read, draft, joint, "joint")
        if target is not None:
            draft.independent.append(IndependentDraft(target, read.where))


class Named:
    """Coordinates or velocities that a constraint is traced with, by joint name.

    The joints may be declared later, so any name gets a placeholder; `build()` looks it up.

    Attributes:
        used: the placeholders so far.
    """

    def __init__(self, draft: Draft, constraint: str, kind: Literal["q", "qd"]) -> None:
        """Begin with nothing used; `kind` is what the law calls them."""
        self._draft = draft
        self._constraint = constraint
        self._kind = kind
        self.used: dict[str, Expr] = {}

    def __getitem__(self, joint: object) -> Expr:
        if isinstance(joint, BodyHandle) and joint.belongs_to(self._draft):
            joint = joint.path
        if not isinstance(joint, str):
            raise ExpressionError(
                f"{self._kind} has no entry {quoted(joint)}: {KINDS[self._kind]} are named "
                "after their joint",
                fix=f'Write {self._kind}["crank"].',
            )
        stem = f"{self._constraint}.{joint}"
        symbol = self._draft.graph.symbol(stem if self._kind == "q" else f"{stem}.{self._kind}")
        return self.used.setdefault(joint, symbol)


def _read_hinge_axis(read: Intake, kind: CutKind, axis: Axis | None) -> tuple[float, float, float]:
    if kind != "hinge":
        if axis is not None:
            read.complain(
                f"a {kind} loop has no axis", 'Leave it out, or write kind="hinge" for a hinge.'
            )
        return 0.0, 0.0, 0.0
    if axis is None:
        read.complain("a hinge needs an axis", 'Write axis="z", for example.')
        return 0.0, 0.0, 1.0
    return read_axis(read, axis)


def _read_rod_length(read: Intake, kind: CutKind, length: Scalar | None) -> Scalar:
    if kind != "rod":
        if length is not None:
            read.complain(
                f"a {kind} loop has no length", 'Leave it out, or write kind="rod" for a rod.'
            )
        return 0.0
    if length is None:
        read.complain("a rod needs a length", "Write length=0.3, for example [m].")
        return 1.0
    return read.scalar(length, "length", fallback=1.0)


def _check_filter(read: Intake, derivatives: object, cutoff: object, live: bool) -> float:
    """Check how derivatives of the position are found; return the cutoff frequency [Hz]."""
    if str(derivatives) not in get_args(Derivatives):
        read.complain(f"unknown derivatives {quoted(derivatives)}", 'Write "given" or "filtered".')
    elif derivatives == "filtered" and not live:
        read.complain(
            'derivatives="filtered" is only for a live input',
            "Leave it out: motions and samples are differentiated exactly.",
        )
    frequency = read.number(cutoff, "cutoff", fallback=50.0)
    if frequency <= 0.0:
        read.complain(f"cutoff must be > 0 Hz, got {frequency:g}", "Write a frequency in Hz.")
    return frequency


def _read_samples(read: Intake, samples: object, time: Expr) -> Scalar:
    """Return the spline through samples of a motion; 0 if they cannot be used."""
    columns = [as_tuple(column) for column in as_tuple(samples) or ()]
    if len(columns) != 2 or any(column is None for column in columns):
        read.complain(
            "samples must be two lists, times and positions", "Write samples=(times, positions)."
        )
        return 0.0
    # a table complains about all that a spline cannot use; only numbers are checked here
    numbers = [[_sample(item) for item in column or ()] for column in columns]
    if any(number is None for column in numbers for number in column):
        read.complain("samples must be plain numbers", "Write two lists of numbers.")
        return 0.0
    try:
        return samples_over_time(time, numbers[0], numbers[1])  # type: ignore[arg-type]
    except ExpressionError as error:
        read.complain(f"samples: {error.mistakes[0].what}", error.mistakes[0].fix)
        return 0.0


def _sample(value: object) -> float | None:
    return float(value) if is_number(value) else None  # type: ignore[arg-type]
