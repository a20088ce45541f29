"""Writes a Pinocchio model as a flat text file that `model_file.hpp` reads back.

First line: number of joints, gravity (3). Then one line per joint, parents first:

    parent type  axis(3)  R(9, row major)  p(3)  mass  com(3)  Ixx Ixy Iyy Ixz Iyz Izz

R and p place the joint in its parent joint (0 is the world); com and the inertia about it are
expressed in the frame of the joint. type: RX RY RZ PX PY PZ, RU PU (any axis), FF (free flyer).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

JOINT_TYPES = {
    "JointModelRX": "RX", "JointModelRY": "RY", "JointModelRZ": "RZ",
    "JointModelPX": "PX", "JointModelPY": "PY", "JointModelPZ": "PZ",
    "JointModelRevoluteUnaligned": "RU", "JointModelPrismaticUnaligned": "PU",
    "JointModelFreeFlyer": "FF",
}  # fmt: skip


def pinocchio_model(urdf: str, floating: bool) -> pin.Model:
    """The model Pinocchio reads from URDF text."""
    if floating:
        return pin.buildModelFromXML(urdf, pin.JointModelFreeFlyer())
    return pin.buildModelFromXML(urdf)


def model_text(model: pin.Model, urdf: str) -> str:
    """Flat text of a model; the URDF gives the axes of joints that Pinocchio calls unaligned."""
    axes = _urdf_axes(urdf)
    gravity = _numbers(model.gravity.linear)
    lines = [f"{model.njoints - 1} {gravity}"]
    lines += [_joint_line(model, i, axes) for i in range(1, model.njoints)]
    return "\n".join(lines) + "\n"


def _joint_line(model: pin.Model, i: int, axes: dict[str, np.ndarray]) -> str:
    kind = JOINT_TYPES[model.joints[i].shortname().split("Tpl")[0]]
    axis = axes.get(model.names[i], np.zeros(3))
    place, body = model.jointPlacements[i], model.inertias[i]
    inertia = body.inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    values = [axis, place.rotation.ravel(), place.translation, [body.mass], body.lever, inertia]
    return f"{model.parents[i]} {kind} {_numbers(np.concatenate(values))}"


def _urdf_axes(urdf: str) -> dict[str, np.ndarray]:
    axes = {}
    for joint in ET.fromstring(urdf).iter("joint"):
        axis = joint.find("axis")
        text = axis.get("xyz", "1 0 0") if axis is not None else "1 0 0"
        axes[joint.get("name", "")] = np.array([float(x) for x in text.split()])
    return axes


def _numbers(values: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)
