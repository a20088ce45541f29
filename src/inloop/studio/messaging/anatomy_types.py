"""The structure of a mechanism, as sent to the page; bodies by their index in the scene."""

from __future__ import annotations

from typing import Annotated, TypedDict

from inloop.studio.messaging.scene_types import Vector


class NamedFrame(TypedDict):
    """A frame or a point of a body."""

    name: str
    p: Annotated[Vector, "in body axes [m]"]


class BodyJoint(TypedDict):
    """The joint that connects a body to its parent."""

    name: Annotated[str, "of its coordinate: signals are <name>.q, <name>.qd, …"]
    kind: str
    unit: Annotated[str, "of q"]
    axis: Annotated[Vector, "in body axes"]
    low: Annotated[float | None, "limit of q; null: none"]
    high: Annotated[float | None, "limit of q; null: none"]
    start: Annotated[float, "declared q"]
    effort: Annotated[float | None, "largest of its drive [N·m or N]; null: unknown"]
    driven: Annotated[bool, "its motion is prescribed"]
    of_ball: Annotated[bool, "one of the three rotations of a ball joint"]


class InspectedBody(TypedDict):
    """A body; bodies are in the order of the scene."""

    name: str
    parent: Annotated[int, "index of the body that carries it; -1: the ground"]
    doc: str
    node: Annotated[bool, "a node of a flexible link"]
    mass: Annotated[float, "[kg]"]
    com: Annotated[Vector, "center of mass in body axes [m]"]
    moments: Annotated[Vector, "principal moments of inertia about it [kg·m²]"]
    axes: Annotated[tuple[Vector, Vector, Vector], "their directions, in body axes"]
    frames: list[NamedFrame]
    joint: BodyJoint


class InspectedLoop(TypedDict):
    """A loop, or a coupling between joints."""

    name: str
    kind: str
    bodies: Annotated[list[int], "on its two sides, or moved by its joints; -1: the ground"]
    joints: Annotated[list[int], "bodies whose joints it restricts"]


class OnBodies(TypedDict):
    """A contact or a sensor by its name."""

    name: str
    bodies: Annotated[list[int], "-1: the ground"]


class Anatomy(TypedDict):
    """Bodies with their joints, loops, contacts and sensors."""

    bodies: list[InspectedBody]
    loops: list[InspectedLoop]
    contacts: list[OnBodies]
    sensors: list[OnBodies]
