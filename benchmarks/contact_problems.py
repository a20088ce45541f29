"""Contact problems from steps of mechanisms: stacks and a wall of boxes, a six-wheel rover.

u = (W + R) r + q, three rows for each contact, the normal first; see il_contact_solver.h. Positions
are fixed: only velocities change from step to step, as in the first steps of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import inloop as il

STEP = 1e-3  # [s]
GRAVITY = 9.81
ROVER_GRAVITY = 3.69
STIFFNESS = 1e7  # of contacts [N/m]
WHEEL_RADIUS = 0.129
WHEEL_HALF_WIDTH = 0.05

Array = np.ndarray
Solve = Callable[["Problem", Array], Array]


@dataclass(frozen=True)
class Problem:
    """One problem.

    Attributes:
        W: Delassus matrix.
        q: velocities of the contacts without impulses [m/s].
        mu: friction of each contact.
        R: compliance by row; 0 for rigid contacts.
    """

    W: Array
    q: Array
    mu: Array
    R: Array


@dataclass
class Scene:
    """A mechanism with closed contacts and fixed positions.

    Attributes:
        M: mass matrix.
        H: rows of the contacts.
        force: generalized forces.
        mu: friction of each contact.
        v: initial velocities.
    """

    M: Array
    H: Array
    force: Array
    mu: Array
    v: Array = field(default_factory=lambda: np.zeros(0))

    def steps(self, solve: Solve, count: int, stiffness: float = STIFFNESS) -> list[Problem]:
        """The problems of the first steps, each with the previous impulses."""
        inverse = np.linalg.inv(self.M)
        W = self.H @ inverse @ self.H.T
        W = 0.5 * (W + W.T)
        R = np.full(len(W), 0.0 if np.isinf(stiffness) else 1.0 / (STEP**2 * stiffness))
        v, r = self.v.copy(), np.zeros(len(W))
        posed = []
        for _ in range(count):
            free = v + STEP * inverse @ self.force
            posed.append(Problem(W, self.H @ free - R * r, self.mu, R))
            r = solve(posed[-1], r)
            v = free + inverse @ self.H.T @ r
        return posed


def _cross(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def boxes(
    centers: Array,
    sides: Array,
    masses: Array,
    touching: list[tuple[int, int, Array]],
    mu: Array,
    tilt: float = 0.0,
) -> Scene:
    """Free boxes that touch at points.

    Args:
        centers: of the boxes [m].
        sides: of all of them [m].
        masses: of each [kg].
        touching: lower box (-1: the ground), upper box, point.
        mu: friction at each point.
        tilt: of the ground [rad].
    """
    n = len(centers)
    M, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    square = np.asarray(sides) ** 2
    for i, mass in enumerate(masses):
        inertia = mass / 12.0 * (square.sum() - square)
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.diag([mass] * 3 + list(inertia))
        force[6 * i : 6 * i + 3] = mass * GRAVITY * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    H = np.zeros((3 * len(touching), 6 * n))
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for k, (lower, upper, point) in enumerate(touching):
        for body, sign in ((lower, -1.0), (upper, 1.0)):
            if body >= 0:
                rows = sign * np.hstack([axes, -axes @ _cross(point - centers[body])])
                H[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] = rows
    return Scene(M, H, force, np.asarray(mu), np.zeros(6 * n))


def stack(masses: tuple[float, ...], tilt: float = 0.0, pulled: float = 0.0) -> Scene:
    """A stack of boxes of 0.2 × 0.2 × 0.1 m, four points each; the lowest one moves first."""
    count = len(masses)
    centers = np.array([[0.0, 0.0, 0.05 + 0.1 * i] for i in range(count)])
    corners = [np.array([x, y, 0.0]) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    touching = [
        (i - 1, i, corner + np.array([0.0, 0.0, 0.1 * i]))
        for i in range(count)
        for corner in corners
    ]
    mu = np.repeat([0.3, 0.2] + [0.5] * (count - 2), 4) if pulled else np.full(4 * count, 0.5)
    scene = boxes(centers, np.array([0.2, 0.2, 0.1]), np.array(masses), touching, mu, tilt)
    scene.v[0] = pulled
    return scene


def feet(seed: int) -> Scene:
    """One rotating and sliding box on sixteen points of a flat ground."""
    random = np.random.default_rng(seed)
    side = np.linspace(-0.1, 0.1, 4)
    touching = [(-1, 0, np.array([x, y, 0.0])) for x in side for y in side]
    scene = boxes(
        np.array([[0.0, 0.0, 0.05]]),
        np.array([0.2, 0.2, 0.1]),
        np.array([1.0]),
        touching,
        np.full(16, 0.4),
    )
    scene.v[[0, 1, 5]] = random.uniform(-0.3, 0.3, 3)
    return scene


def wall(tilt: float = 0.0) -> Scene:
    """Ten bricks in rows of 4, 3, 2 and 1, each upper one on two lower ones."""
    centers, touching, row_start = [], [], 0
    for row in range(4):
        for k in range(4 - row):
            x, z = 0.2 * k + 0.1 * row, 0.1 * row
            me = len(centers)
            centers.append([x, 0.0, z + 0.05])
            for dy in (-0.05, 0.05):
                if row == 0:
                    touching += [(-1, me, np.array([x + dx, dy, z])) for dx in (-0.1, 0.1)]
                else:
                    left = row_start + k
                    for below, ends in ((left, (-0.1, -0.001)), (left + 1, (0.001, 0.1))):
                        touching += [(below, me, np.array([x + dx, dy, z])) for dx in ends]
        row_start = len(centers) - (4 - row)
    return boxes(
        np.array(centers),
        np.array([0.2, 0.1, 0.1]),
        np.full(10, 2.0),
        touching,
        np.full(len(touching), 0.5),
        tilt,
    )


# trasys, github.com/siconos/rover: name, parent, axis, offset [m], mass [kg], inertia [kg·m²]
_BOGIE = (0.06451467, 0.00335217, 0.0636855)
_STEER = (0.005937903, 0.00565356, 0.002928831)
_WHEEL = (0.000423525, 0.00083205, 0.000423525)
_SOLIDS = (
    ("rear", "trunk", "-x", (-0.4139999, 0.0, -0.16375), 4.0, (0.3746322, 0.0340272, 0.386019)),
    ("left", "trunk", "y", (0.4025001, 0.4705, -0.23375), 2.0, _BOGIE),
    ("right", "trunk", "y", (0.4025001, -0.4705, -0.23375), 2.0, _BOGIE),
)
_LEGS = (
    ("rl", "rear", (-0.2235, 0.601203, -0.064092)),
    ("rr", "rear", (-0.2235, -0.601203, -0.064092)),
    ("cl", "left", (-0.32, 0.130703, 0.005908)),
    ("fl", "left", (0.32, 0.130703, 0.005908)),
    ("cr", "right", (-0.32, -0.130703, 0.005908)),
    ("fr", "right", (0.32, -0.130703, 0.005908)),
)


def rover_plant() -> il.Plant:
    """Sixteen solids, 21 coordinates."""
    m = il.Model("rover", gravity=(0.0, 0.0, -ROVER_GRAVITY))
    at = m.ground
    for name, joint in (
        ("x", il.prismatic("x")),
        ("y", il.prismatic("y")),
        ("z", il.prismatic("z")),
    ):
        at = m.body(f"slide_{name}", on=at, joint=joint)
    at = m.body("yaw", on=at, joint=il.revolute("z"))
    at = m.body("pitch", on=at, joint=il.revolute("y"))
    inertia = (4.677526, 3.450664, 5.463271)
    at = m.body("trunk", on=at, joint=il.revolute("x"), mass=50.0, inertia=inertia)
    solids = {"trunk": at}
    for name, parent, axis, offset, mass, inertia in _SOLIDS:
        joint = il.revolute((-1.0, 0.0, 0.0) if axis == "-x" else axis)
        on = solids[parent].point(name, offset)
        solids[name] = m.body(name, on=on, joint=joint, mass=mass, inertia=inertia)
    for name, parent, offset in _LEGS:
        on = solids[parent].point(f"leg_{name}", offset)
        leg = m.body(f"steer_{name}", on=on, joint=il.revolute("z"), mass=1.0, inertia=_STEER)
        hub = leg.point("hub", (0.0, 0.0, -0.221908))
        wheel = m.body(f"wheel_{name}", on=hub, joint=il.revolute("y"), mass=0.1, inertia=_WHEEL)
        wheel.point("center", (0.0, 0.0, 0.0))
    return m.compile()


def rover(plant: il.Plant, seed: int, *, rough: bool, rim_points: bool) -> Scene:
    """The rover on its wheels: spheres on rough ground, or two points of each rim on flat ground.

    It rolls at about 0.3 m/s with driven wheels, and steering is held by springs.
    """
    random = np.random.default_rng(seed)
    q = np.zeros(plant.n)
    names = list(plant.coordinates)
    shaken = [k for k, name in enumerate(names) if not name.startswith("slide")]
    q[shaken] = random.uniform(-0.08, 0.08, len(shaken)) if rough else 0.0
    sides = (-WHEEL_HALF_WIDTH, WHEEL_HALF_WIDTH) if rim_points else (0.0,)
    rows, mu = [], []
    for leg, *_ in _LEGS:
        spin, center = plant.jacobian(f"wheel_{leg}", q), f"wheel_{leg}.center"
        move = plant.jacobian(center, q)
        for side in sides:
            normal = np.array([*random.uniform(-0.35, 0.35, 2), 1.0]) if rough else np.eye(3)[2]
            normal /= np.linalg.norm(normal)
            first = np.cross(normal, [0.0, 1.0, 0.0])
            first /= np.linalg.norm(first)
            arm = -WHEEL_RADIUS * normal + np.array([0.0, side, 0.0])
            point = move[:3] - _cross(arm) @ spin[3:]
            rows.append(np.array([normal, first, np.cross(normal, first)]) @ point)
            mu.append(0.8)
    H = np.vstack(rows)
    v = np.zeros(plant.n)
    v[names.index("slide_x")] = 0.3
    for leg, *_ in _LEGS:
        v[names.index(f"wheel_{leg}")] = 0.3 / WHEEL_RADIUS
    v += random.normal(size=plant.n) * (0.02 if rough else 0.002)
    force = -plant.bias(q, v)
    for leg, *_ in _LEGS:
        force[names.index(f"wheel_{leg}")] += 0.9
        force[names.index(f"steer_{leg}")] -= 200.0 * q[names.index(f"steer_{leg}")]
    return Scene(plant.mass_matrix(q), H, force, np.array(mu), v)
