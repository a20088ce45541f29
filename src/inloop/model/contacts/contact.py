"""A contact of a finished mechanism: where two shapes may touch, and how they press and rub."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inloop.geometry import Shape
from inloop.model.contacts.found import FoundTouching
from inloop.model.contacts.friction import FrictionLaw
from inloop.model.contacts.hard import RESIDUAL, Hard
from inloop.model.contacts.laws import NormalLaw
from inloop.model.describe import law_text
from inloop.model.elements import Frame


@dataclass(frozen=True)
class Contact:
    """Two shapes on two bodies that press on each other where they overlap.

    Its force is carried out by a force law between frames, in whatever order is cheaper; here is
    what was written, in the order in which it was written.

    Attributes:
        name: name of the contact.
        a: frame A that carries the first shape; points and forces are told in its axes.
        b: frame B that carries the second one.
        shape_a: first shape, in A.
        shape_b: second shape, in B.
        law: normal force, or that it is hard.
        friction: friction, None for smooth surfaces.
        outputs: name of the signal of each quantity: "gap" [m], negative in contact; "force" and
            "friction" [N]; "point_x", ... [m] and "force_x", ... [N], on the second body, in A.
        carried_by: names of the force laws of the mechanism that act for it.
        where: file and line.
        found: how touches of a hard contact are found while the plant runs; None if the pair of
            shapes has a closed form.
    """

    name: str
    a: Frame
    b: Frame
    shape_a: Shape
    shape_b: Shape
    law: NormalLaw | Hard
    friction: FrictionLaw | None
    outputs: Mapping[str, str]
    carried_by: tuple[str, ...]
    where: str
    found: FoundTouching | None = None

    def data(self) -> dict[str, Any]:
        """What there is to know of it as plain data, for files."""
        return {
            "between": [self.a.path, self.b.path],
            "shapes": [str(self.shape_a), str(self.shape_b)],
            "law": law_text(self.law),
            "friction": "" if self.friction is None else law_text(self.friction),
            "outputs": dict(self.outputs),
        }

    @property
    def gap(self) -> str:
        """Name of the signal that tells the distance of the surfaces [m]."""
        return self.outputs["gap"]

    @property
    def residuals(self) -> tuple[str, ...]:
        """Of a hard contact, names of the states that tell how well its last step was solved."""
        keys = (RESIDUAL,) if self.found is None else self.found.residuals
        return tuple(f"{self.name}.{key}" for key in keys)

    @property
    def point(self) -> tuple[str, str, str]:
        """Names of the signals that tell where they touch, in axes of `a` [m]."""
        return self.outputs["point_x"], self.outputs["point_y"], self.outputs["point_z"]

    @property
    def force(self) -> tuple[str, str, str]:
        """Names of the signals of the force on the second body, in axes of `a` [N]."""
        return self.outputs["force_x"], self.outputs["force_y"], self.outputs["force_z"]
