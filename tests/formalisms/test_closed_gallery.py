"""Every closed mechanism of the gallery against the equations with multipliers (Eq. 3).

Mass matrix, bias and cut points come from Pinocchio, which gets the numbers of the mechanism; the
force laws are written here once more.
"""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import Limb, Tree
from test_closed_linkages import Cut, Linkage, Peer, near, solve

import inloop as il
from inloop import gallery
from inloop.gallery import andrews, stewart
from inloop.gallery.car import model as car
from inloop.gallery.suspension import model as suspension
from inloop.model.parameters import Defaults

MECHANISMS = {
    "four_bar": ("four_bar", {}),
    "four_bar_5": ("four_bar", {"loops": 5}),
    "slider_crank": ("slider_crank", {}),
    "slider_crank_spatial": ("slider_crank", {"spatial": True}),
    "andrews": ("andrews", {}),
    "bricard": ("bricard", {}),
    "stewart": ("stewart", {}),
    "stewart_pistons": ("stewart", {"pistons": True}),
    "suspension": ("suspension", {}),
    "car": ("car", {"relaxation": 0.0, "aligning": False}),
}
GENERAL = [name for name in MECHANISMS if name != "stewart"]


def build(name: str) -> il.Model:
    exhibit, options = MECHANISMS[name]
    return gallery.get(exhibit).build(**options)


@pytest.fixture(scope="module")
def plants() -> dict[str, il.Plant]:
    return {}


