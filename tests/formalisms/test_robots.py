"""Every fixed-base robot of the PyPI package example-robot-data agrees with Pinocchio."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from comparing import errors, evaluate, random_states
from random_trees import Peer

import inloop as il
from inloop.formalisms import Derivation

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = sorted(ROBOTS.rglob("*.urdf"))
NAMES = [str(path.relative_to(ROBOTS)).replace("_description", "") for path in FILES]
TOLERANCE = 1e-9

# no robot in them: Pinocchio refuses the first, the others have no joint
NOT_READABLE = ("ur/urdf/ur3.urdf",)
WITHOUT_JOINTS = ("hector/robots/quadrotor_base.urdf", "iris/robots/iris_simple.urdf")
# joints of fingers that carry no mass: both sides lock them at zero
MASSLESS = ("romeo/urdf/romeo.urdf", "romeo/urdf/romeo_laas_small.urdf")
COMPILED = ("panda/urdf/panda.urdf", "ur/urdf/ur5_robot.urdf", "solo/robots/solo12.urdf")


def test_the_package_is_complete() -> None:
    assert len(FILES) >= 69
    for name in (*NOT_READABLE, *WITHOUT_JOINTS, *MASSLESS, *COMPILED):
        assert name in NAMES


def identifier(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)


def read(path: Path, name: str) -> tuple[il.Model, pin.Model]:
    """Both readings of a file."""
    model = il.load(path, massless="lock" if name in MASSLESS else "error", mimic=False)
    peer = pin.buildModelFromUrdf(str(path))
    kept = model.build().coordinates
    if name in MASSLESS:
        names = list(enumerate(peer.names))[1:]
        locked = [joint for joint, original in names if identifier(original) not in kept]
        assert locked
        peer = pin.buildReducedModel(peer, locked, pin.neutral(peer))
    assert peer.nv == len(kept)
    return model, peer


def last_link(peer: pin.Model) -> int:
    links = [k for k, f in enumerate(peer.frames) if f.type == pin.FrameType.BODY]
    return links[-1]


READABLE = [n for n in NAMES if n not in (*NOT_READABLE, *WITHOUT_JOINTS)]


# variants of a robot lie side by side: every third one is enough for each day
@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "name",
    [n if k % 3 == 1 else pytest.param(n, marks=pytest.mark.long) for k, n in enumerate(READABLE)],
)
def test_robot(name: str) -> None:
    model, peer_model = read(FILES[NAMES.index(name)], name)
    peer = Peer(peer_model, last_link(peer_model))
    mechanism = model.build()
    names = mechanism.coordinates
    q, qd, x = random_states(7, len(names), 2)
    link = identifier(peer_model.frames[peer.probe].name)
    ours = evaluate(Derivation(mechanism), link, q, qd, x)
    theirs = [peer.answers(names, *state) for state in zip(q, qd, x, strict=True)]
    for k, expected in enumerate(theirs):
        found = errors({key: array[k] for key, array in ours.items()}, expected)
        wrong = {key: error for key, error in found.items() if not error <= TOLERANCE}
        assert not wrong, f"state {k}: {wrong}"
    change = np.diff(ours["E"][:, 1]) - np.diff([e["E"][1] for e in theirs])
    assert np.abs(change).max() <= TOLERANCE * max(abs(e["E"][1]) for e in theirs)


@pytest.mark.parametrize("name", WITHOUT_JOINTS)
def test_robot_without_joints(name: str) -> None:
    assert il.load(FILES[NAMES.index(name)]).build().coordinates == ()


@pytest.mark.parametrize("name", NOT_READABLE)
def test_what_is_no_robot(name: str) -> None:
    with pytest.raises(il.FileFormatError, match="<robot> has no attribute 'name'"):
        il.load(FILES[NAMES.index(name)])


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_robot(name: str) -> None:
    model, peer_model = read(FILES[NAMES.index(name)], name)
    peer = Peer(peer_model, last_link(peer_model))
    plant = model.compile(backend="c")
    link = identifier(peer_model.frames[peer.probe].name)
    q, qd, x = (rows[0] for rows in random_states(11, plant.n, 1))
    expected = peer.answers(plant.coordinates, q, qd, x)
    J = plant.jacobian(link, q)
    found = {
        "M": plant.mass_matrix(q),
        "c": plant.bias(q, qd),
        "tau": plant.inverse_dynamics(q, qd, x),
        "qdd": plant.direct_dynamics(q, qd, x),
        "E": plant.energy(q, qd),
        "Jv": J[:3],
        "Jw": J[3:],
    }
    for key, error in errors(found, expected).items():
        assert error <= TOLERANCE, key
