"""Joints that move in proportion, as methods of `Model`: gears, racks, differentials.

Angles and lengths count along the axes of the joints as they are written. A coupling is exact: it
has neither play nor elasticity, and its friction is a force law of its own. What it exerts is an
output: "<coupling>.<joint>.effort" of each joint in results, and everywhere its multiplier,
"lam.<gear>.torque", "lam.<rack>.force" or "lam.<coupling>.effort".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from inloop.model.constraints.elements import CouplingKind
from inloop.model.draft import CouplingDraft, HasDraft
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle, read_path
from inloop.model.names import quoted

JointName = BodyHandle | str
AnyJointName = TypeVar("AnyJointName", bound=JointName)


def gear(
    model: HasDraft,
    first: JointName,
    second: JointName,
    *,
    ratio: Scalar,
    offset: Scalar | None = 0.0,
    name: str | None = None,
) -> str:
    """Couple two rotating joints by a gear: q_second = ratio q_first + offset.

    Args:
        first: the body that the joint turns, or the name of either.
        second: likewise.
        ratio: turns of the second joint per turn of the first: -z_first / z_second for
            wheels with z teeth outside and parallel axes, + for a belt or a ring gear. It may
            be an expression of parameters.
        offset: q_second where q_first is 0 [rad]; None: the gear engages at whatever angles
            the joints have when it begins to hold, at the start or in a mode.
        name: name of the gear; made from the joints if not given.

    Returns:
        The name of the gear. "lam.<name>.torque" is the torque that it exerts on the second
        joint [N·m]; the first one feels -ratio times that.
    """
    factors = ((second, 1.0, 1), (first, ratio, -1))
    return _couple(model, "gear", "ratio", factors, offset, name)


def rack(
    model: HasDraft,
    pinion: JointName,
    slide: JointName,
    *,
    radius: Scalar,
    offset: Scalar | None = 0.0,
    name: str | None = None,
) -> str:
    """Couple a sliding joint to a rotating one by a rack: q_slide = radius q_pinion + offset.

    Args:
        pinion: the body that turns, or the name of it or its joint.
        slide: the body that slides, likewise.
        radius: of the pitch circle [m]: how far the rack goes per angle. Negative if it goes
            down along its axis while the pinion turns up about its own. It may be an
            expression of parameters.
        offset: q_slide where q_pinion is 0 [m]; None: wherever they are when the rack begins
            to hold, at the start or in a mode.
        name: name of the rack; made from the joints if not given.

    Returns:
        The name of the rack. "lam.<name>.force" is the force that it exerts on the slide [N];
        the pinion feels the torque -radius times that [N·m].
    """
    factors = ((slide, 1.0, 1), (pinion, radius, -1))
    return _couple(model, "rack", "radius", factors, offset, name)


def couple(
    model: HasDraft,
    factors: Mapping[AnyJointName, Scalar],
    *,
    offset: Scalar | None = 0.0,
    name: str | None = None,
) -> str:
    """Couple joints by a linear relation: Σ factor q = offset.

    A planetary gear with z teeth on sun and ring (Willis):
    `m.couple({sun: z_sun, ring: z_ring, carrier: -(z_sun + z_ring)})`, where the angles of all
    three count from the same body; a differential: `{left: 1, right: 1, cage: -2}`.

    Args:
        factors: by body that the joint moves, or by name of either. Factors may be
            expressions of parameters.
        offset: of the sum; None: what the sum is when the coupling begins to hold, at the
            start or in a mode.
        name: name of the coupling; made from the joints if not given.

    Returns:
        The name of the coupling. It exerts factor times its multiplier on each joint; the
        multiplier is called after the first joint whose factor is the number 1,
        "lam.<name>.torque" [N·m] or "lam.<name>.force" [N], else "lam.<name>.effort".
    """
    if not isinstance(factors, Mapping):
        model._draft.intake("coupling").complain(
            f"factors must be a mapping, got {quoted(factors)}",
            "Write couple({left: 1, right: 1, cage: -2}).",
        )
        return name or "unnamed"
    written = ((joint, factor, 1) for joint, factor in factors.items())
    return _couple(model, "coupling", "factor", written, offset, name)


def _couple(
    model: HasDraft,
    kind: CouplingKind,
    word: str,
    factors: Iterable[tuple[JointName, Scalar, int]],
    offset: Scalar | None,
    name: str | None,
) -> str:
    """Add a coupling; `word` is what the user calls a factor, given up to its sign."""
    draft = model._draft
    read = draft.intake(kind)
    terms = [(read_path(read, draft, joint, "joint"), x, sign) for joint, x, sign in factors]
    automatic = draft.free_name("_".join((*(path or "" for path, _, _ in terms), kind)))
    read.label = f"{kind} {quoted(automatic if name is None else name)}"
    name = automatic if name is None else read.name(name)
    before = len(draft.mistakes)
    kept = tuple(
        (path, sign * read.scalar(x, word, fallback=1.0)) for path, x, sign in terms if path
    )
    rest = None if offset is None else read.scalar(offset, "offset")
    if len(draft.mistakes) == before and len(kept) == len(terms):
        draft.couplings.append(CouplingDraft(name, kind, kept, rest, read.where))
    return name
