"""A pile of a finished mechanism: many bodies that touch each other wherever they meet.

It is one hard contact between all its members. Who touches whom is found while the plant runs
(il_pile.h), and contacts that carry share a number of slots: their forces and which touch they are
become states of a law without a force.
"""

from __future__ import annotations

from dataclasses import dataclass

from inloop.geometry import Shape
from inloop.geometry.collision import CollisionShape
from inloop.model.contacts.found import MARGIN, TOUCHES
from inloop.model.contacts.hard import NORMAL, RESIDUAL, TANGENTS, Hard
from inloop.model.elements import Frame

FORCE = "force"  # of all contacts together [N]
HEAD = (RESIDUAL, "carrying", "impacts")  # states before the slots
SLOT = (NORMAL, *TANGENTS, "identity")
# what to do about members that cannot be
MEMBERS = (
    "Take spheres, capsules, cylinders, cones, tori, boxes and convex hulls, and plane() or "
    "terrain for the ground."
)
# pairs with a closed form, which are found in a pile
CLOSED_FORMS = (
    ("sphere", "sphere"),
    ("plane", "sphere"),
    ("capsule", "sphere"),
    ("capsule", "capsule"),
)


@dataclass(frozen=True)
class Pile:
    """Bodies that touch each other wherever they meet.

    Attributes:
        name: name of the pile; the law that holds its states has the same.
        frames: that carry the shapes.
        shapes: of the members.
        tables: the same for collision.
        law: restitution and friction of all contacts.
        slots: contacts that may carry at a time.
        where: file and line.
    """

    name: str
    frames: tuple[Frame, ...]
    shapes: tuple[Shape, ...]
    tables: tuple[CollisionShape, ...]
    law: Hard
    slots: int
    where: str

    @property
    def margin(self) -> float:
        """Larger gaps are not looked at [m]."""
        return MARGIN * min(table.thickness for table in self.tables)

    @property
    def residuals(self) -> tuple[str, ...]:
        """Name of the state that tells how well the last step was solved."""
        return (f"{self.name}.{RESIDUAL}",)


def state_names(slots: int) -> tuple[str, ...]:
    """Names of the states: of the whole pile, then of each slot."""
    return (*HEAD, *(f"touch_{k + 1}_{key}" for k in range(slots) for key in SLOT))


def meets(a: CollisionShape, b: CollisionShape) -> bool:
    """There is an algorithm for two members, in either order."""
    return any(kinds in TOUCHES or kinds in CLOSED_FORMS for kinds in _both(a, b))


def _both(a: CollisionShape, b: CollisionShape) -> tuple[tuple[str, str], tuple[str, str]]:
    return (a.kind, b.kind), (b.kind, a.kind)
