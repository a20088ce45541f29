"""Frames of an SDF model: resolves poses that are relative to each other."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.io.poses import from_quaternion, inverse
from inloop.io.remarks import Remarks
from inloop.io.values import numbers, rotation
from inloop.io.xml import Element
from inloop.model import Pose
from inloop.model.names import quoted, suggestion

MODEL = "__model__"
WORLD = "world"
_DEGREE = 0.017453292519943295


def read_pose(element: Element | None, remarks: Remarks) -> Pose:
    """Return the pose in the text of <pose>: x y z roll pitch yaw, or a quaternion."""
    if element is None or not element.text:
        return Pose()
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = numbers(element, element.text, "<pose>", count=7)
        return Pose((x, y, z), from_quaternion(element, (qw, qx, qy, qz)))
    x, y, z, *angles = numbers(element, element.text, "<pose>", count=6)
    unit = _DEGREE if element.attributes.get("degrees", "false") in ("true", "1") else 1.0
    for name in element.attributes.keys() - {"relative_to", "degrees", "rotation_format", "frame"}:
        remarks.add(f"not read: attribute {name[:40]!a} of <pose>", element.where)
    roll, pitch, yaw = (angle * unit for angle in angles)
    return Pose((x, y, z), rotation((roll, pitch, yaw)))


@dataclass(frozen=True)
class _Frame:
    """A frame as written: its pose in another frame, and the frame it is attached to."""

    X: Pose
    relative_to: str
    attached_to: str
    where: str


class Frames:
    """All named frames of a model: links, joints and explicit frames.

    Links move independently; joints are attached to their child links, frames to the named element.
    """

    def __init__(self, model: Element, remarks: Remarks) -> None:
        self._remarks = remarks
        self._frames: dict[str, _Frame] = {}
        self._links: set[str] = set()
        self._resolved: dict[str, Pose] = {MODEL: Pose()}
        for link in model.all("link"):
            name = link.attribute("name")
            self._links.add(name)
            self._add(name, link, MODEL, name)
        for joint in model.all("joint"):
            child = joint.need("child").text
            self._add(joint.attribute("name"), joint, child, child)
        for frame in model.all("frame"):
            attached = frame.attributes.get("attached_to") or MODEL
            self._add(frame.attribute("name"), frame, attached, attached)
        world = read_pose(model.child("pose"), remarks)
        self.X_WM = world
        self._resolved[WORLD] = inverse(world)

    def _add(self, name: str, element: Element, default: str, attached: str) -> None:
        if name in self._frames or name in (MODEL, WORLD):
            element.fail(f"{element.label} {quoted(name)}: the name is already used", "Rename it.")
        pose = element.child("pose")
        relative = default
        if pose is not None:
            relative = pose.attributes.get("relative_to") or pose.attributes.get("frame") or default
        frame = _Frame(read_pose(pose, self._remarks), relative, attached, element.where)
        self._frames[name] = frame

    def pose(self, name: str, asking: Element) -> Pose:
        """Return X_MF of a frame F in the model M, with all joints at zero."""
        path: list[str] = []
        while name not in self._resolved:
            if name in path or name not in self._frames:
                self._refuse(name, name in path, asking)
            path.append(name)
            name = self._frames[name].relative_to
        for known in reversed(path):
            frame = self._frames[known]
            self._resolved[known] = self._resolved[frame.relative_to] @ frame.X
        return self._resolved[path[0] if path else name]

    def link_of(self, name: str, asking: Element) -> str:
        """Return the link to which a frame is attached, or "world"."""
        seen = {name}
        while name not in self._links and name != WORLD:
            if name == MODEL:
                return min(self._links, key=list(self._frames).index)
            if name not in self._frames:
                self._refuse(name, False, asking)
            name = self._frames[name].attached_to
            if name in seen:
                self._refuse(name, True, asking)
            seen.add(name)
        return name

    def inside(self, element: Element, default: str) -> Pose:
        """Return X_MF of an element that is not itself a frame, such as <inertial>."""
        pose = element.child("pose")
        relative = default
        if pose is not None:
            relative = pose.attributes.get("relative_to") or pose.attributes.get("frame") or default
        return self.pose(relative, element) @ read_pose(pose, self._remarks)

    def _refuse(self, name: str, circle: bool, asking: Element) -> None:
        if circle:
            asking.fail(
                f"frame {quoted(name)} is written relative to itself, directly or through others",
                "Write one of them relative to the model.",
            )
        asking.fail(
            f"there is no frame {quoted(name)}",
            suggestion(name, [*self._frames, MODEL]),
        )
