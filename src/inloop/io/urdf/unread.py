"""Content of links and joints of a URDF file that is not read, by name and line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.io.remarks import Remarks
from inloop.io.xml import Element

# children and attributes that are read; those of links are noted with the robot
_JOINT = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}
_ATTRIBUTES: Mapping[str, set[str]] = {
    "link": {"name", "type"},
    "joint": {"name", "type"},
    "origin": {"xyz", "rpy"},
    "parent": {"link"},
    "child": {"link"},
    "axis": {"xyz"},
    "limit": {"lower", "upper", "effort", "velocity"},
    "dynamics": {"damping", "friction"},
    "mimic": {"joint", "multiplier", "offset"},
    "mass": {"value"},
    "inertia": {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"},
    "inertial": set(),
}
_SHAPES = {"mesh", "box", "cylinder", "sphere"}


def unread_notes(root: Element) -> Iterator[str]:
    """Yield one sentence for each kind of element or attribute that is not read."""
    remarks = Remarks()
    for joint in root.all("joint"):
        _tell(joint, _JOINT, remarks)
    for link in root.all("link"):
        _attributes(link, remarks)
        for inertial in link.all("inertial"):
            _tell(inertial, {"origin", "mass", "inertia"}, remarks)
        for tag in ("visual", "collision"):
            for element in link.all(tag):
                for geometry in element.all("geometry"):
                    for shape in geometry.children:
                        if shape.tag not in _SHAPES:
                            remarks.add(f"not read: {shape.label} in <geometry>", shape.where)
    return remarks.notes


def _tell(element: Element, known: set[str], remarks: Remarks) -> None:
    _attributes(element, remarks)
    for child in element.children:
        if child.tag in known:
            _attributes(child, remarks)
        else:
            remarks.add(f"not read: {child.label} in {element.label}", child.where)


def _attributes(element: Element, remarks: Remarks) -> None:
    for name in element.attributes:
        if name not in _ATTRIBUTES.get(element.tag, ()):
            remarks.add(f"not read: attribute {name[:40]!a} of {element.label}", element.where)
