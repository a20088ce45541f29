"""Contacts as written: names, order of the shapes, the forces of the laws, mistakes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.errors import Mistake
from inloop.model import FrameForce, ModelBuilder
from inloop.symbolic import Expr, evaluate, jacobian

Finder = Callable[[ModelBuilder], tuple[Mistake, ...]]
SOFT = il.hunt_crossley(1e4, 1.5, 0.3)
V, W = (0.4, -0.7, 0.9), (1.1, -1.3, 0.6)


def values(law: FrameForce, wanted: list[object], **at: object) -> list[float]:
    """Numbers of expressions at p, v, w, R and given states."""
    symbols: dict[Expr, float] = {}
    given = {"p": (0.0,) * 3, "v": V, "w": W, "R": np.eye(3), **at}
    for name in ("p", "v", "w"):
        symbols.update(zip(getattr(law, name), given[name], strict=True))  # type: ignore[call-overload]
    symbols.update(zip([x for row in law.R for x in row], np.ravel(given["R"]), strict=True))
    symbols.update({s.symbol: float(at.get(s.name.split(".")[1], 0.0)) for s in law.states})  # type: ignore[arg-type]
    return [float(evaluate([x], symbols)[0]) if isinstance(x, Expr) else float(x) for x in wanted]  # type: ignore[arg-type]


def outputs(law: FrameForce, **at: object) -> dict[str, float]:
    names = [output.name.split(".")[1] for output in law.outputs]
    return dict(zip(names, values(law, [x.value for x in law.outputs], **at), strict=True))


def test_names_and_outputs(arm: ModelBuilder) -> None:
    name = arm.contact("crank.pin", il.sphere(0.02), arm.ground, il.plane(), law=SOFT)
    assert name == "crank_pin_ground_contact"
    again = arm.contact("crank.pin", il.sphere(0.02), arm.ground, il.plane(), law=SOFT)
    assert again == "crank_pin_ground_contact_2"
    first = arm.build().frame_forces[0]
    # the plane comes first, whatever the order
    assert (first.a.path, first.b.path) == ("ground", "crank.pin")
    assert [(x.name, x.unit) for x in first.outputs[:3]] == [
        (f"{name}.gap", "m"),
        (f"{name}.force", "N"),
        (f"{name}.friction", "N"),
    ]
    assert first.where.startswith(__file__)


@pytest.mark.parametrize(
    ("depth", "speed"), [(0.01, 0.4), (0.01, -0.4), (0.01, -7.0), (-0.01, 2.0)]
)
def test_hunt_crossley(arm: ModelBuilder, depth: float, speed: float) -> None:
    arm.contact(arm.ground, il.plane("x"), "crank", il.point(), law=il.hunt_crossley(3e5, 2.3, 0.2))
    (law,) = arm.build().frame_forces
    found = outputs(law, p=(-depth, 0.3, 0.7), v=(-speed, 0.1, 0.2))
    expected = max(3e5 * max(depth, 0.0) ** 2.3 * (1 + 0.2 * speed), 0.0)
    assert found["force"] == pytest.approx(expected)
    assert found["gap"] == pytest.approx(-depth)
    (fx, fy, fz) = values(law, list(law.force), p=(-depth, 0.3, 0.7), v=(-speed, 0.1, 0.2))
    assert (fx, fy, fz) == pytest.approx((expected, 0.0, 0.0))


@pytest.mark.parametrize(
    ("depth", "speed"), [(0.01, 0.4), (0.01, -0.4), (0.01, -7.0), (-0.01, 2.0)]
)
@pytest.mark.parametrize("p", [1.0, 1.4, 3.0])
def test_power_law(arm: ModelBuilder, depth: float, speed: float, p: float) -> None:
    exponent = arm.parameter("p", p)
    arm.contact(arm.ground, il.plane("x"), "crank", il.point(), law=il.power_law(3e3, p, 2e-3))
    arm.contact(arm.ground, il.plane("x"), "rod", il.point(), law=il.power_law(3e3, exponent, 2e-3))
    fixed, live = arm.build().frame_forces
    d = max(depth, 0.0)
    # k (dᵖ + α d(dᵖ)/dt)
    expected = max(3e3 * (d**p + 2e-3 * p * d ** (p - 1) * speed), 0.0) if d > 0 else 0.0
    at = {"p": (-depth, 0.0, 0.0), "v": (-speed, 0.0, 0.0)}
    assert outputs(fixed, **at)["force"] == pytest.approx(expected)
    symbols = dict(zip((*live.p, *live.v), (*at["p"], *at["v"]), strict=True)) | {exponent: p}
    force = live.outputs[1].value
    assert isinstance(force, Expr)
    assert float(evaluate([force], symbols)[0]) == pytest.approx(expected)


def test_felt(arm: ModelBuilder) -> None:
    arm.contact(arm.ground, il.plane("x"), "crank", il.point(), law=il.felt(3e5, 2.5, 0.3, 4e-3))
    (law,) = arm.build().frame_forces
    elastic = 3e5 * 0.01**2.5
    found = outputs(law, p=(-0.01, 0.0, 0.0), memory=1.7)
    assert found["force"] == pytest.approx(elastic - 0.3 * 1.7)
    (state,) = law.states
    (rate,) = values(law, [state.rate], p=(-0.01, 0.0, 0.0), memory=1.7)
    assert rate == pytest.approx((elastic - 1.7) / 4e-3)
    # felt that has not recovered does not pull
    assert outputs(law, p=(-1e-4, 0.0, 0.0), memory=1.7)["force"] == 0.0


def test_coulomb_opposes_slip_in_space(arm: ModelBuilder) -> None:
    friction = il.coulomb_contact(0.4, 0.05)
    arm.contact("crank", il.sphere(0.2), "rod", il.sphere(0.1), law=SOFT, friction=friction)
    (law,) = arm.build().frame_forces
    p = np.array([0.17, -0.11, 0.19])
    n = p / np.linalg.norm(p)
    gap = np.linalg.norm(p) - 0.3
    # velocity of the second surface against the first at the contact point
    v_C = np.array(V) + np.cross(W, -(0.1 + gap / 2) * n)
    slip = v_C - n * (n @ v_C)
    push = 1e4 * (-gap) ** 1.5 * (1 - 0.3 * (n @ v_C))
    expected = push * n - 0.4 * push * slip / np.sqrt(slip @ slip + 0.05**2)
    found = values(law, [*law.force, *law.torque], p=p)
    assert found[:3] == pytest.approx(expected)
    assert found[3:] == pytest.approx(np.cross(-(0.1 + gap / 2) * n, expected))
    size = np.linalg.norm(expected - push * n)
    found = outputs(law, p=p)
    assert found["friction"] == pytest.approx(size)
    assert [found[f"force_{axis}"] for axis in "xyz"] == pytest.approx(expected)
    point = (0.2 + gap / 2) * n
    assert [found[f"point_{axis}"] for axis in "xyz"] == pytest.approx(point)


def test_vectors_are_in_axes_of_the_frame_that_was_named_first(arm: ModelBuilder) -> None:
    arm.contact("rod", il.sphere(0.1), "crank", il.plane("y"), law=il.power_law(1e3), name="c")
    (law,) = arm.build().frame_forces
    assert (law.a.path, law.b.path) == ("crank", "rod")
    turn = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
    p = np.array([0.31, 0.08, 0.17])
    found = outputs(law, p=p, R=turn)
    assert found["gap"] == pytest.approx(-0.02)
    # the plane is pushed along -y of the crank; the point is 0.09 m below the center of the rod
    force = [found[f"force_{axis}"] for axis in "xyz"]
    assert force == pytest.approx(turn.T @ [0.0, -20.0, 0.0])
    point = [found[f"point_{axis}"] for axis in "xyz"]
    assert point == pytest.approx(turn.T @ [0.0, -0.09, 0.0])


@pytest.mark.parametrize("z", [0.0, 1.9e-5, 3.4e-5, 6e-5, -3.4e-5])
def test_lugre_formulas(arm: ModelBuilder, z: float) -> None:
    mu, s0, s1, s2, mus, vs = 0.4, 1e4, 30.0, 0.7, 0.6, 0.02
    friction = il.lugre_contact(
        mu, stiffness=s0, damping=s1, static=mus, viscous=s2, stribeck=vs, elastic=0.6
    )
    arm.contact(arm.ground, il.plane(), "rod", il.circle(0.1, "y"), law=SOFT, friction=friction)
    (law,) = arm.build().frame_forces
    assert [state.name.split(".")[1] for state in law.states] == ["z"]
    # axis y, normal z: the tangent is x, and the circle turns about y
    v, w = (0.013, 0.0, -0.2), (0.0, 0.021, 0.0)
    at = {"p": (0.3, 0.0, 0.096), "v": v, "w": w, "z": z}
    slip = v[0] - (0.1 - 0.002) * w[1]
    push = 1e4 * 0.004**1.5 * (1 + 0.3 * 0.2)
    limit = mu + (mus - mu) * np.exp(-((slip / vs) ** 2))
    largest = limit / s0
    share = np.clip((z * np.sign(slip) / largest - 0.6) / 0.4, 0.0, 1.0)
    rate = slip - 0.5 * (1 - np.cos(np.pi * share)) * abs(slip) * z / largest
    damping = s1 / (1 + (s1 * slip / mu) ** 2)
    found = outputs(law, **at)
    assert found["force"] == pytest.approx(push)
    assert found["friction"] == pytest.approx(-push * (s0 * z + damping * rate + s2 * slip))
    assert values(law, [law.states[0].rate], **at) == pytest.approx([rate])
    # without contact the bristles straighten
    (freed,) = values(law, [law.states[0].rate], **{**at, "p": (0.3, 0.0, 0.11)})
    assert freed == pytest.approx(-s0 / s1 * z)


@pytest.mark.parametrize(
    ("a", "b", "states"),
    [
        (il.plane(), il.sphere(0.1), ["z1", "z2"]),
        (il.cylinder(0.2), il.sphere(0.1), ["z1", "z2"]),
        (il.sphere(0.2), il.sphere(0.1), ["z1", "z2", "z3"]),
        (il.circle(0.2), il.circle(0.1), ["z"]),
    ],
)
def test_bristles_for_every_direction_of_slip(
    arm: ModelBuilder, a: il.Shape, b: il.Shape, states: list[str]
) -> None:
    friction = il.lugre_contact(0.3, stiffness=1e4, damping=30.0)
    arm.contact("crank", a, "rod", b, law=SOFT, friction=friction)
    (law,) = arm.build().frame_forces
    assert [state.name.split(".")[1] for state in law.states] == states


@pytest.mark.thinned(13)
@pytest.mark.parametrize("friction", ["none", "coulomb", "lugre"])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("law", [il.hunt_crossley, il.power_law, il.felt])
@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        (il.plane(), il.sphere(0.1), (0.2, 0.1, 0.1)),
        (il.plane(), il.sphere(0.1), (0.2, 0.1, 0.3)),
        (il.sphere(0.2), il.sphere(0.1), (0.0, 0.0, 0.3)),
        (il.sphere(0.2, hollow=True), il.point(), (0.0, 0.0, 0.0)),
        (il.capsule(0.2, 0.5), il.capsule(0.1, 0.4), (0.0, 0.3, 0.0)),
    ],
)
def test_slopes_are_finite_where_the_contact_begins_and_sticks(
    arm: ModelBuilder,
    law: Callable[..., object],
    exponent: float,
    friction: str,
    a: il.Shape,
    b: il.Shape,
    p: tuple[float, float, float],
) -> None:
    rub = {
        "none": None,
        "coulomb": il.coulomb_contact(0.3),
        "lugre": il.lugre_contact(0.3, stiffness=1e4, damping=30.0),
    }[friction]
    arm.contact("crank", a, "rod", b, law=law(1e4, exponent, 0.2), friction=rub)  # type: ignore[arg-type]
    (found,) = arm.build().frame_forces
    zero = (0.0, 0.0, 0.0)
    symbols = [*found.p, *found.v, *found.w, *(s.symbol for s in found.states)]
    wanted = [*found.force, *found.torque, *(s.rate for s in found.states)]
    wanted += [output.value for output in found.outputs]
    exprs = [x for x in wanted if isinstance(x, Expr)]
    slopes = [x for row in jacobian(exprs, symbols) for x in row]
    with np.errstate(all="ignore"):
        assert np.isfinite(values(found, slopes, p=p, v=zero, w=zero)).all()


# mistakes


def test_pairs_that_cannot_touch(arm: ModelBuilder, mistakes_of: Finder) -> None:
    arm.contact(arm.ground, il.plane(), "crank", il.plane(), law=SOFT)
    arm.contact(arm.ground, il.plane(), "crank", il.cylinder(0.1), law=SOFT, name="log")
    arm.contact(arm.ground, il.sphere(0.3, hollow=True), "crank", il.cylinder(0.1), law=SOFT)
    first, second, third = mistakes_of(arm)
    assert "a plane and a plane cannot touch; pairs are plane-sphere, plane-circle" in first.what
    assert "contact 'log': a plane and a cylinder cannot touch" in second.what
    assert "a sphere at each end" in second.fix
    assert "a hollow sphere and a cylinder" in third.what
    assert "Only the outer one" in third.fix


def test_numbers_out_of_bounds(arm: ModelBuilder, mistakes_of: Finder) -> None:
    arm.contact(
        arm.ground,
        il.plane(),
        "crank",
        il.sphere(0.1),
        law=il.felt(1e4, 0.5, 1.2, 0.0),
        friction=il.coulomb_contact(-0.3, "fast"),  # type: ignore[arg-type]
        name="c",
    )
    texts = [mistake.what for mistake in mistakes_of(arm)]
    assert texts == [
        "contact 'c': exponent must be >= 1, got 0.5",
        "contact 'c': hysteresis must be >= 0 and < 1, got 1.2",
        "contact 'c': relaxation must be > 0, got 0",
        "contact 'c': mu must be >= 0, got -0.3",
        "contact 'c': velocity must be a number, got 'fast'",
    ]


def test_sizes_out_of_bounds(arm: ModelBuilder, mistakes_of: Finder) -> None:
    with pytest.raises(il.InputError, match=r"the radius of a sphere must be >= 0 m, got -0.1"):
        il.sphere(-0.1)
    # expressions are read with the model
    other = ModelBuilder("other").parameter("r", 0.1)
    below = arm.parameter("r", 0.1) * 0.0 - 0.1
    arm.contact(arm.ground, il.plane(), "crank", il.sphere(other), law=SOFT, name="c")
    arm.contact(arm.ground, il.plane(), "crank", il.sphere(below), law=SOFT, name="d")
    arm.contact(arm.ground, il.cylinder(0.1, 0.5), "crank", il.point(), law=SOFT, name="e")
    assert [mistake.what for mistake in mistakes_of(arm)] == [
        "contact 'c': the radius of shape_b uses an expression of another model",
        "contact 'd': the radius of shape_b must be >= 0 m, got -0.1",
        "contact 'e': shape_a is a cylinder with flat ends, for which there is no contact",
    ]


def test_things_that_are_not_shapes_or_laws(arm: ModelBuilder, mistakes_of: Finder) -> None:
    arm.contact(arm.ground, 0.1, "crank", il.point(), law=1e4, friction=0.3, name="c")  # type: ignore[arg-type]
    arm.contact(arm.ground, il.sphere(0.1, hollow=True), "crank", il.sphere(0.2), law=SOFT)
    found = mistakes_of(arm)
    assert "a method push(self, gap, gap_rate, states)" in found[1].fix
    assert "a method drag(self, slip, push, gap, states)" in found[2].fix
    assert [mistake.what for mistake in found] == [
        "contact 'c': shape_a must be a shape, got '0.1'",
        "contact 'c': law must be a normal force, got '10000.0'",
        "contact 'c': friction must be a friction law, got '0.3'",
        "contact 'ground, crank': a shape of radius 0.2 m does not fit into a hollow one of 0.1 m",
    ]


def test_what_carries_no_shape(arm: ModelBuilder, mistakes_of: Finder) -> None:
    arm.contact(3.0, il.plane(), "crank", il.point(), law=SOFT, name="c")  # type: ignore[arg-type]
    arm.contact(arm.ground, il.plane(), "cronk", il.point(), law=SOFT, name="d")
    first, second = mistakes_of(arm)
    assert "contact 'c': target must be a body, a point, a frame or its name" in first.what
    assert "cronk" in second.what and "'crank'" in second.fix


def test_both_ends_on_one_body(arm: ModelBuilder, mistakes_of: Finder) -> None:
    arm.contact("crank", il.plane(), "crank.pin", il.point(), law=SOFT, name="c")
    (mistake,) = mistakes_of(arm)
    assert "on the same rigid body" in mistake.what


def test_states_may_start_elsewhere(arm: ModelBuilder, mistakes_of: Finder) -> None:
    rub = il.lugre_contact(0.3, stiffness=1e4, damping=1.0)
    soft = il.felt(3e5, 2.5, 0.3, 4e-3)
    planes = (arm.ground, il.plane("x"), "crank", il.circle(0.1))
    arm.contact(*planes, law=soft, friction=rub, states={"memory": 1.7}, name="pressed")
    states = arm.build().frame_forces[0].states
    assert {s.name: s.initial for s in states} == {"pressed.memory": 1.7, "pressed.z": 0.0}
    arm.contact(*planes, law=soft, states={"memory": 1.7, "z": 0.1}, name="c")
    arm.contact(*planes, law=SOFT, states={"memory": 1.7}, name="d")
    arm.contact(*planes, law=soft, states=3.0, name="e")  # type: ignore[arg-type]
    found = [(mistake.what, mistake.fix) for mistake in mistakes_of(arm)]
    assert found == [
        ("contact 'c': the contact has no state 'z'", "Its states are: memory."),
        ("contact 'd': the contact has no state 'memory'", "Its laws have no states."),
        ("contact 'e': states must be names with initial values, got '3.0'",
         'Write states={"memory": 2.0}.'),
    ]  # fmt: skip
