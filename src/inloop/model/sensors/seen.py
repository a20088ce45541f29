"""What sensors can see of a moving mechanism, as expressions: the equations tell it."""

from __future__ import annotations

from typing import Protocol

from inloop.model.elements import Body, Frame
from inloop.model.flexible_links.flexible import FlexibleLink
from inloop.model.geometry import Matrix3, Scalar, Vector3


class Seen(Protocol):
    """A mechanism at one moment.

    What nobody asks for is not computed: a mechanism whose sensors ask for no acceleration and no
    force in a joint finds none.
    """

    def pose(self, frame: Frame) -> tuple[Vector3, Matrix3]:
        """Position p_WQ [m] and axes R_WF of a frame."""

    def velocity(self, frame: Frame) -> Vector3:
        """Velocity of its origin, in world axes [m/s]."""

    def acceleration(self, frame: Frame) -> Vector3:
        """Acceleration of its origin, in world axes [m/s²]."""

    def turn_rate(self, frame: Frame) -> Vector3:
        """Angular velocity, in its own axes [rad/s]."""

    def specific_force(self, frame: Frame) -> Vector3:
        """Acceleration of its origin less gravity, in its own axes [m/s²]."""

    def coordinate(self, body: Body) -> Scalar:
        """Coordinate of the joint that moves a body [rad or m]."""

    def joint_effort(self, body: Body) -> Scalar:
        """What its joint transmits to a body along the way it moves [N·m or N]."""

    def law_output(self, name: str) -> Scalar:
        """What a force law makes known."""

    def curvature(self, link: FlexibleLink, share: float) -> Scalar:
        """Curvature at a share of the length of a link, 0 at its root [1/m]."""

    def stretch(self, link: FlexibleLink, share: float) -> Scalar:
        """Strain along the middle of a link there; 0 if it keeps its length."""

    def number(self, value: Scalar) -> Scalar:
        """A number of the model, which may be an expression of parameters."""
