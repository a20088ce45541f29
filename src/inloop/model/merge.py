"""Merge fixed joints: which body carries which parts, and its total inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inloop.model import topology
from inloop.model.draft import BodyDraft, Draft
from inloop.model.elements import Attachment
from inloop.model.geometry import (
    NO_INERTIA,
    ZERO,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    dot,
    entries,
    folded,
    is_zero,
    plus,
    rotated_inertia,
    scaled,
    subtract,
    symmetric,
)
from inloop.model.names import GROUND_NAME
from inloop.model.topology import GROUND


@dataclass(frozen=True)
class Placement:
    """Where a body as written ended up.

    Attributes:
        body: index of the moving body B that carries it, or GROUND.
        X_BF: its frame F in B; the identity for B itself.
    """

    body: int
    X_BF: Pose


@dataclass(frozen=True)
class Merged:
    """The tree after merging.

    Attributes:
        carriers: the bodies that move, base to tip.
        attachments: joint frame of each carrier in the body that carries it.
        parents: index of that body.
        placements: placement of every body as written, and of the ground, by name.
    """

    carriers: tuple[BodyDraft, ...]
    attachments: tuple[Attachment, ...]
    parents: tuple[int, ...]
    placements: Mapping[str, Placement]


def parent_indices(draft: Draft) -> list[int]:
    """Return for each body as written the index of its parent; GROUND where it is unknown."""
    index = {GROUND_NAME: GROUND}
    for k, body in enumerate(draft.bodies):
        index.setdefault(body.name, k)
    places = [draft.resolve(body.on) for body in draft.bodies]
    return [GROUND if place is None else index[place.body] for place in places]


def merge(draft: Draft) -> Merged:
    """Attach every body to the moving body that carries its parent."""
    placements = {GROUND_NAME: Placement(GROUND, Pose())}
    carriers: list[BodyDraft] = []
    attachments: list[Attachment] = []
    parents: list[int] = []
    for k in topology.base_to_tip(parent_indices(draft)):
        body = draft.bodies[k]
        place = draft.resolve(body.on)
        assert place is not None, "references are checked before merging"
        parent = placements[place.body]
        # X_BJ = X_BF X_FJ
        X_BJ = parent.X_BF @ place.pose
        if not body.joint.kind.moves:
            placements[body.name] = Placement(parent.body, X_BJ)
            continue
        placements[body.name] = Placement(len(carriers), Pose())
        carriers.append(body)
        attachments.append(Attachment(body.on, X_BJ.p, X_BJ.R))
        parents.append(parent.body)
    return Merged(tuple(carriers), tuple(attachments), tuple(parents), placements)


def total_inertia(
    parts: Sequence[tuple[BodyDraft, Pose]],
) -> tuple[Scalar, Vector3, Matrix3]:
    """Return mass [kg], center of mass [m] and inertia about it [kg·m²] of welded bodies.

    Args:
        parts: each body as written and its pose X_BF in the carrier B; the first is B itself.
    """
    heavy = [(part, X_BF) for part, X_BF in parts if not _is_weightless(part)]
    if not heavy:
        return 0.0, parts[0][0].com, NO_INERTIA
    if len(heavy) == 1:
        part, X_BF = heavy[0]
        return part.mass, X_BF.apply(part.com), rotated_inertia(X_BF.R, part.inertia)
    masses = [part.mass for part, _ in heavy]
    coms = [X_BF.apply(part.com) for part, X_BF in heavy]
    mass, com = _mass_and_center(masses, coms)
    inertia = NO_INERTIA
    for (part, X_BF), m, p_BC in zip(heavy, masses, coms, strict=True):
        # I_B += R I_F Rᵀ + m (d·d E - d dᵀ), d from the common center of mass
        inertia = plus(inertia, rotated_inertia(X_BF.R, part.inertia))
        inertia = plus(inertia, _point_inertia(m, subtract(p_BC, com)))
    return mass, com, inertia


def _is_weightless(part: BodyDraft) -> bool:
    return is_zero(part.mass) and all(is_zero(entry) for entry in entries(part.inertia))


def _mass_and_center(masses: Sequence[Scalar], coms: Sequence[Vector3]) -> tuple[Scalar, Vector3]:
    mass: Scalar = 0.0
    moment = ZERO
    for m, p_BC in zip(masses, coms, strict=True):
        mass = folded(mass + m)
        moment = add(moment, scaled(m, p_BC))
    if is_zero(mass):
        return mass, coms[0]
    x, y, z = (folded(component / mass) for component in moment)
    return mass, (x, y, z)


def _point_inertia(m: Scalar, d: Vector3) -> Matrix3:
    """Return the inertia of a point mass at d: m (d·d E - d dᵀ)."""
    x, y, z = d

    def moment(a: Scalar, b: Scalar) -> Scalar:
        return folded(m * dot((a, b, 0.0), (a, b, 0.0)))

    def product(a: Scalar, b: Scalar) -> Scalar:
        return folded(-(m * (a * b)))

    return symmetric(
        moment(y, z), moment(x, z), moment(x, y), product(x, y), product(x, z), product(y, z)
    )
