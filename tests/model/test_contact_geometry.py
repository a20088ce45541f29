"""Where shapes touch: against NumPy's distances, bounded least squares and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import inloop as il
from inloop.model.contacts.distance import PAIRS, Touch, find_pair

H = 1e-6
Array = np.ndarray


def unit(*direction: float) -> tuple[float, float, float]:
    x, y, z = np.array(direction) / np.linalg.norm(direction)
    return float(x), float(y), float(z)


# a general direction for each shape that has one; circles and endless cylinders are parallel to it
AXIS = unit(0.4, -0.7, 0.6)
PLANE = il.plane(unit(0.3, 0.5, -0.8))
SPHERE = il.sphere(0.13)
BALL = replace(SPHERE, radius=0.21)
SOCKET = replace(SPHERE, radius=0.9, hollow=True)
PIPE = il.cylinder(0.17, axis=AXIS)
BORE = replace(PIPE, radius=0.8, hollow=True)
CAPSULE = il.capsule(0.17, 0.7, AXIS)
ROD = il.capsule(0.11, 0.5, unit(-0.2, 0.3, 0.9))
CIRCLE = il.circle(0.19, AXIS)
RIM = il.rim(0.19, unit(0.5, 0.1, 0.3))
# across the axis of the circles
EDGE = il.segment(0.6, unit(*np.cross(AXIS, (0.9, 0.2, -0.3))), 0.05)
RING = replace(CIRCLE, radius=0.85, hollow=True)

SPATIAL = {
    "plane-sphere": (PLANE, SPHERE),
    "plane-rim": (PLANE, RIM),
    "sphere-sphere": (BALL, SPHERE),
    "socket-sphere": (SOCKET, SPHERE),
    "cylinder-sphere": (PIPE, SPHERE),
    "bore-sphere": (BORE, SPHERE),
    "capsule-sphere": (CAPSULE, SPHERE),
    "capsule-capsule": (CAPSULE, ROD),
    "cylinder-capsule": (PIPE, ROD),
    "capsule-cylinder-capsule": (ROD, PIPE),
}
PLANAR = {
    "circle-circle": (CIRCLE, replace(CIRCLE, radius=0.23)),
    "ring-circle": (RING, CIRCLE),
    "circle-sphere": (CIRCLE, SPHERE),
    "cylinder-circle": (PIPE, CIRCLE),
    "capsule-circle": (CAPSULE, CIRCLE),
    "ring-capsule": (RING, CAPSULE),
    "segment-circle": (EDGE, CIRCLE),
    "ring-cylinder": (RING, PIPE),
}
numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers).map(np.array).filter(lambda v: v @ v > 1e-3)


def touch(pair: tuple[il.Shape, il.Shape], p: Array, R: Array) -> Touch:
    function = find_pair(*pair)
    assert function is not None
    return function(*pair, tuple(p), tuple(map(tuple, R)))


def nearest(pair: tuple[il.Shape, il.Shape], p: Array, R: Array) -> tuple[Array, Array]:
    """The nearest points of the two centers or axes, by bounded least squares."""
    columns, low, high = [], [], []
    for shape, turn, sign in ((pair[0], np.eye(3), -1.0), (pair[1], R, 1.0)):
        if shape.kind in ("cylinder", "capsule", "circle"):
            half = shape.length / 2 if shape.kind == "capsule" else 1e3
            columns.append(sign * turn @ shape.axis)
            low.append(-half)
            high.append(half)
        else:
            columns.append(np.zeros(3))
            low.append(-1.0)
            high.append(1.0)
    found = lsq_linear(np.array(columns).T, -p, (low, high), tol=1e-14, method="bvls")
    s, t = found.x
    return -s * columns[0], p + t * columns[1]


def distance(pair: tuple[il.Shape, il.Shape], p: Array, R: Array) -> tuple[float, Array]:
    """Gap and normal."""
    a, b = pair
    if a.kind == "plane":
        n = np.array(a.normal)
        lowest = b.radius
        if b.kind == "rim":
            # the lowest of all points of the circle
            u = np.cross(R @ b.axis, (0.31, -0.52, 0.78))
            u /= np.linalg.norm(u)
            around = np.cross(R @ b.axis, u)
            lowest = b.radius * np.hypot(n @ u, n @ around)
        return float(n @ p) - lowest, n
    q_a, q_b = nearest(pair, p, R)
    apart = q_b - q_a
    size = float(np.linalg.norm(apart))
    if a.hollow:
        return a.radius - size - b.radius, -apart / size
    return size - a.radius - b.radius, apart / size


def nearly_parallel(pair: tuple[il.Shape, il.Shape], R: Array) -> bool:
    """True where the nearest points of two axes are not well defined."""
    return bool(np.linalg.norm(np.cross(pair[0].axis, R @ pair[1].axis)) < 0.05)


def contact_point(found: Touch, p: Array) -> Array:
    return p + np.array(found.along) - found.height * np.array(found.normal)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", SPATIAL)
@settings(max_examples=60, deadline=None)
@given(p=vectors, turn=vectors)
def test_gap_normal_and_contact_point(name: str, p: Array, turn: Array) -> None:
    pair, R = SPATIAL[name], Rotation.from_rotvec(2 * turn).as_matrix()
    found = touch(pair, p, R)
    gap, n = distance(pair, p, R)
    assert found.gap == pytest.approx(gap, abs=2e-9)
    if name.endswith("capsule") and nearly_parallel(pair, R):
        return
    if pair[0].kind != "plane" and np.linalg.norm(np.subtract(*nearest(pair, p, R))) < 1e-3:
        return
    assert np.array(found.normal) == pytest.approx(n, abs=1e-6)
    # half a gap from C along the normal are the surfaces of both
    q_B = contact_point(found, p) + 0.5 * found.gap * np.array(found.normal)
    q_A = contact_point(found, p) - 0.5 * found.gap * np.array(found.normal)
    for shape, q, frame, X in ((pair[0], q_A, np.zeros(3), np.eye(3)), (pair[1], q_B, p, R)):
        local = X.T @ (q - frame)
        if shape.kind == "rim":
            assert np.dot(shape.axis, local) == pytest.approx(0.0, abs=1e-9)
        if shape.kind == "plane":
            assert np.dot(shape.normal, local) == pytest.approx(0.0, abs=1e-9)
            continue
        if shape.kind in ("cylinder", "capsule"):
            along = float(np.dot(shape.axis, local))
            half = shape.length / 2 if shape.kind == "capsule" else np.inf
            local = local - np.clip(along, -half, half) * np.array(shape.axis)
        assert np.linalg.norm(local) == pytest.approx(shape.radius, abs=1e-6)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", PLANAR)
@settings(max_examples=40, deadline=None)
@given(p=vectors, angle=numbers)
def test_planar_pairs(name: str, p: Array, angle: float) -> None:
    pair, R = PLANAR[name], Rotation.from_rotvec(angle * np.array(AXIS)).as_matrix()
    across = p - np.array(AXIS) * (p @ AXIS)
    if pair[0].kind == "segment":
        line = np.array(pair[0].along)
        across = across - np.clip(across @ line, -0.3, 0.3) * line
    size = float(np.linalg.norm(across))
    if size < 1e-3:
        return
    found = touch(pair, p, R)
    a, b = pair
    gap = a.radius - size - b.radius if a.hollow else size - a.radius - b.radius
    assert found.gap == pytest.approx(gap, abs=1e-12)
    assert np.array(found.normal) == pytest.approx((-1 if a.hollow else 1) * across / size)
    (tangent,) = found.tangents
    assert np.array(tangent.t) == pytest.approx(np.cross(AXIS, found.normal), abs=1e-12)


def test_parallel_cylinders() -> None:
    p = np.array([0.31, -0.22, 0.57])
    found = touch((PIPE, replace(PIPE, radius=0.08)), p, np.eye(3))
    across = p - np.array(AXIS) * (p @ AXIS)
    size = float(np.linalg.norm(across))
    assert found.gap == pytest.approx(size - 0.17 - 0.08)
    assert np.array(found.normal) == pytest.approx(across / size)
    lengthwise, around = (np.array(tangent.t) for tangent in found.tangents)
    assert lengthwise == pytest.approx(np.array(AXIS))
    assert around == pytest.approx(np.cross(AXIS, across / size))


def test_a_circle_on_a_plane() -> None:
    normal = unit(*np.cross(AXIS, (0.2, 0.9, 0.1)))
    R = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
    # the circle's own axis, in its frame, is parallel to the plane
    circle = replace(CIRCLE, axis=tuple(R.T @ AXIS))
    p = np.array([0.31, -0.22, 0.17])
    found = touch((replace(PLANE, normal=normal), circle), p, R)
    assert found.gap == pytest.approx(p @ normal - circle.radius)
    (tangent,) = found.tangents
    assert np.array(tangent.t) == pytest.approx(np.cross(AXIS, normal))
    assert np.array(tangent.moment) == pytest.approx(np.cross(tangent.t, normal))


@pytest.mark.thinned(7)
@pytest.mark.parametrize("name", [*SPATIAL, *PLANAR])
@settings(max_examples=40, deadline=None)
@given(p=vectors, turn=vectors, v=vectors, w=vectors)
def test_rates_against_differences(name: str, p: Array, turn: Array, v: Array, w: Array) -> None:
    pair = (SPATIAL | PLANAR)[name]
    if name in PLANAR:
        # the axes stay parallel
        turn, w = turn[0] * np.array(AXIS), w[0] * np.array(AXIS)
    R = Rotation.from_rotvec(2 * turn).as_matrix()
    moved = {s: (p + s * H * v, Rotation.from_rotvec(s * H * w).as_matrix() @ R) for s in (-1, 1)}
    found = touch(pair, p, R)
    if name.endswith("capsule") and nearly_parallel(pair, R):
        return
    before, after = (touch(pair, *moved[s]) for s in (-1, 1))
    # at a corner (an axis ends) or at a center there is no one rate to compare with
    if np.linalg.norm(np.subtract(after.normal, before.normal)) > 1e-3:
        return
    bend = np.abs(np.array(after.normal) + before.normal - 2 * np.array(found.normal)).max()
    bend += np.abs(np.array(after.along) + before.along - 2 * np.array(found.along)).max()
    if bend > 1e-8:
        return
    rate, slip = found.velocity(tuple(v), tuple(w))
    assert rate == pytest.approx((after.gap - before.gap) / (2 * H), abs=1e-6)
    # the material point of B at C moves in A, across the normal
    c_B = R.T @ (contact_point(found, p) - p)
    v_C = (moved[1][0] + moved[1][1] @ c_B - moved[-1][0] - moved[-1][1] @ c_B) / (2 * H)
    n = np.array(found.normal)
    total = sum(x * np.array(tangent.t) for x, tangent in zip(slip, found.tangents, strict=True))
    across = v_C - n * (n @ v_C)
    if name in PLANAR:
        across -= np.array(AXIS) * (across @ AXIS)
    assert total == pytest.approx(across, abs=1e-6)
    assert np.dot(slip, slip) == pytest.approx(total @ total, rel=1e-9, abs=1e-12)


@pytest.mark.thinned(7)
@pytest.mark.parametrize("name", [*SPATIAL, *PLANAR])
@settings(max_examples=30, deadline=None)
@given(p=vectors, turn=vectors, v=vectors, w=vectors, f=vectors)
def test_power_of_the_wrench(
    name: str, p: Array, turn: Array, v: Array, w: Array, f: Array
) -> None:
    """Force and torque do the work of push times gap rate plus drag times slip."""
    pair = (SPATIAL | PLANAR)[name]
    if name in PLANAR:
        turn = turn[0] * np.array(AXIS)
    found = touch(pair, p, Rotation.from_rotvec(turn).as_matrix())
    rate, slip = found.velocity(tuple(v), tuple(w))
    drag = tuple(f[: len(slip)])
    force, torque = found.wrench(2.3, drag)
    power = np.dot(force, v) + np.dot(torque, w)
    assert power == pytest.approx(2.3 * rate + np.dot(drag, slip), abs=1e-9)
    # the torque is that of the force at C
    arm = np.array(found.along) - found.height * np.array(found.normal)
    assert np.array(torque) == pytest.approx(np.cross(arm, force), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(p=vectors, turn=vectors)
def test_exchanging_the_shapes_changes_nothing(p: Array, turn: Array) -> None:
    R = Rotation.from_rotvec(2 * turn).as_matrix()
    one, other = touch((CAPSULE, ROD), p, R), touch((ROD, CAPSULE), -R.T @ p, R.T)
    assert one.gap == pytest.approx(other.gap, abs=1e-8)
    if nearly_parallel((CAPSULE, ROD), R):
        return
    assert np.array(one.normal) == pytest.approx(-R @ np.array(other.normal), abs=1e-6)
    at_C = p + R @ contact_point(other, -R.T @ p)
    assert contact_point(one, p) == pytest.approx(at_C, abs=1e-6)


def test_every_pair_is_tested() -> None:
    tested = {(type(a), type(b)) for a, b in (SPATIAL | PLANAR).values()}
    assert set(PAIRS) == {*tested, (type(PLANE), type(CIRCLE)), (type(PIPE), type(PIPE))}
