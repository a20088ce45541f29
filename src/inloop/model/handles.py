"""Handles: results of the builder, to refer to elements by objects instead of strings."""

from __future__ import annotations

from collections.abc import Sequence

from inloop.model.draft import Draft, SiteDraft
from inloop.model.geometry import Pose, Scalar
from inloop.model.intake import Intake
from inloop.model.names import quoted
from inloop.model.rotations import Rotation, read_rotation


class Handle:
    """An element of a model that other elements can refer to.

    Attributes:
        path: its name in the model, such as "crank" or "crank.pin".
    """

    def __init__(self, draft: Draft, path: str) -> None:
        self._draft = draft
        self.path = path

    def belongs_to(self, draft: Draft) -> bool:
        """Return whether the handle belongs to the model of this draft."""
        return self._draft is draft

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {quoted(self.path)} of model {quoted(self._draft.name)}>"


class PointHandle(Handle):
    """A point fixed on a body."""


class FrameHandle(Handle):
    """A frame fixed on a body: a point with its own axes."""


class BodyHandle(Handle):
    """A body, or the ground."""

    @property
    def name(self) -> str:
        """Name of the body."""
        return self.path

    @property
    def origin(self) -> PointHandle:
        """The origin of the body frame."""
        return PointHandle(self._draft, f"{self.path}.origin")

    @property
    def com_point(self) -> PointHandle:
        """The center of mass of the body as written, without bodies fixed to it."""
        return PointHandle(self._draft, f"{self.path}.com")

    def point(self, name: str, position: Sequence[Scalar]) -> PointHandle:
        """Name a point of the body.

        Args:
            name: name, unique on this body.
            position: p_BQ in body axes [m].
        """
        read = self._draft.intake(f"point {quoted(f'{self.path}.{name}')}")
        pose = Pose(read.vector(position, "position"))
        self._draft.add_site(SiteDraft("point", self.path, read.name(name), pose, read.where))
        return PointHandle(self._draft, f"{self.path}.{name}")

    def frame(
        self,
        name: str,
        position: Sequence[Scalar] = (0.0, 0.0, 0.0),
        rotation: Rotation = None,
    ) -> FrameHandle:
        """Name a frame of the body; a joint on it moves along its axes.

        Args:
            name: name, unique on this body.
            position: p_BF in body axes [m].
            rotation: R_BF: rpy(...), axis_angle(...) or a 3x3 matrix.
        """
        read = self._draft.intake(f"frame {quoted(f'{self.path}.{name}')}")
        pose = Pose(read.vector(position, "position"), read_rotation(read, rotation))
        self._draft.add_site(SiteDraft("frame", self.path, read.name(name), pose, read.where))
        return FrameHandle(self._draft, f"{self.path}.{name}")


def read_path(read: Intake, draft: Draft, value: object, role: str) -> str | None:
    """Read a handle or a name as a path; report anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Handle):
        read.complain(
            f"{role} must be a body, a point, a frame or its name, got {quoted(value)}",
            'Pass the object returned by body(...) or point(...), or a name such as "crank.pin".',
        )
    elif not value.belongs_to(draft):
        read.complain(
            f"{role} is {quoted(value.path)} of another model", "Use elements of this model only."
        )
    else:
        return value.path
    return None