@pytest.fixture(params=MECHANISMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def plant_of(name: str, plants: dict[str, il.Plant]) -> il.Plant:
    if name not in plants:
        plants[name] = build(name).compile(backend="python")
    return plants[name]


def numbers(mechanism: il.Mechanism) -> Linkage:
    """The mechanism at its default parameters, for Pinocchio."""
    defaults = Defaults(mechanism.parameters)

    def value(x: object) -> np.ndarray:
        flat = np.array(x, dtype=object)
        found = defaults.of(tuple(flat.ravel()))
        assert found is not None
        return np.array(found, dtype=float).reshape(flat.shape)

    limbs = tuple(
        Limb(
            body.name, body.parent, body.joint.kind.name, body.joint.axis,
            value(body.attachment.p_PJ), value(body.attachment.R_PJ), float(value(body.mass)),
            value(body.com), value(body.inertia), float(value(body.joint.armature)),
        )
        for body in mechanism.bodies
    )  # fmt: skip
    tree = Tree(mechanism.name, limbs, value(mechanism.gravity), (0, np.zeros(3), np.eye(3)))
    cuts = tuple(
        Cut(
            loop.name, loop.kind, (loop.a.body, loop.b.body),
            (value(loop.a.p_BF), value(loop.b.p_BF)), (value(loop.a.R_BF), value(loop.b.R_BF)),
            loop.axis, float(value(loop.length)),
        )
        for loop in mechanism.loops
    )  # fmt: skip
    q = np.array([body.joint.initial[0] for body in mechanism.bodies])
    return Linkage(tree, q, cuts, {})


def laws(name: str, plant: il.Plant, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Efforts of the force laws on the joints."""
    total = np.zeros(plant.n)

    def pull(a: str, b: str, k: float, d: float, l0: float) -> None:
        J = plant.jacobian(b, q)[:3] - plant.jacobian(a, q)[:3]
        gap = plant.position(b, q) - plant.position(a, q)
        l = np.linalg.norm(gap)
        total[:] -= (k * (l - l0) + d * gap @ J @ qd / l) * (gap / l) @ J

    corners: list[str] = []
    if name == "andrews":
        total[plant.coordinates.index("beta")] += 0.033
        pull("body_3.D", "ground.C", 4530.0, 0.0, 0.07785)
    if name.startswith("stewart"):
        for leg in stewart.LEGS:
            pull(f"ground.A{leg}", f"plate.B{leg}", 2500.0, 0.0, 0.78)
    if name == "suspension":
        corners = ["left"]
    if name == "car":
        corners = [corner.name for corner in car.CORNERS]
        for axle, k in (("front", 4000.0), ("rear", 1100.0)):
            index = plant.coordinates.index(f"torsion_{axle}")
            total[index] -= k * q[index]
    for corner in corners:
        length = {"front": 0.6825387, "rear": 0.6378827}.get(corner.partition("_")[0], 0.66)
        pull(f"chassis.spring_{corner}", f"lower_{corner}.spring", 33.3e3, 9.16e3, length)
        if name == "car":
            total += tyre(plant, f"wheel_{corner}", q, qd)
        else:
            p, J = plant.position(f"wheel_{corner}", q), plant.jacobian(f"wheel_{corner}", q)
            total += 200e3 * max(0.3 - p[2], 0.0) * J[2]
    return total


def tyre(plant: il.Plant, wheel: str, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Efforts of a tyre of 1987 on level ground, whose force acts where it touches."""
    p, R = plant.pose(wheel, q)
    J = plant.jacobian(wheel, q)
    v, w, axis = J[:3] @ qd, J[3:] @ qd, R[:, 1]
    left = np.array([axis[0], axis[1], 0.0]) / np.hypot(axis[0], axis[1])
    ahead = np.array([left[1], -left[0], 0.0])
    camber = np.arcsin(axis[2])
    # down in the plane of the wheel until the road
    r = np.cross(axis, ahead) * p[2] / np.cos(camber)
    assert (p + r)[2] == pytest.approx(0.0, abs=1e-12)
    load = 200e3 * max(0.3 * np.cos(camber) - p[2], 0.0)
    place = v + np.cross(w - (w @ axis) * axis, r)
    speed = max(abs(place @ ahead), 0.05 * 1.4 * np.sqrt(9.81 * 0.3))
    slip = il.tyres.Slip(
        load, -(v + np.cross(w, r)) @ ahead / speed, np.arctan(place @ left / speed), camber
    )
    found = il.tyres.Formula1987(with_aligning_moment=False).forces(slip)
    F = found.longitudinal * ahead + found.lateral * left + [0.0, 0.0, load]
    return F @ J[:3] + np.cross(r, F) @ J[3:]


def aiming_rows(plant: il.Plant, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J and gamma of the tubes that point at the plate: y = Rᵀ (p_B - p_A), two rows each."""
    J, gamma = [], []
    still = np.zeros(plant.n)
    for leg in stewart.LEGS:
        head, tube = f"plate.B{leg}", f"tube_{leg}"
        d = plant.position(head, q) - plant.position(f"ground.A{leg}", q)
        R = plant.pose(tube, q)[1]
        tip, turn = plant.motion(head, q, qd, still), plant.motion(tube, q, qd, still)
        w, wd = turn["om"], turn["omd"]
        Jw = plant.jacobian(tube, q)[3:]
        J.append((R.T @ (plant.jacobian(head, q)[:3] - np.cross(Jw, d, axisa=0).T))[:2])
        # ÿ = Rᵀ (a - wd × d - 2 w × v + w × (w × d))
        drift = tip["acc"] - np.cross(wd, d) - 2.0 * np.cross(w, tip["v"])
        gamma.append((R.T @ (drift + np.cross(w, np.cross(w, d))))[:2])
    return np.vstack(J), np.concatenate(gamma)


def check(name: str, plant: il.Plant, seed: int) -> dict[str, np.ndarray]:
    """Compare one random closed state; returns what was compared."""
    loops = plant.formulation
    random = np.random.default_rng(seed)
    q = loops.positions.first.q.copy()
    size = 0.02 if name in ("suspension", "car") else 0.1
    for k in (*loops.partition.independent, *loops.partition.driven):
        q[k] += size * random.uniform(-1.0, 1.0)
    tau, qdd = random.normal(size=(2, plant.n))
    qd = random.uniform(0.4, 1.5, plant.n) * random.choice([-1.0, 1.0], plant.n)
    driven = list(loops.partition.driven)
    tau[driven] = 0.0
    found = loops.motion(q, qd, tau, qdd=qdd)
    q, qd = found["q"], found["v"]
    # closed in position and velocity, rows in use and dropped ones
    rows = plant.evaluate("constraints", q=q, qd=qd)
    assert np.abs(rows["h"]).max() <= 1e-12
    assert np.abs(rows["J"] @ qd + rows["nu"]).max() <= 1e-12 * max(1.0, np.abs(qd).max())
    # Eq. 3, with the driven joints as further rows
    peer = Peer(numbers(plant.mechanism))
    M, c = peer.equations(q, qd)
    assert near(plant.mass_matrix(q), M)
    if plant.mechanism.loops:
        parts = peer.rows(q, qd)
        J, gamma = np.vstack([r[1] for r in parts]), np.concatenate([r[2] for r in parts])
    else:
        J, gamma = aiming_rows(plant, q, qd)
    J = np.vstack([J, np.eye(plant.n)[driven]])
    gamma = np.concatenate([gamma, -qdd[driven]])
    right = tau + laws(name, plant, q, qd)
    a, lam = scaled_solve(M, c, J, gamma, right)
    assert near(found["a"], a)
    assert near(found["effort"], lam[len(lam) - len(driven) :])
    used = [rows["J"][k] for k in loops.partition.rows]
    need = M @ a + c - right
    effort = dict(zip(loops.partition.driven, found["effort"], strict=True))
    given = np.array([effort.get(k, 0.0) for k in range(plant.n)])
    assert near(np.transpose(used) @ found["lam"] + given, need)
    return {"a": a, "lam": lam, **found}


def scaled_solve(
    M: np.ndarray, c: np.ndarray, J: np.ndarray, gamma: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Eq. 3 with coordinates scaled to the square roots of their inertias; rows may repeat."""
    # joints of massless bodies have no inertia of their own
    s = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    y, lam = solve(M * np.outer(s, s), c * s, J * s, gamma, tau * s)
    return y * s, lam


@pytest.mark.thinned(7)
@pytest.mark.parametrize("name", GENERAL)
@pytest.mark.parametrize("seed", range(5))
def test_general_mechanisms(name: str, seed: int, plants: dict[str, il.Plant]) -> None:
    found = check(name, plant_of(name, plants), seed)
    assert np.abs(found["v"]).max() > 0.1


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(5))
def test_stewart_with_conditions_written_by_hand(seed: int, plants: dict[str, il.Plant]) -> None:
    check("stewart", plant_of("stewart", plants), seed)


@pytest.mark.long
def test_c_and_python_agree_on_a_car(plants: dict[str, il.Plant]) -> None:
    python, compiled = plant_of("car", plants), build("car").compile(backend="c")
    random = np.random.default_rng(1)
    q = python.formulation.positions.first.q + 0.01 * random.normal(size=44)
    qd, tau, qdd = random.normal(size=(3, 44))
    ours, theirs = (p.formulation.motion(q, qd, tau, qdd=qdd) for p in (python, compiled))
    for key, value in ours.items():
        assert near(theirs[key], value, 1e-11), key


# counts: joints, independent, driven, dependent, dropped
COUNTS = {
    "four_bar": (5, 1, 0, 4, 2),
    "four_bar_5": (11, 1, 0, 10, 5),
    "slider_crank": (3, 1, 0, 2, 1),
    "slider_crank_spatial": (4, 1, 0, 3, 0),
    "andrews": (7, 1, 0, 6, 3),
    "bricard": (5, 1, 0, 4, 1),
    "stewart": (18, 6, 0, 12, 0),
    "stewart_pistons": (24, 6, 0, 18, 0),
    "suspension": (10, 3, 1, 6, 0),
    "car": (44, 14, 2, 28, 2),
}


def test_counts(name: str, plants: dict[str, il.Plant]) -> None:
    plant = plant_of(name, plants)
    parts = plant.formulation.partition
    groups = (parts.independent, parts.driven, parts.dependent, parts.dropped)
    assert (plant.n, *map(len, groups)) == COUNTS[name]
    # the rank, by singular values
    J = plant.formulation.positions.first.J
    assert np.linalg.matrix_rank(J, 1e-9) == len(parts.rows) == len(parts.dependent)
    assert len(J) == len(parts.rows) + len(parts.dropped)


def test_dropped_rows_are_told_in_words(plants: dict[str, il.Plant]) -> None:
    loops = plant_of("four_bar", plants).formulation
    assert loops.notes == (
        "loop 'loop_1' adds nothing in direction z; row dropped",
        "loop 'loop_2' adds nothing in direction z; row dropped",
    )


def test_dropped_rows_are_told_in_axes_of_the_chassis(plants: dict[str, il.Plant]) -> None:
    loops = plant_of("car", plants).formulation
    assert loops.notes == (
        "loop 'lower_ball_rear_left' adds nothing in direction x; row dropped",
        "loop 'lower_ball_rear_right' adds nothing in direction x; row dropped",
    )


def test_andrews_starts_as_in_the_test_set(plants: dict[str, il.Plant]) -> None:
    plant = plant_of("andrews", plants)
    rest = np.zeros(7)
    found = plant.formulation.motion(plant.formulation.positions.first.q, rest, rest)
    assert plant.formulation.positions.first.q == pytest.approx(
        [dict(zip(andrews.ANGLES, andrews.START, strict=True))[c] for c in plant.coordinates],
        abs=1e-15,
    )
    # the test set has the multipliers on the other side
    lam = dict(zip(plant.formulation.row_names, found["lam"], strict=True))
    assert lam["loop_3.x"] == pytest.approx(-98.5668703962411, rel=1e-12)
    assert lam["loop_3.y"] == pytest.approx(6.12268834425566, rel=1e-12)
    others = [value for row, value in lam.items() if not row.startswith("loop_3")]
    assert np.abs(others).max() < 1e-12


def test_the_rack_is_pushed_by_what_it_steers(plants: dict[str, il.Plant]) -> None:
    """The driven rack's effort is its own weight in motion and the force in the tie rod."""
    plant = plant_of("suspension", plants)
    n, rack = plant.n, plant.coordinates.index("rack")
    q = plant.formulation.positions.first.q.copy()
    q[rack] = 0.012
    qd, qdd = np.zeros(n), np.zeros(n)
    qdd[rack] = 2.0
    found = plant.formulation.motion(q, qd, np.zeros(n), qdd=qdd)
    lam = dict(zip(plant.formulation.row_names, found["lam"], strict=True))
    tie = np.array([lam[f"tie_rod_left.{axis}"] for axis in "xyz"])
    # the tie rod has no mass: the force in it is along it
    along = plant.position("tie_left.end", found["q"]) - plant.position("rack.end_left", found["q"])
    assert np.abs(np.cross(tie, along)).max() < 1e-9
    assert found["effort"][0] == pytest.approx(suspension.RACK_MASS * 2.0 - tie @ [0, 1, 0])


# mistakes


def test_a_loop_that_cannot_close_says_which_and_by_how_much() -> None:
    m = il.Model("far")
    near_one = m.body("near", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.1, 0, 0.02))
    seat = near_one.point("pin", (0.3, 0.0, 0.0))
    tip = m.body("tip", on=seat, joint=il.revolute("y", guess=0.4), mass=0.7,
                 com=(0.1, 0, 0.03)).point("end", (0.4, 0.0, 0.0))  # fmt: skip
    m.close(tip, m.ground.point("goal", (1.1, 0.0, 0.0)), name="reach")
    with pytest.raises(il.ModelError, match=r"loop 'reach' cannot close, 0\.4 m") as caught:
        m.compile(backend="python")
    assert "Check its lengths and points" in str(caught.value)


def test_the_gap_that_is_left_is_the_least_one() -> None:
    """A chain of three links in space, its goal out of reach: stretched, it points there."""
    m = il.Model("stretched")
    on, reach = m.ground, 0.0
    for k, (axis, length) in enumerate((("z", 0.31), ("y", 0.47), ("x", 0.22), ("y", 0.29))):
        link = m.body(
            f"link_{k}", on=on, joint=il.revolute(axis, guess=0.3 * k - 0.2), mass=1.1,
            com=(0.1, 0.02, 0.0),
        )  # fmt: skip
        on, reach = link.point("end", (length, 0.0, 0.0)), reach + length
    goal = np.array([1.3, -0.9, 0.8])
    # the first link turns about z only: it points along the goal's projection
    flat, height = np.hypot(goal[0], goal[1]) - 0.31, goal[2]
    left = np.hypot(flat, height) - (reach - 0.31)
    m.close(on, m.ground.point("goal", tuple(goal)), name="reach")
    with pytest.raises(il.ModelError, match="cannot close") as caught:
        m.compile(backend="python")
    assert f"{left:.3g} m" in str(caught.value)


def test_wishes_are_followed_or_refused() -> None:
    for wish in ("bar_1", "coupler_2"):
        m = gallery.get("four_bar").build()
        m._draft.independent.clear()
        m.independent(wish)
        loops = m.compile(backend="python").formulation
        assert loops.independent == (wish,)
    m = gallery.get("four_bar").build()
    m.independent("bar_1", "bar_2")
    with pytest.raises(il.ModelError) as caught:
        m.compile(backend="python")
    text = str(caught.value)
    assert "the loops determine 4 coordinates" in text
    assert "bar_0, bar_1, bar_2" in text and "Remove at least 2 of them" in text


def test_drives_that_contradict_a_loop_are_refused() -> None:
    m = gallery.get("slider_crank").build()
    m._draft.independent.clear()
    start = {body.joint.name: body.joint.initial[0] for body in m.build().bodies}
    m.drive("crank", lambda t: start["crank"] + 3.0 * t)
    m.drive("slider", lambda t: start["slider"] + 0.1 * t)
    with pytest.raises(il.ModelError, match="pin"):
        m.compile(backend="python")
