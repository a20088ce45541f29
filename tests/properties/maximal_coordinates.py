"""An independent way to the motion of a linkage: six coordinates per body, joints as constraints.

Each body has the position of its center of mass and a quaternion. Joints and cuts are rows

    Phi(x) = 0,   G v = 0,   G a = gamma,      M a = f + Gᵀ lam,

solved in the least-squares sense, so that rows that follow from others do no harm. SciPy's DOP853
integrates positions and velocities; nothing of inloop is used.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from linkage import GRAVITY, GROUND, Bar, Linkage
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

# error of SciPy's steps, and evaluations in a run: near a singular position there is no end to them
NORMAL, FINEST = (1e-9, 2500), (1e-12, 12_000)
TRIES = 12  # of closing the cuts from a random position
CLOSED = 1e-13  # largest opening that is rounding
RANK = 1e-11  # singular values below this, relative to the largest, are taken for zero


class UndecidedError(Exception):
    """The integration cannot tell how the motion goes on."""


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a body is: origin of its frame and rotation to world axes."""

    p: np.ndarray
    R: np.ndarray


def poses(linkage: Linkage, q: Sequence[float]) -> list[Pose]:
    """Poses of all bars from joint coordinates."""
    found: list[Pose] = []
    for bar, x in zip(linkage.bars, q, strict=True):
        base = found[bar.parent] if bar.parent != GROUND else Pose(np.zeros(3), np.eye(3))
        p = base.p + base.R @ bar.at
        if bar.kind == "revolute":
            found.append(Pose(p, base.R @ _turn(tuple(bar.axis), float(x))))
        else:
            found.append(Pose(p + base.R @ bar.axis * x, base.R))
    return found


def twists(linkage: Linkage, at: list[Pose], qd: Sequence[float]) -> list[np.ndarray]:
    """Velocities of the centers of mass and angular velocities, six numbers per bar."""
    origins: list[np.ndarray] = []
    turns: list[np.ndarray] = []
    for k, (bar, speed) in enumerate(zip(linkage.bars, qd, strict=True)):
        inner = bar.parent != GROUND
        base = at[bar.parent] if inner else Pose(np.zeros(3), np.eye(3))
        v, w = (origins[bar.parent], turns[bar.parent]) if inner else (np.zeros(3), np.zeros(3))
        axis = base.R @ bar.axis
        v = v + _cross(w, at[k].p - base.p)
        if bar.kind == "revolute":
            w = w + axis * speed
        else:
            v = v + axis * speed
        origins.append(v)
        turns.append(w)
    return [
        np.concatenate([v + _cross(w, pose.R @ bar.com), w])
        for bar, pose, v, w in zip(linkage.bars, at, origins, turns, strict=True)
    ]


def openings(linkage: Linkage, at: list[Pose]) -> np.ndarray:
    """What must vanish where all cuts are closed."""
    found: list[float] = []
    for cut in linkage.cuts:
        a, b = (_world(at, k, p) for k, p in zip(cut.bodies, cut.points, strict=True))
        if cut.kind == "rod":
            found.append(float(np.linalg.norm(a - b)) - cut.length)
            continue
        found.extend(a - b)
        if cut.kind in ("solid", "hinge"):
            Ra, Rb = (_rotation(at, k) for k in cut.bodies)
            directions = np.array(cut.axis)[:, None] if cut.axis is not None else np.eye(3)
            found.extend(((Ra - Rb) @ directions).ravel())
    return np.array(found)


def slopes(linkage: Linkage, at: list[Pose]) -> np.ndarray:
    """Derivatives of the openings by the joint coordinates, one column per bar."""
    rows: list[np.ndarray] = []
    for cut in linkage.cuts:
        a, b = (_moved(linkage, at, k, p) for k, p in zip(cut.bodies, cut.points, strict=True))
        if cut.kind == "rod":
            ends = (_world(at, k, p) for k, p in zip(cut.bodies, cut.points, strict=True))
            apart = np.subtract(*ends)
            rows.append(apart @ (a - b) / np.linalg.norm(apart))
            continue
        rows.extend(a - b)
        if cut.kind in ("solid", "hinge"):
            directions = np.array(cut.axis)[None] if cut.axis is not None else np.eye(3)
            turned = [
                _moved(linkage, at, cut.bodies[0], e, turns_only=True)
                - _moved(linkage, at, cut.bodies[1], e, turns_only=True)
                for e in directions
            ]
            # by component first, then by direction, as the openings
            rows.extend(np.stack(turned, axis=1).reshape(-1, len(linkage.bars)))
    return np.array(rows)


