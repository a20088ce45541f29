from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inloop.model import Defaults, ModelBuilder, axis_angle, prismatic, rpy
from inloop.model.geometry import Matrix3, Pose
from inloop.symbolic import Expr


def rotation_of(rotation: object) -> Matrix3:
    m = ModelBuilder("turned")
    m.body("a", on=m.ground.frame("f", rotation=rotation), joint=prismatic("x"), mass=1.2)  # type: ignore[arg-type]
    return m.build().bodies[0].attachment.R_PJ


def test_rpy_is_about_fixed_axes(rotation: Callable[..., np.ndarray]) -> None:
    found = np.array(rotation_of(rpy(0.3, -0.5, 0.8)))
    assert found == pytest.approx(rotation(0.3, -0.5, 0.8), abs=1e-15)


@pytest.mark.parametrize(
    ("axis", "vector"),
    [((0.3, -0.5, 0.7), (0.3, -0.5, 0.7)), ("-y", (0.0, -1.0, 0.0)), ("x", (1.0, 0.0, 0.0))],
)
def test_axis_angle(axis: str | Sequence[float], vector: tuple[float, ...]) -> None:
    unit = np.array(vector) / np.linalg.norm(vector)
    found = np.array(rotation_of(axis_angle(axis, 1.1)))
    assert found == pytest.approx(Rotation.from_rotvec(1.1 * unit).as_matrix(), abs=1e-15)


def test_a_matrix_is_taken_as_it_is() -> None:
    R = Rotation.from_euler("xyz", [0.4, 0.9, -0.6]).as_matrix()
    assert np.array_equal(np.array(rotation_of(R)), R)


def test_right_angles_are_exact() -> None:
    R = rotation_of(rpy(math.pi / 2, -math.pi / 2, math.pi))
    assert {abs(x) for row in R for x in row} == {0.0, 1.0}  # type: ignore[arg-type]


def test_rotation_by_a_parameter(rotation: Callable[..., np.ndarray]) -> None:
    m = ModelBuilder("live")
    angle = m.parameter("angle", 0.7, unit="rad")
    frame = m.ground.frame("f", rotation=rpy(0.3, angle, -2 * angle))
    m.body("a", on=frame, joint=prismatic("x"), mass=1.2)
    mechanism = m.build()
    R = mechanism.bodies[0].attachment.R_PJ
    found = Defaults(mechanism.parameters).of([x for row in R for x in row])
    assert np.reshape(found, (3, 3)) == pytest.approx(rotation(0.3, 0.7, -1.4), abs=1e-14)


def test_a_parameter_stays_out_of_the_entries_it_does_not_touch() -> None:
    m = ModelBuilder("live")
    frame = m.ground.frame("f", rotation=axis_angle("z", m.parameter("angle", 0.7)))
    m.body("a", on=frame, joint=prismatic("x"), mass=1.2)
    R = m.build().bodies[0].attachment.R_PJ
    assert R[2] == (0.0, 0.0, 1.0) and (R[0][2], R[1][2]) == (0.0, 0.0)
    assert isinstance(R[0][0], Expr)


def test_poses_compose(rotation: Callable[..., np.ndarray]) -> None:
    R_AB, R_BC = rotation(0.3, 0.4, 0.5), rotation(-0.7, 0.2, 1.3)
    p_AB, p_BC, p_CQ = np.array([[0.1, 0.2, 0.3], [0.7, -0.6, 0.5], [-0.4, 0.8, 0.9]])
    X_AB, X_BC = (
        Pose(tuple(p), tuple(map(tuple, R)))  # type: ignore[arg-type]
        for p, R in ((p_AB, R_AB), (p_BC, R_BC))
    )
    X_AC = X_AB @ X_BC
    assert np.array(X_AC.R) == pytest.approx(R_AB @ R_BC, abs=1e-15)
    expected = p_AB + R_AB @ (p_BC + R_BC @ p_CQ)
    assert X_AC.apply(tuple(p_CQ)) == pytest.approx(expected, abs=1e-15)
