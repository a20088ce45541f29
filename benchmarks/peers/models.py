"""The benchmark models, as URDF without geometry.

Robots come from the package `example-robot-data`; chains are random but fixed. Every moving joint
is revolute or prismatic (continuous joints become revolute), so that nq = nv for a fixed base.
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

DROPPED_FROM_JOINTS = ("mimic", "dynamics", "safety_controller", "calibration", "limit")
BASE_AXES = (("prismatic", "1 0 0"), ("prismatic", "0 1 0"), ("prismatic", "0 0 1"),
             ("revolute", "1 0 0"), ("revolute", "0 1 0"), ("revolute", "0 0 1"))  # fmt: skip


@dataclass(frozen=True)
class BenchModel:
    """A benchmark model.

    Attributes:
        name: short name, also the name of its files.
        make: returns the URDF of the peers' model.
        floating: Pinocchio adds a free-flyer joint to the root; inloop a chain of six joints.
    """

    name: str
    make: Callable[[], ET.Element]
    floating: bool = False

    def peer_urdf(self) -> str:
        """URDF text for the peers, without a floating base."""
        return _text(self.make())

    def inloop_urdf(self) -> str:
        """URDF text for inloop; a floating base is a chain of six joints `base_0` … `base_5`."""
        robot = self.make()
        return _text(with_base_chain(robot) if self.floating else robot)


def robots_directory() -> Path:
    """Folder of the robots of `example-robot-data`, below the prefix of Pinocchio."""
    for parent in Path(pin.__file__).resolve().parents:
        candidate = parent / "share" / "example-robot-data" / "robots"
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(
        "the robots of example-robot-data are not beside pinocchio; pip install example-robot-data"
    )


def robot(path: str, fixed: tuple[str, ...] = ()) -> ET.Element:
    """A robot of `example-robot-data`, stripped; joints that match one of `fixed` do not move."""
    root = ET.parse(robots_directory() / path).getroot()
    for element in [e for e in root if e.tag not in ("link", "joint")]:
        root.remove(element)
    for link in root.iter("link"):
        _remove_children(link, ("visual", "collision"))
    for joint in root.iter("joint"):
        _normalize_joint(joint, fixed)
    return root


def chain(n: int, seed: int = 1) -> ET.Element:
    """A generic chain of n revolute joints about z: no zero, no symmetry, no two equal numbers."""
    random = np.random.default_rng(seed)
    root = ET.Element("robot", name=f"chain{n}")
    ET.SubElement(root, "link", name="base")
    for i in range(n):
        parent = "base" if i == 0 else f"link_{i - 1}"
        _add_random_link(root, f"link_{i}", random)
        joint = _add_joint(root, f"joint_{i}", "revolute", (parent, f"link_{i}"), "0 0 1")
        xyz, rpy = random.uniform(-0.2, 0.2, 3), random.uniform(-1.5, 1.5, 3)
        ET.SubElement(joint, "origin", xyz=_numbers(xyz), rpy=_numbers(rpy))
    return root


def with_base_chain(robot: ET.Element) -> ET.Element:
    """A copy whose root link moves by three translations, then three rotations about x, y, z."""
    children = {child.get("link") for child in robot.iterfind("joint/child")}
    base = next(
        link.attrib["name"] for link in robot.iter("link") if link.get("name") not in children
    )
    root = ET.Element("robot", dict(robot.attrib))
    links = ["base_world", *(f"base_link_{i}" for i in range(len(BASE_AXES) - 1)), base]
    for name in links[:-1]:
        ET.SubElement(root, "link", name=name)
    for i, (kind, axis) in enumerate(BASE_AXES):
        _add_joint(root, f"base_{i}", kind, (links[i], links[i + 1]), axis)
    root.extend(copy.deepcopy(list(robot)))
    return root


def moving_joints(urdf: str) -> list[str]:
    """Names of the joints that move, in the order of the document."""
    joints = ET.fromstring(urdf).iter("joint")
    return [joint.get("name", "") for joint in joints if joint.get("type") != "fixed"]


def _text(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")


def _numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)


def _remove_children(element: ET.Element, tags: tuple[str, ...]) -> None:
    for child in [child for child in element if child.tag in tags]:
        element.remove(child)


def _normalize_joint(joint: ET.Element, fixed: tuple[str, ...]) -> None:
    _remove_children(joint, DROPPED_FROM_JOINTS)
    if any(part in joint.get("name", "") for part in fixed):
        joint.set("type", "fixed")
    if joint.get("type") == "continuous":
        joint.set("type", "revolute")
    if joint.get("type") != "fixed":
        _add_limit(joint)


def _add_limit(joint: ET.Element) -> None:
    ET.SubElement(joint, "limit", lower="-3", upper="3", effort="1000", velocity="100")


def _add_joint(
    root: ET.Element, name: str, kind: str, links: tuple[str, str], axis: str
) -> ET.Element:
    joint = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(joint, "parent", link=links[0])
    ET.SubElement(joint, "child", link=links[1])
    ET.SubElement(joint, "axis", xyz=axis)
    _add_limit(joint)
    return joint


def _add_random_link(root: ET.Element, name: str, random: np.random.Generator) -> None:
    # second moments of mass S > 0 in random axes give a physical inertia I = tr(S) 1 - S
    axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
    moments = axes @ np.diag(random.uniform(0.002, 0.01, 3)) @ axes.T
    inertia = np.trace(moments) * np.eye(3) - moments
    inertial = ET.SubElement(ET.SubElement(root, "link", name=name), "inertial")
    ET.SubElement(inertial, "origin", xyz=_numbers(random.uniform(-0.1, 0.1, 3)))
    ET.SubElement(inertial, "mass", value=repr(random.uniform(0.5, 2.0)))
    upper = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), *np.triu_indices(3), strict=True)
    ET.SubElement(inertial, "inertia", {name: repr(float(inertia[i, j])) for name, i, j in upper})


MODELS = {
    model.name: model
    for model in (
        BenchModel("ur5", lambda: robot("ur_description/urdf/ur5_robot.urdf")),
        BenchModel("panda7", lambda: robot("panda_description/urdf/panda.urdf", ("finger_joint",))),
        BenchModel("talos", lambda: robot("talos_data/robots/talos_reduced.urdf"), floating=True),
        BenchModel("chain10", lambda: chain(10)),
        BenchModel("chain50", lambda: chain(50)),
        BenchModel("chain100", lambda: chain(100)),
    )
}
