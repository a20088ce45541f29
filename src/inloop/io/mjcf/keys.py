"""Keyframes of MJCF: named initial states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.errors import InputError
from inloop.io.mjcf.bodies import MjcfBody
from inloop.io.mjcf.joints import Start, written_qpos
from inloop.io.poses import unit_quaternion
from inloop.io.values import number
from inloop.io.xml import Element
from inloop.model.names import quoted, suggestion

# lengths of qpos and qvel of a joint
LENGTHS = {"hinge": (1, 1), "slide": (1, 1), "ball": (4, 3), "free": (7, 6)}


@dataclass(frozen=True)
class Key:
    """A keyframe as in the file: MuJoCo's qpos and qvel, empty if not given."""

    name: str
    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    element: Element


def read_keys(root: Element) -> list[Key]:
    """Return all keyframes; unnamed ones are called by their number, such as key0."""
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


def starts(key: Key, bodies: Sequence[MjcfBody]) -> list[Start]:
    """Return the initial state of each joint of each body, in file order.

    Raises:
        FileFormatError: the keyframe has the wrong number of values for the joints.
    """
    joints = [(joint, body.X_WB) for body in bodies for joint in body.joints]
    lengths = [LENGTHS[joint.type] for joint, _ in joints]
    nq, nv = (sum(length[k] for length in lengths) for k in (0, 1))
    for name, values, count in (("qpos", key.qpos, nq), ("qvel", key.qvel, nv)):
        if values and len(values) != count:
            key.element.fail(
                f"keyframe {quoted(key.name)}: {name} has {len(values)} numbers, not {count}",
                "Write one per coordinate of MuJoCo.",
            )
    qpos = list(key.qpos) or [x for joint, X_WB in joints for x in written_qpos(joint, X_WB)]
    qvel = list(key.qvel) or [0.0] * nv
    found = []
    for of_q, of_v in lengths:
        q, v = qpos[:of_q], qvel[:of_v]
        del qpos[:of_q], qvel[:of_v]
        if of_q > 1:
            q[-4:] = unit_quaternion(key.element, q[-4:])
        found.append(Start(tuple(q), tuple(v)))
    return found