def _moved(
    linkage: Linkage, at: list[Pose], body: int, p: np.ndarray, *, turns_only: bool = False
) -> np.ndarray:
    """Derivatives of a point of a body, or of a direction, by all joint coordinates."""
    J = np.zeros((3, len(linkage.bars)))
    end = np.zeros(3) if body == GROUND else at[body].R @ p
    if not turns_only and body != GROUND:
        end = end + at[body].p
    while body != GROUND:
        bar = linkage.bars[body]
        axis = _rotation(at, bar.parent) @ bar.axis
        if bar.kind == "revolute":
            J[:, body] = _cross(axis, end if turns_only else end - at[body].p)
        elif not turns_only:
            J[:, body] = axis
        body = bar.parent
    return J


def _world(at: list[Pose], body: int, p: np.ndarray) -> np.ndarray:
    return p if body == GROUND else at[body].p + at[body].R @ p


def _rotation(at: list[Pose], body: int) -> np.ndarray:
    return np.eye(3) if body == GROUND else at[body].R


def closed_position(linkage: Linkage, held: Mapping[str, float]) -> np.ndarray | None:
    """Joint coordinates that close all cuts while some are held, or None if none were found."""
    random = np.random.default_rng(7)
    fixed = np.array([bar.name in held for bar in linkage.bars])
    given = np.array([held.get(bar.name, 0.0) for bar in linkage.bars])

    count = int((~fixed).sum())
    if count == 0:
        return given if np.abs(openings(linkage, poses(linkage, given))).max() < CLOSED else None

    def posed(free: np.ndarray) -> list[Pose]:
        q = given.copy()
        q[~fixed] = free
        return poses(linkage, q)

    # the method takes no fewer rows than unknowns
    def open_by(free: np.ndarray) -> np.ndarray:
        return _filled(openings(linkage, posed(free)), count)

    def slope(free: np.ndarray) -> np.ndarray:
        return _filled(slopes(linkage, posed(free))[:, ~fixed], count)

    for _ in range(TRIES):
        guess = random.uniform(-3.0, 3.0, count)
        # where bars are in line the gap is small long before it vanishes: its slope says nothing
        # a gradient that vanishes to the last bit ends it: there is no step left to take
        exact = {"xtol": 1e-13, "ftol": 1e-13, "gtol": 2.5e-16}
        found = least_squares(open_by, guess, slope, method="lm", max_nfev=100, **exact)
        if np.abs(found.fun).max() < CLOSED:
            q = given.copy()
            q[~fixed] = found.x
            return q
    return None


def _filled(rows: np.ndarray, count: int) -> np.ndarray:
    """At least so many rows; those that are added are zero."""
    missing = max(0, count - len(rows))
    return np.concatenate([rows, np.zeros((missing, *rows.shape[1:]))])


class Rows:
    """Rows of G and gamma, collected for bodies in motion."""

    def __init__(self, linkage: Linkage, at: list[Pose], v: np.ndarray) -> None:
        self.linkage, self.at, self.v = linkage, at, v.reshape(-1, 6)
        self.G: list[np.ndarray] = []
        self.gamma: list[float] = []

    def point(self, body: int, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of a point of a body by all velocities, and its centripetal acceleration."""
        J = np.zeros((3, self.v.size))
        if body == GROUND:
            return J, np.zeros(3)
        arm = self.at[body].R @ (p - self.linkage.bars[body].com)
        J[:, 6 * body : 6 * body + 3] = np.eye(3)
        J[:, 6 * body + 3 : 6 * body + 6] = -_skew(arm)
        w = self.v[body, 3:]
        return J, _cross(w, _cross(w, arm))

    def coincide(self, a: tuple[int, np.ndarray], b: tuple[int, np.ndarray]) -> None:
        """Two points stay together."""
        (Ja, ca), (Jb, cb) = self.point(*a), self.point(*b)
        self.G.extend(Jb - Ja)
        self.gamma.extend(ca - cb)

    def distance(self, a: tuple[int, np.ndarray], b: tuple[int, np.ndarray]) -> None:
        """Two points keep their distance: d·d constant."""
        (Ja, ca), (Jb, cb) = self.point(*a), self.point(*b)
        d = _world(self.at, *b) - _world(self.at, *a)
        rate = (Jb - Ja) @ self.v.ravel()
        self.G.append(d @ (Jb - Ja))
        self.gamma.append(float(-d @ (cb - ca) - rate @ rate))

    def square(self, a: tuple[int, np.ndarray], b: tuple[int, np.ndarray]) -> None:
        """A direction of a and one of b stay at a right angle (or at the angle they have)."""
        (ka, ea), (kb, eb) = a, b
        ea, eb = _rotation(self.at, ka) @ ea, _rotation(self.at, kb) @ eb
        wa = self.v[ka, 3:] if ka != GROUND else np.zeros(3)
        wb = self.v[kb, 3:] if kb != GROUND else np.zeros(3)
        row = np.zeros(self.v.size)
        # d/dt (ea·eb) = (wa - wb)·(ea × eb)
        normal = _cross(ea, eb)
        for k, sign in ((ka, 1.0), (kb, -1.0)):
            if k != GROUND:
                row[6 * k + 3 : 6 * k + 6] += sign * normal
        turning = _cross(_cross(wa, ea), eb) + _cross(ea, _cross(wb, eb))
        self.G.append(row)
        self.gamma.append(float(-(wa - wb) @ turning))

    def slide(self, base: int, body: int, bar: Bar, normal: np.ndarray) -> None:
        """The origin of a bar stays in a plane of its parent, given by a normal in the parent."""
        J, c = self.point(body, np.zeros(3))
        Jb, cb = self.point(base, bar.at)
        n = _rotation(self.at, base) @ normal
        d = self.at[body].p - _world(self.at, base, bar.at)
        w = self.v[base, 3:] if base != GROUND else np.zeros(3)
        apart = J - Jb
        row = n @ apart
        if base != GROUND:
            # the plane turns with the parent: ṅ·d = w·(n × d)
            row[6 * base + 3 : 6 * base + 6] += _cross(n, d)
        rate = apart @ self.v.ravel()
        nd = _cross(w, n)
        self.G.append(row)
        self.gamma.append(float(-n @ (c - cb) - 2.0 * nd @ rate - _cross(w, nd) @ d))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b; NumPy's own takes ten times as long for three numbers."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def _skew(r: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


@functools.cache
def _powers(axis: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of a cross product with a unit vector, and its square."""
    K = _skew(np.array(axis))
    return K, K @ K


def _turn(axis: tuple[float, ...], angle: float) -> np.ndarray:
    """Rotation about a unit vector (Rodrigues)."""
    K, K2 = _powers(axis)
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K2)


