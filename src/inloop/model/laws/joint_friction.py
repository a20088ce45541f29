"""Friction in joints, as methods of `Model`; each is a joint force, written for the user.

Friction acts along the coordinate: coefficients of a revolute joint are in N·m and rad. With a
radius r it acts at that distance from the axis: at the sliding velocity r qd, with the effort r
f, and the coefficients are in N and m.

With a normal force N the friction is N times what the coefficients say: `coulomb` and `static` are
coefficients of friction (mu), `stiffness` is in 1/m, `damping` and `viscous` are in s/m. N is

- a number or an expression of parameters [N],
- a function that returns it, from q, qd, t and outputs of other laws: the force of a spring or a
  contact, `lambda out: out["pad.force"]`. What is below zero does not press.
- a function that takes force, effort or radial: multipliers of loops, constraints and locks,
  `lambda force: il.absolute(force["pin.z"])`, the effort of a driven joint, or the force that the
  joint transmits across its axis; "reaction" stands for `lambda radial: radial`. These depend on
  the accelerations and so on the friction itself. A first-order filter with the time constant
  `reaction_time` stands between the two, and starts from `reaction_start`: at rest N is exact, in
  motion it is late by that time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inloop.model.draft import Draft, HasDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle
from inloop.model.intake import Intake
from inloop.model.laws import friction_laws
from inloop.model.laws.coefficients import NOT_NEGATIVE, POSITIVE, read_bounded
from inloop.model.laws.declaring import declare_law, effort_unit, element_reader
from inloop.model.laws.tracing import trace
from inloop.model.names import quoted
from inloop.symbolic import Expr
from inloop.symbolic import functions as sf

REACTION = "reaction"
REACTIONS = frozenset(("radial", "force", "effort"))  # arguments that tell of accelerations
OFFERED = ("q", "qd", "t", "out", "force", "effort", "radial")  # to functions that press
Normal = Scalar | Callable[..., Scalar] | Literal["reaction"] | None
Force = Callable[[Expr, Mapping[str, Expr]], tuple[Scalar, dict[str, Scalar], dict[str, Scalar]]]


@dataclass(frozen=True)
class _Pressing:
    """What presses the sliding surfaces together, and where.

    Attributes:
        normal: the force as a number or an expression, a function that returns it, "reaction",
            or None where the coefficients are forces themselves.
        radius: lever arm of the friction force [m]; None: it acts along the coordinate.
        time: time constant of the filter between the joint's reaction and the force [s].
        start: value of that filter at the start [N].
    """

    normal: Normal
    radius: Scalar | None
    time: Scalar
    start: float


def lugre(
    model: HasDraft,
    joint: BodyHandle | str,
    *,
    stiffness: Scalar,
    damping: Scalar,
    coulomb: Scalar,
    static: Scalar | None = None,
    viscous: Scalar = 0.0,
    stribeck: Scalar = 1e-3,
    exponent: Scalar = 2.0,
    elastic: Scalar = 0.7,
    normal: Normal = None,
    radius: Scalar | None = None,
    reaction_time: Scalar = 1e-3,
    reaction_start: float = 0.0,
    name: str | None = None,
) -> str:
    """Add friction with true sticking to a joint: elasto-plastic LuGre.

    The formulas are in `friction_laws`. Below the elastic limit, elastic * coulomb, a joint
    at rest is held by a spring of the given stiffness and does not creep.

    Args:
        joint: the body that the joint moves, or the name of either.
        stiffness: s0 of the bristles [N/m or N·m/rad; 1/m with a normal force].
        damping: s1 of the bristles [N·s/m or N·m·s/rad; s/m].
        coulomb: friction at high velocity [N or N·m; 1].
        static: friction at low velocity; the same as coulomb if not given.
        viscous: s2 [N·s/m or N·m·s/rad; s/m].
        stribeck: velocity of the transition from static to coulomb [m/s or rad/s].
        exponent: of that transition.
        elastic: share of the largest deflection within which nothing slides, 0 ... 1; 0 is
            plain LuGre.
        normal: normal force: a number, an expression, a function that returns it, or
            "reaction"; see `inloop.model.laws.joint_friction`.
        radius: distance from the axis at which the friction acts [m]; needed for a revolute
            joint with a normal force.
        reaction_time: time constant of the filter of the reaction [s].
        reaction_start: the filtered reaction at the start [N].
        name: name of the law.

    Returns:
        The name of the law, a joint force with the outputs effort and deflection, and normal
        where there is a normal force.
    """
    read = element_reader(model._draft, "lugre", name, joint)
    s0, fc = (read_bounded(read, x, n, POSITIVE) for x, n in ((stiffness, "stiffness"),
                                                      (coulomb, "coulomb")))  # fmt: skip
    s1 = read_bounded(read, damping, "damping", NOT_NEGATIVE)
    s2 = read_bounded(read, viscous, "viscous", NOT_NEGATIVE)
    fs = fc if static is None else read_bounded(read, static, "static", POSITIVE)
    vs = read_bounded(read, stribeck, "stribeck", POSITIVE)
    n = read_bounded(read, exponent, "exponent", POSITIVE)
    share = read_bounded(read, elastic, "elastic", NOT_NEGATIVE)
    if not isinstance(share, Expr) and share >= 1.0:
        read.complain(f"elastic must be below 1, got {share:g}", "0.7 is usual.")
        share = 0.7

    def force(v: Expr, own: Mapping[str, Expr]) -> tuple[Scalar, Any, Any]:
        z = own["z"]
        limit = friction_laws.stribeck(v, fc, fs, vs, n)
        rate = friction_laws.bristle_rate(z, v, limit, s0, share)
        return friction_laws.bristle_force(z, rate, v, s0, s1, s2), {"z": rate}, {
            "deflection": z
        }  # fmt: skip

    pressing = _Pressing(normal, radius, reaction_time, reaction_start)
    deflection = "m" if _slides(model._draft, joint, radius) else "rad"
    extras = {"z": 0.0}, {"deflection": deflection}
    return _friction(model._draft, read, joint, force, pressing, extras, name)


def coulomb(
    model: HasDraft,
    joint: BodyHandle | str,
    *,
    coulomb: Scalar,
    viscous: Scalar = 0.0,
    velocity: Scalar,
    normal: Normal = None,
    radius: Scalar | None = None,
    reaction_time: Scalar = 1e-3,
    reaction_start: float = 0.0,
    name: str | None = None,
) -> str:
    """Add Coulomb and viscous friction to a joint, smoothed, without internal states.

    The effort is -(coulomb tanh(qd/velocity) + viscous qd), after Mostaghel & Davis: it
    creeps instead of sticking. Use `lugre` where a joint must come to rest under load.

    Args:
        joint: the body that the joint moves, or the name of either.
        coulomb: dry friction [N or N·m; 1 with a normal force].
        viscous: [N·s/m or N·m·s/rad; s/m with a normal force].
        velocity: v0 over which the sign of the velocity changes [m/s or rad/s].
        normal: normal force: a number, an expression, a function that returns it, or
            "reaction"; see `inloop.model.laws.joint_friction`.
        radius: distance from the axis at which the friction acts [m]; needed for a revolute
            joint with a normal force.
        reaction_time: time constant of the filter of the reaction [s].
        reaction_start: the filtered reaction at the start [N].
        name: name of the law.

    Returns:
        The name of the law, a joint force with the output effort, and normal where there is
        a normal force.
    """
    read = element_reader(model._draft, "coulomb", name, joint)
    fc = read_bounded(read, coulomb, "coulomb", NOT_NEGATIVE)
    s2 = read_bounded(read, viscous, "viscous", NOT_NEGATIVE)
    v0 = read_bounded(read, velocity, "velocity", POSITIVE)

    def force(v: Expr, own: Mapping[str, Expr]) -> tuple[Scalar, Any, Any]:
        del own
        return friction_laws.smooth_coulomb(v, fc, s2, v0), {}, {}

    pressing = _Pressing(normal, radius, reaction_time, reaction_start)
    return _friction(model._draft, read, joint, force, pressing, ({}, {}), name)


def _friction(
    draft: Draft,
    read: Intake,
    joint: BodyHandle | str,
    force: Force,
    pressing: _Pressing,
    extras: tuple[dict[str, float], dict[str, str]],
    name: str | None,
) -> str:
    """Declare a friction force, pressed on as the user wants."""
    states, outputs = {**extras[0]}, {"effort": effort_unit(draft, joint), **extras[1]}
    normal = pressing.normal
    if isinstance(normal, str):
        if normal != REACTION:
            read.complain(
                f"unknown normal force {quoted(normal)}",
                'Write a force, a function that returns it, or "reaction".',
            )
        normal = None if normal != REACTION else _transmitted
    if normal is not None:
        outputs["normal"] = "N"
        if pressing.radius is None and not _slides(draft, joint, None):
            read.complain(
                "a normal force in a joint that turns needs a radius",
                "Write radius= [m], the distance of the sliding surfaces from the axis.",
            )
    late = _is_reaction(normal)
    if late:
        states["N"] = pressing.start
    time = read_bounded(read, pressing.time, "reaction_time", POSITIVE)
    radius = None
    if pressing.radius is not None:
        radius = read_bounded(read, pressing.radius, "radius", POSITIVE)

    def law(qd: Expr, **known: Any) -> tuple[Any, ...]:
        arm: Scalar = 1.0 if radius is None else radius
        f, rates, observed = force(qd * arm, known)
        if normal is not None:
            now = _pressed(read, normal, {"qd": qd, **known})
            pressed = known["N"] if late else now
            f, observed = pressed * f, {**observed, "normal": pressed}
            if late:
                rates = {**rates, "N": (now - known["N"]) / time}
        effort = -arm * f
        observed = {"effort": effort, **observed}
        return (effort, rates, observed) if rates else (effort, observed)

    return declare_law(
        draft, "joint_force", (joint,), law, name, states=states, outputs=outputs, ending="friction"
    )


def _slides(draft: Draft, joint: object, radius: Scalar | None) -> bool:
    """Is the sliding velocity in m/s? A joint that is not declared yet counts as sliding."""
    return radius is not None or effort_unit(draft, joint) != "N*m"


def _transmitted(radial: Expr) -> Expr:
    """The normal force that is called "reaction"."""
    return radial


def _is_reaction(normal: object) -> bool:
    """Does a normal force follow from the accelerations?"""
    if not callable(normal):
        return False
    try:
        return not REACTIONS.isdisjoint(inspect.signature(normal).parameters)
    except (TypeError, ValueError):
        return False  # reported where the law is traced


def _pressed(read: Intake, normal: object, known: Mapping[str, Any]) -> Scalar:
    """The normal force of a friction law."""
    if normal is _transmitted:
        return _transmitted(known["radial"])
    if callable(normal):
        offered = {name: known[name] for name in OFFERED}
        return sf.max0(trace(read, normal, offered, 1)[0])
    return read_bounded(read, normal, "normal", NOT_NEGATIVE)
