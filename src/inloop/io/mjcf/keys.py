"""Keyframes of MJCF: places to start from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from inloop.errors import InputError
from inloop.io.mjcf.bodies import MjcfBody
from inloop.io.poses import from_quaternion
from inloop.io.values import number
from inloop.io.xml import Element
from inloop.model.geometry import Matrix3, times_matrix, transpose
from inloop.model.names import quoted, suggestion

Start = tuple[float, float]  # q and qd


@dataclass(frozen=True)
class Key:
    """A keyframe as the file has it: qpos and qvel of MuJoCo, empty where none are written."""

    name: str
    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    element: Element


def read_keys(root: Element) -> list[Key]:
    """Return all keyframes; one without name is called by its number, key0."""
    keys: list[Key] = []
    for section in root.all("keyframe"):
        for element in section.all("key"):
            name = element.attributes.get("name", f"key{len(keys)}")
            qpos, qvel = (
                tuple(number(element, word, f"{vector} of <key>") for word in words.split())
                for vector, words in (
                    (vector, element.attributes.get(vector, "")) for vector in ("qpos", "qvel")
                )
            )
            keys.append(Key(name, qpos, qvel, element))
    return keys


def choose(keys: Sequence[Key], wanted: str) -> Key:
    """Return the keyframe with this name."""
    for key in keys:
        if key.name == wanted:
            return key
    raise InputError(
        f"the file has no keyframe {quoted(wanted)}",
        fix=suggestion(wanted, [key.name for key in keys]),
    )


def starts(key: Key, bodies: Sequence[MjcfBody]) -> list[list[Start]]:
    """Return q and qd for each joint of each body: one pair per coordinate.

    Raises:
        FileFormatError: the keyframe does not have as many numbers as the joints need.
    """
    joints = [(joint.type, body) for body in bodies for joint in body.joints]
    nq = sum({"free": 7, "ball": 4}.get(kind, 1) for kind, _ in joints)
    nv = sum({"free": 6, "ball": 3}.get(kind, 1) for kind, _ in joints)
    for name, values, count in (("qpos", key.qpos, nq), ("qvel", key.qvel, nv)):
        if values and len(values) != count:
            key.element.fail(
                f"keyframe {quoted(key.name)}: {name} has {len(values)} numbers, not {count}",
                "Write one for each coordinate of MuJoCo.",
            )
    qpos, qvel = list(key.qpos), list(key.qvel) or [0.0] * nv
    found: list[list[Start]] = []
    for kind, body in joints:
        if kind in ("hinge", "slide"):
            v = qvel.pop(0)
            found.append([(qpos.pop(0), v)])
            continue
        p = [qpos.pop(0) for _ in range(3)] if kind == "free" else []
        v_linear = [qvel.pop(0) for _ in p]
        quaternion = [qpos.pop(0) for _ in range(4)]
        omega = [qvel.pop(0) for _ in range(3)]
        R = from_quaternion(key.element, quaternion)
        if kind == "free":
            # the turns start from the attitude that is written
            R = times_matrix(transpose(body.X_WB.R), R)
        found.append([*zip(p, v_linear, strict=True), *cardan(R, omega)])
    return found


def cardan(R: Matrix3, omega: Sequence[float]) -> list[Start]:
    """Return angles and rates of R = Rx(a) Ry(b) Rz(c), given the turn rate in body axes [rad/s].

    At b = ±π/2, where rates are not known, they are the smallest that fit.
    """
    M = cast("Sequence[Sequence[float]]", R)
    b = math.asin(min(max(M[0][2], -1.0), 1.0))
    a, c = math.atan2(-M[1][2], M[2][2]), math.atan2(-M[0][1], M[0][0])
    # omega = E (da, db, dc)
    E = np.array(
        [
            [math.cos(b) * math.cos(c), math.sin(c), 0.0],
            [-math.cos(b) * math.sin(c), math.cos(c), 0.0],
            [math.sin(b), 0.0, 1.0],
        ]
    )
    rates = np.linalg.lstsq(E, np.array(omega, dtype=np.float64), rcond=1e-12)[0]
    return [(a, float(rates[0])), (b, float(rates[1])), (c, float(rates[2]))]
