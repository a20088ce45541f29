"""Shapes that may touch ground of triangles, which has one side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inloop.geometry.collision import CollisionShape, GroundTables
from inloop.geometry.sizes import Array
from inloop.model.contacts.contact import Contact
from inloop.model.contacts.pile import Pile


@dataclass(frozen=True)
class OnGround:
    """A shape that may touch ground.

    Attributes:
        contact: name of the contact or the pile.
        path: frame that carries the shape.
        shape: its tables.
        ground_path: frame that carries the ground.
        ground: its tables.
    """

    contact: str
    path: str
    shape: CollisionShape
    ground_path: str
    ground: GroundTables

    def cover(self, p: Array, R: Array) -> float:
        """How much ground is above the middle of the shape [m], from its pose in the ground."""
        middle = p if self.shape.corners is None else p + R @ self.shape.corners.mean(axis=0)
        return self.ground.cover(middle) if np.isfinite(middle).all() else 0.0


def shapes_on_ground(contacts: Sequence[Contact], pile: Pile | None) -> tuple[OnGround, ...]:
    """All shapes that may touch ground, in contacts that are found and in the pile."""
    on_ground = []
    for contact in contacts:
        found = contact.found
        if found is not None and found.a.ground is not None:
            ground, member = contact.a.path, contact.b.path
            if found.exchanged:
                ground, member = member, ground
            on_ground.append(OnGround(contact.name, member, found.b, ground, found.a.ground))
    if pile is not None:
        members = list(zip(pile.frames, pile.tables, strict=True))
        on_ground += [
            OnGround(pile.name, member.path, shape, frame.path, table.ground)
            for frame, table in members
            for member, shape in members
            if table.ground is not None and math.isfinite(shape.thickness)
        ]
    return tuple(on_ground)
