"""Limits of joints that do not give way, as a method of `Model`: contacts of one row."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from inloop.model.contacts.hard import HIT, NORMAL, RATE, RESIDUAL, HardStop, hard
from inloop.model.draft import HasDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle
from inloop.model.laws.coefficients import read_coefficients
from inloop.model.laws.declaring import automatic_name, declare_law, effort_unit, element_reader
from inloop.model.laws.force_elements import stop_limits
from inloop.model.laws.tracing import Law
from inloop.symbolic import Expr

Told = dict[str, Scalar]
LOW, HIGH = "low", "high"


def hard_stop(
    model: HasDraft,
    joint: BodyHandle | str,
    restitution: Scalar = 0.0,
    limits: Sequence[Scalar] | None = None,
    *,
    name: str | None = None,
) -> tuple[str, ...]:
    """Stop a joint at its limits without a penalty: `method="moreau"` finds the impulses.

    Results hold for each limit "<name>_low" or "<name>_high": ".gap" [rad or m], how far the joint
    is from it, ".rate", and ".effort" [N·m or N], the mean over the last step.

    Args:
        joint: the body that the joint moves, or the name of either.
        restitution: part of the velocity that a stop gives back, 0 ... 1.
        limits: lowest and highest q [rad or m]; those of the joint if not given. An infinite limit
            has no stop.
        name: of the stops, without "_low" and "_high"; made from the joint if not given.

    Returns:
        The names of the stops, one for each finite limit.
    """
    draft = model._draft
    read = element_reader(draft, "hard_stop", name, joint)
    where = read.where
    law = read_coefficients(read, hard(restitution))
    low, high = stop_limits(draft, read, joint, limits)
    path = joint.path if isinstance(joint, BodyHandle) else str(joint)
    stem = automatic_name(draft, "stop", (path,)) if name is None else name
    body = draft.body_of_joint(path)
    of_joint = body.joint.kind.dimension.units if body else {"q": "", "qd": ""}
    effort = effort_unit(draft, joint)
    units = {"gap": of_joint["q"], RATE: of_joint["qd"], "effort": effort}
    declared = []
    for side, limit, sign in ((LOW, low, 1.0), (HIGH, high, -1.0)):
        if limit is None:
            continue
        stop = declare_law(
            draft,
            "joint_force",
            (joint,),
            _one_sided(limit, sign),
            f"{stem}_{side}",
            states={NORMAL: 0.0, RESIDUAL: 0.0, HIT: 0.0},
            outputs=units,
        )
        told = MappingProxyType({key: f"{stop}.{key}" for key in units})
        draft.hard_stops.append(HardStop(stop, law, told, where))
        declared.append(stop)
    return tuple(declared)


def _one_sided(limit: Scalar, sign: float) -> Law:
    """A law without an effort, which tells of a limit and of the effort in its state."""

    def no_effort(
        q: Expr, qd: Expr, normal: Expr, residual: Expr, hit: Expr
    ) -> tuple[Scalar, Told, Told]:
        told: Told = {"gap": sign * (q - limit), RATE: sign * qd, "effort": sign * normal}
        return 0.0, {NORMAL: 0.0, RESIDUAL: 0.0, HIT: 0.0}, told

    return no_effort
