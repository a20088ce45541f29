"""Ready-made force elements, as methods of `Model`: springs, potentials, stops, bushings.

Each is a law as in `forces`, written for the user.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from inloop.model.draft import Draft, HasDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, Handle
from inloop.model.intake import Intake, as_tuple, is_number
from inloop.model.laws.coefficients import NOT_NEGATIVE, read_bounded
from inloop.model.laws.declaring import declare_law, effort_unit, element_reader
from inloop.model.laws.forces import coupled_force
from inloop.model.laws.tracing import Law, trace
from inloop.model.names import quoted
from inloop.symbolic import Expr, forward
from inloop.symbolic import functions as sf

Limits = tuple[Scalar, Scalar]
Six = Sequence[Scalar]
Symbols = tuple[Expr, Expr, Expr]
Observed = tuple[Scalar, dict[str, Scalar]]


def spring(
    model: HasDraft,
    a: Handle | str,
    b: Handle | str,
    stiffness: Scalar,
    damping: Scalar = 0.0,
    *,
    free_length: Scalar,
    name: str | None = None,
) -> str:
    """Connect two points with a spring and a damper along the line between them.

    Args:
        a: first point.
        b: second point, on another body or on the ground.
        stiffness: [N/m].
        damping: [N·s/m].
        free_length: distance at which the spring is relaxed [m].
        name: name of the law.

    Returns:
        The name of the law, a line force with the outputs length [m] and force [N].
    """
    read = element_reader(model._draft, "spring", name, a, b)
    k = read_bounded(read, stiffness, "stiffness", NOT_NEGATIVE)
    d = read_bounded(read, damping, "damping", NOT_NEGATIVE)
    l0 = read_bounded(read, free_length, "free_length", NOT_NEGATIVE)

    def pull(l: Expr, ld: Expr) -> Observed:
        force = k * (l - l0) + d * ld
        return force, {"length": l, "force": force}

    outputs = {"length": "m", "force": "N"}
    return declare_law(
        model._draft, "line_force", (a, b), pull, name, outputs=outputs, ending="spring"
    )


def torsion_spring(
    model: HasDraft,
    joint: BodyHandle | str,
    stiffness: Scalar,
    damping: Scalar = 0.0,
    rest: Scalar = 0.0,
    *,
    name: str | None = None,
) -> str:
    """Add a spring and a damper to a joint.

    Args:
        joint: the body that the joint moves, or the name of either.
        stiffness: [N·m/rad], [N/m] for a prismatic joint.
        damping: [N·m·s/rad], [N·s/m] for a prismatic joint.
        rest: q at which the spring is relaxed [rad or m].
        name: name of the law.

    Returns:
        The name of the law, a joint force with the output effort [N or N·m].
    """
    read = element_reader(model._draft, "torsion_spring", name, joint)
    k = read_bounded(read, stiffness, "stiffness", NOT_NEGATIVE)
    d = read_bounded(read, damping, "damping", NOT_NEGATIVE)
    q0 = read.scalar(rest, "rest")

    def effort(q: Expr, qd: Expr) -> Observed:
        back = -k * (q - q0) - d * qd
        return back, {"effort": back}

    outputs = {"effort": effort_unit(model._draft, joint)}
    return declare_law(
        model._draft, "joint_force", (joint,), effort, name, outputs=outputs, ending="spring"
    )


def potential(
    model: HasDraft, joints: Sequence[BodyHandle | str], energy: Law, name: str | None = None
) -> str:
    """Apply efforts to several joints from a potential energy of their coordinates.

    The efforts are the negative gradient: -∂V/∂q of each joint.

        m.potential([left, right], lambda q: 0.5 * k * (q[0] - q[1]) ** 2)

    Args:
        joints: two or more bodies that the joints move, or names of either.
        energy: takes q [rad or m], a tuple in the order of the joints, and t [s]; returns
            V [J].
        name: name of the law.

    Returns:
        The name of the law, a coupled force with the output energy [J].
    """
    read = model._draft.intake(f"potential {quoted(name or 'of joints')}")

    def downhill(q: tuple[Expr, ...], t: Expr) -> tuple[list[Scalar], dict[str, Scalar]]:
        (V,) = trace(read, energy, {"q": q, "t": t}, 1)
        if not isinstance(V, Expr):
            return [0.0 for _ in q], {"energy": V}
        return [-forward([V], x)[0] for x in q], {"energy": V}

    outputs = {"energy": "J"}
    return coupled_force(model, joints, downhill, name, outputs=outputs)


def joint_stop(
    model: HasDraft,
    joint: BodyHandle | str,
    stiffness: Scalar,
    damping: Scalar = 0.0,
    limits: Limits | None = None,
    *,
    name: str | None = None,
) -> str:
    """Add elastic stops at the limits of a joint.

    A stop pushes back with its spring and its damper while the joint is beyond the limit;
    it never pulls.

    Args:
        joint: the body that the joint moves, or the name of either.
        stiffness: [N·m/rad], [N/m] for a prismatic joint.
        damping: [N·m·s/rad], [N·s/m] for a prismatic joint.
        limits: lowest and highest q [rad or m]; those of the joint if not given. An
            infinite limit has no stop.
        name: name of the law.

    Returns:
        The name of the law, a joint force with the output effort [N or N·m].
    """
    read = element_reader(model._draft, "joint_stop", name, joint)
    k = read_bounded(read, stiffness, "stiffness", NOT_NEGATIVE)
    d = read_bounded(read, damping, "damping", NOT_NEGATIVE)
    low, high = stop_limits(model._draft, read, joint, limits)

    def effort(q: Expr, qd: Expr) -> Observed:
        push: Scalar = 0.0
        if low is not None:
            push = push + sf.where(q < low, sf.max0(k * (low - q) - d * qd), 0.0)
        if high is not None:
            push = push - sf.where(q > high, sf.max0(k * (q - high) + d * qd), 0.0)
        return push, {"effort": push}

    outputs = {"effort": effort_unit(model._draft, joint)}
    declared = declare_law(
        model._draft, "joint_force", (joint,), effort, name, outputs=outputs, ending="stop"
    )
    model._draft.stops.add(declared)
    return declared


def bushing(
    model: HasDraft,
    a: Handle | str,
    b: Handle | str,
    stiffness: Six,
    damping: Six = (0.0,) * 6,
    *,
    name: str | None = None,
) -> str:
    """Connect two frames with a bushing, which is relaxed where they coincide.

    Args:
        a: first frame; its axes are the axes of the bushing.
        b: second frame, on another body or on the ground.
        stiffness: three along [N/m] and three about [N·m/rad] x, y, z of a; the angles are
            taken as small.
        damping: three along [N·s/m] and three about [N·m·s/rad] them.
        name: name of the law.

    Returns:
        The name of the law, a frame force.
    """
    read = element_reader(model._draft, "bushing", name, a, b)
    k = _read_six(read, stiffness, "stiffness")
    d = _read_six(read, damping, "damping")

    def wrench(p: Symbols, v: Symbols, r: Symbols, w: Symbols) -> Sequence[Sequence[Scalar]]:
        resisted = [
            -stiff * x - damp * rate
            for stiff, damp, x, rate in zip(k, d, (*p, *r), (*v, *w), strict=True)
        ]
        return resisted[:3], resisted[3:]

    return declare_law(model._draft, "frame_force", (a, b), wrench, name, ending="bushing")


def stop_limits(
    draft: Draft, read: Intake, joint: object, given: object
) -> tuple[Scalar | None, Scalar | None]:
    """Return the limits that were given, or those of a joint; None for one that has no stop."""
    if given is not None:
        return _read_limits(read, given)
    target = joint.path if isinstance(joint, Handle) else joint
    if not isinstance(target, str):
        return None, None  # reported where the law is declared
    body = draft.body_of_joint(target)
    if body is None:
        read.complain(
            "the limits of the joint are not known here",
            "Declare the body first, or write limits=(lowest, highest).",
        )
    elif body.joint.limits is None:
        read.complain(
            f"joint {quoted(body.joint.name)} has no limits",
            "Give the joint limits, or write limits=(lowest, highest).",
        )
    else:
        return _read_limits(read, body.joint.limits)
    return None, None


def _read_six(read: Intake, value: object, quantity: str) -> tuple[Scalar, ...]:
    items = as_tuple(value)
    if items is None or len(items) != 6:
        got = quoted(value) if items is None else f"{len(items)}"
        read.complain(
            f"{quantity} needs 6 components, got {got}",
            "Write three translational, then three rotational ones, along and about x, y, z.",
        )
        return (0.0,) * 6
    return tuple(read_bounded(read, item, quantity, NOT_NEGATIVE) for item in items)


def _read_limits(read: Intake, value: object) -> tuple[Scalar | None, Scalar | None]:
    """Read limits of a stop; an infinite one becomes None."""
    items = as_tuple(value)
    if items is None or len(items) != 2:
        read.complain(
            f"limits needs 2 numbers, got {quoted(value)}", "Write limits=(lowest, highest)."
        )
        return None, None
    low, high = (None if _is_infinite(item) else read.scalar(item, "limits") for item in items)
    if low is None and high is None:
        read.complain("both limits are infinite, so there is no stop", "Give a finite limit.")
    elif isinstance(low, float) and isinstance(high, float) and low > high:
        read.complain(f"limits ({low:g}, {high:g}) are reversed", "Write (lowest, highest).")
    return low, high


def _is_infinite(value: object) -> bool:
    return is_number(value) and math.isinf(value)  # type: ignore[arg-type]
