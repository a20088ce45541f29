"""Fixed joints: totals against an independent computation, names kept reachable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il
from inloop.errors import ModelError
from inloop.model import GROUND, Defaults, ModelBuilder, fixed, prismatic, revolute, rpy
from inloop.symbolic import Expr

Make = Callable[..., np.ndarray]
ANGLES = [(0.3, -0.5, 0.8), (-1.1, 0.4, 0.2)]
PLACES = [np.array([0.3, 0.4, -0.2]), np.array([-0.1, 0.25, 0.35])]
MASSES = [1.3, 0.7, 0.45]
COMS = [np.array([0.11, -0.05, 0.07]), np.array([-0.02, 0.09, 0.14]), np.array([0.06, 0.08, -0.1])]
INERTIAS = [
    np.array([[0.031, 0.002, -0.003], [0.002, 0.041, 0.004], [-0.003, 0.004, 0.037]]),
    np.array([[0.021, -0.001, 0.002], [-0.001, 0.019, 0.003], [0.002, 0.003, 0.024]]),
    np.array([[0.012, 0.001, 0.0015], [0.001, 0.014, -0.002], [0.0015, -0.002, 0.013]]),
]


def arm_with_tool(mass: float | Expr | None = None, m: ModelBuilder | None = None) -> ModelBuilder:
    """A moving link, a flange welded on it, a tool welded on the flange."""
    m = m or ModelBuilder("welded")
    link = m.body(
        "link", on=m.ground, joint=revolute("x"), mass=MASSES[0], com=COMS[0], inertia=INERTIAS[0]
    )
    mount = link.frame("mount", PLACES[0], rpy(*ANGLES[0]))
    flange = m.body(
        "flange",
        on=mount,
        joint=fixed(name="weld"),
        mass=MASSES[1] if mass is None else mass,
        com=COMS[1],
        inertia=INERTIAS[1],
    )
    grip = flange.frame("grip", PLACES[1], rpy(*ANGLES[1]))
    m.body("tool", on=grip, joint=fixed(), mass=MASSES[2], com=COMS[2], inertia=INERTIAS[2])
    return m


def poses(rotation: Make) -> list[tuple[np.ndarray, np.ndarray]]:
    """p and R of the three bodies in the link, independently."""
    R1, R2 = (rotation(*angles) for angles in ANGLES)
    return [(np.zeros(3), np.eye(3)), (PLACES[0], R1), (PLACES[0] + R1 @ PLACES[1], R1 @ R2)]


def spatial_inertia(m: float, c: np.ndarray, I_C: np.ndarray) -> np.ndarray:
    """6x6 inertia about the origin: it adds up, whatever the parts."""
    cx = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    return np.block([[I_C + m * cx @ cx.T, m * cx], [m * cx.T, m * np.eye(3)]])


def total(rotation: Make) -> np.ndarray:
    return sum(  # type: ignore[return-value]
        spatial_inertia(m, p + R @ c, R @ I_C @ R.T)
        for m, c, I_C, (p, R) in zip(MASSES, COMS, INERTIAS, poses(rotation), strict=True)
    )


def test_totals_agree_with_the_sum_of_spatial_inertias(rotation: Make) -> None:
    (body,) = arm_with_tool().build().bodies
    found = spatial_inertia(body.mass, np.array(body.com), np.array(body.inertia))  # type: ignore[arg-type]
    assert found == pytest.approx(total(rotation), rel=1e-13, abs=1e-15)
    assert all(type(x) is float for row in body.inertia for x in row)
    assert np.array_equal(np.array(body.inertia), np.array(body.inertia).T)


def test_totals_with_a_parameter_agree_at_its_default(rotation: Make) -> None:
    m = ModelBuilder("live")
    mechanism = arm_with_tool(m.parameter("payload", MASSES[1], unit="kg"), m).build()
    (body,) = mechanism.bodies
    scalars = (body.mass, *body.com, *(x for row in body.inertia for x in row))
    mass, x, y, z, *inertia = Defaults(mechanism.parameters).of(scalars) or ()
    found = spatial_inertia(mass, np.array([x, y, z]), np.reshape(inertia, (3, 3)))
    assert isinstance(body.mass, Expr)
    assert found == pytest.approx(total(rotation), rel=1e-13, abs=1e-15)


def test_notes_and_names(rotation: Make) -> None:
    m = arm_with_tool()
    mechanism = m.build()
    assert mechanism.notes == (
        "fixed joint 'weld': body 'flange' merged into 'link'",
        "fixed joint 'tool': body 'tool' merged into 'link'",
    )
    assert mechanism.coordinates == ("link",)
    assert mechanism.body("tool").name == "link"
    assert [part.name for part in mechanism.bodies[0].parts] == ["link", "flange", "tool"]
    p, R = poses(rotation)[2]
    tool = mechanism.frame("tool")
    assert tool.body == 0
    assert tool.p_BF == pytest.approx(p, abs=1e-15)
    assert np.array(tool.R_BF) == pytest.approx(R, abs=1e-15)
    assert mechanism.point("tool.origin").p_BQ == tool.p_BF
    assert mechanism.point("tool.com").p_BQ == pytest.approx(p + R @ COMS[2], abs=1e-15)
    assert mechanism.frame("flange.grip").p_BF == pytest.approx(p, abs=1e-15)
    assert mechanism.point("flange.grip").p_BQ == mechanism.frame("flange.grip").p_BF
    # the center of mass of a body as written, not of the whole
    assert mechanism.point("link.com").p_BQ == pytest.approx(COMS[0])


def test_points_joints_and_visuals_move_to_the_carrier(rotation: Make) -> None:
    m = arm_with_tool()
    ball = il.visual(il.sphere(0.03), (0.01, 0.02, 0.03))
    hand = m.body("hand", on="tool", joint=fixed(), visuals=[ball])
    m.body("finger", on=hand.point("knuckle", (0.05, 0.06, 0.07)), joint=prismatic("x"), mass=0.1)
    mechanism = m.build()
    p, R = poses(rotation)[2]
    finger = mechanism.body("finger")
    assert finger.parent == 0
    assert finger.attachment.path == "hand.knuckle"
    assert finger.attachment.p_PJ == pytest.approx(p + R @ [0.05, 0.06, 0.07], abs=1e-15)
    assert np.array(finger.attachment.R_PJ) == pytest.approx(R, abs=1e-15)
    assert mechanism.point("hand.knuckle").p_BQ == finger.attachment.p_PJ
    (visual,) = mechanism.bodies[0].visuals
    assert visual.position == pytest.approx(p + R @ [0.01, 0.02, 0.03], abs=1e-15)


def test_a_body_fixed_on_the_ground(rotation: Make) -> None:
    m = ModelBuilder("plinth")
    frame = m.ground.frame("corner", (1.1, 1.2, 1.3), rpy(*ANGLES[0]))
    plinth = m.body("plinth", on=frame, joint=fixed(), mass=20.0)
    m.body("cart", on=plinth.point("rail", (0.1, 0.2, 0.3)), joint=prismatic("x"), mass=2.0)
    mechanism = m.build()
    expected = np.array([1.1, 1.2, 1.3]) + rotation(*ANGLES[0]) @ [0.1, 0.2, 0.3]
    rail = mechanism.point("plinth.rail")
    assert rail.body == GROUND
    assert rail.p_BQ == pytest.approx(expected, abs=1e-15)
    assert mechanism.bodies[0].parent == GROUND
    assert mechanism.bodies[0].attachment.p_PJ == rail.p_BQ
    assert [part.name for part in mechanism.ground.parts] == ["ground", "plinth"]


def test_a_single_heavy_part_is_kept_to_the_last_digit() -> None:
    m = ModelBuilder("exact")
    link = m.body("link", on=m.ground, joint=prismatic("x"))
    m.body("load", on=link, joint=fixed(), mass=0.7, com=COMS[1], inertia=INERTIAS[1])
    m.body("marker", on=link, joint=fixed())
    (body,) = m.build().bodies
    assert (body.mass, body.com) == (0.7, tuple(COMS[1]))
    assert np.array_equal(np.array(body.inertia), INERTIAS[1])


def test_a_link_inside_one_rigid_body_is_a_mistake() -> None:
    m = arm_with_tool()
    m.line_force("link", "tool", lambda l: l)
    with pytest.raises(ModelError, match="'link' and 'tool' are on the same rigid body"):
        m.build()