@functools.cache
def _normals(axis: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Two directions at right angles to a unit vector and to each other."""
    along = np.array(axis)
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    return first, np.cross(along, first)


def constraint_rows(linkage: Linkage, at: list[Pose], v: np.ndarray) -> Rows:
    """All joints and cuts."""
    rows = Rows(linkage, at, v)
    for k, bar in enumerate(linkage.bars):
        first, second = _normals(tuple(bar.axis))
        if bar.kind == "revolute":
            rows.coincide((bar.parent, bar.at), (k, np.zeros(3)))
            rows.square((bar.parent, first), (k, bar.axis))
            rows.square((bar.parent, second), (k, bar.axis))
        else:
            rows.slide(bar.parent, k, bar, first)
            rows.slide(bar.parent, k, bar, second)
            for a, b in ((bar.axis, first), (bar.axis, second), (first, second)):
                rows.square((bar.parent, a), (k, b))
    for cut in linkage.cuts:
        a, b = ((k, p) for k, p in zip(cut.bodies, cut.points, strict=True))
        if cut.kind == "rod":
            rows.distance(a, b)
            continue
        rows.coincide(a, b)
        if cut.axis is not None:
            for normal in _normals(cut.axis):
                rows.square((a[0], normal), (b[0], np.array(cut.axis)))
        elif cut.kind == "solid":
            for one, other in ((0, 1), (1, 2), (2, 0)):
                rows.square((a[0], np.eye(3)[one]), (b[0], np.eye(3)[other]))
    return rows


def freedom(linkage: Linkage, q: Sequence[float]) -> int:
    """Degrees of freedom at a closed position."""
    rest = np.zeros(6 * len(linkage.bars))
    rows = constraint_rows(linkage, poses(linkage, q), rest)
    return rest.size - int(np.linalg.matrix_rank(np.array(rows.G), tol=1e-6))


def _forces(linkage: Linkage, at: list[Pose], v: np.ndarray) -> np.ndarray:
    """Gravity, gyroscopic moments and joint springs, on the centers of mass."""
    speeds = v.reshape(-1, 6)
    f = np.zeros_like(speeds)
    for k, (bar, pose) in enumerate(zip(linkage.bars, at, strict=True)):
        w = speeds[k, 3:]
        I = pose.R @ np.diag(bar.inertia) @ pose.R.T
        f[k, :3] += bar.mass * GRAVITY
        f[k, 3:] -= _cross(w, I @ w)
        if not (bar.stiffness or bar.damping):
            continue
        inner = bar.parent != GROUND
        axis = _rotation(at, bar.parent) @ bar.axis
        if bar.kind == "revolute":
            relative = w - (speeds[bar.parent, 3:] if inner else 0.0)
            angle = joint_angle(linkage, at, k)
            effort = -bar.stiffness * np.sin(angle) - bar.damping * axis @ relative
            f[k, 3:] += axis * effort
            if inner:
                f[bar.parent, 3:] -= axis * effort
            continue
        seat = _world(at, bar.parent, bar.at)
        slid = axis @ (pose.p - seat)
        speed = axis @ _slip(linkage, at, speeds, k)
        effort = -bar.stiffness * slid - bar.damping * speed
        _push(linkage, at, f, k, pose.p, axis * effort)
        if inner:
            _push(linkage, at, f, bar.parent, pose.p, -axis * effort)
    return f.ravel()


def _slip(linkage: Linkage, at: list[Pose], speeds: np.ndarray, k: int) -> np.ndarray:
    """Velocity of a slider's origin against the point of its parent that it passes."""

    def velocity(body: int) -> np.ndarray:
        arm = at[k].p - (at[body].p + at[body].R @ linkage.bars[body].com)
        return np.asarray(speeds[body, :3] + _cross(speeds[body, 3:], arm))

    parent = linkage.bars[k].parent
    return velocity(k) - (velocity(parent) if parent != GROUND else 0.0)


def _push(
    linkage: Linkage, at: list[Pose], f: np.ndarray, body: int, p: np.ndarray, force: np.ndarray
) -> None:
    arm = p - (at[body].p + at[body].R @ linkage.bars[body].com)
    f[body, :3] += force
    f[body, 3:] += _cross(arm, force)


def joint_angle(linkage: Linkage, at: list[Pose], k: int) -> float:
    """Angle of a revolute joint, between -pi and pi."""
    bar = linkage.bars[k]
    turned = _rotation(at, bar.parent).T @ at[k].R
    first, second = _normals(tuple(bar.axis))
    return float(np.arctan2(second @ turned @ first, first @ turned @ first))


def accelerations(linkage: Linkage, at: list[Pose], v: np.ndarray) -> np.ndarray:
    """Accelerations of all centers of mass and frames."""
    rows = constraint_rows(linkage, at, v)
    G, gamma = np.array(rows.G), np.array(rows.gamma)
    n = v.size
    inverse = np.zeros((n, n))
    for k, (bar, pose) in enumerate(zip(linkage.bars, at, strict=True)):
        inverse[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / bar.mass
        turned = pose.R @ np.diag(1.0 / bar.inertia) @ pose.R.T
        inverse[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = turned
    loose = inverse @ _forces(linkage, at, v)
    # G W Gᵀ lam = gamma - G W f; rows that depend on others get the smallest lam
    lam = np.linalg.lstsq(G @ inverse @ G.T, gamma - G @ loose, rcond=RANK)[0]
    return np.asarray(loose + inverse @ G.T @ lam)


def integrate(
    linkage: Linkage,
    q: Sequence[float],
    qd: Sequence[float],
    t_end: float,
    accuracy: tuple[float, int] = NORMAL,
) -> list[Pose]:
    """Poses of all bars after a run from joint coordinates and velocities that fit the cuts.

    Nothing holds the cuts together but the accuracy of the steps, which counts for little near a
    singular position: where this and something else disagree, ask again for the FINEST.
    """
    relative, most_evaluations = accuracy
    start = poses(linkage, q)
    count = len(linkage.bars)
    centers = [pose.p + pose.R @ bar.com for bar, pose in zip(linkage.bars, start, strict=True)]
    turns = [Rotation.from_matrix(pose.R).as_quat() for pose in start]
    speeds = np.concatenate(twists(linkage, start, qd))

    def placed(x: np.ndarray) -> list[Pose]:
        c, quaternions = x[: 3 * count].reshape(-1, 3), x[3 * count : 7 * count].reshape(-1, 4)
        R = Rotation.from_quat(quaternions).as_matrix()
        return [Pose(c[k] - R[k] @ bar.com, R[k]) for k, bar in enumerate(linkage.bars)]

    evaluations = itertools.count()

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        if next(evaluations) > most_evaluations:
            raise UndecidedError
        v = x[7 * count :]
        w = v.reshape(-1, 6)[:, 3:]
        e = x[3 * count : 7 * count].reshape(-1, 4)
        # quaternion (vector, scalar) with w in world axes: ė = ½ (w s + w × e, -w·e)
        ed = 0.5 * np.column_stack(
            [w * e[:, 3:] + np.cross(w, e[:, :3]), -np.sum(w * e[:, :3], axis=1)]
        )
        c = v.reshape(-1, 6)[:, :3]
        return np.concatenate([c.ravel(), ed.ravel(), accelerations(linkage, placed(x), v)])

    x0 = np.concatenate([np.concatenate(centers), np.concatenate(turns), speeds])
    run = solve_ivp(rates, (0.0, t_end), x0, method="DOP853", rtol=relative, atol=relative)
    assert run.success, run.message
    return placed(run.y[:, -1])


def apart(a: list[Pose], b: list[Pose]) -> float:
    """Largest difference between two sets of poses, in lengths and in entries of rotations."""
    return max(
        float(max(np.abs(x.p - y.p).max(), np.abs(x.R - y.R).max()))
        for x, y in zip(a, b, strict=True)
    )
