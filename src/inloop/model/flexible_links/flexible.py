"""A flexible link of a finished mechanism: a beam whose nodes are bodies of the tree.

The nodes hang on the frame at the root of the link, each by its own small joints; mass and
stiffness lie in the finite elements between them, which no rigid body could stand for.
"""

from __future__ import annotations

from dataclasses import dataclass

from inloop.model.geometry import Matrix3, Scalar, Vector3


@dataclass(frozen=True)
class Node:
    """A node of a flexible link, by the bodies whose joints displace it.

    Attributes:
        axial: index of the body that moves it along the link; None if the link keeps its length.
        lateral: index of the body that moves it across the link.
        rotation: index of the body that turns it, which is the node itself.
    """

    axial: int | None
    lateral: int
    rotation: int

    @property
    def bodies(self) -> tuple[int, ...]:
        """All of them, base to tip."""
        own = (self.lateral, self.rotation)
        return own if self.axial is None else (self.axial, *own)


@dataclass(frozen=True)
class FlexibleLink:
    """A slender beam that bends in one plane of the body that carries its root.

    Axes E of the link: x along it, z the axis about which it bends, y = z × x the direction in
    which positive rotations displace it. Its root is clamped in E.

    Attributes:
        name: name of the link.
        body: index of the body B that carries the root, or GROUND.
        p_BE: the root in B [m].
        R_BE: the axes of the link in B.
        nodes: root to tip, without the root.
        mass_per_length: [kg/m].
        EI: bending stiffness [N·m²].
        EA: axial stiffness [N]; None for a link that keeps its length.
        alpha: damping per mass [1/s].
        beta: damping per stiffness [s].
        stiffening: True if bending shortens the link, and tension stiffens it.
        where: file and line.
    """

    name: str
    body: int
    p_BE: Vector3
    R_BE: Matrix3
    nodes: tuple[Node, ...]
    mass_per_length: Scalar
    EI: Scalar
    EA: Scalar | None
    alpha: Scalar
    beta: Scalar
    stiffening: bool
    where: str

    @property
    def bodies(self) -> tuple[int, ...]:
        """Indices of all bodies that displace its nodes."""
        return tuple(index for node in self.nodes for index in node.bodies)
