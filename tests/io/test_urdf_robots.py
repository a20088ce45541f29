"""Robots of example-robot-data: our reader and Pinocchio's see the same mechanism."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from inloop.io.load import load
from inloop.model import Mechanism

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
COMPARED = [
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "baxter_description/urdf/baxter.urdf",
    "pr2_description/urdf/pr2.urdf",
    "tiago_description/robots/tiago.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
]
# fingers without mass: these two load with massless="lock" only; ur3.urdf has no links at all
LIGHT = {"romeo.urdf", "romeo_laas_small.urdf"}
EMPTY = {"ur3.urdf"}


def files() -> list[str]:
    found = [path for path in ROBOTS.rglob("*.urdf") if path.name not in EMPTY]
    return sorted(str(path.relative_to(ROBOTS)) for path in found)


def test_the_robots_are_there() -> None:
    assert len(files()) > 60


def pinocchio_q(model: pin.Model, values: dict[str, float]) -> np.ndarray:
    q = pin.neutral(model)
    for name, joint in zip(model.names[1:], model.joints[1:], strict=True):
        angle = values[name]
        # a continuous joint has cosine and sine for a coordinate
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        )
    return q


@pytest.fixture(scope="module", params=COMPARED)
def pair(request: pytest.FixtureRequest) -> tuple[Mechanism, pin.Model, dict[str, str]]:
    """A mechanism, Pinocchio's model, and the coordinate for each joint name in the file."""
    mechanism = load(ROBOTS / request.param).build()
    kept = mechanism.metadata["urdf"]
    names = {joint: names[0] for joint, names in kept.coordinates.items() if names}
    return mechanism, pin.buildModelFromUrdf(str(ROBOTS / request.param)), names


def test_same_joints_and_total_mass(pair) -> None:
    mechanism, model, names = pair
    assert {names[name] for name in model.names[1:]} == set(mechanism.coordinates)
    assert sum(body.mass for body in mechanism.bodies) == pytest.approx(
        pin.computeTotalMass(model), rel=1e-13
    )


def test_same_center_of_mass(pair, placements: Callable) -> None:
    mechanism, model, _ = pair
    found = placements(mechanism, np.zeros(len(mechanism.bodies)))
    masses = np.array([body.mass for body in mechanism.bodies])
    coms = [p + R @ np.array(b.com) for (p, R), b in zip(found, mechanism.bodies, strict=True)]
    com = masses @ np.array(coms) / masses.sum()
    expected = pin.centerOfMass(model, model.createData(), pin.neutral(model))
    np.testing.assert_allclose(com, expected, rtol=0.0, atol=1e-10)


def test_same_inertia_of_every_body(pair) -> None:
    mechanism, model, names = pair
    for name, inertia in zip(model.names[1:], model.inertias[1:], strict=True):
        body = mechanism.joint(names[name])
        assert body.mass == pytest.approx(inertia.mass, rel=1e-13)
        size = max(np.abs(inertia.inertia).max(), 1e-12)
        ours = np.array(body.inertia, dtype=float)
        np.testing.assert_allclose(ours, inertia.inertia, rtol=0.0, atol=1e-9 * size)


def test_same_placement_of_every_joint(pair, placements: Callable) -> None:
    mechanism, model, names = pair
    rng = np.random.default_rng(20240311)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, len(mechanism.bodies))
        angles = dict(zip(mechanism.coordinates, q, strict=True))
        data = model.createData()
        pin.forwardKinematics(
            model, data, pinocchio_q(model, {n: angles[c] for n, c in names.items()})
        )
        found = dict(zip(mechanism.coordinates, placements(mechanism, q), strict=True))
        for name, oMi in zip(model.names[1:], data.oMi[1:], strict=True):
            p_WB, R_WB = found[names[name]]
            # right angles rounded to 12 digits are taken as exact
            np.testing.assert_allclose(p_WB, oMi.translation, rtol=0.0, atol=3e-10)
            np.testing.assert_allclose(R_WB, oMi.rotation, rtol=0.0, atol=3e-10)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("robot", files())
def test_every_robot_loads(robot: str) -> None:
    options = {"massless": "lock"} if Path(robot).name in LIGHT else {}
    mechanism = load(ROBOTS / robot, **options).build()
    floating = load(ROBOTS / robot, base="free", **options).build()
    assert len(floating.bodies) == len(mechanism.bodies) + 6
    assert len(floating.positions) == len(mechanism.positions) + 10
    assert mechanism.describe()
