"""Bodies with six coordinates each: accelerations and forces against the reduced equations.

The linear system of all bodies holds no recursion and no choice of coordinates: it meets the
reduced equations, which are compared with Pinocchio elsewhere, only at its solution.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from both_formulations import reactions_of
from scipy.spatial.transform import Rotation
from test_closed_linkages import in_python, near

import inloop as il
from inloop import gallery
from inloop.formalisms.redundant.programs import MATRIX, PLACE, RESIDUAL
from inloop.gallery.four_bar import four_bar
from inloop.plant.formulation import redundant_code
from inloop.symbolic.pivot_order import THRESHOLD
from inloop.symbolic.repeated.elimination import StepwiseElimination

LINKAGES = (0, 7)  # with a drive and without; other kinds of cuts are met in the gallery
EXHIBITS: dict[str, dict[str, int]] = {
    "bricard": {},
    "satellite": {},
    "flexible_four_bar": {"elements": 6},
    "rolling_disc": {},
    "rotor": {"blades": 2, "elements": 2},
}
# the rest of the gallery, but for what touches hard: longer
MORE: dict[str, dict[str, int]] = {
    **{name: {} for name in (
        "pendulum", "double_pendulum", "n_pendulum", "puma560", "robot", "four_bar", "suspension",
        "piano", "chain", "stewart", "slider_crank", "heavy_top", "andrews", "car", "bicycle",
        "flexlink", "kart", "tilting_vehicle", "simple_action", "cart_pendulum", "stick_slip",
    )},
    "chain_fountain": {"n": 24},
    "truss": {"bays": 1},
}  # fmt: skip


def redundant(model: il.Model) -> il.Plant:
    return model.compile(formulation="redundant", backend="python")


def all_kinds() -> il.Model:
    """Every kind of joint in one tree, a body without mass, laws of all kinds, and states."""
    m = il.Model("kinds", gravity=(0.3, -0.2, -9.81))
    hull = m.body(
        "hull",
        on=m.ground.point("berth", (0.2, 0.1, 0.5)),
        joint=il.ball(),
        mass=3.1,
        com=(0.03, -0.06, 0.09),
        inertia=(0.21, 0.34, 0.27),
    )
    ring = m.body(
        "ring", on=hull.point("mast", (0.1, 0.3, -0.2)), joint=il.revolute((0.2, 0.5, -0.7))
    )
    slide = m.body(
        "slide",
        on=ring.point("rail", (0.05, 0.02, 0.3)),
        joint=il.prismatic((0.6, 0.1, 0.4), armature=0.7),
        mass=0.8,
        com=(0.02, 0.11, -0.05),
        inertia=(0.011, 0.014, 0.017),
    )
    bolt = m.body(
        "bolt",
        on=slide.point("nut", (-0.1, 0.2, 0.15)),
        joint=il.screw("y", pitch=0.08),
        mass=0.6,
        com=(0.07, -0.03, 0.02),
        inertia=(0.009, 0.005, 0.007),
    )
    m.body(
        "bead",
        on=hull.point("wire", (-0.3, 0.1, 0.2)),
        joint=il.curve(lambda q: (0.4 * il.sin(q), 0.3 * q, 0.2 * il.cos(q))),
        mass=0.4,
        inertia=(0.002, 0.003, 0.004),
    )
    m.spring(bolt.point("eye", (0.1, 0.0, 0.2)), m.ground.point("hook", (1.0, 0.4, 0.2)),
             stiffness=310.0, damping=4.0, free_length=0.5)  # fmt: skip
    m.joint_force("ring", lambda q, qd: -7.0 * q - 0.3 * qd)
    m.force(
        hull.point("fin", (0.2, -0.4, 0.1)), lambda p, v: (-3.0 * v[0], 0.5 * p[2], -2.0 * v[1])
    )
    m.contact(
        m.ground.frame("shelf", (0.0, 0.0, 0.4)),
        il.plane(),
        hull.point("keel", (0.1, -0.2, 0.05)),
        il.sphere(0.9),
        law=il.hunt_crossley(60.0, 1.5, 0.2),
        friction=il.coulomb_contact(0.3, 0.5),
        name="touch",
    )
    m.lugre("slide", stiffness=900.0, damping=8.0, coulomb=0.4, normal="reaction", stribeck=0.02)
    return m


def state_of(plant: il.Plant, seed: int) -> dict[str, np.ndarray]:
    """Any state of a tree."""
    random = np.random.default_rng(seed)
    q = plant.configuration.moved(plant.formulation.home(), random.uniform(-0.8, 0.8, plant.n))
    return {"q": q, "qd": random.normal(size=plant.n), "tau": random.normal(size=plant.n)}


@pytest.fixture(scope="module")
def kinds() -> il.Plant:
    return redundant(all_kinds())


def test_every_kind_of_joint(kinds: il.Plant) -> None:
    plant, reduced = kinds, all_kinds().compile(backend="python")
    state = {**state_of(plant, 3), "z": np.array([3e-4, 0.7])}
    found = plant.formulation.motion(**state)
    expected = reduced.formulation.motion(**state)
    assert np.abs(expected["a"]).max() > 1.0
    assert near(found["a"], expected["a"], 1e-10)
    # the friction is pressed by the reaction, which is an unknown here
    assert near(found["zd"], expected["zd"], 1e-9)


def test_newtons_matrix_is_the_derivative_of_the_equations(kinds: il.Plant) -> None:
    """By differences, with scales so large that stiffness and damping count as much as masses."""
    e, about = kinds.equations, kinds.formulation.code.about
    sizes, random = about.layout, np.random.default_rng(5)
    state, bodies = state_of(kinds, 4), 6 * sizes.bodies
    by, fast = 0.3, 0.7
    at: dict[str, Any] = {
        **state,
        **e.evaluate(PLACE, q=state["q"], qd=state["qd"]),
        "qdd": random.normal(size=kinds.n),
        "accel": random.normal(size=bodies),
        "lam": 10.0 * random.normal(size=bodies),
        "z": np.array([3e-4, 0.7]),
        "zd": random.normal(size=sizes.states),
        "scales": np.array([by, fast, 0.5, 1e-8]),
    }
    at["twist"] = at["twist"] + random.normal(size=bodies)
    A = np.zeros((sizes.size, sizes.size))
    A[tuple(np.array(about.places).T)] = e.evaluate(MATRIX, **at)["A"]
    moving, h = sizes.moving, 1e-6
    del at["scales"]

    def residual(column: int, s: float, by: float, fast: float, faster: float) -> np.ndarray:
        return e.evaluate(RESIDUAL, **_moved(kinds, at, column, s, (by, fast, faster)))["r"]

    for column in range(sizes.size):
        ahead, behind = (residual(column, s, by, fast, 1.0)[:moving] for s in (h, -h))
        assert near((ahead - behind) / (2.0 * h), A[:moving, column], 1e-6), column
        if column < moving - sizes.states:
            ahead, behind = (residual(column, s, 1.0, 0.0, 0.0)[moving:] for s in (h, -h))
            assert near((ahead - behind) / (2.0 * h), A[moving:, column], 1e-6), column


def _moved(
    plant: il.Plant, at: dict[str, Any], column: int, s: float, rates: tuple[float, float, float]
) -> dict[str, np.ndarray]:
    """A state after a small change of one unknown: positions, velocities, accelerations."""
    by, fast, faster = (s * rate for rate in rates)
    about = plant.formulation.code.about
    sizes, moved = about.layout, {k: np.array(v, dtype=np.float64) for k, v in at.items()}
    bodies = 6 * sizes.bodies
    if column < bodies:
        k, axis = divmod(column, 6)
        pose, e = moved["pose"][12 * k : 12 * k + 12], np.eye(3)[axis % 3]
        R = pose[3:].reshape(3, 3).copy()
        first = 6 * k + (axis // 3) * 3
        if axis < 3:
            e = R @ e
            pose[:3] += by * e
        else:
            pose[3:] = (R @ Rotation.from_rotvec(by * e).as_matrix()).ravel()
        moved["twist"][first : first + 3] += fast * e
        moved["accel"][first : first + 3] += faster * e
    elif column < bodies + sizes.free:
        k = about.free[column - bodies]
        moved["q"] = plant.configuration.moved(moved["q"], by * np.eye(plant.n)[k])
        moved["qd"][k] += fast
        moved["qdd"][k] += faster
    elif column < sizes.moving:
        moved["z"][column - bodies - sizes.free] += fast
        moved["zd"][column - bodies - sizes.free] += faster
    else:
        moved["lam"][column - sizes.moving] += s
    return moved


@functools.cache
def linkage_of_bodies(seed: int) -> il.Plant:
    return redundant(in_python(seed)[0].model())


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", LINKAGES)
def test_linkages(seed: int) -> None:
    linkage, state = in_python(seed)
    plant = linkage_of_bodies(seed)
    qdd = np.zeros(plant.n)
    for k, (_, rise) in linkage.drives.items():
        qdd[k] = rise
    found = plant.formulation.motion(state.q, state.qd, state.tau, qdd=qdd)
    for name in ("a", "lam", "effort"):
        assert near(found[name], state.found[name], 1e-9), name


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "name", [*EXHIBITS, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)]
)
def test_exhibits(name: str) -> None:
    model = gallery.get(name).build(**{**EXHIBITS, **MORE}[name])
    plant, reduced = redundant(model), model.compile(backend="python")
    f, random = reduced.formulation, np.random.default_rng(1)
    wish = f.home()
    wish = plant.configuration.moved(wish, 0.02 * random.normal(size=plant.n) * plant.size.units)
    q = f.positions.keep(wish, ()).found.q
    speeds = {k: float(random.normal() * plant.size.units[k]) for k in f.partition.independent}
    state = {"q": q, "qd": f.keep_velocities(q, {}, speeds).qd, "tau": random.normal(size=plant.n)}
    found, expected = plant.formulation.motion(**state), f.motion(**state)
    assert near(found["a"], expected["a"], 1e-10)
    assert near(found["lam"], expected["lam"], 1e-9)


@pytest.mark.long
def test_wrenches_are_the_reactions_of_the_joints() -> None:
    _, state = in_python(7)
    plant = linkage_of_bodies(7)
    found = plant.formulation.motion(state.q, state.qd, state.tau)
    forces, moments = reactions_of(plant, found)
    told = state.plant.joint_reactions(state.q, state.qd, tau=state.tau)
    names = [plant.coordinates[k] for k in plant.formulation.code.about.links]
    assert len(names) > 5
    assert near(forces, np.array([told[f"{c}.force"] for c in names]), 1e-9)
    assert near(moments, np.array([told[f"{c}.moment"] for c in names]), 1e-9)


def flexible(EA: float | None) -> il.Model:
    """A flexible link on an arm that turns in space, with a body on its tip and one in between."""
    m = il.Model("whip", gravity=(0.4, -0.3, -9.81))
    mast = m.body("mast", on=m.ground, joint=il.revolute("z"), mass=1.7, com=(0.1, 0.05, 0.2),
                  inertia=(0.03, 0.04, 0.05))  # fmt: skip
    rod = m.flexible_link(
        "rod", on=mast.point("eye", (0.1, 0.0, 0.3)), joint=il.revolute((0.1, 1.0, 0.3)),
        length=1.2, mass_per_length=0.7, EI=45.0, EA=EA, elements=3, damping=(0.2, 1e-4),
        along="x", bends_about="z",
    )  # fmt: skip
    m.body("load", on=rod.tip, joint=il.revolute("y"), mass=0.3, com=(0.05, 0.02, 0.01),
           inertia=(0.002, 0.003, 0.004))  # fmt: skip
    m.body("clip", on=rod.nodes[1], joint=il.fixed(), mass=0.15)
    m.spring(rod.tip.point("pin", (0.0, 0.02, 0.01)), m.ground.point("post", (1.0, 0.7, 0.2)),
             stiffness=60.0, damping=0.5, free_length=0.3)  # fmt: skip
    return m


@pytest.mark.thinned(2)
@pytest.mark.parametrize("EA", [None, 3e4])
def test_flexible_links(EA: float | None) -> None:
    """Nodes that nothing hangs on are coordinates without a body; the others are bodies."""
    model = flexible(EA)
    plant, reduced = redundant(model), model.compile(backend="python")
    names = [plant.coordinates[k] for k in plant.formulation.code.about.links]
    assert names == ["mast", "rod", "rod_3_r", "rod_2_r", "load"]
    random = np.random.default_rng(7)
    q = 0.03 * random.normal(size=plant.n) + 0.4 * np.isin(plant.coordinates, ("mast", "rod"))
    state = {"q": q, "qd": random.normal(size=plant.n), "tau": random.normal(size=plant.n)}
    found, expected = plant.formulation.motion(**state), reduced.formulation.motion(**state)
    assert near(found["a"], expected["a"], 1e-10)
    told = reduced.joint_reactions(state["q"], state["qd"], tau=state["tau"])
    forces, moments = reactions_of(plant, found)
    assert near(forces, np.array([told[f"{c}.force"] for c in names]), 1e-9)
    assert near(moments, np.array([told[f"{c}.moment"] for c in names]), 1e-9)


def test_rows_that_follow_from_others_are_told() -> None:
    """A planar four-bar whose last pin is a hinge: three of its rows add nothing."""
    m = il.Model("flat", gravity=(0.0, -9.81, 0.0))
    crank = m.body("crank", on=m.ground, joint=il.revolute("z", initial=(0.9, 2.0)), mass=0.7,
                   com=(0.1, 0.0, 0.0), inertia=(0.0, 0.01, 0.01))  # fmt: skip
    rod = m.body("rod", on=crank.point("tip", (0.25, 0.0, 0.0)), joint=il.revolute("z", guess=-0.8),
                 mass=0.9, com=(0.3, 0.0, 0.0), inertia=(0.0, 0.03, 0.03))  # fmt: skip
    rocker = m.body("rocker", on=m.ground.point("seat", (0.7, 0.0, 0.0)),
                    joint=il.revolute("z", guess=1.6), mass=0.6, com=(0.2, 0.0, 0.0),
                    inertia=(0.0, 0.02, 0.02))  # fmt: skip
    m.close(rod.point("end", (0.6, 0.0, 0.0)), rocker.point("pin", (0.4, 0.0, 0.0)),
            kind="hinge", axis="z", name="pin")  # fmt: skip
    plant = redundant(m)
    assert sum("row dropped" in note for note in plant.formulation.notes) == 3
    q = plant.formulation.home()
    qd = plant.formulation.keep_velocities(q, {0: 2.0}, {}).qd
    found = plant.formulation.motion(q, qd, np.zeros(3))
    expected = m.compile(backend="python").direct_dynamics(q, qd, np.zeros(3))
    assert near(found["a"], expected, 1e-10)


def test_motion_follows_from_velocities_of_independent_coordinates() -> None:
    """Velocities of the others are not used: so linearizations are those of the reduced motion."""
    model = four_bar(1)
    reduced, plant = model.compile(), model.compile(formulation="redundant")
    q, speed = reduced.formulation.home(), [1.7, 0.0, 0.0]
    found, expected = (each.formulation.motion(q, speed, np.zeros(3)) for each in (plant, reduced))
    assert np.abs(expected["v"]).min() > 0.1
    assert found["v"] == pytest.approx(expected["v"], abs=1e-12)
    assert found["a"] == pytest.approx(expected["a"], abs=1e-10)
    # as many states as coordinates, with the same efforts
    tau = np.array([0.3, -0.2, 0.1])
    found, expected = (
        each.formulation.motion_at(np.tile(q, (3, 1)), np.outer([0.5, 1.0, 2.0], speed), tau)
        for each in (plant, reduced)
    )
    assert found["a"] == pytest.approx(expected["a"], abs=1e-10)
    moving = {"qd": {plant.coordinates[0]: 1.7}}
    slopes = [each.linearize(**moving).A for each in (plant, reduced)]
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-7)


def test_unknown_formulation() -> None:
    with pytest.raises(il.InputError, match="Use 'reduced' or 'redundant'"):
        gallery.get("pendulum").build().compile(formulation="absolute")


def four_bar_of_hinges() -> il.Model:
    """A parallelogram in space: each hinge holds its bodies in the plane once more."""
    m = il.Model("hinges", gravity=(0.0, 0.0, -9.81))
    given: dict[str, Any] = {"mass": 1.0, "inertia": (0.02, 0.03, 0.01)}
    crank = m.body(
        "crank", on=m.ground, joint=il.revolute("y", initial=(0.4, 0.0)), com=(0, 0, 0.5), **given
    )
    coupler = m.body(
        "coupler",
        on=crank.point("top", (0.0, 0.0, 1.0)),
        joint=il.revolute("y", initial=(-0.4, 0.0)),
        com=(0.6, 0.0, 0.0),
        **given,
    )
    rocker = m.body(
        "rocker",
        on=m.ground.point("foot", (1.2, 0.0, 0.0)),
        joint=il.revolute("y", initial=(0.4, 0.0)),
        com=(0.0, 0.0, 0.5),
        **given,
    )
    ends = coupler.point("end", (1.2, 0.0, 0.0)), rocker.point("head", (0.0, 0.0, 1.0))
    m.close(*ends, kind="hinge", axis="y", name="pin")
    return m


def test_rows_that_follow_from_others_are_named() -> None:
    """Of the five rows of the last hinge two are left: the plane needs no others."""
    plant = redundant(four_bar_of_hinges())
    assert plant.formulation.notes == (
        "loop 'pin' adds nothing in direction y; row dropped",
        "loop 'pin' adds nothing in direction tilt 1; row dropped",
        "loop 'pin' adds nothing in direction tilt 2; row dropped",
    )
    # three bodies, three joints, and the two rows that are left
    assert plant.formulation.unknowns == 3 * 12 + 3 + 2


def test_bodies_alike_are_eliminated_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the tip to the ground, in three shapes: the last rod, those between, and the first.

    Rods are short and light, so that inertias are far smaller than what they are held by.
    """
    monkeypatch.setattr(redundant_code, "THOROUGH_UP_TO", 0)
    model = gallery.get("n_pendulum").build(n=12)
    code = redundant(model).formulation.code  # type: ignore[attr-defined]
    found = code._elimination()
    assert isinstance(found, StepwiseElimination)
    assert [min(step.rows[:13]) for step in found.steps] == [6 * k for k in range(12)][::-1]
    assert len({step.shape for step in found.steps}) == 3
    assert found.weakest >= THRESHOLD


def test_what_lies_between_bodies_belongs_to_one_of_them() -> None:
    about = redundant(four_bar(1)).formulation.code.about  # type: ignore[attr-defined]
    nearest, farthest = about.bodies
    layout = about.layout
    assert (layout.bodies, layout.free, layout.states, layout.rows) == (3, 3, 0, 2)
    each = [k for k in range(3) for _ in range(6)]
    own = [*each, 0, 1, 2, *each]
    # the bar that the coupler hangs on, and the coupler; the other bar hangs on the ground
    assert list(nearest) == [*own, *[nearest[-1]] * 2]
    assert list(farthest) == [*own, *[farthest[-1]] * 2]
    assert nearest[-1] < farthest[-1]
